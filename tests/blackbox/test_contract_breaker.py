"""The breaker seen from outside: what opens it, what it says, and what a client gets meanwhile.

How it comes back (half-open, probes) is in test_contract_half_open.py. Here the open period is the default 30 s, so
that nothing closes it behind a test's back.
"""
from harness import LabTest, SharedLabTest, breaker_states, kinds
from timing import at_most_ms, now_ms, wait_for_moment
from wire import ask_at_once, request

SLOW = "/quote-resilient?scenario=slow_provider"


class AnOpenBreaker(SharedLabTest):
    def setUp(self):
        super().setUp()
        self.opening = self.lab.quote("resilient", "provider_down")

    def test_answers_from_the_cache_at_once_without_an_attempt(self):
        for scenario in ("ok", "slow_provider", "flaky_provider", "provider_down", "burst_then_recover"):
            with self.subTest(scenario):
                answer = self.lab.ask(f"/quote-resilient?scenario={scenario}")
                quote = answer.json
                self.assertEqual((answer.status, quote["status"], quote["attempts"]), (200, "degraded", 0), quote)
                self.assertEqual(quote["events"], [{"event": "circuit_open", "action": "short_circuit", "attempt": 0}])
                self.assertEqual((quote["quote"]["source"], quote["retries"]), ("fallback", 0), quote)
                self.assertEqual(quote["dependency"]["circuit_status"], "open")
                self.assertLess(quote["elapsed_ms"], at_most_ms(0))

    def test_is_told_everywhere(self):
        self.lab.quote("resilient")
        state = self.lab.json("/dependency/state")
        self.assertEqual((state["circuit_status"], state["open_events"], state["short_circuit_count"]), ("open", 1, 1))
        scrape = self.lab.scrape()
        self.assertEqual(scrape.value("dependency_circuit_open", provider="carrier-gateway"), 1)
        self.assertEqual(breaker_states(scrape), {"closed": 0, "open": 1, "half_open": 0})
        self.assertEqual(scrape.total("quote_lab_breaker_transitions_total", **{"from": "closed", "to": "open"}), 1)
        self.assertEqual(scrape.total("quote_lab_breaker_rejected_total"), 1)
        self.assertEqual(self.lab.json("/metrics")["modes"]["resilient"]["circuit_opens"], 1)

    def test_lets_legacy_quotes_through_and_is_not_closed_by_their_success(self):
        quote = self.lab.quote("legacy")
        self.assertEqual(quote["status"], "completed")
        self.assertEqual(quote["dependency"]["circuit_status"], "open", quote)
        self.assertEqual(quote["dependency"]["consecutive_failures"], 0, "but the run of failures is over")
        self.assertEqual(self.lab.quote("resilient")["attempts"], 0)

    def test_keeps_its_end_while_legacy_quotes_fail(self):
        until = self.lab.json("/dependency/state")["opened_until"]
        self.lab.quote("legacy", "slow_provider")
        state = self.lab.json("/dependency/state")
        self.assertEqual((state["opened_until"], state["open_events"]), (until, 1))


class TheRunOfFailures(SharedLabTest):
    def test_of_legacy_quotes_never_opens_the_breaker(self):
        quote = self.lab.quote("legacy", "provider_down")
        self.assertEqual(quote["dependency"]["consecutive_failures"], 4)
        self.assertEqual(quote["dependency"]["circuit_status"], "closed")

    def test_counts_both_modes_so_the_next_resilient_failure_opens(self):
        self.lab.quote("legacy", "provider_down")
        quote = self.lab.quote("resilient", "provider_down")
        self.assertEqual(kinds(quote), ["attempt_failed", "circuit_opened", "fallback_used"])
        self.assertEqual(quote["events"][1], {"event": "circuit_opened", "attempt": 1, "consecutive_failures": 5})
        self.assertEqual((quote["status"], quote["attempts"]), ("degraded", 1))

    def test_ends_with_any_success(self):
        for mode in ("legacy", "resilient"):
            with self.subTest(mode):
                self.lab.ask("/reset-lab")
                self.lab.quote("legacy", "provider_down")
                self.assertEqual(self.lab.quote(mode)["dependency"]["consecutive_failures"], 0)
                self.assertEqual(self.lab.quote("resilient", "flaky_provider")["status"], "completed")


