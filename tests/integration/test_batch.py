# SPDX-License-Identifier: GPL-2.0-or-later
"""Batches, which only 2025-03-26 has: each request in one has a life of its own."""

from __future__ import annotations

import json
from concurrent.futures import ThreadPoolExecutor
from contextlib import ExitStack
from typing import Any

import pytest

from agent import TO, Agent
from journal import Journal
from lab import Lab
from lone_gateway import LoneGateway
from modem.patience import patience
from modem import Outcome
from wire import ABSENT, Number, Reply, Wire, request, rpc

MESSAGES_MAX = 100
MANY = 16                       # batches at once; 30 exceed the memory of all requests
STOPS_MOST = 9                  # of one gateway
MEMORY = 8 * 1024 * 1024        # of all requests
FULL_BATCHES = 10               # with what else they hold, nine and a half fill it: however
                                # fast they come, one starts that has no room for its answers
NOTE = rpc("notifications/cancelled", {"requestId": 5}, id=ABSENT)
RESPONSE = b'{"jsonrpc":"2.0","id":"r","result":{}}'


def batch(*messages: bytes) -> bytes:
    return b"[" + b",".join(messages) + b"]"


def post(port: int, *messages: bytes) -> Reply:
    with Wire(port, timeout=60) as wire:
        return wire.ask(request(batch(*messages)))


def send(text: str, sim: int, id: Any, **more: Any) -> bytes:
    return rpc("tools/call", {"name": "send_sms", "arguments": {
        "to_phone_number": TO, "sms_text": text, "subscription_id": sim} | more}, id)


def long_batch(sim: int) -> bytes:
    """Complete requests with short answers that take long."""
    return request(batch(*(send("x", sim, i, dry_run=True) for i in range(MESSAGES_MAX))))


def by_id(reply: Reply) -> dict[Any, Any]:
    assert reply.status == 200, reply
    return {answer["id"]: answer for answer in json.loads(reply.body)}


@pytest.mark.parametrize("count", [1, 2, MESSAGES_MAX])
def test_answers_have_the_order_of_their_requests(gateway: LoneGateway, count: int) -> None:
    answers = post(gateway.port, *(rpc("ping", id=i) for i in range(count))).json
    assert [answer["id"] for answer in answers] == [Number(i) for i in range(count)]


@pytest.mark.parametrize("count", [0, MESSAGES_MAX + 1, 400])
def test_empty_and_oversized_batches_are_refused(gateway: LoneGateway, count: int) -> None:
    reply = post(gateway.port, *(NOTE for _ in range(count)))
    assert reply.error == (400, -32600) and "id" not in reply.json


def test_only_requests_are_answered(gateway: LoneGateway) -> None:
    answers = post(gateway.port, NOTE, rpc("ping", id="a"), RESPONSE,
                   rpc("tools/list", [1], id="b"), rpc("nope", id="c"), NOTE).json
    assert [answer["id"] for answer in answers] == ["a", "b", "c"]
    assert [answer.get("error", {}).get("code") for answer in answers] == [
        None, "-32602", "-32601"]


@pytest.mark.parametrize("messages", [[NOTE], [NOTE, RESPONSE], [RESPONSE] * 100])
def test_a_batch_without_requests_returns_202(gateway: LoneGateway, messages: list[bytes]) -> None:
    reply = post(gateway.port, *messages)
    assert (reply.status, reply.body) == (202, b"")


@pytest.mark.parametrize("bad", [
    b"1", b"null", b'"ping"', b"[]", b"{}", batch(rpc("ping")),
    rpc("ping", id=None), rpc("ping", id=1.5), b'{"jsonrpc":"2.0","id":1}',
    b'{"jsonrpc":"1.0","id":1,"method":"ping"}',
    rpc("initialize", {"protocolVersion": "2025-03-26"})])
@pytest.mark.parametrize("place", [0, 1, 2])
def test_one_invalid_message_refuses_the_whole_batch(lab: Lab, bad: bytes, place: int) -> None:
    """None of it has happened then."""
    messages = [send("spoiled", Agent(lab).ids()[0], 1), rpc("ping", id=2)]
    messages.insert(place, bad)
    assert post(lab.gateway.port, *messages).error == (400, -32600)
    assert Journal(lab).states("spoiled") == [""]


def test_requests_with_the_same_id_are_both_answered(gateway: LoneGateway) -> None:
    answers = post(gateway.port, rpc("ping", id=7), rpc("nope", id=7)).json
    assert [set(answer) - {"jsonrpc", "id"} for answer in answers] == [
        {"result"}, {"error"}]


def test_a_batch_stops_when_its_answers_get_too_long(gateway: LoneGateway) -> None:
    """Calls that did not run say so; the answers of those that ran are complete."""
    size = len(gateway.post(rpc("tools/list")).body)
    answers = post(gateway.port, *(rpc("tools/list", id=i) for i in range(100))).json
    results = ["result" in answer for answer in answers]
    assert len(results) == 100 and results == sorted(results, reverse=True)
    assert results.count(True) * size < 2 * 1024 * 1024
    for answer in answers[results.count(True):]:
        assert "not run" in answer["error"]["message"]


