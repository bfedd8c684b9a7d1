# SPDX-License-Identifier: GPL-2.0-or-later
"""The whole system of a run and what may break in it: bus, ofonod, modems, gateway, disk,
clock.

The gateway's folder is a small disk of its own, which outlives the gateway; only this program
and its children see the disk. Start and stop from the main thread.
"""

from __future__ import annotations

import ctypes
import errno
import os
import tempfile
import time
from collections.abc import Iterator
from contextlib import ExitStack, contextmanager, suppress
from dataclasses import dataclass
from pathlib import Path

from lab import Lab, wait_until
from lab.clock import Clock
from lab.confine import libc, mount_disk
from lab.lab import SEND_MESSAGE
from lab.ofonod import PLUGIN
from lab.signals import Signals
from modem.pdu import Submit

from agent import Agent

DISK = "48m"
MS_RDONLY, MS_REMOUNT, MNT_DETACH = 1, 32, 2
RETURNS_S = 30              # until the gateway serves again
CONNECTIONS, PER_ADDRESS = 2400, 700
FREEDESKTOP = "org.freedesktop.DBus.Error."
NOT_TAKEN = {FREEDESKTOP + name for name in (
    "ServiceUnknown", "NameHasNoOwner", "UnknownMethod", "UnknownObject", "UnknownInterface",
    "LimitsExceeded", "AccessDenied")}          # by ofonod, or there was none
CONFIG = f"""[server]
max_connections = {CONNECTIONS}
max_connections_per_address = {PER_ADDRESS}
request_timeout_seconds = 5
[store]
reserve_mib = 4
[sms]
duplicate_seconds = 0
"""


@dataclass
class Outage:
    """From when to when something was broken, by the monotonic clock and by the wall clock."""

    name: str
    begin: float
    begin_ms: float
    end: float = 0.0
    end_ms: float = 0.0

    def holds(self, moment: float, slack: float = 0.0) -> bool:
        return self.begin - slack <= moment <= (self.end or moment) + slack


class World:
    """with World(plugin=True, modems=4) as world: ..."""

    def __init__(self, plugin: bool, modems: int) -> None:
        self.lab = Lab(modem_count=modems, gateway=True, plugin=PLUGIN if plugin else None)
        self.clock = Clock(self.lab.folder)
        self.outages: list[Outage] = []
        self.deaths: list[str] = []         # of gateways that died by themselves
        self.starts = 0
        self.handed_over: list[str] = []    # the text of each SendMessage that ofonod received
        self._monitor: Signals | None = None
        self._exit = ExitStack()
        gateway = self.lab.gateway
        gateway.state = Path(tempfile.mkdtemp(prefix="ofono-disk-"))
        gateway.spool = gateway.state / "spool"
        self.lab.ofonod.environment["OFONO_MCP_SPOOL"] = str(gateway.spool)
        gateway.config = CONFIG
        gateway.environment |= self.clock.environment
        self.lab.ofonod.environment |= self.clock.environment

    def __enter__(self) -> World:
        with ExitStack() as undo:
            state = self.lab.gateway.state
            undo.callback(state.rmdir)
            mount_disk(DISK, str(state))
            undo.callback(libc.umount2, bytes(state), MNT_DETACH)
            undo.enter_context(self.lab)
            self._watch_bus()
            undo.callback(self._end_watch)
            Agent(self.lab).wait_states(*["ready"] * len(self.lab.modems), timeout=RETURNS_S)
            self._exit = undo.pop_all()
        return self

    def __exit__(self, *_: object) -> None:
        self._exit.close()

    # ---- what was seen

    @property
    def taken(self) -> list[Submit]:
        """All that the network took, in order."""
        found = [submit for modem in self.lab.modems for submit in modem.taken]
        return sorted(found, key=lambda submit: submit.when)

    @contextmanager
    def outage(self, name: str) -> Iterator[None]:
        outage = Outage(name, time.monotonic(), time.time() * 1000)
        self.outages.append(outage)
        yield
        outage.end, outage.end_ms = time.monotonic(), time.time() * 1000

    def check_alive(self) -> None:
        """Restarts a program that died by itself, and records its death."""
        gateway = self.lab.gateway
        if not gateway.is_running:
            self.deaths.append(gateway.log[-2000:])
            self.start_gateway()

    # ---- pieces

    def start_gateway(self) -> None:
        self.launch_gateway()
        self.wait_gateway()

    def wait_gateway(self) -> None:
        wait_until(self._serves, RETURNS_S, "the gateway serves again")

    def launch_gateway(self) -> None:
        self.starts += 1
        self.lab.gateway.launch()

    def _serves(self) -> bool:
        gateway = self.lab.gateway
        if not gateway.is_running:
            raise AssertionError(f"the gateway ended:\n{gateway.log[-2000:]}")
        return gateway._is_healthy()

    def start_ofonod(self) -> None:
        self.lab.ofonod.start()
        self.lab.bring_up()

    def restart_bus(self) -> None:
        self._end_watch()
        self.lab.bus.restart()
        self.lab.ofonod.kill()
        self._watch_bus()
        self.start_ofonod()

    def _watch_bus(self) -> None:
        self._monitor = Signals(self.lab.bus, self.lab.folder, SEND_MESSAGE, "type='error'")
        self._monitor.__enter__()

    def _end_watch(self) -> None:
        """A call that bus or ofonod refused was not submitted."""
        if self._monitor:
            self._monitor.settle()
            self._monitor.__exit__()
            messages = self._monitor.all()
            refused = {message.call for message in messages
                       if message.error in NOT_TAKEN
                       or message.error.startswith("org.ofono.Error.")}
            self.handed_over += [message.arguments[1] for message in messages
                                 if message.member == "SendMessage"
                                 and message.call not in refused]
        self._monitor = None

    def end_watch(self) -> None:
        """After this, nothing is submitted any more and handed_over is complete."""
        self._end_watch()

    # ---- disk

    @property
    def _ballast(self) -> Path:
        return self.lab.gateway.state / "ballast"

    def fill_disk(self, leave: int) -> None:
        """Fills all but that many bytes."""
        status = os.statvfs(self.lab.gateway.state)
        with suppress(OSError), self._ballast.open("ab") as ballast:
            ballast.write(bytes(max(0, status.f_bavail * status.f_frsize - leave)))

    def empty_disk(self) -> None:
        self._ballast.unlink(missing_ok=True)

    def remount(self, read_only: bool) -> None:
        """Of a disk on which no file is open for writing."""
        flags = MS_REMOUNT | (MS_RDONLY if read_only else 0)
        state = bytes(self.lab.gateway.state)

        def try_it() -> bool:
            if libc.mount(b"tmpfs", state, b"tmpfs", flags, None) == 0:
                return True
            if ctypes.get_errno() != errno.EBUSY:
                raise OSError(ctypes.get_errno(), "remount")
            return False
        wait_until(try_it, what="the disk is mounted anew")
