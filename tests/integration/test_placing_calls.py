# SPDX-License-Identifier: GPL-2.0-or-later
"""place_call and hang_up: off until the owner allows them, within the policy, and every call
ends."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from typing import Any

import pytest

from agent import TO, Agent, Result, assert_refused, pair
from approving import set_ask
from asking import Modern
from conftest import new_lab, wait_until_known
from events import Events
from lab import Lab, wait_until
from lab.radio import call
from modern import Request
from modern import call as modern_call
from owner import Owner
from pending import Pending
from subscriber import subscribed, told
from test_audit import Audit
from test_policy import reconfigure
from wire import Wire

ON = """[call]
place = yes
per_hour = 60
per_day = 500
"""
LIST_CHANGED = "notifications/tools/list_changed"
STATE_NAMES = {"place_call", "hang_up"}


@pytest.fixture(scope="module")
def phone(lab_options: dict[str, object]) -> Iterator[Lab]:
    """Shared by all tests here that end their calls."""
    with new_lab(ON, modem_count=1) as lab:
        wait_until_known(lab, True)
        yield set_up(lab)


def tools(lab: Lab) -> set[str]:
    with lab.client() as client:
        return {tool["name"] for tool in client.call("tools/list").result["tools"]}


def set_up(lab: Lab) -> Lab:
    """Emergency numbers are known by then, too."""
    wait_until(lambda: STATE_NAMES <= tools(lab), what="calls can be placed")
    wait_until(lambda: place(lab, "999").code == "emergency_number_blocked",
               what="the modem is known")
    return lab


def place(lab: Lab, to: str = TO, **more: object) -> Result:
    return Agent(lab).call("place_call", to_phone_number=to, **more)


def begin(lab: Lab) -> int:
    """Places a call and returns its ID. The modem has it: what it did before would be lost."""
    placed = place(lab, wait_for="none")
    assert not placed.is_error, placed.text
    assert placed.structured["state"] == "dialing"
    wait_until(lambda: lab.modems[0].calls.is_up, what="it is dialled")
    return placed.structured["call_id"]


def hang_up(lab: Lab, call_id: int) -> Result:
    return Agent(lab).call("hang_up", call_id=call_id)


def rows(lab: Lab) -> list[dict[str, Any]]:
    return Agent(lab).call("list_calls").structured["calls"]


def wait_row(lab: Lab, state: str, **more: object) -> dict[str, Any]:
    expected = {"state": state} | more
    return wait_until(lambda: (row := rows(lab)[0]) and expected.items() <= row.items()
                      and row, what=f"the last call is {expected}")


def dialled(lab: Lab) -> list[str]:
    return lab.modems[0].calls.dialled


def wait_over(lab: Lab) -> None:
    wait_until(lambda: not lab.modems[0].calls.is_up, what="the modem hangs up")
    wait_until(lambda: not list(lab.radios[0].call("VoiceCallManager", "GetCalls")),
               what="ofonod knows of no call")


# ---- on and off

def test_placing_calls_is_off_by_default_and_reloadable(make_lab: Callable[..., Lab]) -> None:
    lab = make_lab(modem_count=1)
    assert not STATE_NAMES & tools(lab)
    asked = Request("subscriptions/listen", {"notifications": {"toolsListChanged": True}})
    with Events(lab.gateway.port, asked.body, **asked.headers) as events:
        events.next_message()
        reconfigure(lab, ON, "call.place: changed")
        assert events.next_message().method == LIST_CHANGED
        call_id = begin(set_up(lab))
        reconfigure(lab, "", "call.place: changed")
        assert events.next_message().method == LIST_CHANGED
        assert STATE_NAMES & tools(lab) == {"hang_up"}      # a call in progress can still be ended
        assert hang_up(lab, call_id).structured["over"]
        assert events.next_message().method == LIST_CHANGED
        assert not STATE_NAMES & tools(lab)
    assert dialled(lab) == [TO]


# ---- what is refused

@pytest.mark.parametrize("number, code", [
    ("112", "emergency_number_blocked"), ("0036 112", "emergency_number_blocked"),
    ("06 112", "emergency_number_blocked"), ("104", "emergency_number_blocked"),
    ("*31#112", "invalid_number"), ("#31#+36301234567", "invalid_number"),
    ("tel:112", "emergency_number_blocked"), ("+36301234567;ext=1", "invalid_number"),
    ("**21*+36301234567#", "invalid_number"), ("*100#", "invalid_number"),
    ("+36301234567,112", "invalid_number"), ("+36301234567p1", "invalid_number"),
    ("+36301234567;", "invalid_number"), ("+36301234567\nATH", "invalid_number"),
    ("１１２", "emergency_number_blocked"), ("12", "invalid_number"), ("+36112", "invalid_number"), ("", "invalid_number")])
def test_emergency_and_invalid_numbers_are_never_dialled(phone: Lab, number: str, code: str) -> None:
    before = len(dialled(phone))
    assert_refused(place(phone, number), code)
    assert len(dialled(phone)) == before


def test_calls_against_the_policy_are_refused(make_lab: Callable[..., Lab]) -> None:
    policy = "[policy]\ndeny = +3670*\n"
    lab = set_up(make_lab(modem_count=1, policy=ON + policy))
    for number, code in (("+43664123456", "international_blocked"),
                         ("+36901234567", "premium_number_blocked"),
                         ("1750", "premium_number_blocked"),
                         ("06 70 123 4567", "recipient_not_allowed")):
        assert_refused(place(lab, number), code)
    Owner(lab.gateway.state).do("pause")
    assert_refused(place(lab), "paused_by_owner")
    Owner(lab.gateway.state).do("resume")
    reconfigure(lab, ON + policy + "quiet_hours = 00:00-23:59\n", "quiet_hours: changed")
    refused = place(lab)
    assert_refused(refused, "quiet_hours")
    assert "send_at" not in refused.text
    reconfigure(lab, ON.replace("60", "1") + policy, "per_hour: changed")
    assert hang_up(lab, begin(lab)).structured["over"]
    wait_over(lab)
    assert_refused(place(lab), "rate_limited")
    lab.gateway.stop()
    lab.gateway.start()
    set_up(lab)
    assert_refused(place(lab), "rate_limited")      # a restart frees no place
    assert dialled(lab) == [TO]


def test_a_call_counts_against_the_message_limits(make_lab: Callable[..., Lab]) -> None:
    lab = set_up(make_lab(ON, modem_count=1, policy="[policy]\nper_minute = 2\n"))
    assert hang_up(lab, begin(lab)).structured["over"]
    assert not Agent(lab).send("one").is_error
    wait_over(lab)
    assert_refused(place(lab), "rate_limited")
    assert_refused(Agent(lab).send("two"), "rate_limited")


# ---- the life of a call

def test_an_answered_call_is_recorded_until_it_ends(phone: Lab) -> None:
    with subscribed(phone, "2026-07-28", "calls://recent") as events:
        call_id = begin(phone)
        told(events, "calls://recent")
    phone.modems[0].alert()
    row = wait_row(phone, "alerting", direction="outgoing", phone_number=TO)
    assert row["call_id"] == call_id
    assert row["subscription_id"] == Agent(phone).ids()[0]
    waiting = Pending(phone, "hang_up", call_id=0)      # no such call
    waiting.leave()
    phone.modems[0].pick_up()
    wait_row(phone, "active")
    phone.modems[0].hang_up()
    wait_row(phone, "ended", reason="remote", call_id=call_id)
    over = hang_up(phone, call_id).structured
    assert (over["over"], over["state"]) == (True, "ended")
    assert call_id not in {row["call_id"] for row in Agent(phone).call(
        "list_calls", missed_only=True).structured["calls"]}
    wait_over(phone)


def test_each_call_state_is_notified_once(phone: Lab) -> None:
    """oFono's acceptance of the number is not a state: the row stays the same."""
    with subscribed(phone, "2026-07-28", "calls://recent") as events:
        begin(phone)
        told(events, "calls://recent")
        for knob, state in (("alert", "alerting"), ("pick_up", "active"), ("hang_up", "ended")):
            getattr(phone.modems[0], knob)()
            wait_row(phone, state)
            told(events, "calls://recent")
        assert events.poll(0.3) is None
    wait_over(phone)


