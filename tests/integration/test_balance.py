# SPDX-License-Identifier: GPL-2.0-or-later
"""A SIM's balance as the network reports it, and what a low one prevents."""

from __future__ import annotations

from collections.abc import Iterator

import pytest

from agent import Agent, Result, assert_refused, assert_sent
from conftest import new_lab, wait_until_known
from lab import Lab, wait_until
from modem import USSD_ASKS
from owner import Owner
from test_audit import Audit

CODE, MENU = "*100#", "*101#"
CONFIG = f"""[policy]
minimum_balance = 500
[ussd]
allow = {CODE} {MENU} *102#
replies = yes
per_hour = 60
balance_pattern = {CODE} alance: ([-0-9., ]+) ?([A-Za-z]+)?
balance_pattern = {MENU} You have ([A-Z]+) ([0-9.]+)
"""


@pytest.fixture(scope="module")
def phone(lab_options: dict[str, object]) -> Iterator[Lab]:
    """Shared by all tests here; each begins with a balance that allows everything."""
    with new_lab(CONFIG, modem_count=1) as lab:
        wait_until_known(lab, True)
        wait_until(lambda: not read(lab, "Balance: 1 234,56 Ft").is_error, what="it dials")
        yield lab


@pytest.fixture(autouse=True)
def enough(phone: Lab) -> None:
    assert not read(phone, "Balance: 1 234,56 Ft. Thank you.").is_error


def read(lab: Lab, text: str, code: str = CODE) -> Result:
    lab.modems[0].set_ussd(code, text)
    return Agent(lab).call("send_ussd", code=code)


def known(lab: Lab) -> dict[str, object]:
    [balance] = Agent(lab).call("get_gateway_status", detail=True).structured["balances"]
    return balance


def handed(lab: Lab) -> int:
    return sum(line.startswith("AT+CMGS") for line in lab.modems[0].commands)


def test_a_balance_survives_a_restart(phone: Lab) -> None:
    answer = read(phone, "Balance: 1,234.5 HUF")
    balance = answer.structured["balance"]
    assert (balance["amount"], balance["currency"]) == ("1234.5", "HUF")
    phone.gateway.kill()
    phone.gateway.start()
    wait_until_known(phone, True)
    now = known(phone)
    assert now.items() >= {"amount": "1234.5", "currency": "HUF", "code": CODE,
                           "minimum": "500", "is_low": False}.items()
    assert now["read_at"] == balance["read_at"] and now["age_seconds"] >= 0
    owner = Owner(phone.gateway.state)
    assert owner.json("balance")["balances"][0]["read_at"] == now["read_at"]
    assert f"1234.5 HUF of SIM {now['subscription_id']}, read" in owner.do("status")


def test_a_low_balance_refuses_sends_until_topped_up(phone: Lab) -> None:
    agent, before = Agent(phone), handed(phone)
    assert read(phone, "Balance: 499.99 Ft").structured["balance"]["amount"] == "499.99"
    refused = agent.send("too dear")
    assert_refused(refused, "budget_exhausted")
    for fact in ("499.99 Ft", CODE, "minimum is 500"):
        assert fact in refused.text
    assert "top up" in refused.text and refused.facts["retry_after_seconds"] > 80000
    assert "499.99 Ft" in agent.call("get_gateway_status", detail=True).structured["why_not"]
    dry = agent.send("too dear", dry_run=True)
    assert "budget_exhausted" in str(dry.raw) and handed(phone) == before
    assert "below 500 nothing is sent" in Owner(phone.gateway.state).do("balance")
    read(phone, "Balance: 500 Ft")
    assert_sent(agent.send("dear enough"))
    audit = Audit(phone.gateway)
    audit.wait("send_refused")
    assert {"amount": "499.99", "currency": "Ft", "ussd_code": CODE}.items() <= (
        audit.lines("balance_read")[-2]["detail"].items())
    assert "budget_exhausted" in [line["detail"]["code"]
                                  for line in audit.lines("send_refused")]


def test_the_owner_can_forget_a_balance(phone: Lab) -> None:
    agent, owner = Agent(phone), Owner(phone.gateway.state)
    read(phone, "Balance: -3 Ft")
    sim = str(known(phone)["subscription_id"])
    assert_refused(agent.send("in debt"), "budget_exhausted")
    assert "is deleted" in owner.do("balance", "--forget", sim)
    assert_sent(agent.send("nobody knows of it"))
    assert owner.json("balance") == {"balances": []}
    assert owner.run("balance", "--forget", sim).returncode == 1


def test_a_balance_is_read_from_a_ussd_menu(phone: Lab) -> None:
    modem = phone.modems[0]
    modem.set_ussd(MENU, "1 Balance 2 Bonus", USSD_ASKS)
    modem.set_ussd("1", "You have HUF 12.50 left")
    asked = Agent(phone).call("send_ussd", code=MENU).structured
    assert "balance" not in asked and known(phone)["amount"] == "1234.56"
    balance = Agent(phone).call("send_ussd", code=MENU, reply="1").structured["balance"]
    assert (balance["amount"], balance["currency"]) == ("12.50", "HUF")
    assert (known(phone)["amount"], known(phone)["is_low"]) == ("12.50", True)


@pytest.mark.parametrize("text", [
    "Balance: unknown", "Your request failed", "Balance: 1,2,3", "Balance: 1.2345 Ft",
    "Balance: " + "9" * 170, "Balance: " + "1 " * 85, "Balance: " + ", " * 85])
def test_an_unreadable_answer_keeps_the_last_balance(phone: Lab, text: str) -> None:
    read(phone, "Balance: 20 Ft")
    answer = read(phone, text).structured
    assert "balance" not in answer and "no balance" in answer["balance_note"]
    assert (known(phone)["amount"], known(phone)["is_low"]) == ("20", True)


def test_other_ussd_codes_do_not_change_the_balance(phone: Lab) -> None:
    answer = read(phone, "Balance: 20 Ft", code="*102#").structured
    assert not {"balance", "balance_note"} & answer.keys()
    assert known(phone)["amount"] == "1234.56"
