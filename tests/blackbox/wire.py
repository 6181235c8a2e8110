"""A client that says on the wire exactly what a test wants said, and reads exactly one answer at a time.

Used by every test file. http.client is no use here: it refuses to send what is malformed, and hides whether an
answer was framed rightly. Limits: HTTP/1.x to 127.0.0.1; answers are framed by Content-Length, for the lab sends
no other kind. An answer that is framed wrongly is a ValueError with the bytes in it.
"""
import json
import re
import socket
import struct
from dataclasses import dataclass, field

from timing import now_ms, slack

STATUS_LINE = re.compile(rb"^HTTP/1\.([01]) (\d{3}) ([^\r\n]*)$")
FIELD_LINE = re.compile(rb"^([!#$%&'*+.^_`|~0-9A-Za-z-]+):[ \t]*([^\x00-\x08\x0a-\x1f\x7f]*?)[ \t]*$")


class ConnectionEnded(Exception):
    """The lab closed or reset the connection where an answer was expected."""


@dataclass(frozen=True)
class Answer:
    version: str
    status: int
    reason: str
    fields: list = field(repr=False)
    body: bytes = b""
    took_ms: float = 0.0

    def header(self, name):
        """The value of the one header of that name, or None; two of them are an error."""
        values = [value for key, value in self.fields if key == name.lower()]
        if len(values) > 1:
            raise ValueError(f"{name} is sent {len(values)} times: {values}")
        return values[0] if values else None

    @property
    def text(self):
        return self.body.decode("utf-8")

    @property
    def json(self):
        return json.loads(self.text)

    @property
    def closes(self):
        """Whether the answer says that the connection ends with it."""
        return "close" in (self.header("Connection") or "").lower()


def request(path, method="GET", headers=None, body=b"", version="1.1"):
    """The bytes of a well-formed request."""
    lines = [f"{method} {path} HTTP/{version}", "Host: 127.0.0.1"]
    lines += [f"{name}: {value}" for name, value in (headers or {}).items()]
    if body:
        lines.append(f"Content-Length: {len(body)}")
    return "\r\n".join(lines).encode("latin-1") + b"\r\n\r\n" + body


class Connection:
    def __init__(self, port, timeout_s=10.0, receive_buffer_bytes=None):
        self.socket = socket.socket(socket.AF_INET, socket.SOCK_STREAM)
        if receive_buffer_bytes:
            self.socket.setsockopt(socket.SOL_SOCKET, socket.SO_RCVBUF, receive_buffer_bytes)
        self.socket.settimeout(slack(timeout_s))
        self.socket.connect(("127.0.0.1", port))
        self.socket.setsockopt(socket.IPPROTO_TCP, socket.TCP_NODELAY, 1)
        self.unread = b""

    def __enter__(self):
        return self

    def __exit__(self, *_):
        self.close()

    def send(self, *pieces):
        """Each piece goes out by itself; TCP may still join them."""
        for piece in pieces:
            self.socket.sendall(piece)

    def ask(self, path, method="GET", headers=None, body=b"", version="1.1"):
        """Sends a request and reads its answer."""
        started = now_ms()
        self.send(request(path, method, headers, body, version))
        return self.read_answer(to_head=method == "HEAD", started_ms=started)

    def _receive(self):
        try:
            piece = self.socket.recv(65536)
        except ConnectionError as error:
            raise ConnectionEnded(f"{error!r} after {self.unread[:200]!r}") from error
        if not piece:
            raise ConnectionEnded(f"closed after {self.unread[:200]!r}")
        self.unread += piece

    def read_answer(self, to_head=False, started_ms=None):
        """Reads one answer and not a byte more. `to_head`: it answers HEAD, so that no body follows."""
        started = now_ms() if started_ms is None else started_ms
        while b"\r\n\r\n" not in self.unread:
            self._receive()
        head, rest = self.unread.split(b"\r\n\r\n", 1)
        status_line, *lines = head.split(b"\r\n")
        match = STATUS_LINE.match(status_line)
        if not match:
            raise ValueError(f"no status line: {status_line[:200]!r}")
        fields = []
        for line in lines:
            pair = FIELD_LINE.match(line)
            if not pair:
                raise ValueError(f"no field line: {line[:200]!r}")
            fields.append((pair[1].decode().lower(), pair[2].decode("latin-1")))
        answer = Answer("1." + match[1].decode(), int(match[2]), match[3].decode(), fields)
        bodiless = to_head or answer.status < 200 or answer.status in (204, 304)
        length = 0 if bodiless else self._body_bytes(answer)
        self.unread = rest
        while len(self.unread) < length:
            self._receive()
        body, self.unread = self.unread[:length], self.unread[length:]
        return Answer(answer.version, answer.status, answer.reason, fields, body, now_ms() - started)

    @staticmethod
    def _body_bytes(answer):
        length = answer.header("Content-Length")
        if length is None or not length.isdigit() or answer.header("Transfer-Encoding"):
            raise ValueError(f"an answer that is not framed by Content-Length: {answer.status} {answer.fields}")
        return int(length)

    def read_to_close(self):
        """All that still comes; returns once the lab has closed (or reset) the connection."""
        try:
            while True:
                self._receive()
        except ConnectionEnded:
            rest, self.unread = self.unread, b""
            return rest

    def half_close(self):
        self.socket.shutdown(socket.SHUT_WR)

    def reset(self):
        """Leaves by RST, as a client does whose process was killed with unread bytes."""
        self.socket.setsockopt(socket.SOL_SOCKET, socket.SO_LINGER, struct.pack("ii", 1, 0))
        self.socket.close()

    def close(self):
        self.socket.close()


def ask_at_once(port, paths):
    """One connection a path, all asked in the same instant, the answers in the order of the paths.

    Connecting and reading take place before and after, so that a thousand cost no more than one loop over sends.
    """
    connections = [Connection(port, timeout_s=30) for _ in paths]
    try:
        for connection, path in zip(connections, paths):
            connection.send(request(path))
        return [connection.read_answer() for connection in connections]
    finally:
        for connection in connections:
            connection.close()
