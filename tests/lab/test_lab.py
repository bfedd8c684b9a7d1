# SPDX-License-Identifier: GPL-2.0-or-later
"""The lab itself: the real ofonod with emulated modems, without the gateway."""

from __future__ import annotations

import os
from collections.abc import Iterator
from datetime import datetime, timedelta, timezone
from pathlib import Path

import dbus
import pytest

from modem import USSD_ASKS, Outcome, Sim, join_parts

from . import Lab, wait_until
from .ofono_line import line
from .ofonod import STATE

TO, FROM = "+36301234567", "+36209876543"


@pytest.fixture
def lab() -> Iterator[Lab]:
    with Lab(modem_count=1) as lab:
        yield lab


# ---- coming up and going away -----------------------------------------------------

@pytest.mark.parametrize("count", [2, 8])
def test_every_modem_registers(count: int) -> None:
    with Lab(modem_count=count) as lab:
        for modem, radio in zip(lab.modems, lab.radios):
            network = radio.properties("NetworkRegistration")
            assert (network["Status"], network["Technology"]) == ("registered", "lte")
            radio.wait_property("NetworkRegistration", "Name", modem.sim.spn)
            card = radio.properties("SimManager")
            assert card["CardIdentifier"] == modem.sim.iccid
            assert card["SubscriberIdentity"] == modem.sim.imsi
            assert card.get("ServiceProviderName") == (
                modem.sim.spn if line().reads_provider_name else None)
            assert list(card["SubscriberNumbers"]) == []


def test_a_lab_leaves_nothing_behind() -> None:
    before = sorted(os.listdir(STATE))
    with Lab(modem_count=1) as lab:
        lab.radios[0].send_message(TO, "x" * 400)
        pids, folder = [lab.bus.pid, lab.ofonod.pid], lab.folder
        assert any(lab.ofonod.state.iterdir())
    assert not folder.exists()
    assert not any(Path(f"/proc/{pid}").exists() for pid in pids)
    assert str(folder) not in Path("/proc/self/mountinfo").read_text()
    assert sorted(os.listdir(STATE)) == before


def test_modems_can_stay_unpowered() -> None:
    with Lab(modem_count=1, powered=False) as lab:
        assert not lab.radios[0].properties()["Powered"]
        assert lab.modems[0].commands == []


def test_a_modem_can_be_switched_off_and_on(lab: Lab) -> None:
    modem, radio = lab.modems[0], lab.radios[0]
    modem.set_registration(2)
    radio.wait_property("NetworkRegistration", "Status", "searching")
    radio.send_message(TO, "kept")
    radio.power(False)
    assert not radio.has("MessageManager")
    modem.set_registration(1)
    lab.bring_up()
    assert modem.wait_taken(1)[0].text == "kept"


def test_ofono_reads_the_own_number() -> None:
    with Lab(sims=[Sim.numbered(0, number="+36301112222")]) as lab:
        lab.radios[0].wait_property("SimManager", "SubscriberNumbers", ["+36301112222"])


def test_ofonod_can_be_killed_and_started(lab: Lab) -> None:
    radio = lab.radios[0]
    lab.ofonod.kill()
    assert radio.list_paths(lab.bus.address) is None
    lab.ofonod.start()
    assert not radio.properties()["Powered"]
    lab.bring_up()
    radio.send_message(TO, "again")
    assert lab.modems[0].wait_taken(1)[0].text == "again"


def test_ofonod_can_be_paused(lab: Lab) -> None:
    lab.ofonod.pause()
    lab.modems[0].deliver(FROM, "while paused")
    assert not lab.modems[0].all_delivered
    lab.ofonod.resume()
    wait_until(lambda: lab.modems[0].all_delivered, what="acknowledged")


def test_the_bus_can_be_restarted(lab: Lab) -> None:
    lab.bus.restart()
    wait_until(lambda: not lab.ofonod.is_running, what="ofonod ends with its bus")
    lab.ofonod.start()
    lab.bring_up()


