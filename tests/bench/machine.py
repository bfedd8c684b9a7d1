# SPDX-License-Identifier: GPL-2.0-or-later
"""The machine: which CPU does what, how busy other programs keep it, and its description."""

from __future__ import annotations

import os
import platform
import time
from collections.abc import Iterable

CPUS = sorted(os.sched_getaffinity(0))
SERVER_CPU, CLIENT_CPU = CPUS[0], CPUS[-1]
HAS_TWO = len(CPUS) > 1
TICK_S = 1 / os.sysconf("SC_CLK_TCK")
IDLE_FIELDS = (3, 4)                    # of the line "cpu" of /proc/stat: idle, iowait


def cpu_clock(pid: int) -> int:
    """The CPU clock of another process, all its threads: clock_getcpuclockid(3)."""
    return (~pid << 3) | 2


def cpu_s(pid: int) -> float:
    return time.clock_gettime(cpu_clock(pid))


def pin(pid: int, cpu: int) -> None:
    for thread in os.listdir(f"/proc/{pid}/task"):
        os.sched_setaffinity(int(thread), {cpu})


def unpin(pid: int) -> None:
    for thread in os.listdir(f"/proc/{pid}/task"):
        os.sched_setaffinity(int(thread), set(CPUS))


def busy_s() -> float:
    """The CPU time of all CPUs since the machine booted."""
    with open("/proc/stat", encoding="ascii") as stat:
        ticks = [int(field) for field in stat.readline().split()[1:9]]
    return (sum(ticks) - sum(ticks[field] for field in IDLE_FIELDS)) * TICK_S


def own_s(pids: Iterable[int]) -> float:
    times = os.times()
    return (times.user + times.system + times.children_user + times.children_system
            + sum(cpu_s(pid) for pid in pids))


class ForeignLoad:
    """How many CPUs other programs kept busy since this was made, besides us and `pids`."""

    def __init__(self, pids: Iterable[int]) -> None:
        self._pids = list(pids)
        self._began = time.monotonic()
        self._busy, self._own = busy_s(), own_s(self._pids)

    def cpus(self) -> float:
        seconds = time.monotonic() - self._began
        others = busy_s() - self._busy - (own_s(self._pids) - self._own)
        return max(0.0, others / seconds)


def description() -> str:
    return (f"{platform.system()} {platform.release()}, {len(CPUS)} CPUs, "
            f"load {os.getloadavg()[0]:.1f}")
