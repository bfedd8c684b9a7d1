# SPDX-License-Identifier: GPL-2.0-or-later
"""MCP Events: events/list, events/poll, events/stream.

The docstrings name the rows of MCP's conformance proposal (pull request 504) that a test covers.
"""

from __future__ import annotations

import sqlite3
import time
from collections.abc import Iterator
from contextlib import ExitStack, closing
from dataclasses import dataclass
from datetime import datetime, timedelta
from typing import Any

import pytest

import feed
from agent import Agent, pair
from conftest import new_lab
from events import Events
from lab import Lab, wait_until
from ledger import Ledger
from lone_gateway import LoneGateway
from mcp_events import (
    EXHAUSTED, FORBIDDEN, NOT_FOUND, EventClient,
)
from modem import HOME
from modern import INVALID_PARAMS, METHOD_NOT_FOUND, Request
from owner import Owner
from wire import ABSENT, Number, rpc

EXTENSION = "io.modelcontextprotocol/events"
TYPES = ["sms.received", "sms.status_changed", "call.missed", "alert.received",
         "approval.requested", "approval.decided", "sim.state_changed", "balance.changed",
         "gateway.offline_gap"]
BLOCKED = "+36301112233"
CODE = "73914628"
SEARCHING = 2       # +CREG
READY = 0           # in the store
DISCOVER = Request("server/discover")


@dataclass(frozen=True)
class World:
    """A phone with a client that reads, and one that also sees codes."""

    lab: Lab
    reader: EventClient
    trusted: EventClient
    token: str

    def deliver(self, text: str, sender: str) -> None:
        self.lab.modems[0].deliver(sender, text)

    def receive(self, text: str, sender: str) -> dict[str, Any]:
        """The event of this message."""
        cursor = self.reader.now()
        self.deliver(text, sender)
        [event] = self.reader.since("sms.received", cursor, arguments={"from": sender})
        return event


@pytest.fixture(scope="module")
def world() -> Iterator[World]:
    config = f"[incoming]\nblocked_senders = {BLOCKED}\n"
    with new_lab(config, modem_count=1, gateway_open=False) as lab:
        owner = Owner(lab.gateway.state)
        token, trusted = pair(lab.gateway, "reader"), pair(lab.gateway, "trusted")
        owner.do("change", "--scope", "read,codes", "trusted")
        wait_until(lambda: Agent(lab, token).states() == ["ready"], what="the SIM is ready")
        yield World(lab, EventClient(lab.gateway, token), EventClient(lab.gateway, trusted),
                    token)


# ---- discovery

def test_both_advertisements_stand_in_discover(gateway: LoneGateway) -> None:
    """events-capability-events-object, -list-changed-flag"""
    capabilities = gateway.ask(DISCOVER.octets).result["capabilities"]
    assert capabilities["events"] == {}
    assert capabilities["extensions"][EXTENSION] == {"listChanged": True}


@pytest.mark.parametrize("method", ["events/list", "events/poll", "events/stream"])
def test_older_revisions_have_no_events(gateway: LoneGateway, method: str) -> None:
    reply = gateway.post(rpc(method, {"name": "sms.received"}))
    assert reply.error == (200, METHOD_NOT_FOUND)
    initialized = gateway.post(rpc("initialize", {
        "protocolVersion": "2025-11-25", "capabilities": {},
        "clientInfo": {"name": "x", "version": "1"}})).result["capabilities"]
    assert "events" not in initialized
    assert EXTENSION not in initialized["extensions"]


def test_every_type_is_described(gateway: LoneGateway) -> None:
    """events-list-implemented, descriptor-name, -description, -delivery-subset,
    -input-schema, -payload-schema"""
    result = EventClient(gateway).ask("events/list").result
    assert result["resultType"] == "complete" and "nextCursor" not in result
    assert [row["name"] for row in result["events"]] == TYPES
    for row in result["events"]:
        assert row["description"]
        assert row["delivery"] and set(row["delivery"]) <= {"poll", "push", "webhook"}
        assert row["inputSchema"]["type"] == "object"
        assert row["inputSchema"]["additionalProperties"] is False
        assert row["payloadSchema"]["type"] == "object" and row["payloadSchema"]["required"]


