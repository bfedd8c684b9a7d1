# SPDX-License-Identifier: GPL-2.0-or-later
"""events/subscribe and deliveries, with a receiver that the owner listed."""

from __future__ import annotations

import time
from collections.abc import Iterator
from datetime import datetime, timedelta, timezone
from threading import Event

import pytest

from lab import wait_until
from modem.patience import patience
from modern import INVALID_PARAMS
from webhooks import (CALLBACK, EXHAUSTED, FORBIDDEN, NAME, NOT_FOUND, OTHER_KEY,
                      OTHER_SECRET, SECRET, UNSUPPORTED, Answer, Delivery, Hook, Hooked,
                      Receiver)


@pytest.fixture
def gateway(receiver: Receiver) -> Iterator[Hooked]:
    with Hooked(receiver.origin) as one:
        yield one


@pytest.fixture
def hook(gateway: Hooked, receiver: Receiver) -> Hook:
    return Hook(gateway, receiver.url)


def test_an_event_is_posted_signed_with_its_own_id(hook: Hook, receiver: Receiver) -> None:
    result = hook.subscribe().result
    begun_s = int(time.time())
    hook.gateway.receive()
    [delivery] = receiver.wait_for(1)
    assert delivery.is_signed_with()
    assert delivery.id == delivery.json["eventId"] == delivery.json["cursor"]
    assert delivery.headers["content-type"] == "application/json"
    assert delivery.headers["x-mcp-subscription-id"] == result["id"]
    assert begun_s <= int(delivery.headers["webhook-timestamp"]) <= time.time()
    assert delivery.json["name"] == NAME
    assert datetime.fromisoformat(delivery.json["timestamp"]).tzinfo


# ---- subscribing -------------------------------------------------------------------------


def test_the_answer_names_id_expiry_and_cursor(hook: Hook, receiver: Receiver) -> None:
    result = hook.subscribe(ttlMs=3_600_000).result
    assert result["resultType"] == "complete"
    assert result["id"].startswith("sub_") and len(result["id"]) == 36
    left = datetime.fromisoformat(result["refreshBefore"]) - datetime.now(timezone.utc)
    assert timedelta(minutes=59) < left <= timedelta(hours=1)
    assert isinstance(result["cursor"], str) and result["truncated"] is False
    [challenge] = receiver.challenges
    assert challenge.is_signed_with()
    assert challenge.headers["x-mcp-subscription-id"] == result["id"]


@pytest.mark.parametrize(("wanted", "granted"), [
    (1000, timedelta(minutes=5)), (0, timedelta(minutes=5)),
    (None, timedelta(days=1)), (10**12, timedelta(days=1))])
def test_the_time_is_clamped_and_never_refused(hook: Hook, wanted: int | None,
                                               granted: timedelta) -> None:
    result = hook.subscribe(ttlMs=wanted).result
    left = datetime.fromisoformat(result["refreshBefore"]) - datetime.now(timezone.utc)
    assert granted - timedelta(minutes=1) < left <= granted


def test_the_id_survives_a_restart_and_differs_by_client_and_arguments(
        hook: Hook, receiver: Receiver) -> None:
    first = hook.subscribe().result["id"]
    other = Hook(hook.gateway, receiver.url, "other")
    ids = {first, hook.subscribe({"from": "+36301112233"}).result["id"],
           other.subscribe().result["id"]}
    assert len(ids) == 3
    hook.gateway.restart()
    assert hook.subscribe().result["id"] == first
    assert hook.subscribe(arguments=None).result["id"] == first
    assert len(receiver.challenges) == 2       # one for each client and URL


def test_a_refresh_replaces_the_secret_with_a_grace(hook: Hook, receiver: Receiver) -> None:
    hook.subscribe()
    refreshed = hook.subscribe(secret=OTHER_SECRET).result
    assert refreshed["deliveryStatus"]["active"] is True
    assert refreshed["deliveryStatus"]["lastError"] is None
    hook.gateway.receive()
    [delivery] = receiver.wait_for(1)
    assert delivery.is_signed_with(OTHER_KEY) and delivery.is_signed_with()
    assert len(delivery.headers["webhook-signature"].split(" ")) == 2


