# SPDX-License-Identifier: GPL-2.0-or-later
"""A line every few seconds while a part runs, on a terminal and in a file.

Several parts may run at once, each with a Progress of its own. count_tests.py writes pytest's
progress to a file.
"""

from __future__ import annotations

import os
import sys
import threading
import time
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

EVERY_S = 8.0                               # "at least every 10 s"

saying = threading.Lock()


def say(*lines: str) -> None:
    """Prints them at once and together, whatever other parts print."""
    with saying:
        sys.stdout.write("".join(f"{line}\n" for line in lines))
        sys.stdout.flush()


class Progress:
    def __init__(self) -> None:
        self._part, self._doing, self._file = "", "", Path(os.devnull)

    @contextmanager
    def of_part(self, part: str, doing: str) -> Iterator[None]:
        """Prints progress lines as long as the context lasts."""
        self._part, self._doing, self._file = part, doing, Path(os.devnull)
        say(f"{part:16} {doing}")
        ended = threading.Event()
        ticker = threading.Thread(target=self._tick, args=(ended,), daemon=True)
        ticker.start()
        try:
            yield
        finally:
            ended.set()
            ticker.join()

    def now(self, doing: str) -> None:
        """Sets what the part is doing now."""
        self._doing, self._file = doing, Path(os.devnull)

    def counts_in(self, file: Path) -> None:
        """count_tests.py writes them there."""
        self._file = file

    def _tick(self, ended: threading.Event) -> None:
        began = time.monotonic()
        while not ended.wait(EVERY_S):
            minutes, seconds = divmod(int(time.monotonic() - began), 60)
            say(f"{self._part:16} {self._state()}, {minutes}:{seconds:02}")

    def _state(self) -> str:
        try:
            total, passed, failed = self._file.read_text().split()
        except (OSError, ValueError):       # not counted yet
            return self._doing
        return f"{passed} of {total} passed, {failed} failed"
