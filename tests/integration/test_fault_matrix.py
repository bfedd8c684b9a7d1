# SPDX-License-Identifier: GPL-2.0-or-later
"""Every fault of modem, card, oFono and bus, at every stage of a message, with a gateway that
runs, crashes meanwhile, or is down from before the fault until after its repair.

The repaired modem finds no network at first, so oFono still lists its messages. The gateway
must find the message there under the same UUID, on any modem, and report its true outcome. If
the network is there at once the outcome cannot be known: test_ofono_faults.py.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator
from contextlib import ExitStack

import pytest

from agent import Agent, assert_pending
from journal import Journal
from lab import Lab
from lab.radio import Radio
from lab.signals import Signals
from modem import Modem, Outcome, Sim
from stream import LOST

HOME, SEARCHING = 1, 2
HASTY = "[sms]\nsend_wait_seconds = 0\n"


class Phone:
    """Two modems and one card that may be in either."""

    def __init__(self, lab: Lab, undo: ExitStack) -> None:
        self.lab = lab
        self.seat = 0
        self._undo = undo
        self._records: list[Signals] = []
        self.record()

    @property
    def modem(self) -> Modem:
        return self.lab.modems[self.seat]

    @property
    def radio(self) -> Radio:
        return self.lab.radios[self.seat]

    def record(self) -> None:
        """Records submissions from now on; call it again after the bus has gone."""
        self._records.append(self._undo.enter_context(self.lab.handovers()))

    def handed_over(self, text: str) -> int:
        self._records[-1].settle()
        return sum(call.arguments[1] == text
                   for record in self._records for call in record.seen("SendMessage"))

    def taken(self, text: str) -> int:
        return sum(submit.text == text
                   for modem in self.lab.modems for submit in modem.taken)

    def answer_with(self, outcome: Outcome) -> None:
        for modem in self.lab.modems:
            modem.default_outcome = outcome

    def send(self, text: str, *states: str) -> None:
        assert_pending(Agent(self.lab).send(text), "queued", "submitting", "submitted")
        Journal(self.lab).wait_state(text, *states)

    def cut(self) -> None:
        self.modem.cut_link()
        self.radio.wait_property("Modem", "Powered", False)

    def come_back(self) -> None:
        """As far as a modem gets without a network."""
        self.modem.set_registration(SEARCHING)
        for radio in self.lab.radios:
            radio.power()
        self.radio.wait_for("MessageManager")
        self.radio.online()
        self.radio.wait_for("NetworkRegistration")


# ---- the faults: each gives what repairs it

Repair = Callable[[], None]


def ofonod_stopped(phone: Phone) -> Repair:
    phone.lab.ofonod.stop()
    return phone.lab.ofonod.start


def ofonod_restarted(phone: Phone) -> Repair:
    phone.lab.ofonod.restart()
    return lambda: None


def ofonod_crashed(phone: Phone) -> Repair:
    phone.lab.ofonod.kill()
    return phone.lab.ofonod.start


def modem_off(phone: Phone) -> Repair:
    phone.radio.power(False)
    return lambda: None


def link_lost(phone: Phone) -> Repair:
    phone.cut()
    return lambda: None


def take_card(phone: Phone) -> Sim:
    """A +CMGS without an answer would block the modem's line."""
    card = phone.modem.sim
    phone.modem.remove_sim()
    phone.cut()
    return card


def sim_out(phone: Phone) -> Repair:
    card = take_card(phone)
    return lambda: phone.modem.insert_sim(card)


def sim_moved(phone: Phone) -> Repair:
    card = take_card(phone)
    phone.seat = 1 - phone.seat
    phone.modem.set_registration(SEARCHING)
    return lambda: phone.modem.insert_sim(card)


def bus_restarted(phone: Phone) -> Repair:
    phone.lab.bus.stop()
    phone.lab.ofonod.kill()                         # it ends with its bus

    def repair() -> None:
        phone.lab.bus.start()
        phone.record()
        phone.lab.ofonod.start()
    return repair


