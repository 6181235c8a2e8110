"""kill -9 under load: what is on the disk always parses, and is never older than what a client was told."""
import json
import random
import threading

from harness import LabTest, kinds
from timing import now_ms, wait_for_moment, wait_until
from wire import ConnectionEnded

ROUNDS = 10
OPEN_MS = 120


class Client(threading.Thread):
    """Asks again and again until the lab is gone, and counts the openings of the breaker that it was told of."""

    def __init__(self, lab, scenario):
        super().__init__(daemon=True)
        self.lab, self.scenario = lab, scenario
        self.openings_told = self.answers = 0
        self.start()

    def run(self):
        try:
            with self.lab.connect() as connection:
                while True:
                    quote = connection.ask(f"/quote-resilient?scenario={self.scenario}").json
                    self.answers += 1
                    self.openings_told += kinds(quote).count("circuit_opened")
        except (ConnectionEnded, OSError):
            pass


class KilledUnderLoad(LabTest):
    def test_the_disk_knows_every_transition_that_was_told(self):
        folder, dice = self.temp_folder(), random.Random(7)
        told_in_all = 0
        for number in range(ROUNDS):
            with self.subTest(number):
                lab = self.start_lab(data_dir=folder, breaker_open_ms=OPEN_MS, resilient_timeout_ms=30,
                                     resilient_backoff_base_ms=1, jitter_min_ms=0, jitter_max_ms=1)
                before = lab.json("/dependency/state")["open_events"]
                clients = [Client(lab, "provider_down") for _ in range(4)]
                wait_until(lambda: sum(client.openings_told for client in clients) > 0, 3, "an opening was told")
                wait_for_moment(now_ms() + dice.uniform(0, 400))
                lab.kill()
                for client in clients:
                    client.join()
                told = sum(client.openings_told for client in clients)
                told_in_all += told
                provider = json.loads(lab.state_path.read_text())["provider"]
                self.assertGreaterEqual(provider["open_events"], before + told, provider)
                json.loads(lab.telemetry_path.read_text())
        self.assertGreaterEqual(told_in_all, ROUNDS)

    def test_at_the_instant_an_opening_is_told_the_disk_says_open(self):
        for number in range(ROUNDS):
            with self.subTest(number):
                lab = self.start_lab(resilient_timeout_ms=20, resilient_backoff_base_ms=1)
                told = lab.quote("resilient", "provider_down")
                lab.kill()
                self.assertEqual(told["dependency"]["circuit_status"], "open")
                provider = lab.stored_provider()
                self.assertEqual((provider["open_events"], provider["consecutive_failures"]), (1, 2), provider)
                self.assertIsNotNone(provider["opened_until"])

    def test_at_the_instant_a_closing_is_told_the_disk_says_closed(self):
        folder = self.temp_folder()
        settings = {"data_dir": folder, "resilient_timeout_ms": 160, "breaker_open_ms": 50}
        lab = self.start_lab(**settings)
        lab.quote("resilient", "provider_down")
        told = wait_until(lambda: next((quote for quote in [lab.quote("resilient")] if quote["attempts"]), None), 3,
                          "a probe is let through", every_s=0.02)
        lab.kill()
        self.assertEqual(told["dependency"]["circuit_status"], "closed", told)
        self.assertIsNone(lab.stored_provider()["opened_until"])
        self.assertEqual(self.start_lab(**settings).circuit(), "closed")

    def test_the_next_start_goes_on_and_clears_up(self):
        folder = self.temp_folder()
        lab = self.start_lab(data_dir=folder)
        lab.quote("resilient", "provider_down")
        lab.kill()
        (folder / "tmp" / "dependency_state.json.tmp").write_text('{"provider": {"na')  # A write that was cut off.
        again = self.start_lab(data_dir=folder)
        self.assertEqual(again.circuit(), "open")
        self.assertEqual(again.events("state_file_moved_aside"), [])
