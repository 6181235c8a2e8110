"""What is on the disk: a format shared with the Node.js case, and a lab that goes on after a restart where it was.

What happens to files that cannot be read, and to a folder that cannot be written, is in test_state_trouble.py; what a
crash leaves behind, in test_state_crash.py.
"""
import json

import stored
from harness import STATE_FILE, TELEMETRY_FILE, LabTest
from timing import epoch_ms, wait_until

YEAR_2100_MS = 4_102_444_800_000


class TheFormat(LabTest):
    def test_of_the_provider_is_the_one_of_the_node_case(self):
        lab = self.start_lab()
        lab.quote("resilient", "provider_down")
        provider = lab.stored_provider()
        self.assertEqual(stored.wrong_types(provider, stored.PROVIDER_TYPES), {})
        self.assertEqual(stored.wrong_types(provider["fallback_quote"], stored.FALLBACK_TYPES), {})
        told = lab.json("/dependency/state")
        for key in stored.PROVIDER_TYPES:
            self.assertEqual(provider[key], told[key], key)

    def test_of_the_telemetry_is_the_one_of_the_node_case(self):
        lab = self.start_lab()
        lab.quote("legacy")
        lab.quote("resilient", "provider_down")
        self.assertEqual(lab.stop(), 0)
        telemetry = json.loads(lab.telemetry_path.read_text())
        self.assertEqual(stored.wrong_types(telemetry, stored.TELEMETRY_TYPES), {})
        self.assertEqual((telemetry["requests"], len(telemetry["samples_ms"])), (2, 2))
        self.assertEqual({path: len(samples) for path, samples in telemetry["routes"].items()},
                         {"/quote-legacy": 1, "/quote-resilient": 1})
        modes = [each["mode"] for each in telemetry["recent_incidents"]]
        self.assertEqual(modes, ["legacy", "resilient"], "oldest first")
        self.assertEqual(telemetry["modes"]["resilient"]["circuit_opens"], 1)

    def test_is_indented_json_and_no_temporary_file_stays_behind(self):
        lab = self.start_lab()
        lab.quote("resilient", "provider_down")
        self.assertEqual(lab.stop(), 0)
        self.assertRegex(lab.state_path.read_text(), r'\A\{\n  "provider": \{\n    "name"')
        self.assertEqual(sorted(path.name for path in lab.state_path.parent.iterdir()), [STATE_FILE, TELEMETRY_FILE])


class ANodeWrittenFile(LabTest):
    def start_over(self, provider=None, telemetry=None, **settings):
        folder = self.temp_folder()
        if provider:
            stored.put(folder, STATE_FILE, provider)
        if telemetry:
            stored.put(folder, TELEMETRY_FILE, telemetry)
        lab = self.start_lab(data_dir=folder, **settings)
        self.assertEqual(lab.events("state_file_moved_aside"), [])
        return lab

    def test_is_taken_over(self):
        lab = self.start_over(stored.node_provider())
        told = lab.json("/dependency/state")
        for key, value in stored.node_provider()["provider"].items():
            self.assertEqual(told[key], value, key)
        self.assertEqual(told["circuit_status"], "closed")

    def test_with_a_failure_needs_but_one_more_to_open(self):
        lab = self.start_over(stored.node_provider())
        self.assertEqual(lab.quote("resilient", "provider_down")["attempts"], 1)
        self.assertEqual(lab.json("/dependency/state")["open_events"], 3)

    def test_with_an_open_breaker_stays_open_for_what_was_left(self):
        until = int(epoch_ms()) + 20_000
        lab = self.start_over(stored.node_provider(opened_until=until, consecutive_failures=2))
        state = lab.json("/dependency/state")
        self.assertEqual(state["circuit_status"], "open")
        self.assertLessEqual(abs(state["opened_until"] - until), 5)
        self.assertEqual(lab.quote("resilient")["attempts"], 0)

    def test_whose_open_period_is_over_lets_a_probe_through(self):
        lab = self.start_over(stored.node_provider(opened_until=int(epoch_ms()) - 60_000, consecutive_failures=2))
        self.assertIsNone(lab.json("/dependency/state")["opened_until"])
        self.assertEqual(lab.quote("resilient")["status"], "completed")
        self.assertEqual(lab.circuit(), "closed")

    def test_that_says_open_until_the_year_2100_is_open_for_one_period_at_most(self):
        lab = self.start_over(stored.node_provider(opened_until=YEAR_2100_MS), breaker_open_ms=500)
        started = epoch_ms()
        state = lab.json("/dependency/state")
        self.assertEqual(state["circuit_status"], "open")
        self.assertLessEqual(state["opened_until"], started + 500)
        wait_until(lambda: lab.circuit() == "half_open", 1.5, "the period ends")
        self.assertEqual(lab.quote("resilient")["status"], "completed")

    def test_may_have_more_fields(self):
        document = stored.node_provider(remark="kept by hand")
        document["written_by"] = "somebody"
        self.assertEqual(self.start_over(document).json("/dependency/state")["open_events"], 2)

    def test_of_telemetry_is_taken_over_incidents_included(self):
        lab = self.start_over(telemetry=stored.node_telemetry())
        told = lab.json("/metrics")
        self.assertEqual((told["requests_tracked"], told["sample_count"], told["max_ms"]), (3, 3, 1447.2))
        self.assertEqual((told["status_counts"]["2xx"], told["status_counts"]["5xx"]), (2, 1))
        self.assertEqual((told["last_path"], told["last_status"]), ("/quote-resilient", 200))
        self.assertEqual(told["routes"]["/quote-legacy"]["p99_ms"], 1447.2)
        for mode, values in stored.node_telemetry()["modes"].items():
            self.assertEqual({key: told["modes"][mode][key] for key in values}, values)
        self.assertEqual([each["mode"] for each in lab.json("/incidents")["incidents"]], ["resilient", "legacy"])
        self.assertEqual(lab.scrape().value("app_flow_timeouts_total", mode="legacy"), 4)


