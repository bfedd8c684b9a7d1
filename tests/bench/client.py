# SPDX-License-Identifier: GPL-2.0-or-later
"""A client with little overhead: requests prepared in advance, one kept-alive socket, no
parsing while the clock runs. Every answer is checked afterwards: 200, its own ID, no error."""

from __future__ import annotations

import itertools
import json
import re
import select
import socket
import time
from typing import Any

HEAD = ("POST /mcp HTTP/1.1\r\nHost: localhost\r\nContent-Type: application/json\r\n"
        "Accept: application/json, text/event-stream\r\nContent-Length: {}\r\n\r\n")
LENGTH = re.compile(rb"\r\ncontent-length: *(\d+)", re.IGNORECASE)
FIRST_ID = 1_000_000            # all of one length, so that Content-Length stays the same
TIMEOUT_S = 150

ids = itertools.count(FIRST_ID)


class Request:
    """JSON-RPC; each `octets()` has a new id."""

    def __init__(self, method: str, params: Any = None) -> None:
        message = {"jsonrpc": "2.0", "id": FIRST_ID, "method": method}
        if params is not None:
            message["params"] = params
        body = json.dumps(message, ensure_ascii=False).encode()
        whole = HEAD.format(len(body)).encode() + body
        self._before, self._after = whole.split(b"%d" % FIRST_ID, 1)

    def octets(self) -> tuple[int, bytes]:
        number = next(ids)
        return number, b"%s%d%s" % (self._before, number, self._after)


def tool(name: str, **arguments: Any) -> Request:
    return Request("tools/call", {"name": name, "arguments": arguments})


class Client:
    def __init__(self, port: int) -> None:
        self._socket = socket.create_connection(("127.0.0.1", port), TIMEOUT_S)
        self._socket.setsockopt(socket.IPPROTO_TCP, socket.TCP_NODELAY, 1)
        self._pending = 0

    def close(self) -> None:
        self._socket.close()

    def send(self, request: Request) -> None:
        self._pending, octets = request.octets()
        self._socket.sendall(octets)

    @property
    def is_answered(self) -> bool:
        return bool(select.select([self._socket], [], [], 0)[0])

    def receive(self) -> tuple[int, Any]:
        """When the answer was complete (ns), and its result."""
        data = self._socket.recv(1 << 20)
        while (head := data.find(b"\r\n\r\n")) < 0:
            data += self._more()
        whole = head + 4 + int(LENGTH.search(data, 0, head)[1])
        while len(data) < whole:
            data += self._more()
        return time.perf_counter_ns(), self._check(data, data[head + 4:])

    def time(self, request: Request) -> int:
        """Nanoseconds from the first octet out to the last octet in."""
        self._pending, octets = request.octets()
        began = time.perf_counter_ns()
        self._socket.sendall(octets)
        ended, _ = self.receive()
        return ended - began

    def ask(self, request: Request) -> Any:
        """structuredContent, or the whole result if the request is not a tool call."""
        self.send(request)
        result = self.receive()[1]
        return result.get("structuredContent", result)

    def _more(self) -> bytes:
        data = self._socket.recv(1 << 20)
        if not data:
            raise ConnectionError("the gateway closed the connection")
        return data

    def _check(self, data: bytes, body: bytes) -> Any:
        answer = json.loads(body)
        if not data.startswith(b"HTTP/1.1 200 ") or answer["id"] != self._pending \
                or "result" not in answer or answer["result"].get("isError"):
            raise AssertionError(f"no good answer: {data[:500]!r}")
        return answer["result"]
