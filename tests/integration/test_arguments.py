# SPDX-License-Identifier: GPL-2.0-or-later
"""Arguments as hosts really send them: every optional one as null, members of their own, typos,
and numbers as people paste them."""

from __future__ import annotations

from typing import Any

import pytest

from agent import TO, Agent, Result, assert_sent
from lab import Lab, wait_until
from reading import refusal

OF_THE_HOST = {"toolCallId": "call_1", "sessionId": "s", "action": "sendMessage", "chatInput": "hi",
               "user_context": {"a": 1}, "random_string": "x"}


@pytest.fixture
def tools(lab: Lab) -> list[dict[str, Any]]:
    with lab.client() as client:
        tools: list[dict[str, Any]] = client.call("tools/list").result["tools"]
        return tools


def outcome(result: Result) -> str:
    return result.facts["message"] if result.is_error else "good"


def test_null_counts_as_not_given_in_every_tool(lab: Lab, tools: list[dict[str, Any]]) -> None:
    agent = Agent(lab)
    assert len(tools) >= 10
    for tool in tools:
        name, parameters = tool["name"], tool["inputSchema"]["properties"]
        if name != "wait_for_sms":              # which waits when it gets nothing
            assert outcome(agent.call(name, **dict.fromkeys(parameters))) \
                == outcome(agent.call(name)), name


def test_members_of_the_host_are_ignored_and_named(lab: Lab) -> None:
    for tool in ("get_sms_subscriptions", "list_sms", "get_gateway_status"):
        answer = Agent(lab).call(tool, **OF_THE_HOST)
        assert not answer.is_error and answer.structured["ignored"] == list(OF_THE_HOST)
        assert answer.facts["ignored"] == list(OF_THE_HOST)     # for hosts that show only text
    assert "ignored" not in Agent(lab).call("list_sms").structured


def test_a_message_is_sent_in_spite_of_members_of_the_host(lab: Lab) -> None:
    agent = Agent(lab)
    answer = agent.call("send_sms", to_phone_number=TO, sms_text="hello", cursor=None,
                        send_at=None, subscription_id=agent.ids()[0],
                        **OF_THE_HOST)
    assert_sent(answer)
    assert answer.structured["ignored"] == ["cursor", *OF_THE_HOST]


@pytest.mark.parametrize("typo, right", [
    ({"phone_number": TO, "sms_text": "x"}, "to_phone_number"),
    ({"toPhoneNumber": TO, "sms_text": "x"}, "to_phone_number"),
    ({"to_phone_number": TO, "text": "x"}, "sms_text"),
    ({"phone": TO, "sms_text": "x"}, "to_phone_number"),
    ({"to_phone_number": TO, "sms_text": "x", "dryRun": True}, "dry_run"),
    ({"to_phone_number": TO, "sms_text": "x", "sendAt": "2036-11-21T08:30:00Z"}, "send_at"),
    ({"to_phone_number": TO, "sms_text": "x", "subscriptionid": 1}, "subscription_id"),
])
def test_a_misspelt_parameter_is_refused_with_the_right_one(
        lab: Lab, typo: dict[str, Any], right: str) -> None:
    offered = len(lab.modems[0].offered)
    facts = refusal(lab, "send_sms", **typo)
    assert facts["code"] == "invalid_arguments" and f'"{right}"' in facts["message"]
    assert len(lab.modems[0].offered) == offered


def test_all_misspelt_parameters_are_refused_at_once(lab: Lab) -> None:
    facts = refusal(lab, "send_sms", phone_number=TO, text="x", sim=1, sessionId="x")
    assert all(f'"{right}"' in facts["message"]
               for right in ("to_phone_number", "sms_text", "subscription_id"))
    assert facts["ignored"] == ["sessionId"]


@pytest.mark.parametrize("tool, more", [("send_sms", {"to_phone_number": TO, "sms_text": "x"}),
                                        ("list_sms", {})])
@pytest.mark.parametrize("named", ["the blue one", "1", [1]])
def test_what_is_no_subscription_id_is_refused_with_those_that_are(
        lab: Lab, tool: str, more: dict[str, Any], named: Any) -> None:
    facts = refusal(lab, tool, subscription_id=named, **more)
    assert facts["code"] == "invalid_arguments"
    for sim in Agent(lab).call("get_sms_subscriptions").structured["subscriptions"]:
        assert f"subscription_id {sim['subscription_id']} is {sim['display_name']}" in facts["fix"]


@pytest.mark.parametrize("given, right", [
    ({"send_time": "2036-11-21T08:30:00Z"}, "send_at"), ({"scheduleFor": "x"}, "send_at"),
    ({"schedule": "x"}, "send_at"), ({"delay": 60}, "send_at"), ({"preview": True}, "dry_run"),
    ({"testMode": True}, "dry_run"), ({"test": True}, "dry_run"), ({"draft": True}, "dry_run"),
    ({"sim": 1}, "subscription_id"),
    ({"simSlot": 1}, "subscription_id"),
])
def test_what_would_send_otherwise_than_meant_is_never_ignored(
        lab: Lab, given: dict[str, Any], right: str) -> None:
    """Left out, the message would go at once, or from another SIM."""
    offered = len(lab.modems[0].offered)
    facts = refusal(lab, "send_sms", to_phone_number=TO, sms_text="x", **given)
    assert facts["code"] == "invalid_arguments" and f'"{right}"' in facts["message"]
    assert len(lab.modems[0].offered) == offered


