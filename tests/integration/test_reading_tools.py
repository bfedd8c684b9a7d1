# SPDX-License-Identifier: GPL-2.0-or-later
"""list_sms, list_sms_conversations, mark_sms_read and get_sms_status."""

from __future__ import annotations

import itertools
import sqlite3
from collections.abc import Callable
from contextlib import closing
from datetime import datetime, timedelta, timezone
from typing import Any

import pytest

from lab import Lab, wait_until
from modem import Outcome
from pending import Pending
from reading import call, deliver, in_utc, next_moment, refusal, send, sims, texts

TO = "+36301234567"


# ---- list_sms ----------------------------------------------------------------------

def test_a_received_message_is_listed_with_its_facts(lab: Lab, number: str) -> None:
    sent_at = datetime(2026, 3, 4, 5, 6, 7, tzinfo=timezone(timedelta(hours=1)))
    before = datetime.now(timezone.utc) - timedelta(seconds=1)
    lab.modems[1].deliver(number, "Hello, {world}", sent_at=sent_at)
    [message] = wait_until(lambda: call(lab, "list_sms", phone_number=number)["messages"])
    created = datetime.fromisoformat(message.pop("at").replace("Z", "+00:00"))
    assert before <= created <= datetime.now(timezone.utc)
    assert message.pop("message_id") > 0
    assert message == {
        "direction": "in", "phone_number": number, "from": number, "subscription_id": sims(lab)[1],
        "trust": "unknown", "text": "Hello, {world}", "state": "received",
        "sent_time": "2026-03-04T04:06:07+00:00", "read": False, "flags": []}


def test_a_sent_message_is_listed_with_its_state(lab: Lab, number: str) -> None:
    sent = send(lab, number, "out it goes")
    [message] = call(lab, "list_sms", phone_number=number)["messages"]
    assert message["message_id"] == sent["message_id"]
    assert (message["direction"], message["state"]) == ("out", "sent")
    assert "read" not in message and "sent_time" not in message


def test_list_sms_filters_messages(lab: Lab, number: str) -> None:
    ours, other = number, f"{number}0"
    deliver(lab, ours, "Apple 100%", "banana_split")
    deliver(lab, other, "Árvíztűrő Найди")
    deliver(lab, other, "cherry", modem=1)
    send(lab, ours, "date palm")
    first, second = sims(lab)
    everything = call(lab, "list_sms", phone_number=ours)
    assert texts(everything) == ["date palm", "banana_split", "Apple 100%"]
    assert everything["count"] == 3 and "next_cursor" not in everything
    ids = [message["message_id"] for message in everything["messages"]]
    assert ids == sorted(ids, reverse=True)

    def listed(**filters: Any) -> list[str]:
        return texts(call(lab, "list_sms", **filters))

    spaced = f"{ours[:5]} {ours[5:8]}-{ours[8:]}"
    assert listed(phone_number=spaced, direction="in") == ["banana_split", "Apple 100%"]
    assert listed(phone_number=ours, direction="out") == ["date palm"]
    assert listed(phone_number=ours, unread_only=True) == ["banana_split", "Apple 100%"]
    assert listed(phone_number=ours, search="APPLE") == ["Apple 100%"]
    assert listed(phone_number=ours, search="0%") == ["Apple 100%"]
    assert listed(phone_number=ours, search="a_s") == ["banana_split"]
    assert listed(phone_number=ours, search="a%s") == []
    for phrase in "ÁRVÍZTŰRŐ", "árvíztűrő", "НАЙДИ", "найди":
        assert listed(phone_number=other, search=phrase) == ["Árvíztűrő Найди"]
    assert listed(phone_number=ours, subscription_id=second) == []
    assert listed(phone_number=other, subscription_id=second) == ["cherry"]
    assert listed(phone_number=ours, subscription_id=first, limit=1) == ["date palm"]
    assert "cherry" in listed(subscription_id=second)
    assert listed(limit=1) == ["date palm"]


