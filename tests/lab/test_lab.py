# SPDX-License-Identifier: GPL-2.0-or-later
"""The lab itself: the real ofonod with emulated modems, without the gateway."""

from __future__ import annotations

import os
from collections.abc import Iterator
from datetime import datetime, timedelta, timezone
from pathlib import Path

import pytest

from modem import Outcome, join_parts

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

def test_a_link_can_drop_instead_of_an_answer(lab: Lab) -> None:
    modem, radio = lab.modems[0], lab.radios[0]
    modem.plan(Outcome.drop_link())
    radio.send_message(TO, "twice")
    radio.wait_property("Modem", "Powered", False)
    lab.bring_up()
    assert modem.wait_taken(1)[0].text == "twice"
    assert len(modem.offered) == 2


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


def test_segments_may_be_out_of_order_or_missing(lab: Lab) -> None:
    text = "0123456789" * 40
    with lab.signals() as signals:
        lab.modems[0].deliver(FROM, text, drop_parts=[2])
        lab.modems[0].deliver(FROM, text, parts_order=[3, 1, 2])
        assert [s.arguments[0] for s in signals.wait("IncomingMessage")] == [text]
        assert len(signals.seen("IncomingMessage")) == 1
