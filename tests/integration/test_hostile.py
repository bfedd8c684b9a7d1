# SPDX-License-Identifier: GPL-2.0-or-later
"""Whatever arrives, the same process serves the next client."""

from __future__ import annotations

import os
from collections.abc import Iterator
from concurrent.futures import ThreadPoolExecutor

import pytest

from agent import Agent, assert_sent
from hostile_requests import (
    ANY, CLOSED, HOSTILE, PLACES, REFUSED, Hostile, Leaving, describe, mutations, send_sms,
)
from lab import Lab, wait_until
from lone_gateway import LoneGateway
from modem.patience import patience
from wire import ABSENT, Closed, Wire, request, rpc

DESCRIPTORS_MORE = 2
MEMORY_MORE_KIB = 32 * 1024 if "GATEWAY_WRAPPER" in os.environ else 2048
WARM_UP, ROUNDS = 3, 3
CLIENTS = 16
MOMENT_S = 0.05         # time for an answer to a request that needs none
SERVER = {"request_timeout_seconds": 1}
TRANSPORTS = ["http", "https"]


def read_answer(wire: Wire) -> int:
    try:
        return wire.receive().status
    except Closed:
        return CLOSED


def answer(gateway: LoneGateway, hostile: Hostile) -> int:
    """The status of the first answer, CLOSED if there is none; the client has disconnected
    afterwards."""
    with gateway.wire() as wire:
        wire.send(hostile.data)
        match hostile.leaving:
            case Leaving.CLOSES:
                return CLOSED
            case Leaving.RESETS:
                wire.reset()
                return CLOSED
            case Leaving.ENDS:
                wire.end()
                return read_answer(wire) if wire.has_news(patience(MOMENT_S)) else CLOSED
            case Leaving.READS:
                return read_answer(wire)


@pytest.mark.parametrize("hostile", HOSTILE, ids=describe)
def test_the_gateway_survives_each_hostile_request(gateway: LoneGateway, hostile: Hostile) -> None:
    status = answer(gateway, hostile)
    gateway.assert_serves()
    assert status in hostile.statuses


@pytest.mark.parametrize("seed", range(4))
def test_the_gateway_survives_mutated_requests(gateway: LoneGateway, seed: int) -> None:
    for data in mutations(count=100, seed=seed):
        answer(gateway, Hostile("", data, ANY, Leaving.ENDS))
    gateway.assert_serves()


def wrong_answers(gateway: LoneGateway) -> list[str]:
    """Sends everything from many clients at once; returns the names of requests with a wrong
    answer."""
    with ThreadPoolExecutor(CLIENTS) as pool:
        statuses = list(pool.map(lambda hostile: answer(gateway, hostile), HOSTILE))
    gateway.assert_serves()
    return [hostile.name for hostile, status in zip(HOSTILE, statuses)
            if status not in hostile.statuses]


def test_concurrent_hostile_requests_leak_nothing() -> None:
    """Compares descriptors and memory after a few rounds of everything with those after more
    rounds.

    The heap grows to the most that was ever in use at once, which differs a little between
    rounds; a leak keeps growing. valgrind retains 20 MB of freed memory and finds leaks in its
    own way.
    """
    with LoneGateway(request_timeout_seconds=1, idle_timeout_seconds=1) as gateway:
        fresh, memory = gateway.fd_count, []
        for _ in range(WARM_UP + ROUNDS):
            assert wrong_answers(gateway) == []
            wait_until(lambda: gateway.fd_count <= fresh + DESCRIPTORS_MORE,
                       what="the connections are gone")
            memory.append(gateway.rss_kib)
        assert memory[-1] - memory[WARM_UP - 1] < MEMORY_MORE_KIB, memory


def test_request_smuggling_is_refused(gateway: LoneGateway) -> None:
    """If the end of a request is in doubt, the octets after it are not taken for another
    request."""
    smuggled = request(rpc("tools/list"))
    for hostile in HOSTILE:
        if hostile.name in ("two lengths", "two equal lengths", "length and chunked",
                            "chunked and length", "chunked twice", "folded length",
                            "bare LF for a line's end", "NUL in a value"):
            with gateway.wire() as wire:
                wire.send(hostile.data + smuggled)
                assert read_answer(wire) in REFUSED
                assert wire.wait_closed() == b"", hostile.name


# ---- the whole way to oFono -------------------------------------------------------

@pytest.fixture(scope="module")
def phone() -> Iterator[Lab]:
    with Lab(modem_count=1, gateway=True) as lab:
        wait_until(lambda: Agent(lab).states() == ["ready"], what="the SIM can send")
        yield lab


def assert_sends(phone: Lab) -> None:
    before = len(phone.modems[0].taken)
    assert_sent(Agent(phone).send("still here"))
    assert [submit.text for submit in phone.modems[0].taken[before:]] == ["still here"]


@pytest.mark.parametrize("text", [
    rb"\udc00", rb"\uDC00", rb"a\udfffb", rb"\ud800", rb"\ud800\u0041", rb"\udc00\ud800",
    rb"\ud83d", b"\xed\xb0\x80", b"\xed\xa0\x80", b"\xff", b"\xc0\xaf",
    b"\xf4\x90\x80\x80", b"\xe2\x82", b"\0", rb"\u0000", rb"x\u0000y"])
@pytest.mark.parametrize("place", PLACES)
def test_bad_text_does_not_reach_the_bus(phone: Lab, place: str, text: bytes) -> None:
    """libdbus would end the process."""
    pids, offered = (phone.gateway.pid, phone.ofonod.pid), len(phone.modems[0].offered)
    with Wire(phone.gateway.port) as wire:
        reply = wire.ask(request(send_sms(PLACES[place].replace(b"@", text))))
    assert reply.error == (400, -32600 if rb"\u0000" in text else -32700)    # valid JSON
    assert phone.gateway.is_running and phone.ofonod.is_running
    assert (phone.gateway.pid, phone.ofonod.pid) == pids
    assert len(phone.modems[0].offered) == offered


@pytest.mark.parametrize("text", ["\uffff", "\ufdd0", "\ufeff", "\u202e", "\x7f", "\x1b",
                                  "\U0010ffff", "%s%n", "'; DROP TABLE message; --"])
def test_odd_text_is_sent_or_refused(phone: Lab, text: str) -> None:
    before = len(phone.modems[0].taken)
    result = Agent(phone).send(text)
    if result.is_error:
        assert result.code == "invalid_text"
        assert len(phone.modems[0].taken) == before
    else:
        assert_sent(result)
        assert phone.modems[0].taken[-1].text == text
    assert_sends(phone)


def test_a_call_without_an_id_sends_nothing(phone: Lab) -> None:
    """No client would learn the outcome."""
    offered = len(phone.modems[0].offered)
    call = rpc("tools/call", {"name": "send_sms", "arguments": {
        "to_phone_number": "+36301234567", "sms_text": "unheard"}}, id=ABSENT)
    with Wire(phone.gateway.port) as wire:
        assert wire.ask(request(call)).status == 202
    assert_sends(phone)
    assert len(phone.modems[0].offered) == offered + 1
