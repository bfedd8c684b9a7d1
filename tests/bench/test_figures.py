# SPDX-License-Identifier: GPL-2.0-or-later
"""What requests and memory cost, printed at the end of the run: doc/performance.md, "Figures".

Nothing here fails for a figure. Somebody who looks at two runs sees a trend.
"""

from __future__ import annotations

import signal
import socket
import subprocess
from collections.abc import Callable, Iterator
from contextlib import ExitStack
from datetime import datetime, timezone
from pathlib import Path

import pytest

from counts import (
    STRACE, SYNCS, bare_instructions, daemon_function_calls, daemon_instructions,
    daemon_system_calls, system_calls,
)
from daemon import Daemon, memory_kib
from fast_lab import Relay
from incoming_rows import SENDER, Hearer, stored
from lab import Lab, wait_until
from lab.gateway import free_port
from memory_rows import LISTENS, POOL_KIB, connections, private_kib_each, written
from modem.pdu import encode_deliver
from sending_rows import requests
from wire_request import LENGTH, ask, marked, receive

IN_A_TURN = 192
CROWD = 500                     # connections
FIRST = 50                      # of them, whose memory was allocated before
Print = Callable[[str], None]


@pytest.fixture
def show(record_testsuite_property: Callable[[str, object], None]) -> Print:
    """A line at the end of the part."""
    return lambda line: record_testsuite_property("summary", line)


def listing(daemon: Daemon) -> list[bytes]:
    return [daemon.requests.legacy("tools/list")]


@pytest.mark.parametrize("connections", [1, 64])
def test_system_calls_of_a_listing(lab: Lab, build: Path, connections: int, show: Print) -> None:
    """One at a time: recv and sendmsg of the peer, and three epoll_wait."""
    calls = daemon_system_calls(build, lab, f"calls-{connections}", listing, connections)
    show(f"a listing, {connections} connections: {calls['total']:.1f} system calls")


def test_system_calls_of_a_message(lab: Lab, build: Path, show: Print) -> None:
    """Each of three commits writes about ten pages, the first some more for the search index."""
    calls = daemon_system_calls(build, lab, "syncs", lambda daemon: requests(daemon, 1), 1)
    waits = sum(calls.get(sync, 0) for sync in SYNCS)
    show(f"a message: {calls['total']:.0f} system calls, {calls['pwrite64']:.0f} pwrite64, "
         f"{waits:.1f} waits for the disk")


def test_waits_for_the_disk_of_a_group_of_messages(fast: tuple[Lab, Relay], build: Path, show: Print) -> None:
    """64 in a group; the rest are those of start, checkpoints and end."""
    lab, relay = fast
    output = lab.folder / "counted"
    daemon = Daemon(lab, "group", [word.format(folder=lab.folder) for word in STRACE])
    hearer = Hearer(build, lab)
    daemon.start()
    daemon.signal(signal.SIGSTOP)
    for number in range(IN_A_TURN):
        relay.deliver(0, encode_deliver(SENDER, f"group {number}",
                                        datetime.now(timezone.utc)))
    hearer.times_ns(IN_A_TURN)
    daemon.signal(signal.SIGCONT)
    wait_until(lambda: stored(daemon) == IN_A_TURN, what="all are stored")
    daemon.stop()
    hearer.stop()
    calls = wait_until(lambda: output.exists() and system_calls(output),
                       what="strace has written what it counted")
    waits = sum(calls.get(sync, 0) for sync in SYNCS)
    show(f"{IN_A_TURN} incoming messages at once: {waits} waits for the disk")


def segments(octets: bytes) -> Iterator[bytes]:
    for octet in octets:
        yield bytes([octet])


def chunks(octets: bytes) -> Iterator[bytes]:
    """Each octet of the body in one of its own."""
    head, body = octets.split(b"\r\n\r\n", 1)
    yield LENGTH.sub(b"\r\nTransfer-Encoding: chunked", head) + b"\r\n\r\n"
    for octet in body:
        yield b"1\r\n%c\r\n" % octet
    yield b"0\r\n\r\n"


