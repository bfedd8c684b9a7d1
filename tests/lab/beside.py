# SPDX-License-Identifier: GPL-2.0-or-later
"""An action that is repeated in a thread while something else goes on."""

from __future__ import annotations

import threading
from collections.abc import Callable


class Beside:
    """with Beside(look, 0.5): ...        `look` says whether to go on

    It pauses before each action; leaving waits for the last one to end.
    """

    def __init__(self, look: Callable[[], bool], pause_s: float) -> None:
        self._look = look
        self._pause_s = pause_s
        self._over = threading.Event()
        self._thread = threading.Thread(target=self._run)

    def __enter__(self) -> Beside:
        self._thread.start()
        return self

    def __exit__(self, *_: object) -> None:
        self._over.set()
        self._thread.join()

    def _run(self) -> None:
        while not self._over.wait(self._pause_s):
            if not self._look():
                return
