# SPDX-License-Identifier: GPL-2.0-or-later
"""Answers of POSTs that are streams: a client can resume one after its connection was lost.

Only in 2025-11-25, and only in the session that made the call.
"""

from __future__ import annotations

import os
from collections.abc import Callable, Iterator
from concurrent.futures import ThreadPoolExecutor
from contextlib import ExitStack
from typing import Any

import pytest

from agent import pair
from events import Event, Events
from fixture_gateway import FixtureGateway
from lab import Lab, wait_until
from lab.mcp_client import McpClient
from legacy_session import LegacySession, asked
from lone_gateway import LoneGateway

ASKING = "test_streaming_elicitation"       # answers when the user has, however long that takes
OK = {"action": "accept", "content": {"ok": True}}
PER_SESSION = 8
# valgrind retains 20 MB of freed memory
MEMORY_MORE_KIB = 32 * 1024 if "GATEWAY_WRAPPER" in os.environ else 512


@pytest.fixture(scope="module")
def gateway() -> Iterator[FixtureGateway]:
    with FixtureGateway() as gateway:
        yield gateway


@pytest.fixture
def session(gateway: FixtureGateway) -> LegacySession:
    return LegacySession(gateway)


def number_of(event: Event) -> int:
    assert event.id is not None, event
    return int(event.id.rpartition("-")[2])


def stream_of(event: Event) -> str:
    assert event.id is not None, event
    return event.id.rpartition("-")[0]


def primed(events: Events) -> Event:
    """The first event: where to resume, and when to reconnect."""
    first = events.next()
    assert set(first.fields) == {"id", "retry", "data"} and first.fields["data"] == ""
    assert int(first.fields["retry"]) > 0
    return first


def text_of(event: Event, id: Any = 7) -> str:
    assert event.message["id"] == id, event
    return event.message["result"]["content"][0]["text"]


def lose(gateway: LoneGateway, events: Events) -> None:
    """Closes its connection and waits until the gateway knows."""
    port = events.socket.getsockname()[1]
    events.socket.close()
    wait_until(lambda: port not in gateway.peers, what="the connection is gone")


def ask_and_lose(gateway: LoneGateway, session: LegacySession,
                 id: Any = 7) -> tuple[Event, Event]:
    """A call that waits for its user, without a connection; returns its first event and the
    question."""
    events = session.call(ASKING, id=id)
    first, question = primed(events), asked(events)
    lose(gateway, events)
    return first, question


# ---- ids ---------------------------------------------------------------------------

def test_every_event_has_an_id(session: LegacySession) -> None:
    with session.call("test_tool_with_progress", token=1) as events:
        got = [primed(events), *events.wait_end()]
        assert events.ended
    assert len({stream_of(event) for event in got}) == 1
    assert [number_of(event) for event in got] == [0, 1, 2, 3, 4]
    assert [event.method for event in got[1:4]] == ["notifications/progress"] * 3
    assert text_of(got[-1]) == "It is done."


def test_each_stream_has_its_own_id(session: LegacySession) -> None:
    with ExitStack() as stack:
        calls = [stack.enter_context(session.call("test_tool_with_progress", id=n, token=n))
                 for n in range(3)]
        calls.append(stack.enter_context(session.listen()))
        assert len({stream_of(primed(events)) for events in calls}) == 4


@pytest.mark.parametrize("version", ["2025-06-18", "2025-03-26"])
def test_events_have_no_id_in_older_revisions(gateway: FixtureGateway, version: str) -> None:
    older = LegacySession(gateway, version)
    with older.call("test_tool_with_progress", token=1) as events:
        got = events.wait_end()
    assert all(event.id is None and event.fields["data"] for event in got)
    assert text_of(got[-1]) == "It is done."


# ---- reading on --------------------------------------------------------------------

def test_a_lost_stream_resumes_after_the_last_event(gateway: FixtureGateway, session: LegacySession) -> None:
    _, question = ask_and_lose(gateway, session)
    with session.listen(question.id) as events:
        assert primed(events).id == question.id
        assert events.poll(0.3) is None
        session.answer(question, OK)
        last = events.next()
        assert text_of(last) == "state-ok" and number_of(last) == 2
        assert events.wait_end() == [] and events.ended


