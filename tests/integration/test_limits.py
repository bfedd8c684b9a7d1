# SPDX-License-Identifier: GPL-2.0-or-later
"""Every limit is reached: the client that reaches it gets an error, and a healthy client
notices nothing.

doc/reliability.md has the table of all limits, with the tests of those that are not here.
"""

from __future__ import annotations

import json
import math
import os
import re
import resource
import signal
import socket
import subprocess
import sys
from collections.abc import Callable, Iterator
from contextlib import ExitStack, contextmanager, suppress
from dataclasses import dataclass
from pathlib import Path
from typing import NamedTuple
from urllib.parse import quote

import pytest

sys.path.insert(0, str(Path(__file__).resolve().parents[1]))    # packages lab and modem

import modern
from agent import pair
from events import Events
from healthy import Healthy
from lab import McpClient, wait_until
from lone_gateway import LoneGateway
from modem.patience import patience
from wire import Closed, Wire, request, rpc

CONNECTIONS, PER_ADDRESS, TIMEOUT_S = 90, 80, math.ceil(patience(2))
SERVER = {"max_connections": CONNECTIONS, "max_connections_per_address": PER_ADDRESS,
          "request_timeout_seconds": TIMEOUT_S}
HOG = "::1"  # the client that reaches limits; 127.0.0.0/8 counts as one address
NOTICED_S = 1                         # a healthy client would notice
TOLD = 5                                # log lines a second at most about a limit
SPIN_S = 0.1                            # of CPU, in half a second
STREAMS, CLIENT_STREAMS = CONNECTIONS * 3 // 4, 32
SESSIONS, SUBSCRIPTIONS, CONTROLS = 512, 32, 8
PLACES = 16                             # of a narrow gateway; it accepts as many in one turn
BODY, DEPTH, VALUES, LINES, HEADER = 65536, 32, 4096, 64, 8192
MEMORY_KIB = 12 * 1024  # all requests together hold 8 MiB, plus what the allocator keeps free
OWN = 96                                # descriptors beside connections
PING = request(rpc("ping"))
WAIT = request(rpc("tools/call", {"name": "wait_for_sms", "arguments": {"timeout_seconds": 60}}))
INBOX = {"notifications": {"resourceSubscriptions": ["sms://inbox"]}}


@contextmanager
def two_addresses(**server: int) -> Iterator[LoneGateway]:
    """For clients of 127.0.0.0/8, which count as one address, and a hog at ::1."""
    with LoneGateway(**server) as gateway:
        gateway.stop()
        gateway.args += ["--listen", f"[{HOG}]:{gateway.port}"]
        gateway.start()
        wait_until(lambda: not gateway.peers, what="the connection of start() is gone")
        yield gateway


@pytest.fixture(scope="module")
def gateway() -> Iterator[LoneGateway]:
    with two_addresses(**SERVER) as gateway:
        yield gateway


class Told(NamedTuple):
    status: int
    text: str


@dataclass(frozen=True)
class Limit:
    name: str
    reach: Callable[[LoneGateway, ExitStack], Told]
    status: int
    words: str                          # a pattern in the body


def told(wire: Wire) -> Told:
    reply = wire.receive()
    return Told(reply.status, reply.body.decode())


def post(gateway: LoneGateway, body: bytes, **headers: str) -> Told:
    with gateway.wire(host=HOG) as wire:
        wire.send(request(body, {name.replace("_", "-"): value
                                 for name, value in headers.items()}))
        return told(wire)


def wires(gateway: LoneGateway, count: int, clients: ExitStack) -> list[Wire]:
    """Connections of the hog, each served once; there is room for two others only."""
    wait_until(lambda: len(gateway.peers) <= 2, what="those of before are gone")
    found = [clients.enter_context(gateway.wire(host=HOG)) for _ in range(count)]
    for wire in found:
        assert wire.ask(PING).status == 200
    return found


def busy_wires(gateway: LoneGateway, count: int, clients: ExitStack) -> list[Wire]:
    """The same, with a call in progress on each: none of them makes room."""
    found = wires(gateway, count, clients)
    for wire in found:
        wire.send(WAIT)
    gateway.wait_for_all_read()
    return found


# ---- one function for each limit

def connections_of_one_address(gateway: LoneGateway, clients: ExitStack) -> Told:
    busy_wires(gateway, PER_ADDRESS, clients)
    return told(clients.enter_context(gateway.wire(host=HOG)))