@pytest.mark.parametrize("wait_for, knob, state", [
    ("alerting", "alert", "alerting"), ("active", "pick_up", "active"),
    ("ended", "hang_up", "unanswered")])
def test_place_call_waits_for_the_requested_state(phone: Lab, wait_for: str, knob: str, state: str) -> None:
    before = len(dialled(phone))
    waiting = Pending(phone, "place_call", to_phone_number=TO, wait_for=wait_for)
    wait_until(lambda: len(dialled(phone)) == before + 1, what="it is dialled")
    assert not waiting.is_done
    getattr(phone.modems[0], knob)()
    answer = waiting.facts()
    assert answer["state"] == state
    assert ("hangs_up_at" in answer) == (state != "unanswered")
    hang_up(phone, answer["call_id"])
    wait_over(phone)


def test_a_busy_recipient_leaves_the_call_unanswered(phone: Lab) -> None:
    waiting = Pending(phone, "place_call", to_phone_number=TO)
    wait_until(lambda: phone.modems[0].calls.is_up, what="it is dialled")
    phone.modems[0].hang_up("BUSY")
    answer = waiting.facts()
    assert (answer["state"], answer["reason"]) == ("unanswered", "remote")


def test_hang_up_is_idempotent_and_ends_only_placed_calls(phone: Lab) -> None:
    call_id = begin(phone)
    for _ in range(2):
        over = hang_up(phone, call_id)
        assert over.structured == {"call_id": call_id, "over": True,
                                   "state": "unanswered"}
    wait_row(phone, "unanswered", reason="hung_up")
    assert_refused(hang_up(phone, 1 << 40), "not_found")
    phone.modems[0].ring(TO)
    ringing = wait_row(phone, "ringing", direction="incoming")
    assert_refused(hang_up(phone, ringing["call_id"]), "call_comes_in")
    assert_refused(place(phone), "call_busy")
    assert phone.modems[0].calls.is_up
    phone.modems[0].hang_up()
    wait_until(lambda: ringing | {"state": "missed"} in rows(phone), what="it is missed")
    wait_over(phone)