# ---- sending ----------------------------------------------------------------------

@pytest.mark.parametrize("text,alphabet,parts", [
    ("Hello, {world}: 5 €", "gsm7", 1),
    ("árvíztűrő tükörfúrógép", "ucs2", 1),
    pytest.param("Lorem ipsum €" * 40, "gsm7", 4, id="long"),
    pytest.param("ő" * 135, "ucs2", 3, id="long in UCS-2"),
    ("", "ucs2", 1),                            # ofonod does so
])
def test_the_network_takes_a_message(lab: Lab, text: str, alphabet: str, parts: int) -> None:
    with lab.signals() as signals:
        message = lab.radios[0].send_message(TO, text)
        taken = lab.modems[0].wait_taken(parts)
        signals.wait_state(message, "sent")
    assert join_parts(taken) == [(TO, text)]
    assert {submit.alphabet for submit in taken} == {alphabet}
    assert [s.concat and s.concat.part for s in taken] == (
        [None] if parts == 1 else list(range(1, parts + 1)))


@pytest.mark.parametrize("outcome", [Outcome.cms(38), Outcome.cms(50)])
def test_the_network_refuses_a_message(lab: Lab, outcome: Outcome) -> None:
    modem, radio = lab.modems[0], lab.radios[0]
    modem.plan(outcome)
    with lab.signals() as signals:
        signals.wait_state(radio.send_message(TO, "no"), "failed")
        signals.wait_state(radio.send_message(TO, "yes"), "sent")
    assert [submit.text for submit in modem.offered] == ["no", "yes"]
    assert [submit.text for submit in modem.taken] == ["yes"]


@pytest.mark.parametrize("answer,state", [
    (Outcome.ok(), "sent"), (Outcome.cms(38), "failed")])
def test_a_message_can_hang(lab: Lab, answer: Outcome, state: str) -> None:
    modem, radio = lab.modems[0], lab.radios[0]
    modem.plan(Outcome.hang())
    with lab.signals() as signals:
        message = radio.send_message(TO, "slow")
        modem.wait_offered(1)
        modem.deliver(FROM, "meanwhile")
        signals.wait("IncomingMessage")
        assert signals.states(message) == []
        modem.unhang(answer)
        signals.wait_state(message, state)


def test_a_modem_can_be_slow(lab: Lab) -> None:
    modem = lab.modems[0]
    modem.send_latency_s, modem.send_jitter_s = 0.05, 0.01
    for text in ("one", "two", "three"):
        lab.radios[0].send_message(TO, text)
    first, *_, last = modem.wait_taken(3)
    assert [submit.text for submit in modem.taken] == ["one", "two", "three"]
    assert last.when - first.when >= 0.1


def test_a_delivery_report_arrives(lab: Lab) -> None:
    modem, radio = lab.modems[0], lab.radios[0]
    radio.send_message(TO, "no report")
    radio.set("MessageManager", "UseDeliveryReports", True)
    radio.send_message(TO, "report")
    without, wanted = modem.wait_taken(2)
    assert (without.report_requested, wanted.report_requested) == (False, True)
    modem.report(wanted, delivered=True)
    wait_until(lambda: modem.all_delivered, what="ofonod acknowledged the report")


# ---- coverage, flight mode, SIM, link ---------------------------------------------

def test_registration_is_lost_and_returns(lab: Lab) -> None:
    modem, radio = lab.modems[0], lab.radios[0]
    for status, name in enumerate(["unregistered", "registered", "searching", "denied"]):
        modem.set_registration(status)
        radio.wait_property("NetworkRegistration", "Status", name)
    radio.send_message(TO, "later")
    modem.deliver(FROM, "later, too")
    assert (modem.offered, modem.all_delivered) == ([], False)
    with lab.signals() as signals:
        modem.set_registration(5)
        radio.wait_property("NetworkRegistration", "Status", "roaming")
        assert modem.wait_taken(1)[0].text == "later"
        signals.wait("IncomingMessage")


