# SPDX-License-Identifier: GPL-2.0-or-later
"""What get_gateway_status reports of each modem, and the one sentence about what stops a
message."""

from __future__ import annotations

from collections.abc import Callable
from contextlib import suppress
from dataclasses import replace
from typing import Any

import dbus
import pytest
import test_delivery_reports

from agent import TO, Agent, assert_refused, assert_sent
from lab import Lab, wait_until
from modem import SEARCHING, Sim
from modem.modem import DENIED, ROAMING
from owner import Owner
from stub_ofono import BLUETOOTH, MODEM
from subscriber import subscribed
from subscriber import told as hear
from test_voicemail import wait_settled
from views import ERAS, MODERN

MakeLab = Callable[..., Lab]
URI = "sms://status"
phone = test_delivery_reports.phone


def status(agent: Agent) -> dict[str, Any]:
    return agent.call("get_gateway_status", detail=True).structured


def wait_why(agent: Agent, *obstacles: str | None) -> dict[str, Any]:
    """Waits for this reason of each modem; returns the whole status."""
    seen: list[dict[str, Any]] = []

    def is_told() -> bool:
        seen.append(status(agent))
        return [modem.get("why_not") for modem in seen[-1]["modems"]] == list(obstacles)
    wait_until(is_told, what=f"{obstacles}")
    return seen[-1]


def test_a_modem_that_can_send_is_described_in_full(lab: Lab, agent: Agent) -> None:
    told = wait_why(agent, *[None] * len(lab.modems))
    assert told["can_send"] and "why_not" not in told
    assert told["modems"][0] == {
        "modem": "/sim0", "powered": True, "online": True,
        "registration": "registered with its own network", "operator": "Telekom HU",
        "technology": "lte", "signal_percent": told["modems"][0]["signal_percent"],
        "roaming": False, "sim": "present", "subscription_id": agent.ids()[0],
        "service_centre": "known"}
    assert 60 <= told["modems"][0]["signal_percent"] <= 70


def test_each_obstacle_to_sending_has_its_own_sentence(make_lab: MakeLab) -> None:
    lab = make_lab(sims=[Sim.numbered(0), None], powered=False)
    agent, modem, radio = Agent(lab), lab.modems[0], lab.radios[0]
    told = wait_why(agent, "it is switched off", "it is switched off")
    assert told["why_not"] == (
        "No SIM can send: modem /sim0: it is switched off (for the owner, as root: "
        "ofono-mcp modem on /sim0); modem /sim1: it is switched off (for the owner, as root: "
        "ofono-mcp modem on /sim1).")
    lab.radios[1].power()
    radio.power()
    told = wait_why(agent, "it is in flight mode", "no SIM is in it")
    assert [shown["sim"] for shown in told["modems"]] == ["present", "none"]
    radio.wait_for("MessageManager")         # the card has been read: the line is quiet
    modem.set_registration(SEARCHING)
    radio.online()
    wait_why(agent, "no network has accepted its SIM", "no SIM is in it")
    wait_until(lambda: status(agent)["modems"][0]["registration"] == "looking for a network",
               what="it looks for a network")
    modem.set_registration(DENIED)
    told = wait_why(agent, "the network refuses its SIM", "no SIM is in it")
    assert "/sim0: the network refuses its SIM (for the owner: ask its issuer" in told["why_not"]
    modem.set_registration(ROAMING)
    told = wait_why(agent, None, "no SIM is in it")
    assert told["can_send"] and told["modems"][0]["roaming"]
    assert told["modems"][0]["registration"] == "registered with a foreign network"


def test_a_locked_sim_shows_its_lock_and_remaining_tries(make_lab: MakeLab) -> None:
    lab = make_lab(sims=[Sim.numbered(0, pin="1234")])
    assert "(for the owner: ofono-mcp sim unlock /sim0)" in wait_why(
        Agent(lab), "its SIM waits for its PIN")["why_not"]
    modem = wait_until(lambda: next((modem for modem in status(Agent(lab))["modems"]
                                     if "sim_retries" in modem), None),
                       what="how often it may be tried, which a modem tells later")
    assert (modem["sim"], modem["sim_lock"], modem["sim_retries"]) == ("locked", "pin", 3)
    with subscribed(lab, MODERN, URI) as events:
        for tries in (2, 1):                    # somebody enters PINs at the phone
            with suppress(dbus.DBusException):
                lab.radios[0].call("SimManager", "EnterPin", "pin", "9999")
            hear(events, URI)
            while status(Agent(lab))["modems"][0]["sim_retries"] != tries:
                hear(events, URI)               # the first may have told of something else
        with suppress(dbus.DBusException):
            lab.radios[0].call("SimManager", "EnterPin", "pin", "9999")
        hear(events, URI)
    wait_why(Agent(lab), "its SIM waits for its PUK")


