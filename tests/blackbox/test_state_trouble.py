"""Files that cannot be read and folders that cannot be written: said clearly, survived where it can be survived.

The tests may run as root, whom permissions do not stop; so a folder is made unwritable by putting a file in its place.
"""
import json

import stored
from harness import STATE_FILE, TELEMETRY_FILE, DidNotStart, Lab, LabTest
from timing import now_ms, wait_until

PROVIDER = stored.node_provider()
UNREADABLE_STATE = {
    "empty": "", "cut short": json.dumps(PROVIDER)[:150], "a list": "[]", "a string": '"hi"', "a number": "7",
    "null": "null", "no provider": "{}", "a provider that is null": '{"provider":null}',
    "a provider that is a list": '{"provider":[]}',
    "NUL bytes": b"\x00" * 300, "no UTF-8": b'{"provider": "\xff\xfe"}', "deeply nested": "[" * 100_000,
    "text for a number": stored.node_provider(consecutive_failures="many"),
    "a number for text": stored.node_provider(name=7),
    "a negative count": stored.node_provider(open_events=-1),
    "text for a time": stored.node_provider(opened_until="soon"),
    "a quote that is none": stored.node_provider(fallback_quote="none"),
}
UNREADABLE_TELEMETRY = {
    "empty": "", "cut short": json.dumps(stored.node_telemetry())[:300], "a list": "[]", "NUL bytes": b"\x00" * 300,
    "text for a number": stored.node_telemetry() | {"requests": "many"},
    "text among the samples": stored.node_telemetry() | {"samples_ms": [1, "slow"]},
    "a list for modes": stored.node_telemetry() | {"modes": []},
}


class AFileThatCannotBeRead(LabTest):
    def check(self, name, document):
        folder = self.temp_folder()
        path = stored.put(folder, name, document)
        content = path.read_bytes()
        lab = self.start_lab(data_dir=folder)
        told = lab.events("state_file_moved_aside")
        self.assertEqual(len(told), 1, lab.lines)
        self.assertIn(name, json.dumps(told[0]))
        self.assertEqual(lab.scrape().total("quote_lab_state_files_moved_aside_total"), 1)
        aside = [each for each in path.parent.iterdir() if each.name.startswith(name) and each.name != name]
        self.assertEqual([each.read_bytes() for each in aside], [content], "nothing of it is lost")
        self.assertEqual(lab.circuit(), "closed")
        self.assertEqual(lab.quote("resilient")["status"], "completed")
        self.assertEqual(lab.stop(), 0)
        again = self.start_lab(data_dir=folder)
        self.assertEqual(again.events("state_file_moved_aside"), [], "what it wrote instead can be read")
        self.assertEqual(again.json("/metrics")["modes"]["resilient"]["successes"], 1)
        again.stop()

    def test_of_the_state_is_moved_aside_and_the_lab_starts_fresh(self):
        for kind, document in UNREADABLE_STATE.items():
            with self.subTest(kind):
                self.check(STATE_FILE, document)

    def test_of_the_telemetry_likewise(self):
        for kind, document in UNREADABLE_TELEMETRY.items():
            with self.subTest(kind):
                self.check(TELEMETRY_FILE, document)

    def test_twice_keeps_both(self):
        folder = self.temp_folder()
        for content in ("first", "second"):
            stored.put(folder, STATE_FILE, content)
            self.assertEqual(self.start_lab(data_dir=folder).stop(), 0)
        texts = [path.read_text() for path in (folder / "tmp").iterdir() if path.name.startswith(STATE_FILE)]
        self.assertIn("first", texts)
        self.assertIn("second", texts)


class AFolderThatCannotBeWritten(LabTest):
    def test_at_the_start_is_a_clear_line_and_exit_1(self):
        file = self.temp_folder() / "file"
        file.write_text("in the way")
        in_the_way = self.temp_folder()
        (in_the_way / "tmp").write_text("in the way")
        for data_dir in (file, file / "below", in_the_way):
            with self.subTest(str(data_dir)), self.assertRaises(DidNotStart) as caught:
                Lab(data_dir=data_dir)
            self.assertEqual(caught.exception.exit_code, 1, caught.exception.output)
            self.assertIn(str(data_dir), caught.exception.output)
            self.assertLessEqual(len(caught.exception.output.splitlines()), 2, "a line, not a heap of them")

    def test_is_made_where_it_is_missing(self):
        folder = self.temp_folder() / "new" / "data"
        lab = self.start_lab(data_dir=folder)
        lab.quote("resilient", "provider_down")
        self.assertEqual(lab.stored_provider()["open_events"], 1)

    def test_later_is_said_and_survived_and_made_good(self):
        lab = self.start_lab(breaker_open_ms=60_000)
        folder, away = lab.state_path.parent, lab.data_dir / "away"
        folder.rename(away)
        folder.write_text("in the way")
        self.assertEqual(lab.quote("resilient", "provider_down")["status"], "degraded", "the lab goes on")
        wait_until(lambda: lab.json("/health")["storage"]["status"] == "failing", 2, "/health says so")
        self.assertEqual(lab.ask("/health").status, 200)
        self.assertIn(0, self.healthy_gauges(lab))
        wait_until(lambda: lab.events("state_write_failed"), 2, "the log says so")
        folder.unlink()
        away.rename(folder)
        wait_until(lambda: lab.json("/health")["storage"]["status"] == "ok", 5, "it recovers by itself")
        self.assertEqual(set(self.healthy_gauges(lab)), {1})
        # The log has a thread of its own: its lines come when they come.
        wait_until(lambda: lab.events("state_write_recovered"), 2, "the log says so")
        self.assertLessEqual(len(lab.events("state_write_recovered")), len(lab.events("state_write_failed")), lab.lines)
        self.assertIsNotNone(lab.stored_provider()["opened_until"], "it catches up")

    @staticmethod
    def healthy_gauges(lab):
        """One for each file."""
        return [value for _, _, value in lab.scrape().families["quote_lab_state_write_healthy"].samples]

    def test_later_does_not_fill_the_log(self):
        lab = self.start_lab(flush_interval_ms=20)
        lab.state_path.parent.rename(lab.data_dir / "away")
        lab.state_path.parent.write_text("in the way")
        began = now_ms()
        wait_until(lambda: lab.ask("/health") and now_ms() - began > 1500, 3, "many flushes have failed")
        self.assertLessEqual(len(lab.events("state_write_failed")), 5, "said, and not said again every time")

    def test_at_the_end_is_said_and_does_not_hang(self):
        lab = self.start_lab()
        lab.state_path.parent.rename(lab.data_dir / "away")
        lab.state_path.parent.write_text("in the way")
        lab.quote("legacy")
        self.assertIn(lab.stop(within_s=5), (0, 1))
        self.assertTrue(lab.events("state_write_failed"), lab.lines)