def test_one_batch_sends_two_messages(lab: Lab, journal: Journal) -> None:
    sim = Agent(lab).ids()[0]
    answers = by_id(post(lab.gateway.port, send("first of two", sim, 1), rpc("ping", id=2),
                         send("second of two", sim, 3)))
    assert list(answers) == [1, 2, 3]
    for id in (1, 3):
        assert answers[id]["result"]["structuredContent"]["state"] == "sent"
    assert [submit.text for submit in lab.modems[0].wait_taken(2)] == [
        "first of two", "second of two"]


def test_each_call_in_a_batch_has_its_own_timeout(
        lab: Lab, journal: Journal, background: ThreadPoolExecutor) -> None:
    """The second call ends by its own timeout, the batch by the first."""
    modem, sim = lab.modems[0], Agent(lab).ids()[0]
    modem.plan(Outcome.hang())
    waiting = background.submit(
        post, lab.gateway.port, send("patient", sim, 1),
        send("impatient", sim, 2, wait_seconds=0), send("none", sim, 3, wait_for="none"))
    try:
        modem.wait_offered(1)
        journal.wait_state("none", "queued")
        assert not waiting.done()
    finally:
        modem.unhang(Outcome.ok())
    answers = by_id(waiting.result())
    states = [answers[id]["result"]["structuredContent"]["state"] for id in (1, 2, 3)]
    assert states == ["sent", "queued", "queued"]


def test_a_batch_is_sent_though_its_client_disconnects(lab: Lab, journal: Journal) -> None:
    modem, sim = lab.modems[0], Agent(lab).ids()[0]
    modem.plan(Outcome.hang())
    try:
        with Wire(lab.gateway.port) as wire:
            wire.send(request(batch(*(send(f"left {i}", sim, i) for i in range(3)))))
            modem.wait_offered(1)
            journal.wait_state("left 2", "queued")
    finally:
        modem.unhang(Outcome.ok())
    for i in range(3):
        journal.wait_state(f"left {i}", "sent")


def test_a_waiting_batch_is_answered_when_the_gateway_stops(
        make_lab: Any, background: ThreadPoolExecutor) -> None:
    lab = make_lab()
    sim = Agent(lab).ids()[0]
    lab.modems[0].plan(Outcome.hang())
    waiting = background.submit(post, lab.gateway.port, send("one", sim, 1),
                                send("two", sim, 2), rpc("ping", id=3))
    Journal(lab).wait_state("one", "submitted")
    Journal(lab).wait_state("two", "queued")
    lab.gateway.stop()
    answers = by_id(waiting.result())
    states = [answers[id]["result"]["structuredContent"]["state"] for id in (1, 2)]
    assert states == ["submitted", "queued"] and answers[3]["result"] == {}


def stopped_with_batches_at_work(lab: Any) -> list[str]:
    """Why messages were not run. Each batch is answered completely, or was refused: then there
    is no answer, or one error about lack of room."""
    data = long_batch(Agent(lab).ids()[0])
    with ExitStack() as stack:
        busy = [stack.enter_context(Wire(lab.gateway.port)) for _ in range(MANY)]
        for wire in busy:
            wire.send(data)
        assert post(lab.gateway.port, rpc("ping")).status == 200
        lab.gateway.stop()
        bodies = [wire.wait_closed().partition(b"\r\n\r\n")[2] for wire in busy]
    answers = [json.loads(body) for body in bodies if body]
    assert all("error" in answer for answer in answers if isinstance(answer, dict))
    answers = [batch for batch in answers if isinstance(batch, list)]
    assert {len(batch) for batch in answers} <= {MESSAGES_MAX}
    return [answer["error"]["message"] for batch in answers for answer in batch
            if "error" in answer]


def test_a_running_batch_is_answered_when_the_gateway_stops(make_lab: Any) -> None:
    """Calls that did not run say so; if all of them ran before the stop, all are answered."""
    lab = make_lab()
    flaws = stopped_with_batches_at_work(lab)
    for _ in range(STOPS_MOST):
        if flaws:
            break
        lab.gateway.start()
        flaws = stopped_with_batches_at_work(lab)
    assert flaws
    assert not {flaw for flaw in flaws if "the gateway is stopping" not in flaw}


def test_waiting_batch_answers_share_bounded_memory(
        gateway: LoneGateway, background: ThreadPoolExecutor) -> None:
    """All batches share one limit; calls without room do not run, and other clients are
    served."""
    size = len(gateway.post(rpc("tools/list")).body)
    lists = [rpc("tools/list", id=i) for i in range(MEMORY // FULL_BATCHES // size)]
    waits = rpc("tools/call", {"name": "wait_for_sms", "arguments": {
        "timeout_seconds": int(patience(5))}}, id="wait")   # until all have called
    replies = list(background.map(lambda _: post(gateway.port, *lists, waits), range(16)))
    answers = [answer for reply in replies if reply.status == 200 for answer in reply.json]
    flaws = {answer["error"]["message"] for answer in answers if "error" in answer}
    flaws |= {reply.body.decode() for reply in replies if reply.status == 503}  # not started
    assert any("memory for answers is full" in flaw for flaw in flaws), flaws
    gateway.assert_serves()
