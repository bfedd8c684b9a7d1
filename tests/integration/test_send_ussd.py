# SPDX-License-Identifier: GPL-2.0-or-later
"""send_ussd: only codes that the owner lists, one dialogue at a time, and every dialogue ends."""

from __future__ import annotations

from collections.abc import Callable, Iterator

import pytest

from agent import Agent, Result
from conftest import new_lab, wait_until_known
from events import Events
from lab import Lab, wait_until
from modem import USSD_ASKS, USSD_TERMINATED, Sim
from modern import Request
from owner import Owner
from pending import Pending
from test_audit import Audit
from test_sims import another_card

CODE, MENU, SILENT = "*100#", "*101#", "*102#"
BALANCE = "Balance: 1234 Ft"
CONFIG = f"""[ussd]
allow = {CODE} {MENU} {SILENT} *133*????# #??#
per_hour = 60
"""
LIST_CHANGED = "notifications/tools/list_changed"


def set_up(lab: Lab) -> Lab:
    modem = lab.modems[0]
    modem.set_ussd(CODE, BALANCE)
    modem.set_ussd(MENU, "1 Balance 2 Bonus", USSD_ASKS)
    modem.set_ussd("1", BALANCE)
    modem.ussd_silent.add(SILENT)
    wait_until(lambda: "send_ussd" in tools(lab), what="send_ussd is offered")
    return lab


@pytest.fixture(scope="module")
def phone(lab_options: dict[str, object]) -> Iterator[Lab]:
    """Shared by all tests here, which leave nothing behind."""
    with new_lab(CONFIG + "replies = yes\n", modem_count=1) as lab:
        wait_until_known(lab, True)
        yield set_up(lab)


def tools(lab: Lab) -> list[str]:
    with lab.client() as client:
        return [tool["name"] for tool in client.call("tools/list").result["tools"]]


def dial(lab: Lab, code: str = CODE, **more: object) -> Result:
    return Agent(lab).call("send_ussd", code=code, **more)


def dialled(lab: Lab) -> int:
    """Every code and reply that the modem received."""
    return sum(line.startswith('AT+CUSD=1,"') for line in lab.modems[0].commands)


def cancelled(lab: Lab) -> int:
    return lab.modems[0].commands.count("AT+CUSD=2")


def test_send_ussd_returns_the_network_answer(phone: Lab) -> None:
    answer = dial(phone)
    assert not answer.is_error, answer.text
    assert answer.structured["answer"] == BALANCE
    assert answer.structured["asks_for_reply"] is False
    assert answer.structured["code"] == CODE


@pytest.mark.parametrize("code", [
    "*99#", "100#", "*133*12345#", "112", "*100# ", "#99*1#",
    "#21#", "#43#", "#31#", "#06#", "#04#"])     # the last five fit the pattern #??#
def test_a_code_that_is_not_allowed_is_never_dialled(phone: Lab, code: str) -> None:
    before = dialled(phone)
    assert dial(phone, code).code == "code_not_allowed"
    assert dialled(phone) == before


def test_a_reply_continues_the_dialogue(phone: Lab) -> None:
    asked = dial(phone, MENU)
    assert asked.structured["asks_for_reply"] is True
    assert asked.structured["reply_within_seconds"] == 120
    assert dial(phone).code == "ussd_busy"
    assert dial(phone, CODE, reply="1").code == "no_dialogue"       # another code's
    answered = dial(phone, MENU, reply="1")
    assert (answered.structured["answer"], answered.structured["asks_for_reply"]) == (
        BALANCE, False)
    assert dial(phone, MENU, reply="1").code == "no_dialogue"
    assert not dial(phone).is_error


@pytest.mark.parametrize(("reply", "code"), [
    ('1",15;D+36201234567;+CUSD=1,"1', "invalid_arguments"),
    ("1\r\nATD112;", "invalid_arguments"),
    ("\u03a9\u039e", "invalid_arguments"),        # 0x1a in the GSM alphabet
    ("\u00f2" * 11 + "D112;", "invalid_arguments"),    # a backspace there
    ("*21*+36201234567#", "code_not_allowed"), (MENU, "code_not_allowed")])
