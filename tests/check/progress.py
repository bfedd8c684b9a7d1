# SPDX-License-Identifier: GPL-2.0-or-later
"""A line every few seconds while a part runs, on a terminal as in a file.

How far pytest is, count_tests.py writes into a file.
"""

from __future__ import annotations

import os
import threading
import time
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

EVERY_S = 8.0                               # "at least every 10 s"


class Progress:
    def __init__(self) -> None:
        self._part, self._doing, self._file = "", "", Path(os.devnull)

    @contextmanager
    def of_part(self, part: str, doing: str) -> Iterator[None]:
        """While this lasts, lines show how far the part is."""
        self._part, self._doing, self._file = part, doing, Path(os.devnull)
        print(f"{part:16} {doing}", flush=True)
        ended = threading.Event()
        ticker = threading.Thread(target=self._tick, args=(ended,), daemon=True)
        ticker.start()
        try:
            yield
        finally:
            ended.set()
            ticker.join()

    def now(self, doing: str) -> None:
        """What the part does at present."""
        self._doing, self._file = doing, Path(os.devnull)

    def counts_in(self, file: Path) -> None:
        """count_tests.py writes them there."""
        self._file = file

    def _tick(self, ended: threading.Event) -> None:
        began = time.monotonic()
        while not ended.wait(EVERY_S):
            minutes, seconds = divmod(int(time.monotonic() - began), 60)
            print(f"{self._part:16} {self._state()}, {minutes}:{seconds:02}", flush=True)

    def _state(self) -> str:
        try:
            total, passed, failed = self._file.read_text().split()
        except (OSError, ValueError):       # not counted yet
            return self._doing
        return f"{passed} of {total} passed, {failed} failed"