class TheFallback(SharedLabTest):
    def test_is_the_last_live_quote(self):
        for mode in ("legacy", "resilient"):
            with self.subTest(f"came by {mode}"):
                self.lab.ask("/reset-lab")
                live = self.lab.quote(mode)
                given = self.lab.quote("resilient", "provider_down")["quote"]
                self.assertEqual(given["quote_id"], live["quote"]["quote_id"], given)
                self.assertEqual((given["amount"], given["currency"], given["source"]), (47.8, "USD", "fallback"))
                cached = self.lab.json("/dependency/state")["fallback_quote"]
                self.assertEqual((cached["quote_id"], cached["source"]), (live["quote"]["quote_id"], "cached"))
                self.assertEqual(cached["cached_at"], given["cached_at"])
                self.assertLessEqual(cached["cached_at"], live["timestamp_utc"], "it was cached when it came")


class ManyCallsAtOnce(LabTest):
    def test_twenty_that_fail_together_open_it_once_and_leave_its_end_alone(self):
        lab = self.start_lab()
        connections = [lab.connect() for _ in range(20)]
        for connection in connections:
            self.addCleanup(connection.close)
            connection.send(request(SLOW))
        first = connections[0].read_answer().json
        until = lab.json("/dependency/state")["opened_until"]
        quotes = [first] + [connection.read_answer().json for connection in connections[1:]]
        state = lab.json("/dependency/state")
        self.assertEqual({quote["status"] for quote in quotes}, {"degraded"})
        self.assertEqual(sum(kinds(quote).count("circuit_opened") for quote in quotes), 1)
        self.assertEqual((state["open_events"], state["opened_until"]), (1, until), "one opening, its end not moved")
        self.assertEqual(lab.json("/metrics")["modes"]["resilient"]["circuit_opens"], 1)
        self.assertGreater(lab.scrape().total("quote_lab_breaker_stale_results_total"), 0, "the stragglers are told")

    def test_a_success_of_a_call_from_before_the_trip_does_not_close_it(self):
        # Two attempts fail together at 160 ms; the success begins after 100 ms and ends at 215 to 250. Should the
        # machine be so busy that it was not let through before the trip, nothing was shown, and it is tried again.
        lab = self.start_lab(resilient_timeout_ms=160)
        for _ in range(20):
            lab.ask("/reset-lab")
            with lab.connect() as one, lab.connect() as two, lab.connect() as straggler:
                began = now_ms()
                one.send(request(SLOW))
                two.send(request(SLOW))
                wait_for_moment(began + 100)
                straggler.send(request("/quote-resilient?scenario=ok"))
                late = straggler.read_answer().json
                tripped = "circuit_opened" in kinds(one.read_answer().json) + kinds(two.read_answer().json)
            if tripped and late["attempts"] == 1 and late["status"] == "completed":
                break
        else:
            self.fail(f"no success ever straddled a trip; the last was {late}")
        self.assertEqual(late["dependency"]["circuit_status"], "open", late)
        self.assertEqual(lab.circuit(), "open")
        self.assertEqual(lab.quote("resilient")["attempts"], 0)

    def test_all_are_short_circuited_while_it_is_open(self):
        lab = self.start_lab()
        lab.quote("resilient", "provider_down")
        answers = ask_at_once(lab.port, ["/quote-resilient?scenario=ok"] * 200)
        self.assertEqual([answer.json["attempts"] for answer in answers], [0] * 200)
        self.assertEqual(lab.json("/dependency/state")["short_circuit_count"], 200)