def test_since_and_until_limit_the_listed_time(lab: Lab, number: str) -> None:
    deliver(lab, number, "one")
    middle = next_moment()
    next_moment()
    deliver(lab, number, "two")

    def listed(**filters: str) -> list[str]:
        return texts(call(lab, "list_sms", phone_number=number, **filters))

    eastern = middle.astimezone(timezone(timedelta(hours=5, minutes=30))).isoformat()
    assert listed(since=in_utc(middle)) == ["two"]
    assert listed(since=eastern) == ["two"]
    assert listed(until=in_utc(middle)) == ["one"]
    assert listed(since=in_utc(middle - timedelta(hours=1)), until=eastern) == ["one"]
    assert listed(since="1969-01-01T00:00:00Z") == ["two", "one"]
    assert listed(until="1969-01-01T00:00:00Z") == []


@pytest.mark.parametrize("arguments,word", [
    ({"since": "2026-11-21"}, "RFC 3339"),
    ({"since": "2026-11-21T08:30:00"}, "RFC 3339"),
    ({"since": "2026-11-21"}, "2026-11-21T00:00:00"),
    ({"until": "yesterday"}, "RFC 3339"),
    ({"since": "2026-11-21T08:30:00Z", "until": "2026-11-20T08:30:00Z"}, "not before"),
    ({"since": "2026-11-21T08:30:00Z", "until": "2026-11-21T09:30:00+01:00"}, "not before"),
    ({"subscription_id": 10 ** 20}, "64 bits"),
    ({"limit": 0}, "limit"), ({"limit": 101}, "limit"),
    ({"direction": "both"}, "in, out"),
    ({"cursor": "m1-00000000"}, "cursor"), ({"cursor": "2"}, "cursor"),
    ({"cursor": "<b>" * 50}, "cursor"),
    ({"phoneNumber": "1"}, "phone_number"), ({"serach": "x"}, "search"),
    ({"subscription_id": 0}, "leave it out"),
])
def test_bad_arguments_are_named(lab: Lab, arguments: dict[str, Any], word: str) -> None:
    facts = refusal(lab, "list_sms", **arguments)
    assert facts["code"] == "invalid_arguments"
    assert word in facts["message"]


def test_an_unknown_sim_is_refused(lab: Lab) -> None:
    assert refusal(lab, "list_sms", subscription_id=999)["code"] == "subscription_unknown"


def test_a_cursor_of_another_tool_is_refused(lab: Lab, number: str) -> None:
    deliver(lab, number, "any")
    page = call(lab, "list_sms")
    facts = refusal(lab, "list_sms", cursor=page["wait_cursor"])
    assert facts["code"] == "invalid_arguments" and "next_cursor" in facts["message"]
    assert refusal(lab, "wait_for_sms", after="w5-12345678")["code"] == "invalid_arguments"


def test_an_empty_cursor_is_the_first_page(lab: Lab, number: str) -> None:
    deliver(lab, number, "any")
    for tool in "list_sms", "list_sms_conversations", "list_calls", "find_contact":
        assert call(lab, tool, cursor="") == call(lab, tool)


def test_waiting_after_an_empty_cursor_begins_now(lab: Lab, number: str) -> None:
    deliver(lab, number, "before")
    assert not call(lab, "wait_for_sms", after="", timeout_seconds=1, **{"from": number})["found"]


def test_paging_is_complete_while_messages_arrive(
        make_lab: Callable[..., Lab]) -> None:
    lab = make_lab(modem_count=1)
    modem, bodies = lab.modems[0], [f"message {i}" for i in range(250)]
    for body in bodies:
        modem.deliver(TO, body)
    wait_until(lambda: texts(call(lab, "list_sms", limit=1)) == [bodies[-1]], 60, "all came")
    seen: list[dict[str, Any]] = []
    arguments: dict[str, Any] = {"limit": 7}
    for turn in itertools.count():
        modem.deliver(TO, f"late {turn}")
        page = call(lab, "list_sms", **arguments)
        seen += page["messages"]
        if turn == 10:
            lab.gateway.restart()               # the cursor is also valid for the next process
        if "next_cursor" not in page:
            break
        assert page["count"] == 7
        arguments["cursor"] = page["next_cursor"]
    listed = [message["text"] for message in seen if message["text"].startswith("message")]
    assert listed == bodies[::-1]
    ids = [message["message_id"] for message in seen]
    assert ids == sorted(set(ids), reverse=True)