def drip(daemon: Daemon, pieces: Callable[[bytes], Iterator[bytes]]) -> None:
    octets = marked(daemon.requests.legacy("ping", {"_meta": {"x": "y" * 60 * 1024}}))
    with socket.create_connection(("127.0.0.1", daemon.server.port), 60) as wire:
        wire.setsockopt(socket.IPPROTO_TCP, socket.TCP_NODELAY, 1)
        for piece in pieces(octets):
            wire.send(piece)
        assert receive(wire).result == {}


@pytest.mark.parametrize("pieces", [segments, chunks])
def test_calls_of_the_parser(lab: Lab, pieces: Callable[[bytes], Iterator[bytes]], show: Print) -> None:
    """However it comes: 60 KiB, each octet by itself."""
    calls = daemon_function_calls(lab, pieces.__name__, "yajl_parse",
                                  lambda daemon: drip(daemon, pieces))
    show(f"a body of 60 KiB, each octet in one of its {pieces.__name__}: {calls} calls of the parser")


def test_instructions_of_a_listing(lab: Lab, build: Path, show: Print) -> None:
    """Beside libmicrohttpd alone with the same request and an answer as long."""
    ours = daemon_instructions(build, lab, "instructions", listing)
    daemon = Daemon(lab, "asked")
    octets = daemon.requests.modern("tools/list")
    server = daemon.start()
    answer = ask(server.port, octets)
    daemon.stop()
    theirs = bare_instructions(build, lab.folder, octets, answer, free_port())
    show(f"a listing: {ours / theirs:.2f} of the instructions of libmicrohttpd alone")


def test_memory_of_an_idle_gateway(lab: Lab, build: Path, show: Print) -> None:
    """No table of words is made when it starts that could be made when it is built."""
    daemon = Daemon(lab, "idle")
    server = daemon.start()
    written(build / "ofono-mcp")
    private_kib = memory_kib(server.pid)["Private_Dirty"]
    daemon.stop()
    show(f"an idle gateway: {private_kib} KiB private memory")


def test_memory_of_a_stream(lab: Lab, build: Path, show: Print) -> None:
    """Of the request that opened it only what it needs is left."""
    daemon = Daemon(lab, "streams")
    each = private_kib_each(daemon, daemon.listeners(FIRST + CROWD), LISTENS)
    daemon.stop()
    show(f"a stream: {each - POOL_KIB:.2f} KiB beside its pool")


def test_memory_of_a_waiting_call(lab: Lab, build: Path, show: Print) -> None:
    daemon = Daemon(lab, "waiting")
    server = daemon.start()
    send = marked(requests(daemon, 1)[0])

    def private_kib(waiting: int) -> int:
        """One more may be in oFono's hands."""
        wait_until(lambda: daemon.call("get_gateway_status", detail=True)["queue"]["waiting"]
                   >= waiting - 1, what="they wait")
        return memory_kib(server.pid)["Private_Dirty"]

    with ExitStack() as exits:
        lab.ofonod.pause()
        exits.callback(lab.ofonod.resume)
        exits.enter_context(connections(server.port, [send] * FIRST, b""))
        before = private_kib(FIRST)
        exits.enter_context(connections(server.port, [send] * CROWD, b""))
        each = (private_kib(FIRST + CROWD) - before) / CROWD
        daemon.stop()
    show(f"a waiting call: {each - POOL_KIB:.2f} KiB beside its pool")


def test_size_of_the_program(build: Path, show: Print) -> None:
    stripped = build / "bench" / "stripped"
    subprocess.run(["strip", "-o", stripped, build / "ofono-mcp"], check=True)
    show(f"the program, stripped: {stripped.stat().st_size // 1024} KiB")
