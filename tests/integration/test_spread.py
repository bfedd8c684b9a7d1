# SPDX-License-Identifier: GPL-2.0-or-later
"""send_sms with spread: limits choose the time, and are asked again when it has come."""

from __future__ import annotations

import signal
from collections.abc import Iterator
from contextlib import contextmanager
from datetime import datetime, timedelta
from typing import Any

from agent import Agent, assert_sent, seconds_ahead, taken_texts
from lab import Lab, wait_until
from lab.clock import Clock
from test_clock import phone_with_clock
from test_edit_sms import edit

ONE_A_MINUTE = "[policy]\nper_minute = 1\n"
HOUR_S = 3600


@contextmanager
def phone(policy: str = ONE_A_MINUTE) -> Iterator[tuple[Lab, Clock, Agent]]:
    with phone_with_clock(policy=policy) as (lab, clock):
        yield lab, clock, Agent(lab)


def spread(agent: Agent, *texts: str) -> list[int]:
    """The first goes at once, the others later, one a minute."""
    answers = [agent.send(text, spread=True) for text in texts]
    assert_sent(answers[0])
    assert all(answer.structured["state"] == "scheduled" for answer in answers[1:])
    return [answer.message_id for answer in answers]


def status(agent: Agent, message_id: int) -> dict[str, Any]:
    return agent.call("get_sms_status", history=True, message_id=message_id).structured


def wait_postponed(agent: Agent, message_id: int, reason: str) -> dict[str, Any]:
    wait_until(lambda: status(agent, message_id).get("reason") == reason,
               what=f"message {message_id} waits: {reason}")
    shown = status(agent, message_id)
    assert shown["state"] == "scheduled", shown
    return shown


def lower(lab: Lab, policy: str) -> None:
    config = lab.gateway._config_file
    config.write_text(config.read_text().replace(lab.gateway.policy, policy))
    lab.gateway.send_signal(signal.SIGHUP)
    wait_until(lambda: ": changed" in lab.gateway.log, what="the policy was read again")


def test_what_is_on_time_goes_without_delay() -> None:
    with phone() as (lab, clock, agent):
        _, second, third = spread(agent, "one", "two", "three")
        for message_id in second, third:
            clock.sleep(61)
            agent.wait_state(message_id, "sent")
        for message_id in second, third:
            changes = agent.history(message_id)
            assert changes.count("scheduled") == 1, changes


def test_what_was_held_up_does_not_go_all_at_once() -> None:
    """The phone slept past both times; the second would exceed the limit now."""
    with phone() as (lab, clock, agent):
        _, second, third = spread(agent, "one", "two", "three")
        clock.sleep(10 * 60)
        agent.wait_state(second, "sent")
        shown = wait_postponed(agent, third, "rate_limited")
        assert "limits allow it" in shown["meaning"]
        assert taken_texts(lab) == ["one", "two"]
        clock.sleep(61)
        agent.wait_state(third, "sent")
        assert taken_texts(lab) == ["one", "two", "three"]


def test_what_was_held_up_counts_when_it_goes() -> None:
    with phone() as (lab, clock, agent):
        spread(agent, "one", "two")
        clock.sleep(10 * 60)
        wait_until(lambda: taken_texts(lab) == ["one", "two"], what="the second went")
        assert agent.send("three").code == "rate_limited"


def test_a_restart_neither_loses_nor_hurries_what_is_spread() -> None:
    with phone() as (lab, clock, agent):
        _, second, third = spread(agent, "one", "two", "three")
        lab.gateway.kill()
        clock.sleep(10 * 60)
        lab.gateway.start()
        agent.wait_states("ready", timeout=10)
        agent.wait_state(second, "sent")
        wait_postponed(agent, third, "rate_limited")
        lab.gateway.kill()
        lab.gateway.start()
        agent.wait_states("ready", timeout=10)
        assert status(agent, third)["state"] == "scheduled"
        clock.sleep(61)
        agent.wait_state(third, "sent")
        assert taken_texts(lab) == ["one", "two", "three"]


def test_a_limit_that_was_lowered_meanwhile_applies() -> None:
    with phone() as (lab, clock, agent):
        _, second = spread(agent, "one", "two")
        planned = datetime.fromisoformat(status(agent, second)["send_at"])
        lower(lab, "[policy]\nper_hour = 1\n")
        clock.sleep(61)
        shown = wait_postponed(agent, second, "rate_limited")
        assert datetime.fromisoformat(shown["send_at"]) - planned > timedelta(minutes=55)
        clock.sleep(HOUR_S)
        agent.wait_state(second, "sent")


def test_a_message_for_which_no_time_is_free_waits_with_its_reason() -> None:
    with phone() as (lab, clock, agent):
        _, second = spread(agent, "one", "two")
        lower(lab, "[policy]\nsegments_per_month = 1\n")
        clock.sleep(61)
        wait_postponed(agent, second, "budget_exhausted")
        assert agent.cancel(second).structured["state"] == "cancelled"
        assert taken_texts(lab) == ["one"]


def test_a_validity_moves_with_the_time() -> None:
    with phone() as (lab, clock, agent):
        spread(agent, "one")
        second, third = (agent.send(text, spread=True, valid_for_seconds=900).message_id
                         for text in ("two", "three"))
        clock.sleep(5 * 60)
        agent.wait_state(second, "sent")
        shown = wait_postponed(agent, third, "rate_limited")
        valid = datetime.fromisoformat(shown["expires_at"]) - datetime.fromisoformat(
            shown["send_at"])
        assert abs(valid - timedelta(seconds=900)) < timedelta(seconds=3)


def test_a_time_that_was_asked_for_is_not_moved() -> None:
    """Its limits were asked for this time; only spread lets the gateway choose another."""
    with phone() as (lab, clock, agent):
        answer = agent.send("at eight", send_at=seconds_ahead(HOUR_S))
        _, second = spread(agent, "one", "two")
        edited = edit(agent, second, send_at=seconds_ahead(HOUR_S + 90))
        assert not edited.is_error, edited
        clock.sleep(2 * HOUR_S)
        for message_id in answer.message_id, second:
            agent.wait_state(message_id, "sent")


def test_what_is_spread_over_an_hour_goes_on_time() -> None:
    """Those of the same call were accepted together, and count when they go."""
    with phone("[policy]\nper_minute = 1\nper_hour = 2\n") as (lab, clock, agent):
        _, second, third, _ = spread(agent, "one", "two", "three", "four")
        clock.sleep(61)
        agent.wait_state(second, "sent")
        assert status(agent, third)["state"] == "scheduled"
        clock.sleep(HOUR_S - 30)
        agent.wait_state(third, "sent")
        assert taken_texts(lab) == ["one", "two", "three"]
