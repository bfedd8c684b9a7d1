# SPDX-License-Identifier: GPL-2.0-or-later
"""An agent that uses the tools, and what the gateway answers it."""

from __future__ import annotations

import json
from dataclasses import dataclass
from typing import Any

from lab import Lab, wait_until

TO = "+36301234567"
SOON_S = 1          # the list of SIMs is right within a second


@dataclass(frozen=True)
class Result:
    """The result of one tools/call."""

    raw: dict[str, Any]

    @property
    def is_error(self) -> bool:
        return self.raw.get("isError", False)

    @property
    def text(self) -> str:
        return self.raw["content"][0]["text"]

    @property
    def facts(self) -> dict[str, Any]:
        """The second block: structuredContent again, or the facts of an error."""
        return json.loads(self.raw["content"][1]["text"])

    @property
    def structured(self) -> dict[str, Any]:
        return self.raw["structuredContent"]

    @property
    def message_id(self) -> int:
        return self.structured["message_id"]

    @property
    def code(self) -> str:
        """Of an error; empty for a success."""
        return self.facts["code"] if self.is_error else ""


class Agent:
    """Each call has a connection of its own, so any thread may call."""

    def __init__(self, lab: Lab, token: str | None = None) -> None:
        self._lab = lab
        self._token = token

    def call(self, tool: str, **arguments: Any) -> Result:
        with self._lab.client() as client:
            if self._token:
                client.headers["Authorization"] = f"Bearer {self._token}"
            return Result(client.tool(tool, **arguments))

    def send(self, text: str, sim: int | None = None, to: str = TO) -> Result:
        chosen = {} if sim is None else {"subscription_id": sim}
        return self.call("send_sms", to_phone_number=to, sms_text=text, **chosen)

    # ---- the SIMs, in order of slot

    def sims(self) -> list[dict[str, Any]]:
        return self.call("get_sms_subscriptions").structured["subscriptions"]

    def ids(self) -> list[int]:
        return [sim["subscription_id"] for sim in self.sims()]

    def slots(self) -> dict[int, int]:
        """Of each subscription_id."""
        return {sim["subscription_id"]: sim["sim_slot_index"] for sim in self.sims()}

    def states(self) -> list[str]:
        return [sim["state"] for sim in self.sims()]

    def wait_slots(self, slots: dict[int, int], timeout: float = SOON_S) -> None:
        wait_until(lambda: self.slots() == slots, timeout, f"the SIMs are {slots}")

    def wait_states(self, *states: str, timeout: float = SOON_S) -> None:
        wait_until(lambda: self.states() == list(states), timeout,
                   f"the SIMs are {states}")


def assert_sent(result: Result, to: str = TO) -> None:
    assert (result.text, result.is_error) == (f"SMS sent to {to}", False), result
    assert result.structured["state"] == "sent"


def assert_pending(result: Result, *states: str) -> None:
    """No error, and nothing that could be read as sent."""
    assert not result.is_error, result
    assert result.structured["state"] in states, result
    assert "not sent yet" in result.text
    assert "do not send it again" in result.text
    assert "SMS sent" not in result.text
    assert str(result.message_id) in result.text


def assert_refused(result: Result, *codes: str) -> None:
    """An error that a model can act on."""
    assert result.is_error, result
    facts = result.facts
    assert facts["code"] in codes, result
    assert facts["message"] and facts["fix"]
    assert result.text == f"{facts['message']} {facts['fix']}"
    assert isinstance(facts["retryable"], bool)
    assert ("retry_after_seconds" in facts) == facts["retryable"]
    assert "SMS sent" not in result.text
    assert "structuredContent" not in result.raw
