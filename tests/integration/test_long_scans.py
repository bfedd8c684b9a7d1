# SPDX-License-Identifier: GPL-2.0-or-later
"""Many stored messages: a call that searches all of them delays no other call and misses
nothing."""

from __future__ import annotations

import shutil
import sqlite3
from collections.abc import Callable, Iterator
from contextlib import closing
from pathlib import Path
from typing import Any

import pytest

from agent import Agent
from conftest import new_lab
from lab import Lab, wait_until
from pending import Pending

MANY = 80_000                   # a search of all takes a twentieth of a second
TRIES = 30                      # attempts to catch a call during its search
OLD_PLACE = "w0-0f473672"       # before the first message
OLDEST, SENDER = "the oldest of all", "+36207654321"
FILL = """
INSERT INTO message (direction, sim_id, phone_number, text, state, created, changed)
WITH RECURSIVE n (i) AS (SELECT 1 UNION ALL SELECT i + 1 FROM n WHERE i < ?)
SELECT 1, 1, '+36' || (i % 50), iif(i = 1, ?, printf('%0200d', i)), 9, i, i FROM n
"""


@pytest.fixture(scope="module")
def full_ledger(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """The store of a gateway for the first card of a lab, filled afterwards."""
    ledger = tmp_path_factory.mktemp("ledger") / "gateway.db"
    with new_lab(modem_count=1) as lab:
        wait_until(Agent(lab).ids, what="the card has its number")
        lab.gateway.stop()
        shutil.copy(lab.gateway.state / ledger.name, ledger)
    with closing(sqlite3.connect(ledger)) as database, database:
        database.execute(FILL, (MANY, OLDEST))
    return ledger


@pytest.fixture
def lab(full_ledger: Path) -> Iterator[Lab]:
    """One modem; the message store was full before the gateway started."""
    lab = new_lab(modem_count=1)
    lab.gateway.state.mkdir(mode=0o700)
    shutil.copy(full_ledger, lab.gateway.state)
    with lab:
        Agent(lab).wait_states("ready", timeout=10)
        yield lab


def open_ledger(lab: Lab) -> sqlite3.Connection:
    return sqlite3.connect(lab.gateway.state / "gateway.db")


@pytest.fixture
def agent(lab: Lab) -> Agent:
    return Agent(lab)


def full_search(lab: Lab, words: str = "nowhere", **more: Any) -> Pending:
    return Pending(lab, "list_sms", search=words, **more)


def full_wait(lab: Lab, **more: Any) -> Pending:
    return Pending(lab, "wait_for_sms", after=OLD_PLACE, kind="code", **more)


def catch(start: Callable[[Lab], Pending], lab: Lab) -> Pending:
    """A call that was still searching after another client was answered."""
    for _ in range(TRIES):
        pending = start(lab)
        if not pending.is_done:
            return pending
        pending.facts()
    raise AssertionError("nobody is answered while a call looks")


def test_other_calls_are_answered_during_a_search(lab: Lab) -> None:
    assert catch(full_search, lab).facts()["count"] == 0


def test_other_calls_are_answered_while_a_wait_scans(lab: Lab) -> None:
    """The newest message is the last that it reaches."""
    found = catch(lambda lab: Pending(lab, "wait_for_sms", after=OLD_PLACE,
                                      contains=f"0{MANY}"), lab).facts()
    assert int(found["message"]["text"]) == MANY


def test_a_wait_without_a_match_returns_its_cursor(lab: Lab) -> None:
    none = full_wait(lab, timeout_seconds=1).facts()
    assert none["found"] is False and none["cursor"] == OLD_PLACE


def test_concurrent_searches_find_the_oldest_message(lab: Lab) -> None:
    searches = [full_search(lab, OLDEST) for _ in range(8)]
    for search in searches:
        [message] = search.facts()["messages"]
        assert message["text"] == OLDEST


def test_a_message_received_during_a_search_is_not_missed(
        lab: Lab, agent: Agent) -> None:
    search = catch(lambda lab: full_search(lab, SENDER[1:]), lab)
    lab.modems[0].deliver(SENDER, f"call {SENDER}")
    page = search.facts()
    assert page["count"] == 0           # it arrived after the newest message of the search
    found = agent.call("wait_for_sms", after=page["wait_cursor"]).structured
    assert found["message"]["text"] == f"call {SENDER}"


def test_a_message_received_while_a_wait_scans_is_found(lab: Lab) -> None:
    waiting = catch(full_wait, lab)
    lab.modems[0].deliver(SENDER, "Your code is 739104")
    assert waiting.facts()["code"] == "739104"


def test_a_message_received_after_a_wait_scanned_is_found(lab: Lab) -> None:
    waiting = full_wait(lab)
    full_search(lab).facts()            # it takes as long, and started later
    full_search(lab).facts()
    lab.modems[0].deliver(SENDER, "Your code is 739104")
    assert waiting.facts()["code"] == "739104"


def test_a_search_survives_deleted_messages(lab: Lab) -> None:
    search = catch(lambda lab: full_search(lab, OLDEST), lab)
    with closing(open_ledger(lab)) as ledger, ledger:
        ledger.execute("DELETE FROM message WHERE id BETWEEN 2 AND 5000")
    [message] = search.facts()["messages"]
    assert message["text"] == OLDEST


@pytest.mark.parametrize("start", [full_search, full_wait])
def test_a_client_that_disconnects_ends_its_scan(
        lab: Lab, agent: Agent, start: Callable[[Lab], Pending]) -> None:
    for _ in range(5):
        catch(start, lab).leave()
    lab.modems[0].deliver(SENDER, "nobody listens")
    wait_until(lambda: agent.call("list_sms", search="nobody listens", limit=1)
               .structured["count"] == 1, what="the gateway goes on")


def test_a_stop_answers_a_search_with_the_page_so_far(lab: Lab, agent: Agent) -> None:
    search = catch(lambda lab: full_search(lab, OLDEST), lab)
    assert lab.gateway.stop() == 0
    page = search.facts()
    assert page["count"] == 0 and page["next_cursor"]
    lab.gateway.start()
    rest = agent.call("list_sms", search=OLDEST, cursor=page["next_cursor"]).structured
    assert [message["text"] for message in rest["messages"]] == [OLDEST]


def test_a_stop_answers_a_wait_that_scans(lab: Lab) -> None:
    waiting = catch(full_wait, lab)
    assert lab.gateway.stop() == 0
    none = waiting.facts()
    assert none["found"] is False and none["cursor"] == OLD_PLACE