def streams(gateway: LoneGateway, clients: ExitStack) -> Told:
    for _ in range(STREAMS):
        stream = clients.enter_context(Events(gateway.port))
        assert stream.status == 200
    refused = clients.enter_context(Events(gateway.port))
    return Told(refused.status, refused.rest().decode())


def long_header(gateway: LoneGateway, _: ExitStack) -> Told:
    return post(gateway, rpc("ping"), X="y" * HEADER)


def many_headers(gateway: LoneGateway, _: ExitStack) -> Told:
    return post(gateway, rpc("ping"), **{f"X{i}": "y" for i in range(LINES)})


def long_body(gateway: LoneGateway, _: ExitStack) -> Told:
    return post(gateway, rpc("ping").ljust(BODY + 1))


def deep_body(gateway: LoneGateway, _: ExitStack) -> Told:
    return post(gateway, b'{"a":' * (DEPTH + 1) + b"0" + b"}" * (DEPTH + 1))


def rich_body(gateway: LoneGateway, _: ExitStack) -> Told:
    return post(gateway, rpc("ping", {"a": [0] * VALUES}))


def sessions(gateway: LoneGateway, clients: ExitStack) -> Told:
    """The session that has been unused longest makes room."""
    client = clients.enter_context(McpClient(gateway.port))
    client.initialize()
    first = dict(client.headers)
    for _ in range(SESSIONS):
        del client.headers["Mcp-Session-Id"]
        client.initialize()
    answer = client.post(rpc("ping"), first)
    return Told(answer.status, json.dumps(answer.body))


def subscriptions(gateway: LoneGateway, clients: ExitStack) -> Told:
    client = clients.enter_context(McpClient(gateway.port))
    client.initialize()
    for number in range(SUBSCRIPTIONS):
        uri = f"sms://conversation/+3620123{number:04}"
        assert client.call("resources/subscribe", {"uri": uri}).result == {}
    answer = client.call("resources/subscribe", {"uri": "sms://inbox"})
    return Told(answer.status, json.dumps(answer.body))


def memory(gateway: LoneGateway, clients: ExitStack) -> Told:
    """Requests without their last byte, each holding as much as one request may. One for which
    there is no memory learns it at its end."""
    whole = request(rpc("ping", {"x": [1] * (VALUES - 100)}))
    held = [clients.enter_context(gateway.wire(host=HOG)) for _ in range(PER_ADDRESS - 1)]
    for wire in held:
        wire.send(whole[:-1])
    gateway.wait_for_all_read()
    assert post(gateway, rpc("ping")).status == 200     # a small request still gets memory
    for wire in held:
        wire.send(whole[-1:])
    return max(map(told, held))


LIMITS = [
    Limit("connections of one address", connections_of_one_address, 503,
          "max_connections_per_address"),
    Limit("streams", streams, 503, "Too many streams"),
    Limit("header", long_header, 431, "."),
    Limit("header lines", many_headers, 431, "64"),
    Limit("body", long_body, 413, "65536"),
    Limit("depth", deep_body, 400, "too deep"),
    Limit("values", rich_body, 400, "too large"),
    Limit("sessions", sessions, 404, "initialize"),
    Limit("subscriptions of a session", subscriptions, 200, "subscri"),
    Limit("memory", memory, 503, "memory for requests is used up"),
]


def test_sessions_with_long_uris_stay_within_memory_limits() -> None:
    """As many sessions as allowed, each with as many subscriptions as allowed, also after a
    restart."""
    unit = Path(__file__).resolve().parents[2] / "etc" / "systemd" / "ofono-mcp.service"
    [high_mib] = re.findall(r"^MemoryHigh=(\d+)M$", unit.read_text(), re.M)
    begin = rpc("initialize", {"protocolVersion": "2025-11-25", "capabilities": {},
                               "clientInfo": {"name": "many", "version": "1"}})

    def uri(session: int, number: int) -> str:
        return (f"sms://conversation/{quote(chr(0x1f600) * 40)}{session:03}{number:02}"
                .ljust(512, "x"))

    with LoneGateway() as gateway, gateway.wire() as wire:
        for session in range(SESSIONS):
            id = wire.ask(request(begin)).header("mcp-session-id")
            wire.send(b"".join(
                request(rpc("resources/subscribe", {"uri": uri(session, number)}),
                        {"Mcp-Session-Id": id}) for number in range(SUBSCRIPTIONS)))
            for _ in range(SUBSCRIPTIONS):
                assert wire.receive().result == {}
        peaks = [peak_mib(gateway)]
        wire.close()
        gateway.restart()
        peaks.append(peak_mib(gateway))
        with gateway.wire() as again:
            assert again.ask(request(rpc("ping"), {"Mcp-Session-Id": id})).status == 200
    assert max(peaks) < int(high_mib), peaks


