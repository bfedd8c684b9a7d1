# SPDX-License-Identifier: GPL-2.0-or-later
"""kill -9 and SIGTERM while calls wait: no accepted message is forgotten, and none is
submitted twice. test_crash_matrix.py covers every boundary by number, and
tests/torture/test_kills.py kills under load."""

from __future__ import annotations

import resource
import signal
import time
from collections.abc import Callable, Iterator
from concurrent.futures import Future, ThreadPoolExecutor
from contextlib import contextmanager

import pytest

from agent import Agent, Result, assert_pending, assert_refused, assert_sent
from journal import Journal, wait_call_left
from lab import Lab, wait_until
from modem import Modem, Outcome
from modem.patience import patience
from stream import LOST


@pytest.fixture
def lab(make_lab: Callable[..., Lab]) -> Lab:
    return make_lab(modem_count=1)


@pytest.fixture
def modem(lab: Lab) -> Modem:
    return lab.modems[0]


def texts(submits: list) -> list[str]:
    return [submit.text for submit in submits]


def submit(lab: Lab, pool: ThreadPoolExecutor, *messages: str) -> list[Future[Result]]:
    """Calls that wait, with their messages on disk in this order."""
    calls = []
    for message in messages:
        calls.append(pool.submit(Agent(lab).send, message))
        wait_until(lambda: Journal(lab).states(message) != [""],
                   what=f"{message!r} is on disk")
    return calls


def crash(lab: Lab, calls: list[Future[Result]]) -> None:
    lab.gateway.kill()
    for call in calls:
        with pytest.raises(LOST):
            call.result()


# ---- kill -9 ----------------------------------------------------------------------

def test_queued_messages_go_out_after_a_crash_in_order(
        lab: Lab, modem: Modem, journal: Journal, background: ThreadPoolExecutor) -> None:
    modem.plan(Outcome.hang())
    calls = submit(lab, background, "first", "second", "third", "fourth")
    modem.wait_offered(1)
    crash(lab, calls)
    assert journal.states("first", "second", "third", "fourth") == [
        "submitted", "queued", "queued", "queued"]
    lab.gateway.start()
    journal.wait_state("first", "submitted")           # kept after the start, until oFono listed it
    assert len(modem.offered) == 1                  # the others still wait behind it
    modem.unhang(Outcome.ok())
    modem.wait_taken(4)
    journal.wait_finished()
    assert texts(modem.offered) == ["first", "second", "third", "fourth"]
    assert set(journal.states("first", "second", "third", "fourth")) == {"sent"}


def test_an_interrupted_submission_is_never_repeated(
        lab: Lab, modem: Modem, journal: Journal, background: ThreadPoolExecutor) -> None:
    lab.ofonod.pause()
    calls = submit(lab, background, "half handed", "behind it")
    wait_call_left(lab, "half handed")
    crash(lab, calls)
    lab.gateway.start()
    assert journal.states("half handed", "behind it") == ["unknown", "queued"]
    lab.ofonod.resume()
    journal.wait_state("behind it", "sent")
    assert journal.states("half handed") == ["unknown"]
    assert sorted(texts(modem.offered)) == ["behind it", "half handed"]  # ofonod had it


def test_a_message_that_finished_during_a_crash_is_unknown(
        lab: Lab, modem: Modem, journal: Journal, background: ThreadPoolExecutor) -> None:
    modem.plan(Outcome.hang())
    calls = submit(lab, background, "in the air", "behind it")
    journal.wait_state("in the air", "submitted")
    modem.wait_offered(1)
    crash(lab, calls)
    modem.unhang(Outcome.ok())
    wait_until(lambda: lab.radios[0].pending_messages() == [],
               what="oFono is done with it")
    lab.gateway.start()
    journal.wait_state("behind it", "sent")
    assert journal.states("in the air") == ["unknown"]
    assert texts(modem.taken) == ["in the air", "behind it"]


# ---- the disk is full --------------------------------------------------------------

@contextmanager
def full_disk(lab: Lab) -> Iterator[None]:
    """No file of the gateway may grow; Python's children ignore SIGXFSZ."""
    size = (lab.gateway.state / "gateway.db-wal").stat().st_size
    before = resource.prlimit(lab.gateway.pid, resource.RLIMIT_FSIZE)
    resource.prlimit(lab.gateway.pid, resource.RLIMIT_FSIZE, (size, before[1]))
    try:
        yield
    finally:
        if lab.gateway.is_running:
            resource.prlimit(lab.gateway.pid, resource.RLIMIT_FSIZE, before)