def test_a_call_is_refused_while_another_call_is_up(phone: Lab) -> None:
    call_id, before = begin(phone), len(dialled(phone))
    assert_refused(place(phone), "call_busy")
    hang_up(phone, call_id)
    wait_over(phone)
    phone.radios[0].call("VoiceCallManager", "Dial", "+36209999999", "")
    phone.modems[0].pick_up()
    refused = place(phone)
    assert_refused(refused, "call_busy")
    assert phone.modems[0].calls.is_up
    assert dialled(phone)[before:] == ["+36209999999"]
    phone.modems[0].hang_up()
    wait_over(phone)
    assert "+36209999999" not in {row["phone_number"] for row in rows(phone)}


def test_a_hang_up_on_the_phone_is_recorded_as_local(phone: Lab) -> None:
    call_id = begin(phone)
    [(path, _)] = phone.radios[0].call("VoiceCallManager", "GetCalls")
    call(phone.bus.address, path, "VoiceCall", "Hangup")
    wait_row(phone, "unanswered", call_id=call_id, reason="local")


def test_only_a_modern_disconnect_ends_the_call(phone: Lab) -> None:
    """In 2025 the call continues; in 2026 a disconnect cancels."""
    waiting = Pending(phone, "place_call", to_phone_number=TO)
    wait_until(lambda: phone.modems[0].calls.is_up, what="it is dialled")
    waiting.leave()
    phone.modems[0].pick_up()
    call_id = wait_row(phone, "active")["call_id"]
    hang_up(phone, call_id)
    wait_over(phone)
    with Wire(phone.gateway.port) as wire:
        wire.send(modern_call("place_call", {"to_phone_number": TO}).octets)
        wait_until(lambda: phone.modems[0].calls.is_up, what="it is dialled")
    wait_row(phone, "unanswered", reason="client_left")
    wait_over(phone)


