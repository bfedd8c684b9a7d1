# SPDX-License-Identifier: GPL-2.0-or-later
"""A session of the 2025 family: calls whose answers may be streams, and questions in those
streams."""

from __future__ import annotations

import json
from typing import Any

from events import Event, Events
from lab.gateway import Gateway
from lab.mcp_client import Answer, McpClient
from wire import rpc

FORMS: dict[str, Any] = {"elicitation": {}}


class LegacySession:
    """`headers` go with every request of the session, with _ for -; None omits a header."""

    def __init__(self, gateway: Gateway, version: str = "2025-11-25",
                 capabilities: Any = FORMS, token: str | None = None) -> None:
        self.port = gateway.port
        self.headers: dict[str, str | None] = {}
        if token:
            self.headers["Authorization"] = f"Bearer {token}"
        with self._client() as client:
            answer = client.call("initialize", {
                "protocolVersion": version, "capabilities": capabilities,
                "clientInfo": {"name": "t", "version": "1"}})
        self.headers["Mcp_Session_Id"] = answer.headers["mcp-session-id"]
        self.headers["MCP_Protocol_Version"] = version

    def _client(self) -> McpClient:
        client = McpClient(self.port)
        client.headers |= {name.replace("_", "-"): value
                           for name, value in self.headers.items() if value}
        return client

    def call(self, name: str, arguments: Any = None, id: Any = 7, token: Any = None,
             **headers: str) -> Events:
        """tools/call; `token` is the progress token."""
        params = {"name": name, "arguments": arguments or {}}
        if token is not None:
            params["_meta"] = {"progressToken": token}
        return Events(self.port, rpc("tools/call", params, id), **self.headers | headers)

    def listen(self, last_event_id: str | None = None) -> Events:
        """Opens the stream of GET."""
        return Events(self.port, **self.headers | {"Last_Event_ID": last_event_id})

    def say(self, message: dict[str, Any]) -> Answer:
        with self._client() as client:
            return client.post(json.dumps({"jsonrpc": "2.0"} | message).encode())

    def answer(self, question: Event, result: Any) -> None:
        taken = self.say({"id": question.message["id"], "result": result})
        assert (taken.status, taken.body) == (202, "")


def asked(events: Events) -> Event:
    question = events.next_message()
    assert set(question.message) == {"jsonrpc", "id", "method", "params"}
    assert question.method == "elicitation/create"
    return question
