# SPDX-License-Identifier: GPL-2.0-or-later
"""Incoming messages: what the real ofonod signals is stored once, complete, in order."""

from __future__ import annotations

import sqlite3
import sys
import time
from collections.abc import Iterator
from datetime import datetime, timedelta, timezone
from pathlib import Path

import pytest

sys.path.insert(0, str(Path(__file__).resolve().parents[1]))    # packages lab and modem

from lab import Lab, wait_until
from ledger import Ledger
from modem import Modem
from modem.pdu import encode_deliver

RECEIVED = 9                                    # message.state
REPAIRED, UNREADABLE, IMMEDIATE = 1, 2, 4       # bits of message.flags
HAS_CODE = 2048
SENDER = "+36201234567"
ZONE = timezone(timedelta(hours=1))
SENT_AT = datetime(2026, 11, 21, 7, 30, 0, tzinfo=ZONE)
SENT_TIME = "2026-11-21T07:30:00+0100"          # as oFono writes it


@pytest.fixture(scope="module")
def shared() -> Iterator[Lab]:
    with Lab(gateway=True) as lab:
        yield lab


@pytest.fixture
def lab(shared: Lab) -> Lab:
    """Its store has older messages: see `fresh`."""
    assert shared.gateway.is_running
    return shared


@pytest.fixture
def own_lab() -> Iterator[Lab]:
    with Lab(modem_count=1, gateway=True) as lab:
        yield lab


def now_ms() -> int:
    return int(time.time() * 1000)


def receive(lab: Lab, count: int = 1, after: int = 0,
            timeout: float = 10) -> list[sqlite3.Row]:
    """The `count` messages after the first `after`, once no more are on their way."""
    rows = Ledger(lab).wait(after + count, timeout)[after:]
    for modem in lab.modems:
        wait_until(lambda: modem.all_delivered, what="all is acknowledged")
    assert len(rows) == count
    return rows


@pytest.fixture
def before(lab: Lab) -> int:
    """The number of messages before the test."""
    return len(Ledger(lab).incoming)


@pytest.mark.parametrize("how", ["cmt", "cmti"])
def test_a_message_is_stored_with_its_facts(lab: Lab, before: int, how: str) -> None:
    started = now_ms()
    lab.modems[0].deliver(SENDER, f"Szia {how}, 5 €", how, SENT_AT)
    [row] = receive(lab, after=before)
    assert (row["phone_number"], row["text"]) == (SENDER, f"Szia {how}, 5 €")
    assert (row["sent_time"], row["state"], row["flags"]) == (SENT_TIME, RECEIVED, 0)
    assert (row["repeats"], row["read_at"], row["uuid"]) == (0, 0, "")
    assert started <= row["created"] == row["changed"] <= now_ms()


@pytest.mark.parametrize(("text", "flags"), [
    pytest.param("Szia \N{GRINNING FACE}\N{THUMBS UP SIGN}!", REPAIRED, id="emoji"),
    pytest.param("\N{GREEK SMALL LETTER LAMDA} \N{SNOWMAN}", 0, id="others"),
])
def test_emoji_arrive_repaired(lab: Lab, before: int, text: str, flags: int) -> None:
    lab.modems[0].deliver(SENDER, text)
    [row] = receive(lab, after=before)
    assert (row["text"], row["flags"]) == (text, flags)


def test_an_undecodable_message_is_kept_as_empty(lab: Lab, before: int) -> None:
    """It looks like an empty one, and both are kept."""
    lab.modems[0].deliver(SENDER, "before \uffff after")
    lab.modems[0].deliver("+36209999999", "")
    rows = receive(lab, 2, before)
    assert [(row["text"], row["flags"]) for row in rows] == [("", UNREADABLE)] * 2
    assert [row["phone_number"] for row in rows] == [SENDER, "+36209999999"]


def test_a_repeated_pdu_is_counted(lab: Lab, before: int) -> None:
    modem = lab.modems[0]
    same = encode_deliver("Bank", "Your code is 4711", SENT_AT)
    later = encode_deliver("Bank", "Your code is 4711", SENT_AT + timedelta(seconds=1))
    for tpdu in (same, same, later, same):
        modem.deliver_tpdu(tpdu)
    modem.deliver(SENDER, "the end")
    rows = receive(lab, 3, before)
    assert [(row["text"], row["repeats"]) for row in rows] == [
        ("Your code is 4711", 2), ("Your code is 4711", 0), ("the end", 0)]


