# SPDX-License-Identifier: GPL-2.0-or-later
"""What ofonod signals on the bus, or what another rule matches, recorded by dbus-monitor."""

from __future__ import annotations

import itertools
from pathlib import Path

import dbus
import dbus.lowlevel

from .bus import Bus
from .process import Process
from .radio import connection
from .wait import wait_until
from .wire import Message, read_messages

RULE = "type='signal',sender='org.ofono'"
MARK = "org.ofono_mcp.tests.Mark"
MARKS = f"type='signal',interface='{MARK}'"
RUNS = itertools.count(1)


class Signals:
    def __init__(self, bus: Bus, folder: Path, *rules: str) -> None:
        self._bus = bus
        self._rules = rules or (RULE,)
        self._record = folder / f"signals-{next(RUNS)}"
        self._process = Process("dbus-monitor", self._record)

    def __enter__(self) -> Signals:
        self._process.run(["dbus-monitor", "--binary", "--address", self._bus.address,
                           *self._rules, MARKS])
        # a monitor gives up its own name, and records that
        wait_until(lambda: self.seen("NameLost"), what="dbus-monitor is on")
        return self

    def __exit__(self, *_: object) -> None:
        self._process.kill()

    def seen(self, member: str) -> list[Message]:
        return [message for message in self.all() if message.member == member]

    def settle(self) -> None:
        """The record then holds everything that has passed the bus: dbus-monitor may be late."""
        mark = f"Mark{next(RUNS)}"
        with connection(self._bus.address) as bus:
            bus.send_message(dbus.lowlevel.SignalMessage("/", MARK, mark))
            bus.flush()
            wait_until(lambda: f"{mark}\0".encode() in self._record.read_bytes(),
                       what="dbus-monitor has recorded all")

    def all(self) -> list[Message]:
        return list(read_messages(self._record.read_bytes()))

    def wait(self, member: str, count: int = 1, timeout: float = 10) -> list[Message]:
        """Everything, as soon as there are `count`."""
        wait_until(lambda: len(self.seen(member)) >= count, timeout, f"{count} {member}")
        return self.seen(member)

    def states(self, message_path: str) -> list[str]:
        """The states that a message object signalled, in order."""
        changes = [message.arguments for message in self.seen("PropertyChanged")
                   if message.path == message_path]
        return [value for name, value in changes if name == "State"]

    def wait_state(self, message_path: str, state: str, timeout: float = 10) -> None:
        wait_until(lambda: state in self.states(message_path), timeout,
                   f"{message_path} {state}")
