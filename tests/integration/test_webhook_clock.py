# SPDX-License-Identifier: GPL-2.0-or-later
"""Webhooks and time: a clock that is wrong, and receivers that are away for long."""

from __future__ import annotations

import json
from collections.abc import Iterator
from datetime import datetime, timezone
from pathlib import Path

import pytest

from lab import wait_until
from lab.clock import Clock
from lab.network import Network
from webhooks import Hook, Hooked, Receiver
from wire import Wire, request

YEARS = 3 * 365 * 86400


@pytest.fixture
def clock(tmp_path: Path) -> Clock:
    return Clock(tmp_path)


@pytest.fixture
def hook(receiver: Receiver, clock: Clock) -> Iterator[Hook]:
    gateway = Hooked(receiver.origin)
    gateway.environment |= clock.environment
    with gateway:
        yield Hook(gateway, receiver.url)


def finding(hook: Hook, topic: str) -> str:
    said = hook.gateway.owner.run("doctor").stdout
    return next((line for line in said.splitlines() if topic in line), "")


def test_a_wrong_clock_holds_deliveries_and_says_so(hook: Hook, receiver: Receiver,
                                                    clock: Clock) -> None:
    hook.subscribe()
    clock.set(-YEARS)
    hook.gateway.receive()
    wait_until(lambda: "deliveries wait" in hook.gateway.log, what="it is held")
    result = hook.gateway.owner.json_lines("webhooks")[-1]
    assert result["held"].startswith("the phone's clock is wrong")
    assert "deliveries wait: the phone's clock is wrong" in finding(hook, "deliveries wait")
    assert not receiver.events
    clock.set(0)
    receiver.wait_for(1)
    assert "deliveries go on" in hook.gateway.log
    assert "held" not in hook.gateway.owner.json_lines("webhooks")[-1]


def test_nobody_subscribes_while_the_clock_is_wrong(hook: Hook, receiver: Receiver,
                                                    clock: Clock) -> None:
    clock.set(-YEARS)
    error = json.loads(hook.subscribe().body)["error"]
    assert "clock is wrong" in error["message"]
    assert not receiver.challenges
    clock.set(0)
    assert hook.subscribe().result


def test_a_refresh_while_the_clock_is_wrong_shortens_nothing(hook: Hook, receiver: Receiver,
                                                             clock: Clock) -> None:
    until = hook.subscribe().result["refreshBefore"]
    clock.set(-YEARS)
    assert hook.subscribe().result["refreshBefore"] == until
    error = json.loads(hook.subscribe({"contains": "new"}).body)["error"]     # of a known receiver
    assert "clock is wrong" in error["message"]
    clock.set(0)
    hook.gateway.receive()
    receiver.wait_for(1)


def suspend(hook: Hook, receiver: Receiver, clock: Clock) -> None:
    """With one message that waits. The gateway says so in its log before it has set the time of
    the next attempt, so what it answers counts."""
    receiver.close()
    hook.gateway.receive()

    def is_suspended() -> bool:
        [row, _] = hook.gateway.owner.json_lines("webhooks")
        if row["state"] == "suspended":
            return True
        if row.get("next_attempt"):
            clock.sleep(400)                # an attempt has failed: the next one is due
        return False

    wait_until(is_suspended, 30, "it is suspended")


def metrics(hook: Hook) -> dict[str, str]:
    token = hook.gateway.owner.json("pair", "--scope", "metrics", "scraper")["token"]
    with Wire(hook.gateway.port) as wire:
        reply = wire.ask(request(b"", {"Authorization": f"Bearer {token}"},
                                 method="GET", path="/metrics"))
    return dict(line.split(" ") for line in reply.body.decode().splitlines()
                if line.startswith("ofono_mcp_webhook"))


def test_a_receiver_that_is_away_suspends_and_nothing_is_lost(hook: Hook, receiver: Receiver,
                                                              clock: Clock) -> None:
    hook.subscribe()
    suspend(hook, receiver, clock)
    hook.gateway.receive()
    [row, _] = hook.gateway.owner.json_lines("webhooks")
    assert (row["state"], row["last_error"]) == ("suspended", "connection_refused")
    assert "suspended, because their receivers do not answer: 1" in finding(hook, "suspended")
    assert "webhook suspended" in hook.gateway.owner.do("audit")
    seen = metrics(hook)
    assert seen["ofono_mcp_webhook_suspended"] == seen["ofono_mcp_webhook_queue_length"] == "1"
    assert int(seen["ofono_mcp_webhook_failures_total"]) >= 5
    hook.gateway.restart()
    assert hook.gateway.owner.json_lines("webhooks")[0]["state"] == "suspended"
    receiver.open()
    assert hook.subscribe().result["deliveryStatus"]["active"] is True
    receiver.wait_for(2)
    assert receiver.message_ids == sorted(set(receiver.message_ids))
    assert hook.gateway.owner.json_lines("webhooks")[0]["state"] != "suspended"


