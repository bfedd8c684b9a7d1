# SPDX-License-Identifier: GPL-2.0-or-later
"""Clients that are slow or never end do not slow other clients down."""

from __future__ import annotations

import math
import time
from collections.abc import Callable, Iterator
from contextlib import ExitStack, suppress
from threading import Event, Thread

import pytest

from lab import wait_until
from lone_gateway import LoneGateway
from modem.patience import patience
from wire import Wire, chunk, request, rpc

TRANSPORTS = ["http", "https"]
TIMEOUT_S = math.ceil(patience(1))
SERVER = {"request_timeout_seconds": TIMEOUT_S, "idle_timeout_seconds": TIMEOUT_S}
GRACE_S = 1             # after which an overdue connection is closed
DRIP_S = 0.1
AT_ONCE_S = 0.5         # for another client's answer
LET_GO_S = 3            # of a client that can send nothing more
LEFT_S = 10             # for a client that has sent nothing else; a request has 60 s
HEADERS_S = 0.005
TIMES = 20
HALF_OPEN = 50
BUSY = 2
AT_A_TIME = 1000        # requests of a busy client that are in flight
ANSWER = b'"result"'    # appears once in each answer

LIST = request(rpc("tools/list"))
PING = request(rpc("ping"))
BODY = rpc("ping", {"a": "x" * 60_000})
DRIPPED = {
    "request line": (b"", b"POST /mcp" + b"/" * 500),
    "headers": (b"POST /mcp HTTP/1.1\r\nHost: localhost\r\n", b"X: y\r\n" * 100),
    "one header": (b"POST /mcp HTTP/1.1\r\nHost: localhost\r\nX: ", b"y" * 500),
    "body": (request(BODY)[:-len(BODY)], BODY),
    "chunks": (request(headers={"Content-Length": None, "Transfer-Encoding": "chunked"}),
               chunk(b" ") * 500),
    "body of a refused request": (request(headers={"Content-Length": "60000"},
                                          path="/nowhere"), b" " * 500),
}


def seconds_of(action: Callable[[], object]) -> float:
    begin = time.monotonic()
    action()
    return time.monotonic() - begin


def assert_serves_at_once(gateway: LoneGateway) -> None:
    assert seconds_of(gateway.assert_serves) < patience(AT_ONCE_S)


def wait_cut(wire: Wire) -> None:
    """Closed in time, counted from now."""
    assert seconds_of(wire.wait_closed) < TIMEOUT_S + patience(GRACE_S)


@pytest.fixture(scope="module")
def patient(transport: str) -> Iterator[LoneGateway]:
    with LoneGateway(tls=transport == "https", request_timeout_seconds=60) as gateway:
        yield gateway


# ---- deadlines --------------------------------------------------------------------

@pytest.mark.parametrize("what", DRIPPED)
def test_a_client_that_drips_octets_is_disconnected(gateway: LoneGateway, what: str) -> None:
    head, dripped = DRIPPED[what]
    begin = time.monotonic()
    with gateway.wire() as wire:
        wire.send(head)
        for i in range(len(dripped)):
            assert_serves_at_once(gateway)
            if not wire.send(dripped[i:i + 1]) or wire.has_news(DRIP_S):
                break
        wire.wait_closed()
    assert time.monotonic() - begin < TIMEOUT_S + patience(GRACE_S)


def test_a_silent_client_is_disconnected(gateway: LoneGateway) -> None:
    with gateway.wire() as wire:
        assert seconds_of(lambda: wait_cut(wire)) > TIMEOUT_S * 0.9


def test_an_idle_connection_is_closed(gateway: LoneGateway) -> None:
    with gateway.wire() as wire:
        for _ in range(3):
            assert wire.ask(PING).status == 200
        assert seconds_of(lambda: wait_cut(wire)) > TIMEOUT_S * 0.9


def test_every_request_has_its_own_deadline(gateway: LoneGateway) -> None:
    """A kept connection may live longer than one deadline."""
    with gateway.wire() as wire:
        begin = time.monotonic()
        while time.monotonic() - begin < TIMEOUT_S * 2.5:
            assert wire.ask(PING).status == 200
            assert not wire.has_news(TIMEOUT_S * 0.3)


def test_a_late_second_request_closes_the_connection(gateway: LoneGateway) -> None:
    with gateway.wire() as wire:
        wire.ask(PING)
        wire.send(PING[:-1])
        wait_cut(wire)


def test_a_client_that_never_reads_is_disconnected(gateway: LoneGateway) -> None:
    with gateway.wire() as wire:
        wire.socket.setblocking(False)
        with suppress(OSError):
            while True:
                wire.socket.send(LIST * 100)
        wait_until(lambda: wire.port in gateway.peers, what="it is accepted")
        assert_serves_at_once(gateway)
        wait_until(lambda: wire.port not in gateway.peers, TIMEOUT_S + GRACE_S,
                   "it is cut")


