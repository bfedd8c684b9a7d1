# SPDX-License-Identifier: GPL-2.0-or-later
"""A phone, or the hub, whose message store is replaced by an older copy: what it forgot is neither
sent again nor taken for something else."""

from __future__ import annotations

import shutil
import sqlite3
from collections.abc import Iterator
from contextlib import closing
from pathlib import Path

import pytest

from lab import wait_until
from lab.fleet import HUB
from lab.gateway import Gateway
from modem import SEARCHING
from owner import Owner
from test_hub import Fleet
from test_hub_routing import json_lines, send, senders, sim_of, two_phones

HELD, DELIVERED = 4, 12         # a message's states, as stored
STORE = ("gateway.db", "gateway.db-wal", "gateway.db-shm")


@pytest.fixture
def fleet(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Fleet]:
    with two_phones(tmp_path_factory.mktemp("fleet")) as fleet:
        yield fleet


def backup(fleet: Fleet) -> bytes:
    phone = fleet.phones["shop-1"]
    copy = phone.folder / "copy"
    Owner(phone.lab.gateway.state).do("backup", copy)
    return copy.read_bytes()


def replace_store(fleet: Fleet, content: bytes) -> None:
    gateway = fleet.phones["shop-1"].lab.gateway
    gateway.kill()
    for name in STORE:
        (gateway.state / name).unlink(missing_ok=True)
    (gateway.state / "gateway.db").write_bytes(content)
    (gateway.state / "gateway.db").chmod(0o600)
    gateway.start()


def forget_the_answer(fleet: Fleet, message: int) -> None:
    """As if the hub, which does not run, had died before it heard that the phone has it."""
    with closing(sqlite3.connect(fleet.hub.state / "gateway.db")) as database, database:
        database.execute("UPDATE message SET state = ?, uuid = '', delivery = 0 WHERE id = ?",
                         (HELD, message))


def state(fleet: Fleet, message: int) -> str:
    told: str = fleet.call("get_sms_status", message_id=message)["state"]
    return told


def attempted(fleet: Fleet, message: int) -> bool:
    """The hub has the phone's answer."""
    with closing(sqlite3.connect(fleet.hub.state / "gateway.db")) as database:
        [(uuid,)] = database.execute("SELECT uuid FROM message WHERE id = ?", (message,))
    return bool(uuid)


def routed(fleet: Fleet, text: str) -> int:
    """Sends it by the pool from the first phone, whose SIM it prefers."""
    send(fleet, "before", subscription_id=sim_of(fleet, "shop-1"))
    fleet.run("pools", "set", "all", "--sims",
              f"{sim_of(fleet, 'shop-1')},{sim_of(fleet, 'shop-2')}")
    message: int = send(fleet, text, pool="all")["message_id"]
    assert senders(fleet, text) == ["shop-1"]
    return message


@pytest.mark.parametrize("decision, outcome", [
    ("reject", ("failed", "approval_rejected")), ("cancel", ("cancelled", None))])
def test_the_outcome_that_a_phone_told_already_ends_a_doubt(
        fleet: Fleet, decision: str, outcome: tuple[str, str | None]) -> None:
    first, second = sim_of(fleet, "shop-1"), sim_of(fleet, "shop-2")
    owner = Owner(fleet.phones["shop-1"].lab.gateway.state)
    send(fleet, "before", subscription_id=first)
    fleet.run("pools", "set", "all", "--sims", f"{first},{second}")
    owner.do("change", "--ask", "always", "hub")
    message: int = send(fleet, decision, pool="all", wait_for="none")["message_id"]
    wait_until(lambda: state(fleet, message) == "waiting_approval", what="the owner is asked")
    if decision == "reject":
        *_, waiting = [row for row in json_lines(owner, "approvals") if "message_id" in row]
        owner.do("reject", waiting["message_id"])
    else:
        fleet.call("cancel_sms", message_id=message)
    wait_until(lambda: state(fleet, message) == outcome[0], what="the hub hears it")
    fleet.hub.stop()
    forget_the_answer(fleet, message)
    fleet.hub.start()
    told = wait_until(lambda: (facts := fleet.call("get_sms_status", message_id=message))
                      ["state"] == outcome[0] and facts, what="the doubt ends")
    assert told.get("reason") == outcome[1]
    assert senders(fleet, decision) == []


@pytest.mark.parametrize("sim", ["ready", "searching"])
def test_a_delivery_that_a_phone_told_already_ends_a_doubt(fleet: Fleet, sim: str) -> None:
    """A SIM that cannot send is not asked by sending again: its phone is to close the message."""
    gateway = fleet.phones["shop-1"].lab.gateway
    message = routed(fleet, sim)
    gateway.kill()
    with closing(sqlite3.connect(gateway.state / "gateway.db")) as database, database:
        database.execute("UPDATE message SET state = ? WHERE text = ?", (DELIVERED, sim))
    gateway.start()
    wait_until(lambda: state(fleet, message) == "delivered", what="the hub hears it")
    fleet.hub.stop()
    forget_the_answer(fleet, message)
    if sim == "searching":
        fleet.phones["shop-1"].lab.modems[0].set_registration(SEARCHING)
    fleet.hub.start()
    wait_until(lambda: state(fleet, message) == "delivered", what="the doubt ends")
    assert senders(fleet, sim) == ["shop-1"]


