# SPDX-License-Identifier: GPL-2.0-or-later
"""Webhooks while the gateway is killed and the receiver misbehaves: nothing is lost, what is
repeated has the same ID and bytes, and the order is that of the feed."""

from __future__ import annotations

import itertools
import random
import time
from collections import Counter
from collections.abc import Iterator
from pathlib import Path

import pytest

from fault_plan import FaultPlan, faulty_binary
from lab import wait_until
from webhooks import Answer, Delivery, Hook, Hooked, Receiver

EVENTS = 10_000
AT_ONCE = 500                       # events that have yet to arrive
SEED = 20

# On the way of an event from the spool to its receiver: {name: in how many passes to kill, at
# most}. test_a_kill_at_any_boundary_loses_and_reorders_nothing finds no others.
BOUNDARIES = {
    f"{side} {what}": passes for side in ("before", "after") for what, passes in (
        ("commit message_text", 3), ("commit webhook_delivery", 120),
        ("request", 120), ("result", 120))}       # libcurl gets a request, or reports its end
KILLS_EACH = 10


class Killed:
    """A gateway that dies at chosen boundaries and is started again."""

    def __init__(self, gateway: Hooked, plan: FaultPlan) -> None:
        self.gateway = gateway
        self.plan = plan
        self.kills = 0

    def survive(self) -> None:
        if not self.gateway.is_running:
            self.kills += 1
            self.plan.arm()
            self.gateway.start()


@pytest.fixture
def killed(receiver: Receiver, tmp_path: Path) -> Iterator[Killed]:
    gateway = Hooked(receiver.origin)
    plan = FaultPlan(tmp_path / "plan", gateway)
    gateway.binary = faulty_binary()
    gateway.environment |= plan.environment
    with gateway:
        yield Killed(gateway, plan)


def assert_nothing_is_lost(receiver: Receiver, count: int) -> dict[str, Delivery]:
    """Returns the deliveries by ID, in the order in which they arrived first."""
    first: dict[str, Delivery] = {}
    for one in receiver.events:
        assert one.is_signed_with()
        assert first.setdefault(one.id, one).body == one.body
    ids = [one.json["data"]["message_id"] for one in first.values()]
    assert len(ids) == len(set(ids)) == count
    assert ids == sorted(ids)
    assert not [one for one in receiver.received if one.type]
    return first


def test_a_kill_at_any_boundary_loses_and_reorders_nothing(killed: Killed,
                                                           receiver: Receiver) -> None:
    hook = Hook(killed.gateway, receiver.url)
    assert hook.subscribe().result
    killed.plan.arm()
    killed.gateway.receive(2)
    receiver.wait_for(2)
    wait_until(lambda: not any(killed.gateway.spool.glob("*.sms")), what="all were read")
    boundaries = killed.plan.passed
    assert {*killed.plan.boundaries} - {"before commit sim", "after commit sim"} == {*BOUNDARIES}
    fed = 2
    for kill_at in range(1, boundaries + 1):
        killed.plan.arm(kill_at)
        killed.gateway.receive(2)
        fed += 2

        def is_done() -> bool:
            nonlocal fed
            killed.survive()
            if len({one.id for one in receiver.events}) < fed:
                return False
            if killed.plan.armed:           # the boundary is yet to come
                killed.gateway.receive(1)
                fed += 1
            return not killed.plan.armed

        wait_until(is_done, 60, f"all arrived after a kill at boundary {kill_at}")
    assert_nothing_is_lost(receiver, fed)
    assert killed.kills == boundaries
    print(f"\n{boundaries} boundaries, {killed.kills} kills, {fed} events, "
          f"{len(receiver.events) - fed} repeated, 0 lost")


def test_a_subscription_that_was_granted_survives_a_kill(receiver: Receiver,
                                                         killed: Killed) -> None:
    hook = Hook(killed.gateway, receiver.url)
    granted = hook.subscribe().result
    killed.gateway.kill()
    killed.gateway.start()
    killed.gateway.receive()
    assert receiver.wait_for(1)[0].headers["x-mcp-subscription-id"] == granted["id"]