def test_an_answer_to_a_lost_stream_is_kept(
        gateway: FixtureGateway, session: LegacySession) -> None:
    first, question = ask_and_lose(gateway, session)
    session.answer(question, OK)
    for _ in range(2):                              # even if that is lost again
        with session.listen(question.id) as events:
            primed(events)
            assert text_of(events.next()) == "state-ok"
            assert events.wait_end() == [] and events.ended
    with session.listen(first.id) as events:        # all of it
        primed(events)
        assert events.next().message == question.message
        assert text_of(events.next()) == "state-ok"
        events.wait_end()


def test_resuming_a_stream_ends_its_previous_connection(gateway: FixtureGateway, session: LegacySession) -> None:
    events = session.call(ASKING)
    first, question = primed(events), asked(events)
    with events, session.listen(first.id) as second:    # the first one is as good as dead
        assert events.wait_end() == [] and events.ended
        primed(second), asked(second)
        with session.listen(question.id) as third:
            assert second.wait_end() == [] and second.ended
            primed(third)
            session.answer(question, OK)
            assert text_of(third.next()) == "state-ok"


def test_a_stream_closed_by_the_server_resumes(session: LegacySession) -> None:
    with session.call("test_reconnection") as events:
        first = primed(events)
        assert events.wait_end() == [] and events.ended
    with session.listen(first.id) as events:
        primed(events)
        assert text_of(events.next()) == "Welcome back."


def test_the_server_keeps_streams_of_older_clients_open(gateway: FixtureGateway) -> None:
    with LegacySession(gateway, "2025-06-18").call("test_reconnection") as events:
        [last] = events.wait_end()
        assert text_of(last) == "Welcome back."


# ---- whose it is -------------------------------------------------------------------

def test_another_session_cannot_resume_the_stream(
        gateway: FixtureGateway, session: LegacySession) -> None:
    first, question = ask_and_lose(gateway, session)
    stranger = LegacySession(gateway)
    with stranger.listen(first.id) as events:
        primed(events)
        session.answer(question, OK)
        assert events.poll(0.5) is None and not events.ended
    with session.listen(question.id) as events:
        primed(events)
        assert text_of(events.next()) == "state-ok"


def test_resuming_needs_the_session_and_its_token() -> None:
    with FixtureGateway(open=False) as gateway:
        mine, other = (pair(gateway, name) for name in ("mine", "other"))
        session = LegacySession(gateway, token=mine)
        first, question = ask_and_lose(gateway, session)
        session.answer(question, OK)
        session_id = session.headers["Mcp_Session_Id"]
        session.headers["Mcp_Session_Id"] = None
        with session.listen(first.id) as events:
            assert events.poll(0.3) is None and not events.ended
        stranger = LegacySession(gateway, token=other)
        stranger.headers["Mcp_Session_Id"] = session_id
        with stranger.listen(first.id) as events:
            assert events.status == 404
        session.headers["Mcp_Session_Id"] = session_id
        with session.listen(question.id) as events:
            primed(events)
            assert text_of(events.next()) == "state-ok"


@pytest.mark.parametrize("id", [
    "", "x", "-", "0000000000000000-0", "ffffffffffffffff-1", "0" * 100])
def test_unknown_event_ids_open_a_plain_stream(session: LegacySession, id: str) -> None:
    with session.listen(id) as events:
        primed(events)
        assert events.poll(0.2) is None and not events.ended


def test_an_event_id_beyond_the_end_resumes_with_nothing(gateway: FixtureGateway, session: LegacySession) -> None:
    first, question = ask_and_lose(gateway, session)
    session.answer(question, OK)
    with session.listen(f"{stream_of(first)}-99") as events:
        primed(events)
        assert events.wait_end() == [] and events.ended


def test_list_changes_do_not_appear_on_a_call_stream(session: LegacySession) -> None:
    """The stream of a call carries only what belongs to the call."""
    with session.listen() as changes, session.call(ASKING) as events:
        primed(changes), primed(events), asked(events)
        for _ in range(2):
            with session.call("test_trigger_tool_change", id=8):
                pass
            assert changes.next().method == "notifications/tools/list_changed"
        assert events.poll(0.2) is None


