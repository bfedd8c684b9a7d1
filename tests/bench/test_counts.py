# SPDX-License-Identifier: GPL-2.0-or-later
"""What can be counted exactly is as it was promised: doc/performance.md, "Gates"."""

from __future__ import annotations

import os
import re
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
from fast_lab import Relay, fast_lab
from incoming_rows import SENDER, Hearer, stored
from lab import Lab, wait_until
from lab.gateway import BINARY, free_port
from memory_rows import LISTENS, POOL_KIB, connections, private_kib_each, written
from modem.pdu import encode_deliver
from sending_rows import requests
from server import Load
from wire_request import LENGTH, ask, call, marked, receive

BUILD = Path(os.environ.get("GATEWAY_BINARY", BINARY)).parent
LIBRARIES = {"libdbus-1.so.3", "libmicrohttpd.so.12", "libyajl.so.2", "libsystemd.so.0",
             "libsqlite3.so.0", "libgnutls.so.30", "libinih.so.1", "libqrencode.so.4",
             "libc.so.6"}
# 81 are the numbering plans of all countries, 200 events, webhooks, the bridge, commands by SMS
# and the words by which texts for agents are found
STRIPPED_MOST_KIB = 1400
IN_A_TURN = 192
CROWD = 500                     # connections
FIRST = 50                      # of them, whose memory was allocated before
STREAM_KIB, CALL_KIB = 2.75, 3.25       # beside the pool; of a call, 0.3 are pages of the search
                                        # index in SQLite's cache, which has an end
IDLE_PRIVATE_MOST_KIB = 1740    # about 1,560; more with other versions of the libraries
STEPS = {"call": "SendMessage", "sync": "sync(", "write": "pwrite64("}


@pytest.fixture(scope="module")
def fast() -> Iterator[tuple[Lab, Relay]]:
    subprocess.run(["make", "--no-print-directory", "bench-programs", f"BUILD={BUILD}"],
                   cwd=Path(__file__).resolve().parents[2], check=True,
                   env=os.environ | {"MAKEFLAGS": ""}, stdout=subprocess.DEVNULL)
    with fast_lab(BUILD, modem_count=2) as both:
        yield both


@pytest.fixture
def lab(fast: tuple[Lab, Relay]) -> Lab:
    return fast[0]


def listing(daemon: Daemon) -> list[bytes]:
    return [daemon.requests.legacy("tools/list")]


@pytest.mark.parametrize(("connections", "most"), [(1, 16.5), (64, 12.5)])
def test_a_listing_takes_few_system_calls(lab: Lab, connections: int, most: float) -> None:
    """One at a time: recv and send of the peer, and of both ends of the pair; two setsockopt of
    libmicrohttpd, which takes the pair for TCP; three epoll_wait, and sd-event's gettid.  Some
    timers of the start expire, and are read, only in the longer of two runs: on a busy machine,
    one for five requests."""
    calls = daemon_system_calls(BUILD, lab, f"calls-{connections}", listing, connections)
    assert calls["total"] <= most, calls
    assert calls.get("read", 0) <= 0.2, calls
    assert not {"openat", "fcntl", "write", *SYNCS} & {
        name for name, count in calls.items() if count >= 0.06}, calls


@pytest.mark.parametrize("name", ["get_sms_subscriptions", "get_gateway_status"])
def test_a_listing_makes_no_bus_call(lab: Lab, name: str) -> None:
    """Two sendmsg and three recvfrom are the HTTP of it; all else would be more."""
    calls = daemon_system_calls(
        BUILD, lab, f"bus-{name}",
        lambda daemon: [daemon.requests.legacy("tools/call", call(name))], 16)
    assert 1.95 <= calls["sendmsg"] <= 2.05 and calls.get("recvmsg", 0) <= 0.2, calls
    assert all(calls.get(sync, 0) < 0.02 for sync in SYNCS), calls


def test_each_message_waits_for_the_disk_once(lab: Lab) -> None:
    """Before it leaves; under strace it takes so long that the timer that confirms lazy writes
    (SYNC_MS) expires between two messages, which counts as another, and so does that of the feed
    (SYNC_USEC) now and then.  Each of three commits writes about ten pages, the first some more
    for the search index, a page with two calls, and takes SQLite's locks, as do what the policy
    reads and, after a commit, the head of the feed.  No memory comes and goes with every
    message."""
    calls = daemon_system_calls(BUILD, lab, "syncs",
                                lambda daemon: requests(daemon, 1), 1)
    waits = sum(calls.get(sync, 0) for sync in SYNCS)
    assert 0.9 <= waits <= 2.5, calls
    assert calls["pwrite64"] <= 78 and calls["fcntl"] <= 31, calls
    assert calls.get("brk", 0) + calls.get("mmap", 0) <= 0.5, calls
    assert calls["total"] <= 158, calls