def test_an_unknown_page_of_the_list_is_refused(gateway: LoneGateway) -> None:
    """events-list-pagination: there is one page"""
    reply = EventClient(gateway).ask("events/list", cursor="x")
    assert reply.error == (200, INVALID_PARAMS)


@pytest.mark.parametrize("method", ["events/poll", "events/stream"])
def test_an_unknown_type_is_not_found(gateway: LoneGateway, method: str) -> None:
    """events-error-not-found, -server-range, poll-errors-are-jsonrpc, removal-poll-not-found,
    stream-error-before-open"""
    reply = EventClient(gateway).ask(method, name="sms.imagined")
    assert reply.error == (200, NOT_FOUND)
    assert reply.json["error"]["message"] == "NotFound"
    assert reply.json["error"]["data"]["kind"] == "event"
    assert reply.header("content-type") == "application/json"


@pytest.mark.parametrize("params", [
    {"name": ABSENT}, {"name": 5}, {"arguments": []}, {"arguments": {"from": 5}},
    {"arguments": {"unknown": True}}, {"arguments": {"kind": "poem"}}, {"cursor": 5},
    {"cursor": {}}, {"maxAgeMs": -1}, {"maxAgeMs": "1"}, {"maxAgeMs": 1.5},
    {"arguments": {"from": "x" * 65}}], ids=range(12))
@pytest.mark.parametrize("method", ["events/poll", "events/stream"])
def test_wrong_params_are_invalid(gateway: LoneGateway, method: str, params: dict[str, Any]) -> None:
    """events-poll-invalid-arguments, stream-error-before-open"""
    reply = EventClient(gateway).ask(method, **{"name": "sms.received"} | params)
    assert reply.error == (200, INVALID_PARAMS)


@pytest.mark.parametrize("wrong", ["+36201234567/89", "+36201234567 ext. 5", "+3620abc", "()",
                                   "a name that is too long", "1" * 30])
@pytest.mark.parametrize("name", ["sms.received", "call.missed"])
@pytest.mark.parametrize("method", ["events/poll", "events/stream"])
def test_a_sender_that_is_neither_number_nor_name_is_invalid(
        gateway: LoneGateway, method: str, name: str, wrong: str) -> None:
    reply = EventClient(gateway).ask(method, name=name, arguments={"from": wrong})
    assert reply.error == (200, INVALID_PARAMS)


@pytest.mark.parametrize("most", [0, -1, "5", 1.5, True])
def test_a_wrong_limit_of_a_poll_is_invalid(gateway: LoneGateway, most: Any) -> None:
    reply = EventClient(gateway).ask("events/poll", name="sms.received", maxEvents=most)
    assert reply.error == (200, INVALID_PARAMS)


# ---- polls

def test_the_first_poll_returns_a_cursor_and_nothing_else(world: World) -> None:
    """events-poll-implemented, -bootstraps-subscription, -events-array, -response-cursor,
    -next-poll-ms, -has-more, cursor-null-starts-from-now, cursor-absent-equals-null"""
    world.receive("history", "+36205550001")
    for params in ({"cursor": None}, {}, {"cursor": ""}, {"cursor": None, "maxAgeMs": 10 ** 9}):
        result = world.reader.ask("events/poll", name="sms.received", **params).result
        assert (result["events"], result["truncated"], result["hasMore"]) == ([], False, False)
        assert isinstance(result["cursor"], str) and result["resultType"] == "complete"
        assert type(result["nextPollMs"]) is int and result["nextPollMs"] >= 1000