def test_a_phone_that_forgot_is_not_given_the_message_again(fleet: Fleet) -> None:
    old = backup(fleet)
    message = routed(fleet, "ready")
    fleet.hub.kill()
    forget_the_answer(fleet, message)
    replace_store(fleet, old)
    fleet.hub.start()
    wait_until(lambda: state(fleet, message) == "unknown", what="nobody knows")
    assert senders(fleet, "ready") == ["shop-1"]


def test_a_hub_that_dies_after_it_read_of_the_restore_doubles_nothing(fleet: Fleet) -> None:
    old = backup(fleet)
    message = routed(fleet, "read")
    replace_store(fleet, old)
    with closing(sqlite3.connect(fleet.hub.state / "gateway.db")) as database:
        def cursor() -> str:
            [(text,)] = database.execute("SELECT cursor FROM phone WHERE name = 'shop-1'")
            return str(text)[:16]
        former = cursor()
        wait_until(lambda: cursor() != former, what="the hub read the new feed")
    fleet.hub.kill()
    forget_the_answer(fleet, message)
    fleet.hub.start()
    wait_until(lambda: state(fleet, message) != "held", what="the doubt ends")
    assert (senders(fleet, "read"), state(fleet, message)) == (["shop-1"], "unknown")


def test_a_key_that_a_phone_forgot_is_closed_by_no_one(fleet: Fleet) -> None:
    old = backup(fleet)
    message = routed(fleet, "searching")
    fleet.hub.kill()
    forget_the_answer(fleet, message)
    replace_store(fleet, old)
    fleet.phones["shop-1"].lab.modems[0].set_registration(SEARCHING)
    fleet.hub.start()
    wait_until(lambda: len(fleet.sims()) == 1, what="one SIM can send")
    wait_until(lambda: state(fleet, message) != "held", what="the doubt ends")
    assert (senders(fleet, "searching"), state(fleet, message)) == (["shop-1"], "unknown")


def test_what_a_phone_forgot_while_the_hub_runs_does_not_hold_up_its_sim(fleet: Fleet) -> None:
    first, old = sim_of(fleet, "shop-1"), backup(fleet)
    Owner(fleet.phones["shop-1"].lab.gateway.state).do("change", "--ask", "always", "hub")
    message: int = send(fleet, "forgotten", subscription_id=first, wait_for="none")["message_id"]
    wait_until(lambda: attempted(fleet, message), what="the phone has it, and asks its owner")
    replace_store(fleet, old)
    wait_until(lambda: state(fleet, message) == "unknown", what="nobody knows")
    send(fleet, "next", subscription_id=first)
    wait_until(lambda: senders(fleet, "next") == ["shop-1"], what="the SIM goes on")
    assert not senders(fleet, "forgotten")


def test_a_hub_on_a_new_disk_uses_no_key_of_its_former_self(fleet: Fleet, tmp_path: Path) -> None:
    """Its phones would take a message with the same text for the former one, and not send it."""
    first = sim_of(fleet, "shop-1")
    fleet.run("backup", str(tmp_path / "copy"))
    send(fleet, "after the backup", subscription_id=first)
    fleet.hub.kill()
    for file in fleet.hub.state.iterdir():
        shutil.rmtree(file) if file.is_dir() else file.unlink()
    fleet.run("restore", str(tmp_path / "copy"))
    fleet.hub.start()
    wait_until(lambda: len(fleet.sims()) == 2, what="the hub shows both SIMs")
    send(fleet, "after the backup", subscription_id=first)
    assert senders(fleet, "after the backup") == ["shop-1"] * 2


def test_a_hub_beside_its_newer_copy_says_what_became_of_its_messages(fleet: Fleet,
                                                                      folder: Path) -> None:
    first = sim_of(fleet, "shop-1")
    Owner(fleet.phones["shop-1"].lab.gateway.state).do("change", "--ask", "always", "hub")
    asked: int = send(fleet, "asked", subscription_id=first, wait_for="none")["message_id"]
    wait_until(lambda: state(fleet, asked) == "waiting_approval", what="the phone has it")
    newer = Gateway(folder, fleet.phones["shop-1"].lab.bus, binary=HUB)
    newer.config += fleet.broker_config
    shutil.copytree(fleet.hub.state, newer.state, ignore=shutil.ignore_patterns("control"))
    newer.start()
    try:
        wait_until(lambda: [row["state"] for row in fleet.run("phones") if "name" in row]
                   == ["stale"] * 2, what="both phones have refused the former hub")
        told = wait_until(lambda: (facts := fleet.call("get_sms_status", message_id=asked))
                          ["state"] != "waiting_approval" and facts, what="it does not wait")
        assert (told["state"], told["reason"]) == ("unknown", "stale_hub")
        for choice in ({"subscription_id": first}, {}):
            refusal = send(fleet, "refused", **choice)
            assert (refusal["code"], refusal["retryable"]) == ("stale_hub", False)
        wait_until(lambda: (row := fleet.run("phones")[-1])["replaced"] and not row["connected"],
                   what="the former hub leaves the broker to its successor")
    finally:
        newer.kill()