def test_a_submission_is_on_disk_before_it_leaves(lab: Lab) -> None:
    """That a message is being handed over is waited for before SendMessage leaves."""
    output = lab.folder / "order"
    daemon = Daemon(lab, "radio", ["strace", "-D", "-f", "-s", "400", "-o", str(output),
                                   "-e", "trace=fdatasync,fsync,sendmsg,pwrite64"])
    server = daemon.start()
    began = len(output.read_text())
    Load(BUILD, server, requests(daemon, 1), 1).run("--count", "5")
    daemon.stop()
    wait_until(lambda: "+++ exited" in output.read_text(), what="all is written")
    steps = [next((step for step, word in STEPS.items() if word in line), "")
             for line in output.read_text()[began:].splitlines()]
    calls = [place for place, step in enumerate(steps) if step == "call"]
    assert len(calls) == 5, steps
    for place in calls:
        before = [step for step in steps[:place] if step in ("write", "sync")]
        assert before[-1] == "sync", before[-5:]


def test_a_group_of_messages_waits_for_the_disk_once(fast: tuple[Lab, Relay]) -> None:
    """64 in a group; the rest are those of start, checkpoints and end."""
    lab, relay = fast
    output = lab.folder / "counted"
    daemon = Daemon(lab, "group", [word.format(folder=lab.folder) for word in STRACE])
    hearer = Hearer(BUILD, lab)
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
    assert waits <= IN_A_TURN // 4, calls


def test_the_bus_refuses_none_of_many_submissions(lab: Lab) -> None:
    """It allows 128 replies that are awaited, of whom many more are."""
    output = lab.folder / "refused"
    daemon = Daemon(lab, "many", ["strace", "-D", "-f", "-s", "300", "-o", str(output),
                                  "-e", "trace=sendmsg,recvmsg"])
    server = daemon.start()
    Load(BUILD, server, requests(daemon, 2), 200).run("--count", "200")
    daemon.stop()
    wait_until(lambda: "+++ exited" in output.read_text(), what="all is written")
    told = output.read_text()
    assert told.count("SendMessage") >= 200
    assert "LimitsExceeded" not in told


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
def test_a_body_is_parsed_in_few_pieces(
        lab: Lab, pieces: Callable[[bytes], Iterator[bytes]]) -> None:
    """However it comes: 60 KiB, each octet by itself."""
    calls = daemon_function_calls(lab, pieces.__name__, "yajl_parse",
                                  lambda daemon: drip(daemon, pieces))
    assert 2 <= calls <= 16, calls


def test_a_listing_takes_few_instructions(lab: Lab) -> None:
    """Beside libmicrohttpd alone with the same request and an answer as long."""
    ours = daemon_instructions(BUILD, lab, "instructions", listing)
    daemon = Daemon(lab, "asked")
    octets = daemon.requests.modern("tools/list")
    server = daemon.start()
    answer = ask(server.port, octets)
    daemon.stop()
    theirs = bare_instructions(BUILD, lab.folder, octets, answer, free_port())
    assert ours / theirs <= 4.5, (ours, theirs)


def test_an_idle_gateway_keeps_little_memory(lab: Lab) -> None:
    """No table of words is made when it starts that could be made when it is built."""
    daemon = Daemon(lab, "idle")
    server = daemon.start()
    written(BUILD / "ofono-mcp")
    private_kib = memory_kib(server.pid)["Private_Dirty"]
    daemon.stop()
    assert private_kib <= IDLE_PRIVATE_MOST_KIB, private_kib


def test_a_crowd_leaves_no_memory_behind(lab: Lab) -> None:
    """Most of it is given back when most have gone, without waking up for it later."""
    daemon = Daemon(lab, "crowd")
    server = daemon.start()
    ping = [marked(daemon.requests.legacy("ping"))]

    def private_kib() -> int:
        return memory_kib(server.pid)["Private_Dirty"]

    alone = private_kib()
    with connections(server.port, ping * CROWD, b'"result":{}}'):
        assert private_kib() - alone > 6 * CROWD
    wait_until(lambda: private_kib() - alone < CROWD, what="memory is given back")
    daemon.stop()


def test_a_stream_takes_little_memory(lab: Lab) -> None:
    """Of the request that opened it only what it needs is left."""
    daemon = Daemon(lab, "streams")
    each = private_kib_each(daemon, daemon.listeners(FIRST + CROWD), LISTENS)
    daemon.stop()
    assert each <= POOL_KIB + STREAM_KIB, each


def test_a_waiting_call_takes_little_memory(lab: Lab) -> None:
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
    assert each <= POOL_KIB + CALL_KIB, each


def test_the_program_stays_small() -> None:
    stripped = BUILD / "bench" / "stripped"
    subprocess.run(["strip", "-o", stripped, BUILD / "ofono-mcp"], check=True)
    assert stripped.stat().st_size <= STRIPPED_MOST_KIB * 1024
    needed = subprocess.run(["readelf", "-d", stripped], check=True, capture_output=True,
                            text=True).stdout
    libraries = set(re.findall(r"\(NEEDED\).*\[(.*)\]", needed))
    assert libraries - {"libm.so.6"} == LIBRARIES
