# SPDX-License-Identifier: GPL-2.0-or-later
"""Row 6: memory, sizes, the start, and what an idle daemon does."""

from __future__ import annotations

import os
import socket
import subprocess
import time
from collections.abc import Callable, Iterator, Sequence
from contextlib import ExitStack, contextmanager
from pathlib import Path
from statistics import median

from daemon import Daemon, memory_kib
from lab import Lab
from server import Server, bare_command, started
from table import Line, number
from wire_request import Answer, ask, marked, receive

FIRST_CONNECTIONS, CONNECTIONS, STARTS = 50, 1000, 15
LOOKS = 4                       # of 6 s
LISTENS = b"notifications/subscriptions/acknowledged"
POOL_KIB = 14                   # of libmicrohttpd for each connection
STREAM_ANCHOR_KIB = 5.4         # of the engine's prototype, with a pool of 4 KiB
IDLE_RATIO, PRIVATE_MOST_KIB = 1.25, 1536


def read_until(wire: socket.socket, word: bytes) -> None:
    got = b""
    while word not in got:
        more = wire.recv(1 << 16)
        assert more, f"closed after {got[:300]!r}"
        got += more
        assert b'"error":{' not in got, got[:600]


@contextmanager
def connections(port: int, requests: Sequence[bytes],
                answer: bytes) -> Iterator[list[socket.socket]]:
    """One connection for each request, which has received an answer that contains `answer`."""
    wires: list[socket.socket] = []
    try:
        for octets in requests:
            wire = socket.create_connection(("127.0.0.1", port), 30)
            wires.append(wire)
            wire.sendall(octets)
            read_until(wire, answer)
        yield wires
    finally:
        for wire in wires:
            wire.close()


def private_kib_each(daemon: Daemon, requests: Sequence[bytes], answer: bytes) -> float:
    """Of a daemon that has just started: memory of the first ones is not counted."""
    daemon.stop()
    server = daemon.start()
    first, rest = requests[:FIRST_CONNECTIONS], requests[FIRST_CONNECTIONS:]
    with connections(server.port, first, answer):
        before = memory_kib(server.pid)["Private_Dirty"]
        with connections(server.port, rest, answer):
            return (memory_kib(server.pid)["Private_Dirty"] - before) / len(rest)


def written(program: Path) -> None:
    """A file built a moment ago counts as dirty memory until it is on disk."""
    with program.open("rb") as file:
        os.fsync(file.fileno())


def idle_line(build: Path, server: Server) -> Iterator[Line]:
    for program in (build / "ofono-mcp", build / "bench" / "empty"):
        written(program)
    ours = memory_kib(server.pid)
    with subprocess.Popen([build / "bench" / "empty"], stdin=subprocess.PIPE,
                          stdout=subprocess.PIPE) as child:
        child.stdout.readline()
        empty = memory_kib(child.pid)
        child.stdin.close()
    yield Line(6, "idle, RSS, beside an empty program of these libraries",
               f"{ours['Rss']:,} KiB", f"{empty['Rss']:,} KiB", ours["Rss"] / empty["Rss"],
               target=-IDLE_RATIO)
    yield Line(6, "idle, private", f"{ours['Private_Dirty']:,} KiB",
               f"{PRIVATE_MOST_KIB:,} KiB", ours["Private_Dirty"] / PRIVATE_MOST_KIB,
               target=-1)


def connection_lines(daemon: Daemon) -> Iterator[Line]:
    count = FIRST_CONNECTIONS + CONNECTIONS
    ping = marked(daemon.requests.legacy("ping"))
    idle = private_kib_each(daemon, [ping] * count, b'"result":{}}')
    stream = private_kib_each(daemon, daemon.listeners(count), LISTENS)
    yield Line(6, "  an idle connection, beside libmicrohttpd's pool + 1",
               f"{number(idle)} KiB", f"{POOL_KIB + 1} KiB", idle / (POOL_KIB + 1),
               target=-1)
    yield Line(6, "  a stream that listens, beside the prototype's",
               f"{number(stream)} KiB", f"{STREAM_ANCHOR_KIB} KiB",
               stream / STREAM_ANCHOR_KIB)


