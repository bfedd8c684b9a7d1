# SPDX-License-Identifier: GPL-2.0-or-later
"""Sessions of the 2025 family: they outlive the gateway and belong to their client."""

from __future__ import annotations

import json
import os
import re
from collections.abc import Callable

import pytest

from agent import pair
from events import Events
from incoming import SENDER, newest, receive
from lab import Lab, wait_until
from lab.mcp_client import Answer, McpClient
from lone_gateway import LoneGateway
from wire import request, rpc

CLIENT_MAX = 128
# valgrind retains 20 MB of freed memory
MEMORY_MORE_KIB = 32 * 1024 if "GATEWAY_WRAPPER" in os.environ else 512


def begin(client: McpClient, version: str = "2025-11-25") -> str:
    """The ID of a new session, which the client does not use by itself."""
    answer = client.call("initialize", {
        "protocolVersion": version, "capabilities": {},
        "clientInfo": {"name": "t", "version": "1"}})
    assert answer.status == 200
    return answer.headers["mcp-session-id"]


def ping(client: McpClient, session: str, version: str | None = None) -> Answer:
    headers = {**client.headers, "Mcp-Session-Id": session}
    if version:
        headers["MCP-Protocol-Version"] = version
    return client.post(rpc("ping"), headers)


def delete(client: McpClient, session: str | None) -> Answer:
    headers = dict(client.headers)
    if session is not None:
        headers["Mcp-Session-Id"] = session
    return client.request("DELETE", "/mcp", None, headers)


def new_client(gateway: LoneGateway, token: str | None = None) -> McpClient:
    return McpClient(gateway.port, token=token)


def test_session_ids_are_visible_ascii_and_unique(gateway: LoneGateway) -> None:
    with new_client(gateway) as client:
        ids = {begin(client) for _ in range(50)}
    assert len(ids) == 50
    assert all(re.fullmatch(r"[\x21-\x7e]{22,}", id) for id in ids)


def test_a_deleted_session_is_not_found(gateway: LoneGateway) -> None:
    with new_client(gateway) as client:
        session = begin(client)
        assert ping(client, session).result == {}
        assert delete(client, session).status == 204
        dead = ping(client, session)
        assert (dead.status, dead.error["code"]) == (404, -32001)
        assert delete(client, session).status == 404
        assert begin(client) != session


def test_delete_needs_a_session(gateway: LoneGateway) -> None:
    with new_client(gateway) as client:
        assert delete(client, None).status == 400
        assert delete(client, "0" * 32).status == 404


def test_only_initialize_begins_a_session(gateway: LoneGateway) -> None:
    with new_client(gateway) as client:
        assert "mcp-session-id" not in client.call("ping").headers
        assert "mcp-session-id" not in client.call("tools/list").headers
        refused = client.call("initialize", {})
        assert refused.error["code"] == -32602
        assert "mcp-session-id" not in refused.headers


@pytest.mark.parametrize("version", ["2025-11-25", "2025-06-18", "2025-03-26",
                                     "2026-07-28", "2099-01-01"])
def test_a_session_is_served_with_any_protocol_version_header(
        gateway: LoneGateway, version: str) -> None:
    with new_client(gateway) as client:
        assert ping(client, begin(client), version).result == {}


def test_a_request_without_the_session_id_is_served(gateway: LoneGateway) -> None:
    with new_client(gateway) as client:
        begin(client)
        assert client.call("ping").result == {}
        assert client.notify("notifications/initialized").status == 202


def test_a_session_belongs_to_its_client() -> None:
    with LoneGateway(open=False) as gateway:
        one, other = pair(gateway, "one"), pair(gateway, "other")
        with new_client(gateway, one) as owner, new_client(gateway, other) as thief:
            session = begin(owner)
            assert ping(thief, session).status == 404
            assert delete(thief, session).status == 404
            with Events(gateway.port, Mcp_Session_Id=session,
                        Authorization=f"Bearer {other}") as events:
                assert events.status == 404
            assert ping(owner, session).result == {}
            owner.headers["Authorization"] = "Bearer wrong"
            assert ping(owner, session).status == 401


def test_the_least_recently_used_session_ends_first() -> None:
    with LoneGateway(open=False) as gateway:
        one, other = pair(gateway, "one"), pair(gateway, "other")
        with new_client(gateway, one) as client, new_client(gateway, other) as neighbour:
            theirs = begin(neighbour)
            first, second = begin(client), begin(client)
            for _ in range(CLIENT_MAX - 2):
                begin(client)
            assert ping(client, first).status == 200
            newest = begin(client)
            assert ping(client, second).status == 404
            assert ping(client, first).status == 200
            assert ping(client, newest).status == 200
            assert ping(neighbour, theirs).status == 200


