# SPDX-License-Identifier: GPL-2.0-or-later
"""What list_sms lists as scheduled."""

from __future__ import annotations

from collections.abc import Iterator
from datetime import datetime, timedelta, timezone
from typing import Any

import pytest

from agent import seconds_ahead
from lab import Lab
from reading import call, raw_call, refusal, send, sims, texts

HOUR_S = 3600


@pytest.fixture(autouse=True)
def nothing_stays_scheduled(lab: Lab) -> Iterator[None]:
    yield
    for row in listed(lab, limit=100)["messages"]:
        raw_call(lab, "cancel_sms", message_id=row["message_id"])


def listed(lab: Lab, **filters: Any) -> dict[str, Any]:
    return call(lab, "list_sms", state="scheduled", **filters)


def schedule(lab: Lab, to: str, text: str, hours: float) -> dict[str, Any]:
    return send(lab, to, text, send_at=seconds_ahead(hours * HOUR_S))


def test_scheduled_messages_are_listed_by_their_time(lab: Lab, number: str) -> None:
    send(lab, number, "goes at once")
    late = schedule(lab, number, "late", 30)
    soon = schedule(lab, number, "soon", 20)
    cancelled = schedule(lab, number, "not after all", 10)
    raw_call(lab, "cancel_sms", message_id=cancelled["message_id"])
    page = listed(lab, phone_number=number)
    assert texts(page) == ["soon", "late"] and page["count"] == 2
    for row, facts in zip(page["messages"], (soon, late)):
        assert row["message_id"] == facts["message_id"] and row["state"] == "scheduled"
        assert datetime.fromisoformat(row["send_at"]) == datetime.fromisoformat(facts["send_at"])


def test_scheduled_messages_are_filtered(lab: Lab, number: str) -> None:
    schedule(lab, number, "Álmák", 20)
    schedule(lab, number, "pears", 21)
    schedule(lab, number, "plums", 22)
    now = datetime.now(timezone.utc)
    since, until = ((now + timedelta(hours=hours)).isoformat() for hours in (20.5, 21.5))
    spaced = f"{number[:5]} {number[5:]}"
    assert texts(listed(lab, phone_number=spaced)) == ["Álmák", "pears", "plums"]
    assert texts(listed(lab, phone_number=number, search="áLMá")) == ["Álmák"]
    assert texts(listed(lab, phone_number=number, since=since)) == ["pears", "plums"]
    assert texts(listed(lab, phone_number=number, since=since, until=until)) == ["pears"]
    assert texts(listed(lab, phone_number=number, direction="out")) == ["Álmák", "pears", "plums"]
    for nothing in ({"direction": "in"}, {"unread_only": True},
                    {"subscription_id": sims(lab)[1]}):
        assert texts(listed(lab, phone_number=number, **nothing)) == []


@pytest.mark.parametrize("hours", [1, 40], ids=["earlier", "later"])
def test_the_next_page_misses_no_message_though_the_last_one_was_moved(
        lab: Lab, number: str, hours: float) -> None:
    rows = [schedule(lab, number, f"message {i}", 20 + i) for i in range(4)]
    page = listed(lab, phone_number=number, limit=2)
    assert texts(page) == ["message 0", "message 1"]
    raw_call(lab, "edit_sms", message_id=rows[1]["message_id"],
             send_at=seconds_ahead(hours * HOUR_S))
    rest = listed(lab, phone_number=number, cursor=page["next_cursor"])
    assert texts(rest)[:2] == ["message 2", "message 3"] and "next_cursor" not in rest


def test_pages_divide_messages_of_the_same_time(lab: Lab, number: str) -> None:
    moment = seconds_ahead(20 * HOUR_S)
    for i in range(5):
        send(lab, number, f"message {i}", send_at=moment)
    seen, cursor = [], {}
    while len(seen) < 5:
        page = listed(lab, phone_number=number, limit=2, **cursor)
        seen += texts(page)
        cursor = {"cursor": page.get("next_cursor")}
    assert seen == [f"message {i}" for i in range(5)] and cursor == {"cursor": None}


def test_a_cursor_of_the_other_order_is_refused(lab: Lab, number: str) -> None:
    for i in range(2):
        schedule(lab, number, f"message {i}", 20 + i)
    theirs = call(lab, "list_sms", phone_number=number, limit=1)["next_cursor"]
    ours = listed(lab, phone_number=number, limit=1)["next_cursor"]
    for wrong in ({"cursor": theirs, "state": "scheduled"}, {"cursor": ours},
                  {"cursor": ours[:-1], "state": "scheduled"},
                  {"cursor": ours.split(".")[0], "state": "scheduled"}):
        assert refusal(lab, "list_sms", **wrong)["code"] == "invalid_arguments"


@pytest.mark.parametrize("state", ["sent", "later"])
def test_another_state_is_refused(lab: Lab, state: str) -> None:
    facts = refusal(lab, "list_sms", state=state)
    assert facts["code"] == "invalid_arguments" and "state" in facts["message"]


def test_an_empty_state_counts_as_not_given(lab: Lab) -> None:
    """Hosts send every parameter; "" can mean nothing else here."""
    assert call(lab, "list_sms", state="") == call(lab, "list_sms")