def test_a_page_of_long_texts_ends_early(make_lab: Callable[..., Lab]) -> None:
    lab = make_lab(modem_count=1)
    bodies = [f"{i} " + "\u202e" * 2000 for i in range(24)]     # eight times as long when escaped
    for body in bodies:
        lab.modems[0].deliver(TO, body)
    wait_until(lambda: call(lab, "list_sms", search="23 ")["count"] == 1, 60, "all came")
    seen, arguments = [], {"limit": 100}
    while True:
        page = call(lab, "list_sms", **arguments)
        seen += texts(page)
        if "next_cursor" not in page:
            break
        arguments["cursor"] = page["next_cursor"]
    assert [text.split()[0] for text in seen] == [str(i) for i in reversed(range(24))]
    assert all(text.endswith("\\u{202E}" * 2000) for text in seen)


def test_only_gaps_within_the_listed_time_are_shown(make_lab: Callable[..., Lab]) -> None:
    lab = make_lab(modem_count=1)
    deliver(lab, TO, "long before", "before")
    start = datetime.now(timezone.utc)
    lab.gateway.stop()
    lab.ofonod.kill()
    lab.ofonod.start()
    lab.gateway.start()
    lab.bring_up()
    deliver(lab, TO, "behind")
    end = datetime.now(timezone.utc)

    def reasons(**filters: Any) -> list[str]:
        return [gap["reason"] for gap in call(lab, "list_sms", **filters)["gaps"]]

    assert "gateway_down" in wait_until(lambda: reasons(since=in_utc(start)))
    assert "gateway_down" not in reasons(since=in_utc(end))
    assert "gateway_down" not in reasons(until=in_utc(start - timedelta(seconds=2)))
    newest = call(lab, "list_sms", limit=1)         # begins with the message after the gap
    assert "gateway_down" not in [gap["reason"] for gap in newest["gaps"]]
    older = call(lab, "list_sms", limit=1, cursor=newest["next_cursor"])
    [gap] = [gap for gap in older["gaps"] if gap["reason"] == "gateway_down"]
    assert older["messages"][0]["at"] <= gap["from"] <= gap["until"]
    assert gap["until"] <= newest["messages"][0]["at"]
    oldest = call(lab, "list_sms", limit=1, cursor=older["next_cursor"])
    assert texts(oldest) == ["long before"] and gap not in oldest["gaps"]


# ---- list_sms_conversations, mark_sms_read -----------------------------------------

def test_a_sender_name_of_digits_is_matched_literally(lab: Lab) -> None:
    """A number matches in any spelling, but this sender is a name."""
    name = "1-800-555"
    lab.modems[0].deliver(name, "a name")
    wait_until(lambda: call(lab, "list_sms", phone_number=name)["count"] == 1,
               what="it is found")
    assert call(lab, "list_sms", phone_number="1800555")["count"] == 0


def test_conversations_are_listed_with_their_last_message(make_lab: Callable[..., Lab]) -> None:
    lab = make_lab(modem_count=1)
    deliver(lab, "+36201111111", "a1", "a2")
    deliver(lab, "Bank", "b1")
    send(lab, "+36202222222", "c1")
    deliver(lab, "+36201111111", "a3")
    page = call(lab, "list_sms_conversations")
    rows = [(row["phone_number"], row["messages"], row["unread"], row["last_message"]["text"])
            for row in page["conversations"]]
    assert rows == [("+36201111111", 3, 3, "a3"), ("+36202222222", 1, 0, "c1"),
                    ("Bank", 1, 1, "b1")]
    assert page["count"] == 3 and "next_cursor" not in page
    unread = call(lab, "list_sms_conversations", unread_only=True)["conversations"]
    assert [row["phone_number"] for row in unread] == ["+36201111111", "Bank"]
    first = call(lab, "list_sms_conversations", limit=2)
    second = call(lab, "list_sms_conversations", limit=2, cursor=first["next_cursor"])
    assert first["count"] == 2
    assert [row["phone_number"] for row in second["conversations"]] == ["Bank"]
    facts = refusal(lab, "list_sms_conversations", cursor="c3-00000000")
    assert facts["code"] == "invalid_arguments"
    ids = [message["message_id"] for message in
           call(lab, "list_sms", phone_number="+36201111111")["messages"]]
    assert call(lab, "mark_sms_read", message_ids=ids) == {"count": 3}
    unread = call(lab, "list_sms_conversations", unread_only=True)["conversations"]
    assert [row["phone_number"] for row in unread] == ["Bank"]