def size_lines(build: Path) -> Iterator[Line]:
    stripped = build / "bench" / "stripped"
    subprocess.run(["strip", "-o", stripped, build / "ofono-mcp"], check=True)
    yield Line(6, "the program, stripped", f"{stripped.stat().st_size // 1024:,} KiB")
    for package in sorted((build / "deb").glob("ofono-mcp_*.deb")):
        yield Line(6, "the Debian package", f"{package.stat().st_size // 1024:,} KiB")


def first_answer_ms(port: int, octets: bytes, began: float) -> float:
    """Tries until the port is open."""
    while True:
        try:
            with socket.create_connection(("127.0.0.1", port), 30) as wire:
                wire.sendall(octets)
                receive(wire)
                return (time.perf_counter() - began) * 1e3
        except ConnectionRefusedError:
            assert time.perf_counter() - began < 30


def start_line(build: Path, daemon: Daemon, answer: Answer, octets: bytes) -> Line:
    ours, anchor = [], []
    port = daemon.server.port
    daemon.stop()
    octets = marked(octets)
    for _ in range(STARTS):
        ours.append(timed_start(daemon.launch, daemon.stop, port, octets))
        began = time.perf_counter()
        with started(bare_command(build, port, answer), port, answer.body):
            anchor.append(first_answer_ms(port, octets, began))
    return Line(6, "start to first answer, beside libmicrohttpd alone",
                f"{number(median(ours))} ms", f"{number(median(anchor))} ms",
                median(ours) / median(anchor))


def timed_start(start: Callable[[], object], stop: Callable[[], object], port: int,
                octets: bytes) -> float:
    began = time.perf_counter()
    start()
    try:
        return first_answer_ms(port, octets, began)
    finally:
        stop()


def switches(pid: int) -> int:
    """How often it went to sleep, which equals its wake-ups."""
    status = Path(f"/proc/{pid}/status").read_text()
    return int(status.split("\nvoluntary_ctxt_switches:", 1)[1].split()[0])


class Idle:
    """A daemon that nobody uses while the other rows are measured."""

    def __init__(self) -> None:
        self._exits = ExitStack()

    def __enter__(self) -> Idle:
        with ExitStack() as exits:
            daemon = Daemon(exits.enter_context(Lab(modem_count=2)), "idle")
            exits.callback(daemon.stop)
            self._pid = daemon.start().pid
            self._exits = exits.pop_all()
        self._slept = self._falls_asleep()
        self._began, self._switches = time.monotonic(), switches(self._pid)
        return self

    def __exit__(self, *_: object) -> None:
        self._exits.close()

    def _falls_asleep(self) -> bool:
        """Soon; if it does not, its wake-ups are counted anyway."""
        return any(self._is_asleep() for _ in range(LOOKS))

    def _is_asleep(self) -> bool:
        before = switches(self._pid)
        time.sleep(6)           # the checks of the start are over after 5 s
        return switches(self._pid) == before

    def line(self) -> Line:
        seconds = time.monotonic() - self._began
        woke = switches(self._pid) - self._switches
        awake = "" if self._slept else ", was never asleep at first"
        return Line(6, f"wake-ups in {seconds:.0f} idle seconds{awake}", str(woke), "0",
                    float(woke), target=-1e-9 if seconds >= 60 else None)


def memory_lines(build: Path) -> Iterator[Line]:
    with ExitStack() as exits:
        daemon = Daemon(exits.enter_context(Lab(modem_count=2)), "memory")
        exits.callback(daemon.stop)
        server = daemon.start()
        octets = daemon.requests.legacy("ping")
        answer = ask(server.port, octets)
        yield from idle_line(build, server)
        yield from connection_lines(daemon)
        yield from size_lines(build)
        yield start_line(build, daemon, answer, octets)