@pytest.mark.parametrize("delivery", [
    {"mode": "webhook"}, {"mode": "webhook", "url": "{url}"}, {"url": "{url}", "secret": SECRET},
    {"mode": "webhook", "url": "{url}", "secret": "whsec_AAEC"},
    {"mode": "webhook", "url": "{url}", "secret": "secret"},
    {"mode": "webhook", "url": 1, "secret": SECRET},
    {"mode": "webhook", "url": "ftp://127.0.0.1/", "secret": SECRET},
    {"mode": "webhook", "url": "http://user@127.0.0.1/", "secret": SECRET},
    {"mode": "webhook", "url": "http://10.0.0.1/x", "secret": SECRET},
    "webhook", None])
def test_wrong_parameters_are_named(hook: Hook, receiver: Receiver, delivery: object) -> None:
    if isinstance(delivery, dict) and delivery.get("url") == "{url}":
        delivery = delivery | {"url": receiver.url}
    code, _ = hook.error(hook.subscribe(delivery=delivery))
    assert code == INVALID_PARAMS
    assert not receiver.challenges


def test_unknown_names_and_modes_have_errors_of_their_own(hook: Hook) -> None:
    assert hook.error(hook.subscribe(name="no.such")) [0] == NOT_FOUND
    code, data = hook.error(hook.subscribe(
        delivery={"mode": "pigeon", "url": hook.url, "secret": SECRET}))
    assert (code, data["feature"], data["value"]) == (UNSUPPORTED, "deliveryMode", "pigeon")


def test_an_unknown_client_gets_no_webhook(receiver: Receiver) -> None:
    with Hooked(receiver.origin) as gateway:
        gateway.stop()
        gateway._open = ["--open"]
        gateway.start()
        hook = Hook(gateway, receiver.url)
        hook.authorization = ""
        code, data = hook.error(hook.subscribe())
        assert (code, data["reason"]) == (FORBIDDEN, "authentication_required")
        assert "--open" in data["detail"]


def test_eight_subscriptions_are_the_limit_of_a_client(hook: Hook) -> None:
    for number in range(8):
        assert hook.subscribe({"from": f"+3630000000{number}"}).result
    code, data = hook.error(hook.subscribe())
    assert (code, data["max"]) == (EXHAUSTED, 8)
    assert hook.subscribe({"from": "+36300000003"}).result["deliveryStatus"]


def test_unsubscribing_ends_it(hook: Hook, receiver: Receiver) -> None:
    hook.subscribe()
    assert hook.unsubscribe().result["resultType"] == "complete"
    code, data = hook.error(hook.unsubscribe())
    assert (code, data["kind"]) == (NOT_FOUND, "subscription")
    assert not hook.gateway.owner.do("webhooks").startswith("sub_")


def test_a_client_cannot_end_what_another_has(hook: Hook, receiver: Receiver) -> None:
    hook.subscribe()
    other = Hook(hook.gateway, receiver.url, "other")
    assert other.error(other.unsubscribe())[0] == NOT_FOUND
    hook.gateway.receive()
    receiver.wait_for(1)


# ---- the challenge -----------------------------------------------------------------------


@pytest.mark.parametrize(("answer", "reason"), [
    ((200, b'{"challenge": "other"}'), "challenge_failed"),
    ((200, b"{}"), "challenge_failed"), ((200, b"garbage"), "challenge_failed"),
    ((204, b""), "challenge_failed"), ((500, b""), "challenge_failed"),
    ((302, b"http://127.0.0.1:1/"), "challenge_failed"),
    ((200, b" " * 5000), "challenge_failed"), (None, "connection_refused")])
def test_a_receiver_that_does_not_answer_the_challenge_is_refused(
        hook: Hook, receiver: Receiver, answer: tuple[int, bytes] | None, reason: str) -> None:
    receiver.challenge = lambda _: answer
    code, data = hook.error(hook.subscribe())
    assert (code, data["reason"]) == (CALLBACK, reason)
    assert hook.error(hook.unsubscribe())[0] == NOT_FOUND


def test_a_receiver_that_is_unlisted_during_its_challenge_gets_no_subscription(
        hook: Hook, receiver: Receiver) -> None:
    answer = receiver.challenge

    def unlist(challenge: Delivery) -> Answer | None:
        hook.gateway.write_receivers()
        hook.gateway.owner.do("reload")
        return answer(challenge)

    receiver.challenge = unlist
    code, data = hook.error(hook.subscribe())
    assert (code, data["reason"]) == (FORBIDDEN, "approval_required")
    assert hook.gateway.owner.json_lines("webhooks") == [{"subscriptions": 0, "approvals": 0}]