def no_answer(phone: Phone) -> Repair:
    """The modem took the PDU and is silent; only a restart ends that."""
    return phone.cut


# ---- the stages: each gives what the disk says of its messages during a fault

States = dict[str, str]


def in_flight(phone: Phone, text: str) -> States:
    offered = len(phone.modem.offered)
    phone.send(text, "submitted")
    phone.modem.wait_offered(offered + 1)
    return {text: "held"}


def queued(phone: Phone, text: str) -> States:
    before = in_flight(phone, f"before {text}")
    phone.send(text, "queued")
    return before | {text: "queued"}


def held(phone: Phone, text: str) -> States:
    states = in_flight(phone, text)
    phone.radio.power(False)
    Journal(phone.lab).wait_state(text, "held")
    return states


FAULTS = [ofonod_stopped, ofonod_restarted, ofonod_crashed, modem_off, link_lost, sim_out,
          sim_moved, bus_restarted, no_answer]
STAGES = [queued, in_flight, held]
LIVES, CRASHES, IS_DOWN = "lives", "crashes", "is down"


class Phones:
    """One phone after another: a test that fails discards its own."""

    def __init__(self) -> None:
        self._undo = ExitStack()
        self._phone: Phone | None = None

    def get(self) -> Phone:
        if self._phone is None:
            lab = Lab(gateway=True, sims=[Sim.numbered(0), None])
            lab.gateway.config = HASTY
            self._undo.enter_context(lab)
            Agent(lab).wait_states("ready", timeout=10)
            self._phone = Phone(lab, self._undo)
        return self._phone

    def discard(self) -> None:
        self._phone = None
        self._undo.close()


@pytest.fixture(scope="module")
def phones() -> Iterator[Phones]:
    phones = Phones()
    yield phones
    phones.discard()


@pytest.fixture
def phone(phones: Phones) -> Iterator[Phone]:
    phone = phones.get()
    yield phone
    try:
        Journal(phone.lab).wait_finished()
        Agent(phone.lab).wait_states("ready")
    except (AssertionError, *LOST):
        phones.discard()
        raise


def wait_states(phone: Phone, states: States) -> None:
    for text, state in states.items():
        Journal(phone.lab).wait_state(text, state)


def break_it(phone: Phone, fault: Callable[[Phone], Repair], gateway: str,
             states: States) -> Repair:
    if gateway == IS_DOWN:
        phone.lab.gateway.kill()
        return fault(phone)
    repair = fault(phone)
    wait_states(phone, states)
    if gateway == CRASHES:
        phone.lab.gateway.kill()
        phone.lab.gateway.start()
        wait_states(phone, states)
    return repair


@pytest.mark.parametrize("gateway", [LIVES, CRASHES, IS_DOWN])
@pytest.mark.parametrize("stage", STAGES, ids=lambda stage: stage.__name__)
@pytest.mark.parametrize("fault", FAULTS, ids=lambda fault: fault.__name__)
def test_a_message_is_submitted_once_despite_any_fault(phone: Phone, fault: Callable[[Phone], Repair],
               stage: Callable[[Phone, str], States], gateway: str) -> None:
    text = f"{fault.__name__}, {stage.__name__}, the gateway {gateway}"
    phone.answer_with(Outcome.hang())
    states = stage(phone, text)
    if fault is no_answer and stage is not held:        # the modem is present
        states = {text: state.replace("held", "submitted") for text, state in states.items()}
    repair = break_it(phone, fault, gateway, states)
    repair()
    phone.answer_with(Outcome.ok())
    phone.come_back()
    if gateway == IS_DOWN:
        phone.lab.gateway.start()
    wait_states(phone, {text: "queued" if state == "queued" else "submitted"
                        for text, state in states.items()})
    phone.modem.set_registration(HOME)
    for text in states:
        Journal(phone.lab).wait_state(text, "sent")
        assert phone.handed_over(text) == phone.taken(text) == 1
