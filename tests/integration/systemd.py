# SPDX-License-Identifier: GPL-2.0-or-later
"""The service manager, as far as the gateway talks to it: sd_notify(3)."""

from __future__ import annotations

import socket
import time
from contextlib import suppress
from pathlib import Path

from modem.patience import patience


class Systemd:
    """`heard` has every line received."""

    def __init__(self, folder: Path) -> None:
        self.path = folder / "notify"
        self.heard: list[str] = []
        self._socket = socket.socket(socket.AF_UNIX, socket.SOCK_DGRAM)
        self._socket.bind(str(self.path))

    def __enter__(self) -> Systemd:
        return self

    def __exit__(self, *_: object) -> None:
        self._socket.close()

    def wait(self, what: str, count: int = 1) -> None:
        """Waits until `count` lines contain `what`."""
        deadline = time.monotonic() + patience(5)
        while sum(what in line for line in self.heard) < count:
            self._hear(deadline)

    def hears(self, what: str, within_s: float) -> bool:
        """Whether such a line arrives; for those that must not."""
        with suppress(TimeoutError):
            deadline = time.monotonic() + within_s
            while not any(what in line for line in self.heard):
                self._hear(deadline)
            return True
        return False

    def _hear(self, deadline: float) -> None:
        self._socket.settimeout(max(0.001, deadline - time.monotonic()))
        self.heard += self._socket.recv(65536).decode().splitlines()
