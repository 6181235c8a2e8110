"""A real Prometheus scrapes the lab: its target is up, and a query is answered with the lab's own numbers."""
import http.client
import json
import shutil
import socket
import subprocess
import urllib.parse

from harness import LabTest
from timing import slack, wait_until

CONFIG = """
global: {{scrape_interval: 200ms, scrape_timeout: 200ms}}
scrape_configs:
  - job_name: quote-lab
    metrics_path: /metrics-prometheus
    static_configs: [{{targets: ['127.0.0.1:{port}']}}]
"""


def free_port():
    """A port that was free a moment ago: Prometheus cannot choose one itself and tell it."""
    with socket.socket() as probe:
        probe.bind(("127.0.0.1", 0))
        return probe.getsockname()[1]


class ARealPrometheus(LabTest):
    def start_prometheus(self, lab):
        program = shutil.which("prometheus")
        self.assertTrue(program, "prometheus is missing: apt-get install prometheus")
        folder, self.port = self.temp_folder(), free_port()
        config = folder / "prometheus.yml"
        config.write_text(CONFIG.format(port=lab.port))
        log = open(folder / "log", "wb")
        self.addCleanup(log.close)
        process = subprocess.Popen(
            [program, f"--config.file={config}", f"--storage.tsdb.path={folder / 'data'}", "--log.level=warn",
             f"--web.listen-address=127.0.0.1:{self.port}"], stdout=log, stderr=log, cwd=folder)
        self.addCleanup(process.wait, slack(20))
        self.addCleanup(process.terminate)

    def api(self, path):
        connection = http.client.HTTPConnection("127.0.0.1", self.port, timeout=slack(5))
        try:
            connection.request("GET", "/api/v1/" + path)
            answer = json.loads(connection.getresponse().read())
            return answer["data"] if answer["status"] == "success" else None
        except (OSError, ValueError, http.client.HTTPException):
            return None  # It is not up yet.
        finally:
            connection.close()

    def query(self, expression):
        data = self.api("query?query=" + urllib.parse.quote(expression))
        return float(data["result"][0]["value"][1]) if data and data["result"] else None

    def target(self):
        data = self.api("targets")
        return data["activeTargets"][0] if data and data["activeTargets"] else {"health": "unknown"}

    def test_scrapes_the_lab_and_answers_queries(self):
        lab = self.start_lab()
        lab.quote("legacy", "flaky_provider")
        lab.quote("resilient", "provider_down")
        lab.ask("/quote-legacy?scenario=a%22b%5Cc%0Ad")
        lab.ask("/%FF")
        self.start_prometheus(lab)
        wait_until(lambda: self.target()["health"] == "up", 30, "the target is up", every_s=0.1)
        self.assertEqual(self.target()["lastError"], "")
        for expression, value in (('app_flow_success_total{mode="legacy"}', 2),
                                  ('dependency_circuit_open{provider="carrier-gateway"}', 1),
                                  ('quote_lab_breaker_state{state="open"}', 1),
                                  ("sum(quote_lab_attempts_total) - sum(quote_lab_retries_total)", 3)):
            with self.subTest(expression):
                wait_until(lambda: self.query(expression) == value, 5, f"it is {value}", every_s=0.1)
        quantile = 'histogram_quantile(0.5, quote_lab_quote_duration_seconds_bucket{mode="resilient"})'
        self.assertTrue(0.25 < self.query(quantile) < 2.6, "seconds, by the histogram")
