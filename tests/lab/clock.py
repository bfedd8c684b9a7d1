# SPDX-License-Identifier: GPL-2.0-or-later
"""Settable clocks for a lab's programs, and a machine that sleeps and boots
(tests/torture/clock.c)."""

from __future__ import annotations

import os
import struct
import time
from pathlib import Path

from .gateway import BINARY

PRELOAD = Path(os.environ.get("GATEWAY_BINARY", BINARY)).resolve().parent / "torture/clock.so"
NS = 10 ** 9


class Clock:
    """For every program started with `environment`; our own clock is unchanged."""

    def __init__(self, folder: Path) -> None:
        self._file = folder / "clock"
        self._ahead_s = self._slept_s = self._behind_s = 0.0
        self._boots = 0
        self._write()
        self.environment = {
            "LD_PRELOAD": str(PRELOAD), "OFONO_MCP_CLOCK": str(self._file),
            "ASAN_OPTIONS": os.environ.get("ASAN_OPTIONS", "") + ":verify_asan_link_order=0"}

    def set(self, ahead_s: float) -> None:
        """Sets the wall clock to that many seconds ahead of ours, for all of them at once."""
        self._ahead_s = ahead_s
        self._write()

    def sleep(self, seconds: float) -> None:
        """The machine was suspended for that long, and is awake again."""
        self._slept_s += seconds
        self._write()

    def boot(self, ahead_s: float) -> None:
        """The machine was off, and has just been booted with that wall clock. Programs that run
        keep their boot ID: end them first."""
        self._ahead_s, self._slept_s = ahead_s, 0.0
        self._boots += 1
        self._behind_s = time.clock_gettime(time.CLOCK_BOOTTIME)
        self._write()

    def _write(self) -> None:
        with open(self._file, "r+b" if self._file.exists() else "wb") as file:
            file.write(struct.pack("=qqqq", int(self._ahead_s * NS), int(self._slept_s * NS),
                                   self._boots, int(self._behind_s * NS)))
