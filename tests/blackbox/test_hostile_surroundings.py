"""What lies round the lab is against it: planted files, a folder that vanishes, a reader of the log that does not read."""
import fcntl
import json
import os
import shutil
import signal
import subprocess
import tempfile

from harness import STATE_FILE, TELEMETRY_FILE, LabTest, all_at_once, binary, clean_environment
from timing import now_ms, slack, wait_until
from wire import request

F_SETPIPE_SZ = 1031


class StateFiles(LabTest):
    def test_that_are_hostile_are_moved_aside_at_once(self):
        many_members = '{"provider":{},' + ",".join(f'"k{number}":0' for number in range(200_000)) + "}"
        for name, text in (("many members", many_members), ("deep", "[" * 2_000_000)):
            with self.subTest(name):
                folder = self.temp_folder()
                (folder / "tmp").mkdir()
                (folder / "tmp" / STATE_FILE).write_text(text)
                began = now_ms()
                lab = self.start_lab(data_dir=folder)
                self.assertLess(now_ms() - began, slack(3000))
                self.assertEqual(lab.circuit(), "closed")
                self.assertEqual(len(list((folder / "tmp").glob(STATE_FILE + ".unreadable-*"))), 1)

    def test_planted_where_the_lab_writes_are_taken_away_and_not_followed(self):
        folder = self.temp_folder()
        (folder / "tmp").mkdir()
        os.mkfifo(folder / "tmp" / (STATE_FILE + ".tmp"))
        precious = folder / "precious"
        precious.write_text("not the lab's")
        (folder / "tmp" / (TELEMETRY_FILE + ".tmp")).symlink_to(precious)
        lab = self.start_lab(data_dir=folder)
        lab.quote("resilient", "provider_down")
        self.assertEqual(lab.stored_provider()["open_events"], 1)
        self.assertEqual(precious.read_text(), "not the lab's")

    def test_come_back_where_the_folder_was_deleted_and_the_folder_stays_locked(self):
        lab = self.start_lab()
        shutil.rmtree(lab.state_path.parent)
        lab.quote("resilient", "provider_down")
        self.assertEqual(lab.stored_provider()["open_events"], 1)
        second = subprocess.run([binary(), "--port", "0", "--data-dir", str(lab.data_dir)], capture_output=True,
                                text=True, timeout=slack(20), env=clean_environment(), check=False)
        self.assertEqual(second.returncode, 1)
        self.assertIn("another quote-lab is using it", second.stderr)

    def test_are_written_with_no_descriptor_to_spare(self):
        lab = self.start_lab(descriptors=32)
        crowd = [lab.connect() for _ in range(100)]
        self.addCleanup(lambda: [each.close() for each in crowd])
        self.assertEqual(crowd[0].ask("/quote-resilient?scenario=provider_down").json["dependency"]["circuit_status"], "open")
        self.assertIsNotNone(lab.stored_provider()["opened_until"])


class HalfOpen(LabTest):
    def test_survives_a_restart_after_a_legacy_success(self):
        lab = self.start_lab(breaker_open_ms=400)
        lab.quote("resilient", "provider_down")
        lab.quote("legacy")
        wait_until(lambda: lab.circuit() == "half_open", 2, "it is half-open")
        self.assertEqual(lab.stop(), 0)
        again = self.start_lab(data_dir=lab.data_dir, breaker_open_ms=400)
        self.assertEqual(again.circuit(), "half_open")


class ATransitionThatComesWhileTheDiskIsWaitedFor(LabTest):
    def test_is_not_told_before_it_is_on_the_disk(self):
        lab = self.start_lab(breaker_open_ms=2, breaker_consecutive_failures=1, resilient_timeout_ms=3,
                             resilient_backoff_base_ms=0)

        def look(_):
            with lab.connect() as connection:
                for _ in range(60):
                    connection.ask("/quote-resilient?scenario=provider_down")
                    told = connection.ask("/dependency/state").json["open_events"]
                    self.assertLessEqual(told, json.loads(lab.state_path.read_text())["provider"]["open_events"])

        all_at_once([lambda: look(0) for _ in range(3)])


class AtTheEnd(LabTest):
    def test_a_full_pipe_that_nobody_reads_does_not_hold_the_lab_up(self):
        reading, writing = os.pipe()
        self.addCleanup(os.close, reading)
        fcntl.fcntl(writing, F_SETPIPE_SZ, 4096)
        os.write(writing, b"x" * 4096)
        folder = tempfile.mkdtemp()
        self.addCleanup(shutil.rmtree, folder)
        lab = subprocess.Popen([binary(), "--port", "0", "--data-dir", folder], stdout=writing, env=clean_environment())
        os.close(writing)
        self.addCleanup(lambda: lab.poll() is None and lab.kill())
        wait_until(lambda: os.path.exists(os.path.join(folder, "tmp", TELEMETRY_FILE)), 5, "it has started")
        lab.send_signal(signal.SIGTERM)
        self.assertEqual(lab.wait(slack(5)), 0)

    def test_a_client_that_does_not_read_holds_nobody_up_at_the_second_signal(self):
        lab = self.start_lab()
        connection = lab.connect()
        self.addCleanup(connection.close)
        for _ in range(300):
            connection.send(request("/metrics-prometheus"))
        lab.send_signal(signal.SIGTERM)
        wait_until(lambda: lab.events("draining"), 2, "it drains")
        began = now_ms()
        self.assertEqual(lab.stop(), 0)
        self.assertLess(now_ms() - began, slack(3000))
