# SPDX-License-Identifier: GPL-2.0-or-later
"""A client of one stream of server-sent events; for one thread."""

from __future__ import annotations

import json
import select
import time
from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import Any

from lab.dial import dial, has_pending
from modem.patience import patience

Value = str | None


@dataclass
class Event:
    fields: dict[str, str] = field(default_factory=dict)

    @property
    def id(self) -> str | None:
        return self.fields.get("id")

    @property
    def message(self) -> Any:
        return json.loads(self.fields["data"])

    @property
    def method(self) -> str | None:
        return self.message.get("method")

    @property
    def uri(self) -> str:
        assert self.method == "notifications/resources/updated", self
        return self.message["params"]["uri"]


class Events:
    """GET /mcp, or POST of a body, with these headers (_ stands for -; None omits the header)."""

    def __init__(self, port: int, body: bytes | None = None, *, method: str | None = None,
                 receive_buffer: int = 0, host: str = "127.0.0.1", **headers: Value) -> None:
        self.socket = dial(port, patience(10), host=host, receive_buffer=receive_buffer)
        self.comments = 0
        self.ended = False          # the last chunk has arrived
        self.closed = False
        self._received = b""
        self._text = b""
        self._events: list[Event] = []
        method = method or ("GET" if body is None else "POST")
        self.socket.sendall(self._request(method, body or b"", headers))
        self._read_head()

    def __enter__(self) -> Events:
        return self

    def __exit__(self, *_: object) -> None:
        self.socket.close()

    @staticmethod
    def _request(method: str, body: bytes, headers: Mapping[str, Value]) -> bytes:
        wanted: dict[str, Value] = {
            "Host": "localhost", "Accept": "application/json, text/event-stream"}
        if body:
            wanted |= {"Content-Type": "application/json", "Content-Length": str(len(body))}
        wanted |= {name.replace("_", "-"): value for name, value in headers.items()}
        lines = [f"{name}: {value}" for name, value in wanted.items() if value is not None]
        return "\r\n".join([f"{method} /mcp HTTP/1.1", *lines, "", ""]).encode() + body

    def _read_head(self) -> None:
        while b"\r\n\r\n" not in self._received:
            assert self._fill(10), "no answer"
        head, self._received = self._received.split(b"\r\n\r\n", 1)
        status, *lines = head.decode().split("\r\n")
        self.status = int(status.split(" ")[1])
        self.headers = {name.lower(): value for name, value in
                        (line.split(": ", 1) for line in lines)}
        self._decode()

    def _fill(self, timeout: float) -> bool:
        """False: nothing arrived within `timeout` seconds (scaled), or the peer closed."""
        readable = has_pending(self.socket)
        if not readable:
            readable, _, _ = select.select([self.socket], [], [], patience(timeout))
        if not readable or self.closed:
            return False
        try:
            data = self.socket.recv(1 << 16)
        except ConnectionResetError:
            data = b""
        self.closed = not data
        self._received += data
        return not self.closed

    def _decode(self) -> None:
        """Decodes complete chunks into text."""
        if self.headers.get("transfer-encoding") != "chunked":
            return
        while b"\r\n" in self._received and not self.ended:
            size, rest = self._received.split(b"\r\n", 1)
            length = int(size, 16)
            if len(rest) < length + 2:
                return
            self._text += rest[:length]
            self._received = rest[length + 2:]
            self.ended = length == 0
        self._parse()

    def _parse(self) -> None:
        """Parses complete blocks into events."""
        while b"\n\n" in self._text:
            block, self._text = self._text.split(b"\n\n", 1)
            lines = [line for line in block.decode().split("\n") if line]
            self.comments += sum(line.startswith(":") for line in lines)
            pairs = [line.split(":", 1) for line in lines if not line.startswith(":")]
            if pairs:
                self._events.append(
                    Event({name: value.lstrip(" ") for name, value in pairs}))

    def poll(self, timeout: float) -> Event | None:
        """The next event, or None if none arrives within `timeout` or the stream has ended."""
        deadline = time.monotonic() + patience(timeout)
        while not self._events:
            left = deadline - time.monotonic()
            if self.ended or left <= 0 or not self._fill(left / patience(1)):
                return None
            self._decode()
        return self._events.pop(0)

    def next(self, timeout: float = 10) -> Event:
        event = self.poll(timeout)
        assert event is not None, f"no event; ended: {self.ended}, closed: {self.closed}"
        return event

    def next_message(self, timeout: float = 10) -> Event:
        """The next event that is more than an ID."""
        while not (event := self.next(timeout)).fields.get("data"):
            pass
        return event

    def wait_comment(self, timeout: float = 10) -> None:
        """Waits for the first byte: from then on the stream receives every event."""
        while not self.comments:
            assert self._fill(timeout), "no first byte"
            self._decode()

    def rest(self) -> bytes:
        """The body of an answer that is not a stream."""
        length = int(self.headers.get("content-length", 0))
        while len(self._received) < length:
            assert self._fill(10), "the answer is cut"
        return self._received[:length]

    def wait_end(self, timeout: float = 10) -> list[Event]:
        """The remaining events until the stream ends or the connection is closed."""
        events = []
        deadline = time.monotonic() + patience(timeout)
        while time.monotonic() < deadline:
            if event := self.poll(0.2):
                events.append(event)
            elif self.ended or self.closed:
                return events
        raise AssertionError(f"the stream goes on: {events}")
