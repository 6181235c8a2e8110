"""Malformed, hostile and merely unusual requests, each with the answer it gets: one table, sent byte for byte.

After each row the lab must still be well: it answers a plain request, on the same connection where that stays open.
Rows that need more than one exchange or a moment in time are in test_http_connections.py.
"""
import re
from dataclasses import dataclass

from harness import SharedLabTest
from wire import ConnectionEnded

HOST = b"Host: h\r\n"
END = b"\r\n"


def get(target, *lines, version=b"HTTP/1.1"):
    return b"GET " + target + b" " + version + b"\r\n" + HOST + b"".join(line + b"\r\n" for line in lines) + END


def post(*lines, target=b"/reset-lab", body=b"", version=b"HTTP/1.1"):
    head = b"POST " + target + b" " + version + b"\r\n" + HOST
    return head + b"".join(line + b"\r\n" for line in lines) + END + body


RESET = get(b"/reset-lab")
CHUNKED = b"Transfer-Encoding: chunked"
LAST_CHUNK = b"0\r\n\r\n"


@dataclass
class Row:
    name: str
    sent: bytes
    status: int
    closes: bool | None = False  # whether the connection ends with the answer; None: as the answer says
    body: str = ""  # a pattern for the body


TARGETS = [
    Row("two slashes", get(b"//"), 404),
    Row("two slashes are no authority", get(b"//x/health"), 404),
    Row("a slash at the end", get(b"/health/"), 404),
    Row("capitals", get(b"/HEALTH"), 404),
    Row("a dot segment", get(b"/./health"), 200, body='"status": "ok"'),
    Row("two dots", get(b"/a/../health"), 200, body='"status": "ok"'),
    Row("two dots above the root", get(b"/../../health"), 200),
    Row("two dots towards a file", get(b"/../../../../etc/passwd"), 404),
    Row("absolute form", get(b"http://h/health"), 200, body='"status": "ok"'),
    Row("absolute form with a query", get(b"http://h:80/incidents?limit=7"), 200, body='"limit": 7'),
    Row("no leading slash", get(b"health"), 400, closes=None),
    Row("a fragment", get(b"/health#x"), 400, closes=None),
    Row("an asterisk for GET", get(b"*"), 400, closes=None),
    Row("a raw byte of 0x80", get(b"/\x80"), 400, closes=None),
    Row("raw UTF-8", get("/caf\u00e9".encode()), 400, closes=None),
    Row("a lone percent in the path", get(b"/%"), 404),
    Row("a broken escape in the path", get(b"/%zz"), 404),
    Row("a lone percent in the query", get(b"/incidents?limit=%"), 200),
    Row("a broken escape in the query", get(b"/incidents?limit=%zz"), 200),
    Row("an escaped 0xFF in the path", get(b"/%FF"), 404),
    Row("a quote and a backslash in the path", get(b'/a"b\\c'), 404),
    Row("NUL, LF and 0xFF escaped in the query", get(b"/quote-legacy?scenario=%00%0A%FF"), 200, body="\ufffd"),
    Row("an empty query", get(b"/health?"), 200),
    Row("a target of 8 KiB", get(b"/" + b"a" * 8191), 404),
    Row("a target over 8 KiB", get(b"/" + b"a" * 8300), 414, closes=True),
    Row("a target over 8 KiB that is not finished", b"GET /" + b"a" * 9000, 414, closes=True),
]
METHODS = [
    Row("OPTIONS on a path", b"OPTIONS /health HTTP/1.1\r\nHost: h\r\n\r\n", 204),
    Row("OPTIONS on everything", b"OPTIONS * HTTP/1.1\r\nHost: h\r\n\r\n", 204),
    Row("DELETE where there is GET", b"DELETE /health HTTP/1.1\r\nHost: h\r\n\r\n", 405),
    Row("POST where there is GET", post(b"Content-Length: 2", target=b"/quote-legacy", body=b"hi"), 405),
    Row("POST to no route", post(b"Content-Length: 2", target=b"/nowhere", body=b"hi"), 404),
    Row("BREW", b"BREW /health HTTP/1.1\r\nHost: h\r\n\r\n", 501, closes=None),
    Row("get", b"get /health HTTP/1.1\r\nHost: h\r\n\r\n", 501, closes=None),
    Row("CONNECT", b"CONNECT h:80 HTTP/1.1\r\nHost: h\r\n\r\n", 501, closes=None),
    Row("TRACE", b"TRACE / HTTP/1.1\r\nHost: h\r\n\r\n", 501, closes=None),
]
VERSIONS = [
    Row("HTTP/1.0", get(b"/health", version=b"HTTP/1.0"), 200, closes=True),
    Row("HTTP/2.0", get(b"/", version=b"HTTP/2.0"), 505, closes=True),
    Row("HTTP/0.9", b"GET /health\r\n\r\n", 400, closes=True),
    Row("the HTTP/2 preface", b"PRI * HTTP/2.0\r\n\r\nSM\r\n\r\n", 505, closes=True),
    Row("rubbish", b"\x00\x01\x02\x03\r\n\r\n", 400, closes=True),
]
HEADERS = [
    Row("no Host", b"GET /health HTTP/1.1\r\n\r\n", 400, closes=None),
    Row("no Host in HTTP/1.0", b"GET /health HTTP/1.0\r\n\r\n", 200, closes=True),
    Row("two Hosts", get(b"/health", b"Host: i"), 400, closes=None),
    Row("a blank before the colon", get(b"/health", b"X-A : b"), 400, closes=None),
    Row("a CR in a value", get(b"/health", b"X-A: b\rc"), 400, closes=None),
    Row("a NUL in a value", get(b"/health", b"X-A: b\x00c"), 400, closes=None),
    Row("a folded line", get(b"/health", b"X-A: b", b" c"), 400, closes=None),
    Row("a leading empty line", END + get(b"/health"), 200),
    Row("a header block over 8 KiB", get(b"/health", b"X-A: " + b"b" * 9000), 431, closes=True),
    Row("a header block over 8 KiB in many lines", get(b"/health", *[b"X-%d: b" % n for n in range(1200)]), 431,
        closes=True),
    Row("a header block over 8 KiB that is not finished", b"GET / HTTP/1.1\r\nX-A: " + b"b" * 9000, 431, closes=True),
    Row("Connection: close in a list, in capitals", get(b"/health", b"Connection: foo, CLOSE"), 200, closes=True),
    Row("another expectation", get(b"/health", b"Expect: tea"), 417, closes=None),
]
BODIES = [
    Row("a body on GET", get(b"/health", b"Content-Length: 5") + b"hello", 200),
    Row("a chunked body on GET", get(b"/health", CHUNKED) + b"5\r\nhello\r\n" + LAST_CHUNK, 200),
    Row("a chunked body on a GET-only route",
        post(CHUNKED, target=b"/health", body=b"5\r\nhello\r\n" + LAST_CHUNK), 405),
    Row("a chunk extension and a trailer",
        post(CHUNKED, target=b"/health", body=b"2;a=b\r\nhi\r\n0\r\nX-T: 1\r\n\r\n"), 405),
    Row("a bad chunk size", post(CHUNKED, body=b"zz\r\nhello\r\n" + LAST_CHUNK), 400, closes=True),
    Row("a negative chunk size", post(CHUNKED, body=b"-1\r\nhello\r\n" + LAST_CHUNK), 400, closes=True),
    Row("a chunk size that overflows", post(CHUNKED, body=b"1" + b"0" * 16 + b"\r\n"), 400, closes=True),
    Row("chunked in HTTP/1.0", post(CHUNKED, body=LAST_CHUNK, version=b"HTTP/1.0"), 400, closes=True),
    Row("Content-Length, then Transfer-Encoding",
        post(b"Content-Length: 4", CHUNKED, target=b"/health", body=LAST_CHUNK + RESET), 400, closes=True),
    Row("Transfer-Encoding, then Content-Length",
        post(CHUNKED, b"Content-Length: 4", target=b"/health", body=LAST_CHUNK + RESET), 400, closes=True),
    Row("Transfer-Encoding: gzip",
        post(b"Transfer-Encoding: gzip", target=b"/health", body=RESET), 501, closes=True),
    Row("Transfer-Encoding: chunked, gzip",
        post(b"Transfer-Encoding: chunked, gzip", target=b"/health", body=RESET), 400, closes=True),
    Row("Transfer-Encoding: xchunked", post(b"Transfer-Encoding: xchunked", body=RESET), 501, closes=True),
    Row("two unequal lengths", post(b"Content-Length: 0", b"Content-Length: 5", body=b"hello"), 400, closes=True),
    Row("unequal lengths in a list", post(b"Content-Length: 0, 5", body=b"hello"), 400, closes=True),
    Row("a length with a plus", post(b"Content-Length: +5", body=b"hello"), 400, closes=True),
    Row("a negative length", post(b"Content-Length: -5", body=b"hello"), 400, closes=True),
    Row("a length that is no number", post(b"Content-Length: 0x5", body=b"hello"), 400, closes=True),
    Row("a length that overflows", post(b"Content-Length: 99999999999999999999", body=b"hello"), 400, closes=True),
]


