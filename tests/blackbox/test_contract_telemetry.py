"""What is counted and kept: the summary of /metrics, the incidents, and what neither may be spoiled by."""
import json
import math

from harness import Lab, LabTest, SharedLabTest, all_at_once
from timing import wait_until

MODE_KEYS = ["successes", "failures", "attempts_total", "retries_total", "timeouts_total", "fallbacks_used",
             "circuit_opens", "short_circuits", "by_scenario"]
INCIDENT_KEYS = ["mode", "scenario", "status", "http_status", "attempts", "retries", "timeout_count", "fallback_used",
                 "short_circuited", "elapsed_ms", "timestamp_utc", "request_id", "trace_id", "customer_id", "items",
                 "events"]


class Counters(SharedLabTest):
    def mode(self, name):
        return self.lab.json("/metrics")["modes"][name]

    def test_of_a_storm(self):
        self.lab.quote("legacy", "slow_provider")
        told = self.mode("legacy")
        self.assertEqual([key for key in told if key in MODE_KEYS], MODE_KEYS)
        self.assertEqual([told[key] for key in MODE_KEYS[:-1]], [0, 1, 4, 3, 4, 0, 0, 0], told)
        self.assertEqual(told["by_scenario"], {"slow_provider": {"successes": 0, "failures": 1}})

    def test_of_a_trip_and_a_short_circuit(self):
        self.lab.quote("resilient", "provider_down")
        self.lab.quote("resilient", "ok")
        told = self.mode("resilient")
        self.assertEqual([told[key] for key in MODE_KEYS[:-1]], [0, 2, 2, 1, 2, 2, 1, 1], told)
        self.assertEqual(told["by_scenario"], {"provider_down": {"successes": 0, "failures": 1},
                                               "ok": {"successes": 0, "failures": 1}})

    def test_of_successes(self):
        all_at_once([lambda mode=mode: self.lab.quote(mode) for mode in ("legacy", "resilient", "legacy")])
        self.assertEqual((self.mode("legacy")["successes"], self.mode("resilient")["successes"]), (2, 1))
        self.assertEqual(self.mode("legacy")["failures"], 0)

    def test_leave_out_metrics_scrapes_and_resets(self):
        for path in ("/metrics", "/metrics-prometheus", "/reset-lab", "/metrics"):
            self.lab.ask(path)
        self.assertEqual(self.lab.json("/metrics")["requests_tracked"], 0)
        for path in ("/", "/health", "/incidents", "/dependency/state", "/diagnostics/summary", "/nowhere"):
            self.lab.ask(path)
        told = self.lab.json("/metrics")
        self.assertEqual((told["requests_tracked"], told["sample_count"]), (6, 6))

    def test_of_statuses_by_class(self):
        for path in ("/health", "/nowhere", "/nowhere", "/quote-legacy?scenario=provider_down"):
            self.lab.ask(path)
        self.assertEqual(self.lab.json("/metrics")["status_counts"], {"2xx": 1, "4xx": 2, "5xx": 1})

    def test_tell_the_last_request(self):
        self.lab.ask("/quote-legacy?scenario=provider_down")
        told = self.lab.json("/metrics")
        self.assertEqual((told["last_path"], told["last_status"]), ("/quote-legacy", 503), "the path without its query")
        self.assertRegex(told["last_updated"], r"^\d{4}-\d\d-\d\dT[\d:.]{12}Z$")


class Routes(SharedLabTest):
    def test_are_sorted_and_hold_their_latencies(self):
        for path in ("/quote-resilient", "/health", "/health", "/dependency/state"):
            self.lab.ask(path)
        routes = self.lab.json("/metrics")["routes"]
        self.assertEqual(list(routes), ["/dependency/state", "/health", "/quote-resilient"])
        self.assertEqual(routes["/health"]["count"], 2)
        quote = routes["/quote-resilient"]
        self.assertEqual(list(quote), ["count", "avg_ms", "p95_ms", "p99_ms", "max_ms"])
        self.assertEqual(quote["avg_ms"], quote["max_ms"])
        self.assertLessEqual(113, quote["max_ms"])

    def test_share_one_entry_for_all_paths_that_are_none(self):
        for path in ("/nowhere", "/a/b", "/%FF", "//health", "/wp-login.php?x=1"):
            self.lab.ask(path)
        routes = self.lab.json("/metrics")["routes"]
        self.assertEqual(list(routes), ["(unmatched)"])
        self.assertEqual(routes["(unmatched)"]["count"], 5)