def test_an_empty_text_counts_as_not_given_where_it_means_nothing(lab: Lab) -> None:
    agent = Agent(lab)
    sent = agent.call("send_sms", to_phone_number=TO, sms_text="nothing else given", send_at="",
                      wait_for="", valid_for_seconds="", wait_seconds="",
                      subscription_id=agent.ids()[0])
    assert_sent(sent)
    assert agent.call("send_sms", to_phone_number=TO, sms_text="x", dry_run="").is_error
    for tool, given in (("list_sms", ("direction", "since", "until", "state", "subscription_id")),
                        ("find_contact", ("phone_number",)), ("wait_for_sms", ("after",))):
        usual = {"timeout_seconds": 1} if tool == "wait_for_sms" else {}
        assert not agent.call(tool, **usual, **dict.fromkeys(given, "")).is_error, tool


@pytest.mark.parametrize("nobody", ["null", "None", "undefined", "any", "ALL"])
@pytest.mark.parametrize("tool, name", [("list_sms", "phone_number"), ("wait_for_sms", "from"),
                                        ("find_contact", "phone_number")])
def test_a_word_for_no_number_is_an_error_and_no_empty_result(
        lab: Lab, tool: str, name: str, nobody: str) -> None:
    assert refusal(lab, tool, **{name: nobody})["code"] == "invalid_number"


@pytest.mark.parametrize("tool, given, right", [
    ("wait_for_sms", {"phone_number": TO}, "from"),
    ("wait_for_sms", {"wait_seconds": 1}, "timeout_seconds"),
    ("wait_for_sms", {"cursor": "x"}, "after"),
    ("wait_for_sms", {"from_phone_number": TO}, "from"),
    ("wait_for_sms", {"contact_name": "Anna"}, "from"),
    ("list_sms", {"from": TO}, "phone_number"),
    ("list_sms", {"contact_name": "Anna"}, "phone_number"),
    ("list_sms", {"date": "2026-11-21"}, "since"),
    ("list_sms", {"contains": "x"}, "search"),
    ("find_contact", {"query": "Anna"}, "name"),
])
def test_the_name_that_a_parameter_has_in_another_tool_is_refused_with_the_right_one(
        lab: Lab, tool: str, given: dict[str, Any], right: str) -> None:
    """Left out, it would turn a question about one sender into one about all of them."""
    facts = refusal(lab, tool, **given)
    assert facts["code"] == "invalid_arguments" and f'"{right}"' in facts["message"]


def test_what_is_missing_and_what_was_ignored_are_both_named(lab: Lab) -> None:
    facts = refusal(lab, "send_sms", addressee=TO, sms_text="x", **{"x" * 5000: 1})
    assert facts["code"] == "invalid_arguments" and facts["ignored"][0] == "addressee"
    assert len(facts["ignored"][1]) < 100


def pasted(number: str) -> list[str]:
    """The number as it comes out of web pages, address books and other programs."""
    code, rest = number[:3], number[3:]
    wide = "".join(chr(ord(digit) + 0xfee0) for digit in rest)
    return [f"\u202a{number}\u202c", f"tel:{number}", f"{number}\r\n", f"\ufeff\u200e{number}",
            f"{code}\u00a0{rest[:2]}\u2011{rest[2:]}", f"{code} {wide}", f"{code} (0){rest}"]


def test_a_pasted_number_is_that_number_everywhere(lab: Lab) -> None:
    agent = Agent(lab)
    number = "+36209990001"
    place = agent.call("list_sms", limit=1).structured["wait_cursor"]
    lab.modems[0].deliver(number, "from a pasted number")
    wait_until(lambda: agent.call("list_sms", phone_number=number).structured["messages"],
               what="the message is there")
    for written in pasted(number):
        assert agent.call("list_sms", phone_number=written).structured["messages"], written
        found = agent.call("wait_for_sms", **{"from": written}, after=place, timeout_seconds=1)
        assert found.structured["found"], written
        assert agent.call("send_sms", to_phone_number=written, sms_text="x",
                          subscription_id=agent.ids()[0], dry_run=True
                          ).structured["to_phone_number"] == number, written


@pytest.mark.parametrize("wrong", ["+36 20 123 4567 ext. 5", "+36201234567/89", "+36201234567;ext=1",
                                   "+0620123456", "-36201234567", "1" * 30, "12345#678"])
@pytest.mark.parametrize("tool, name", [("list_sms", "phone_number"), ("wait_for_sms", "from"),
                                        ("mark_sms_read", "phone_number"),
                                        ("find_contact", "phone_number"),
                                        ("send_sms", "to_phone_number")])
def test_what_is_no_number_is_an_error_everywhere(
        lab: Lab, tool: str, name: str, wrong: str) -> None:
    more: dict[str, Any] = {"sms_text": "x"} if tool == "send_sms" else {}
    more |= {"all": True} if tool == "mark_sms_read" else {}
    assert refusal(lab, tool, **{name: wrong}, **more)["code"] == "invalid_number"


@pytest.mark.parametrize("name", ["Bank 24", "1-800-BANK", "\u4e2d\u56fd\u79fb\u52a8", "12"])
def test_a_name_of_a_sender_is_no_wrong_number(lab: Lab, name: str) -> None:
    assert Agent(lab).call("list_sms", phone_number=name).structured["messages"] == []
