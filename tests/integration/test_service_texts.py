# SPDX-License-Identifier: GPL-2.0-or-later
"""What an operator's system texts to a program of the phone: kept, left out of what agents
read, and without its passwords for whoever asks for it."""

from __future__ import annotations

import json
from collections.abc import Callable, Iterator
from dataclasses import dataclass
from typing import Any
from urllib.parse import quote

import pytest

from agent import Agent, pair
from conftest import new_lab
from events import Events
from lab import Lab, wait_until
from ledger import Ledger
from mcp_events import EventClient
from modern import Request
from owner import Owner
from test_masking import assert_hidden
from views import ERAS, Eye, pair_with_codes, result, strings

MAILBOX, BOTH = "1217", "+36201110000"
PASSWORD, USER = "zq8236", "u800555x@vvm"
STATUS = f"//VVM:STATUS:st=R;rc=0;srv=vvm.example.com;ipt=143;u={USER};pw={PASSWORD};lang=1"
SHOWN = "//VVM:STATUS:st=R;rc=0;srv=vvm.example.com;ipt=143;u=******;pw=******;lang=1"


@dataclass(frozen=True)
class Phone:
    lab: Lab
    tokens: dict[str, str]
    place: str      # before any of the messages
    events: str
    service_id: int
    other_id: int   # another one, behind an ordinary text of the same number
    texts: list[str]


def receive(lab: Lab, text: str, sender: str) -> int:
    ledger = Ledger(lab)
    count = len(ledger.incoming)
    lab.modems[0].deliver(sender, text)
    return ledger.wait(count + 1)[-1]["id"]


@pytest.fixture(scope="module")
def phone() -> Iterator[Phone]:
    with new_lab(modem_count=1, gateway_open=False) as lab:
        tokens = {"reader": pair(lab.gateway, "reader"),
                  "trusted": pair_with_codes(lab, "trusted")}
        wait_until(lambda: Agent(lab, tokens["reader"]).states() == ["ready"],
                   what="the SIM is ready")
        place = Eye(lab, token=tokens["reader"]).facts("list_sms", limit=1)["wait_cursor"]
        events = EventClient(lab.gateway, tokens["reader"]).now()
        texts = ["see you at six", "what does //VVM:STATUS:pw=1 mean?"]
        service_id = receive(lab, STATUS, MAILBOX)
        receive(lab, texts[0], BOTH)
        other_id = receive(lab, "//VVM:SYNC:ev=NM;id=3446456;c=1;t=v", BOTH)
        receive(lab, texts[1], "+36202220000")
        yield Phone(lab, tokens, place, events, service_id, other_id, texts)


def eyes(phone: Phone) -> Iterator[Eye]:
    for era in ERAS:
        for token in phone.tokens.values():
            yield Eye(phone.lab, era, token)


def texts_of(rows: list[dict[str, Any]]) -> list[str]:
    return [row["text"] for row in rows]


def contents(eye: Eye, uri: str) -> dict[str, Any]:
    return json.loads(result(eye.read(uri))["contents"][0]["text"])


def test_lists_and_searches_leave_them_out(phone: Phone) -> None:
    newest_first = phone.texts[::-1]
    for eye in eyes(phone):
        assert texts_of(eye.facts("list_sms")["messages"]) == newest_first
        assert eye.facts("list_sms", phone_number=MAILBOX)["messages"] == []
        assert texts_of(eye.facts("list_sms", search="VVM:S")["messages"]) == [phone.texts[1]]
        assert texts_of(contents(eye, "sms://inbox")["messages"]) == newest_first
        assert texts_of(contents(eye, f"sms://conversation/{quote(BOTH)}")["messages"]) == [
            phone.texts[0]]


def test_conversations_show_the_latest_other_message(phone: Phone) -> None:
    for eye in eyes(phone):
        rows = eye.facts("list_sms_conversations")["conversations"]
        assert [row["last_message"]["text"] for row in rows] == phone.texts[::-1]
        first = eye.facts("list_sms_conversations", limit=1)
        second = eye.facts("list_sms_conversations", limit=1, cursor=first["next_cursor"])
        assert [row["phone_number"] for row in second["conversations"]] == [BOTH]
        assert "next_cursor" not in second or not eye.facts(
            "list_sms_conversations", limit=1, cursor=second["next_cursor"])["conversations"]