# ---- deliveries --------------------------------------------------------------------------


def test_events_arrive_in_order_one_at_a_time_and_filtered(hook: Hook,
                                                           receiver: Receiver) -> None:
    receiver.behaviour = lambda _: time.sleep(0.01) or (204, b"")
    hook.subscribe({"from": "+36301112233"})
    for number in range(20):
        hook.gateway.receive(sender="+36301112233" if number % 2 else "+36309998877")
    receiver.wait_for(10)
    assert receiver.message_ids == sorted(receiver.message_ids)
    assert len(receiver.received) == 10
    assert {one.json["data"]["from"] for one in receiver.events} == {"+36301112233"}
    assert receiver.most_at_once == 1


def test_a_receiver_that_does_not_answer_delays_no_other_server_of_its_host(receiver: Receiver) -> None:
    with Receiver() as silent, Hooked(receiver.origin, silent.origin) as gateway:
        released = Event()
        silent.behaviour = lambda _: released.wait(patience(60)) and None
        for number in range(2):
            assert Hook(gateway, silent.url, f"silent{number}").subscribe().result
        assert Hook(gateway, receiver.url).subscribe().result
        gateway.receive()
        receiver.wait_for(1)
        assert not [row for row in gateway.owner.json_lines("webhooks") if row.get("last_error")]
        released.set()


@pytest.mark.parametrize("status", [410, 413])
def test_a_receiver_can_decline_one_delivery(hook: Hook, receiver: Receiver,
                                             status: int) -> None:
    receiver.behaviour = lambda _: (status if len(receiver.received) == 1 else 204, b"")
    hook.subscribe()
    hook.gateway.receive(2)
    receiver.wait_for(2)
    assert len(receiver.received) == 2          # the first was not repeated


@pytest.mark.parametrize("first", [(500, b""), (302, b"http://127.0.0.1:1/"), (404, b""),
                                   (1, b"garbage\r\n\r\n"), None])
def test_a_failed_delivery_is_repeated_with_the_same_bytes_and_a_new_stamp(
        hook: Hook, receiver: Receiver, first: tuple[int, bytes] | None) -> None:
    receiver.behaviour = lambda _: first if len(receiver.received) == 1 else (204, b"")
    hook.subscribe()
    hook.gateway.receive(2)
    receiver.wait_for(2)
    failed, repeated, second = receiver.received
    assert (failed.id, failed.body) == (repeated.id, repeated.body)
    assert failed.headers["webhook-timestamp"] < repeated.headers["webhook-timestamp"]
    assert repeated.is_signed_with() and second.id != failed.id


OK, LINE = b"HTTP/1.1 200 OK\r\n", b"HTTP/1.1 100 Continue\r\n\r\n"


@pytest.mark.parametrize(("lie", "times"), [
    (OK + b"Content-Length: 1000000000000\r\n\r\n{", 1),
    (OK + b"Content-Length: -1\r\n\r\n", 2), (OK + b"Content-Length: 3\r\n\r\n" + b"x" * 99, 1),
    (OK + b"Transfer-Encoding: chunked\r\n\r\nzzz", 1),
    (OK + b"Transfer-Encoding: chunked\r\n\r\n0\r\n" + b"X: y\r\n" * 100_000, 1),
    (OK + b"X: " + b"y" * 1_000_000 + b"\r\n\r\n", 2),
    (OK + b"X: y\r\n" * 100_000 + b"\r\n", 2), (LINE * 20_000, 2), (LINE + OK + b"\r\n", 1),
    (b"HTTP/1.1 204 No Content\r\nContent-Length: 5\r\n\r\nabcde", 1),
    (b"HTTP/1.1 099 Less\r\n\r\n", 2), (b"HTTP/1.1 999 More\r\n\r\n", 2), (b"\0" * 50_000, 2),
    (b"HTTP/1.1 401 No\r\nWWW-Authenticate: Basic\r\nContent-Length: 0\r\n\r\n", 2),
    (b"HTTP/1.1 429 Wait\r\nRetry-After: -99999999999999999999\r\n\r\n", 2),
], ids=range(15))
def test_a_lying_receiver_gets_each_event_in_order(hook: Hook, receiver: Receiver, lie: bytes,
                                                   times: int) -> None:
    receiver.behaviour = lambda _: (1, lie) if len(receiver.received) == 1 else (204, b"")
    hook.subscribe()
    hook.gateway.receive(2)
    receiver.wait_for(2)
    assert [one.id for one in receiver.received[:times]] == [receiver.received[0].id] * times
    assert len(receiver.received) == times + 1
    assert receiver.message_ids == sorted(receiver.message_ids)