def test_a_message_that_cannot_be_stored_is_refused(
        lab: Lab, modem: Modem, journal: Journal) -> None:
    assert_sent(Agent(lab).send("before"))
    with full_disk(lab):
        for _ in range(3):
            assert_refused(Agent(lab).send("no room"), "storage_full")
        assert Agent(lab).states() == ["ready"]
    assert_sent(Agent(lab).send("after"))
    assert texts(modem.offered) == ["before", "after"]
    assert [message.text for message in journal.messages()] == ["before", "after"]


def test_nothing_is_submitted_or_announced_while_the_disk_is_full(
        lab: Lab, modem: Modem, journal: Journal, background: ThreadPoolExecutor) -> None:
    modem.plan(Outcome.hang())
    first, second = submit(lab, background, "first", "second")
    modem.wait_offered(1)
    journal.wait_state("first", "submitted")
    with full_disk(lab):
        modem.unhang(Outcome.ok())
        modem.wait_taken(1)
        wait_until(lambda: lab.radios[0].pending_messages() == [], what="oFono is done with it")
        assert not first.done()                     # a kill now makes it unknown
        assert journal.states("first", "second") == ["submitted", "queued"]
        assert texts(modem.offered) == ["first"]
    assert_sent(first.result())
    assert_sent(second.result())                    # the disk is tried again
    journal.wait_finished()
    assert journal.states("first", "second") == ["sent", "sent"]


# ---- SIGTERM ----------------------------------------------------------------------

STOP_S = 3


@pytest.mark.parametrize("number", [signal.SIGTERM, signal.SIGINT])
def test_a_stop_answers_waiting_calls(
        lab: Lab, modem: Modem, journal: Journal, background: ThreadPoolExecutor,
        number: signal.Signals) -> None:
    modem.plan(Outcome.hang())
    calls = submit(lab, background, "first", "second", "third")
    modem.wait_offered(1)
    journal.wait_state("first", "submitted")
    lab.gateway.send_signal(number)
    results = [call.result() for call in calls]         # while the modem still hangs
    wait_until(lambda: not lab.gateway.is_running, what="it ended")
    assert lab.gateway.stop() == 0
    assert_pending(results[0], "submitted")
    for result in results[1:]:
        assert_pending(result, "queued")
    lab.gateway.start()
    journal.wait_state("first", "submitted")
    modem.unhang(Outcome.ok())
    assert texts(modem.wait_taken(3)) == ["first", "second", "third"]
    journal.wait_state("third", "sent")
    assert journal.states("first", "second") == ["sent", "sent"]


def test_a_stop_takes_at_most_three_seconds(
        lab: Lab, modem: Modem, background: ThreadPoolExecutor) -> None:
    modem.plan(Outcome.hang())
    [call] = submit(lab, background, "waits")
    modem.wait_offered(1)
    begun = time.monotonic()
    assert lab.gateway.stop() == 0
    assert time.monotonic() - begun < patience(STOP_S)
    assert_pending(call.result(), "submitting", "submitted")


def test_a_stop_during_a_submission_leaves_it_unknown(
        lab: Lab, modem: Modem, journal: Journal, background: ThreadPoolExecutor) -> None:
    """The submission is incomplete: the message is unknown afterwards, and sent at most once."""
    lab.ofonod.pause()
    [call] = submit(lab, background, "half handed")
    wait_call_left(lab, "half handed")
    assert lab.gateway.stop() == 0
    assert_pending(call.result(), "submitting")
    lab.gateway.start()
    lab.ofonod.resume()
    Agent(lab).wait_states("ready")
    assert journal.states("half handed") == ["unknown"]
    assert_sent(Agent(lab).send("next"))
    assert texts(modem.taken) == ["half handed", "next"]


def test_a_second_signal_stops_the_gateway_at_once(
        lab: Lab, modem: Modem, background: ThreadPoolExecutor) -> None:
    modem.plan(Outcome.hang())
    calls = submit(lab, background, "waits")
    modem.wait_offered(1)
    lab.gateway.send_signal(signal.SIGTERM)
    lab.gateway.send_signal(signal.SIGTERM)
    wait_until(lambda: not lab.gateway.is_running, what="it ended")
    assert lab.gateway.stop() == 0
    assert calls[0].exception() is None or isinstance(calls[0].exception(), LOST)


def test_a_stopped_gateway_accepts_no_calls(lab: Lab) -> None:
    lab.gateway.stop()
    with pytest.raises(LOST):
        Agent(lab).send("too late")
    lab.gateway.start()
    assert Journal(lab).messages() == []
