"""What becomes of a quote whose client has left: it is cancelled, all of it, at once, and blamed on nobody.

A client can leave in five ways; each must be noticed while the quote waits for the provider, within 100 ms.
"""
import random

from harness import IN_FLIGHT, LabTest, MODES, SharedLabTest
from timing import now_ms, wait_for_moment, wait_until
from wire import request

NOTICED_WITHIN_S = 0.1
STORM = "/quote-legacy?scenario=slow_provider"
WAYS = {
    "closes": lambda connection: connection.close(),
    "resets": lambda connection: connection.reset(),
    "half-closes": lambda connection: connection.half_close(),
    "pipelines, then closes": lambda connection: (connection.send(request("/health")), connection.close()),
    "pipelines, then half-closes": lambda connection: (connection.send(request("/health")), connection.half_close()),
    "sends half a request, then closes": lambda connection: (connection.send(b"GET /hea"), connection.close()),
}


class AClientThatLeaves(SharedLabTest):
    def begin(self, path, in_flight=None):
        """A connection whose quote is under way, and has reached the state that `in_flight` tells of."""
        connection = self.lab.connect()
        self.addCleanup(connection.close)
        connection.send(request(path))
        wait_until(in_flight or (lambda: self.lab.in_flight() == 2), 1, "the quote and its call are in flight")
        return connection

    def wait_for_none_in_flight(self):
        wait_until(lambda: self.lab.in_flight() == 0, NOTICED_WITHIN_S, "nothing is left in flight", every_s=0)

    def mode(self, name="legacy"):
        return self.lab.json("/metrics")["modes"][name]

    def test_cancels_its_quote_whichever_way_it_leaves(self):
        for number, (name, leave) in enumerate(WAYS.items(), start=1):
            with self.subTest(name):
                leave(self.begin(STORM))
                self.wait_for_none_in_flight()
                self.assertEqual(self.mode()["cancelled"], number)

    def test_is_no_failure_and_has_no_further_attempts(self):
        self.begin(STORM).close()
        self.wait_for_none_in_flight()
        told = self.mode()
        self.assertEqual((told["successes"], told["failures"], told["timeouts_total"]), (0, 0, 0), told)
        self.assertEqual((told["attempts_total"], told["retries_total"], told["cancelled"]), (1, 0, 1), told)
        self.assertEqual(self.lab.json("/dependency/state")["consecutive_failures"], 0)
        self.assertEqual(self.lab.scrape().value("quote_lab_quotes_cancelled_total", mode="legacy"), 1)

    def test_leaves_an_incident_and_a_line_in_the_log(self):
        self.begin(STORM).close()
        self.wait_for_none_in_flight()
        incident = self.lab.json("/incidents")["incidents"][0]
        self.assertEqual((incident["status"], incident["http_status"]), ("cancelled", 499), incident)
        self.assertEqual((incident["fallback_used"], incident["short_circuited"]), (False, False), incident)
        lines = wait_until(lambda: self.lab.events("quote", request_id=incident["request_id"]), 1, "its line is logged")
        self.assertEqual([(line["status"], line["http_status"]) for line in lines], [("cancelled", 499)])

    def test_during_the_wait_before_a_retry_cancels_the_wait(self):
        def waiting():
            scrape = self.lab.scrape()
            return [scrape.total(gauge) for gauge in IN_FLIGHT] == [1, 0]

        self.begin("/quote-resilient?scenario=slow_provider", waiting).close()
        self.wait_for_none_in_flight()
        self.assertEqual(self.mode("resilient")["attempts_total"], 1, "the retry is not made")
        self.assertEqual(self.lab.circuit(), "closed")

    def test_during_a_later_attempt_cancels_it(self):
        began = now_ms()
        connection = self.begin(STORM)
        wait_for_moment(began + 500)  # The second attempt lasts from 360 to 720 ms.
        connection.close()
        self.wait_for_none_in_flight()
        self.assertEqual((self.mode()["attempts_total"], self.mode()["timeouts_total"]), (2, 1))

    def test_by_half_closing_gets_a_short_answer_and_an_end(self):
        connection = self.begin(STORM)
        connection.half_close()
        answer = connection.read_answer()
        self.assertEqual((answer.status, answer.closes), (503, True), answer)
        self.assertLess(answer.took_ms, 1000, "it was not kept waiting for the provider")
        self.assertEqual(connection.read_to_close(), b"")

    def test_with_pipelined_requests_does_not_have_them_run(self):
        connection = self.begin(STORM)
        connection.send(request("/reset-lab"))
        connection.close()
        self.wait_for_none_in_flight()
        self.assertEqual(self.mode()["cancelled"], 1, "the lab was reset by a request nobody waits for")

    def test_ten_times_says_nothing_about_the_provider(self):
        gone = [self.lab.connect() for _ in range(10)]
        for connection in gone:
            connection.send(request("/quote-resilient?scenario=slow_provider"))
        wait_until(lambda: self.lab.in_flight() == 20, 0.2, "ten attempts are under way")
        for connection in gone:
            connection.close()
        self.wait_for_none_in_flight()
        told = self.mode("resilient")
        self.assertEqual((told["failures"], told["cancelled"], told["circuit_opens"]), (0, 10, 0), told)
        state = self.lab.json("/dependency/state")
        self.assertEqual((state["circuit_status"], state["consecutive_failures"]), ("closed", 0))


