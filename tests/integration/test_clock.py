# SPDX-License-Identifier: GPL-2.0-or-later
"""A phone whose clock was never set, is set, or that sleeps for hours (doc/reliability.md)."""

from __future__ import annotations

import sqlite3
import time
from collections.abc import Callable, Iterator
from contextlib import closing, contextmanager
from datetime import datetime, timezone

import pytest

from agent import TO, Agent, assert_refused, assert_sent
from approving import Owner, new_agent, set_ask, write_past_the_gateway
from conftest import new_lab, wait_until_known
from journal import Journal
from lab import Lab, wait_until
from lab.clock import Clock
from modem import Outcome
from pending import Pending
from reading import call, deliver, texts
from test_audit import Audit

HOUR_S, DAY_S = 3600, 86400
SENDER = "+36201112233"


@contextmanager
def phone_with_clock(**options: object) -> Iterator[tuple[Lab, Clock]]:
    lab = new_lab(modem_count=1, **{"policy": ""} | options)
    clock = Clock(lab.folder)
    lab.gateway.environment |= clock.environment
    with lab:
        if options.get("gateway_open", True):
            wait_until_known(lab, True)
        yield lab, clock


@pytest.fixture(scope="module")
def phone(lab_options: dict[str, object]) -> Iterator[tuple[Lab, Clock]]:
    with phone_with_clock() as made:
        yield made


def at(ahead_s: float) -> str:
    """RFC 3339, by our clock."""
    return datetime.fromtimestamp(time.time() + ahead_s, timezone.utc).isoformat()


def left_in_hour(lab: Lab) -> int:
    limits = Agent(lab).call("get_gateway_status", detail=True).structured["limits"]
    [left] = [limit["left"] for limit in limits
              if (limit["of"], limit["per"]) == ("client", "hour")]
    return left


def schedule(lab: Lab, text: str, ahead_s: float) -> int:
    answer = Agent(lab).send(text, send_at=at(ahead_s))
    assert answer.structured["state"] == "scheduled", answer.text
    return answer.message_id


def paged(lab: Lab) -> list[str]:
    """The text of every message, one page each."""
    found, cursor = [], {}
    while True:
        page = call(lab, "list_sms", limit=1, **cursor)
        found += texts(page)
        if "next_cursor" not in page:
            return found
        cursor = {"cursor": page["next_cursor"]}


def test_a_boot_in_1970_keeps_order_and_schedule() -> None:
    with phone_with_clock() as (lab, clock):
        agent = Agent(lab)
        deliver(lab, SENDER, "known time")
        late = schedule(lab, "at its time", 2 * HOUR_S)
        lab.gateway.kill()
        clock.set(60 - time.time())
        lab.gateway.start()
        wait_until_known(lab, True)
        refused = agent.send("when?", send_at=at(3 * HOUR_S))
        assert_refused(refused, "invalid_arguments")
        assert "1970-01-01T00:0" in refused.text and "by the phone's clock" in refused.text
        assert_sent(agent.send("in 1970"))
        deliver(lab, SENDER, "to 1970")
        left = left_in_hour(lab)
        assert agent.state(late) == "scheduled"
        clock.set(0)
        assert_sent(agent.send("time is known"))
        assert agent.state(late) == "scheduled" and left_in_hour(lab) == left - 1
        expected = ["time is known", "to 1970", "in 1970", "at its time", "known time"]
        assert texts(call(lab, "list_sms", limit=100)) == paged(lab) == expected
        clock.set(2 * HOUR_S + 1)
        agent.wait_state(late, "sent")
        Audit(lab.gateway).verify()


def test_timeouts_and_schedules_survive_a_clock_set_by_a_day(phone: tuple[Lab, Clock]) -> None:
    lab, clock = phone
    agent = Agent(lab)
    first = schedule(lab, "forward", HOUR_S)
    left = left_in_hour(lab)
    waiting = Pending(lab, "wait_for_sms", timeout_seconds=60)
    clock.set(DAY_S)
    agent.wait_state(first, "sent")
    second = schedule(lab, "back", DAY_S + HOUR_S)
    clock.set(0)
    assert_sent(agent.send("meanwhile"))
    assert agent.state(second) == "scheduled"
    assert left_in_hour(lab) <= left - 1            # moving a day forward frees no place
    clock.set(DAY_S + HOUR_S + 1)
    agent.wait_state(second, "sent")
    clock.set(0)
    assert not waiting.is_done
    lab.modems[0].deliver(SENDER, "still there?")
    assert "still there?" in str(waiting.facts())


