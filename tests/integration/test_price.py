# SPDX-License-Identifier: GPL-2.0-or-later
"""What a message costs by the owner's prices, wherever an agent reads it."""

from __future__ import annotations

import signal
from collections.abc import Callable
from typing import Any

import pytest

from agent import TO, Agent, assert_sent, seconds_ahead
from lab import Lab, wait_until

MakeLab = Callable[..., Lab]
PRICES = "[sms]\nsegment_price = HUF 25.5 home=12\nsegment_price = +43=0.075 EUR\n"
TWO_SEGMENTS = "x" * 161
ABROAD, AUSTRIAN = "+4915112345678", "+4366412345678"


@pytest.fixture
def agent(make_lab: MakeLab) -> Agent:
    return Agent(make_lab(PRICES, modem_count=1))


def cost(amount: str, currency: str) -> dict[str, str]:
    return {"amount": amount, "currency": currency}


def dry(agent: Agent, text: str, to: str) -> dict[str, Any]:
    return agent.send(text, to=to, dry_run=True).structured


def test_a_dry_run_says_what_each_recipient_costs(agent: Agent) -> None:
    assert dry(agent, "one", TO)["cost"] == cost("12", "HUF")
    assert dry(agent, TWO_SEGMENTS, TO)["cost"] == cost("24", "HUF")
    assert dry(agent, TWO_SEGMENTS, "06301234567")["cost"] == cost("24", "HUF")
    assert dry(agent, TWO_SEGMENTS, ABROAD)["cost"] == cost("51.0", "HUF")
    assert dry(agent, TWO_SEGMENTS, AUSTRIAN)["cost"] == cost("0.150", "EUR")


def test_a_number_that_may_cost_extra_has_no_cost(agent: Agent) -> None:
    for number in ("1234", "+36901234567", "nobody"):
        assert "cost" not in dry(agent, "hello", number)


def test_answers_about_a_message_say_its_cost(agent: Agent) -> None:
    sent = agent.send("one")
    assert_sent(sent)
    assert sent.facts["cost"] == cost("12", "HUF")
    later = agent.send("later", send_at=seconds_ahead(3600))
    edited = agent.call("edit_sms", message_id=later.message_id, text=TWO_SEGMENTS,
                        to_phone_number=AUSTRIAN)
    assert edited.facts["cost"] == cost("0.150", "EUR")
    status = agent.call("get_sms_status", history=True, message_id=later.message_id).structured
    assert status["cost"] == cost("0.150", "EUR")
    agent.cancel(later.message_id)
    status = agent.call("get_sms_status", history=True, message_id=later.message_id).structured
    assert "cost" not in status


def test_a_list_of_recipients_has_one_cost_in_one_currency(agent: Agent) -> None:
    def forecast(*numbers: str) -> dict[str, Any]:
        return agent.call("send_sms", to_phone_numbers=list(numbers), sms_text=TWO_SEGMENTS,
                          dry_run=True).structured
    assert forecast(TO, "+36301234568", ABROAD)["cost"] == cost("99.0", "HUF")
    assert "cost" not in forecast(TO, AUSTRIAN)


def test_without_a_price_no_answer_has_a_cost(make_lab: MakeLab) -> None:
    agent = Agent(make_lab(modem_count=1))
    sent = agent.send("free of charge?")
    assert_sent(sent)
    status = agent.call("get_sms_status", history=True, message_id=sent.message_id).structured
    for facts in (sent.facts, status, dry(agent, "hello", TO)):
        assert "cost" not in facts


def test_a_price_applies_after_a_reload(make_lab: MakeLab) -> None:
    lab = make_lab(modem_count=1)
    agent = Agent(lab)
    assert "cost" not in dry(agent, "hello", TO)
    lab.gateway.config += "[sms]\nsegment_price = 0.09 EUR\n"
    lab.gateway.prepare()
    lab.gateway.send_signal(signal.SIGHUP)
    wait_until(lambda: dry(agent, "hello", TO).get("cost") == cost("0.09", "EUR"),
               what="the price is read")
