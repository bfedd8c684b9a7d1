# SPDX-License-Identifier: GPL-2.0-or-later
"""HTTP to the octet: http.client would correct what a test wants to send as it is."""

from __future__ import annotations

import json
import select
import socket
import ssl
import struct
from collections.abc import Mapping, Sequence
from contextlib import suppress
from dataclasses import dataclass
from typing import Any

from lab.dial import dial, has_pending, say_end
from modem.patience import patience

ABSENT = object()
HEADERS = {
    "Host": "localhost",
    "Content-Type": "application/json",
    "Accept": "application/json, text/event-stream",
}
BODYLESS = {100, 204, 304}

Value = str | Sequence[str] | None


class Closed(Exception):
    """The peer closed or reset the connection before its reply was complete."""


class Number(str):
    """A JSON number as it was written."""


@dataclass(frozen=True)
class Reply:
    version: str
    status: int
    headers: list[tuple[str, str]]      # in order, names in lower case
    body: bytes

    def header(self, name: str) -> str | None:
        values = [value for known, value in self.headers if known == name]
        assert len(values) <= 1, f"{name} stands {len(values)} times: {self}"
        return values[0] if values else None

    def names(self, header: str) -> set[str]:
        """The elements of a header that is a list."""
        return {name.strip() for name in (self.header(header) or "").split(",")}

    @property
    def json(self) -> Any:
        return json.loads(self.body, parse_int=Number, parse_float=Number)

    @property
    def result(self) -> Any:
        assert self.status == 200 and "result" in self.json, self
        return json.loads(self.body)["result"]

    @property
    def error(self) -> tuple[int, int]:
        """HTTP status and code of a JSON-RPC error."""
        assert set(self.json) <= {"jsonrpc", "id", "error"}, self
        assert self.json["error"]["message"], self
        return self.status, int(self.json["error"]["code"])


def rpc(method: str, params: Any = ABSENT, id: Any = 1) -> bytes:
    """A JSON-RPC request; a notification with id=ABSENT."""
    message = {"jsonrpc": "2.0", "id": id, "method": method, "params": params}
    return json.dumps({k: v for k, v in message.items() if v is not ABSENT}).encode()


def request(body: bytes = b"", headers: Mapping[str, Value] | None = None,
            method: str = "POST", path: str = "/mcp", version: str = "HTTP/1.1") -> bytes:
    """None omits a header, a list repeats it."""
    lines = [f"{method} {path} {version}"]
    wanted = HEADERS | {"Content-Length": str(len(body))} | dict(headers or {})
    for name, value in wanted.items():
        values = [value] if isinstance(value, str) else value or []
        lines += [f"{name}: {one}" for one in values]
    return "\r\n".join(lines + ["", ""]).encode("latin-1") + body


def chunk(data: bytes) -> bytes:
    return b"%x\r\n%s\r\n" % (len(data), data)


class Wire:
    """One connection; for one thread."""

    def __init__(self, port: int, source: str = "127.0.0.1", timeout: float = 5,
                 host: str = "127.0.0.1") -> None:
        self.socket = dial(port, patience(timeout), host=host, source=source)
        self.port: int = self.socket.getsockname()[1]
        self._received = b""

    def __enter__(self) -> Wire:
        return self

    def __exit__(self, *_: object) -> None:
        self.close()

    def close(self) -> None:
        self.socket.close()

    def reset(self) -> None:
        """Disconnects with RST."""
        at_once = struct.pack("ii", 1, 0)
        self.socket.setsockopt(socket.SOL_SOCKET, socket.SO_LINGER, at_once)
        self.socket.close()

    def end(self, last: bytes = b"") -> None:
        """Closes the sending side, in the same segment as `last`; a peer that already left is
        fine."""
        with suppress(OSError):
            say_end(self.socket, last)

    def send(self, data: bytes) -> bool:
        """False: the peer no longer accepts it."""
        try:
            self.socket.sendall(data)
        except (BrokenPipeError, ConnectionResetError, ssl.SSLEOFError):
            return False
        return True

    def ask(self, data: bytes) -> Reply:
        self.send(data)
        return self.receive()

    def receive(self, head_only: bool = False) -> Reply:
        """The next reply."""
        while b"\r\n\r\n" not in self._received:
            self._fill()
        head, self._received = self._received.split(b"\r\n\r\n", 1)
        status_line, *lines = head.decode("latin-1").split("\r\n")
        version, status, _ = status_line.split(" ", 2)
        pairs = [line.split(": ", 1) for line in lines]
        headers = [(name.lower(), value) for name, value in pairs]
        reply = Reply(version, int(status), headers, b"")
        assert reply.header("transfer-encoding") is None, reply
        length = int(reply.header("content-length") or 0)
        if head_only or reply.status in BODYLESS:
            return reply
        while len(self._received) < length:
            self._fill()
        body, self._received = self._received[:length], self._received[length:]
        return Reply(reply.version, reply.status, headers, body)

    def has_news(self, timeout: float) -> bool:
        """Octets or the end arrived within `timeout` seconds."""
        if self._received or has_pending(self.socket):
            return True
        readable, _, _ = select.select([self.socket], [], [], timeout)
        return bool(readable)

    def wait_closed(self) -> bytes:
        """Everything until the peer closes."""
        try:
            while True:
                self._fill()
        except Closed:
            return self._received

    def _fill(self) -> None:
        try:
            data = self.socket.recv(1 << 16)
        except (ConnectionResetError, BrokenPipeError):     # OpenSSL 3.5 answers a TLS close
            data = b""
        if not data:
            raise Closed(self._received)
        self._received += data