def test_operator_and_signal_are_shown(lab: Lab) -> None:
    modem, radio = lab.modems[0], lab.radios[0]
    modem.set_signal(31)
    radio.wait_property("NetworkRegistration", "Strength", 100)
    modem.set_operator("A1", "23201")
    modem.set_registration(5)
    radio.wait_property("NetworkRegistration", "MobileNetworkCode", "01")
    radio.wait_property("NetworkRegistration", "Name", "A1")


def test_flight_mode_ends_registration(lab: Lab) -> None:
    modem, radio = lab.modems[0], lab.radios[0]
    radio.online(False)
    radio.wait_for("NetworkRegistration", present=False)
    radio.send_message(TO, "on landing")
    assert modem.offered == []
    radio.online(True)
    assert modem.wait_taken(1)[0].text == "on landing"


def test_a_sim_is_removed_and_inserted(lab: Lab) -> None:
    modem, radio = lab.modems[0], lab.radios[0]
    card = modem.sim
    modem.remove_sim()
    radio.wait_for("MessageManager", present=False)
    assert not radio.sim_present
    modem.insert_sim(card)
    radio.wait_ready()
    radio.send_message(TO, "back")
    assert modem.wait_taken(1)[0].text == "back"


def test_a_sim_is_replaced_by_another(lab: Lab) -> None:
    modem, radio = lab.modems[0], lab.radios[0]
    other = Sim.numbered(5)
    modem.remove_sim()
    modem.insert_sim(other)
    radio.wait_property("SimManager", "SubscriberIdentity", other.imsi)
    radio.wait_ready()
    assert radio.properties("SimManager")["CardIdentifier"] == other.iccid


def test_a_modem_can_have_no_sim() -> None:
    with Lab(sims=[None]) as lab:
        assert not lab.radios[0].sim_present
        lab.modems[0].insert_sim(Sim.numbered(1))
        lab.radios[0].wait_for("MessageManager")


def test_a_pin_unlocks_a_sim() -> None:
    with Lab(sims=[Sim.numbered(0, pin="1234")]) as lab:
        modem, radio = lab.modems[0], lab.radios[0]
        radio.wait_property("SimManager", "PinRequired", "pin")
        with pytest.raises(dbus.DBusException, match="Failed"):
            radio.call("SimManager", "EnterPin", "pin", "0000")
        assert modem.sim.pin_tries == 2
        radio.wait_property("SimManager", "Retries", {"pin": 2, "puk": 10})
        radio.call("SimManager", "EnterPin", "pin", "1234")
        radio.wait_property("SimManager", "PinRequired", "none")
        radio.wait_for("MessageManager")
        radio.online()
        radio.wait_ready()


def test_a_cut_link_is_restored(lab: Lab) -> None:
    modem, radio = lab.modems[0], lab.radios[0]
    modem.cut_link()
    radio.wait_property("Modem", "Powered", False)
    lab.bring_up()


def test_a_link_can_drop_instead_of_an_answer(lab: Lab) -> None:
    modem, radio = lab.modems[0], lab.radios[0]
    modem.plan(Outcome.drop_link())
    radio.send_message(TO, "twice")
    radio.wait_property("Modem", "Powered", False)
    lab.bring_up()
    assert modem.wait_taken(1)[0].text == "twice"
    assert len(modem.offered) == 2


def test_a_modem_can_reset_itself(lab: Lab) -> None:
    modem, radio = lab.modems[0], lab.radios[0]
    asked = len(modem.commands)
    modem.reset()
    wait_until(lambda: len(modem.commands) > asked, what="ofonod starts again")
    radio.wait_ready()


# ---- receiving --------------------------------------------------------------------

@pytest.mark.parametrize("how", ["cmt", "cmti"])
@pytest.mark.parametrize("sender,text", [
    (FROM, "Code: 123456"), ("Bank", '"árvíztűrő"\n' * 20), ("1400", "")])