def test_they_are_never_unread(phone: Phone) -> None:
    for eye in eyes(phone):
        rows = eye.facts("list_sms_conversations", unread_only=True,
                         include_service=True)["conversations"]
        assert {row["phone_number"]: row["unread"] for row in rows} == {
            BOTH: 1, "+36202220000": 1}
        unread = eye.facts("list_sms", unread_only=True, include_service=True)["messages"]
        assert texts_of(unread) == phone.texts[::-1]


def test_waiting_finds_the_next_other_message(phone: Phone) -> None:
    for eye in eyes(phone):
        found = eye.facts("wait_for_sms", after=phone.place, timeout_seconds=5)
        assert found["message"]["text"] == phone.texts[0]
        none = eye.facts("wait_for_sms", after=phone.place, timeout_seconds=1,
                         **{"from": MAILBOX})
        assert none["found"] is False


def test_no_event_reports_their_arrival(phone: Phone) -> None:
    for token in phone.tokens.values():
        client = EventClient(phone.lab.gateway, token)
        events = client.since("sms.received", phone.events, 2, arguments={"include_text": True})
        assert [event["data"]["text"] for event in events] == phone.texts


def test_they_cause_no_inbox_update(make_lab: Callable[..., Lab]) -> None:
    """Only the subscriber of their own conversation is notified."""
    lab = make_lab(modem_count=1)
    talk = f"sms://conversation/{MAILBOX}"
    asked = Request("subscriptions/listen", {"notifications": {
        "resourceSubscriptions": ["sms://inbox", talk]}})
    headers = {name.replace("-", "_"): value for name, value in asked.headers.items()}
    with Events(lab.gateway.port, asked.body, **headers) as events:
        assert events.next().method == "notifications/subscriptions/acknowledged"
        receive(lab, "//VVM:SYNC:ev=MBU", MAILBOX)
        receive(lab, "hello", "+36203330000")
        assert [events.next_message().uri for _ in range(2)] == [talk, "sms://inbox"]


def test_the_password_is_hidden_from_every_client(phone: Phone) -> None:
    for eye in eyes(phone):
        for name, body in eye.look(phone.service_id, MAILBOX, phone.place):
            assert_hidden(name, body, [PASSWORD, USER])
        [message] = [row for row in eye.facts("list_sms", include_service=True)["messages"]
                     if row["message_id"] == phone.service_id]
        assert "service" in message["flags"] and "looks_like_code" not in message["flags"]
        assert message["masked"] is True and message["text"] == SHOWN
        assert contents(eye, f"sms://message/{phone.service_id}")["message"]["text"] == SHOWN
        assert eye.facts("list_sms", search=PASSWORD, include_service=True)["messages"] == []


def test_clients_that_ask_for_them_get_them_marked(phone: Phone) -> None:
    for eye in eyes(phone):
        rows = eye.facts("list_sms", include_service=True)["messages"]
        assert [row["message_id"] for row in rows if "service" in row.get("flags", [])] == [
            phone.other_id, phone.service_id]
        talks = eye.facts("list_sms_conversations", include_service=True)["conversations"]
        assert {row["phone_number"]: row["last_message"]["message_id"] for row in talks} | {
            MAILBOX: phone.service_id, BOTH: phone.other_id} == {
            row["phone_number"]: row["last_message"]["message_id"] for row in talks}


def test_the_owner_sees_them_whole_and_marked(phone: Phone) -> None:
    owner = Owner(phone.lab.gateway.state)
    [row] = [row for row in owner.json("list")["messages"]
             if row["message_id"] == phone.service_id]
    assert row["text"] == STATUS and "service" in row["flags"]
    [line] = [line for line in owner.do("list").splitlines() if f" {MAILBOX} " in line]
    assert "service" in line and "unread" not in line


def test_the_password_is_in_no_log(phone: Phone) -> None:
    assert PASSWORD not in phone.lab.gateway.log
    assert STATUS in strings(Ledger(phone.lab).incoming[0]["text"])