@pytest.mark.parametrize("back_s", [HOUR_S, DAY_S, 20 * 365 * DAY_S])
def test_a_message_expires_though_the_clock_was_set_back(back_s: int) -> None:
    """Validity counts lived time, and its end is reported even if nothing else wakes the
    gateway."""
    with phone_with_clock() as (lab, clock):
        lab.modems[0].plan(Outcome.hang())
        Agent(lab).send("in its way", wait_for="none")
        Agent(lab).send("of use for a minute", wait_for="none", valid_for_seconds=60)
        Journal(lab).wait_state("in its way", "submitted")
        clock.set(-back_s)
        clock.sleep(61)
        Journal(lab).wait_state("of use for a minute", "expired")   # reads the message store


def test_stop_cancels_messages_though_the_clock_was_set_back(phone: tuple[Lab, Clock]) -> None:
    """A message accepted "tomorrow" came before today's STOP."""
    lab, clock = phone
    clock.set(DAY_S)
    waiting = schedule(lab, "an advertisement", 2 * DAY_S)
    clock.set(0)
    deliver(lab, TO, "STOP")
    assert Agent(lab).state(waiting) == "cancelled"
    deliver(lab, TO, "START")


def test_repeats_are_detected_though_the_clock_was_set() -> None:
    """Repeats are detected for one minute of lived time; that clock does not decide."""
    with phone_with_clock(notices_repeats=True) as (lab, clock):
        agent = Agent(lab)
        first = agent.send("the same").message_id
        for ahead_s in (-HOUR_S, HOUR_S, 10 * 365 * DAY_S):
            clock.set(ahead_s)
            again = agent.send("the same")
            assert again.message_id == first and "asked for just before" in again.text
        clock.set(0)
        assert " s ago" in agent.send("the same").text
        clock.sleep(61)
        assert agent.send("the same").message_id != first


def test_messages_due_during_sleep_are_sent_in_order() -> None:
    """They are sent in the order of acceptance; expired ones are not sent."""
    with phone_with_clock() as (lab, clock):
        agent = Agent(lab)
        over = agent.send("over", send_at=at(HOUR_S), valid_for_seconds=60).message_id
        schedule(lab, "due second", 2 * HOUR_S)
        last = schedule(lab, "due first", HOUR_S)
        clock.sleep(2 * HOUR_S + 1)
        agent.wait_state(last, "sent")
        assert [submit.text for submit in lab.modems[0].taken] == ["due second", "due first"]
        told = agent.call("get_sms_status", history=True, message_id=over).structured
        assert (told["state"], told["changes"][-1]["reason"]) == ("expired", "validity_over")


def test_timeouts_do_not_run_during_suspend(phone: tuple[Lab, Clock]) -> None:
    lab, clock = phone
    agent = Agent(lab)
    due = schedule(lab, "slept over", 2 * HOUR_S)
    waiting = Pending(lab, "wait_for_sms", timeout_seconds=60)
    clock.sleep(3 * HOUR_S)
    agent.wait_state(due, "sent")                   # nothing else woke the loop
    [gap] = [gap for gap in agent.call("get_gateway_status", detail=True).structured["gaps"]
             if gap["reason"] == "suspended"]
    begun, ended = (datetime.fromisoformat(gap[end]) for end in ("from", "until"))
    assert 3 * HOUR_S - 1 <= (ended - begun).total_seconds() < 4 * HOUR_S
    assert not waiting.is_done                      # sleep does not count towards its 60 s
    lab.modems[0].deliver(SENDER, "good morning")
    assert "good morning" in str(waiting.facts())


DAYS_BEHIND, HOURS_LATER = 2 * DAY_S, 3 * HOUR_S
SEARCHING, HOME = 2, 1


def approved(lab: Lab) -> tuple[Agent, int]:
    """The gateway is dead by then, and the network is away."""
    agent, owner = new_agent(lab), Owner(lab)
    message_id = agent.send("of use for ten minutes", wait_for="none").message_id
    lab.modems[0].set_registration(SEARCHING)
    agent.wait_states("searching", timeout=10)
    owner.do("approve", message_id)
    lab.gateway.kill()
    set_ask(lab, "careful", "never")
    return agent, message_id