class EveryRow(SharedLabTest):
    def setUp(self):
        super().setUp()
        self.lab.ask("/health")  # Something that a reset smuggled in would wipe out.

    def check(self, rows):
        for row in rows:
            with self.subTest(row.name), self.lab.connect(timeout_s=3) as connection:
                connection.send(row.sent)
                answer = connection.read_answer()
                self.assertEqual(answer.status, row.status, answer.body[:400])
                self.check_body(row, answer)
                self.check_connection(row, connection, answer)
                self.assertGreater(self.lab.json("/metrics")["requests_tracked"], 0, "the lab was reset")

    def check_body(self, row, answer):
        if answer.status >= 400:
            self.assertEqual(answer.header("Content-Type"), "application/json; charset=utf-8")
            self.assertEqual(list(answer.json)[-3:], ["elapsed_ms", "timestamp_utc", "pid"], answer.text)
            self.assertLessEqual({"error", "path"}, set(answer.json), answer.text)
            self.assertNotRegex(answer.text, re.compile("beast|boost|asio|exception|system:", re.I))
        if row.body:
            self.assertRegex(answer.text, row.body)
        if answer.status in (204, 405):
            methods = [each.strip() for each in answer.header("Allow").split(",")]
            self.assertEqual(len(methods), len(set(methods)), "each method once")
            self.assertLessEqual({"GET", "HEAD", "OPTIONS"}, set(methods))

    def check_connection(self, row, connection, answer):
        if row.closes is not None:
            self.assertEqual(answer.closes or answer.version == "1.0", row.closes, answer.fields)
        if answer.closes or row.closes:
            self.assertEqual(connection.read_to_close(), b"", "nothing follows the last answer")
        else:
            try:
                self.assertEqual(connection.ask("/health").status, 200)
            except ConnectionEnded as ended:
                self.fail(f"the connection was to stay open: {ended}; {answer}")

    def test_of_targets(self):
        self.check(TARGETS)

    def test_of_methods(self):
        self.check(METHODS)

    def test_of_versions(self):
        self.check(VERSIONS)

    def test_of_headers(self):
        self.check(HEADERS)

    def test_of_bodies(self):
        self.check(BODIES)

    def test_none_is_an_error_of_ours_in_the_log(self):
        self.check([*VERSIONS, *HEADERS, *BODIES])
        with self.lab.connect() as connection:
            connection.send(b"\x16\x03\x01\x02\x00\x01\x00\x01\xfc\x03\x03" + bytes(range(200)))  # A TLS hello.
            connection.read_to_close()
        self.assertEqual([record for record in self.lab.events() if record["level"] in ("error", "critical")], [])

    def test_each_refusal_is_counted_by_its_reason(self):
        self.check([Row("a target over 8 KiB", get(b"/" + b"a" * 8300), 414, closes=True)])
        self.assertEqual(self.lab.scrape().total("quote_lab_http_refused_total"), 1)