# ---- the end -----------------------------------------------------------------------

def test_a_lost_call_can_be_cancelled(
        gateway: FixtureGateway, session: LegacySession) -> None:
    first, question = ask_and_lose(gateway, session)
    session.say({"method": "notifications/cancelled", "params": {"requestId": 7}})
    session.answer(question, OK)
    with session.listen(first.id) as events:
        primed(events)
        assert [event.method for event in events.wait_end()] == ["elicitation/create"]


def test_ending_a_session_ends_its_streams(gateway: FixtureGateway, session: LegacySession) -> None:
    """Everything that could be resumed ends with it, whether a client reads it or not."""
    _, lost = ask_and_lose(gateway, session, 1)
    _, read = ask_and_lose(gateway, session, 2)
    with session.call(ASKING, id=3) as events, session.listen(read.id) as other:
        primed(events), asked(events), primed(other)
        with McpClient(gateway.port) as client:
            ended = client.request("DELETE", "/mcp", None, {
                "Mcp-Session-Id": session.headers["Mcp_Session_Id"]})
            assert ended.status == 204
        assert events.wait_end() == [] and other.wait_end() == []
    with session.listen(lost.id) as events:
        assert events.status == 404


def test_the_number_of_resumable_streams_is_limited(gateway: FixtureGateway, session: LegacySession) -> None:
    """One more has no event IDs; it works as long as its connection."""
    lost = [ask_and_lose(gateway, session, id) for id in range(PER_SESSION)]
    with session.call(ASKING, id=99) as events:
        question = events.next()
        assert question.method == "elicitation/create" and question.id is None
        session.answer(question, OK)
        assert text_of(events.next(), 99) == "state-ok"
    for _, question in lost:
        session.answer(question, OK)
    with session.call(ASKING, id=100) as events:        # one that ended made room
        primed(events)
        session.answer(asked(events), OK)
        assert text_of(events.next(), 100) == "state-ok"


def test_stopping_ends_resumed_streams_with_an_error(background: ThreadPoolExecutor) -> None:
    with FixtureGateway() as gateway:
        session = LegacySession(gateway)
        ask_and_lose(gateway, session, 1)               # nobody reads that one
        _, question = ask_and_lose(gateway, session, 2)
        with session.listen(question.id) as events:
            primed(events)
            stopped = background.submit(gateway.stop)
            last = events.next()
            assert last.message["id"] == 2 and "error" in last.message
            events.wait_end()
            assert stopped.result() == 0
        gateway.start()
        with session.listen(question.id) as events:     # of an earlier process
            assert not primed(events).id == question.id
            assert events.poll(0.2) is None


def test_ended_sessions_free_the_memory_of_lost_calls(gateway: FixtureGateway) -> None:
    """Lost calls of ended sessions use no memory."""
    def lose_some(count: int) -> None:
        for _ in range(count):
            session = LegacySession(gateway)
            ask_and_lose(gateway, session)
            with McpClient(gateway.port) as client:
                client.request("DELETE", "/mcp", None, {
                    "Mcp-Session-Id": session.headers["Mcp_Session_Id"]})
    lose_some(20)
    before = gateway.rss_kib
    lose_some(100)
    assert gateway.rss_kib - before < MEMORY_MORE_KIB


# ---- with a phone ------------------------------------------------------------------

def test_a_lost_send_resumes_and_sends_once(make_lab: Callable[..., Lab]) -> None:
    """The connection is lost while oFono has the message; the resumed stream brings the
    outcome."""
    lab = make_lab(modem_count=1)
    lab.modems[0].send_latency_s = 1
    session = LegacySession(lab.gateway)
    arguments = {"to_phone_number": "+36201234567", "sms_text": "once"}
    with session.call("send_sms", arguments, token=1) as events:
        primed(events)
        while "submitted" not in (last := events.next()).message["params"]["message"]:
            pass
    with session.listen(last.id) as events:
        *_, answer = events.wait_end()
    assert answer.message["result"]["structuredContent"]["state"] == "sent"
    assert [taken.text for taken in lab.modems[0].taken] == ["once"]