def test_an_incoming_message_arrives(lab: Lab, how: str, sender: str, text: str) -> None:
    modem = lab.modems[0]
    sent_at = datetime(2026, 3, 4, 5, 6, 7, tzinfo=timezone(timedelta(hours=1)))
    with lab.signals() as signals:
        modem.deliver(sender, text, how, sent_at)
        [signal] = signals.wait("IncomingMessage")
    shown, facts = signal.arguments
    assert (signal.path, shown) == ("/sim0", text)
    assert (facts["Sender"], facts["SentTime"]) == (sender, "2026-03-04T05:06:07+0100")
    wait_until(lambda: modem.all_delivered, what="acknowledged")
    wait_until(lambda: not modem.sim.messages, what="deleted from the SIM")


def test_a_message_stored_before_power_up_arrives() -> None:
    with Lab(modem_count=1, powered=False) as lab, lab.signals() as signals:
        for text in ("first", "second", "x" * 200):
            lab.modems[0].deliver(FROM, text, how="stored")
        lab.bring_up()
        texts = [signal.arguments[0] for signal in signals.wait("IncomingMessage", 3)]
        assert texts == ["first", "second", "x" * 200]
        wait_until(lambda: not lab.modems[0].sim.messages, what="deleted from the SIM")


def test_a_class_0_message_is_immediate(lab: Lab) -> None:
    with lab.signals() as signals:
        lab.modems[0].deliver(FROM, "flash", message_class=0)
        assert signals.wait("ImmediateMessage")[0].arguments[0] == "flash"


def test_segments_may_be_out_of_order_or_missing(lab: Lab) -> None:
    text = "0123456789" * 40
    with lab.signals() as signals:
        lab.modems[0].deliver(FROM, text, drop_parts=[2])
        lab.modems[0].deliver(FROM, text, parts_order=[3, 1, 2])
        assert [s.arguments[0] for s in signals.wait("IncomingMessage")] == [text]
        assert len(signals.seen("IncomingMessage")) == 1


def test_many_in_a_row_keep_their_order(lab: Lab) -> None:
    texts = [f"message {i}" for i in range(50)]
    with lab.signals() as signals:
        for text in texts:
            lab.modems[0].deliver(FROM, text)
        assert [s.arguments[0] for s in signals.wait("IncomingMessage", 50)] == texts


def test_a_ussd_code_is_answered(lab: Lab) -> None:
    lab.modems[0].set_ussd("*100#", "Balance: 1234 Ft")
    lab.radios[0].wait_for("SupplementaryServices")
    kind, answer = lab.radios[0].call("SupplementaryServices", "Initiate", "*100#")
    assert (kind, answer) == ("USSD", "Balance: 1234 Ft")


def test_a_ussd_dialogue_goes_on(lab: Lab) -> None:
    modem, radio = lab.modems[0], lab.radios[0]
    modem.set_ussd("*101#", "1 Balance 2 Bonus", USSD_ASKS)
    modem.set_ussd("1", "Balance: 1234 Ft")
    radio.wait_for("SupplementaryServices")
    radio.call("SupplementaryServices", "Initiate", "*101#")
    radio.wait_property("SupplementaryServices", "State", "user-response")
    assert radio.call("SupplementaryServices", "Respond", "1") == "Balance: 1234 Ft"
    radio.wait_property("SupplementaryServices", "State", "idle")


def test_the_network_can_begin_a_ussd_dialogue(lab: Lab) -> None:
    lab.radios[0].wait_for("SupplementaryServices")
    with lab.signals() as signals:
        lab.modems[0].notify_ussd("Your credit is low")
        assert signals.wait("NotificationReceived")[0].arguments[0] == "Your credit is low"
        lab.modems[0].notify_ussd("Top up? 1 yes", USSD_ASKS)
        assert signals.wait("RequestReceived")[0].arguments[0] == "Top up? 1 yes"
    lab.radios[0].call("SupplementaryServices", "Cancel")
    lab.radios[0].wait_property("SupplementaryServices", "State", "idle")
