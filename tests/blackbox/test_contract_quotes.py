"""What each mode makes of each scenario: the heart of the lab, one row of the table at a time.

The legacy rows share one lab, for legacy quotes do not change the breaker. Each resilient row has a lab of its own,
since one that opens the breaker would answer the others. All rows run side by side, so the file takes as long as
the slowest quote; the tests then look at what came.
"""
import re
from dataclasses import dataclass

from harness import Lab, LabTest, all_at_once, kinds
from timing import at_most_ms
from wire import request

KEYS = ["mode", "scenario", "status", "request_id", "trace_id", "customer_id", "items", "quote", "attempts", "retries",
        "timeout_count", "events", "dependency", "elapsed_ms", "timestamp_utc", "pid"]
DEPENDENCY_KEYS = ["name", "circuit_status", "consecutive_failures", "last_outcome", "last_latency_ms", "last_updated"]
TIMEOUT_MS = {"legacy": 360, "resilient": 220}
GIVEN_UP = ["attempt_failed", "backoff", "attempt_failed", "circuit_opened", "fallback_used"]
TIMER_MS = 2  # A timer may strike this much early by the measure of another clock.


@dataclass
class Row:
    mode: str
    scenario: str
    http_status: int
    status: str
    attempts: int
    failed: int
    source: str | None
    events: list
    least_ms: float
    most_ms: float
    circuit: str = "closed"
    answer: object = None

    @property
    def quote(self):
        return self.answer.json


ROWS = [
    Row("legacy", "ok", 200, "completed", 1, 0, "live", ["attempt_success"], 115, 150),
    Row("legacy", "slow_provider", 503, "failed", 4, 4, None, ["attempt_failed"] * 4, 1440, 1440),
    Row("legacy", "flaky_provider", 200, "completed", 2, 1, "live", ["attempt_failed", "attempt_success"], 510, 555),
    Row("legacy", "provider_down", 503, "failed", 4, 4, None, ["attempt_failed"] * 4, 1440, 1440),
    Row("legacy", "burst_then_recover", 200, "completed", 3, 2, "live",
        ["attempt_failed", "attempt_failed", "attempt_success"], 850, 900),
    Row("resilient", "ok", 200, "completed", 1, 0, "live", ["attempt_success"], 115, 150),
    Row("resilient", "flaky_provider", 200, "completed", 2, 1, "live",
        ["attempt_failed", "backoff", "attempt_success"], 465, 540),
    Row("resilient", "slow_provider", 200, "degraded", 2, 2, "fallback", GIVEN_UP, 535, 565, "open"),
    Row("resilient", "provider_down", 200, "degraded", 2, 2, "fallback", GIVEN_UP, 535, 565, "open"),
    Row("resilient", "burst_then_recover", 200, "degraded", 2, 2, "fallback", GIVEN_UP, 535, 565, "open"),
]


