# SPDX-License-Identifier: GPL-2.0-or-later
"""Senders: how every view describes them, and what blocked senders cannot do."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from dataclasses import dataclass

import pytest

from agent import Agent
from conftest import new_lab, wait_until_known
from events import Events
from incoming import newest
from lab import Lab, wait_until
from modern import Request
from pending import Pending
from views import ERAS, Eye, messages, result

OWNER, OTHER, BLOCKED, NAME, BLOCKED_NAME = (
    "+36201112222", "+36201113333", "+36901234567", "Bank", "Lottery")
CONFIG = f"[incoming]\nowner_numbers = {OWNER}\nblocked_senders = +3690*, {BLOCKED_NAME}\n"


@pytest.fixture(scope="module")
def phone() -> Iterator[Lab]:
    with new_lab(CONFIG, modem_count=1) as lab:
        wait_until_known(lab, powered=True)
        yield lab


def receive(lab: Lab, text: str, sender: str) -> int:
    before = newest(lab)
    lab.modems[0].deliver(sender, text)
    return wait_until(lambda: (now := newest(lab)) > before and now, what=f"{text!r} came")


@dataclass(frozen=True)
class Case:
    sender: str
    trust: str


CASES = [Case(OWNER, "owner"), Case("06201112222", "owner"), Case(OTHER, "unknown"),
         Case(NAME, "unverified_name"), Case("1777", "unknown"), Case(BLOCKED, "blocked"),
         Case("06901234567", "blocked"), Case("LOTTERY", "blocked")]


@pytest.mark.parametrize("case", CASES, ids=[case.sender for case in CASES])
def test_every_view_shows_the_trust_of_the_sender(phone: Lab, case: Case) -> None:
    place = Agent(phone).call("list_sms", limit=1).structured["wait_cursor"]
    message_id = receive(phone, "who am I?", case.sender)
    for era in ERAS:
        seen = 0
        for _, body in Eye(phone, era).look(message_id, case.sender, place):
            for message in messages(result(body)):
                if message["message_id"] == message_id:
                    assert message["trust"] == case.trust
                    seen += 1
        assert seen >= 6
        status = Eye(phone, era).facts("get_sms_status", history=True, message_id=message_id)
        assert status.get("trust", "unknown") == case.trust
        rows = Eye(phone, era).facts("list_sms_conversations")["conversations"]
        assert rows[0]["trust"] == case.trust


def test_a_recipient_of_the_user_is_known(phone: Lab, number: str) -> None:
    receive(phone, "hello", number)
    agent = Agent(phone)
    assert not agent.send("hello yourself", to=number).is_error
    receive(phone, "you know me now", number)
    page = agent.call("list_sms", phone_number=number).structured["messages"]
    assert [message.get("trust") for message in page] == ["known", None, "known"]
    national = "06" + number.removeprefix("+36")
    receive(phone, "it is me", national)
    page = agent.call("list_sms", phone_number=national).structured["messages"]
    assert [message.get("trust") for message in page] == ["known", "known", None, "known"]
    assert page[0]["from"] == national


def test_a_blocked_sender_does_not_end_a_wait(phone: Lab, number: str) -> None:
    waiting = Pending(phone, "wait_for_sms", timeout_seconds=60)
    place = Agent(phone).call("list_sms", limit=1).structured["wait_cursor"]
    for sender in (BLOCKED, BLOCKED_NAME):
        receive(phone, "you won", sender)
    assert not waiting.is_done
    wanted = receive(phone, "not blocked", number)
    assert waiting.facts()["message"]["message_id"] == wanted
    found = Agent(phone).call("wait_for_sms", after=place).structured
    assert found["message"]["message_id"] == wanted


@pytest.mark.parametrize("sender", [BLOCKED, BLOCKED_NAME])
def test_a_wait_for_a_blocked_sender_returns_its_message(phone: Lab, sender: str) -> None:
    waiting = Pending(phone, "wait_for_sms", timeout_seconds=60, **{"from": sender})
    message_id = receive(phone, "you won again", sender)
    message = waiting.facts()["message"]
    assert (message["message_id"], message["trust"]) == (message_id, "blocked")


def test_a_blocked_sender_causes_no_inbox_update(phone: Lab, number: str) -> None:
    """The inbox notifies of the next message from a sender who is not blocked."""
    blocked = f"sms://conversation/{BLOCKED.replace('+', '%2B')}"
    asked = Request("subscriptions/listen", {"notifications": {
        "resourceSubscriptions": ["sms://inbox", blocked]}})
    headers = {name.replace("-", "_"): value for name, value in asked.headers.items()}
    with Events(phone.gateway.port, asked.body, **headers) as events:
        assert events.next().method == "notifications/subscriptions/acknowledged"
        receive(phone, "you won once more", BLOCKED)
        receive(phone, "hello", number)
        assert [events.next_message().uri for _ in range(2)] == [blocked, "sms://inbox"]


def test_a_changed_block_list_applies_to_old_messages(make_lab: Callable[..., Lab], number: str) -> None:
    lab = make_lab(modem_count=1)
    receive(lab, "hello", number)

    def trust() -> str:
        [message] = Agent(lab).call("list_sms").page["messages"]
        return message["trust"]
    assert trust() == "unknown"
    lab.gateway.config += f"[incoming]\nblocked_senders = {number}\n"
    lab.gateway.restart()
    assert trust() == "blocked"


PASTED = ["+{code}\u00a0{area}\u00a0{rest}", "\u202a+{code}{area}{rest}\u202c", "\ufeff\u200e+{code}{area}{rest}\u200f",
          "\u2066+{code}{area}{rest}\u2069", "+{code}\u2010{area}\u2011{rest}", "tel:+{code}-{area}-{rest}",
          "+{code}{area}{rest}\r\n", "\t+{code} (0){area} {rest}", "\uff0b{code}{area}{rest}"]


@pytest.mark.parametrize("written", PASTED)
def test_a_pasted_number_finds_its_messages(phone: Lab, number: str, written: str) -> None:
    agent = Agent(phone)
    place = agent.call("list_sms", limit=1).structured["wait_cursor"]
    message_id = receive(phone, "hello", number)
    pasted = written.format(code=number[1:3], area=number[3:5], rest=number[5:])
    listed = agent.call("list_sms", phone_number=pasted).structured["messages"]
    assert listed[0]["message_id"] == message_id
    assert agent.call("wait_for_sms", **{"from": pasted, "after": place}).structured["found"]
    assert not agent.call("mark_sms_read", phone_number=pasted, all=True).is_error


@pytest.mark.parametrize("written", [
    "+", "()", " - ", "+3620abc", "+36201234567/89", "+36201234567 ext. 5", "+36201234567x12",
    "06201234567,1", "+36201234567\n+36201234568", "06201234567l", "!!!", "a name that is too long"])
def test_what_is_neither_a_number_nor_a_name_is_an_error(phone: Lab, written: str) -> None:
    agent = Agent(phone)
    for tool, arguments in (("list_sms", {"phone_number": written}),
                            ("wait_for_sms", {"from": written, "timeout_seconds": 1}),
                            ("mark_sms_read", {"phone_number": written, "all": True})):
        answer = agent.call(tool, **arguments)
        assert answer.is_error and answer.facts["code"] == "invalid_number", tool


def test_a_pasted_name_finds_its_messages(phone: Lab) -> None:
    message_id = receive(phone, "hello", "PastedBank")
    [message] = Agent(phone).call("list_sms", phone_number="\ufeffPasted\u200bBank\n").structured["messages"]
    assert message["message_id"] == message_id


@pytest.mark.parametrize("name", ["MyBank", "3Mobile", "My Bank-24", "Bank & Co", "1777", "12", "1-800-555"])
def test_a_sender_that_never_wrote_is_no_error(phone: Lab, name: str) -> None:
    agent = Agent(phone)
    assert agent.call("list_sms", phone_number=name).structured["count"] == 0 or name == "1777"
    assert not agent.call("wait_for_sms", **{"from": name, "timeout_seconds": 1}).is_error


@pytest.mark.parametrize("sender, sent", [
    ("+36305550001", "+36305550001"), ("06305550002", "06305550002"),
    ("36305550003", "+36305550003"), ("305550004", "+36305550004")])
def test_the_number_of_a_received_message_can_be_written_to(phone: Lab, sender: str, sent: str) -> None:
    receive(phone, "hello", sender)
    agent = Agent(phone)
    shown = agent.call("list_sms", limit=1).structured["messages"][0]["from"]
    answer = agent.send("hello yourself", to=shown)
    assert not answer.is_error and answer.structured["to_phone_number"] == sent
    many = agent.call("send_sms", to_phone_numbers=[shown], sms_text="and again", dry_run=True)
    assert not many.is_error


def test_the_owners_lists_take_pasted_numbers(make_lab: Callable[..., Lab]) -> None:
    config = ("[incoming]\nblocked_senders = \u202a+36\u00a020\u2011555\u00a00001\u202c, tel:+36 (0)20 5550002\n"
              "[policy]\ndeny = \u202a+36\u00a031\u00a0*\u202c, tel:+36-20-555-0003\n")
    lab = make_lab(modem_count=1, policy=config)
    agent = Agent(lab)
    for sender in ("+36205550001", "+36205550002"):
        message_id = receive(lab, "hello", sender)
        listed = agent.call("list_sms", phone_number=sender).structured["messages"]
        assert (listed[0]["message_id"], listed[0]["trust"]) == (message_id, "blocked")
    for number in ("+36311234567", "+36205550003"):
        refusal = agent.send("hello", to=number)
        assert refusal.is_error and refusal.facts["code"] == "recipient_not_allowed"
