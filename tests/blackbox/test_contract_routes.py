"""The plain routes: what each answers, in which shape. Quotes, telemetry and the rest have files of their own."""
import re

from harness import MODES, SCENARIOS, SharedLabTest
from timing import epoch_ms

ISO = re.compile(r"^\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d\.\d{3}Z$")
TAIL = ["elapsed_ms", "timestamp_utc", "pid"]
PROVIDER_KEYS = ["name", "consecutive_failures", "opened_until", "last_outcome", "last_latency_ms", "last_updated",
                 "open_events", "short_circuit_count", "fallback_quote"]
SUMMARY_KEYS = ["requests_tracked", "sample_count", "avg_ms", "p95_ms", "p99_ms", "max_ms", "last_path", "last_status",
                "last_updated", "status_counts", "modes", "routes", "recent_incidents"]
# A route, its status, and the keys its body begins with, in this order.
JSON_ROUTES = [
    ("/", 200, ["lab", "case", "stack", "goal", "routes", "allowed_scenarios"]),
    ("/health", 200, ["status", "stack"]),
    ("/quote-legacy", 200, ["mode", "scenario", "status"]),
    ("/quote-resilient", 200, ["mode", "scenario", "status"]),
    ("/dependency/state", 200, PROVIDER_KEYS + ["circuit_status"]),
    ("/incidents", 200, ["limit", "incidents"]),
    ("/diagnostics/summary", 200, ["case", "stack", "metrics", "dependency", "policies"]),
    ("/metrics", 200, ["case", "stack"] + SUMMARY_KEYS),
    ("/reset-lab", 200, ["status", "message"]),
    ("/no-such-route", 404, ["error", "path"]),
]


class EveryJsonRoute(SharedLabTest):
    def test_has_its_keys_in_order_and_ends_with_the_tail(self):
        for path, status, keys in JSON_ROUTES:
            with self.subTest(path):
                answer = self.lab.ask(path)
                self.assertEqual(answer.status, status, answer.text)
                self.assertEqual([key for key in answer.json if key in keys], keys, answer.text)
                self.assertEqual(list(answer.json)[: len(keys)], keys, answer.text)
                self.assertEqual(list(answer.json)[-3:], TAIL, answer.text)

    def test_is_utf8_json_indented_by_two_without_a_last_newline(self):
        for path, _, _ in JSON_ROUTES:
            with self.subTest(path):
                answer = self.lab.ask(path)
                self.assertEqual(answer.header("Content-Type"), "application/json; charset=utf-8")
                self.assertRegex(answer.text, r'\A\{\n  "')
                self.assertTrue(answer.text.endswith("\n}"), repr(answer.text[-20:]))

    def test_tells_the_process_the_time_and_how_long_it_took(self):
        for path, _, _ in JSON_ROUTES:
            with self.subTest(path):
                answer = self.lab.ask(path)
                self.assertEqual(answer.json["pid"], self.lab.process.pid)
                self.assertRegex(answer.json["timestamp_utc"], ISO)
                self.assertLessEqual(0, answer.json["elapsed_ms"])
                self.assertLessEqual(answer.json["elapsed_ms"], answer.took_ms + 1)

    def test_gives_milliseconds_with_two_decimals_at_most(self):
        self.lab.quote("resilient", "provider_down")
        for path, _, _ in JSON_ROUTES:
            with self.subTest(path):
                text = self.lab.ask(path).text
                long = re.findall(r'"\w+_ms": -?\d+\.\d{3,}|"\w+_ms": [^,\n]*e[^,\n]*', text)
                self.assertEqual(long, [])


