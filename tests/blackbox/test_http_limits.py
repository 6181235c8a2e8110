"""Bounds of the HTTP edge: deadlines, connections, descriptors, quotes in flight. Each is set small here."""
import select

from harness import LabTest
from timing import at_most_ms, now_ms, slack, wait_for_moment, wait_until
from wire import ConnectionEnded, request

DEADLINE_MS = 400
# The lab looks for overdue connections now and then, not at the very millisecond.
SWEEP_MS = 250
SLOW = "/quote-legacy?scenario=slow_provider"


class Deadlines(LabTest):
    def check_cut(self, lab, sent, statuses):
        with lab.connect() as connection:
            began = now_ms()
            connection.send(sent)
            try:
                self.assertIn(connection.read_answer().status, statuses)
            except ConnectionEnded as ended:
                self.assertIn(None, statuses, str(ended))
            self.assertEqual(connection.read_to_close(), b"")
            took_ms = now_ms() - began
            self.assertTrue(DEADLINE_MS - 10 <= took_ms <= at_most_ms(DEADLINE_MS + SWEEP_MS), f"{took_ms:.0f} ms")

    def test_of_the_head_is_408_and_close(self):
        lab = self.start_lab(head_timeout_ms=DEADLINE_MS)
        self.check_cut(lab, b"GET /health HTTP/1.1\r\nHos", [408])
        self.check_cut(lab, request("/health")[:-2], [408])

    def test_of_the_body_is_408_and_close(self):
        lab = self.start_lab(body_timeout_ms=DEADLINE_MS)
        self.check_cut(lab, request("/reset-lab", method="POST", body=b"hello")[:-1], [408])

    def test_of_an_idle_connection_closes_without_a_word(self):
        lab = self.start_lab(idle_timeout_ms=DEADLINE_MS)
        self.check_cut(lab, b"", [None])

    def test_is_not_put_off_by_a_sender_that_trickles(self):
        lab = self.start_lab(head_timeout_ms=DEADLINE_MS)
        with lab.connect() as connection:
            began = now_ms()
            connection.send(b"GET /health HTTP/1.1\r\n")
            answered = False
            while not answered and now_ms() - began < at_most_ms(DEADLINE_MS + SWEEP_MS):
                try:
                    connection.send(b"X-A: b\r\n")
                except OSError:
                    break
                answered, _, _ = select.select([connection.socket], [], [], 0.02)
            self.assertEqual(connection.read_answer().status, 408)

    def test_the_rest_after_the_deadline_harms_nobody(self):
        lab = self.start_lab(head_timeout_ms=DEADLINE_MS)
        whole = request("/health")
        for cut in (5, 30, len(whole) - 1):
            with self.subTest(cut), lab.connect() as connection:
                connection.send(whole[:cut])
                wait_until(lambda: select.select([connection.socket], [], [], 0)[0], 2, "the deadline strikes")
                try:
                    connection.send(whole[cut:])
                except OSError:
                    pass  # A reset is a fair answer to what comes too late.
                self.assertNotIn(b" 200 ", connection.read_to_close())
                self.assertEqual(lab.ask("/health").status, 200)

    def test_are_per_operation_and_do_not_cut_a_quote(self):
        lab = self.start_lab(head_timeout_ms=200, body_timeout_ms=200, idle_timeout_ms=200, write_timeout_ms=200)
        with lab.connect() as connection:
            self.assertEqual(connection.ask(SLOW).status, 503, "it took longer than every deadline")
            self.assertEqual(connection.ask("/health").status, 200, "and nothing was left armed")

    def test_of_a_client_that_does_not_read(self):
        lab = self.start_lab(write_timeout_ms=DEADLINE_MS)
        sockets = lab.open_sockets()
        with lab.connect(receive_buffer_bytes=4096) as deaf:
            deaf.socket.setblocking(False)
            piece = request("/diagnostics/summary") * 50
            wait_until(lambda: not self.could_send(deaf, piece), 10, "the lab takes no more", every_s=0)
            self.assertEqual(lab.ask("/health").status, 200, "others are served meanwhile")
            wait_until(lambda: lab.open_sockets() <= sockets, (DEADLINE_MS + SWEEP_MS) / 1000 + 2, "it is cut off")
        self.assertEqual(lab.ask("/health").status, 200)

    @staticmethod
    def could_send(connection, piece):
        """False once nothing could be sent for a tenth of a second."""
        _, writable, _ = select.select([], [connection.socket], [], 0.1)
        try:
            return bool(writable) and connection.socket.send(piece) > 0
        except OSError:
            return False


class TooMany(LabTest):
    def test_quotes_in_flight_are_refused_with_a_time_to_come_back(self):
        lab = self.start_lab(max_quotes_in_flight=2)
        with lab.connect() as one, lab.connect() as two:
            one.send(request(SLOW))
            two.send(request(SLOW))
            wait_until(lambda: lab.scrape().total("quote_lab_quotes_in_flight") == 2, 1, "two are in flight")
            for path in ("/quote-legacy", "/quote-resilient"):
                refused = lab.ask(path)
                self.assertEqual(refused.status, 503)
                self.assertRegex(refused.header("Retry-After") or "none", r"^[1-9]\d*$")
                self.assertIn("error", refused.json)
                self.assertEqual(list(refused.json)[-3:], ["elapsed_ms", "timestamp_utc", "pid"])
            self.assertEqual(lab.ask("/health").status, 200, "what costs nothing is not refused")
            self.assertEqual([one.read_answer().status, two.read_answer().status], [503, 503])
        self.assertEqual(lab.quote("legacy")["status"], "completed", "there is room again")
        failures = lab.json("/metrics")["modes"]["legacy"]["failures"]
        self.assertEqual(failures, 2, "a refusal is no failure of the provider's")

    def test_connections_are_told_so_and_leave_the_lab_well(self):
        lab = self.start_lab(max_connections=8)
        kept = [lab.connect() for _ in range(30)]
        for connection in kept:
            self.addCleanup(connection.close)
        for connection in kept[8:]:
            refused = connection.read_answer()
            self.assertEqual((refused.status, refused.closes), (503, True))
            self.assertRegex(refused.header("Retry-After") or "none", r"^[1-9]\d*$")
        self.assertEqual(kept[0].ask("/health").status, 200, "who was there first is served")
        for connection in kept:
            connection.close()
        wait_until(lambda: self.healthy(lab), 2, "the lab answers again")

    def test_connections_for_the_descriptors_wait_without_work(self):
        lab = self.start_lab(descriptors=32)
        kept = [lab.connect() for _ in range(100)]
        for connection in kept:
            self.addCleanup(connection.close)
        before, began = lab.cpu_seconds(), now_ms()
        wait_for_moment(began + 1000)  # What is measured is what the lab does while nothing happens.
        self.assertLess(lab.cpu_seconds() - before, 0.15, "an accept loop that spins")
        self.assertEqual(kept[0].ask("/health").status, 200, "who was let in is served")
        for connection in kept:
            connection.close()
        began = now_ms()
        wait_until(lambda: self.healthy(lab), 2, "the lab answers again")
        self.assertLess(now_ms() - began, slack(2000))

    @staticmethod
    def healthy(lab):
        try:
            with lab.connect(timeout_s=1) as connection:
                return connection.ask("/health").status == 200
        except (OSError, ConnectionEnded):
            return False