def test_a_call_is_hung_up_at_its_time_limit(make_lab: Callable[..., Lab]) -> None:
    """Even if the modem ignores the first hangup."""
    lab = set_up(make_lab(ON + "max_seconds = 1\n", modem_count=1))
    lab.modems[0].calls.hangs_up = False
    begin(lab)
    lab.modems[0].pick_up()
    wait_until(lambda: "AT+CHUP" in lab.modems[0].commands, 20, "it is to hang up")
    lab.modems[0].calls.hangs_up = True
    wait_until(lambda: rows(lab)[0]["state"] == "ended", 20, "it is over")
    assert rows(lab)[0]["reason"] == "time_limit"


# ---- faults

def test_a_call_lost_with_its_modem_is_hung_up_later(make_lab: Callable[..., Lab]) -> None:
    """The modem keeps the call; when it is back nobody owns the call, so the gateway hangs up."""
    lab = set_up(make_lab(ON, modem_count=1))
    call_id = begin(lab)
    lab.modems[0].pick_up()
    wait_row(lab, "active")
    lab.modems[0].calls.outlive_link = True
    lab.modems[0].cut_link()
    wait_row(lab, "unknown", reason="lost")
    lab.radios[0].wait_property("Modem", "Powered", False)
    lab.bring_up()
    wait_until(lambda: not lab.modems[0].calls.is_up, what="it is hung up")
    wait_until(lambda: rows(lab)[0].get("reason") == "left", 20, "that is told")
    assert rows(lab)[0]["call_id"] == call_id


def test_an_ofono_crash_makes_the_call_state_unknown(make_lab: Callable[..., Lab]) -> None:
    lab = set_up(make_lab(ON, modem_count=1))
    waiting = Pending(lab, "place_call", to_phone_number=TO, wait_for="ended")
    wait_until(lambda: lab.modems[0].calls.is_up, what="it is dialled")
    wait_row(lab, "dialing")
    lab.ofonod.kill()
    wait_row(lab, "unknown", reason="lost")
    waiting.leave()
    assert not STATE_NAMES & tools(lab)


@pytest.mark.parametrize("how", ["stop", "kill"])
def test_no_call_outlives_its_gateway(make_lab: Callable[..., Lab], how: str) -> None:
    lab = set_up(make_lab(ON, modem_count=1))
    call_id = begin(lab)
    lab.modems[0].pick_up()
    wait_row(lab, "active")
    getattr(lab.gateway, how)()
    if how == "stop":
        wait_over(lab)
    lab.gateway.start()
    wait_over(lab)
    if how == "kill":
        wait_row(lab, "ended", call_id=call_id, reason="left")
    else:
        assert rows(lab)[0]["state"] in ("unknown", "ended")


# ---- whose it is

def client(lab: Lab, name: str, *scopes: str) -> Agent:
    token = pair(lab.gateway, name)
    Owner(lab.gateway.state).do("change", "--scope", ",".join(scopes), name)
    return Agent(lab, token)


