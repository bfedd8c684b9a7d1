# SPDX-License-Identifier: GPL-2.0-or-later
"""Streams: subscriptions/listen, progress, and peers that are slow, numerous or gone."""

from __future__ import annotations

import os
import time
from collections.abc import Callable
from concurrent.futures import ThreadPoolExecutor
from contextlib import ExitStack
from typing import Any

import pytest

from agent import TO, Agent
from events import Event, Events
from incoming import SENDER, newest, receive
from lab import Lab, wait_until
from lone_gateway import LoneGateway
from modem.patience import patience
from modern import Request
from wire import Wire, request, rpc

TRANSPORTS = ["http", "https"]
PREFIX = "io.modelcontextprotocol/"
INBOX = {"resourceSubscriptions": ["sms://inbox"]}
WATCHED = "GATEWAY_WRAPPER" in os.environ   # valgrind adds memory and time of its own
IDLE_KIB = 100 if WATCHED else 16   # of one stream; most is libmicrohttpd's
SUBSCRIPTION_ID = PREFIX + "subscriptionId"


def listen(port: int, filter: Any, id: Any = 5, **more: Any) -> Events:
    asked = Request("subscriptions/listen", {"notifications": filter}, id)
    headers = {name.replace("-", "_"): value for name, value in asked.headers.items()}
    return Events(port, asked.body, **{**headers, **more})


def acknowledged(events: Events, id: Any = 5) -> dict[str, Any]:
    """The accepted subscriptions; this event comes first."""
    event = events.next()
    assert event.method == "notifications/subscriptions/acknowledged"
    params = event.message["params"]
    assert params["_meta"] == {SUBSCRIPTION_ID: id}
    return params["notifications"]


def result(event: Event, id: Any = 5) -> dict[str, Any]:
    assert event.message["id"] == id
    answer = event.message["result"]
    assert answer["resultType"] == "complete"
    assert answer["_meta"][SUBSCRIPTION_ID] == id
    return answer


# ---- subscriptions/listen

def test_a_stream_begins_with_its_acknowledgement(gateway: LoneGateway) -> None:
    with listen(gateway.port, INBOX | {"toolsListChanged": True}) as events:
        assert events.status == 200
        assert events.headers["content-type"] == "text/event-stream"
        assert events.headers["cache-control"] == "no-cache, no-transform"
        assert events.headers["x-accel-buffering"] == "no"
        assert "mcp-session-id" not in events.headers
        assert acknowledged(events) == INBOX | {"toolsListChanged": True}


@pytest.mark.parametrize("id", [0, -1, 7, "", "7", "ü", 12345678901234567890123])
def test_the_subscription_id_keeps_its_type(gateway: LoneGateway, id: Any) -> None:
    with listen(gateway.port, INBOX, id) as events:
        acknowledged(events, id)


@pytest.mark.parametrize("filter, honoured", [
    ({"resourceSubscriptions": ["sms://inbox", "sms://nothing", "nothing", "sms://inbox"]},
     INBOX),
    (INBOX | {"toolsListChanged": False}, INBOX),
    (INBOX | {"promptsListChanged": True, "resourcesListChanged": True}, INBOX),
    (INBOX | {"unknown": {"to": "us"}}, INBOX),
    ({"resourceSubscriptions": [f"sms://conversation/{n:05}" for n in range(100)]},
     {"resourceSubscriptions": [f"sms://conversation/{n:05}" for n in range(64)]}),
])
def test_only_supported_notifications_are_honoured(
        gateway: LoneGateway, filter: Any, honoured: Any) -> None:
    with listen(gateway.port, filter) as events:
        assert acknowledged(events) == honoured


@pytest.mark.parametrize("filter", [
    {}, {"resourceSubscriptions": []}, {"promptsListChanged": True},
    {"resourceSubscriptions": ["sms://nothing"]},
])
def test_a_stream_with_nothing_honoured_ends_at_once(gateway: LoneGateway, filter: Any) -> None:
    with listen(gateway.port, filter) as events:
        assert acknowledged(events) == {}
        result(events.next())
        events.wait_end()
        assert events.ended