def peak_mib(gateway: LoneGateway) -> float:
    status = Path(f"/proc/{gateway.pid}/status").read_text()
    return int(re.search(r"VmHWM:\s+(\d+) kB", status)[1]) / 1024


def private_kib(gateway: LoneGateway) -> int:
    memory = Path(f"/proc/{gateway.pid}/smaps_rollup").read_text()
    return int(re.search(r"^Private_Dirty:\s+(\d+)", memory, re.M)[1])


def test_requests_at_their_limit_hold_little_memory(gateway: LoneGateway) -> None:
    wait_until(lambda: len(gateway.peers) <= 2, what="those of before are gone")
    before = private_kib(gateway)
    with ExitStack() as clients:
        assert memory(gateway, clients).status == 503
        assert private_kib(gateway) - before < MEMORY_KIB


def reach(gateway: LoneGateway, limit: Limit) -> Healthy:
    """Returns the client that was there meanwhile."""
    with Healthy(gateway) as healthy:
        with ExitStack() as clients:
            found = limit.reach(gateway, clients)
            healthy.wait_served()
        wait_until(lambda: len(gateway.peers) <= 2, what="all the others are gone")
    assert (found.status, bool(re.search(limit.words, found.text))) == (limit.status, True), \
        found
    return healthy


@pytest.mark.parametrize("limit", LIMITS, ids=lambda limit: limit.name)
def test_each_limit_is_reported_and_disturbs_no_other_client(
        gateway: LoneGateway, limit: Limit) -> None:
    reach(gateway, limit).assert_served()


@pytest.mark.parametrize("limit", LIMITS, ids=lambda limit: limit.name)
def test_no_limit_delays_another_client(gateway: LoneGateway, limit: Limit) -> None:
    reach(gateway, limit).assert_noticed_nothing(patience(NOTICED_S))


@pytest.mark.parametrize("path,method", [("/mcp", "POST"), ("/", "GET")])
def test_a_header_of_any_length_is_answered(gateway: LoneGateway, path: str,
                                                  method: str) -> None:
    """If there is no room for the headers of an answer, the connection closes, and the call is
    still made."""
    statuses = {one: gateway.ask(request(
        rpc("ping") if method == "POST" else b"", {"X": "y" * one, "Origin": "http://localhost"},
        method, path)).status for one in range(6000, 8192, 64)}
    assert set(statuses.values()) == {200, 431}, statuses
    assert sorted(statuses.values()) == list(statuses.values())


@pytest.mark.parametrize("count", [90, 200, 500, 1000, 5000])
def test_too_many_query_parameters_are_refused(gateway: LoneGateway, count: int) -> None:
    """libmicrohttpd 1.0.1 says so; 0.9.75 falls silent, until the deadline."""
    with gateway.wire() as wire:
        wire.send(request(rpc("ping"), path="/mcp?" + "a&" * count))
        if count <= 200:
            assert wire.receive().status == 200
        else:
            with suppress(Closed):
                assert wire.receive().status in (414, 431)


def test_connections_per_address_are_limited(gateway: LoneGateway) -> None:
    """A connection beyond the limit is refused before or after its request, with a time to
    retry."""
    with ExitStack() as clients:
        served = busy_wires(gateway, PER_ADDRESS, clients)
        late = clients.enter_context(gateway.wire(host=HOG))
        late.send(PING)
        reply = late.receive()
        assert (reply.status, reply.header("retry-after")) == (503, "1")
        assert late.wait_closed() == b""
        assert not any(wire.has_news(0) for wire in served)
        served[0].close()
        wait_until(lambda: post(gateway, rpc("ping")).status == 200, what="one is free")


def test_refused_connections_take_no_slots(gateway: LoneGateway) -> None:
    """Refused connections take no slot from others, however many there are."""
    with Healthy(gateway) as healthy, ExitStack() as clients:
        wires(gateway, PER_ADDRESS, clients)
        for _ in range(200):
            clients.enter_context(gateway.wire(host=HOG))
        healthy.wait_served(50)
    healthy.assert_served()


