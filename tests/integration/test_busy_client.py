# SPDX-License-Identifier: GPL-2.0-or-later
"""One client with as many waiting calls, streams and connections as it can get shuts out no
other client of the same address, such as 127.0.0.1, where all tunnels and proxies end."""

from __future__ import annotations

import itertools
import json
from collections.abc import Callable, Iterator
from contextlib import ExitStack
from typing import Any

import pytest

from agent import TO, Agent, assert_sent, pair
from events import Events
from lab import Lab, wait_until
from lone_gateway import LoneGateway, has_read_all, peers_of
from modern import call
from wire import Reply, Wire, request, rpc

WAITS = 16                              # of one client
CALLS = 160                             # more than an address has places
PLACES = 8                              # of a narrow gateway
HOGS = itertools.count()
WAIT = {"timeout_seconds": 120}


def legacy(token: str, tool: str, **arguments: Any) -> bytes:
    return request(rpc("tools/call", {"name": tool, "arguments": arguments}),
                   {"Authorization": f"Bearer {token}"})


def modern(token: str, tool: str, **arguments: Any) -> bytes:
    return call(tool, arguments).header(Authorization=f"Bearer {token}").octets


FAMILIES = pytest.mark.parametrize("ask", [legacy, modern])
Ask = Callable[..., bytes]


def error_of(reply: Reply) -> dict[str, Any]:
    assert reply.result["isError"], reply
    return json.loads(reply.result["content"][-1]["text"])


@pytest.fixture(scope="module", params=["http", "https"])
def shared(request: pytest.FixtureRequest) -> Iterator[Lab]:
    with Lab(modem_count=1, gateway=True, gateway_open=False,
             tls=request.param == "https") as lab:
        lab.other = pair(lab.gateway, "other")
        wait_until(lambda: len(Agent(lab, lab.other).sims()) == 1,
                   what="the SIM is known")
        yield lab


@pytest.fixture(params=["http", "https"])
def narrow(request: pytest.FixtureRequest) -> Iterator[LoneGateway]:
    with LoneGateway(open=False, tls=request.param == "https",
                     max_connections_per_address=PLACES) as gateway:
        yield gateway


@pytest.fixture
def hog(shared: Lab) -> str:
    """A client of this test alone: the gateway may still hold calls of an earlier one."""
    return pair(shared.gateway, f"hog {next(HOGS)}")


def waiting(gateway: Any, octets: bytes, count: int, clients: ExitStack) -> list[Wire]:
    """Connections that have sent this, one after the other."""
    wires = []
    for _ in range(count):
        wires.append(clients.enter_context(Wire(gateway.port)))
        wires[-1].send(octets)
    return wires


def wait_until_read(gateway: Any, wires: list[Wire]) -> None:
    """What others send from now on comes after all that these have sent."""
    ports = {wire.port for wire in wires}
    wait_until(lambda: ports <= peers_of(gateway) and has_read_all(gateway),
               what="the gateway has read all calls")


@FAMILIES
def test_waiting_calls_of_one_client_shut_out_no_other(
        shared: Lab, hog: str, ask: Ask) -> None:
    other = Agent(shared, shared.other)
    with ExitStack() as clients:
        waiting(shared.gateway, ask(hog, "wait_for_sms", **WAIT), CALLS, clients)
        for number in range(10):
            assert not other.call("list_sms").is_error
            assert_sent(other.send(f"message {number}", wait_for="sent", wait_seconds=60))
        with Wire(shared.gateway.port) as wire:
            assert not wire.ask(ask(shared.other, "get_gateway_status")) \
                .result.get("isError")


@FAMILIES
def test_a_client_may_have_only_so_many_waiting_calls(
        shared: Lab, hog: str, ask: Ask) -> None:
    with ExitStack() as clients:
        wait = ask(hog, "wait_for_sms", **WAIT)
        kept = waiting(shared.gateway, wait, WAITS, clients)
        wait_until_read(shared.gateway, kept)
        late = clients.enter_context(Wire(shared.gateway.port))
        error = error_of(late.ask(wait))
        assert (error["code"], error["retryable"]) == ("too_many_waiting", True)
        assert error["fix"] and error["retry_after_seconds"]
        assert not late.ask(ask(hog, "list_sms")).result.get("isError")
        assert not any(wire.has_news(0) for wire in kept)
        kept[0].close()
        wait_until(lambda: not late.ask(ask(hog, "wait_for_sms", timeout_seconds=1))
                   .result.get("isError"), what="another one may wait")


def test_a_send_with_too_many_waiting_calls_is_answered_at_once(
        shared: Lab, hog: str) -> None:
    """It was accepted: an error would have it sent again."""
    with ExitStack() as clients:
        wait_until_read(shared.gateway, waiting(
            shared.gateway, legacy(hog, "wait_for_sms", **WAIT), WAITS, clients))
        late = clients.enter_context(Wire(shared.gateway.port))
        sent = late.ask(legacy(hog, "send_sms", to_phone_number=TO, sms_text="at once",
                               wait_for="sent", wait_seconds=60))
        message_id = sent.result["structuredContent"]["message_id"]
        Agent(shared, hog).wait_state(message_id, "sent", timeout=60)


@FAMILIES
def test_the_client_with_the_most_connections_makes_room(narrow: LoneGateway,
                                                         ask: Ask) -> None:
    """Its oldest waiting call is answered with what is known; others keep theirs."""
    hog, modest = pair(narrow, "hog"), pair(narrow, "modest")
    with ExitStack() as clients:
        [first] = waiting(narrow, ask(modest, "wait_for_sms", **WAIT), 1, clients)
        kept = waiting(narrow, ask(hog, "wait_for_sms", **WAIT), PLACES - 1, clients)
        wait_until_read(narrow, [first, *kept])
        with Wire(narrow.port) as wire:
            assert wire.ask(ask(modest, "get_gateway_status")).status == 200
        [told] = wait_until(lambda: [wire for wire in kept if wire.has_news(0)],
                            what="one made room")
        assert told is kept[0]
        reply = told.receive()
        assert reply.result["structuredContent"]["found"] is False
        assert told.wait_closed() == b""
        assert not first.has_news(0)


def test_streams_of_one_client_shut_out_no_other(narrow: LoneGateway) -> None:
    hog, modest = pair(narrow, "hog"), pair(narrow, "modest")
    with ExitStack() as clients:
        streams = [clients.enter_context(Events(narrow.port, Authorization=f"Bearer {hog}"))
                   for _ in range(PLACES)]
        assert [stream.status for stream in streams] == [200] * PLACES
        for _ in range(PLACES):
            with Wire(narrow.port) as wire:
                assert wire.ask(legacy(modest, "get_gateway_status")).status == 200
        assert streams[0].rest() is not None


def test_a_client_with_few_connections_keeps_them(narrow: LoneGateway) -> None:
    """However many the other one opens, and whatever it leaves idle."""
    hog, modest = pair(narrow, "hog"), pair(narrow, "modest")
    with ExitStack() as clients:
        kept = [clients.enter_context(Wire(narrow.port)) for _ in range(2)]
        for wire in kept:
            assert wire.ask(legacy(modest, "get_gateway_status")).status == 200
        for _ in range(3 * PLACES):
            wire = clients.enter_context(Wire(narrow.port))
            assert wire.ask(legacy(hog, "get_gateway_status")).status == 200
        for wire in kept:
            assert wire.ask(legacy(modest, "get_gateway_status")).status == 200
