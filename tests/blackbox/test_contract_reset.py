"""/reset-lab: afresh for who asks for it. Workshops do so with GET, so what else may send one must change nothing."""
from harness import MODES, SharedLabTest
from timing import wait_until
from wire import request


class TheReset(SharedLabTest):
    def setUp(self):
        super().setUp()
        self.live = self.lab.quote("legacy")
        self.lab.quote("resilient", "provider_down")

    def assert_untouched(self, saying=""):
        self.assertEqual(self.lab.circuit(), "open", saying)
        self.assertGreater(self.lab.json("/metrics")["requests_tracked"], 0, saying)

    def assert_afresh(self):
        told = self.lab.json("/metrics")
        self.assertEqual((told["requests_tracked"], told["routes"], told["recent_incidents"]), (0, {}, []), told)
        self.assertEqual(set(told["status_counts"].values()) - {0}, set(), told)
        for mode in MODES:
            self.assertEqual({key: value for key, value in told["modes"][mode].items() if value not in (0, {})}, {})
        state = self.lab.json("/dependency/state")
        self.assertEqual((state["circuit_status"], state["opened_until"], state["open_events"]), ("closed", None, 0))
        self.assertEqual((state["consecutive_failures"], state["last_outcome"]), (0, "unknown"))
        self.assertEqual(state["fallback_quote"]["quote_id"], "cached-quote-seed")

    def test_by_get_or_post_starts_everything_afresh(self):
        for method in ("GET", "POST"):
            with self.subTest(method):
                self.lab.quote("resilient", "provider_down")
                answer = self.lab.ask("/reset-lab", method=method)
                self.assertEqual((answer.status, answer.json["status"]), (200, "reset"), answer.text)
                self.assertIn("message", answer.json)
                self.assert_afresh()

    def test_is_on_the_disk_before_it_is_answered(self):
        self.assertIsNotNone(self.lab.stored_provider()["opened_until"])
        self.lab.ask("/reset-lab")
        self.assertIsNone(self.lab.stored_provider()["opened_until"])

    def test_closes_the_breaker_for_the_next_quote(self):
        self.lab.ask("/reset-lab")
        self.assertEqual(self.lab.quote("resilient")["status"], "completed")

    def test_is_not_done_by_head(self):
        answer = self.lab.ask("/reset-lab", method="HEAD")
        self.assertEqual(answer.status, 200)
        self.assert_untouched()

    def test_is_not_done_by_what_a_browser_sends_ahead_of_its_user(self):
        for purpose in ("prefetch", "prefetch;prerender", "prefetch;anonymous-client-ip"):
            with self.subTest(purpose):
                self.lab.ask("/reset-lab", headers={"Sec-Purpose": purpose})
                self.assert_untouched()

    def test_is_not_done_by_other_methods(self):
        for method in ("PUT", "DELETE", "PATCH", "OPTIONS"):
            with self.subTest(method):
                answer = self.lab.ask("/reset-lab", method=method)
                self.assertEqual(answer.status, 204 if method == "OPTIONS" else 405, answer.text)
                self.assertLessEqual({"GET", "HEAD", "POST"}, set(answer.header("Allow").replace(" ", "").split(",")))
                self.assert_untouched()

    def test_in_the_middle_of_quotes_leaves_no_count_behind_and_none_below_zero(self):
        storm = [self.lab.connect() for _ in range(5)]
        for connection in storm:
            self.addCleanup(connection.close)
            connection.send(request("/quote-legacy?scenario=flaky_provider"))
        wait_until(lambda: self.lab.in_flight() >= 10, 0.3, "five quotes and their calls are in flight")
        self.lab.ask("/reset-lab")
        self.assertEqual([connection.read_answer().status for connection in storm], [200] * 5)
        self.assertEqual(self.lab.in_flight(), 0)
        told = self.lab.json("/metrics")["modes"]["legacy"]
        self.assertEqual(told["successes"], 5, "they ended after the reset, and count")
        self.assertEqual(self.lab.circuit(), "closed")


class AFailureFromBeforeTheReset(SharedLabTest):
    settings = {"resilient_max_attempts": 1, "breaker_consecutive_failures": 1}  # Did it count, it would open.

    def test_does_not_open_the_breaker_afterwards(self):
        with self.lab.connect() as slow:
            slow.send(request("/quote-resilient?scenario=slow_provider"))
            wait_until(lambda: self.lab.in_flight() > 0, 0.2, "the attempt is under way")
            self.lab.ask("/reset-lab")
            self.assertNotIn("circuit_opened", slow.read_answer().text)
        self.assertEqual(self.lab.circuit(), "closed")