def test_a_receiver_that_is_back_is_found_without_a_refresh(hook: Hook, receiver: Receiver,
                                                            clock: Clock) -> None:
    hook.subscribe()
    suspend(hook, receiver, clock)
    receiver.open()
    clock.sleep(3600)
    receiver.wait_for(1)
    wait_until(lambda: "is back" in hook.gateway.log, what="its answer has come")


def test_a_subscription_that_nobody_refreshes_ends(hook: Hook, receiver: Receiver,
                                                   clock: Clock) -> None:
    hook.subscribe(ttlMs=300_000)
    clock.set(301)
    hook.gateway.receive()
    wait_until(lambda: "ended (expired)" in hook.gateway.log, what="it has ended")
    assert not receiver.events
    assert hook.gateway.owner.json_lines("webhooks") == [{"subscriptions": 0, "approvals": 0}]


def test_subscriptions_that_are_over_take_no_place_and_vouch_for_no_receiver(
        hook: Hook, receiver: Receiver, clock: Clock) -> None:
    """Nothing has happened since, so that they are still in memory."""
    for number in range(8):
        assert hook.subscribe({"from": f"+3630000000{number}"}, ttlMs=300_000).result
    clock.sleep(2 * 86400)
    assert hook.subscribe({"contains": "new"}).result["id"]
    assert len(receiver.challenges) == 2
    assert hook.gateway.owner.json_lines("webhooks")[-1]["subscriptions"] == 1


def test_without_a_delivery_nothing_wakes_the_gateway(hook: Hook, receiver: Receiver) -> None:
    hook.subscribe()
    hook.gateway.receive()
    receiver.wait_for(1)

    def listed() -> dict[str, object]:
        return hook.gateway.owner.json_lines("webhooks")[0]

    wait_until(lambda: listed()["state"] == "idle", what="its answer has come")
    assert "next_attempt" not in listed()


REACHED = "192.0.2.2"
MINUTE_S = 60


def test_what_is_held_while_the_phone_is_offline_goes_when_it_is_back(
        clock: Clock, tmp_path: Path) -> None:
    """The next attempt is ten minutes away, and the address of an interface hurries it."""
    with Network() as phone, Network() as elsewhere:
        phone.connect("wlan0", "192.0.2.1", elsewhere, "eth0", REACHED)
        with elsewhere.inside():
            receiver = Receiver(REACHED)
        gateway = Hooked(receiver.origin)
        gateway.network = phone
        gateway.environment |= clock.environment
        with receiver, phone.inside(), gateway:
            hook = Hook(gateway, receiver.url)
            assert hook.subscribe().result
            phone.ip("link", "set", "wlan0", "down")
            suspend(hook, receiver, clock)
            with elsewhere.inside():
                receiver.open()
            hook.gateway.receive()
            wait_until(lambda: next_attempt_s(hook) > 5 * MINUTE_S, what="it is far away")
            assert not receiver.events
            phone.ip("link", "set", "wlan0", "up")
            receiver.wait_for(2)
            assert receiver.message_ids == sorted(set(receiver.message_ids))
            assert "is back" in gateway.log


def next_attempt_s(hook: Hook) -> float:
    [row, _] = hook.gateway.owner.json_lines("webhooks")
    at = datetime.fromisoformat(row.get("next_attempt", "2000-01-01T00:00:00Z"))
    return (at - datetime.now(timezone.utc)).total_seconds()


def test_a_receiver_that_asks_for_time_is_given_it(hook: Hook, receiver: Receiver, clock: Clock) -> None:
    """Not even a refresh comes before Retry-After is over."""
    receiver.behaviour = lambda _: (429, b"600") if len(receiver.received) == 1 else (204, b"")
    assert hook.subscribe().result
    hook.gateway.receive()
    wait_until(lambda: hook.gateway.owner.json_lines("webhooks")[0].get("last_error"), what="it was refused")
    status = hook.subscribe().result["deliveryStatus"]
    assert status["throttled"] is True and 0 < status["retryAfterMs"] <= 600_000
    assert status["lastError"] == "http_4xx" and status["failedSince"]
    clock.sleep(600)
    wait_until(lambda: len(receiver.received) == 2, what="it is repeated")
    refused, repeated = (int(one.headers["webhook-timestamp"]) for one in receiver.received)
    assert repeated - refused >= 600            # by the gateway's clock
    wait_until(lambda: not hook.subscribe().result["deliveryStatus"]["throttled"], what="that is over")
    assert "retryAfterMs" not in hook.subscribe().result["deliveryStatus"]