def test_messages_to_two_modems_at_once_keep_their_order(lab: Lab, before: int) -> None:
    for i in range(30):
        for modem in lab.modems:
            modem.deliver(modem.name, f"number {i}", sent_at=SENT_AT)
    rows = receive(lab, 60, before, timeout=30)
    for modem in lab.modems:
        assert [row["text"] for row in rows if row["phone_number"] == modem.name] == [
            f"number {i}" for i in range(30)]


# ---- before, between and after ------------------------------------------------------

def deliver_stored(modem: Modem, count: int) -> list[str]:
    texts = [f"stored {i}" for i in range(count)]
    for text in texts:
        modem.deliver(SENDER, text, "stored")
    return texts


def test_messages_stored_on_the_sim_arrive_at_power_up() -> None:
    """oFono signals them as soon as the modem is up, and deletes them."""
    with Lab(gateway=True, powered=False) as lab:
        texts = [deliver_stored(modem, 10) for modem in lab.modems]
        lab.bring_up()
        rows = receive(lab, 20)
        cards = {row["id"]: row["iccid"] for row in Ledger(lab).rows("SELECT * FROM sim")}
        for modem, expected in zip(lab.modems, texts):
            mine = [row["text"] for row in rows
                    if cards.get(row["sim_id"]) == modem.sim.iccid]
            assert mine == expected
            assert modem.sim.messages == {}


def test_messages_stored_on_the_sim_arrive_at_ofono_start(own_lab: Lab) -> None:
    """ofonod signals its name, its modems and their messages at once."""
    own_lab.ofonod.stop()
    texts = deliver_stored(own_lab.modems[0], 10)
    own_lab.ofonod.start()
    own_lab.bring_up()
    receive(own_lab, 10)
    assert Ledger(own_lab).texts == texts
    gap = Ledger(own_lab).wait_gap("ofono_down")
    assert gap["from_at"] < gap["until_at"] <= now_ms()


def test_a_crash_loses_no_stored_message(own_lab: Lab) -> None:
    """Nobody asks again for a message that ofonod saw acknowledged: it must be on disk."""
    ledger, modem, gateway = Ledger(own_lab), own_lab.modems[0], own_lab.gateway
    modem.deliver(SENDER, "before")
    receive(own_lab)
    gateway.kill()
    killed = now_ms()
    gateway.start()
    modem.deliver(SENDER, "after")
    receive(own_lab, 2)
    assert ledger.texts == ["before", "after"]
    [gap] = ledger.gaps
    assert gap["reason"] == "gateway_down"
    assert gap["from_at"] <= killed <= gap["until_at"]


def test_crashes_during_a_burst_duplicate_no_message(own_lab: Lab) -> None:
    """No stored message is lost or doubled, at any moment."""
    ledger, modem, gateway = Ledger(own_lab), own_lab.modems[0], own_lab.gateway
    texts = [f"number {i}" for i in range(100)]
    for text in texts:
        modem.deliver(SENDER, text, sent_at=SENT_AT)
    seen = 0
    for _ in range(4):
        wait_until(lambda: len(ledger.incoming) > seen or modem.all_delivered,
                   what="some more")
        gateway.kill()
        seen = len(ledger.incoming)
        gateway.start()
    wait_until(lambda: modem.all_delivered, 30, "all are delivered")
    modem.deliver(SENDER, "the end")
    wait_until(lambda: ledger.texts[-1:] == ["the end"], what="the end")
    kept = [text for text in texts if text in ledger.texts]
    assert ledger.texts == [*kept, "the end"]   # in order, none twice
    assert all(row["repeats"] == 0 for row in ledger.incoming)


def test_messages_arrive_after_a_bus_restart(own_lab: Lab) -> None:
    ledger = Ledger(own_lab)
    own_lab.bus.stop()
    own_lab.bus.start()
    own_lab.ofonod.kill()
    own_lab.ofonod.start()
    own_lab.bring_up()
    ledger.wait_gap("ofono_down")
    own_lab.modems[0].deliver(SENDER, "after")
    receive(own_lab)
    assert ledger.texts == ["after"]