@pytest.mark.parametrize("filter", [
    None, [], "sms://inbox", 7, {"resourceSubscriptions": "sms://inbox"},
    {"resourceSubscriptions": [7]}, {"toolsListChanged": "yes"},
])
def test_a_malformed_filter_is_refused(gateway: LoneGateway, filter: Any) -> None:
    asked = Request("subscriptions/listen", {"notifications": filter})
    assert asked.ask(gateway.port).error == (200, -32602)
    assert Request("subscriptions/listen").ask(gateway.port).error == (200, -32602)


def test_listening_without_accepting_a_stream_is_refused(gateway: LoneGateway) -> None:
    asked = Request("subscriptions/listen", {"notifications": INBOX})
    refused = asked.header(Accept="application/json").ask(gateway.port)
    assert refused.error == (400, -32600)


def test_an_incoming_message_notifies_every_listener(lab: Lab) -> None:
    port = lab.gateway.port
    with listen(port, INBOX, "a") as one, listen(port, INBOX, 7) as other, \
            listen(port, {"toolsListChanged": True}) as quiet:
        acknowledged(one, "a"), acknowledged(other, 7), acknowledged(quiet)
        receive(lab, "to all")
        for events, id in ((one, "a"), (other, 7)):
            event = events.next()
            assert event.uri == "sms://inbox"
            assert event.message["params"] == {
                "_meta": {SUBSCRIPTION_ID: id}, "uri": "sms://inbox"}
            assert event.id is None
        assert quiet.poll(0.3) is None


def test_no_update_is_lost_after_the_acknowledgement(lab: Lab) -> None:
    """Each later message is notified, or is readable with the notification before."""
    with ThreadPoolExecutor() as background:
        before = newest(lab)
        sender = background.submit(lambda: [lab.modems[0].deliver(SENDER, f"quick {n}")
                                            for n in range(10)])
        with listen(lab.gateway.port, INBOX) as events:
            acknowledged(events)
            seen = newest(lab)
            while seen < before + 10:
                events.next()
                seen = newest(lab)
        sender.result()


def test_a_sim_that_changes_state_notifies_listeners(lab: Lab, agent: Agent) -> None:
    filter = {"resourceSubscriptions": ["sms://subscriptions"]}
    with listen(lab.gateway.port, filter) as events:
        acknowledged(events)
        lab.radios[0].online(False)
        assert events.next().uri == "sms://subscriptions"
        assert agent.states() == ["offline", "ready"]
        lab.radios[0].online(True)
        while agent.states() != ["ready", "ready"]:
            assert events.next().uri == "sms://subscriptions"


def test_stopping_ends_a_stream_with_its_result(make_lab: Callable[..., Lab]) -> None:
    lab = make_lab()
    with listen(lab.gateway.port, INBOX, "last") as events:
        acknowledged(events, "last")
        begin = time.monotonic()
        assert lab.gateway.stop() == 0
        assert time.monotonic() - begin < patience(1.5)
        result(events.next(), "last")
        events.wait_end()
        assert events.ended


def test_a_disconnected_listener_is_noticed(gateway: LoneGateway) -> None:
    for leave in ("close", "reset"):
        with listen(gateway.port, INBOX) as events:
            acknowledged(events)
            wait_until(lambda: len(gateway.peers) == 1, what="those of before are gone")
            if leave == "reset":
                Wire.reset(events)              # type: ignore[arg-type]
        wait_until(lambda: not gateway.peers, what="the connection is gone")


# ---- progress

TOKENS = [1, 0, "", "t", -5, 12345678901234567890]


def waiting_send(lab: Lab, token: Any, legacy: bool, text: str, **headers: Any) -> Events:
    [sim, *_] = Agent(lab).ids()
    arguments = {"to_phone_number": TO, "sms_text": text, "subscription_id": sim}
    params: dict[str, Any] = {"name": "send_sms", "arguments": arguments}
    meta = {} if token is None else {"progressToken": token}
    if legacy:
        return Events(lab.gateway.port, rpc("tools/call", params | {"_meta": meta}),
                      **headers)
    asked = Request("tools/call", params)
    asked.meta_members.update(meta)
    named = {name.replace("-", "_"): value for name, value in asked.headers.items()}
    return Events(lab.gateway.port, asked.body, **{**named, **headers})


