# SPDX-License-Identifier: GPL-2.0-or-later
"""A stream of sends that continues while something breaks."""

from __future__ import annotations

import http.client
import random
import threading
from collections.abc import Iterator
from contextlib import contextmanager

from agent import Agent, Result
from lab import Lab
from lab.seed import seed
from modem.patience import patience

LOST = (OSError, http.client.HTTPException)         # what a call raises in a crash


class Moments:
    """Waits of random length, so that the moments of the kills differ; no condition is
    awaited. MOMENTS_SEED repeats their lengths."""

    def __init__(self) -> None:
        self._dice = random.Random(seed("MOMENTS_SEED"))

    def wait(self, most_s: float) -> None:
        threading.Event().wait(patience(self._dice.uniform(0, most_s)))


class Stream:
    """Agents that send one text after another, whatever happens to the gateway."""

    def __init__(self, lab: Lab, agents: int) -> None:
        self._lab = lab
        self._over = threading.Event()
        self._threads = [threading.Thread(target=self._send_on, args=(number,))
                         for number in range(agents)]
        self.answers: dict[str, Result] = {}

    @contextmanager
    def running(self) -> Iterator[None]:
        for thread in self._threads:
            thread.start()
        try:
            yield
        finally:
            self._over.set()
            for thread in self._threads:
                thread.join()

    def _send_on(self, agent: int) -> None:
        number = 0
        while not self._over.wait(0.001):
            number += 1
            text = f"agent {agent}, text {number}"
            try:
                self.answers[text] = Agent(self._lab).send(text)
            except LOST:
                continue