def test_a_poll_returns_what_arrived_since(world: World, number: str) -> None:
    """events-occurrence-*, cursor-consistency, poll-stateless-request"""
    cursor = world.reader.now()
    world.deliver("one", number)
    [event] = world.reader.since("sms.received", cursor)
    assert set(event) == {"eventId", "name", "timestamp", "data"}
    assert event["name"] == "sms.received" and event["eventId"].isascii()
    assert datetime.fromisoformat(event["timestamp"]).tzinfo
    assert event["data"]["from"] == number and event["data"]["message_id"] > 0
    assert event["data"]["subscription_id"] == 1
    assert "text" not in event["data"]
    again = world.reader.poll("sms.received", cursor)
    assert again["events"] == [event] and not again["truncated"]
    assert world.reader.poll("sms.received", again["cursor"])["events"] == []


def test_the_cursor_advances_when_nothing_matches(world: World, number: str) -> None:
    """events-cursor-advances-when-quiet: it is the position that was looked at"""
    cursor = world.reader.now("balance.changed")
    world.receive("noise", number)
    later = world.reader.poll("balance.changed", cursor)
    assert later["events"] == [] and later["cursor"] != cursor
    cursors = [later["cursor"]]     # what earlier tests began may still be told

    def stays() -> bool:
        cursors.append(world.reader.poll("balance.changed", cursors[-1])["cursor"])
        return cursors[-1] == cursors[-2]

    wait_until(stays, what="the cursor stays where nothing happens")


def test_a_poll_is_cut_at_its_limit_and_goes_on(world: World, number: str) -> None:
    """events-poll-max-events-cap, -has-more"""
    cursor = world.reader.now()
    for i in range(3):
        world.deliver(f"text {i}", number)
    all_events = world.reader.since("sms.received", cursor, 3)
    seen, more = [], True
    while more:
        page = world.reader.poll("sms.received", cursor, maxEvents=1)
        assert len(page["events"]) == 1
        seen += page["events"]
        cursor, more = page["cursor"], page["hasMore"]
    assert seen == all_events
    assert len({event["eventId"] for event in seen}) == 3


def test_polls_of_different_types_are_independent(world: World, number: str) -> None:
    """events-poll-one-subscription-per-request"""
    cursor = world.reader.now()
    world.receive("one", number)
    assert world.reader.poll("call.missed", cursor)["events"] == []
    assert len(world.reader.poll("sms.received", cursor)["events"]) == 1


@pytest.mark.parametrize("change", [
    lambda cursor: " ", lambda cursor: "junk", lambda cursor: cursor + "9",
    lambda cursor: "1." + cursor.split(".")[1], lambda cursor: cursor.split(".")[0],
    lambda cursor: cursor + "\N{LATIN SMALL LETTER E WITH ACUTE}", lambda cursor: " " + cursor,
    lambda cursor: cursor.replace(".", ".0"), lambda cursor: "9" * 400],
    ids=["blank", "junk", "future", "foreign", "half", "accent", "space", "zero", "long"])
def test_an_unknown_cursor_is_truncated_and_begins_at_the_oldest(
        world: World, number: str, change: Any) -> None:
    """events-cursor-opaque, truncated-*"""
    known = world.receive("kept", number)
    cursor = world.reader.now()
    page = world.reader.poll("sms.received", change(cursor), arguments={"from": number})
    assert page["truncated"] is True
    assert known in page["events"]
    assert world.reader.poll("sms.received", page["cursor"])["truncated"] is False


def test_a_maximum_age_skips_what_is_older(world: World, number: str) -> None:
    """events-max-age-ms-*"""
    cursor = world.reader.now()
    event = world.receive("new", number)
    kept = world.reader.poll("sms.received", cursor, maxAgeMs=3600 * 1000)
    assert kept["events"] == [event] and not kept["truncated"]
    wait_until(lambda: datetime.now().astimezone() - datetime.fromisoformat(
        event["timestamp"]) > timedelta(seconds=2), what="two seconds passed")
    skipped = world.reader.poll("sms.received", cursor, maxAgeMs=0)
    assert skipped["events"] == [] and skipped["truncated"]
    assert not world.reader.poll("sms.received", skipped["cursor"], maxAgeMs=0)["truncated"]


# ---- what a client sees of a message

