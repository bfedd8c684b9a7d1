# SPDX-License-Identifier: GPL-2.0-or-later
"""Arguments as hosts really send them: every optional one as null, members of their own, typos."""

from __future__ import annotations

from typing import Any

import pytest

from agent import TO, Agent, Result, assert_sent
from lab import Lab
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


def test_what_is_missing_and_what_was_ignored_are_both_named(lab: Lab) -> None:
    facts = refusal(lab, "send_sms", recipient=TO, sms_text="x", **{"x" * 5000: 1})
    assert facts["code"] == "invalid_arguments" and facts["ignored"][0] == "recipient"
    assert len(facts["ignored"][1]) < 100
