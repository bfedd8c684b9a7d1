# SPDX-License-Identifier: GPL-2.0-or-later
"""Requests of both eras as octets, with marks where load.c writes a number that no other
request has, and the answer to one of them."""

from __future__ import annotations

import json
import re
import socket
from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any

MARK, MARKED = "##########", 1111111111       # JSON has no place for a mark
LEGACY, MODERN = "2025-11-25", "2026-07-28"
PREFIX = "io.modelcontextprotocol/"
META = {PREFIX + "protocolVersion": MODERN, PREFIX + "clientCapabilities": {},
        PREFIX + "clientInfo": {"name": "bench", "version": "1"}}
LENGTH = re.compile(rb"\r\ncontent-length: *(\d+)", re.IGNORECASE)
CHUNKED, LAST_CHUNK = b"\r\ntransfer-encoding: chunked", b"\r\n0\r\n\r\n"
TIMEOUT_S = 60


@dataclass(frozen=True)
class Answer:
    octets: bytes

    @property
    def head(self) -> bytes:
        return self.octets.split(b"\r\n\r\n", 1)[0]

    @property
    def body(self) -> bytes:
        return self.octets.split(b"\r\n\r\n", 1)[1]

    @property
    def headers(self) -> list[tuple[str, str]]:
        lines = self.head.decode().split("\r\n")[1:]
        return [(name, value) for name, value in (line.split(": ", 1) for line in lines)]

    @property
    def result(self) -> Any:
        assert self.head.startswith(b"HTTP/1.1 200 "), self.octets[:500]
        return json.loads(self.body)["result"]


def receive(wire: socket.socket) -> Answer:
    """Of what comes in chunks, the body is left so."""
    octets = b""
    while (head := octets.find(b"\r\n\r\n")) < 0:
        octets += wire.recv(1 << 16)
    if CHUNKED in octets[:head].lower():
        while not octets.endswith(LAST_CHUNK):
            octets += wire.recv(1 << 16)
        return Answer(octets)
    whole = head + 4 + int(LENGTH.search(octets, 0, head)[1])
    while len(octets) < whole:
        octets += wire.recv(1 << 16)
    return Answer(octets)


def marked(octets: bytes) -> bytes:
    """With a number in the place of the mark."""
    return octets.replace(MARK.encode(), str(MARKED).encode())


def ask(port: int, octets: bytes) -> Answer:
    """Over a connection of its own."""
    with socket.create_connection(("127.0.0.1", port), TIMEOUT_S) as wire:
        wire.sendall(marked(octets))
        return receive(wire)


class Requests:
    """Of one client of the daemon, with its token ("" in open mode)."""

    def __init__(self, port: int, token: str = "") -> None:
        self._port = port
        self._headers = {"Host": f"127.0.0.1:{port}", "User-Agent": "bench/1"}
        if token:
            self._headers["Authorization"] = f"Bearer {token}"
        self._headers |= {"Content-Type": "application/json",
                          "Accept": "application/json, text/event-stream"}
        self._session: dict[str, str] = {}

    def handshake(self) -> None:
        """For what is asked in the era of 2025."""
        answer = ask(self._port, self._octets("initialize", {
            "protocolVersion": LEGACY, "capabilities": {},
            "clientInfo": {"name": "bench", "version": "1"}}, {}))
        session = dict(answer.headers)["Mcp-Session-Id"]
        self._session = {"MCP-Protocol-Version": LEGACY, "Mcp-Session-Id": session}

    def legacy(self, method: str, params: Mapping[str, Any] = {}) -> bytes:
        return self._octets(method, params, self._session)

    def modern(self, method: str, params: Mapping[str, Any] = {}) -> bytes:
        headers = {"MCP-Protocol-Version": MODERN, "Mcp-Method": method}
        if "name" in params:
            headers["Mcp-Name"] = params["name"]
        return self._octets(method, {**params, "_meta": META}, headers)

    def of_era(self, era: str, method: str, params: Mapping[str, Any] = {}) -> bytes:
        return getattr(self, era)(method, params)

    def _octets(self, method: str, params: Mapping[str, Any],
                headers: Mapping[str, str]) -> bytes:
        body = json.dumps({"jsonrpc": "2.0", "id": MARKED, "method": method,
                           "params": params}, separators=(",", ":"))
        body = body.replace(str(MARKED), MARK)
        lines = self._headers | headers | {"Content-Length": str(len(body))}
        head = "".join(f"{name}: {value}\r\n" for name, value in lines.items())
        return f"POST /mcp HTTP/1.1\r\n{head}\r\n{body}".encode()


def call(name: str, **arguments: Any) -> dict[str, Any]:
    """params of tools/call"""
    return {"name": name, "arguments": arguments}