class Misbehaving:
    """Answers rightly, except for now and then: in each way once, and again."""

    WAYS: tuple[Answer | None, ...] = (
        (500, b"x" * 100_000), (302, b"http://127.0.0.1:1/"), (1, b"garbage\r\n\r\n"),
        (200, b"y" * 5_000_000), (404, b"{"), (429, b""), None, (204, b"slow"))

    def __init__(self, receiver: Receiver) -> None:
        self._receiver = receiver
        self._random = random.Random(SEED)
        self._ways = itertools.cycle(self.WAYS)
        self._failed: set[str] = set()
        self.failures = 0

    def __call__(self, delivery: Delivery) -> Answer | None:
        if delivery.id in self._failed or self._random.random() > 0.0015:
            return 204, b""
        self._failed.add(delivery.id)
        self.failures += 1
        answer = next(self._ways)
        if answer and answer[1] == b"slow":
            time.sleep(1)
            return 204, b""
        return answer


class Killer:
    """Kills at each boundary of the table in turn; the recovery is killed, too, now and then."""

    def __init__(self, killed: Killed) -> None:
        self._gateway, self._plan = killed.gateway, killed.plan
        self._random = random.Random(SEED)
        self._names = itertools.cycle(BOUNDARIES)
        self.kills: Counter[str] = Counter()
        self.recoveries: Counter[str] = Counter()
        self._arm()

    def _arm(self) -> None:
        self._name = next(self._names)
        self._plan.arm(self._random.randint(1, BOUNDARIES[self._name]), self._name)

    def go_on(self) -> None:
        if self._gateway.is_running:
            return
        assert self._plan.boundaries[-1] == self._name, self._gateway.log
        self.kills[self._name] += 1
        if self._random.random() < 0.2:
            self._kill_recovery()
        self._arm()
        self._gateway.launch()          # it may die before it answers anything

    def _kill_recovery(self) -> None:
        self._plan.arm(self._random.randint(1, 16))
        self._gateway.launch()
        wait_until(lambda: not self._gateway.is_running, what="it is killed again")
        self.recoveries[self._plan.boundaries[-1]] += 1


def test_ten_thousand_events_arrive_in_spite_of_everything(killed: Killed,
                                                           receiver: Receiver) -> None:
    misbehaving = Misbehaving(receiver)
    receiver.behaviour = misbehaving
    hook = Hook(killed.gateway, receiver.url)
    assert hook.subscribe().result
    killer = Killer(killed)
    seen: set[str] = set()
    read = fed = closings = 0

    def is_done() -> bool:
        nonlocal read, fed, closings
        killer.go_on()
        seen.update(one.id for one in receiver.received[read:])
        read = len(receiver.received)
        if fed < EVENTS and fed - len(seen) < AT_ONCE:
            killed.gateway.receive(AT_ONCE // 5)
            fed += AT_ONCE // 5
        if len(seen) > EVENTS * (closings + 1) // 4:    # the receiver is killed, too
            closings += 1
            receiver.close()
            time.sleep(0.5)
            receiver.open()
        return len(seen) >= EVENTS

    began = time.monotonic()
    wait_until(is_done, 900, "all events arrived")
    took = time.monotonic() - began
    killed.plan.arm()
    killed.survive()
    assert_nothing_is_lost(receiver, EVENTS)
    print(f"\n{EVENTS} events in {took:.0f} s: 0 lost, order kept, "
          f"{len(receiver.events) - EVENTS} repeated with the same ID and bytes; gateway "
          f"killed {killer.kills.total()} times at {len(killer.kills)} boundaries and "
          f"{killer.recoveries.total()} times at {len(killer.recoveries)} of its recovery, "
          f"receiver {closings} times, {misbehaving.failures} wrong answers")
    for name in BOUNDARIES:
        print(f"{name:32} {killer.kills[name]:4} kills")
    assert min(killer.kills[name] for name in BOUNDARIES) >= KILLS_EACH, killer.kills
    assert misbehaving.failures >= len(misbehaving.WAYS) and closings >= 2