@pytest.mark.parametrize("arguments, matches", [
    ({}, True), ({"contains": "BLUE"}, True), ({"contains": "red"}, False),
    ({"kind": "code"}, False), ({"kind": "link"}, True), ({"subscription_id": 1}, True),
    ({"subscription_id": 2}, False), ({"from": "+36209999999"}, False)], ids=str)
def test_arguments_choose_messages(
        world: World, number: str, arguments: dict[str, Any], matches: bool) -> None:
    cursor = world.reader.now()
    event = world.receive("Something blue: https://a.example/x", number)
    page = world.reader.poll("sms.received", cursor, arguments=arguments)
    assert page["events"] == ([event] if matches else [])
    assert "contains_link" in event["data"]["flags"]


def test_senders_match_in_any_spelling(world: World) -> None:
    cursor = world.reader.now()
    event = world.receive("hello", "+36205551234")
    for spelling in ("+36 20 555 1234", "0036205551234"):
        page = world.reader.poll("sms.received", cursor, arguments={"from": spelling})
        assert page["events"] == [event]


def test_blocked_senders_must_be_named(world: World) -> None:
    cursor = world.reader.now()
    event = world.receive("buy now", BLOCKED)
    assert event["data"]["trust"] == "blocked"
    assert world.reader.poll("sms.received", cursor)["events"] == []


def test_the_text_is_included_on_request_with_codes_masked(world: World, number: str) -> None:
    cursor = world.reader.now()
    bare = world.receive(f"Your code is {CODE}", number)
    assert "looks_like_code" in bare["data"]["flags"] and CODE not in str(bare)
    wanted = {"include_text": True}
    [masked] = world.reader.poll("sms.received", cursor, arguments=wanted)["events"]
    assert masked["data"]["masked"] is True and CODE not in str(masked)
    assert "******" in masked["data"]["text"]
    [clear] = world.trusted.poll("sms.received", cursor, arguments=wanted)["events"]
    assert CODE in clear["data"]["text"] and "masked" not in clear["data"]


def test_masked_codes_cannot_be_searched_for(world: World, number: str) -> None:
    cursor = world.reader.now()
    world.receive(f"Your code is {CODE}", number)
    wanted = {"contains": CODE}
    assert world.reader.poll("sms.received", cursor, arguments=wanted)["events"] == []
    assert len(world.trusted.poll("sms.received", cursor, arguments=wanted)["events"]) == 1


def test_strangers_cannot_forge_lines(world: World) -> None:
    event = world.receive("a\u202eb", "+36205550003")
    assert "escaped" not in event["data"].get("flags", [])
    [shown] = world.reader.poll("sms.received", "0.0", arguments={
        "from": "+36205550003", "include_text": True})["events"]
    assert shown["data"]["text"] == "a\\u{202E}b"


# ---- the other types

def test_states_of_a_sent_message_are_events_in_order(world: World, number: str) -> None:
    cursor = world.reader.now("sms.status_changed")
    sent = Agent(world.lab, world.token).send("hello", to=number, idempotency_key="k1")
    page = world.reader.since("sms.status_changed", cursor, 3)
    states = [event["data"]["state"] for event in page]
    assert states[0] in ("queued", "submitting") and states[-1] == "sent"
    assert {event["data"]["message_id"] for event in page} == {sent.message_id}
    for one, next_one in zip(page, page[1:]):
        assert next_one["data"]["previous"] == one["data"]["state"]
    assert all(event["data"]["own"] and event["data"]["idempotency_key"] == "k1"
               for event in page)
    [final] = world.trusted.poll("sms.status_changed", cursor,
                                 arguments={"state": "sent"})["events"]
    assert not final["data"]["own"] and "idempotency_key" not in final["data"]
    assert world.trusted.poll("sms.status_changed", cursor,
                              arguments={"only_own": True})["events"] == []
    assert world.reader.poll("sms.status_changed", cursor,
                             arguments={"only_failures": True})["events"] == []