def test_mark_read_counts_newly_read_messages(lab: Lab, number: str) -> None:
    one, two, three = [message["message_id"] for message in
                       deliver(lab, number, "1", "2", "3")]
    sent = send(lab, number, "4")["message_id"]
    assert call(lab, "mark_sms_read", message_ids=[]) == {"count": 0}
    assert call(lab, "mark_sms_read", message_ids=[one, three, three]) == {"count": 2}
    assert call(lab, "mark_sms_read", message_ids=[one, two, sent, -1, 10**9]) == {"count": 1}
    messages = call(lab, "list_sms", phone_number=number, direction="in")["messages"]
    assert [message["read"] for message in messages] == [True] * 3
    assert call(lab, "list_sms", phone_number=number, unread_only=True)["count"] == 0


def test_everything_up_to_a_message_is_marked_read(make_lab: Callable[..., Lab]) -> None:
    lab = make_lab(modem_count=1)
    one, two, three = deliver(lab, TO, "1", "2", "3")
    [other] = deliver(lab, "Bank", "4")

    def unread() -> list[str]:
        return texts(call(lab, "list_sms", unread_only=True))

    assert call(lab, "mark_sms_read", up_to_message_id=two["message_id"]) == {"count": 2}
    assert call(lab, "mark_sms_read", up_to_message_id=two["message_id"]) == {"count": 0}
    assert unread() == ["4", "3"]
    assert call(lab, "mark_sms_read", all=True, phone_number="Bank") == {"count": 1}
    assert unread() == ["3"]
    deliver(lab, TO, "5")
    assert call(lab, "mark_sms_read", up_to_message_id=other["message_id"],
                phone_number="+36 30 1234567") == {"count": 1}
    assert unread() == ["5"]
    assert refusal(lab, "mark_sms_read", up_to_message_id=0)["code"] == "invalid_arguments"
    assert call(lab, "mark_sms_read", all=True) == {"count": 1}
    assert unread() == []


def test_all_of_many_messages_are_marked_read_in_pieces(make_lab: Callable[..., Lab]) -> None:
    """The store is filled beforehand with more than one turn of the loop reads."""
    lab = make_lab(modem_count=1)
    lab.gateway.stop()
    with closing(sqlite3.connect(lab.gateway.state / "gateway.db")) as store, store:
        store.executemany(
            "INSERT INTO message (direction, phone_number, text, created, changed, state)"
            " VALUES (1, ?, ?, 1, 1, 9)",
            [((TO, "0036301234567")[place % 2], str(place)) for place in range(1500)])
    lab.gateway.start()
    assert call(lab, "mark_sms_read", all=True, phone_number=TO) == {"count": 1500}
    assert call(lab, "list_sms", unread_only=True)["count"] == 0
    assert call(lab, "mark_sms_read", all=True) == {"count": 0}


@pytest.mark.parametrize("arguments,word", [
    ({}, "one of message_ids, up_to_message_id and all"),
    ({"all": False}, "one of message_ids, up_to_message_id and all"),
    ({"message_ids": [1], "all": True}, "one of message_ids, up_to_message_id and all"),
    ({"message_ids": [1], "phone_number": "1"}, "not with message_ids"),
    ({"message_ids": 5}, "message_ids must be an array"),
    ({"message_ids": [1, "2"]}, "message_ids[1] must be an integer"),
    ({"message_ids": [1.5]}, "message_ids[0] must be a whole number"),
])
def test_mark_read_refuses_wrong_message_ids(lab: Lab, arguments: dict[str, Any], word: str) -> None:
    facts = refusal(lab, "mark_sms_read", **arguments)
    assert facts["code"] == "invalid_arguments" and word in facts["message"]


# ---- get_sms_status ----------------------------------------------------------------

def test_the_status_lists_the_states_of_a_sent_message(lab: Lab, number: str) -> None:
    message_id = send(lab, number, "on its way")["message_id"]
    status = call(lab, "get_sms_status", history=True, message_id=message_id)
    assert [change["state"] for change in status["changes"]] == [
        "queued", "submitting", "submitted", "sent"]
    times = [change["at"] for change in status["changes"]]
    assert times == sorted(times)
    assert (status["state"], status["delivery"], status["final"]) == ("sent", "awaited", False)
    assert "does not prove" in status["meaning"]
    assert all(change["meaning"] for change in status["changes"])
    assert (status["phone_number"], status["segments"]) == (number, 1)
    assert "reached" not in status


