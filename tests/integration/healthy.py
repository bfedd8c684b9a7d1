# SPDX-License-Identifier: GPL-2.0-or-later
"""A client that asks again and again while something goes on beside it."""

from __future__ import annotations

import threading
import time
from collections.abc import Callable

from lone_gateway import LoneGateway
from wire import Closed, Reply, request, rpc

ASKED = request(rpc("tools/list"))
BETWEEN_S = 0.005


class Healthy:
    """with Healthy(gateway) as healthy: ... healthy.assert_noticed_nothing()

    On a connection that stays open, and on a new one from its own address for each tenth call.
    """

    def __init__(self, gateway: LoneGateway, source: str = "127.0.0.9") -> None:
        self._gateway = gateway
        self._source = source
        self._over = threading.Event()
        self._thread = threading.Thread(target=self._run)
        self.waits_s: list[float] = []
        self.wrong: list[str] = []

    def __enter__(self) -> Healthy:
        self._thread.start()
        return self

    def __exit__(self, *_: object) -> None:
        self._over.set()
        self._thread.join()

    def _run(self) -> None:
        with self._gateway.wire(self._source) as kept:
            while not self._over.wait(BETWEEN_S):
                self._measure(lambda: kept.ask(ASKED))
                if len(self.waits_s) % 10 == 0:
                    self._measure(self._ask_anew)

    def _ask_anew(self) -> Reply:
        with self._gateway.wire(self._source) as wire:
            return wire.ask(ASKED)

    def _measure(self, ask: Callable[[], Reply]) -> None:
        begin = time.monotonic()
        try:
            reply = ask()
        except (Closed, OSError) as error:
            self.wrong.append(repr(error))
            self._over.set()
            return
        self.waits_s.append(time.monotonic() - begin)
        if reply.status != 200:
            self.wrong.append(str(reply))

    def assert_noticed_nothing(self, most_s: float) -> None:
        assert not self.wrong, self.wrong
        assert self.waits_s and max(self.waits_s) < most_s