def test_a_missed_call_is_one_event(world: World) -> None:
    cursor = world.reader.now("call.missed")
    world.lab.modems[0].ring("+36205557777")
    wait_until(lambda: "ringing" in str(
        Agent(world.lab, world.token).call("list_calls").structured), what="it rings")
    assert world.reader.poll("call.missed", cursor)["events"] == []
    world.lab.modems[0].hang_up()
    [event] = world.reader.since("call.missed", cursor)
    assert event["data"]["from"] == "+36205557777"
    assert world.reader.poll("call.missed", cursor, arguments={"from": "+3611"})["events"] == []


def test_approvals_are_events_for_who_asked(world: World, number: str) -> None:
    owner = Owner(world.lab.gateway.state)
    token = pair(world.lab.gateway, "asking")
    owner.do("change", "--ask", "always", "asking")
    asking, cursor = EventClient(world.lab.gateway, token), world.reader.now()
    message_id = Agent(world.lab, token).send("may I?", to=number, wait_for="none").message_id
    [event] = asking.since("approval.requested", cursor)
    assert event["data"]["approval_id"] == message_id and event["data"]["own"]
    assert event["data"]["kind"] == "sms" and event["data"]["to_country"] == "HU"
    assert datetime.fromisoformat(event["data"]["expires_at"])
    assert "may I?" not in str(event) and number not in str(event)
    owner.do("reject", message_id)
    [decided] = asking.since("approval.decided", cursor)
    assert decided["data"]["decision"] == "rejected"
    assert world.reader.poll("approval.requested", cursor)["events"] == []
    assert world.reader.poll("approval.decided", cursor)["events"] == []


def state_changes(world: World, cursor: str) -> list[dict[str, Any]]:
    """Without that of a start of the gateway, which knows no previous state."""
    events = world.reader.poll("sim.state_changed", cursor)["events"]
    return [event["data"] for event in events if "previous" in event["data"]]


def stored_state(world: World) -> tuple[int]:
    """What the next event of the SIM compares with; states shorter than a burst are not stored."""
    with closing(sqlite3.connect(world.lab.gateway.state / "gateway.db")) as store:
        return store.execute("SELECT state FROM feed WHERE type = 7 AND sim_id = 1"
                             " ORDER BY id DESC LIMIT 1").fetchone()


def test_a_sim_that_goes_and_comes_is_two_events(world: World) -> None:
    agent = Agent(world.lab, world.token)
    wait_until(lambda: stored_state(world) == (READY,), what="the SIM's state is stored")
    cursor = world.reader.now("sim.state_changed")
    world.lab.modems[0].set_registration(SEARCHING)
    try:
        [away] = wait_until(lambda: state_changes(world, cursor), what="the SIM is away")
        assert (away["previous"], away["state"]) == ("ready", "searching")
    finally:
        world.lab.modems[0].set_registration(HOME)
    agent.wait_states("ready")
    wait_until(lambda: len(state_changes(world, cursor)) == 2, what="the SIM is back")
    assert state_changes(world, cursor)[1] == {
        "subscription_id": 1, "state": "ready", "previous": "searching"}


def test_offline_gaps_are_events_and_cursors_survive_restarts(world: World, number: str) -> None:
    cursor = world.reader.now()
    event = world.receive("before", number)
    world.lab.gateway.stop()
    world.lab.gateway.start()
    gaps = world.reader.since("gateway.offline_gap", cursor)
    assert gaps[0]["data"]["reason"] == "gateway_down" and gaps[0]["data"]["until"]
    page = world.reader.poll("sms.received", cursor)
    assert page["events"] == [event] and not page["truncated"]
    Agent(world.lab, world.token).wait_states("ready")


# ---- streams

def test_a_stream_begins_active_and_carries_events(world: World, number: str) -> None:
    """events-stream-implemented, -active-confirmation, -subscription-id-meta,
    -event-notification, -carries-only-event-notifications, -timing"""
    with world.reader.stream("sms.received") as stream:
        assert stream.active["truncated"] is False
        polled = world.receive("live", number)
        event = stream.next()
        assert event.pop("cursor") == polled["eventId"]
        assert event == polled