def test_many_sessions_use_bounded_memory(gateway: LoneGateway) -> None:
    with new_client(gateway) as client:
        for _ in range(600):
            begin(client)
        before = gateway.rss_kib
        for _ in range(600):
            begin(client)
        assert gateway.rss_kib - before < MEMORY_MORE_KIB


# ---- subscriptions

def subscribe(client: McpClient, session: str, uri: str,
              method: str = "resources/subscribe") -> Answer:
    return client.post(rpc(method, {"uri": uri}),
                       {**client.headers, "Mcp-Session-Id": session})


def test_subscribing_needs_a_session(gateway: LoneGateway) -> None:
    with new_client(gateway) as client:
        answer = client.call("resources/subscribe", {"uri": "sms://inbox"})
        assert answer.error["code"] == -32000
        assert "initialize" in answer.error["message"]


def test_subscribing_returns_an_empty_object(gateway: LoneGateway) -> None:
    with new_client(gateway) as client:
        session = begin(client)
        for _ in range(2):
            assert subscribe(client, session, "sms://inbox").result == {}
        for _ in range(2):
            assert subscribe(client, session, "sms://inbox",
                             "resources/unsubscribe").result == {}


def test_subscribing_to_an_unknown_uri_is_refused(gateway: LoneGateway) -> None:
    with new_client(gateway) as client:
        session = begin(client)
        for uri in ("sms://nothing", "sms://message/77777"):
            assert subscribe(client, session, uri).error["code"] == -32002
        for uri in ("nothing", "sms://message/%"):
            assert subscribe(client, session, uri).error["code"] == -32602


def test_subscriptions_of_a_session_are_bounded(gateway: LoneGateway) -> None:
    with new_client(gateway) as client:
        session = begin(client)
        answers = [subscribe(client, session, f"sms://conversation/{n:05}")
                   for n in range(33)]
        assert all(answer.result == {} for answer in answers[:32])
        assert answers[32].error["code"] == -32000


# ---- the stream of a session

def test_a_stream_is_refused_only_if_accept_excludes_it(gateway: LoneGateway) -> None:
    for accept, status in (("application/json", 406), ("text/event-stream", 200),
                           ("*/*", 200), ("text/*", 200), (None, 200),
                           ("application/json\r\nAccept: text/event-stream", 200),
                           ("application/json\r\nAccept: text/html", 406)):
        with Events(gateway.port, Accept=accept) as events:
            assert events.status == status


def test_head_has_the_status_that_get_would_have(gateway: LoneGateway) -> None:
    with new_client(gateway) as client:
        session = begin(client)
    for headers, status in (({"Mcp-Session-Id": session}, 200), ({"Mcp-Session-Id": "x"}, 404),
                            ({"Accept": "application/json"}, 406)):
        with gateway.wire() as wire:
            wire.send(request(headers=headers, method="HEAD"))
            assert wire.receive(head_only=True).status == status


def test_a_stream_ends_with_its_session(gateway: LoneGateway) -> None:
    with new_client(gateway) as client:
        session = begin(client)
        with Events(gateway.port, Mcp_Session_Id=session) as events:
            events.wait_comment()
            assert delete(client, session).status == 204
            events.wait_end()
            assert events.ended


def test_the_fifth_stream_ends_the_first(gateway: LoneGateway) -> None:
    with new_client(gateway) as client:
        session = begin(client)
        streams = [Events(gateway.port, Mcp_Session_Id=session) for _ in range(4)]
        for events in streams:
            events.wait_comment()
        with Events(gateway.port, Mcp_Session_Id=session) as fifth:
            fifth.wait_comment()
            streams[0].wait_end()
            assert streams[0].ended
        for events in streams:
            events.socket.close()


@pytest.mark.parametrize("version, primed", [("2025-11-25", True), ("2025-06-18", False)])
def test_a_priming_event_is_sent_since_2025_11_25(
        gateway: LoneGateway, version: str, primed: bool) -> None:
    with new_client(gateway) as client:
        session = begin(client, version)
        with Events(gateway.port, Mcp_Session_Id=session) as events:
            if primed:
                first = events.next()
                assert first.fields["data"] == "" and first.id
                assert int(first.fields["retry"]) > 0
            else:
                events.wait_comment()
                assert events.poll(0.5) is None


# ---- events, on a phone


def open_session(lab: Lab, *uris: str, version: str = "2025-11-25") -> str:
    with lab.client() as client:
        session = begin(client, version)
        for uri in uris:
            assert subscribe(client, session, uri).result == {}
        return session


def watch(lab: Lab, session: str, **headers: str) -> Events:
    events = Events(lab.gateway.port, Mcp_Session_Id=session, **headers)
    events.wait_comment() if events.status == 200 else None
    return events


def test_an_incoming_message_notifies_subscribers(lab: Lab) -> None:
    session, other = open_session(lab, "sms://inbox"), open_session(lab)
    with watch(lab, session) as events, watch(lab, other) as quiet:
        receive(lab, "told")
        event = events.next_message()
        assert event.uri == "sms://inbox"
        assert set(event.message["params"]) == {"uri"}      # no text
        assert event.id
        assert quiet.next().fields["data"] == ""            # the priming event
        assert quiet.poll(0.3) is None