def healthy_in_a_crowd(gateway: LoneGateway, sent: bytes) -> Healthy:
    """More connections than there are slots; a healthy client reconnects again and again (from
    many addresses: test_crowds.py)."""
    wait_until(lambda: len(gateway.peers) <= 2, what="those of before are gone")
    with Healthy(gateway) as healthy, ExitStack() as clients:
        wait_until(lambda: healthy.waits_s, what="it is there before them")
        crowd = []
        for _ in range(400):
            crowd.append(clients.enter_context(gateway.wire(host=HOG)))
            crowd[-1].send(sent)
        healthy.wait_served(50)
        assert crowd[0].wait_closed() == b""
    return healthy


@pytest.mark.parametrize("sent", [b"", PING[:-1]], ids=["silent", "half a request"])
def test_idle_crowds_do_not_disturb_a_healthy_client(gateway: LoneGateway, sent: bytes) -> None:
    healthy_in_a_crowd(gateway, sent).assert_served()


@pytest.mark.parametrize("sent", [b"", PING[:-1]], ids=["silent", "half a request"])
def test_idle_crowds_do_not_delay_a_healthy_client(gateway: LoneGateway, sent: bytes) -> None:
    healthy_in_a_crowd(gateway, sent).assert_noticed_nothing(patience(NOTICED_S))


def test_only_idle_connections_make_room(gateway: LoneGateway) -> None:
    """The connection that has been idle longest goes first."""
    wait_until(lambda: len(gateway.peers) <= 2, what="those of before are gone")
    with ExitStack() as clients:
        idle = wires(gateway, PER_ADDRESS, clients)
        idle[0].send(WAIT)
        for _ in range(30):
            few = clients.enter_context(gateway.wire())
            assert few.ask(PING).status == 200
        left = [wire for wire in idle if not wire.has_news(0)]
    gone = PER_ADDRESS - len(left)
    assert 18 <= gone <= 22 and left == [idle[0], *idle[gone + 1:]]


def test_all_listeners_share_one_connection_limit() -> None:
    """All listeners share one limit."""
    with two_addresses(max_connections=4) as gateway, ExitStack() as clients:
        busy_wires(gateway, 2, clients)
        served = [clients.enter_context(gateway.wire()) for _ in range(2)]
        for wire in served:
            assert wire.ask(PING).status == 200
            wire.send(WAIT)
        wait_until(lambda: is_refused(gateway), what="all are at work")
        served[0].close()
        wait_until(lambda: not is_refused(gateway), what="one is free")


def is_refused(gateway: LoneGateway) -> bool:
    with gateway.wire() as wire:
        reply = wire.ask(PING)
        return reply.status == 503 and b"(max_connections)" in reply.body


def test_streams_per_client_are_limited() -> None:
    """Another client has its own limit."""
    with LoneGateway(open=False) as gateway, ExitStack() as clients:
        asked = modern.Request("subscriptions/listen", INBOX)
        hog, other = ({"Authorization": f"Bearer {pair(gateway, name)}"}
                      for name in ("hog", "other"))
        headers = {name.replace("-", "_"): value for name, value in asked.headers.items()}

        def listen(who: dict[str, str]) -> Events:
            return clients.enter_context(Events(gateway.port, asked.body, **headers | who))
        for _ in range(CLIENT_STREAMS):
            assert listen(hog).headers["content-type"] == "text/event-stream"
        refused = listen(hog)
        assert "too many streams are open" in refused.rest().decode()
        assert listen(other).headers["content-type"] == "text/event-stream"


# ---- descriptors

def first_free(gateway: LoneGateway) -> int:
    """The descriptor that the process would get next."""
    taken = {int(name) for name in os.listdir(f"/proc/{gateway.pid}/fd")}
    return min(set(range(len(taken) + 1)) - taken)


@contextmanager
def no_descriptor_left(gateway: LoneGateway) -> Iterator[Callable[[], None]]:
    """Takes all descriptors; calling the result, or leaving, ends it."""
    before = resource.prlimit(gateway.pid, resource.RLIMIT_NOFILE)

    def end() -> None:
        resource.prlimit(gateway.pid, resource.RLIMIT_NOFILE, before)
    resource.prlimit(gateway.pid, resource.RLIMIT_NOFILE, (first_free(gateway), before[1]))
    try:
        yield end
    finally:
        end()


