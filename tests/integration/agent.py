# SPDX-License-Identifier: GPL-2.0-or-later
"""An agent that calls the tools, and the gateway's answers to it."""

from __future__ import annotations

import json
import re
import subprocess
from dataclasses import dataclass
from datetime import datetime, timedelta, timezone
from typing import Any

from lab import Lab, wait_until
from lab.gateway import Gateway
from rows import complete_page

TO = "+36301234567"
SOON_S = 10         # until the list of SIMs is right

NOTHING_DONE = ("Nothing was sent.", "Nothing was dialled.", "Nobody was called.",
                "Nothing was changed.")
# Refusals of send_sms, send_ussd and place_call, which no other tool has.
REFUSALS = {
    "invalid_number", "invalid_text", "text_too_long", "subscription_required", "asking_declined",
    "sim_absent", "sim_locked", "sim_restricted", "modem_off", "not_registered", "sim_duplicate",
    "modem_stuck", "paused_by_owner", "subscription_not_allowed", "emergency_number_blocked",
    "premium_number_blocked", "international_blocked", "recipient_not_allowed",
    "recipient_opted_out", "quiet_hours", "loop_suspected", "rate_limited", "budget_exhausted",
    "queue_full", "duplicate_suppressed", "code_not_allowed", "ussd_busy", "ussd_unavailable",
    "no_dialogue", "call_busy", "call_unavailable", "approval_required",
    "ofono_access_denied", "ofono_unavailable"}


@dataclass(frozen=True)
class Result:
    """The result of one tools/call."""

    raw: dict[str, Any]

    @property
    def is_error(self) -> bool:
        return self.raw.get("isError", False)

    @property
    def text(self) -> str:
        """What a person would read."""
        if self.is_error:
            return f"{self.facts['message']} {self.facts['fix']}"
        return self.raw["content"][0]["text"]

    @property
    def facts(self) -> dict[str, Any]:
        """The last block: structuredContent again, or the error."""
        return json.loads(self.raw["content"][-1]["text"])

    @property
    def structured(self) -> dict[str, Any]:
        return self.raw["structuredContent"]

    @property
    def page(self) -> dict[str, Any]:
        """The same with what messages and conversations leave out."""
        return complete_page(self.structured)

    @property
    def message_id(self) -> int:
        return self.facts["message_id"]

    @property
    def code(self) -> str:
        """The error's code; empty for a success."""
        return self.facts["code"] if self.is_error else ""


class Agent:
    """Each call opens its own connection, so any thread may call."""

    def __init__(self, lab: Lab, token: str | None = None) -> None:
        self._lab = lab
        self.token = token

    def call(self, tool: str, /, **arguments: Any) -> Result:
        with self._lab.client() as client:
            if self.token:
                client.headers["Authorization"] = f"Bearer {self.token}"
            return Result(client.tool(tool, **arguments))

    def send(self, text: str, sim: int | None = None, to: str = TO,
             **more: Any) -> Result:
        chosen = {} if sim is None else {"subscription_id": sim}
        return self.call("send_sms", to_phone_number=to, sms_text=text, **chosen, **more)

    def cancel(self, message_id: int) -> Result:
        return self.call("cancel_sms", message_id=message_id)

    # ---- messages

    def history(self, message_id: int) -> list[str]:
        """The states of the message, in order."""
        status = self.call("get_sms_status", history=True, message_id=message_id).structured
        return [change["state"] for change in status["changes"]]

    def state(self, message_id: int) -> str:
        return self.call("get_sms_status", message_id=message_id).structured["state"]

    def wait_state(self, message_id: int, state: str, timeout: float = 10) -> None:
        wait_until(lambda: self.state(message_id) == state, timeout,
                   f"message {message_id} is {state}")

    # ---- the SIMs, in order of slot

    def sims(self) -> list[dict[str, Any]]:
        return self.call("get_sms_subscriptions").structured["subscriptions"]

    def ids(self) -> list[int]:
        """Of the SIMs; just after a start oFono has not told any."""
        sims = wait_until(self.sims, what="a SIM is known")
        return [sim["subscription_id"] for sim in sims]

    def slots(self) -> dict[int, int]:
        """The modem of each subscription_id."""
        return {sim["subscription_id"]: sim["sim_slot_index"] for sim in self.sims()}

    def states(self) -> list[str]:
        return [sim["state"] for sim in self.sims()]

    def wait_slots(self, slots: dict[int, int], timeout: float = SOON_S) -> None:
        wait_until(lambda: self.slots() == slots, timeout, f"the SIMs are {slots}")

    def wait_states(self, *states: str, timeout: float = SOON_S) -> None:
        wait_until(lambda: self.states() == list(states), timeout,
                   f"the SIMs are {states}")


def pair(gateway: Gateway, name: str) -> str:
    """Pairs a new client and returns its token; the gateway need not run."""
    binary = gateway.command[gateway.command.index("serve") - 1]
    said = subprocess.run([binary, "pair", "--state-dir", str(gateway.state), name],
                          check=True, capture_output=True, text=True)
    assert said.stderr == ""
    [token] = set(re.findall(r"\b[0-9a-f]{64}\b", said.stdout))
    return token


def seconds_ahead(seconds: float) -> str:
    """That time, in the form of send_at."""
    moment = datetime.now(timezone.utc) + timedelta(seconds=seconds)
    return moment.isoformat(timespec="milliseconds")


def taken_texts(lab: Lab) -> list[str]:
    """The texts that the network took from the first modem, in order."""
    return [submit.text for submit in lab.modems[0].taken]


def assert_sent(result: Result, to: str = TO) -> None:
    assert not result.is_error, result
    assert result.text == f"SMS sent to {to} (message {result.message_id})", result
    assert result.structured["state"] == "sent"


def assert_already_sent(result: Result) -> None:
    """By an earlier call, at a time of the phone's clock; nothing reads as if this one had sent it."""
    assert re.match(r"Already sent at (\d{4}-\d\d-\d\d )?\d\d:\d\d "
                    rf"\(message {result.message_id}\)", result.text), result
    assert "nothing new was sent" in result.text and "SMS sent" not in result.text
    assert result.structured["state"] == "sent" and not result.is_error


def assert_pending(result: Result, *states: str) -> None:
    """The answer is not an error, and nothing in it can be read as "sent"."""
    assert not result.is_error, result
    assert result.structured["state"] in states, result
    assert "not sent yet" in result.text
    assert "do not send it again" in result.text
    assert "SMS sent" not in result.text
    assert str(result.message_id) in result.text


def assert_refused(result: Result, *codes: str) -> None:
    """The answer is an error that a model can act on."""
    assert result.is_error, result
    facts = result.facts
    assert facts["code"] in codes, result
    assert facts["message"] and facts["fix"]
    assert len(result.raw["content"]) == 1
    if facts["code"] in REFUSALS:
        assert facts["message"].endswith(NOTHING_DONE), facts
    for phrase in NOTHING_DONE:
        assert result.raw["content"][0]["text"].lower().count(phrase.lower()) <= 1, facts
    assert isinstance(facts["retryable"], bool)
    assert ("retry_after_seconds" in facts) == facts["retryable"]
    assert "SMS sent" not in result.text
    assert "structuredContent" not in result.raw