@pytest.mark.parametrize("answers", [0, 1, 3])
def test_a_half_closed_connection_is_answered_and_closed(patient: LoneGateway,
                                               answers: int) -> None:
    """The client may have left for good, and nothing would ever report it."""
    with patient.wire() as wire:
        wire.end(PING * answers)
        for _ in range(answers):
            assert wire.receive().result == {}
        wait_until(lambda: wire.port not in patient.peers, LET_GO_S, "it is let go")


@pytest.mark.parametrize("left", [PING[:1], PING[:40], PING[:-1], request(BODY)[:-1]],
                         ids=["octet", "headers", "body", "long body"])
def test_an_aborted_request_frees_its_slot(patient: LoneGateway, left: bytes) -> None:
    with ExitStack() as clients:
        wires = [clients.enter_context(patient.wire()) for _ in range(HALF_OPEN)]
        for wire in wires:
            wire.end(left)
        wait_until(lambda: patient.peers.isdisjoint(wire.port for wire in wires),
                   LEFT_S, "their slots are free")


class Busy:
    """A client that never lets the server rest: each answer triggers another request."""

    def __init__(self, gateway: LoneGateway) -> None:
        self._gateway = gateway
        self._stop = Event()
        self._thread = Thread(target=self._run)

    def __enter__(self) -> None:
        self._thread.start()

    def __exit__(self, *_: object) -> None:
        self._stop.set()
        self._thread.join()

    def _run(self) -> None:
        requests, torn = PING * AT_A_TIME, b""
        with self._gateway.wire() as wire:
            wire.send(requests)
            while not self._stop.is_set():
                octets = torn + wire.socket.recv(1 << 20)
                torn = octets[1 - len(ANSWER):]
                wire.send(requests[:octets.count(ANSWER) * len(PING)])


def test_busy_clients_do_not_hold_up_deadlines(gateway: LoneGateway) -> None:
    with ExitStack() as clients:
        for _ in range(BUSY):
            clients.enter_context(Busy(gateway))
        wire = clients.enter_context(gateway.wire())
        wire.send(PING[:-1])
        wait_cut(wire)


def test_waiting_clients_use_no_cpu_time(patient: LoneGateway) -> None:
    with ExitStack() as clients:
        wires = [clients.enter_context(patient.wire()) for _ in range(HALF_OPEN)]
        for wire in wires:
            wire.send(PING[:-1])
        patient.assert_serves()
        before = patient.cpu_seconds
        assert not wires[0].has_news(1)
        assert patient.cpu_seconds - before < patience(0.05)
        for wire in wires:
            assert wire.ask(PING[-1:]).result == {}


@pytest.mark.parametrize("size", [100, 3000, 5000, 6500])
def test_long_headers_are_no_slower(patient: LoneGateway, size: int) -> None:
    """libmicrohttpd reads what exceeds 4 KiB in pieces of 128 octets."""
    data = request(rpc("ping"), {"X-Pad": "x" * size})
    with patient.wire() as wire:
        fastest = min(seconds_of(lambda: wire.ask(data).result) for _ in range(TIMES))
    assert fastest < patience(HEADERS_S)


# ---- limits -----------------------------------------------------------------------

SLOTS = 4
WAIT = request(rpc("tools/call", {"name": "wait_for_sms", "arguments": {"timeout_seconds": 60}}))


@pytest.fixture
def narrow() -> Iterator[LoneGateway]:
    with LoneGateway(max_connections=SLOTS) as gateway:
        yield gateway


def take_slots(gateway: LoneGateway, count: int, clients: ExitStack) -> list[Wire]:
    """That many clients, each with a call in progress."""
    wires = [clients.enter_context(gateway.wire()) for _ in range(count)]
    for wire in wires:
        assert wire.ask(PING).result == {}
        wire.send(WAIT)
    wait_until(lambda: not is_served(gateway), what="all calls are at work")
    return wires


def is_served(gateway: LoneGateway) -> bool:
    """Whether a new client is served; otherwise it learns why not."""
    with gateway.wire() as wire:
        reply = wire.ask(PING)
        assert reply.status in (200, 503)
        return reply.status == 200


@pytest.mark.parametrize("leave", [Wire.close, Wire.reset, Wire.end])
def test_a_freed_slot_is_used_again(narrow: LoneGateway,
                                        leave: Callable[[Wire], None]) -> None:
    alone = narrow.fd_count
    for _ in range(3):
        with ExitStack() as clients:
            wires = take_slots(narrow, SLOTS, clients)
            leave(wires[0])
            wait_until(lambda: is_served(narrow), what="a slot is free")
            assert not any(wire.has_news(0) for wire in wires[1:])
        wait_until(lambda: is_served(narrow), what="a slot is free")
        wait_until(lambda: narrow.fd_count <= alone, what="all connections are closed")
