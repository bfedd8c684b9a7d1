# SPDX-License-Identifier: GPL-2.0-or-later
"""A desktop session beside a gateway: its bus, its server of notifications, and ofono-mcp-session."""

from __future__ import annotations

import contextlib
import json
import os
import subprocess
import sys
import time
from collections.abc import Callable, Iterator
from pathlib import Path
from queue import Empty, Queue
from threading import Thread
from typing import Any

import dbus.bus

from lab import Lab
from lab.bus import Bus
from lab.gateway import BINARY
from lab.process import Process
from lone_gateway import LoneGateway
from modem.patience import patience

PROGRAM = Path(os.environ.get("GATEWAY_BINARY", BINARY)).with_name("ofono-mcp-session")
CAPABILITIES = ("actions", "body", "body-markup")
READING_S = 2.0                     # more than DESKTOP_READ_MS of include/session/desktop.h

Facts = dict[str, Any]


class Server:
    """stub_desktop.py; what it says is read by a thread."""

    def __init__(self, bus: Bus, session: Process, *capabilities: str) -> None:
        self._session = session
        self._process = subprocess.Popen(
            [sys.executable, Path(__file__).with_name("stub_desktop.py"), bus.address, *capabilities],
            stdin=subprocess.PIPE, stdout=subprocess.PIPE, text=True)
        self._said: Queue[Facts] = Queue()
        Thread(target=self._read, daemon=True).start()

    def _read(self) -> None:
        assert self._process.stdout
        for line in self._process.stdout:
            self._said.put(json.loads(line))

    def wait(self, fits: Callable[[Facts], bool], seconds: float = 20) -> Facts:
        """The next thing that is shown or taken away and fits; what comes before is skipped."""
        until = time.monotonic() + patience(seconds)
        skipped = []
        while True:
            try:
                skipped.append(self._said.get(timeout=max(0.0, until - time.monotonic())))
            except Empty:
                raise AssertionError(f"not shown in time; but {skipped}\n{self._session.log}") from None
            if fits(skipped[-1]):
                return skipped[-1]

    def wait_shown(self, text: str) -> Facts:
        return self.wait(lambda facts: text in facts.get("body", ""))

    def wait_withdrawn(self, shown: Facts) -> None:
        self.wait(lambda facts: facts.get("withdrawn") == shown["id"])

    def tell(self, **command: Any) -> None:
        assert self._process.stdin
        print(json.dumps(command), file=self._process.stdin, flush=True)

    def press(self, shown: Facts, label: str) -> None:
        """As a person does, who reads it first."""
        key = next(key for key, words in shown["actions"].items() if words == label)
        time.sleep(READING_S)
        self.tell(press=[shown["id"], key])

    def stop(self) -> None:
        self._process.kill()
        self._process.communicate()


class Desktop:
    """The session of the gateway's owner."""

    def __init__(self, lab: Lab | LoneGateway, *options: str) -> None:
        alone = isinstance(lab, LoneGateway)
        self._state = lab.state if alone else lab.gateway.state
        self._system_bus = {} if alone else lab.bus.environment
        self._options = options
        folder = lab.folder / "desktop"         # a socket's name has to be short
        folder.mkdir()
        self.bus = Bus(folder)
        self.session = Process("ofono-mcp-session", folder / "session.log")

    def start(self) -> None:
        self.session.run([str(PROGRAM), "--control", str(self._state / "control"), *self._options],
                         environment={"DBUS_SESSION_BUS_ADDRESS": self.bus.address,
                                      **self._system_bus})

    def owns(self, name: str) -> bool:
        """Is there a program with this name on the session's bus?"""
        connection = dbus.bus.BusConnection(self.bus.address)
        try:
            return connection.name_has_owner(name)
        finally:
            connection.close()

    @contextlib.contextmanager
    def server(self, *capabilities: str) -> Iterator[Server]:
        server = Server(self.bus, self.session, *(capabilities or CAPABILITIES))
        try:
            yield server
        finally:
            server.stop()

    def __enter__(self) -> Desktop:
        self.bus.start()
        self.start()
        return self

    def __exit__(self, *_: object) -> None:
        self.session.terminate()
        self.bus.stop()