class Latencies(LabTest):
    def test_percentiles_are_the_values_at_their_rank(self):
        lab = self.start_lab()
        all_at_once([lambda: lab.quote("legacy") for _ in range(30)])
        for _ in range(20):
            lab.ask("/health")
        told = lab.json("/metrics")
        self.assertEqual(lab.stop(), 0)
        samples = self.stored_samples(lab)
        self.assertEqual((told["sample_count"], len(samples)), (50, 50))
        for percent in (95, 99):
            self.assertEqual(told[f"p{percent}_ms"], samples[math.ceil(percent / 100 * 50) - 1])
        self.assertEqual(told["max_ms"], samples[-1])
        self.assertAlmostEqual(told["avg_ms"], sum(samples) / 50, delta=0.011)

    @staticmethod
    def stored_samples(lab):
        return sorted(json.loads(lab.telemetry_path.read_text())["samples_ms"])


class Incidents(SharedLabTest):
    def test_tell_one_quote_each_newest_first(self):
        storm = self.lab.quote("legacy", "slow_provider")
        calm = self.lab.quote("resilient")
        told = self.lab.json("/incidents?limit=2")
        self.assertEqual([each["mode"] for each in told["incidents"]], ["resilient", "legacy"])
        for incident, quote in zip(told["incidents"], (calm, storm)):
            self.assertEqual(list(incident), INCIDENT_KEYS)
            for key in ("scenario", "status", "attempts", "retries", "timeout_count", "request_id", "trace_id",
                        "customer_id", "items", "events"):
                self.assertEqual(incident[key], quote[key], key)
        self.assertEqual([each["http_status"] for each in told["incidents"]], [200, 503])
        self.assertEqual(self.lab.json("/metrics")["recent_incidents"], told["incidents"])

    def test_tell_a_short_circuit_and_its_fallback(self):
        self.lab.quote("resilient", "provider_down")
        self.lab.quote("resilient")
        after, before = self.lab.json("/incidents")["incidents"]
        self.assertEqual((before["fallback_used"], before["short_circuited"]), (True, False))
        self.assertEqual((after["fallback_used"], after["short_circuited"], after["status"]), (True, True, "degraded"))

    def test_are_fifty_at_most_and_as_many_as_asked_for(self):
        self.lab.quote("resilient", "provider_down")
        for _ in range(60):
            self.lab.quote("resilient")
        self.assertEqual(len(self.lab.json("/incidents?limit=50")["incidents"]), 50)
        self.assertEqual(len(self.lab.json("/incidents")["incidents"]), 10)
        self.assertEqual(len(self.lab.json("/metrics")["recent_incidents"]), 50)
        self.assertEqual({each["attempts"] for each in self.lab.json("/incidents?limit=50")["incidents"]}, {0})


class AScanner(LabTest):
    def test_adds_neither_series_nor_routes_nor_growth_of_the_file(self):
        lab = self.start_lab(flush_interval_ms=50)
        self.scan(lab, range(4000))  # Fills every bounded list of samples.
        wait_until(lambda: self.stored(lab, 4000), 3, "the counters are on the disk")
        series, size = len(lab.scrape().series), lab.telemetry_path.stat().st_size
        self.scan(lab, range(4000, 10000))
        wait_until(lambda: self.stored(lab, 10000), 3, "the counters are on the disk")
        self.assertEqual(len(lab.scrape().series), series)
        self.assertEqual(list(lab.json("/metrics")["routes"]), ["(unmatched)"])
        self.assertLess(lab.telemetry_path.stat().st_size, size * 1.5)

    @staticmethod
    def scan(lab, numbers):
        with lab.connect() as connection:
            for number in numbers:
                answer = connection.ask(f"/{number:x}/{number * 7919 % 10007}?q={number}")
                assert answer.status == 404, answer

    @staticmethod
    def stored(lab: Lab, requests):
        return json.loads(lab.telemetry_path.read_text())["requests"] >= requests