def valid(lab: Lab) -> tuple[Agent, int]:
    agent, [modem] = new_agent(lab, ask="never"), lab.modems
    modem.plan(Outcome.hang())
    agent.send("in its way", wait_for="none")
    message_id = agent.send("of use for an hour", wait_for="none",
                            valid_for_seconds=HOUR_S).message_id
    Journal(lab).wait_state("in its way", "submitted")
    modem.wait_offered(1)
    lab.gateway.kill()
    modem.unhang(Outcome.ok())
    modem.set_registration(SEARCHING)
    return agent, message_id


def start_at(lab: Lab, clock: Clock, ahead_s: float) -> None:
    clock.set(ahead_s)
    lab.gateway.start()


def come_back(lab: Lab, agent: Agent) -> None:
    lab.modems[0].set_registration(HOME)
    agent.wait_states("ready", timeout=10)


@pytest.mark.parametrize("begin", [approved, valid])
@pytest.mark.parametrize("steps", [
    [-DAYS_BEHIND, 0], [-DAYS_BEHIND], [-DAYS_BEHIND, -DAYS_BEHIND, 0],
    [-HOUR_S, -2 * HOUR_S, 0], ["1970", 0], [-DAYS_BEHIND, -DAYS_BEHIND + 60]], ids=str)
def test_a_start_with_the_clock_behind_gives_no_extra_time(begin: Callable[[Lab], tuple[Agent, int]],
                                      steps: list[float | str]) -> None:
    """A restart with a wrong clock extends no time limit."""
    ahead_s = [60 - time.time() if isinstance(step, str) else step for step in steps]
    with phone_with_clock(gateway_open=False) as (lab, clock):
        agent, message_id = begin(lab)
        start_at(lab, clock, ahead_s[0])
        for between_s in ahead_s[1:-1]:
            lab.gateway.kill()
            start_at(lab, clock, between_s)
        clock.set(ahead_s[-1])
        clock.sleep(HOURS_LATER)
        come_back(lab, agent)
        assert_sent(agent.send("another"))
        told = agent.call("get_sms_status", history=True, message_id=message_id).structured
        reason = "approval_expired" if begin is approved else "validity_over"
        assert (told["state"], told["changes"][-1]["reason"]) == ("expired", reason)
        assert not any(submit.text.startswith("of use") for submit in lab.modems[0].offered)


@pytest.mark.parametrize("begin", [approved, valid])
def test_a_message_waits_while_the_clock_is_behind(begin: Callable[[Lab], tuple[Agent, int]]) -> None:
    """While the clock is behind it waits; once the clock is right it is sent if still in time."""
    with phone_with_clock(gateway_open=False) as (lab, clock):
        agent, message_id = begin(lab)
        start_at(lab, clock, -DAYS_BEHIND)
        come_back(lab, agent)
        assert_sent(agent.send("meanwhile"))
        told = agent.call("get_sms_status", history=True, message_id=message_id).structured
        assert (told["state"], told["reason"]) == ("queued", "clock_unknown")
        clock.set(0)
        agent.wait_state(message_id, "sent")


def lived_until_s(lab: Lab) -> float:
    """By CLOCK_BOOTTIME, as the message store has it; 0: not stored."""
    with closing(sqlite3.connect(lab.gateway.state / "gateway.db", timeout=10)) as store:
        row = store.execute("SELECT boot_at FROM alive").fetchone()
    return row[0] / 1000 if row else 0


def live_on(lab: Lab, clock: Clock, seconds: int) -> None:
    """Time passes minute by minute, in which nothing happens."""
    for minute_s in range(0, seconds, 60):
        stored_s = lived_until_s(lab)
        clock.sleep(min(60, seconds - minute_s))
        wait_until(lambda: lived_until_s(lab) != stored_s, what="the minute is stored")


def boot_in_1970(lab: Lab, clock: Clock) -> None:
    """After a loss of power."""
    lab.gateway.kill()
    clock.boot(60 - time.time())
    lab.gateway.start()