def test_a_reply_cannot_inject_a_command(phone: Lab, reply: str, code: str) -> None:
    """oFono puts it into AT+CUSD=1,"..." unchanged."""
    assert dial(phone, MENU).structured["asks_for_reply"] is True
    before = len(phone.modems[0].commands)
    assert dial(phone, MENU, reply=reply).code == code
    assert dial(phone, MENU, reply="1").structured["answer"] == BALANCE
    said = phone.modems[0].commands[before:]
    assert [line for line in said if not line.startswith("AT+CSQ")] == ['AT+CUSD=1,"1",15']


def test_an_agent_cancels_its_dialogue(phone: Lab) -> None:
    """The agent that started it ends it, so that others need not wait for its timeout."""
    audit, before = Audit(phone.gateway), cancelled(phone)
    assert dial(phone, MENU, cancel=True).code == "no_dialogue"
    assert dial(phone, MENU).structured["asks_for_reply"] is True
    assert dial(phone, CODE, cancel=True).code == "no_dialogue"
    assert dial(phone, MENU, cancel=True, reply="1").code == "invalid_arguments"
    over = dial(phone, MENU, cancel=True)
    assert not over.is_error and over.structured["hint"] == "The dialogue was cancelled."
    assert over.structured["asks_for_reply"] is False
    wait_until(lambda: cancelled(phone) == before + 1, what="the network is told")
    last = audit.lines("ussd_ended")[-1]["detail"]
    assert (last["turn"], last["outcome"]) == ("cancel", "cancelled")
    wait_until(lambda: not dial(phone).is_error, what="the modem is free")
    assert dial(phone, MENU, reply="1").code == "no_dialogue"


def test_a_network_refusal_is_reported_as_failed(phone: Lab) -> None:
    phone.modems[0].set_ussd("*133*0000#", None, USSD_TERMINATED)
    before = dialled(phone)
    for code in ("*133*0000#", "*133*1111#"):       # ended; not supported
        assert dial(phone, code).code == "ussd_failed"
    assert dialled(phone) == before + 2
    assert not dial(phone).is_error


def test_an_empty_answer_is_reported_as_empty(phone: Lab) -> None:
    phone.modems[0].set_ussd("*133*2222#", "")
    told = dial(phone, "*133*2222#").structured
    assert told["answer"] == "" and "without text" in told["hint"]


def test_a_code_blocks_others_until_its_client_disconnects(phone: Lab) -> None:
    before = cancelled(phone)
    call = Pending(phone, "send_ussd", code=SILENT)
    wait_until(lambda: any(SILENT in line for line in phone.modems[0].commands),
               what="it is dialled")
    assert dial(phone).code == "ussd_busy"
    call.leave()
    wait_until(lambda: cancelled(phone) == before + 1, what="it is cancelled")
    wait_until(lambda: not dial(phone).is_error, what="the modem is free")


@pytest.mark.parametrize("command", [["change", "--scope", "read"], ["revoke"]], ids=lambda words: words[0])
def test_a_dialogue_ends_when_its_client_may_no_longer_dial(
        make_lab: Callable[..., Lab], command: list[str]) -> None:
    lab = make_lab(CONFIG + "replies = yes\n", modem_count=1, gateway_open=False)
    modem, owner = lab.modems[0], Owner(lab.gateway.state)
    modem.set_ussd(MENU, "1 Balance 2 Bonus", USSD_ASKS)
    token = owner.json("pair", "--scope", "read,ussd", "one")["token"]
    agent = Agent(lab, token)
    wait_until(lambda: not agent.call("send_ussd", code=MENU).is_error, what="the dialogue is open")
    before = cancelled(lab)
    owner.do(*command, "one")
    wait_until(lambda: cancelled(lab) == before + 1, what="it is cancelled")


def test_a_network_notification_is_listed_as_a_notice(phone: Lab) -> None:
    with phone.signals() as signals:
        phone.modems[0].notify_ussd("Your credit is low")
        signals.wait("NotificationReceived")
    wait_until(lambda: [(notice["text"], notice["asks_for_reply"])
                        for notice in dial(phone).structured["notices"]]
               == [("Your credit is low", False)], what="it is told")