def test_the_cursor_of_a_refresh_waits_for_what_is_not_delivered(
        hook: Hook, receiver: Receiver) -> None:
    begun = hook.subscribe().result["cursor"]
    receiver.behaviour = lambda _: (500, b"")
    hook.gateway.receive(2)
    wait_until(lambda: receiver.received, what="the first attempt")
    refreshed = hook.subscribe().result
    assert number_of(refreshed["cursor"]) < number_of(receiver.received[0].id)
    assert number_of(refreshed["cursor"]) >= number_of(begun)
    receiver.behaviour = lambda _: (204, b"")
    last = receiver.wait_for(2)[-1]
    wait_until(lambda: number_of(hook.subscribe().result["cursor"]) >= number_of(last.id),
               what="the cursor follows")


def number_of(cursor: str) -> int:
    return int(cursor.partition(".")[2])


def test_a_lapsed_subscription_replays_from_the_cursor(hook: Hook,
                                                       receiver: Receiver) -> None:
    cursor = hook.subscribe().result["cursor"]
    hook.unsubscribe()
    hook.gateway.receive(3)
    wait_until(lambda: not any(hook.gateway.spool.glob("*.sms")), what="all were read")
    assert hook.subscribe(cursor=cursor).result["truncated"] is False
    receiver.wait_for(3)


def test_a_foreign_cursor_begins_at_the_oldest_and_says_so(hook: Hook,
                                                           receiver: Receiver) -> None:
    hook.gateway.receive(3)
    wait_until(lambda: not any(hook.gateway.spool.glob("*.sms")), what="all were read")
    assert hook.subscribe(cursor="somebody.else").result["truncated"] is True
    receiver.wait_for(3)


# ---- the end -----------------------------------------------------------------------------


@pytest.mark.parametrize(("command", "reason"), [
    (["revoke", "hooker"], "revoked"), (["rotate", "hooker"], "rotated"),
    (["change", "--scope", "send", "hooker"], "scope"),
    (["change", "--scope", "read", "hooker"], "scope"),
    (["webhooks", "revoke", "{id}"], "revoked")])
def test_the_owner_ends_it_at_once_and_the_receiver_learns_it(
        hook: Hook, receiver: Receiver, command: list[str], reason: str) -> None:
    name_id = hook.subscribe().result["id"]
    hook.gateway.owner.do(*[name_id if one == "{id}" else one for one in command])
    last = receiver.wait_for_type("terminated")
    assert last.json["error"]["data"]["reason"] == reason
    assert last.json["error"]["code"] == FORBIDDEN and last.is_signed_with()
    assert last.id.startswith("msg_terminated_")
    assert hook.gateway.owner.json_lines("webhooks") == [{"subscriptions": 0, "approvals": 0}]
    hook.gateway.receive()
    wait_until(lambda: not any(hook.gateway.spool.glob("*.sms")), what="it was read")
    assert not receiver.events


def test_a_receiver_that_is_no_longer_listed_gets_nothing_more(hook: Hook,
                                                               receiver: Receiver) -> None:
    hook.subscribe()
    hook.gateway.write_receivers()
    hook.gateway.owner.do("reload")
    assert hook.gateway.owner.json_lines("webhooks") == [{"subscriptions": 0, "approvals": 0}]
    hook.gateway.receive()
    wait_until(lambda: not any(hook.gateway.spool.glob("*.sms")), what="it was read")
    assert not receiver.received


def test_no_secret_and_no_path_is_in_log_or_audit(hook: Hook, receiver: Receiver) -> None:
    hook.url += "/very-secret-path"
    hook.subscribe({"include_text": True})
    hook.gateway.receive(text="private words")
    assert "private words" in receiver.wait_for(1)[0].json["data"]["text"]
    hook.unsubscribe({"include_text": True})
    told = hook.gateway.log + hook.gateway.owner.do("audit")
    for secret in (SECRET, SECRET[6:], "very-secret-path", "private words"):
        assert secret not in told
    assert "client has a webhook" in told and "webhook ended" in told
