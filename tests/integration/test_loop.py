# SPDX-License-Identifier: GPL-2.0-or-later
"""Two machines that answer each other, through the real ofonod."""

from __future__ import annotations

import itertools
import signal
from collections.abc import Callable
from datetime import datetime, timedelta, timezone

from agent import Agent
from incoming import newest
from lab import Lab, wait_until

USUAL_EXCHANGES = 5
USUAL_MINUTES = 10


SECONDS = itertools.count()


def receive(lab: Lab, text: str, sender: str) -> None:
    """With a stamp of its own: the same text with the same stamp is the same message."""
    before = newest(lab)
    sent_at = datetime.now(timezone.utc) + timedelta(seconds=next(SECONDS))
    lab.modems[0].deliver(sender, text, sent_at=sent_at)
    wait_until(lambda: newest(lab) > before, what=f"{text!r} came in")


def answer(lab: Lab, text: str, to: str) -> None:
    agent = Agent(lab)
    result = agent.send(text, sim=agent.ids()[0], to=to)
    assert not result.is_error, result


def loop_until(lab: Lab, number: str) -> datetime | None:
    page = Agent(lab).call("list_sms_conversations", limit=100).structured
    [row] = [row for row in page["conversations"] if row["phone_number"] == number]
    if "loop_until" not in row:
        return None
    return datetime.fromisoformat(row["loop_until"].replace("Z", "+00:00"))


def exchange(lab: Lab, number: str, name: str) -> None:
    receive(lab, f"{name} says something", number)
    answer(lab, f"you said {name}", number)


def test_too_many_exchanges_count_as_an_auto_reply_loop(lab: Lab, number: str) -> None:
    for i in range(USUAL_EXCHANGES):
        receive(lab, f"what {i}", number)
        assert loop_until(lab, number) is None
        answer(lab, f"that {i}", number)
    start = datetime.now(timezone.utc)
    until = loop_until(lab, number)
    assert until is not None
    assert start - timedelta(minutes=1) < until - timedelta(minutes=USUAL_MINUTES) <= start
    receive(lab, "and one more", number)
    later = loop_until(lab, number)
    assert later is not None and later >= until


def test_a_repeated_text_counts_as_an_auto_reply_loop(lab: Lab, number: str) -> None:
    for i in range(2):
        receive(lab, "I am out of office", number)
        answer(lab, f"then {i}", number)
        assert loop_until(lab, number) is None
    receive(lab, "I am out of office", number)
    assert loop_until(lab, number) is not None


def test_a_restart_keeps_auto_reply_loops(make_lab: Callable[..., Lab], number: str) -> None:
    lab = make_lab("[incoming]\nloop_exchanges = 2\n", modem_count=1)
    exchange(lab, number, "a")
    exchange(lab, number, "b")
    exchange(lab, "+36301111111", "alone")
    until = loop_until(lab, number)
    assert until is not None
    lab.gateway.kill()
    lab.gateway.start()
    assert loop_until(lab, number) == until
    assert loop_until(lab, "+36301111111") is None


def test_the_owner_can_lift_an_auto_reply_loop(make_lab: Callable[..., Lab], number: str) -> None:
    lab = make_lab("[incoming]\nloop_exchanges = 1\n", modem_count=1)
    exchange(lab, number, "a")
    assert loop_until(lab, number) is not None
    lab.gateway.config = lab.gateway.config.replace("exchanges = 1", "exchanges = 0")
    lab.gateway.prepare()
    lab.gateway.send_signal(signal.SIGHUP)
    wait_until(lambda: loop_until(lab, number) is None, what="it is off")
    lab.gateway.config = lab.gateway.config.replace("exchanges = 0", "exchanges = 1")
    lab.gateway.config += f"owner_numbers = {number}\n"
    lab.gateway.restart()
    assert loop_until(lab, number) is None