def test_the_status_explains_a_failed_message(lab: Lab, number: str) -> None:
    lab.modems[0].plan(Outcome.cms(38))
    assert send(lab, number, "refused")["code"] == "network_refused"
    [message] = call(lab, "list_sms", phone_number=number)["messages"]
    assert (message["state"], message["reason"]) == ("failed", "network_refused")
    status = call(lab, "get_sms_status", history=True, message_id=message["message_id"],
                  wait_for="sent", wait_seconds=120)
    assert (status["state"], status["reached"]) == ("failed", False)
    last = status["changes"][-1]
    assert (last["state"], last["reason"]) == ("failed", "network_refused")
    assert "network refused it" in last["meaning"]


def test_a_received_message_has_a_final_status(lab: Lab, number: str) -> None:
    [message] = deliver(lab, number, "came in")
    status = call(lab, "get_sms_status", history=True, message_id=message["message_id"], wait_for="sent")
    assert (status["state"], status["final"]) == ("received", True)


def test_the_status_is_found_by_idempotency_key(lab: Lab, number: str) -> None:
    sent = send(lab, number, "with a key", idempotency_key=f"key of {number}")
    status = call(lab, "get_sms_status", idempotency_key=f"key of {number}")
    assert (status["message_id"], status["state"]) == (sent["message_id"], "sent")
    unused = refusal(lab, "get_sms_status", idempotency_key="nobody's")
    assert unused["code"] == "not_found" and "call send_sms" in unused["fix"]


@pytest.mark.parametrize("arguments,code", [
    ({"message_id": 10**9}, "not_found"),
    ({"message_id": -1}, "not_found"),
    ({}, "invalid_arguments"),
    ({"message_id": 1, "idempotency_key": "both"}, "invalid_arguments"),
    ({"message_id": 1, "wait_seconds": 121}, "invalid_arguments"),
    ({"message_id": 1, "wait_for": "read"}, "invalid_arguments"),
])
def test_the_status_of_an_unknown_message_is_refused(
        lab: Lab, arguments: dict[str, Any], code: str) -> None:
    assert refusal(lab, "get_sms_status", **arguments)["code"] == code


@pytest.mark.parametrize("outcome,state", [
    (Outcome.ok(), "sent"), (Outcome.cms(38), "failed")])
def test_get_sms_status_waits_for_the_outcome(lab: Lab, number: str,
                                 outcome: Outcome, state: str) -> None:
    modem = lab.modems[0]
    modem.plan(Outcome.hang())
    count = len(modem.offered)
    try:
        message_id = send(lab, number, "slow", wait_for="none")["message_id"]
        modem.wait_offered(count + 1)
        early = call(lab, "get_sms_status", history=True, message_id=message_id, wait_for="sent",
                     wait_seconds=1)
        assert (early["state"], early["final"], early["reached"]) == ("submitted", False, False)
        now = call(lab, "get_sms_status", history=True, message_id=message_id, wait_for="sent",
                   wait_seconds=0)
        assert now["reached"] is False
        waiting = Pending(lab, "get_sms_status", history=True, message_id=message_id, wait_seconds=60)
        assert not waiting.is_done
    finally:
        modem.unhang(outcome)
    status = waiting.facts()
    assert (status["state"], status["reached"]) == (state, state == "sent")


def test_flags_are_shown_in_words(lab: Lab, number: str) -> None:
    lab.modems[0].deliver(number, "flash", message_class=0)
    lab.modems[0].deliver(number, "")
    sent_at = datetime(2026, 3, 4, 5, 6, 7, tzinfo=timezone.utc)
    for _ in range(3):
        lab.modems[0].deliver(number, "again", sent_at=sent_at)

    def flags() -> dict[str, list[str]]:
        messages = call(lab, "list_sms", phone_number=number)["messages"]
        return {message["text"]: message["flags"] for message in messages}
    expected = {"flash": ["immediate"], "": ["undecodable_or_empty"], "again": ["repeated 2"]}
    wait_until(lambda: flags() == expected, what=f"{expected}")