def test_each_update_goes_to_one_stream_of_the_session(lab: Lab) -> None:
    session = open_session(lab, "sms://inbox")
    with watch(lab, session) as old, watch(lab, session) as new:
        receive(lab, "only once")
        assert new.next_message().uri == "sms://inbox"
        old.next()
        assert old.poll(0.3) is None
    # the connection of `new` is closed; another stream of the session gets the update
    with watch(lab, session) as events:
        receive(lab, "to who is left")
        assert events.next_message().uri == "sms://inbox"


def test_updates_name_the_uri_as_it_was_subscribed(lab: Lab) -> None:
    uris = [f"sms://conversation/{SENDER}", "sms://conversation/%2B36209876543",
            "sms://conversation/06209876543"]
    session = open_session(lab, *uris)
    with watch(lab, session) as events:
        receive(lab, "in three spellings")
        assert {events.next_message().uri for _ in uris} == set(uris)


def test_unsubscribing_stops_the_updates(lab: Lab) -> None:
    session = open_session(lab, "sms://inbox", "sms://conversation/+36209876543")
    with lab.client() as client:
        subscribe(client, session, "sms://inbox", "resources/unsubscribe")
    with watch(lab, session) as events:
        receive(lab, "one of two")
        assert events.next_message().uri == "sms://conversation/+36209876543"
        assert events.poll(0.3) is None


def test_each_new_state_of_a_message_notifies_subscribers(lab: Lab) -> None:
    with lab.client() as client:
        [sim, *_] = client.tool("get_sms_subscriptions")["structuredContent"][
            "subscriptions"]
        sent = client.tool("send_sms", to_phone_number="+36301234567", wait_for="none",
                           sms_text="watched", subscription_id=sim["subscription_id"])
        message_id = sent["structuredContent"]["message_id"]
        session = begin(client)
        uri = f"sms://message/{message_id}"
        subscribe(client, session, uri)

        def state() -> str:
            read = client.call("resources/read", {"uri": uri}).result["contents"][0]
            return json.loads(read["text"])["message"].get("state", "sent")
        with watch(lab, session) as events:
            while state() != "sent":
                assert events.next_message().uri == uri


def test_marking_a_message_read_notifies_subscribers(lab: Lab) -> None:
    session = open_session(lab, "sms://inbox")
    with watch(lab, session) as events, lab.client() as client:
        receive(lab, "to be marked")
        assert events.next_message().uri == "sms://inbox"
        client.tool("mark_sms_read", message_ids=[newest(lab)])
        assert events.next_message().uri == "sms://inbox"
        client.tool("mark_sms_read", message_ids=[newest(lab)])
        assert events.poll(0.3) is None


def test_a_resumed_stream_replays_missed_events(lab: Lab) -> None:
    uris = ("sms://inbox", f"sms://conversation/{SENDER}")
    session = open_session(lab, *uris)
    with watch(lab, session) as events:
        receive(lab, "seen")
        seen = [events.next_message() for _ in uris]
    # The client missed two updates: its connection closed before it read the second.
    last = seen[0].id
    with watch(lab, session, Last_Event_ID=last) as events:
        again = events.next_message()
        assert again.uri == seen[1].uri
        assert events.poll(0.3) is None
    with watch(lab, session, Last_Event_ID=again.id) as events:
        events.next()
        assert events.poll(0.3) is None


def test_resuming_a_stream_ends_the_old_connection(lab: Lab) -> None:
    session = open_session(lab, "sms://inbox")
    with watch(lab, session) as dead:
        receive(lab, "first")
        last = dead.next_message().id
        with watch(lab, session, Last_Event_ID=last) as events:
            dead.wait_end()
            assert dead.ended
            receive(lab, "second")
            event = events.next_message()
            assert event.uri == "sms://inbox"
            assert event.id.split("-")[0] == last.split("-")[0]


@pytest.mark.parametrize("end", ["stop", "kill"])
def test_a_subscription_survives_a_restart(
        make_lab: Callable[..., Lab], end: str) -> None:
    lab = make_lab()
    session = open_session(lab, "sms://inbox")
    with watch(lab, session) as events:
        last = events.next().id
        getattr(lab.gateway, end)()
        events.wait_end()
        assert events.ended == (end == "stop")
    lab.gateway.start()
    with watch(lab, session, Last_Event_ID=last) as events:
        assert events.next_message().uri == "sms://inbox"   # it may have changed
        wait_until(lambda: lab.client().tool("get_sms_subscriptions")[
            "structuredContent"]["count"] == 2, what="the SIMs are known")
        receive(lab, "after the restart")
        assert events.next_message().uri == "sms://inbox"