@pytest.mark.parametrize("id", [0, "7", 7, "é", 2 ** 53])
def test_the_subscription_id_has_the_type_of_the_request_id(world: World, number: str, id: Any) -> None:
    with world.reader.stream("sms.received", id=id) as stream:
        world.receive("live", number)
        stream.next()


def test_a_stream_resumes_after_its_cursor(world: World, number: str) -> None:
    """events-cursor-consistency, stream-cancel-stops-delivery: the socket was closed"""
    with world.reader.stream("sms.received") as stream:
        first = world.receive("one", number)
        cursor = stream.next()["cursor"]
    second, third = world.receive("two", number), world.receive("three", number)
    with world.reader.stream("sms.received", cursor) as stream:
        assert stream.active == {"cursor": cursor, "truncated": False}
        assert [stream.next()["eventId"] for _ in range(2)] == [
            second["eventId"], third["eventId"]]
    with world.reader.stream("sms.received", "junk", arguments={"from": number}) as stream:
        assert stream.active["truncated"] is True
        assert stream.next()["eventId"] == first["eventId"]


def test_a_stopping_gateway_ends_streams_with_a_result(world: World) -> None:
    """events-stream-final-result-shape"""
    with world.reader.stream("sms.received", id="s1") as stream:
        world.lab.gateway.stop()
        result = stream.next("result")
    world.lab.gateway.start()
    assert result["resultType"] == "complete"
    assert result["_meta"]["io.modelcontextprotocol/subscriptionId"] == "s1"
    Agent(world.lab, world.token).wait_states("ready")


def test_a_revoked_client_is_terminated(world: World) -> None:
    """events-stream-terminated-ends-subscription"""
    client = EventClient(world.lab.gateway, pair(world.lab.gateway, "leaving"))
    with client.stream("sms.received") as stream:
        Owner(world.lab.gateway.state).do("revoke", "leaving")
        error = stream.next("terminated")["error"]
        assert (error["code"], error["message"]) == (FORBIDDEN, "Forbidden")
        assert error["data"]["reason"] == "client_revoked"
        stream.events.wait_end()
    assert client.ask("events/poll", name="sms.received").status == 401


def test_a_client_that_loses_its_scope_is_terminated(world: World) -> None:
    client = EventClient(world.lab.gateway, pair(world.lab.gateway, "restricted"))
    assert list(client.types()) == TYPES
    with client.stream("sms.received") as stream:
        Owner(world.lab.gateway.state).do("change", "--scope", "send", "restricted")
        error = stream.next("terminated")["error"]
        assert error["data"]["reason"] == "insufficient_scope"
    assert list(client.types()) == []
    reply = client.ask("events/poll", name="sms.received")
    assert reply.error == (200, FORBIDDEN)
    assert reply.json["error"]["data"]["reason"] == "insufficient_scope"


def test_a_listener_hears_that_its_event_types_changed(world: World) -> None:
    """events-capability-list-changed-flag"""
    client = EventClient(world.lab.gateway, pair(world.lab.gateway, "listening"))
    asked = client.request("subscriptions/listen",
                           {"notifications": {"eventsListChanged": True}}, 3)
    headers = {key.replace("-", "_"): value for key, value in asked.headers.items()}
    with Events(world.lab.gateway.port, asked.body, **headers) as events:
        acknowledged = events.next_message().message["params"]["notifications"]
        assert acknowledged == {"eventsListChanged": True}
        Owner(world.lab.gateway.state).do("change", "--scope", "send", "listening")
        assert events.next_message().method == "notifications/events/list_changed"


def opens_a_stream(client: EventClient) -> bool:
    """A closed stream frees its place as soon as the gateway reads the end of its connection."""
    try:
        with client.stream("sms.received"):
            return True
    except AssertionError:
        return False


