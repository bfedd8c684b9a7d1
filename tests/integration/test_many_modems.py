# SPDX-License-Identifier: GPL-2.0-or-later
"""Eight modems at the real ofonod: trouble with some of them does not affect the others."""

from __future__ import annotations

from collections.abc import Iterator
from concurrent.futures import ThreadPoolExecutor

import pytest

from agent import Agent, assert_pending, assert_refused, assert_sent
from conftest import new_lab, wait_until_known
from journal import Journal
from lab import Lab, wait_until
from modem import Outcome

COUNT = 8
OFF, HANGS, CUT = 1, 3, 5                   # the fate of these three
WELL = [at for at in range(COUNT) if at not in (OFF, HANGS, CUT)]
STUCK = "it is stuck: it does not finish a message"


@pytest.fixture(scope="module")
def eight() -> Iterator[Lab]:
    with new_lab("send_wait_seconds = 20\nstuck_seconds = 3\n", modem_count=COUNT) as lab:
        wait_until_known(lab, powered=True)
        yield lab


def send_on(lab: Lab, sims: dict[int, int], text: str, pool: ThreadPoolExecutor) -> None:
    """Sends on all of them at once; `sims` has the SIM of each modem."""
    agent = Agent(lab)
    for result in pool.map(lambda at: agent.send(f"{text} {at}", sims[at]), sims):
        assert_sent(result)
    for at in sims:
        assert lab.modems[at].taken[-1].text == f"{text} {at}"


def obstacles(lab: Lab) -> list[str | None]:
    told = Agent(lab).call("get_gateway_status", detail=True).structured
    return [modem.get("why_not") for modem in told["modems"]]


def test_eight_modems_each_send_their_message(eight: Lab, background: ThreadPoolExecutor) -> None:
    agent = Agent(eight)
    assert obstacles(eight) == [None] * COUNT
    assert [sim["sim_slot_index"] for sim in agent.sims()] == list(range(COUNT))
    send_on(eight, dict(enumerate(agent.ids())), "each", background)
    assert [len(modem.taken) for modem in eight.modems] == [1] * COUNT


def test_modems_off_or_stuck_do_not_affect_the_others(eight: Lab, background: ThreadPoolExecutor) -> None:
    """One recovers with the modem's late answer, one with the modem's next start."""
    agent, journal, ids = Agent(eight), Journal(eight), Agent(eight).ids()
    for at in (HANGS, CUT):
        before = len(eight.modems[at].offered)
        eight.modems[at].plan(Outcome.hang())
        assert_pending(agent.send(f"hangs {at}", ids[at], wait_for="none"), "queued")
        assert_pending(agent.send(f"behind {at}", ids[at], wait_for="none"), "queued")
        eight.modems[at].wait_offered(before + 1)
    eight.radios[OFF].power(False)
    wait_until(lambda: [obstacles(eight)[at] for at in (OFF, HANGS, CUT)]
               == ["it is switched off", STUCK, STUCK], what="they are told")
    assert [obstacles(eight)[at] for at in WELL] == [None] * len(WELL)
    assert_refused(agent.send("to a stuck one", ids[HANGS]), "modem_stuck")
    assert_refused(agent.send("to one that is off", ids[OFF]), "sim_absent")
    assert journal.states(f"behind {HANGS}", f"behind {CUT}") == ["queued", "queued"]
    send_on(eight, {at: ids[at] for at in WELL}, "all the same", background)

    eight.modems[HANGS].unhang(Outcome.ok())
    journal.wait_state(f"behind {HANGS}", "sent")
    assert journal.states(f"hangs {HANGS}") == ["sent"]
    eight.modems[CUT].cut_link()
    journal.wait_state(f"hangs {CUT}", "held")
    for at in (OFF, CUT):
        eight.radios[at].bring_up()
    journal.wait_state(f"behind {CUT}", "sent")
    wait_until(lambda: obstacles(eight) == [None] * COUNT, what="all are well")
    send_on(eight, dict(enumerate(ids)), "at the end", background)
