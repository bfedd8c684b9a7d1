# SPDX-License-Identifier: GPL-2.0-or-later
"""Requests of MCP 2026-07-28: the envelope in the body, repeated in the headers."""

from __future__ import annotations

import json
from dataclasses import dataclass, field, replace
from typing import Any

from wire import ABSENT, Reply, Value, Wire, request

VERSION = "2026-07-28"
PREFIX = "io.modelcontextprotocol/"
PARSE_ERROR, INVALID_REQUEST, METHOD_NOT_FOUND, INVALID_PARAMS = (
    -32700, -32600, -32601, -32602)
HEADER_MISMATCH, MISSING_CAPABILITY, UNSUPPORTED_VERSION = -32020, -32021, -32022
CLIENT = {"name": "test", "version": "1"}
META = {PREFIX + "protocolVersion": VERSION, PREFIX + "clientCapabilities": {},
        PREFIX + "clientInfo": CLIENT}


@dataclass(frozen=True)
class Request:
    """A valid request until it is changed: Request("tools/list").header(Mcp_Method=None)."""

    method: str
    params: dict[str, Any] = field(default_factory=dict)
    id: Any = 1
    meta_members: Any = field(default_factory=lambda: dict(META))
    changed: dict[str, Value] = field(default_factory=dict)

    def meta(self, **members: Any) -> Request:
        """Sets members by the last word of their name; ABSENT removes one."""
        meta = self.meta_members | {PREFIX + name: value for name, value in members.items()}
        kept = {name: value for name, value in meta.items() if value is not ABSENT}
        return replace(self, meta_members=kept)

    def header(self, **headers: Value) -> Request:
        """`headers` with _ for -; None removes one, a list repeats it."""
        named = {name.replace("_", "-"): value for name, value in headers.items()}
        return replace(self, changed=self.changed | named)

    def claiming(self, version: Any) -> Request:
        """Claims this version in body and header."""
        return self.meta(protocolVersion=version).header(MCP_Protocol_Version=version)

    @property
    def body(self) -> bytes:
        params = dict(self.params)
        if self.meta_members is not ABSENT:
            params["_meta"] = self.meta_members
        message = {"jsonrpc": "2.0", "id": self.id, "method": self.method,
                   "params": params}
        return json.dumps({k: v for k, v in message.items() if v is not ABSENT}).encode()

    @property
    def headers(self) -> dict[str, Value]:
        headers: dict[str, Value] = {"MCP-Protocol-Version": VERSION,
                                     "Mcp-Method": self.method}
        for name in ("name", "taskId"):
            if isinstance(self.params.get(name), str):
                headers["Mcp-Name"] = self.params[name]
        return headers | self.changed

    @property
    def octets(self) -> bytes:
        return request(self.body, self.headers)

    def ask(self, port: int) -> Reply:
        """Sends it on a new connection and returns the reply."""
        with Wire(port, timeout=60) as wire:
            return wire.ask(self.octets)


def call(name: Any, arguments: Any = ABSENT, **more: Any) -> Request:
    params = {"name": name, "arguments": arguments} | more
    return Request("tools/call", {k: v for k, v in params.items() if v is not ABSENT})
