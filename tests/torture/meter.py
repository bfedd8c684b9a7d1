# SPDX-License-Identifier: GPL-2.0-or-later
"""Measures the gateway through /proc repeatedly: memory, descriptors, threads."""

from __future__ import annotations

import os
import re
import time
from collections.abc import Callable
from dataclasses import asdict, dataclass
from pathlib import Path

from lab.beside import Beside


@dataclass(frozen=True)
class Sample:
    at: float
    pid: int
    private_dirty_kib: int
    rss_kib: int
    descriptors: int
    threads: int


def measure(pid: int) -> Sample | None:
    """None if the process does not exist."""
    process = Path(f"/proc/{pid}")
    try:
        memory = (process / "smaps_rollup").read_text()
        threads = len(os.listdir(process / "task"))
        descriptors = len(os.listdir(process / "fd"))
    except OSError:
        return None
    kib = {name: int(value) for name, value in re.findall(r"^(\w+):\s+(\d+) kB", memory, re.M)}
    if "Private_Dirty" not in kib:
        return None
    return Sample(time.monotonic(), pid, kib["Private_Dirty"], kib["Rss"], descriptors, threads)


class Meter(Beside):
    """with Meter(lambda: gateway.pid) as meter: ..."""

    def __init__(self, pid: Callable[[], int], period_s: float = 0.5) -> None:
        super().__init__(self._measure_again, period_s)
        self._pid = pid
        self.samples: list[Sample] = []

    def _measure_again(self) -> bool:
        if sample := measure(self._pid()):
            self.samples.append(sample)
        return True

    def record(self, most: int = 200) -> list[dict[str, float]]:
        """Evenly spread samples for a report."""
        step = max(1, len(self.samples) // most)
        return [asdict(sample) for sample in self.samples[::step]]