class ARestart(LabTest):
    def setUp(self):
        self.folder = self.temp_folder()

    def start(self, **settings):
        return self.start_lab(data_dir=self.folder, **settings)

    def test_keeps_an_open_breaker_open_for_what_was_left(self):
        for end in ("stop", "kill"):
            with self.subTest(end):
                lab = self.start()
                lab.ask("/reset-lab")
                lab.quote("resilient", "provider_down")
                until = lab.json("/dependency/state")["opened_until"]
                getattr(lab, end)()
                again = self.start()
                state = again.json("/dependency/state")
                self.assertEqual((state["circuit_status"], state["open_events"]), ("open", 1))
                self.assertLessEqual(abs(state["opened_until"] - until), 5, "neither longer nor shorter")
                again.stop()

    def test_keeps_half_open_from_becoming_closed_by_itself(self):
        lab = self.start(breaker_open_ms=200)
        lab.quote("resilient", "provider_down")
        wait_until(lambda: lab.circuit() == "half_open", 1.5, "the period ends")
        lab.stop()
        again = self.start(breaker_open_ms=200)
        self.assertEqual(again.circuit(), "half_open")
        quote = again.quote("resilient", "provider_down")
        self.assertEqual(quote["attempts"], 1, "one failed probe opens it again")
        self.assertEqual(again.circuit(), "open")

    def test_keeps_the_last_quote_known(self):
        lab = self.start()
        live = lab.quote("legacy")["quote"]["quote_id"]
        lab.stop()
        self.assertEqual(self.start().json("/dependency/state")["fallback_quote"]["quote_id"], live)

    def test_keeps_telemetry_and_incidents(self):
        lab = self.start()
        lab.quote("legacy")
        lab.quote("resilient", "provider_down")
        before, incidents = lab.json("/metrics"), lab.json("/incidents")["incidents"]
        lab.stop()
        again = self.start()
        after = again.json("/metrics")
        self.assertEqual(after["modes"], before["modes"])
        self.assertEqual(again.json("/incidents")["incidents"], incidents)
        self.assertEqual(after["requests_tracked"], before["requests_tracked"] + 1, "the look at the incidents")

    def test_keeps_prometheus_in_step_with_the_summary(self):
        lab = self.start()
        lab.quote("legacy", "provider_down")
        lab.stop()
        again = self.start()
        self.assertEqual(again.scrape().value("app_flow_failure_total", mode="legacy"), 1)
        self.assertEqual(again.json("/metrics")["modes"]["legacy"]["failures"], 1)


class Counters(LabTest):
    def test_follow_on_the_disk_within_a_quarter_of_a_second(self):
        lab = self.start_lab()
        lab.quote("legacy")

        def on_disk():
            text = lab.telemetry_path.read_text() if lab.telemetry_path.exists() else "{}"
            return json.loads(text).get("modes", {}).get("legacy", {}).get("successes") == 1

        wait_until(on_disk, 0.25 + 0.1, "the success is on the disk")