@pytest.mark.parametrize("legacy", [True, False])
@pytest.mark.parametrize("token", TOKENS)
def test_a_send_reports_its_progress(lab: Lab, token: Any, legacy: bool) -> None:
    with waiting_send(lab, token, legacy, f"progress {token!r} {legacy}") as events:
        assert events.headers["content-type"] == "text/event-stream"
        *steps, answer = events.wait_end()
        assert events.ended
    assert {step.method for step in steps} == {"notifications/progress"}
    told = [step.message["params"] for step in steps]
    assert all(step["progressToken"] == token for step in told)
    assert [step["progress"] for step in told] == [*range(1, len(told) + 1)]
    words = [step["message"].rpartition(": ")[2] for step in told]
    assert words == ["queued", "submitting", "submitted", "sent"]
    assert answer.message["id"] == 1
    assert answer.message["result"]["structuredContent"]["state"] == "sent"
    assert all(step.id is None for step in steps)


@pytest.mark.parametrize("token", [None, 1.5, True, [1], {}])
@pytest.mark.parametrize("legacy", [True, False])
def test_a_call_without_a_valid_token_gets_a_plain_answer(lab: Lab, token: Any, legacy: bool) -> None:
    with waiting_send(lab, token, legacy, f"plain {token!r} {legacy}") as events:
        assert events.headers["content-type"] == "application/json"


def test_a_call_that_accepts_only_json_gets_a_plain_answer(lab: Lab) -> None:
    with waiting_send(lab, 1, True, "no stream", Accept="application/json") as events:
        assert events.headers["content-type"] == "application/json"


def test_a_quick_call_gets_a_plain_answer(gateway: LoneGateway) -> None:
    body = rpc("tools/call", {"name": "list_sms", "_meta": {"progressToken": 1}})
    with Events(gateway.port, body) as events:
        assert events.headers["content-type"] == "application/json"


def test_the_connection_stays_open_after_a_stream(lab: Lab) -> None:
    with waiting_send(lab, 1, True, "then another") as events:
        events.wait_end()
        events.socket.sendall(request(rpc("ping")))
        answer = b""
        while b'"result":{}' not in answer:         # in two pieces under TLS
            piece = events.socket.recv(4096)
            assert piece, answer
            answer += piece


def test_a_wait_reports_its_progress(lab: Lab) -> None:
    body = rpc("tools/call", {
        "name": "wait_for_sms", "arguments": {"contains": "fits", "timeout_seconds": 60},
        "_meta": {"progressToken": "w"}})
    with Events(lab.gateway.port, body) as events:
        assert "waiting" in events.next().message["params"]["message"]
        lab.modems[0].deliver(SENDER, "another")
        assert "does not match" in events.next().message["params"]["message"]
        lab.modems[0].deliver(SENDER, "this one fits")
        answer = events.next().message["result"]["structuredContent"]
        assert answer["message"]["text"] == "this one fits"


def test_stopping_answers_a_streamed_call(make_lab: Callable[..., Lab]) -> None:
    lab = make_lab()
    lab.modems[0].send_latency_s = 30
    with waiting_send(lab, 1, True, "never sent") as events:
        while "submitted" not in events.next().message["params"]["message"]:
            pass
        lab.gateway.stop()
        *_, answer = events.wait_end()
        assert events.ended
        assert answer.message["result"]["structuredContent"]["state"] == "submitted"


# ---- many, slow and gone

def test_streams_leave_room_for_requests() -> None:
    with LoneGateway(max_connections=8) as gateway, ExitStack() as open_streams:
        for _ in range(6):
            acknowledged(open_streams.enter_context(listen(gateway.port, INBOX)))
        asked = Request("subscriptions/listen", {"notifications": INBOX})
        assert asked.ask(gateway.port).error == (200, -32603)
        with Events(gateway.port) as events:
            assert events.status == 503
        gateway.assert_serves()


def test_an_idle_stream_uses_little_memory() -> None:
    with LoneGateway(max_connections=1000, max_connections_per_address=1000) as gateway, \
            ExitStack() as open_streams:
        def open_more(count: int) -> None:
            for _ in range(count):
                acknowledged(open_streams.enter_context(listen(gateway.port, INBOX)))
        open_more(50)
        before = gateway.rss_kib
        open_more(500)
        each = (gateway.rss_kib - before) / 500
        print(f"{each:.1f} KiB for each idle stream")
        assert each < IDLE_KIB
