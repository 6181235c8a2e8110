"""How an open breaker comes back: half-open, probes, and what becomes of those that are not the probe.

The open period is set to half a second here, so that its end can be waited for.
"""
from harness import SharedLabTest, breaker_states, kinds
from timing import at_most_ms, epoch_ms, slack, wait_until
from wire import ask_at_once, request

OPEN_MS = 500
OK = "/quote-resilient?scenario=ok"
SLOW = "/quote-resilient?scenario=slow_provider"


class HalfOpen(SharedLabTest):
    settings = {"breaker_open_ms": OPEN_MS}

    def setUp(self):
        super().setUp()
        self.lab.quote("resilient", "provider_down")
        self.until = self.lab.json("/dependency/state")["opened_until"]
        self.wait_for_half_open()

    def wait_for_half_open(self):
        wait_until(lambda: self.lab.circuit() == "half_open", OPEN_MS / 1000 + 1, "the breaker is half-open")

    def transitions(self, origin, target):
        return self.lab.scrape().total("quote_lab_breaker_transitions_total", **{"from": origin, "to": target})

    def test_comes_when_the_period_is_over_and_not_before(self):
        late_ms = epoch_ms() - self.until
        self.assertLessEqual(-2, late_ms, "it came early")
        self.assertLessEqual(late_ms, at_most_ms(0), "it came late")

    def test_is_told_everywhere(self):
        state = self.lab.json("/dependency/state")
        self.assertEqual((state["circuit_status"], state["opened_until"]), ("half_open", None))
        scrape = self.lab.scrape()
        self.assertEqual(scrape.value("dependency_circuit_open", provider="carrier-gateway"), 0)
        self.assertEqual(breaker_states(scrape), {"closed": 0, "open": 0, "half_open": 1})
        self.assertEqual(self.transitions("open", "half_open"), 1)

    def test_a_probe_that_succeeds_closes_it(self):
        quote = self.lab.quote("resilient")
        self.assertEqual((quote["status"], quote["attempts"]), ("completed", 1), quote)
        self.assertEqual(quote["dependency"]["circuit_status"], "closed", quote)
        self.assertEqual(self.transitions("half_open", "closed"), 1)
        self.assertEqual(self.lab.scrape().value("quote_lab_breaker_state", state="closed"), 1)

    def test_a_probe_that_fails_opens_it_for_a_whole_period(self):
        before = epoch_ms()
        quote = self.lab.quote("resilient", "slow_provider")
        after = epoch_ms()
        self.assertEqual(kinds(quote), ["attempt_failed", "circuit_opened", "fallback_used"], quote)
        self.assertEqual((quote["status"], quote["attempts"]), ("degraded", 1), "the opening ends the attempts")
        state = self.lab.json("/dependency/state")
        self.assertEqual((state["circuit_status"], state["open_events"]), ("open", 2))
        self.assertLessEqual(before + 220 + OPEN_MS - 3, state["opened_until"])
        self.assertLessEqual(state["opened_until"], after + OPEN_MS + 3)
        self.assertEqual(self.transitions("half_open", "open"), 1)

    def test_of_thirty_calls_at_once_one_is_the_probe(self):
        quotes = [answer.json for answer in ask_at_once(self.lab.port, [OK] * 30)]
        self.assertEqual(sorted(quote["attempts"] for quote in quotes), [0] * 29 + [1])
        for quote in quotes:
            if quote["attempts"] == 0:
                self.assertEqual(kinds(quote), ["circuit_open"], quote)
                self.assertLess(quote["elapsed_ms"], at_most_ms(0), "they are not kept waiting for the probe")
        self.assertEqual(self.lab.circuit(), "closed")

    def test_stays_while_the_probe_is_under_way(self):
        with self.lab.connect() as probe:
            probe.send(request(SLOW))
            wait_until(lambda: self.lab.in_flight() > 0, 0.2, "the probe is under way")
            refused = self.lab.quote("resilient")
            self.assertEqual(refused["attempts"], 0, refused)
            self.assertEqual(refused["dependency"]["circuit_status"], "half_open", refused)
            probe.read_answer()

    def test_a_client_that_leaves_during_the_probe_makes_the_next_call_the_probe(self):
        with self.lab.connect() as probe:
            probe.send(request(SLOW))
            wait_until(lambda: self.lab.in_flight() > 0, 0.2, "the probe is under way")
        wait_until(lambda: self.lab.in_flight() == 0, 0.1, "the probe is cancelled")
        self.assertEqual(self.lab.circuit(), "half_open", "a probe that was cancelled neither closes nor opens")
        quote = self.lab.quote("resilient")
        self.assertEqual((quote["attempts"], quote["status"]), (1, "completed"), quote)
        self.assertEqual(self.lab.circuit(), "closed")

    def test_legacy_quotes_are_no_probes(self):
        self.assertEqual(self.lab.quote("legacy")["dependency"]["circuit_status"], "half_open")
        self.assertEqual(self.lab.quote("legacy", "provider_down")["dependency"]["circuit_status"], "half_open")
        self.assertEqual(self.lab.quote("resilient")["status"], "completed")

    def test_each_transition_goes_on_from_the_one_before(self):
        self.lab.quote("resilient", "slow_provider")
        self.wait_for_half_open()
        self.lab.quote("resilient")
        wanted = [("closed", "open"), ("open", "half_open"), ("half_open", "open"), ("open", "half_open"),
                  ("half_open", "closed")]
        wait_until(lambda: self.logged_steps()[-5:] == wanted, 2, "the log has each of them, in order")

    def logged_steps(self):
        return [(event["from"], event["to"]) for event in self.lab.events("transition")]


class TheOpenPeriod(SharedLabTest):
    settings = {"breaker_open_ms": OPEN_MS}

    def test_is_over_for_a_quote_that_comes_first_without_anybody_looking(self):
        self.lab.quote("resilient", "provider_down")
        told = wait_until(lambda: next((quote for quote in [self.lab.quote("resilient")] if quote["attempts"]), None),
                          OPEN_MS / 1000 + slack(1), "a quote is let through again", every_s=0.02)
        self.assertEqual((told["status"], told["dependency"]["circuit_status"]), ("completed", "closed"), told)
