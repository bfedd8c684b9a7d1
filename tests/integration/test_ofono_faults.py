# SPDX-License-Identifier: GPL-2.0-or-later
"""Modem, oFono and bus fail while calls wait: answers are true, the gateway survives, the next
message is sent, and nothing is submitted twice.

A PDU in flight when its modem disappeared is submitted again by ofonod itself (doc/modems.md).
MessageAdded counts the gateway's submissions: ofonod signals it once for each SendMessage and
not for messages that it finds on its disk.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator
from datetime import datetime, timezone
from concurrent.futures import Future, ThreadPoolExecutor

import dbus
import pytest

from agent import Agent, Result, assert_pending, assert_refused, assert_sent
from journal import Journal, wait_call_left
from lab import Lab, wait_until
from lab.ofono_line import line
from lab.radio import Radio
from modem import HOME, SEARCHING, Modem, Outcome
from modem.pdu import encode_deliver
from stream import Moments, Stream

HASTY = "[sms]\nsend_wait_seconds = 1\n"


@pytest.fixture
def lab(make_lab: Callable[..., Lab]) -> Iterator[Lab]:
    """One modem, a gateway that waits a second; the gateway must survive everything."""
    lab = make_lab(HASTY, modem_count=1)
    pid = lab.gateway.pid
    yield lab
    assert (lab.gateway.is_running, lab.gateway.pid) == (True, pid), lab.gateway.log


@pytest.fixture
def patient(make_lab: Callable[..., Lab]) -> Lab:
    """Waits for the network as long as it does by default."""
    return make_lab(modem_count=1)


@pytest.fixture
def journal(patient: Lab) -> Journal:
    return Journal(patient)


@pytest.fixture
def modem(lab: Lab) -> Modem:
    return lab.modems[0]


def hand_over(lab: Lab, pool: ThreadPoolExecutor, text: str) -> Future[Result]:
    """A call whose message hangs in the modem."""
    lab.modems[0].plan(Outcome.hang())
    before = len(lab.modems[0].offered)
    call = pool.submit(Agent(lab).send, text)
    lab.modems[0].wait_offered(before + 1)
    Journal(lab).wait_state(text, "submitted")
    return call


def offered(modem: Modem) -> list[str]:
    return [submit.text for submit in modem.offered]


def taken(modem: Modem) -> list[str]:
    return [submit.text for submit in modem.taken]


def assert_goes_on(lab: Lab) -> None:
    """A new message is sent, once, and its answer says so."""
    Agent(lab).wait_states("ready", timeout=6)
    assert_sent(Agent(lab).send("the next one"))
    assert offered(lab.modems[0])[-1] == "the next one"
    assert offered(lab.modems[0]).count("the next one") == 1


def bring_up_searching(lab: Lab) -> None:
    """As far as a modem gets without a network."""
    lab.modems[0].set_registration(SEARCHING)
    lab.radios[0].power()
    lab.radios[0].wait_for("MessageManager")
    lab.radios[0].online()
    lab.radios[0].wait_for("NetworkRegistration")


# ---- the modem goes away with a message -------------------------------------------

def test_a_message_is_held_while_its_modem_is_gone(
        lab: Lab, modem: Modem, background: ThreadPoolExecutor) -> None:
    """test_fault_matrix.py covers every other way to lose a modem."""
    call = hand_over(lab, background, "in flight")
    with lab.signals() as signals:
        modem.cut_link()
        result = call.result()
        assert_pending(result, "held")
        assert "kept by oFono until the modem is back" in result.text
        lab.bring_up()
        modem.wait_taken(1)
        Journal(lab).wait_state("in flight", "sent", "unknown")
        assert_goes_on(lab)
        assert len(signals.wait("MessageAdded")) == 1           # that of the next message
    assert taken(modem) == ["in flight", "the next one"]
    assert offered(modem) == ["in flight", "in flight", "the next one"]  # the second is ofonod's


def test_a_waiting_call_gets_the_outcome_when_the_modem_returns(
        patient: Lab, background: ThreadPoolExecutor) -> None:
    """oFono still lists the message then: the call gets its outcome."""
    modem = patient.modems[0]
    call = hand_over(patient, background, "patience")
    modem.cut_link()
    Journal(patient).wait_state("patience", "held")
    patient.radios[0].wait_property("Modem", "Powered", False)
    bring_up_searching(patient)
    Journal(patient).wait_state("patience", "submitted")
    assert not call.done()
    modem.set_registration(HOME)
    assert_sent(call.result())
    assert taken(modem) == ["patience"]


def test_a_message_sent_at_modem_return_is_sent_or_unknown(
        patient: Lab, background: ThreadPoolExecutor) -> None:
    """Nobody can know then, unless the gateway saw it in time."""
    modem = patient.modems[0]
    call = hand_over(patient, background, "in a hurry")
    modem.cut_link()
    patient.radios[0].wait_property("Modem", "Powered", False)
    patient.bring_up()
    result = call.result()
    if result.is_error:
        assert_refused(result, "unknown_outcome")
    else:
        assert_sent(result)
    assert taken(modem) == ["in a hurry"]
    assert_goes_on(patient)


def test_queued_messages_go_out_in_order_after_a_modem_loss(
        lab: Lab, modem: Modem, background: ThreadPoolExecutor) -> None:
    call = hand_over(lab, background, "first")
    for text in ("second", "third"):
        assert_pending(Agent(lab).send(text), "queued")
    with lab.signals() as signals:
        modem.cut_link()
        assert_pending(call.result(), "submitted", "held")
        lab.radios[0].wait_property("Modem", "Powered", False)
        lab.bring_up()
        modem.wait_taken(3)
        assert len(signals.wait("MessageAdded", 2)) == 2
    assert taken(modem) == ["first", "second", "third"]
    assert_goes_on(lab)


def test_queued_messages_wait_while_registration_is_lost(
        lab: Lab, modem: Modem, background: ThreadPoolExecutor) -> None:
    call = hand_over(lab, background, "first")
    for text in ("second", "third"):
        assert_pending(Agent(lab).send(text), "queued")
    assert_pending(call.result(), "submitted")
    modem.set_registration(SEARCHING)
    Agent(lab).wait_states("searching")
    modem.unhang(Outcome.ok())
    Journal(lab).wait_state("first", "sent")
    assert Journal(lab).states("second", "third") == ["queued", "queued"]
    assert lab.radios[0].pending_messages() == []   # a modem that cannot answer gets nothing
    modem.set_registration(HOME)
    assert [submit.text for submit in modem.wait_taken(3)] == ["first", "second", "third"]
    Journal(lab).wait_state("third", "sent")
    assert offered(modem) == taken(modem)


def test_no_message_is_submitted_twice_under_random_link_cuts(
        patient: Lab, journal: Journal) -> None:
    modem, cuts = patient.modems[0], 8
    modem.send_latency_s, modem.send_jitter_s = 0.004, 0.004
    stream, moments = Stream(patient, agents=4), Moments()
    with patient.signals() as signals:
        with stream.running():
            for _ in range(cuts):
                moments.wait(0.15)
                modem.cut_link()
                patient.radios[0].wait_property("Modem", "Powered", False)
                patient.bring_up()
        journal.wait_finished()
        signals.settle()
        handed_over = len(signals.seen("MessageAdded"))
    state = {message.text: message.state for message in journal.messages()}
    told_sent = {text for text, result in stream.answers.items() if not result.is_error}
    assert len(told_sent) > cuts
    assert set(state.values()) <= {"sent", "unknown"}
    assert all(state[text] == "sent" for text in told_sent)
    assert handed_over <= len(state)
    went = set(taken(modem))
    assert {text for text in state if state[text] == "sent"} <= went <= set(state)
    assert len(taken(modem)) - len(went) <= cuts            # by ofonod, see above


# ---- oFono goes away ---------------------------------------------------------------

def test_a_message_is_sent_when_a_suspended_ofono_resumes(lab: Lab, modem: Modem) -> None:
    """SendMessage is not answered; ofonod executes it when it runs again."""
    lab.ofonod.pause()
    try:
        assert_pending(Agent(lab).send("delayed"), "submitting")
        assert_pending(Agent(lab).send("behind it"), "queued")
        assert modem.offered == []
    finally:
        lab.ofonod.resume()
    modem.wait_taken(2)
    Journal(lab).wait_state("behind it", "sent")
    assert Journal(lab).states("delayed") == ["sent"]
    assert taken(modem) == offered(modem) == ["delayed", "behind it"]
    assert_goes_on(lab)


def test_an_unanswered_submit_is_not_repeated_after_a_crash(
        patient: Lab, background: ThreadPoolExecutor) -> None:
    """Whether it was executed is unknowable, so it is not submitted again."""
    modem = patient.modems[0]
    patient.ofonod.pause()
    call = background.submit(Agent(patient).send, "who knows")
    wait_call_left(patient, "who knows")
    patient.ofonod.kill()
    result = call.result()
    assert_refused(result, "unknown_outcome")
    assert "unknown whether" in result.text
    assert "Do not send it again" in result.text
    assert result.facts["retryable"] is False
    patient.ofonod.start()
    patient.bring_up()
    assert_goes_on(patient)
    assert taken(modem) == offered(modem) == ["the next one"]
    assert Journal(patient).states("who knows") == ["unknown"]


def address_of_0xfd_digits() -> bytes:
    """An SMS-DELIVER whose originating address claims more digits than any number has."""
    good = encode_deliver("+36201112233", "hello", datetime.now(timezone.utc))
    behind = good[1 + 2 + 6:]  # after first octet, length and type, and number
    return good[:1] + bytes([0xfd, 0x91]) + b"\x21" * ((0xfd + 1) // 2) + behind


DEADLY: dict[str, Callable[[Modem], None]] = {
    "an address of 0xFD digits": lambda modem: modem.deliver_tpdu(address_of_0xfd_digits()),
    "an empty USSD answer": lambda modem: modem.notify_ussd(""),
    "1,500 characters of USSD": lambda modem: modem.notify_ussd("x" * 1500),
}


def start_again(lab: Lab) -> None:
    """The message that killed ofonod is not delivered again, as the network would for a while."""
    lab.ofonod.kill()
    lab.modems[0].incoming.forget()
    lab.ofonod.start()
    lab.bring_up()


@pytest.mark.parametrize("what", DEADLY)
def test_sending_resumes_after_input_that_crashes_ofonod(lab: Lab, modem: Modem, what: str) -> None:
    """The gateway cannot prevent the crash: it notices, keeps waiting messages, and sends the
    next one."""
    agent = Agent(lab)
    DEADLY[what](modem)
    if what in line().deadly:
        wait_until(lambda: not lab.ofonod.is_running, what=f"{what} ends ofonod")
        wait_until(lambda: agent.send("meanwhile").code == "ofono_unavailable",
                   what="the gateway notices")

    def goes_on() -> bool:
        if not lab.ofonod.is_running:                   # others may end, and some later
            start_again(lab)
        return not agent.send("goes on").is_error
    wait_until(goes_on, timeout=30, what="messages go out")
    modem.deliver("+36201112233", "goes on, too")
    wait_until(lambda: [message["text"] for message in agent.call(
        "list_sms", limit=1).structured["messages"]] == ["goes on, too"], what="it is heard")


# ---- the bus goes away ------------------------------------------------------------

def restart_bus_and_ofono(lab: Lab) -> None:
    lab.ofonod.kill()                                   # it ends with its bus
    lab.bus.start()
    lab.ofonod.start()
    lab.bring_up()


def test_an_unanswered_submit_is_not_repeated_after_a_bus_loss(
        patient: Lab, background: ThreadPoolExecutor) -> None:
    modem = patient.modems[0]
    patient.ofonod.pause()
    call = background.submit(Agent(patient).send, "who knows")
    wait_call_left(patient, "who knows")
    patient.bus.stop()
    assert_refused(call.result(), "unknown_outcome")
    restart_bus_and_ofono(patient)
    assert_goes_on(patient)
    assert "who knows" not in offered(modem)[1:]
    assert Journal(patient).states("who knows") == ["unknown"]


# ---- others on the same phone -----------------------------------------------------

def test_messages_of_other_programs_are_not_mistaken_for_ours(
        lab: Lab, modem: Modem, background: ThreadPoolExecutor) -> None:
    for number in range(3):
        lab.radios[0].send_message("+36209999999", f"foreign {number}")
        assert_sent(Agent(lab).send(f"own {number}"))
    assert sorted(taken(modem)) == sorted(
        f"{whose} {number}" for whose in ("foreign", "own") for number in range(3))


def test_a_hanging_message_of_another_program_delays_ours(lab: Lab, modem: Modem) -> None:
    modem.plan(Outcome.hang())
    lab.radios[0].send_message("+36209999999", "foreign")
    Journal(lab).wait_state("", "submitted")            # oFono does not show its text
    assert_pending(Agent(lab).send("own"), "queued")    # so it can still be changed here
    modem.unhang(Outcome.cms(38))                       # their failure is not ours
    Journal(lab).wait_state("own", "sent")
    assert taken(modem) == ["own"]


def test_a_message_cancelled_on_the_phone_is_cancelled(
        patient: Lab, background: ThreadPoolExecutor) -> None:
    """While ofonod waits to retry, five seconds after an ERROR."""
    modem = patient.modems[0]
    modem.plan(Outcome.error())
    call = background.submit(Agent(patient).send, "taken back")
    modem.wait_offered(1)
    [path] = patient.radios[0].pending_messages()
    message = Radio(patient.bus.address, path)
    wait_until(lambda: cancel(message), what="oFono lets it be cancelled")
    assert_refused(call.result(), "cancelled")
    assert Journal(patient).states("taken back") == ["cancelled"]
    assert_goes_on(patient)
    assert offered(modem) == ["taken back", "the next one"]


def cancel(message: Radio) -> bool:
    """False: the modem has not answered yet."""
    try:
        message.call("Message", "Cancel")
    except dbus.DBusException as error:
        assert error.get_dbus_name() == "org.ofono.Error.AccessDenied", error
        return False
    return True


def test_a_call_waits_while_ofono_retries_after_an_error(patient: Lab) -> None:
    """ofonod repeats after a plain ERROR, five seconds later; the gateway must not."""
    modem = patient.modems[0]
    modem.plan(Outcome.error())
    with patient.signals() as signals:
        assert_sent(Agent(patient).send("second try"))
        assert len(signals.wait("MessageAdded")) == 1
    assert (offered(modem), taken(modem)) == (["second try"] * 2, ["second try"])