def test_a_client_has_eight_streams(world: World) -> None:
    """events-stream-exempt-from-concurrency-cap: calls go on beside them"""
    with ExitStack() as streams:
        for _ in range(8):
            streams.enter_context(world.reader.stream("sms.received"))
        reply = world.reader.ask("events/stream", name="sms.received")
        assert reply.error == (200, EXHAUSTED)
        assert reply.json["error"]["data"]["max"] == Number(8)
        assert world.reader.poll("sms.received")["events"] == []
    wait_until(lambda: opens_a_stream(world.reader), what="a place for another stream")


def test_all_clients_have_thirty_two_streams(gateway: LoneGateway) -> None:
    client = EventClient(gateway)
    with ExitStack() as streams:
        for _ in range(32):
            streams.enter_context(client.stream("sms.received"))
        reply = client.ask("events/stream", name="sms.received")
        assert reply.error == (200, EXHAUSTED)
        assert reply.json["error"]["data"]["max"] == Number(32)


def test_a_client_that_accepts_no_stream_is_refused(gateway: LoneGateway) -> None:
    asked = EventClient(gateway).request("events/stream", {"name": "sms.received"})
    assert gateway.ask(asked.header(Accept="application/json").octets).error == (400, -32600)


def test_a_quiet_stream_has_heartbeats(gateway: LoneGateway) -> None:
    """events-stream-heartbeat-*"""
    with EventClient(gateway).stream("sms.received") as stream:
        word, params = stream.take(30)
        assert word == "heartbeat" and set(params) == {"cursor"}
        epoch, _, _ = params["cursor"].partition(".")
        assert stream.active["cursor"].startswith(epoch + ".")


def test_a_stream_resumes_over_a_text_that_fills_its_queue(world: World, number: str) -> None:
    """Behind others that the queue has room for, the longest text has none until they are read."""
    cursor = world.reader.now()
    texts = [f"{i:02} {'x' * 440}" for i in range(17)] + ["\N{GREEK CAPITAL LETTER DELTA}" * 153 * 255,
                                                          "the last one"]
    for text in texts:
        world.deliver(text, number)
    events = world.reader.since("sms.received", cursor, len(texts))
    with world.reader.stream("sms.received", cursor,
                             arguments={"include_text": True}) as stream:
        seen = [stream.next() for _ in texts]
    assert [event["eventId"] for event in seen] == [event["eventId"] for event in events]
    assert seen[-1]["data"]["text"] == "the last one"


def test_a_slow_reader_misses_nothing(world: World, number: str) -> None:
    """Its stream stops when its queue is filled, and reads on in the feed."""
    count, width = 400, 3000
    first = world.reader.now()
    insert_messages(world.lab, number, count, "x" * width)
    wanted = {"from": number, "include_text": True}
    with world.reader.stream("sms.received", first, receive_buffer=4096,
                             arguments=wanted) as stream:
        world.receive("the last one", "+36205550009")      # others are served meanwhile
        seen = [stream.next()["data"]["message_id"] for _ in range(count)]
    assert seen == sorted(set(seen)) and len(seen) == count


def insert_messages(lab: Lab, number: str, count: int, text: str) -> None:
    """Rows of the store; its triggers add them to the feed."""
    now = int(time.time() * 1000)
    with closing(sqlite3.connect(lab.gateway.state / "gateway.db")) as store, store:
        store.executemany(
            "INSERT INTO message (direction, sim_id, phone_number, text, state, created, changed)"
            " VALUES (1, 1, ?, ?, 9, ?, ?)",
            [(number, f"{place} {text}", now, now)
             for place in range(count)])


def test_the_check_of_the_feed_finds_what_is_missing(world: World, number: str) -> None:
    ledger = Ledger(world.lab)
    world.receive("kept", number)
    assert list(feed.complaints(ledger)) == []
    with closing(sqlite3.connect(world.lab.gateway.state / "gateway.db")) as store:
        store.execute("DELETE FROM feed WHERE type = 1 AND subject_id ="
                      " (SELECT max(id) FROM message)")
        store.commit()
    assert any("received" in what for what in feed.complaints(ledger))
