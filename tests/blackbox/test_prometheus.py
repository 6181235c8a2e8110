"""The scrape: right by the rules of its format, in step with /metrics, and true under load."""
import shutil
import subprocess
import threading

import prometheus_text
from harness import MODES, LabTest, SharedLabTest
from timing import wait_until
from wire import ConnectionEnded

CASE_FAMILIES = {
    "app_requests_total": "counter", "app_flow_success_total": "counter", "app_flow_failure_total": "counter",
    "app_flow_timeouts_total": "counter", "app_flow_fallback_total": "counter",
    "app_flow_circuit_open_total": "counter", "app_flow_avg_attempts": "gauge", "dependency_circuit_open": "gauge",
}
OWN_FAMILIES = {
    "quote_lab_attempts_total": "counter", "quote_lab_retries_total": "counter",
    "quote_lab_short_circuits_total": "counter", "quote_lab_quotes_cancelled_total": "counter",
    "quote_lab_quote_duration_seconds": "histogram",
    "quote_lab_attempt_duration_seconds": "histogram", "quote_lab_provider_calls_in_flight": "gauge",
    "quote_lab_quotes_in_flight": "gauge", "quote_lab_breaker_state": "gauge",
    "quote_lab_breaker_transitions_total": "counter", "quote_lab_breaker_rejected_total": "counter",
    "quote_lab_breaker_stale_results_total": "counter", "quote_lab_state_write_healthy": "gauge",
    "quote_lab_state_files_moved_aside_total": "counter", "quote_lab_http_refused_total": "counter",
    "quote_lab_build_info": "gauge", "process_cpu_seconds_total": "counter", "process_resident_memory_bytes": "gauge",
    "process_open_fds": "gauge", "process_max_fds": "gauge", "process_start_time_seconds": "gauge",
}
# A field of modes.* in /metrics and the family that tells the same.
SAME = {
    "successes": "app_flow_success_total", "failures": "app_flow_failure_total",
    "timeouts_total": "app_flow_timeouts_total", "fallbacks_used": "app_flow_fallback_total",
    "circuit_opens": "app_flow_circuit_open_total",
    "attempts_total": "quote_lab_attempts_total", "retries_total": "quote_lab_retries_total",
    "short_circuits": "quote_lab_short_circuits_total", "cancelled": "quote_lab_quotes_cancelled_total",
}


def some_of_everything(lab):
    """Quotes of every kind, and requests that are refused."""
    for scenario in ("ok", "flaky_provider"):
        lab.quote("legacy", scenario)
    lab.quote("resilient", "flaky_provider")
    lab.quote("resilient", "provider_down")
    lab.quote("resilient")
    for path in ("/nowhere", "/%FF", "/quote-legacy?scenario=a%22b%5Cc%0Ad", '/a"b\\c', "/" + "a" * 9000):
        lab.ask(path)


class TheScrape(SharedLabTest):
    def setUp(self):
        super().setUp()
        some_of_everything(self.lab)

    def test_keeps_to_the_format(self):
        prometheus_text.parse(self.lab.ask("/metrics-prometheus").text)

    def test_leaves_promtool_nothing_to_say(self):
        promtool = shutil.which("promtool")
        self.assertTrue(promtool, "promtool is missing: apt-get install prometheus")
        text = self.lab.ask("/metrics-prometheus").body
        told = subprocess.run([promtool, "check", "metrics"], input=text, capture_output=True, timeout=30)
        self.assertEqual((told.returncode, told.stdout, told.stderr), (0, b"", b""))

    def test_has_every_family_with_its_type_even_before_anything_happened(self):
        self.lab.ask("/reset-lab")
        families = self.lab.scrape().families
        for name, kind in (CASE_FAMILIES | OWN_FAMILIES).items():
            with self.subTest(name):
                self.assertIn(name, set(families))
                self.assertEqual(families[name].type, kind)
                self.assertTrue(families[name].samples, "a family without series looks absent to an alert")

    def test_agrees_with_metrics(self):
        told, scrape = self.lab.json("/metrics"), self.lab.scrape()
        self.assertEqual(scrape.value("app_requests_total"), told["requests_tracked"])
        for mode in MODES:
            for key, family in SAME.items():
                self.assertEqual(scrape.value(family, mode=mode), told["modes"][mode][key], (mode, key))
            ended = told["modes"][mode]["successes"] + told["modes"][mode]["failures"]
            average = told["modes"][mode]["attempts_total"] / ended
            self.assertAlmostEqual(scrape.value("app_flow_avg_attempts", mode=mode), average, delta=0.0006)

    def test_counts_each_quote_and_each_attempt_in_its_histogram(self):
        told, scrape = self.lab.json("/metrics")["modes"], self.lab.scrape()
        for mode in MODES:
            quotes = told[mode]["successes"] + told[mode]["failures"]
            self.assertEqual(scrape.value("quote_lab_quote_duration_seconds_count", mode=mode), quotes)
            attempts = scrape.total("quote_lab_attempt_duration_seconds_count", mode=mode)
            self.assertEqual(attempts, told[mode]["attempts_total"])
        seconds = scrape.value("quote_lab_quote_duration_seconds_sum", mode="legacy")
        self.assertTrue(0.115 * 2 + 0.5 < seconds < 20, f"{seconds}: the unit is seconds")

    def test_tells_the_build_and_the_process(self):
        scrape = self.lab.scrape()
        build = scrape.families["quote_lab_build_info"].samples
        self.assertEqual([value for _, _, value in build], [1])
        self.assertIn("version", build[0][1])
        self.assertGreater(scrape.value("process_resident_memory_bytes"), 1_000_000)

    def test_does_not_grow_by_what_clients_send(self):
        before = set(self.lab.scrape().series)
        some_of_everything(self.lab)
        self.assertEqual(set(self.lab.scrape().series), before)


class UnderLoad(LabTest):
    def test_no_counter_falls_but_for_a_reset_where_all_do(self):
        lab, stopping = self.start_lab(), threading.Event()
        load = [threading.Thread(target=self.keep_asking, args=(lab, stopping, mode)) for mode in MODES * 4]
        for thread in load:
            thread.start()
        try:
            falls = self.falls(lab, scrapes=50, reset_after=25)
        finally:
            stopping.set()
            for thread in load:
                thread.join()
        self.assertEqual(list(falls), [25], f"a counter fell without a reset, or none did at the reset: {falls}")
        names = {name for name, _ in falls[25]}
        self.assertLessEqual({"app_requests_total", "app_flow_failure_total", "quote_lab_attempts_total",
                              "quote_lab_quote_duration_seconds_count", "quote_lab_breaker_rejected_total"}, names)
        self.assertEqual([name for name in names if name.startswith("process_")], [], "the process was not reset")

    @staticmethod
    def keep_asking(lab, stopping, mode):
        try:
            with lab.connect() as connection:
                while not stopping.is_set():
                    connection.ask(f"/quote-{mode}?scenario=" + ("ok" if mode == "legacy" else "provider_down"))
        except ConnectionEnded:
            pass

    @staticmethod
    def falls(lab, scrapes, reset_after):
        """The series that fell, by how many scrapes went before. Between two of them the load goes on."""
        fallen, before = {}, {}
        for number in range(scrapes):
            seen = lab.json("/metrics")["requests_tracked"]
            if number == reset_after:
                lab.ask("/reset-lab")
            else:
                wait_until(lambda: lab.json("/metrics")["requests_tracked"] >= seen + 20, 10, "the load goes on")
            now = lab.scrape().counters()
            less = {series for series, value in before.items() if now.get(series, 0) < value}
            if less:
                fallen[number] = less
            before = now
        return fallen
