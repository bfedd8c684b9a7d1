# SPDX-License-Identifier: GPL-2.0-or-later
"""ofono-mcp events: what agents can learn, for their owner."""

from __future__ import annotations

import contextlib
import json
from collections.abc import Iterator

import pytest

from lab import wait_until
from owner import USAGE
from webhooks import Hook, Hooked, Receiver

# A gateway without oFono tells of an offline gap, too, once that has lasted.
RECEIVED = ("--type", "sms.received")


@pytest.fixture
def gateway() -> Iterator[Hooked]:
    with Hooked() as one:
        yield one


def events(gateway: Hooked, *options: str) -> list[dict]:
    *items, result = gateway.owner.json_lines("events", *options)
    assert result == {"listed": len(items)}
    return items


def receive(gateway: Hooked, count: int = 1, **more: str) -> None:
    gateway.receive(count, **more)
    wait_until(lambda: not any(gateway.spool.glob("*.sms")), what="all were read")


def test_the_owner_sees_the_events_that_agents_get() -> None:
    with Receiver() as receiver, Hooked(receiver.origin) as gateway:
        hook = Hook(gateway, receiver.url)
        hook.subscribe()
        receive(gateway, 2, text="private words")
        posted = [one.json for one in receiver.wait_for(2)]
        seen = events(gateway, *RECEIVED)
        assert [one["eventId"] for one in seen] == [one["eventId"] for one in posted]
        assert seen[0]["data"] == posted[0]["data"]
        said = gateway.owner.do("events")
        assert posted[0]["eventId"] in said and "from +36301234567" in said
        assert "private" not in said


def test_the_newest_events_are_listed_in_order(gateway: Hooked) -> None:
    receive(gateway, 25)
    ids = [one["data"]["message_id"] for one in events(gateway, *RECEIVED)]
    assert ids == list(range(6, 26))
    assert [one["data"]["message_id"] for one in events(gateway, *RECEIVED, "--limit", "3")] == ids[-3:]
    assert events(gateway, "--type", "call.missed") == []
    assert "There are no such events" in gateway.owner.do("events", "--type", "call.missed")


def test_a_long_feed_is_looked_through_from_its_end(gateway: Hooked) -> None:
    receive(gateway, 1100)
    newest = events(gateway, *RECEIVED, "--limit", "100")
    assert [one["data"]["message_id"] for one in newest] == list(range(1001, 1101))


def test_new_events_follow_until_the_owner_leaves(gateway: Hooked) -> None:
    receive(gateway)
    with gateway.owner.following("events", "--follow", "--json", "--type", "sms.received") as lines:
        assert json.loads(next(lines))["data"]["message_id"] == 1
        for message_id in 2, 3:
            receive(gateway)
            assert json.loads(next(lines))["data"]["message_id"] == message_id
    assert len(events(gateway, *RECEIVED)) == 3


def test_four_programs_follow_at_a_time(gateway: Hooked) -> None:
    receive(gateway)
    with contextlib.ExitStack() as stack:
        for _ in range(4):
            lines = stack.enter_context(gateway.owner.following("events", "--follow"))
            assert "sms.received" in next(lines)
        wait_until(lambda: gateway.owner.run("tail", "--json").stdout.startswith('{"error":{"code":"busy"'),
                   what="a fifth one is refused")


def test_an_unknown_type_and_a_wrong_limit_are_refused(gateway: Hooked) -> None:
    for options in ("--type", "sms.sent"), ("--limit", "0"), ("--limit", "x"):
        assert gateway.owner.run("events", *options).returncode == USAGE


def test_strangers_cannot_forge_a_line(gateway: Hooked) -> None:
    receive(gateway, sender="Bank\u2028\u202eevil")
    said = gateway.owner.do("events", "--type", "sms.received")
    assert len(said.splitlines()) == 1 and "\u202e" not in said