class EachModeAndScenario(LabTest):
    @classmethod
    def setUpClass(cls):
        shared = Lab()
        labs = [shared if row.mode == "legacy" else Lab() for row in ROWS]
        for lab in {shared, *labs}:
            cls.addClassCleanup(lab.close)
        paths = [f"/quote-{row.mode}?scenario={row.scenario}&customer_id=42&items=3" for row in ROWS]
        answers = all_at_once([lambda lab=lab, path=path: lab.ask(path) for lab, path in zip(labs, paths)])
        for row, answer in zip(ROWS, answers):
            row.answer = answer

    def named(self, row):
        return self.subTest(f"{row.mode} {row.scenario}")

    def test_has_every_key_in_order(self):
        for row in ROWS:
            with self.named(row):
                self.assertEqual(list(row.quote), KEYS, row.answer.text)
                self.assertEqual(list(row.quote["dependency"])[:6], DEPENDENCY_KEYS, row.answer.text)

    def test_ends_as_its_policy_has_it(self):
        for row in ROWS:
            with self.named(row):
                quote = row.quote
                self.assertEqual((row.answer.status, quote["status"]), (row.http_status, row.status), row.answer.text)
                self.assertEqual((quote["mode"], quote["scenario"]), (row.mode, row.scenario))
                self.assertEqual(quote["attempts"], row.attempts, row.answer.text)
                self.assertEqual(quote["retries"], row.attempts - 1, row.answer.text)
                self.assertEqual(quote["timeout_count"], row.failed, row.answer.text)
                self.assertEqual((quote["customer_id"], quote["items"]), (42, 3))

    def test_tells_its_events_in_the_order_they_happened(self):
        for row in ROWS:
            with self.named(row):
                self.assertEqual(kinds(row.quote), row.events, row.quote["events"])

    def test_takes_as_long_as_attempts_and_waits_take(self):
        for row in ROWS:
            with self.named(row):
                elapsed_ms = row.quote["elapsed_ms"]
                self.assertLessEqual(row.least_ms - TIMER_MS * row.attempts, elapsed_ms, row.answer.text)
                self.assertLessEqual(elapsed_ms, at_most_ms(row.most_ms), row.answer.text)
                self.assertLessEqual(elapsed_ms, row.answer.took_ms + 1)

    def test_cuts_an_attempt_at_the_timeout(self):
        for row in ROWS:
            with self.named(row):
                for event in row.quote["events"]:
                    if event["event"] != "attempt_failed":
                        continue
                    limit = TIMEOUT_MS[row.mode]
                    self.assertEqual(list(event), ["event", "attempt", "reason", "elapsed_ms"])
                    self.assertEqual(event["reason"], "timeout", event)
                    self.assertLessEqual(limit - TIMER_MS, event["elapsed_ms"], event)
                    self.assertLessEqual(event["elapsed_ms"], at_most_ms(limit), event)

    def test_numbers_its_attempts_from_one(self):
        for row in ROWS:
            with self.named(row):
                numbers = [event["attempt"] for event in row.quote["events"] if event["event"].startswith("attempt_")]
                self.assertEqual(numbers, list(range(1, row.attempts + 1)), row.quote["events"])

    def test_waits_before_a_retry_only_in_resilient_mode(self):
        for row in ROWS:
            with self.named(row):
                for event in row.quote["events"]:
                    if event["event"] == "backoff":
                        self.assertEqual(list(event), ["event", "attempt", "wait_ms"])
                        self.assertEqual(event["attempt"], 2)
                        self.assertTrue(95 <= event["wait_ms"] <= 125, event)

    def test_the_breaker_opens_at_two_failures_in_a_row(self):
        for row in (row for row in ROWS if row.circuit == "open"):
            with self.named(row):
                opened = {"event": "circuit_opened", "attempt": 2, "consecutive_failures": 2}
                self.assertIn(opened, row.quote["events"])

    def test_tells_the_breaker_and_the_run_of_failures(self):
        for row in (row for row in ROWS if row.mode == "resilient"):
            with self.named(row):
                told = row.quote["dependency"]
                self.assertEqual(told["name"], "carrier-gateway")
                self.assertEqual(told["circuit_status"], row.circuit, told)
                self.assertEqual(told["consecutive_failures"], 0 if row.source == "live" else row.failed, told)
                self.assertEqual(told["last_outcome"], "success" if row.source == "live" else "failure", told)

    def test_a_live_quote_is_new_and_priced(self):
        live = [row for row in ROWS if row.source == "live"]
        for row in live:
            with self.named(row):
                self.assertEqual(list(row.quote["quote"]), ["quote_id", "amount", "currency", "source"])
                self.assertRegex(row.quote["quote"]["quote_id"], r"^quote-[0-9a-f]{10}$")
                self.assertEqual((row.quote["quote"]["amount"], row.quote["quote"]["currency"]), (47.8, "USD"))
                self.assertEqual(row.quote["quote"]["source"], "live")
        self.assertEqual(len({row.quote["quote"]["quote_id"] for row in live}), len(live), "each has an id of its own")

    def test_without_a_live_quote_the_cached_one_is_given_or_none(self):
        for row in (row for row in ROWS if row.source != "live"):
            with self.named(row):
                if row.source is None:
                    self.assertIsNone(row.quote["quote"])
                    continue
                self.assertEqual(list(row.quote["quote"]), ["quote_id", "amount", "currency", "source", "cached_at"])
                self.assertEqual(row.quote["quote"]["quote_id"], "cached-quote-seed")
                self.assertEqual(row.quote["quote"]["source"], "fallback")

    def test_ids_are_well_formed_and_unique(self):
        for row in ROWS:
            with self.named(row):
                self.assertRegex(row.quote["request_id"], re.compile(r"^req-[0-9a-f]{8}$"))
                self.assertRegex(row.quote["trace_id"], re.compile(r"^trace-[0-9a-f]{8}$"))
        self.assertEqual(len({row.quote["request_id"] for row in ROWS}), len(ROWS))


class PoliciesAreSettings(LabTest):
    def test_a_call_that_fails_in_time_is_a_provider_error(self):
        lab = self.start_lab(legacy_timeout_ms=900, legacy_max_attempts=1)
        quote = lab.quote("legacy", "slow_provider")
        self.assertEqual([(event["event"], event["reason"]) for event in quote["events"]],
                         [("attempt_failed", "provider_error")], quote)
        self.assertTrue(640 - TIMER_MS <= quote["events"][0]["elapsed_ms"] <= at_most_ms(730), quote)

    def test_the_wait_doubles_with_each_retry(self):
        lab = self.start_lab(resilient_timeout_ms=20, resilient_max_attempts=4, resilient_backoff_base_ms=40,
                             jitter_min_ms=5, jitter_max_ms=10, breaker_consecutive_failures=10)
        quote = lab.quote("resilient", "slow_provider")
        waits = [event["wait_ms"] for event in quote["events"] if event["event"] == "backoff"]
        self.assertEqual(len(waits), 3, quote)
        for wait_ms, base_ms in zip(waits, (40, 80, 160)):
            self.assertTrue(base_ms + 5 <= wait_ms <= base_ms + 10, waits)

    def test_the_policies_told_are_the_ones_that_run(self):
        lab = self.start_lab(legacy_timeout_ms=50, legacy_max_attempts=2)
        policy = lab.json("/diagnostics/summary")["policies"]["legacy"]
        self.assertEqual((policy["timeout_ms"], policy["max_attempts"]), (50, 2))
        self.assertEqual(lab.quote("legacy", "provider_down")["attempts"], 2)


class SlowQuotes(LabTest):
    def test_hold_nobody_else_up(self):
        lab = self.start_lab()
        slow = [lab.connect() for _ in range(20)]
        for connection in slow:
            self.addCleanup(connection.close)
            connection.send(request("/quote-legacy?scenario=slow_provider"))
        health = lab.ask("/health")
        self.assertEqual(health.status, 200)
        self.assertLess(health.took_ms, at_most_ms(0))
        self.assertEqual([connection.read_answer().status for connection in slow], [503] * 20)
