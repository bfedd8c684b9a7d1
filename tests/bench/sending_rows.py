# SPDX-License-Identifier: GPL-2.0-or-later
"""Rows 3 and 4: send_sms through the real ofonod, compared with a libdbus client that submits
the same messages and waits for `sent` (sender.c), and stores nothing."""

from __future__ import annotations

import json
import os
import subprocess
from collections.abc import Iterator
from contextlib import contextmanager, suppress
from pathlib import Path

from daemon import Daemon, memory_kib
from fast_lab import Relay, end, fast_lab
from lab import Lab
from rounds import Comparison, Sample, compare
from server import Load
from table import Line, compared, number
from wire_request import MARK, call

TO = "+36301234567"
MEASURE_S = 0.8
IN_FLIGHT = 1000
SLOW_MODEMS, SLOW_MS = 32, 1000      # the daemon does not take more
RSS_MOST_MIB = 14


class Sender:
    """The anchor, for that many of the lab's modems."""

    def __init__(self, build: Path, lab: Lab, modems: int) -> None:
        self._child = subprocess.Popen(
            [build / "bench" / "sender", *(f"/{modem.name}" for modem in lab.modems[:modems])],
            env=os.environ | lab.bus.environment, text=True, bufsize=1,
            stdin=subprocess.PIPE, stdout=subprocess.PIPE)
        self.pid = self._child.pid

    def round(self, seconds: float) -> Sample:
        self._child.stdin.write(f"{seconds}\n")
        told = json.loads(self._child.stdout.readline())
        return Sample(told["answers"], told["seconds"], 0, told["p50_us"], told["p99_us"])

    def stop(self) -> None:
        end(self._child)


@contextmanager
def sender(build: Path, lab: Lab, modems: int) -> Iterator[Sender]:
    one = Sender(build, lab, modems)
    try:
        yield one
    finally:
        one.stop()


def requests(daemon: Daemon, modems: int) -> list[bytes]:
    """One for each SIM; every text is different."""
    return [daemon.requests.legacy("tools/call", call(
        "send_sms", to_phone_number=TO, sms_text=f"bench {MARK}", subscription_id=sim,
        wait_seconds=120)) for sim in daemon.sims()[:modems]]


def beside_sender(build: Path, lab: Lab, relay: Relay, daemon: Daemon,
                  modems: int) -> Comparison:
    """The work of the bus and oFono for a message is not noise."""
    load = Load(build, daemon.server, requests(daemon, modems), modems)
    others = [lab.bus.pid, lab.ofonod.pid, relay.pid]
    with sender(build, lab, modems) as anchor:
        return compare(
            lambda: load.run("--seconds", str(MEASURE_S), "--warm-up", "0.1", others=others),
            lambda: anchor.round(MEASURE_S))


def sending_lines(build: Path) -> Iterator[Line]:
    with fast_lab(build, modem_count=8) as (lab, relay):
        daemon = Daemon(lab, "sending")
        daemon.start()
        try:
            for modems, what, target in ((1, "one SIM, one at a time", 0.80),
                                         (8, "8 SIMs busy", 0.90)):
                result = beside_sender(build, lab, relay, daemon, modems)
                yield compared(3, f"send_sms, {what}", result, lambda one: one.rate, "/s",
                               target)
                yield compared(3, "  p50", result, lambda one: one.p50_us / 1e3, "ms")
                yield compared(3, "  p99", result, lambda one: one.p99_us / 1e3, "ms")
        finally:
            daemon.stop()


def watched(load: Load, pid: int, *arguments: str) -> tuple[Sample, int, int]:
    """Also the most memory (KiB) and threads that the daemon had meanwhile."""
    most_kib, most_threads = 0, 0
    child = subprocess.Popen([*load.command, *arguments], stdin=subprocess.PIPE,
                             stdout=subprocess.PIPE)
    try:
        child.stdin.write(load.input)
        child.stdin.close()
        while child.poll() is None:
            most_kib = max(most_kib, memory_kib(pid)["Rss"])
            most_threads = max(most_threads, len(os.listdir(f"/proc/{pid}/task")))
            with suppress(subprocess.TimeoutExpired):
                child.wait(0.2)
        text = child.stdout.read()
    finally:
        child.kill()
        child.wait()
        child.stdout.close()
    if child.returncode or json.loads(text)["answers"] != IN_FLIGHT:
        raise RuntimeError(f"not {IN_FLIGHT} good answers; the daemon had {most_kib} KiB; "
                           f"{text.decode() or 'load says why'}")
    told = json.loads(text)
    return (Sample(told["answers"], told["seconds"], 0, told["p50_us"], told["max_us"]),
            most_kib, most_threads)


def in_flight_lines(build: Path) -> Iterator[Line]:
    with fast_lab(build, SLOW_MODEMS, SLOW_MS) as (lab, _):
        daemon = Daemon(lab, "in-flight")
        server = daemon.start()
        try:
            load = Load(build, server, requests(daemon, SLOW_MODEMS), IN_FLIGHT)
            done, kib, threads = watched(load, server.pid, "--count", str(IN_FLIGHT))
        finally:
            daemon.stop()
    rounds = -(-IN_FLIGHT // SLOW_MODEMS)       # some modems have one message more
    can = IN_FLIGHT * 1000 / (rounds * SLOW_MS)
    longest_s, ideal_s = done.p99_us / 1e6, IN_FLIGHT / can
    yield Line(4, f"{IN_FLIGHT:,} send_sms in flight, {SLOW_MODEMS} SIMs, 1 s each",
               f"{number(done.rate)} /s", f"{number(can)} /s", done.rate / can, target=0.99)
    yield Line(4, "  the one that waited longest", f"{number(longest_s)} s",
               f"{number(ideal_s)} s", longest_s / ideal_s, target=-1.05)
    yield Line(4, "  RSS", f"{number(kib / 1024)} MiB", f"{RSS_MOST_MIB} MiB",
               kib / 1024 / RSS_MOST_MIB, target=-1)
    yield Line(4, "  threads", str(threads), "1", float(threads), target=-1)