def test_fewer_connections_are_served_with_few_descriptors() -> None:
    """The gateway raises the limit as far as the system allows; otherwise it serves fewer
    connections."""
    with LoneGateway(max_connections=4096, max_connections_per_address=4096) as gateway:
        assert (resource.prlimit(gateway.pid, resource.RLIMIT_NOFILE)[0]
                >= 4096 + OWN)
        gateway.stop()
        before = resource.getrlimit(resource.RLIMIT_NOFILE)
        gateway._wrapper = ["prlimit", f"--nofile={OWN + 10}"]
        gateway.start()
        assert "serving 10 connections" in gateway.log
        with ExitStack() as clients:
            wait_until(lambda: not gateway.peers, what="the connection of start() is gone")
            served = [clients.enter_context(gateway.wire()) for _ in range(10)]
            for wire in served:
                assert wire.ask(PING).status == 200
            late = clients.enter_context(gateway.wire())
            assert late.ask(PING).status == 200
            assert served[0].wait_closed() == b""       # it had been idle longest
        wait_until(lambda: not gateway.peers, what="all are gone")
        gateway.assert_serves()
        assert resource.getrlimit(resource.RLIMIT_NOFILE) == before


def test_connections_wait_when_no_descriptor_is_left(gateway: LoneGateway) -> None:
    """Connected clients are served; waiting ones are served as soon as a descriptor is free."""
    with ExitStack() as clients:
        served = wires(gateway, 3, clients)
        clients.enter_context(no_descriptor_left(gateway))
        late = clients.enter_context(gateway.wire(host=HOG))
        late.send(PING)
        assert not late.has_news(patience(0.5))
        assert all(wire.ask(PING).status == 200 for wire in served)
        served[0].close()
        assert late.receive().status == 200
    gateway.assert_serves()


def test_strangers_make_room_when_no_descriptor_is_left() -> None:
    """A client does not wait until the deadline of connections that send nothing has passed."""
    with LoneGateway(request_timeout_seconds=120) as gateway, ExitStack() as clients:
        silent = [clients.enter_context(gateway.wire()) for _ in range(3)]
        gateway.wait_for_all_read()
        clients.enter_context(no_descriptor_left(gateway))
        waiting = [clients.enter_context(gateway.wire()) for _ in range(6)]
        assert [wire.ask(PING).status for wire in waiting[-2:]] == [200, 200]
        assert silent[0].wait_closed() == b""


@pytest.mark.parametrize("served", [0, 3])
def test_the_loop_does_not_spin_without_descriptors(gateway: LoneGateway, served: int) -> None:
    with ExitStack() as clients:
        wires(gateway, served, clients)
        told = gateway.log.count("Too many open files")
        clients.enter_context(no_descriptor_left(gateway))
        late = clients.enter_context(gateway.wire(host=HOG))
        late.send(PING)
        spent = gateway.cpu_seconds
        assert not late.has_news(patience(0.5))
        assert gateway.cpu_seconds - spent < patience(SPIN_S)
        assert gateway.log.count("Too many open files") - told < patience(TOLD)


def test_the_first_connection_waits_for_a_descriptor(gateway: LoneGateway) -> None:
    """No connection exists whose end would free a descriptor."""
    wait_until(lambda: not gateway.peers, what="nobody is connected")
    with no_descriptor_left(gateway) as end, gateway.wire() as first:
        first.send(PING)
        assert not first.has_news(patience(0.5))
        end()
        assert first.receive().status == 200
    gateway.assert_serves()


# ---- the goals of a server that is full

def test_slow_requests_on_every_slot_make_room() -> None:
    """One of them makes room at once."""
    with LoneGateway(max_connections=64, max_connections_per_address=64,
                     request_timeout_seconds=60) as gateway, ExitStack() as clients:
        loris = [clients.enter_context(gateway.wire()) for _ in range(64)]
        for wire in loris:
            wire.send(PING[:9])
        late = clients.enter_context(gateway.wire())
        assert late.ask(PING).status == 200
        assert loris[0].wait_closed() == b""
        assert not any(wire.has_news(0) for wire in loris[1:])  # their deadline is far


def narrow() -> LoneGateway:
    return LoneGateway(max_connections=PLACES, max_connections_per_address=PLACES)


@contextmanager
def stopped(gateway: LoneGateway) -> Iterator[None]:
    """It finds all that happens meanwhile in one turn of its loop."""
    gateway.send_signal(signal.SIGSTOP)
    try:
        yield
    finally:
        gateway.send_signal(signal.SIGCONT)