def test_only_its_client_hangs_up_a_call_by_default(make_lab: Callable[..., Lab]) -> None:
    lab = make_lab(ON, modem_count=1, gateway_open=False, policy="")
    one, other = (client(lab, name, "read", "call") for name in ("one", "other"))
    wait_until(lambda: one.call("place_call", to_phone_number="999").code
               == "emergency_number_blocked", what="the modem is known")
    placed = one.call("place_call", to_phone_number=TO, wait_for="none").structured
    assert_refused(other.call("hang_up", call_id=placed["call_id"]), "not_your_call")
    assert lab.modems[0].calls.is_up
    reconfigure(lab, "[call]\nhang_up_any = yes\n", "hang_up_any: changed")
    assert other.call("hang_up", call_id=placed["call_id"]).structured["over"]
    audit = Audit(lab.gateway)
    [begun], [ended] = audit.lines("call_placed"), audit.lines("call_ended")
    [hung] = audit.lines("call_hung_up")
    assert (begun["detail"]["client"], begun["detail"]["number"]) == ("one", TO)
    assert (hung["detail"]["client"], ended["detail"]["reason"]) == ("other", "hung_up")
    wait_until(lambda: {"not_your_call", "emergency_number_blocked"} <= {
        line["detail"]["code"] for line in audit.lines("call_refused")}, what="it is noted")
    assert TO not in lab.gateway.log


def test_the_calls_of_a_client_end_when_it_may_no_longer_call(make_lab: Callable[..., Lab]) -> None:
    lab = make_lab(ON, modem_count=1, gateway_open=False, policy="")
    one, owner, audit = client(lab, "one", "read", "call"), Owner(lab.gateway.state), Audit(lab.gateway)
    wait_until(lambda: one.call("place_call", to_phone_number="999").code
               == "emergency_number_blocked", what="the modem is known")
    for count, command in enumerate((["change", "--scope", "read"], ["revoke"]), 1):
        owner.do("change", "--scope", "read,call", "one")
        assert one.call("place_call", to_phone_number=TO, wait_for="none").structured
        owner.do("change", "--scope", "call", "one")        # it may still hang up
        assert lab.modems[0].calls.is_up
        owner.do(*command, "one")
        wait_over(lab)
        wait_until(lambda: len(audit.lines("call_ended")) == count, what="the audit has its end")
        assert audit.lines("call_ended")[-1]["detail"]["reason"] == "revoked"


class Caller(Modern):
    """A client of 2026, which can ask its user."""

    tool, key, reads = "place_call", "call_approval", True


def test_one_approval_allows_one_call(make_lab: Callable[..., Lab]) -> None:
    lab = make_lab(ON, modem_count=1, gateway_open=False, settable_clock=True)
    careful = client(lab, "careful", "read", "call")
    set_ask(lab, "careful", "always")
    wait_until(lambda: careful.call("place_call", to_phone_number="999").code
               == "emergency_number_blocked", what="the modem is known")
    assert_refused(careful.call("place_call", to_phone_number=TO), "approval_required")
    assert dialled(lab) == []
    caller = Caller(lab, "", token=careful.token)
    caller.arguments = {"to_phone_number": TO, "wait_for": "none"}
    asked = caller.question()
    assert TO in asked["message"] and "120 seconds" in asked["message"]
    yes = {"action": "accept", "content": {"call": True}}
    placed = caller.result(caller.repeat(yes))
    assert placed.structured["state"] == "dialing"
    assert careful.call("hang_up", call_id=placed.structured["call_id"]).structured["over"]
    wait_over(lab)
    [noted] = Audit(lab.gateway).lines("call_placed")
    assert noted["detail"]["reason"] == "approved_by_person"
    assert caller.result(caller.repeat(yes)).code == "approval_rejected"
    caller.question()
    assert caller.result(caller.repeat({"action": "decline"})).code == "approval_rejected"
    for unread in ({"action": "decline"}, {"action": "cancel"}, yes):
        caller.question()
        caller.reads = False
        assert caller.result(caller.repeat(unread)).code == "approval_required"
        caller.reads = True
        assert caller.result(caller.repeat(yes)).code == "approval_rejected"
    assert dialled(lab) == [TO]