def test_a_notice_is_shown_only_for_its_own_sim(phone: Lab) -> None:
    agent, [modem] = Agent(phone), phone.modems

    def ready() -> list[int]:
        return [sim["subscription_id"] for sim in agent.sims() if sim["state"] == "ready"]

    def told(is_mine: bool) -> list[str]:
        wait_until(lambda: (there := ready()) and (there == mine) is is_mine
                   and "send_ussd" in tools(phone), what="the card can dial")
        return [notice["text"] for notice in dial(phone).structured["notices"]]

    mine = ready()
    with phone.signals() as signals:
        modem.notify_ussd("Your number is 1234567")
        signals.wait("NotificationReceived")
    with another_card(modem, Sim.numbered(1)):
        assert told(is_mine=False) == []
    assert told(is_mine=True)[-1] == "Your number is 1234567"


def test_the_audit_log_holds_codes_but_no_answers(phone: Lab) -> None:
    audit = Audit(phone.gateway)
    begun, ended = len(audit.lines("ussd_dialled")), len(audit.lines("ussd_ended"))
    dial(phone, MENU)
    dial(phone, MENU, reply="1")
    dial(phone, "**04*4071*1234*1234#")
    notes = audit.lines("ussd_dialled")[begun:]
    assert [(note["detail"]["ussd_code"], note["detail"]["turn"]) for note in notes] == [
        (MENU, "code"), (MENU, "reply")]
    assert [note["detail"]["outcome"] for note in audit.lines("ussd_ended")[ended:]] == [
        "asks_for_reply", "answered"]
    wait_until(lambda: "code_not_allowed" in [
        line["detail"]["code"] for line in audit.lines("ussd_refused")], what="it is noted")
    told = str([line["detail"] for line in audit.lines()]) + phone.gateway.log
    for secret in (BALANCE, "4071", "2 Bonus"):
        assert secret not in told


def test_stopping_during_a_code_is_recorded_in_the_audit_log(make_lab: Callable[..., Lab]) -> None:
    lab = set_up(make_lab(CONFIG, modem_count=1))
    call = Pending(lab, "send_ussd", code=SILENT)
    wait_until(lambda: dialled(lab) == 1, what="it is dialled")
    lab.gateway.stop()
    call.leave()
    assert Audit(lab.gateway).lines("ussd_ended")[-1]["detail"]["outcome"] in (
        "gateway_stopped", "client_left")


def test_stopping_cancels_an_open_dialogue(make_lab: Callable[..., Lab]) -> None:
    lab = set_up(make_lab(CONFIG + "replies = yes\n", modem_count=1))
    assert dial(lab, MENU).structured["asks_for_reply"] is True
    lab.gateway.stop()
    wait_until(lambda: cancelled(lab) == 1, what="it is cancelled")


def test_a_dialogue_is_ended_when_replies_are_off(make_lab: Callable[..., Lab]) -> None:
    lab = set_up(make_lab(CONFIG, modem_count=1))
    asked = dial(lab, MENU).structured
    assert asked["asks_for_reply"] is False and "the dialogue was ended" in asked["hint"]
    wait_until(lambda: cancelled(lab) == 1, what="it is cancelled")
    assert dial(lab, MENU, reply="1").code == "code_not_allowed"
    wait_until(lambda: not dial(lab).is_error, what="the modem is free")


def test_codes_over_the_hourly_limit_are_refused(make_lab: Callable[..., Lab]) -> None:
    lab = set_up(make_lab(CONFIG.replace("60", "2"), modem_count=1))
    assert [dial(lab).code for _ in range(3)] == ["", "", "rate_limited"]
    assert dialled(lab) == 2


def test_send_ussd_is_listed_only_when_a_modem_supports_it(make_lab: Callable[..., Lab]) -> None:
    lab = make_lab(modem_count=1)
    assert "send_ussd" not in tools(lab)             # no code is listed
    lab = set_up(make_lab(CONFIG, modem_count=1))
    asked = Request("subscriptions/listen", {"notifications": {"toolsListChanged": True}})
    with Events(lab.gateway.port, asked.body, **asked.headers) as events:
        events.next_message()
        lab.ofonod.stop()
        assert events.next_message().method == LIST_CHANGED
        assert "send_ussd" not in tools(lab)