@pytest.mark.parametrize("known", [False, True])
def test_a_request_that_has_arrived_is_answered_before_its_connection_makes_room(
        known: bool) -> None:
    """The gateway has not read it yet, so the connection seems idle."""
    with narrow() as gateway, ExitStack() as clients:
        held = [clients.enter_context(gateway.wire()) for _ in range(PLACES - 1)]
        if known:                       # by its token, or because no token is needed
            assert all(wire.ask(PING).status == 200 for wire in held)
        wait_until(lambda: len(gateway.peers) == len(held), what="all are accepted")
        with stopped(gateway):
            held.append(clients.enter_context(gateway.wire()))
            for wire in held:
                wire.send(PING)
            late = clients.enter_context(gateway.wire())
            late.send(PING)
        assert late.receive().status == 200
        assert all(wire.receive().status == 200 for wire in held)


def test_the_place_of_a_client_that_left_is_free_at_once() -> None:
    """The next one comes before the gateway has noticed; the others' calls take every place."""
    with narrow() as gateway, ExitStack() as clients:
        held = [clients.enter_context(gateway.wire()) for _ in range(PLACES)]
        for wire in held:
            wire.send(WAIT)
        wait_until(lambda: len(gateway.peers) == PLACES and gateway.has_read_all,
                   what="all calls are waiting")
        with stopped(gateway):
            late = clients.enter_context(gateway.wire())
            late.send(PING)
            held[0].close()
        assert late.receive().status == 200
        assert not any(wire.has_news(0) for wire in held[1:])


@pytest.mark.parametrize("count", [127, 128, 250, 256])
def test_full_slots_with_repeating_clients_do_not_hang(count: int) -> None:
    """Each client repeats its request as soon as it has the answer; they hold all slots."""
    rounds = 5
    with LoneGateway(max_connections=count, max_connections_per_address=count) as gateway:
        wait_until(lambda: not gateway.peers, what="the connection of start() is gone")
        with ExitStack() as clients:
            loops = [clients.enter_context(gateway.wire()) for _ in range(count)]
            for _ in range(rounds):
                for wire in loops:
                    wire.send(PING)
                for wire in loops:
                    assert wire.receive().status == 200


def healthy_among(count: int) -> Healthy:
    """All of them are served meanwhile."""
    program = "\n".join((
        "import resource, socket, sys",
        "resource.setrlimit(resource.RLIMIT_NOFILE, (4096, 4096))",
        "found = []",
        f"for i in range({count}):",
        "    one = socket.socket()",
        "    one.connect(('127.0.0.1', int(sys.argv[1])))",
        "    found.append(one)",
        f"for one in found: one.sendall({PING!r})",
        "print(sum(one.recv(65536).startswith(b'HTTP/1.1 200') for one in found))",
        "sys.stdout.flush(); sys.stdin.read()"))
    with LoneGateway(max_connections=count + 50,
                     max_connections_per_address=count + 50) as gateway:
        with Healthy(gateway) as healthy:
            with subprocess.Popen([sys.executable, "-c", program, str(gateway.port)],
                                  stdin=subprocess.PIPE, stdout=subprocess.PIPE) as crowd:
                assert int(crowd.stdout.readline()) == count
                assert gateway.fd_count >= count
                healthy.wait_served()
                crowd.stdin.close()
            wait_until(lambda: len(gateway.peers) <= 2, what="all are gone")
    return healthy


def test_two_thousand_connections_disturb_no_healthy_client() -> None:
    healthy_among(2000).assert_served()


def test_two_thousand_connections_delay_no_healthy_client() -> None:
    healthy_among(2000).assert_noticed_nothing(patience(NOTICED_S))


# ---- the owner's socket

def test_a_further_owner_connection_waits_for_a_free_slot(gateway: LoneGateway) -> None:
    """Another one waits until one of them leaves or is silent for long (test_control.py)."""
    place = str(gateway.state / "control")
    question = b'{"command":"clients","arguments":{}}\n'

    def connect(clients: ExitStack) -> socket.socket:
        one = clients.enter_context(socket.socket(socket.AF_UNIX))
        one.settimeout(patience(5))
        one.connect(place)
        return one
    with Healthy(gateway) as healthy, ExitStack() as clients:
        held = [connect(clients) for _ in range(CONTROLS)]
        late = connect(clients)
        late.sendall(question)
        late.settimeout(0.2)
        with pytest.raises(TimeoutError):
            late.recv(1)
        healthy.wait_served()
        late.settimeout(patience(5))
        held[0].close()
        assert json.loads(late.recv(65536).splitlines()[-1])
    healthy.assert_served()
