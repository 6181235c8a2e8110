"""The path prefix, under which every route answers a second time, so that commands written for a hub work unchanged."""
from harness import LabTest, SharedLabTest, run_program

ROUTES = ("/", "/health", "/quote-legacy", "/quote-resilient", "/dependency/state", "/incidents",
          "/diagnostics/summary", "/metrics", "/metrics-prometheus", "/reset-lab")


class ThePrefix(SharedLabTest):
    def test_reaches_every_route(self):
        for route in ROUTES:
            with self.subTest(route):
                plain, prefixed = self.lab.ask(route), self.lab.ask("/04" + route)
                self.assertEqual((plain.status, prefixed.status), (200, 200), prefixed.text)
                self.assertEqual(plain.header("Content-Type"), prefixed.header("Content-Type"))
                if route != "/metrics-prometheus":
                    self.assertEqual(list(plain.json), list(prefixed.json))

    def test_alone_is_the_root(self):
        for path in ("/04", "/04/"):
            self.assertIn("allowed_scenarios", self.lab.json(path), path)

    def test_is_no_part_of_the_path_in_the_telemetry(self):
        for path in ("/health", "/04/health", "/04/nowhere"):
            self.lab.ask(path)
        told = self.lab.json("/metrics")
        self.assertEqual({path: route["count"] for path, route in told["routes"].items()},
                         {"(unmatched)": 1, "/health": 2})
        self.lab.ask("/04/health")
        self.assertEqual(self.lab.json("/04/metrics")["last_path"], "/health")

    def test_is_not_counted_under_it_what_is_not_counted_at_all(self):
        for path in ("/04/metrics", "/04/metrics-prometheus", "/04/reset-lab"):
            self.lab.ask(path)
        self.assertEqual(self.lab.json("/metrics")["requests_tracked"], 0)

    def test_is_taken_off_once_and_only_as_a_whole_segment(self):
        for path in ("/04health", "/04/04/health", "/040/health", "/05/health", "/4/health"):
            with self.subTest(path):
                self.assertEqual(self.lab.ask(path).status, 404)


class AnotherPrefix(LabTest):
    def test_can_be_set(self):
        lab = self.start_lab(prefix="/cases/storm")
        self.assertEqual(lab.ask("/cases/storm/health").status, 200)
        self.assertEqual(lab.ask("/health").status, 200)
        self.assertEqual(lab.ask("/04/health").status, 404)

    def test_can_be_switched_off(self):
        for lab in (self.start_lab(prefix=""), self.start_lab(variables={"QUOTE_LAB_PREFIX": ""})):
            self.assertEqual(lab.ask("/04/health").status, 404)
            self.assertEqual(lab.ask("/health").status, 200)

    def test_that_is_no_path_is_refused(self):
        for prefix in ("04", "/a b", "/a?b"):
            with self.subTest(prefix):
                ended = run_program("serve", "--port", "0", "--prefix", prefix)
                self.assertEqual(ended.returncode, 2, ended.stdout + ended.stderr)
                self.assertIn("prefix", ended.stderr)
