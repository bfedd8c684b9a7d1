# SPDX-License-Identifier: GPL-2.0-or-later
"""A small MCP client over one HTTP/1.1 connection; for one thread."""

from __future__ import annotations

import http.client
import itertools
import json
from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any

from modem.patience import patience

from .dial import context_of

PROTOCOL_VERSION = "2025-11-25"
NEXT_ID = object()
HEADERS = {
    "Content-Type": "application/json",
    "Accept": "application/json, text/event-stream",
}


@dataclass(frozen=True)
class Answer:
    status: int
    headers: Mapping[str, str]      # names in lower case
    body: Any                       # parsed JSON, a list of SSE messages, or text

    @property
    def result(self) -> Any:
        if "result" not in (self.body or {}):
            raise AssertionError(f"no result: {self}")
        return self.body["result"]

    @property
    def error(self) -> Any:
        if "error" not in (self.body or {}):
            raise AssertionError(f"no error: {self}")
        return self.body["error"]


def event_messages(stream: str) -> list[Any]:
    """The JSON of every server-sent event that has data."""
    messages = []
    for event in stream.replace("\r\n", "\n").split("\n\n"):
        lines = event.split("\n")
        data = [line[5:].lstrip() for line in lines if line.startswith("data:")]
        if any(data):
            messages.append(json.loads("\n".join(data)))
    return messages


def parse(content_type: str, body: bytes) -> Any:
    if content_type.startswith("application/json"):
        return json.loads(body) if body else None
    text = body.decode(errors="replace")
    return event_messages(text) if content_type.startswith("text/event-stream") else text


class McpClient:
    def __init__(self, port: int, host: str = "127.0.0.1", path: str = "/mcp",
                 token: str | None = None, timeout: float = 150) -> None:
        self._connection = http.client.HTTPConnection(host, port, patience(timeout))
        if context := context_of(port):
            self._connection = http.client.HTTPSConnection(
                "localhost", port, timeout=patience(timeout), context=context)
        self._path = path
        self._ids = itertools.count(1)
        self.headers: dict[str, str] = dict(HEADERS)    # sent with every call
        if token:
            self.headers["Authorization"] = f"Bearer {token}"

    def __enter__(self) -> McpClient:
        return self

    def __exit__(self, *_: object) -> None:
        self.close()

    def close(self) -> None:
        self._connection.close()

    def request(self, method: str, path: str, body: bytes | None = None,
                headers: Mapping[str, str] | None = None) -> Answer:
        """Any HTTP request, read to its end; a connection that broke is closed."""
        try:
            self._connection.request(method, path, body, dict(headers or {}))
            response = self._connection.getresponse()
            content = response.read()
        except (OSError, http.client.HTTPException):
            self._connection.close()
            raise
        names = {name.lower(): value for name, value in response.getheaders()}
        body_read = parse(names.get("content-type", ""), content)
        return Answer(response.status, names, body_read)

    def post(self, body: bytes, headers: Mapping[str, str] | None = None) -> Answer:
        """Raw octets, with exactly these headers (default: the client's)."""
        return self.request("POST", self._path, body,
                            self.headers if headers is None else headers)

    def get(self, path: str) -> Answer:
        return self.request("GET", path, headers=self.headers)

    def call(self, method: str, params: Any = None, id: Any = NEXT_ID) -> Answer:
        message: dict[str, Any] = {"jsonrpc": "2.0"}
        message["id"] = next(self._ids) if id is NEXT_ID else id
        message["method"] = method
        if params is not None:
            message["params"] = params
        answer = self.post(json.dumps(message).encode())
        if isinstance(answer.body, list):           # the answer is the last one of the stream
            return Answer(answer.status, answer.headers, answer.body[-1])
        return answer

    def notify(self, method: str, params: Any = None) -> Answer:
        message: dict[str, Any] = {"jsonrpc": "2.0", "method": method}
        if params is not None:
            message["params"] = params
        return self.post(json.dumps(message).encode())

    def initialize(self, **capabilities: Any) -> Answer:
        """The handshake; keeps the session ID if the server assigns one."""
        answer = self.call("initialize", {
            "protocolVersion": PROTOCOL_VERSION,
            "capabilities": capabilities,
            "clientInfo": {"name": "lab", "version": "1"},
        })
        self.headers["MCP-Protocol-Version"] = answer.result["protocolVersion"]
        if "mcp-session-id" in answer.headers:
            self.headers["Mcp-Session-Id"] = answer.headers["mcp-session-id"]
        self.notify("notifications/initialized")
        return answer

    def tool(self, name: str, /, **arguments: Any) -> dict[str, Any]:
        """The result of tools/call; isError is left to the caller."""
        return self.call("tools/call", {"name": name, "arguments": arguments}).result
