"""SIGTERM: no new work, what is under way ends, what is known is written, and exit 0 comes soon."""
import json
import signal

from harness import LabTest
from timing import at_most_ms, now_ms, slack, wait_until
from wire import ConnectionEnded, request

STORM = "/quote-legacy?scenario=slow_provider"


class SigTerm(LabTest):
    def start_quote(self, lab, path=STORM):
        connection = lab.connect()
        self.addCleanup(connection.close)
        connection.send(request(path))
        wait_until(lambda: lab.in_flight() == 2, 1, "the quote is under way")
        return connection

    def assert_ends_within(self, lab, seconds, number=signal.SIGTERM):
        began = now_ms()
        self.assertEqual(lab.stop(number), 0, lab.lines)
        self.assertLess(now_ms() - began, slack(seconds * 1000))

    def test_with_nobody_there_ends_at_once(self):
        for number in (signal.SIGTERM, signal.SIGINT):
            with self.subTest(number):
                lab = self.start_lab()
                self.assert_ends_within(lab, 1, number)
                self.assertEqual([record["event"] for record in lab.events()][-1], "stopped")
                self.assertTrue(lab.events("draining"))

    def test_is_not_held_up_by_idle_connections(self):
        lab = self.start_lab()
        idle = [lab.connect() for _ in range(10)]
        for connection in idle:
            self.addCleanup(connection.close)
            self.assertEqual(connection.ask("/health").status, 200)
        self.assert_ends_within(lab, 1)
        for connection in idle:
            self.assertEqual(connection.read_to_close(), b"")

    def test_is_not_held_up_by_a_request_that_was_never_finished(self):
        for sent in (b"GET /health HTT", request("/reset-lab", method="POST", body=b"hello")[:-1]):
            with self.subTest(sent[:20]):
                lab = self.start_lab()
                half = lab.connect()
                self.addCleanup(half.close)
                half.send(sent)
                lab.ask("/health")  # What was sent before has been read by now.
                self.assert_ends_within(lab, 1)

    def test_is_not_held_up_by_a_client_that_has_not_read_to_the_end_of_a_refusal(self):
        lab = self.start_lab(linger_timeout_ms=200)
        refused = lab.connect()
        self.addCleanup(refused.close)
        self.assertTrue(refused.ask("/" + "a" * 9000).closes)
        self.assert_ends_within(lab, 1)

    def test_lets_a_quote_end_and_then_closes(self):
        lab = self.start_lab()
        connection = self.start_quote(lab)
        lab.send_signal()
        answer = connection.read_answer()
        self.assertEqual((answer.status, answer.json["attempts"], answer.closes), (503, 4, True), answer.text)
        self.assertEqual(connection.read_to_close(), b"")
        self.assertEqual(lab.stop(), 0)

    def test_takes_no_new_work(self):
        lab = self.start_lab()
        connection = self.start_quote(lab)
        kept = lab.connect()
        self.addCleanup(kept.close)
        kept.ask("/health")
        lab.send_signal()
        wait_until(lambda: lab.events("draining"), 1, "it drains")
        connection.send(request("/quote-legacy?scenario=ok"))  # Pipelined behind the quote that is under way.
        with self.assertRaises((ConnectionEnded, ConnectionRefusedError, ConnectionResetError)):
            lab.ask("/health")
        self.assertEqual(kept.read_to_close(), b"")
        self.assertEqual(connection.read_answer().json["attempts"], 4)
        self.assertEqual(connection.read_to_close(), b"", "the pipelined one is not run")
        self.assertEqual(lab.stop(), 0)

    def test_cancels_what_outlasts_the_drain_time(self):
        lab = self.start_lab(drain_time_ms=300)
        connection = self.start_quote(lab)
        began = now_ms()
        self.assertEqual(lab.stop(), 0)
        self.assertTrue(295 <= now_ms() - began <= at_most_ms(300 + 200), now_ms() - began)
        answer = connection.read_answer()
        self.assertEqual((answer.status, answer.closes), (503, True), answer.text)
        incident = json.loads(lab.telemetry_path.read_text())["recent_incidents"][-1]
        self.assertEqual(incident["status"], "cancelled", "its end is on the disk too")

    def test_writes_what_is_known(self):
        lab = self.start_lab(flush_interval_ms=60_000)  # Only the end can have written it.
        lab.quote("legacy")
        lab.quote("legacy", "provider_down")
        told, state = lab.json("/metrics"), lab.json("/dependency/state")
        self.assertEqual(lab.stop(), 0)
        telemetry = json.loads(lab.telemetry_path.read_text())
        self.assertEqual(telemetry["modes"]["legacy"]["attempts_total"], 5)
        self.assertEqual(telemetry["requests"], told["requests_tracked"] + 1, "the look at the state")
        self.assertEqual(lab.stored_provider()["consecutive_failures"], state["consecutive_failures"])

    def test_twice_is_no_crash(self):
        lab = self.start_lab()
        self.start_quote(lab)
        lab.send_signal()
        wait_until(lambda: lab.events("draining"), 1, "it drains")
        self.assert_ends_within(lab, 2)

    def test_under_load_loses_no_answer_that_was_begun(self):
        lab = self.start_lab()
        connections = [lab.connect() for _ in range(100)]
        for connection in connections:
            self.addCleanup(connection.close)
            connection.send(request("/quote-legacy?scenario=flaky_provider"))
        wait_until(lambda: lab.scrape().total("quote_lab_quotes_in_flight") == 100, 0.4, "all are under way")
        lab.send_signal()
        answers = [connection.read_answer() for connection in connections]
        self.assertEqual({(answer.status, answer.closes) for answer in answers}, {(200, True)})
        self.assertEqual(lab.stop(), 0)