@pytest.mark.parametrize("era", ERAS)
def test_status_changes_are_notified_except_signal_strength(make_lab: MakeLab, era: str) -> None:
    lab = make_lab(modem_count=1)
    agent, modem = Agent(lab), lab.modems[0]

    def wait_modem(**facts: object) -> None:
        wait_until(lambda: facts.items() <= status(agent)["modems"][0].items(), what=f"{facts}")

    modem.set_registration(ROAMING)
    wait_modem(roaming=True, operator="Telekom HU", technology="lte")
    wait_settled(lab)
    with subscribed(lab, era, URI) as events:
        for strength in range(1, 11):
            modem.set_signal(strength)
            wait_modem(signal_percent=strength * 100 // 31)
        heard = 0
        while event := events.poll(0.3):
            heard += bool(event.fields["data"])  # not the priming event
        assert heard < 5                        # of 10; one of what came before may be late
        modem.set_technology(0)
        hear(events, URI)
        wait_modem(technology="gsm")
        while events.poll(0.3):                 # oFono may signal the rest of it later
            pass
        modem.set_operator("Elsewhere", "23201")
        hear(events, URI)
        wait_modem(operator="Elsewhere")


def test_a_sent_message_causes_at_most_three_notifications(lab: Lab, agent: Agent) -> None:
    """When it enters the queue, when it leaves, and when it is sent: that oFono has it shows
    nowhere."""
    with subscribed(lab, MODERN, URI) as events:
        assert_sent(agent.send("counted", agent.ids()[0]))
        hear(events, URI)
        heard = 1
        while events.poll(0.3):
            heard += 1
    assert heard <= 3


def test_a_notification_follows_when_a_slow_modem_has_sent(lab: Lab, agent: Agent) -> None:
    """The console reads a message again when the status changes, and must not show it as being
    sent for ever."""
    lab.modems[0].send_latency_s = 1
    try:
        with subscribed(lab, MODERN, URI) as events:
            id = agent.call("send_sms", to_phone_number=TO, sms_text="slowly",
                            subscription_id=agent.ids()[0],
                            wait_for="none").structured["message_id"]
            state = ""
            while state != "sent":
                hear(events, URI)
                state = agent.call("get_sms_status", message_id=id).structured["state"]
    finally:
        lab.modems[0].send_latency_s = 0


def test_bus_outages_are_reported_as_they_happen(make_lab: MakeLab) -> None:
    lab = make_lab(modem_count=1)
    agent = Agent(lab)
    lab.ofonod.stop()
    wait_until(lambda: "oFono is not running" in status(agent)["why_not"], what="it is gone")
    cursor = status(agent)["cursor"]
    for change, why in ((lab.bus.stop, "no D-Bus system bus"),
                        (lab.bus.start, "oFono is not running")):
        change()
        while why not in (told := agent.call(
                "get_gateway_status", detail=True, after=cursor, wait_seconds=60).structured)["why_not"]:
            assert told["cursor"] != cursor, "nothing is told of it"
            cursor = told["cursor"]
        assert "(for the owner: ofono-mcp doctor)" in told["why_not"]
        cursor = told["cursor"]


def test_a_sim_the_owner_cannot_unlock_is_refused(make_lab: MakeLab) -> None:
    """A network lock, and a card limited to a list of numbers."""
    cards = [Sim.numbered(0, asks_else="PH-NET PIN"), Sim.numbered(1, fixed_dialing=True)]
    lab = make_lab(sims=cards, powered=False)
    agent = Agent(lab)
    for radio in lab.radios:
        radio.power()
        radio.wait_for("SimManager")
        radio.online()
    wait_why(agent, "a phone or network lock blocks its SIM, and neither PIN nor PUK "
                    "opens it",
             "its SIM is limited to a list of numbers (fixed or barred dialling), and oFono "
             "sends no messages with such a card")
    refused = agent.send("to nowhere", agent.ids()[0])
    assert_refused(refused, "sim_locked")
    assert "neither PIN nor PUK opens" in refused.text and "unlock" not in refused.text
    refused = agent.send("to nowhere", agent.ids()[1])
    assert_refused(refused, "sim_restricted")
    assert "it is limited to a list of numbers" in refused.text
    assert not refused.facts["retryable"] and "PIN2" in refused.facts["fix"]
    listed = Owner(lab.gateway.state).run("unlock", "/sim0").stderr
    assert "a lock of the phone or the network (network) blocks SIM" in listed


def test_a_sim_without_a_service_centre_causes_a_warning(make_lab: MakeLab) -> None:
    """ofonod accepts the message, and the modem refuses it."""
    lab = make_lab(sims=[replace(Sim.numbered(0), smsc="")])
    agent = Agent(lab)
    wait_until(lambda: status(agent)["modems"][0]["service_centre"] == "none", what="asked")
    cursor = status(agent)["cursor"]
    said = Owner(lab.gateway.state).do("status")
    assert "modem /sim0: oFono knows no service centre" in said
    assert "no service centre" in status(agent)["modems"][0]["warning"]
    assert_refused(agent.send("to nowhere"), "network_refused")
    lab.radios[0].set("MessageManager", "ServiceCenterAddress", "+36300000000")
    while (told := agent.call("get_gateway_status", detail=True, after=cursor, wait_seconds=60).structured)[
            "modems"][0]["service_centre"] != "known":
        assert told["cursor"] != cursor, "nothing is told of it"
        cursor = told["cursor"]
    assert "warning" not in told["modems"][0]
    assert_sent(agent.send("there it is"))


def test_the_reason_concerns_only_the_sims_a_client_may_use(make_lab: MakeLab) -> None:
    """The other SIM could send."""
    lab = make_lab(gateway_open=False)
    owner = Owner(lab.gateway.state)
    lab.token = owner.json("pair", "both")["token"]
    agent = Agent(lab)
    agent.wait_states("ready", "ready", timeout=10)
    _, second = agent.ids()
    limited = Agent(lab, owner.json("pair", "--sim", second, "one")["token"])
    assert status(limited)["can_send"]
    lab.radios[1].set("Modem", "Online", False)
    wait_until(lambda: status(limited).get("why_not") == (
        "No SIM that you may use can send now: modem /sim1: it is in flight mode "
        "(for the owner, as root: ofono-mcp modem on /sim1)."), what="it is told why")
    assert status(agent)["can_send"] and not status(limited)["can_send"]
    lab.modems[1].remove_sim()
    wait_until(lambda: status(limited)["why_not"] == "No SIM that you may use is in the phone.",
               what="it is told that there is none")


def test_the_status_says_that_ofono_has_no_modem(make_lab: MakeLab) -> None:
    told = status(Agent(make_lab(modem_count=0)))
    assert (told["modems"], told["why_not"]) == ([], "No SIM can send: oFono knows no modem "
                                               "(for the owner: ofono-mcp doctor).")


def test_a_modem_without_a_sim_is_reported_at_once(make_lab: MakeLab) -> None:
    lab = make_lab(sims=[None], powered=False)
    agent = Agent(lab)
    cursor = wait_why(agent, "it is switched off")["cursor"]
    lab.radios[0].power()
    told = agent.call("get_gateway_status", detail=True, after=cursor, wait_seconds=60).structured
    assert told["cursor"] != cursor and told["modems"][0]["powered"]


def test_a_foreign_cursor_does_not_wait_in_vain(make_lab: MakeLab) -> None:
    """A cursor of an older start is answered at once, an invalid one is refused: both would
    wait in vain."""
    agent = Agent(lab := make_lab())
    cursor = status(agent)["cursor"]
    lab.gateway.restart()
    told = agent.call("get_gateway_status", detail=True, after=cursor, wait_seconds=120).structured
    assert told["cursor"] != cursor
    for odd in "s1", " ", cursor[:-1], agent.call("list_sms").structured["wait_cursor"]:
        refused = agent.call("get_gateway_status", detail=True, after=odd, wait_seconds=120)
        assert_refused(refused, "invalid_arguments")
        assert "cursor of get_gateway_status" in refused.text
    assert agent.call("get_gateway_status", after="", wait_seconds=120).structured["cursor"]


def test_a_phone_over_bluetooth_is_not_listed_as_a_modem(phone: test_delivery_reports.Phone) -> None:
    told = wait_why(phone.agent, None)
    assert told["can_send"] and [modem["modem"] for modem in told["modems"]] == ["/stub"]
    assert [sim["sim_slot_index"] for sim in phone.agent.sims()] == [0]


def test_a_bluetooth_phone_with_modem_interfaces_is_ignored(phone: test_delivery_reports.Phone) -> None:
    """The gateway neither asks it nor switches it, and ignores its signals."""
    before = phone.ofono.do(calls="GetProperties")
    phone.ofono.do(
        set=[[BLUETOOTH, "Modem", "Interfaces", [
            "SimManager", "MessageManager", "NetworkRegistration", "VoiceCallManager",
            "CellBroadcast", "MessageWaiting", "SupplementaryServices", "Phonebook"]]],
        emit=[[BLUETOOTH, *signal] for signal in (
            ("SimManager", "PropertyChanged", "sv", "SubscriberIdentity", "216300000000077"),
            ("MessageManager", "IncomingMessage", "sa{sv}", "not ours", {"Sender": "Bank"}),
            ("CellBroadcast", "IncomingBroadcast", "sq", "not for us", 50),
            ("VoiceCallManager", "CallAdded", "oa{sv}", f"{BLUETOOTH}/voicecall01",
             {"State": "incoming", "LineIdentification": TO}))]
        + [[MODEM, "MessageManager", "IncomingMessage", "sa{sv}", "ours", {"Sender": "Bank"}]])
    wait_until(lambda: phone.agent.call("list_sms").structured["count"], what="ours is there")
    [message] = phone.agent.call("list_sms").structured["messages"]
    assert message["text"] == "ours"
    assert phone.agent.call("list_calls").structured["calls"] == []
    assert "alerts: " not in phone.gateway.log
    assert len(phone.agent.sims()) == len(status(phone.agent)["modems"]) == 1
    assert phone.ofono.do(calls="GetProperties") == before
    assert phone.ofono.do(calls="SetProperty") == ["1"]     # delivery reports, on our own modem


def test_reading_the_status_calls_no_ofono_method(lab: Lab, agent: Agent) -> None:
    wait_why(agent, *[None] * len(lab.modems))
    lab.ofonod.pause()
    try:
        assert status(agent)["can_send"]
    finally:
        lab.ofonod.resume()
