# SPDX-License-Identifier: GPL-2.0-or-later
"""The answers of the tools that read stored messages, and messages for them to find."""

from __future__ import annotations

import json
from datetime import datetime, timedelta, timezone
from typing import Any

from lab import Lab, wait_until
from rows import complete_page
from schema import problems, whole_answer


def raw_call(lab: Lab, tool: str, /, **arguments: Any) -> dict[str, Any]:
    with lab.client() as client:
        return client.tool(tool, **arguments)


def call(lab: Lab, tool: str, /, **arguments: Any) -> dict[str, Any]:
    """Returns the facts; the text that a model reads is the same and fits the schema."""
    with lab.client() as client:
        result = client.tool(tool, **arguments)
        assert not result.get("isError"), result
        [block] = result["content"]
        assert json.loads(block["text"]) == result["structuredContent"]
        tools = client.call("tools/list").result["tools"]
    [schema] = [entry["outputSchema"] for entry in tools if entry["name"] == tool]
    assert problems(result["structuredContent"], schema) == []
    assert problems(result["structuredContent"], whole_answer(tool)) == []
    return complete_page(result["structuredContent"])


def refusal(lab: Lab, tool: str, **arguments: Any) -> dict[str, Any]:
    result = raw_call(lab, tool, **arguments)
    assert result["isError"], result
    facts = json.loads(result["content"][-1]["text"])
    assert facts["message"] and facts["fix"]
    return facts


def describe(lab: Lab, tool: str, parameter: str) -> str:
    """As tools/list describes it."""
    with lab.client() as client:
        [found] = [row for row in client.call("tools/list").result["tools"]
                   if row["name"] == tool]
    return found["inputSchema"]["properties"][parameter]["description"]


def texts(page: dict[str, Any]) -> list[str]:
    return [message["text"] for message in page["messages"]]


def deliver(lab: Lab, number: str, *bodies: str, modem: int = 0) -> list[dict[str, Any]]:
    """Delivers them and waits until they are listed; oldest first."""
    def listed() -> list[dict[str, Any]]:
        page = call(lab, "list_sms", phone_number=number, direction="in", limit=100)
        return page["messages"][::-1]

    wanted = len(listed()) + len(bodies)
    for body in bodies:
        lab.modems[modem].deliver(number, body)
    wait_until(lambda: len(listed()) == wanted, what=f"{wanted} messages from {number}")
    return listed()[-len(bodies):]


def sims(lab: Lab) -> list[int]:
    found = raw_call(lab, "get_sms_subscriptions")["structuredContent"]["subscriptions"]
    return [sim["subscription_id"] for sim in found]


def send(lab: Lab, to: str, text: str, **more: Any) -> dict[str, Any]:
    """Returns the facts of the answer or of the error."""
    result = raw_call(lab, "send_sms", to_phone_number=to, sms_text=text,
                      **({"subscription_id": sims(lab)[0]} | more))
    return json.loads(result["content"][-1]["text"])


def next_moment() -> datetime:
    """Returns a time that is later than everything before, by more than the clock's
    resolution."""
    start = datetime.now(timezone.utc)
    grain = timedelta(milliseconds=2)
    wait_until(lambda: datetime.now(timezone.utc) > start + grain, what="the clock goes on")
    return start + grain


def in_utc(moment: datetime) -> str:
    return moment.astimezone(timezone.utc).isoformat().replace("+00:00", "Z")
