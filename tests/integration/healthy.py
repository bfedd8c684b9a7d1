# SPDX-License-Identifier: GPL-2.0-or-later
"""A client that repeats a request while something else goes on."""

from __future__ import annotations

import time
from collections.abc import Callable

from lab import wait_until
from lab.beside import Beside
from lone_gateway import LoneGateway
from wire import Closed, Reply, request, rpc

ASKED = request(rpc("tools/list"))
BETWEEN_S = 0.005


class Healthy(Beside):
    """with Healthy(gateway) as healthy: ... healthy.wait_served()
    healthy.assert_served()

    Nine of ten calls use one connection that stays open; each tenth uses a new connection from
    a new address.
    """

    def __init__(self, gateway: LoneGateway, source: str = "127.0.0.9") -> None:
        super().__init__(self._ask_again, BETWEEN_S)
        self._gateway = gateway
        self._source = source
        self.waits_s: list[float] = []
        self.wrong: list[str] = []

    def __enter__(self) -> Healthy:
        self._kept = self._gateway.wire(self._source)
        super().__enter__()
        return self

    def __exit__(self, *_: object) -> None:
        super().__exit__()
        self._kept.close()

    def _ask_again(self) -> bool:
        """A missing answer counts as a failure."""
        if not self._measure(lambda: self._kept.ask(ASKED)):
            return False
        return len(self.waits_s) % 10 != 0 or self._measure(self._ask_anew)

    def _ask_anew(self) -> Reply:
        with self._gateway.wire(self._source) as wire:
            return wire.ask(ASKED)

    def _measure(self, ask: Callable[[], Reply]) -> bool:
        begin = time.monotonic()
        try:
            reply = ask()
        except (Closed, OSError) as error:
            self.wrong.append(repr(error))
            return False
        self.waits_s.append(time.monotonic() - begin)
        if reply.status != 200:
            self.wrong.append(str(reply))
        return True

    def wait_served(self, times: int = 20) -> None:
        """So many more answers, some of them to new connections."""
        asked = len(self.waits_s)
        wait_until(lambda: self.wrong or len(self.waits_s) >= asked + times,
                   what="it is answered meanwhile")

    def assert_served(self) -> None:
        """All its calls, whatever else went on."""
        assert not self.wrong, self.wrong
        assert self.waits_s

    def assert_noticed_nothing(self, most_s: float) -> None:
        """No call took longer than that, either."""
        self.assert_served()
        assert max(self.waits_s) < most_s
