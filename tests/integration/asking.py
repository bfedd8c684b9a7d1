# SPDX-License-Identifier: GPL-2.0-or-later
"""Clients that can ask their user and return the answer: in 2026 by repeating the call, in
2025 while the call waits."""

from __future__ import annotations

import json
from typing import Any

from agent import TO, Result
from events import Events
from lab import Lab
from legacy_session import FORMS, LegacySession
from modern import Request, call
from wire import Reply

KEY = "subscription_id"
READING_S = 3                       # a user has read the question by then


def is_sent(lab: Lab, text: str) -> int:
    """Counts it on every SIM."""
    return sum(submit.text == text for modem in lab.modems for submit in modem.taken)


class Modern:
    """One send_sms call and the state that it carries."""

    tool = "send_sms"
    key = KEY                               # the name of the question's only field
    reads = False                           # the user does, before each answer

    def __init__(self, lab: Lab, text: str, capabilities: Any = FORMS,
                 token: str | None = None, **more: Any) -> None:
        self._lab = lab
        self.arguments = {"to_phone_number": TO, "sms_text": text} | more
        self.capabilities = capabilities
        self.state: Any = None
        self._token = token

    def ask(self, **params: Any) -> Reply:
        asked: Request = call(self.tool, self.arguments, **params)
        asked = asked.meta(clientCapabilities=self.capabilities)
        if self._token:
            asked = asked.header(Authorization=f"Bearer {self._token}")
        return asked.ask(self._lab.gateway.port)

    def question(self, **params: Any) -> dict[str, Any]:
        """The question that the call leads to: its form and its message."""
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
        if self.reads:
            self._lab.clock.sleep(READING_S)
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


class Legacy(LegacySession):
    """A client that can ask and may send."""

    def __init__(self, lab: Lab, version: str = "2025-11-25", capabilities: Any = FORMS,
                 token: str | None = None) -> None:
        super().__init__(lab.gateway, version, capabilities, token)

    def send(self, text: str, id: Any = 7, accept_header: str | None = None,
             **more: Any) -> Events:
        headers = {"Accept": accept_header} if accept_header else {}
        arguments = {"to_phone_number": TO, "sms_text": text} | more
        return self.call("send_sms", arguments, id, **headers)


def result_of(events: Events, id: Any = 7) -> Result:
    message = events.next_message().message
    assert message["id"] == id, message
    assert events.wait_end() == []
    return Result(message["result"])


def plain_result(events: Events) -> Result:
    """The answer is not a stream."""
    assert events.headers["content-type"] == "application/json"
    return Result(json.loads(events.rest())["result"])