@contextmanager
def approved_in_1970() -> Iterator[tuple[Lab, Clock, Agent, int]]:
    """A phone whose clock was never set; its network is away."""
    with phone_with_clock(gateway_open=False) as (lab, clock):
        agent = new_agent(lab)
        lab.gateway.kill()
        write_past_the_gateway(lab, "DELETE FROM alive")
        clock.boot(60 - time.time())
        lab.gateway.start()
        agent.wait_states("ready", timeout=10)
        message_id = agent.send("of use for ten minutes", wait_for="none").message_id
        lab.modems[0].set_registration(SEARCHING)
        agent.wait_states("searching", timeout=10)
        Owner(lab).do("approve", message_id)
        set_ask(lab, "careful", "never")
        yield lab, clock, agent, message_id


@pytest.mark.parametrize("boots_s", [[590], [300, 170]], ids=str)
def test_reboots_in_1970_give_an_approval_no_extra_time(boots_s: list[int]) -> None:
    """Nothing but the gateway's own timer stores how long it has lived."""
    with approved_in_1970() as (lab, clock, agent, message_id):
        for lived_s in boots_s:
            live_on(lab, clock, lived_s)
            boot_in_1970(lab, clock)
        clock.sleep(600 - sum(boots_s))
        come_back(lab, agent)
        assert_sent(agent.send("another"))
        told = agent.call("get_sms_status", history=True, message_id=message_id).structured
        assert (told["state"], told["changes"][-1]["reason"]) == ("expired", "approval_expired")
        assert [submit.text for submit in lab.modems[0].offered] == ["another"]


def test_boots_in_1970_do_not_prolong_the_wait_for_approval() -> None:
    with phone_with_clock(gateway_open=False) as (lab, clock):
        agent = new_agent(lab)
        message_id = agent.send("forgotten", wait_for="none").message_id
        for _ in range(2):
            boot_in_1970(lab, clock)
            clock.sleep(8 * HOUR_S)
            wait_until(lambda: lived_until_s(lab) >= 8 * HOUR_S, what="the time is stored")
            assert agent.state(message_id) == "waiting_approval"
        boot_in_1970(lab, clock)
        clock.sleep(8 * HOUR_S)
        agent.wait_state(message_id, "expired")
        assert Owner(lab).run("approve", message_id).returncode != 0
        clock.set(0)
        gaps = agent.call("get_gateway_status", detail=True).structured["gaps"]
        assert not [gap for gap in gaps if gap["from"] < "2024"]


def test_a_power_cut_gives_an_idle_approval_no_extra_time() -> None:
    """The clock goes on where the store last saw it, as one does that is saved to disk."""
    with phone_with_clock(gateway_open=False) as (lab, clock):
        agent, owner = new_agent(lab), Owner(lab)
        message_id = agent.send("of use for ten minutes", wait_for="none").message_id
        lab.modems[0].set_registration(SEARCHING)
        agent.wait_states("searching", timeout=10)
        owner.do("approve", message_id)
        set_ask(lab, "careful", "never")
        live_on(lab, clock, 590)
        lab.gateway.kill()
        clock.boot(0)
        lab.gateway.start()
        come_back(lab, agent)
        assert_sent(agent.send("another"))
        told = agent.call("get_sms_status", history=True, message_id=message_id).structured
        assert (told["state"], told["changes"][-1]["reason"]) == ("expired", "approval_expired")


def test_a_stop_in_1970_stores_the_time_lived() -> None:
    """Exactly, so that a clean reboot takes nothing from an approval either."""
    with approved_in_1970() as (lab, clock, agent, message_id):
        wait_until(lambda: lived_until_s(lab) >= 60, what="a minute is stored ahead")
        ahead_s = lived_until_s(lab)
        lab.gateway.stop()
        assert lived_until_s(lab) < ahead_s
        clock.boot(60 - time.time())
        lab.gateway.start()
        come_back(lab, agent)
        clock.set(60 - time.time() + 60)                # past the time of the approval
        agent.wait_state(message_id, "sent")


def test_messages_from_an_older_version_keep_their_time_left() -> None:
    """A message that waited before an upgrade keeps its remaining time, and gets no more."""
    with phone_with_clock(gateway_open=False) as (lab, clock):
        agent, message_id = valid(lab)
        write_past_the_gateway(lab, "UPDATE message SET boot = 0, created_boot = 0,"
                               " expires_boot = 0, seen = 0")
        start_at(lab, clock, 0)
        assert agent.state(message_id) == "queued"
        clock.sleep(HOUR_S // 2)
        come_back(lab, agent)
        agent.wait_state(message_id, "sent")
