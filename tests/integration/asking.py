# SPDX-License-Identifier: GPL-2.0-or-later
"""Clients that can ask their person, and answer for it: of 2026 by repeating the call, of
2025 while it waits."""

from __future__ import annotations

import json
from typing import Any

from agent import TO, Result
from events import Event, Events
from lab import Lab
from lab.mcp_client import Answer, McpClient
from modern import Request, call
from wire import Reply, rpc

FORMS: dict[str, Any] = {"elicitation": {}}
KEY = "subscription_id"


def is_sent(lab: Lab, text: str) -> int:
    """How often, from any SIM."""
    return sum(submit.text == text for modem in lab.modems for submit in modem.taken)


class Modern:
    """One send_sms and the state that it carries."""

    key = KEY                               # of the question

    def __init__(self, lab: Lab, text: str, capabilities: Any = FORMS,
                 token: str | None = None, **more: Any) -> None:
        self._lab = lab
        self.arguments = {"to_phone_number": TO, "sms_text": text} | more
        self.capabilities = capabilities
        self.state: Any = None
        self._token = token

    def ask(self, **params: Any) -> Reply:
        asked: Request = call("send_sms", self.arguments, **params)
        asked = asked.meta(clientCapabilities=self.capabilities)
        if self._token:
            asked = asked.header(Authorization=f"Bearer {self._token}")
        return asked.ask(self._lab.gateway.port)

    def question(self, **params: Any) -> dict[str, Any]:
        """The call gives one; its form and message."""
        result = self.ask(**params).result
        assert result["resultType"] == "input_required", result
        assert set(result) == {"resultType", "_meta", "inputRequests", "requestState"}
        [(key, asked)] = result["inputRequests"].items()
        assert key == self.key
        assert asked["method"] == "elicitation/create"
        assert asked["params"]["mode"] == "form"
        self.state = result["requestState"]
        return asked["params"]

    def repeat(self, response: Any, **more: Any) -> Reply:
        return self.ask(**{"requestState": self.state,
                           "inputResponses": {self.key: response}} | more)

    def choose(self, sim: int) -> Result:
        return self.result(self.repeat(accept(sim)))

    @staticmethod
    def result(reply: Reply) -> Result:
        assert reply.result["resultType"] == "complete", reply
        return Result(reply.result)


def accept(sim: Any) -> dict[str, Any]:
    return {"action": "accept", "content": {"subscription_id": str(sim)}}


class Legacy:
    """A session that can ask, and calls in it whose answers are streams."""

    def __init__(self, lab: Lab, version: str = "2025-11-25", capabilities: Any = FORMS,
                 token: str | None = None) -> None:
        self.port = lab.gateway.port
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

    def send(self, text: str, id: Any = 7, accept_header: str | None = None,
             **more: Any) -> Events:
        arguments = {"to_phone_number": TO, "sms_text": text} | more
        headers = dict(self.headers)
        if accept_header:
            headers["Accept"] = accept_header
        return Events(self.port, rpc("tools/call", {
            "name": "send_sms", "arguments": arguments}, id), **headers)

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


def result_of(events: Events, id: Any = 7) -> Result:
    message = events.next_message().message
    assert message["id"] == id, message
    assert events.wait_end() == []
    return Result(message["result"])


def plain_result(events: Events) -> Result:
    """Not a stream."""
    assert events.headers["content-type"] == "application/json"
    return Result(json.loads(events.rest())["result"])
