# SPDX-License-Identifier: GPL-2.0-or-later
"""Webhooks when the message store is not what it was: the feed was cut, the store was damaged or
restored. Receivers learn of every gap, and no event arrives under two IDs."""

from __future__ import annotations

import sqlite3
from contextlib import closing
from pathlib import Path

import pytest

from lab import wait_until
from lab.clock import Clock
from owner import run
from test_keeping import overwrite
from test_webhook_clock import clock, hook, suspend
from webhooks import Delivery, Hook, Receiver

PAGE = 4096


def store(hook: Hook) -> Path:
    return hook.gateway.state / "gateway.db"


def query(hook: Hook, sql: str, *values: object) -> list[tuple]:
    with closing(sqlite3.connect(store(hook))) as database:
        found = database.execute(sql, values).fetchall()
        database.commit()
        return found


def wait_read(hook: Hook) -> None:
    wait_until(lambda: not any(hook.gateway.spool.glob("*.sms")), what="all were read")


def assert_no_event_has_two_ids(receiver: Receiver) -> list[int]:
    """Returns the message IDs in the order in which they arrived first."""
    bodies: dict[str, bytes] = {}
    for one in receiver.events:
        assert one.is_signed_with()
        assert bodies.setdefault(one.id, one.body) == one.body
    messages = [Delivery({}, body, "").json["data"]["message_id"] for body in bodies.values()]
    assert len(messages) == len(set(messages)) == len(bodies)
    return messages


def assert_is_gap(gap: Delivery, hook: Hook) -> str:
    """Returns its cursor, from which nothing is missing."""
    assert gap.is_signed_with() and gap.id.startswith("msg_gap_")
    assert gap.json.keys() == {"type", "cursor"}
    assert gap.headers["x-mcp-subscription-id"] == hook.subscribe().result["id"]
    polled = hook.ask("events/poll", {"name": hook.event, "cursor": gap.json["cursor"]})
    assert polled.result["truncated"] is False
    return gap.json["cursor"]


def test_a_feed_that_was_cut_behind_a_suspended_subscription_is_a_gap(
        hook: Hook, receiver: Receiver, clock: Clock) -> None:
    hook.subscribe()
    suspend(hook, receiver, clock)
    hook.gateway.receive(3)
    wait_read(hook)
    hook.gateway.stop()
    kept = query(hook, "SELECT id, subject_id FROM feed WHERE type = 1")[-2:]
    query(hook, "DELETE FROM feed WHERE id < ?", kept[0][0])
    hook.gateway.start()
    receiver.open()
    hook.subscribe()                                # lifts the suspension
    gap = receiver.wait_for_type("gap")
    wait_until(lambda: len({one.id for one in receiver.events}) == 3, what="the rest arrives")
    messages = assert_no_event_has_two_ids(receiver)
    assert messages[1:] == [message for _, message in kept]
    assert [one.type for one in receiver.received][-3:] == ["gap", None, None]
    assert assert_is_gap(gap, hook).endswith(f".{kept[0][0] - 1}")
    assert "events were deleted before they could be delivered" in hook.gateway.log


def test_a_gap_is_repeated_until_it_is_accepted(hook: Hook, receiver: Receiver) -> None:
    hook.subscribe()
    hook.gateway.receive(1)
    receiver.wait_for(1)
    hook.gateway.stop()
    last = query(hook, "SELECT max(id) FROM feed")[0][0]
    query(hook, "UPDATE sqlite_sequence SET seq = ? WHERE name = 'feed'", last + 5)
    receiver.behaviour = lambda one: (500 if [one.type for one in receiver.received].count(
        "gap") == 1 else 204, b"")
    hook.gateway.start()
    hook.gateway.receive(1)
    receiver.wait_for(2)
    first, again = [one for one in receiver.received if one.type == "gap"]
    assert (first.id, first.body) == (again.id, again.body)


def damage(hook: Hook) -> None:
    hook.gateway.stop()
    [(page,)] = query(hook, "SELECT min(pageno) FROM dbstat WHERE name = 'message_change'")
    overwrite(store(hook), (page - 1) * PAGE, b"\x55" * PAGE)
    hook.gateway.start()
    assert "THE MESSAGE STORE WAS DAMAGED" in hook.gateway.log


def restore(hook: Hook) -> None:
    """Of a backup that knows neither the subscription nor the last messages."""
    hook.gateway.stop()
    said = run("restore", "--state-dir", hook.gateway.state, hook.gateway.folder / "backup.db")
    assert said.returncode == 0, said.stderr
    hook.gateway.start()


def copy(hook: Hook) -> None:
    """As restore(), but with cp."""
    hook.gateway.stop()
    copied = hook.gateway.folder / "copy.db"
    copied.write_bytes(store(hook).read_bytes())
    store(hook).unlink()
    store(hook).write_bytes(copied.read_bytes())
    hook.gateway.start()


@pytest.mark.parametrize("replace", [damage, restore, copy])
def test_a_store_that_was_replaced_goes_on_after_a_gap(
        hook: Hook, receiver: Receiver, replace: object) -> None:
    back_up(hook)
    granted = hook.subscribe().result
    hook.gateway.receive(2)
    receiver.wait_for(2)
    receiver.close()
    hook.gateway.receive(2)                         # one under way, one in the feed
    wait_until(lambda: hook.gateway.owner.json_lines("webhooks")[0].get("last_error"),
               what="an attempt has failed")
    wait_read(hook)
    replace(hook)                                   # type: ignore[operator]
    listed = hook.gateway.owner.json_lines("webhooks")[0]
    assert listed["id"] == granted["id"]
    cursor = hook.subscribe().result["cursor"]      # the delivery under way is of the old feed
    assert cursor.partition(".")[0] == granted["cursor"].partition(".")[0]
    receiver.open()
    gap = receiver.wait_for_type("gap")
    hook.gateway.receive(1)
    receiver.wait_for(4)
    assert_no_event_has_two_ids(receiver)
    assert [one.type for one in receiver.received][-3:] == [None, "gap", None]
    assert_is_gap(gap, hook)
    after = receiver.events[-1].id.partition(".")[0]
    assert after != granted["cursor"].partition(".")[0]


def back_up(hook: Hook) -> None:
    said = run("backup", "--state-dir", hook.gateway.state, hook.gateway.folder / "backup.db")
    assert said.returncode == 0, said.stderr


def test_a_restore_brings_no_subscription_back(hook: Hook, receiver: Receiver) -> None:
    """What ended after the backup stays ended."""
    hook.subscribe()
    back_up(hook)
    hook.gateway.owner.do("webhooks", "revoke", hook.subscribe().result["id"])
    receiver.wait_for_type("terminated")
    restore(hook)
    assert hook.gateway.owner.json_lines("webhooks") == [{"subscriptions": 0, "approvals": 0}]
    hook.gateway.receive()
    wait_read(hook)
    assert not receiver.events
