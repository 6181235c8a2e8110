"""What a connection does over more than one exchange: HEAD, pipelining, bodies, slow and cut senders."""
from harness import SharedLabTest
from timing import at_most_ms
from wire import request

GET_ROUTES = ("/", "/health", "/quote-legacy?scenario=slow_provider", "/dependency/state", "/incidents",
              "/diagnostics/summary", "/metrics", "/metrics-prometheus")
SMUGGLED = request("/reset-lab")


class Head(SharedLabTest):
    def test_answers_with_the_fields_of_get_and_no_body(self):
        for route in GET_ROUTES:
            with self.subTest(route), self.lab.connect() as connection:
                head = connection.ask(route, method="HEAD")
                self.assertEqual(head.status, 200)
                self.assertGreater(int(head.header("Content-Length")), 0)
                self.assertTrue(head.header("Content-Type"))
                self.assertEqual(connection.ask("/health").status, 200, "no body lay between the answers")

    def test_has_no_side_effect(self):
        head = self.lab.ask("/quote-legacy?scenario=slow_provider", method="HEAD")
        self.assertLess(head.took_ms, at_most_ms(0))
        told = self.lab.json("/metrics")
        self.assertEqual((told["modes"]["legacy"]["attempts_total"], told["recent_incidents"]), (0, []))
        self.assertEqual(self.lab.scrape().total("quote_lab_attempts_total"), 0)

    def test_on_no_route_is_404_without_a_body(self):
        with self.lab.connect() as connection:
            self.assertEqual(connection.ask("/nowhere", method="HEAD").status, 404)
            self.assertEqual(connection.ask("/health").status, 200)


class Pipelining(SharedLabTest):
    def test_answers_in_order_each_with_its_own_id(self):
        paths = ["/quote-legacy?scenario=flaky_provider", "/quote-resilient?scenario=ok", "/health"]
        with self.lab.connect() as connection:
            connection.send(b"".join(request(path) for path in paths))
            slow, fast, health = [connection.read_answer() for _ in paths]
        self.assertEqual((slow.json["mode"], slow.json["attempts"]), ("legacy", 2))
        self.assertEqual((fast.json["mode"], fast.json["attempts"]), ("resilient", 1))
        self.assertEqual(health.json["status"], "ok")
        self.assertNotEqual(slow.json["request_id"], fast.json["request_id"])

    def test_of_hundreds_is_answered_in_full(self):
        with self.lab.connect() as connection:
            connection.send(request("/health") * 500)
            self.assertEqual([connection.read_answer().status for _ in range(500)], [200] * 500)

    def test_stops_at_an_answer_that_closes(self):
        with self.lab.connect() as connection:
            connection.send(request("/health", headers={"Connection": "close"}) + SMUGGLED)
            self.assertTrue(connection.read_answer().closes)
            self.assertEqual(connection.read_to_close(), b"")
        self.assertEqual(self.lab.json("/metrics")["requests_tracked"], 1, "the second was never run")


class Bodies(SharedLabTest):
    settings = {"max_body_bytes": 1024}

    def test_that_look_like_a_request_are_no_request(self):
        self.lab.ask("/health")
        with self.lab.connect() as connection:
            refused = connection.ask("/health", method="POST", body=SMUGGLED)
            self.assertEqual(refused.status, 405)
            self.assertEqual(connection.ask("/health").json["status"], "ok")
        self.assertGreaterEqual(self.lab.json("/metrics")["requests_tracked"], 3, "the lab was reset")

    def test_over_the_limit_are_refused_so_that_the_client_can_read_it(self):
        large = b"x" * 300_000
        chunked = b"POST /reset-lab HTTP/1.1\r\nHost: h\r\nTransfer-Encoding: chunked\r\n\r\n"
        for name, sent in (("by length", request("/reset-lab", method="POST", body=large)),
                           ("by chunks", chunked + b"493e0\r\n" + large + b"\r\n0\r\n\r\n")):
            with self.subTest(name), self.lab.connect() as connection:
                connection.send(sent)
                answer = connection.read_answer()
                self.assertEqual((answer.status, answer.closes), (413, True))
                self.assertEqual(connection.read_to_close(), b"")

    def test_up_to_the_limit_are_read(self):
        with self.lab.connect() as connection:
            self.assertEqual(connection.ask("/health", body=b"x" * 1024).status, 200)
            self.assertEqual(connection.ask("/health").status, 200)

    def test_are_not_waited_for_when_the_client_expects_a_word_first(self):
        expecting = b"POST /reset-lab HTTP/1.1\r\nHost: h\r\nContent-Length: 5\r\nExpect: 100-continue\r\n\r\n"
        with self.lab.connect() as connection:
            connection.send(expecting)
            first = connection.read_answer()
            self.assertLess(first.took_ms, at_most_ms(0))
            if first.status == 100:
                connection.send(b"hello")
                first = connection.read_answer()
            self.assertEqual(first.status, 200)

    def test_too_large_are_refused_before_the_client_sends_them(self):
        expecting = b"POST /reset-lab HTTP/1.1\r\nHost: h\r\nContent-Length: 99999\r\nExpect: 100-continue\r\n\r\n"
        with self.lab.connect() as connection:
            connection.send(expecting)
            self.assertEqual(connection.read_answer().status, 413)


class Versions(SharedLabTest):
    def test_1_0_closes_unless_asked_to_keep_alive(self):
        with self.lab.connect() as connection:
            self.assertEqual(connection.ask("/health", version="1.0").status, 200)
            self.assertEqual(connection.read_to_close(), b"")
        with self.lab.connect() as connection:
            kept = connection.ask("/health", version="1.0", headers={"Connection": "keep-alive"})
            self.assertEqual((kept.header("Connection") or "").lower(), "keep-alive")
            self.assertEqual(connection.ask("/health").status, 200)


class SlowSenders(SharedLabTest):
    def test_one_byte_at_a_time_get_one_answer(self):
        with self.lab.connect() as connection:
            connection.send(*[bytes([byte]) for byte in request("/incidents?limit=7", headers={"X-A": "b"})])
            self.assertEqual(connection.read_answer().json["limit"], 7)
            self.assertEqual(connection.ask("/health").status, 200)

    def test_cut_anywhere_get_the_same_answers(self):
        both = request("/incidents?limit=7", method="POST", body=b"hello") + request("/incidents?limit=8")
        for cut in range(1, len(both), 7):
            with self.subTest(cut), self.lab.connect() as connection:
                connection.send(both[:cut])
                self.lab.ask("/health")  # The first piece has been read by now: the lab has but one thread.
                connection.send(both[cut:])
                self.assertEqual(connection.read_answer().status, 405)
                self.assertEqual(connection.read_answer().json["limit"], 8)
