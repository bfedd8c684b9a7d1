# SPDX-License-Identifier: GPL-2.0-or-later
"""Row 5: incoming messages through the real ofonod, as fast as it takes them from eight
modems; compared with a bare libdbus client that receives the same signals (hearer.c)."""

from __future__ import annotations

import os
import select
import socket
import sqlite3
import subprocess
import time
from collections.abc import Iterator
from contextlib import ExitStack
from datetime import datetime, timedelta, timezone
from pathlib import Path
from statistics import median

from daemon import Daemon
from fast_lab import Relay, fast_lab
from lab import Lab, wait_until
from memory_rows import LISTENS, connections
from modem.pdu import encode_deliver
from table import Line, number

MODEMS, FLOOD, SINGLES, LISTENERS = 8, 1000, 50, 1000
PATIENCE_S = 20
SENDER = "+36209876543"
EVENT = b"notifications/resources/updated"


class Hearer:
    def __init__(self, build: Path, lab: Lab) -> None:
        self._child = subprocess.Popen([build / "bench" / "hearer"],
                                       env=os.environ | lab.bus.environment,
                                       stdout=subprocess.PIPE, text=True)
        assert self._child.stdout.readline() == "ready\n"

    def times_ns(self, count: int) -> list[int]:
        return [int(self._child.stdout.readline()) for _ in range(count)]

    def stop(self) -> None:
        self._child.kill()
        self._child.wait()
        self._child.stdout.close()


def deliver(relay: Relay, count: int, word: str) -> None:
    """Each message is different: none counts as a repeat."""
    began = datetime.now(timezone.utc)
    for i in range(count):
        relay.deliver(i % MODEMS, encode_deliver(
            SENDER, f"{word} {i}", began - timedelta(seconds=i)))


def stored(daemon: Daemon) -> int:
    with sqlite3.connect(f"file:{daemon.state}/gateway.db?mode=ro", uri=True) as ledger:
        return ledger.execute("SELECT count(*) FROM message WHERE direction = 1").fetchone()[0]


def flood_line(daemon: Daemon, relay: Relay, hearer: Hearer) -> Line:
    before = stored(daemon)
    deliver(relay, FLOOD, "flood")
    heard = hearer.times_ns(FLOOD)
    wait_until(lambda: stored(daemon) >= before + FLOOD, timeout=60,
               what="what came in is stored")
    theirs = (heard[-1] - heard[0]) / 1e9
    ours = (time.monotonic_ns() - heard[0]) / 1e9
    return Line(5, f"{FLOOD:,} messages come in, told and stored durably",
                f"{number(FLOOD / ours)} /s", f"{number(FLOOD / theirs)} /s", theirs / ours)


def heard_by_all(wires: list[socket.socket]) -> bool:
    """False: some have not read about it in that time."""
    with select.epoll() as poll:
        waiting = {wire.fileno(): (wire, b"") for wire in wires}
        for fd in waiting:
            poll.register(fd, select.EPOLLIN)
        end = time.monotonic() + PATIENCE_S
        while waiting and time.monotonic() < end:
            for fd, _ in poll.poll(1):
                wire, before = waiting[fd]
                got = wire.recv(1 << 16)
                waiting[fd] = (wire, before + got)
                if not got or EVENT in before + got:
                    poll.unregister(fd)
                    del waiting[fd]
                assert got, "the daemon has left a listener"
        return not waiting


def event_ms(wires: list[socket.socket], relay: Relay, hearer: Hearer,
             number_of: int) -> list[float]:
    """From oFono's signal until all have read of it, one after the other."""
    times = []
    for i in range(number_of):
        relay.deliver(0, encode_deliver(SENDER, f"one {len(wires)} {i}",
                                        datetime.now(timezone.utc)))
        if not heard_by_all(wires):
            raise TimeoutError(f"not all of {len(wires):,} have heard of one in {PATIENCE_S} s")
        ended = time.monotonic_ns()
        [told] = hearer.times_ns(1)
        times.append((ended - told) / 1e6)
    return sorted(times)


def listener_lines(daemon: Daemon, relay: Relay, hearer: Hearer) -> Iterator[Line]:
    port = daemon.server.port
    with connections(port, daemon.listeners(1), LISTENS) as wires:
        one = event_ms(wires, relay, hearer, SINGLES)
    yield Line(5, "from the signal to a listener's event, p50", f"{number(median(one))} ms")
    yield Line(5, "  p99", f"{number(one[-1])} ms")
    with connections(port, daemon.listeners(LISTENERS), LISTENS) as wires:
        many = event_ms(wires, relay, hearer, 5)
    yield Line(5, f"  to the last of {LISTENERS:,} listeners", f"{number(median(many))} ms")


def incoming_lines(build: Path) -> Iterator[Line]:
    with ExitStack() as exits:
        lab, relay = exits.enter_context(fast_lab(build, MODEMS))
        daemon = Daemon(lab, "incoming")
        daemon.start()
        exits.callback(daemon.stop)
        hearer = Hearer(build, lab)
        exits.callback(hearer.stop)
        yield flood_line(daemon, relay, hearer)
        yield from listener_lines(daemon, relay, hearer)