class TheRoutes(SharedLabTest):
    def test_root_lists_the_routes_and_the_scenarios(self):
        root = self.lab.json("/")
        self.assertEqual(root["allowed_scenarios"][:5], list(SCENARIOS))
        told = " ".join(root["routes"])
        for path in ("/health", "/quote-legacy", "/quote-resilient", "/dependency/state", "/incidents",
                     "/diagnostics/summary", "/metrics", "/metrics-prometheus", "/reset-lab"):
            self.assertIn(path, told)

    def test_root_is_a_page_only_for_who_prefers_html(self):
        browser = "text/html,application/xhtml+xml,application/xml;q=0.9,*/*;q=0.8"
        wanted = {browser: "text/html", "text/html": "text/html", "*/*": "application/json",
                  "application/json": "application/json", "application/json,text/html;q=0.5": "application/json"}
        for accept, kind in wanted.items():
            with self.subTest(accept):
                answer = self.lab.ask("/", headers={"Accept": accept})
                self.assertTrue(answer.header("Content-Type").startswith(kind), answer.header("Content-Type"))

    def test_the_page_links_the_routes_and_shows_the_breaker(self):
        self.lab.quote("resilient", "provider_down")
        page = self.lab.ask("/", headers={"Accept": "text/html"})
        self.assertEqual(page.status, 200)
        for path in ("health", "quote-legacy", "quote-resilient", "dependency/state", "incidents", "metrics"):
            self.assertRegex(page.text, rf'href="[^"]*{path}')
        self.assertRegex(page.text, r"(?i)breaker")

    def test_health_is_ok_and_tells_of_the_storage(self):
        health = self.lab.json("/health")
        self.assertEqual(health["status"], "ok")
        self.assertEqual(health["storage"]["status"], "ok")

    def test_state_of_a_fresh_lab(self):
        state = self.lab.json("/dependency/state")
        fallback = state.pop("fallback_quote")
        cached_at = fallback.pop("cached_at")
        self.assertRegex(cached_at, ISO)
        self.assertEqual(fallback, {"quote_id": "cached-quote-seed", "amount": 47.8, "currency": "USD",
                                    "source": "cached"})
        self.assertEqual({key: state[key] for key in PROVIDER_KEYS[:-1] + ["circuit_status"]}, {
            "name": "carrier-gateway", "consecutive_failures": 0, "opened_until": None, "last_outcome": "unknown",
            "last_latency_ms": 0, "last_updated": None, "open_events": 0, "short_circuit_count": 0,
            "circuit_status": "closed"})

    def test_state_of_an_open_breaker_tells_when_it_ends(self):
        before = epoch_ms()
        self.lab.quote("resilient", "provider_down")
        after = epoch_ms()
        state = self.lab.json("/dependency/state")
        self.assertEqual((state["circuit_status"], state["open_events"], state["last_outcome"]), ("open", 1, "failure"))
        self.assertTrue(before + 30000 <= state["opened_until"] <= after + 30001, state)
        self.assertEqual(state["opened_until"], int(state["opened_until"]))

    def test_summary_repeats_metrics_and_state_and_tells_the_policies(self):
        self.lab.quote("legacy")
        summary = self.lab.json("/diagnostics/summary")
        self.assertEqual(list(summary["metrics"])[: len(SUMMARY_KEYS)], SUMMARY_KEYS)
        self.assertEqual([key for key in summary["dependency"] if key in PROVIDER_KEYS], PROVIDER_KEYS)
        self.assertEqual(summary["dependency"]["circuit_status"], "closed")
        told = {"timeout_ms": (360, 220), "max_attempts": (4, 2), "backoff_base_ms": (0, 80),
                "use_circuit_breaker": (False, True), "allow_fallback": (False, True)}
        for key, values in told.items():
            self.assertEqual(tuple(summary["policies"][mode][key] for mode in MODES), values, key)

    def test_an_unknown_path_is_told_without_its_query(self):
        answer = self.lab.ask("/no-such-route?x=1")
        self.assertEqual(answer.status, 404)
        self.assertEqual(answer.json["path"], "/no-such-route")

    def test_prometheus_text_has_its_content_type(self):
        answer = self.lab.ask("/metrics-prometheus")
        self.assertEqual(answer.header("Content-Type"), "text/plain; version=0.0.4; charset=utf-8")