class WhoStays(SharedLabTest):
    def test_and_pipelines_keeps_the_quote_and_every_answer(self):
        with self.lab.connect() as connection:
            connection.send(request("/quote-legacy?scenario=flaky_provider"))
            wait_until(lambda: self.lab.in_flight() == 2, 1, "the quote is under way")
            connection.send(request("/health") * 20)
            self.assertEqual(connection.read_answer().json["status"], "completed")
            self.assertEqual([connection.read_answer().status for _ in range(20)], [200] * 20)

    def test_and_pipelines_more_than_the_lab_looks_ahead_still_gets_every_answer(self):
        with self.lab.connect() as connection:
            connection.send(request("/quote-legacy?scenario=ok"))
            connection.send(request("/incidents?limit=5") * 2000)
            self.assertEqual(connection.read_answer().json["status"], "completed")
            self.assertEqual([connection.read_answer().status for _ in range(2000)], [200] * 2000)


class TwoHundredClients(LabTest):
    def test_that_leave_at_random_moments_leave_nothing_behind(self):
        lab, dice = self.start_lab(), random.Random(20240204)
        began = now_ms()
        leaving = []
        for number in range(200):
            connection = lab.connect()
            self.addCleanup(connection.close)
            scenario = dice.choice(("slow_provider", "ok", "flaky_provider"))
            connection.send(request(f"/quote-{MODES[number % 2]}?scenario={scenario}"))
            leaving.append((began + dice.uniform(0, 700), dice.choice(list(WAYS.values())), connection))
        for moment_ms, leave, connection in sorted(leaving, key=lambda each: each[0]):
            wait_for_moment(moment_ms)
            try:
                leave(connection)
            except OSError:
                pass  # Its quote was over, and the lab had closed already.
        wait_until(lambda: lab.in_flight() == 0, 1, "a second later nothing is in flight")
        self.assert_adds_up(lab)

    def assert_adds_up(self, lab):
        told = lab.json("/metrics")["modes"]
        scrape = lab.scrape()
        ended = sum(mode["successes"] + mode["failures"] + mode["cancelled"] for mode in told.values())
        self.assertEqual(ended, 200, told)
        self.assertGreater(sum(mode["cancelled"] for mode in told.values()), 20, "most leave before their answer")
        for mode in MODES:
            self.assertEqual(scrape.value("quote_lab_quote_duration_seconds_count", mode=mode), 100)
            self.assertEqual(scrape.total("quote_lab_attempt_duration_seconds_count", mode=mode),
                             scrape.value("quote_lab_attempts_total", mode=mode), "each attempt has ended once")
        self.assertEqual(lab.ask("/health").status, 200)
