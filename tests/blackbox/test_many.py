"""Many quotes at once, and many calls on the edge of their timeout: the lab's own speed and its book-keeping.

The bounds are the lab's promise on an idle machine. What the client costs is kept out of them as far as it goes: the
connections are made beforehand, and answers are read in order out of the kernel's buffers.
"""
from harness import LabTest
from timing import now_ms, slack
from wire import request

STORM = request("/quote-legacy?scenario=slow_provider")


class AThousandSlowQuotes(LabTest):
    # Four attempts of 360 ms are 1440. The 200 ms above the promised 1600 are for the client, which shares the
    # machine's two cores with the lab: it sends and reads a thousand times in that span.
    BOUND_MS = 1440 + slack(160 + 200)

    def test_at_once_all_end_when_one_would(self):
        lab = self.start_lab()
        # The best of three tells what the lab can do; the others tell what else the machine was doing.
        took_ms = [self.storm(lab)]
        while min(took_ms) > self.BOUND_MS and len(took_ms) < 3:
            took_ms.append(self.storm(lab))
        self.assertLess(min(took_ms), self.BOUND_MS, took_ms)
        scrape = lab.scrape()
        self.assertEqual(scrape.value("quote_lab_attempts_total", mode="legacy"), 4000 * len(took_ms))
        self.assertEqual(scrape.value("app_flow_failure_total", mode="legacy"), 1000 * len(took_ms))
        self.assertEqual(lab.in_flight(), 0)

    def storm(self, lab):
        """A thousand quotes at once; gives how long it took until the last was answered."""
        connections = [lab.connect(timeout_s=30) for _ in range(1000)]
        try:
            began = now_ms()
            for connection in connections:
                connection.send(STORM)
            statuses = [connection.read_answer().status for connection in connections]
            took_ms = now_ms() - began
        finally:
            for connection in connections:
                connection.close()
        self.assertEqual(statuses, [503] * 1000)
        return took_ms


class TenThousandCallsThatLastAsLongAsTheirTimeout(LabTest):
    def test_are_each_counted_once(self):
        # provider_down answers after exactly 1000 ms: every call is a race between its end and its timeout.
        lab = self.start_lab(legacy_timeout_ms=1000, legacy_max_attempts=4)
        connections = [lab.connect(timeout_s=60) for _ in range(1250)]
        for connection in connections:
            self.addCleanup(connection.close)
            connection.send(request("/quote-legacy?scenario=provider_down") * 2)
        quotes = [connection.read_answer().json for connection in connections for _ in range(2)]
        reasons = [event["reason"] for quote in quotes for event in quote["events"]]
        self.assertEqual(len(reasons), 10_000)
        self.assertLessEqual(set(reasons), {"timeout", "provider_error"})
        self.assert_adds_up(lab)

    def assert_adds_up(self, lab):
        scrape, told = lab.scrape(), lab.json("/metrics")["modes"]["legacy"]
        self.assertEqual((told["attempts_total"], told["retries_total"]), (10_000, 7_500))
        self.assertEqual((told["timeouts_total"], told["failures"], told["cancelled"]), (10_000, 2_500, 0))
        self.assertEqual(scrape.total("quote_lab_attempt_duration_seconds_count", mode="legacy"), 10_000)
        self.assertEqual(scrape.value("quote_lab_quote_duration_seconds_count", mode="legacy"), 2_500)
        self.assertEqual(lab.in_flight(), 0)
        self.assertEqual(lab.json("/dependency/state")["consecutive_failures"], 10_000)
