# SPDX-License-Identifier: GPL-2.0-or-later
"""Large unicast signals from another user of the machine, and the memory they cost.

    python3 flood.py ADDRESS DESTINATION COUNT SIZE
"""

from __future__ import annotations

import os
import re
import subprocess
import sys
from contextlib import suppress
from pathlib import Path
from typing import TYPE_CHECKING

import dbus
import dbus.lowlevel

if TYPE_CHECKING:
    from .bus import Bus
    from .gateway import Gateway

NOBODY = 65534
CONNECTED = re.compile(r"bus: connected to \S+ as (\S+)")


class Flood:
    """`cost`: how far the gateway's peak memory rose since this was made."""

    def __init__(self, gateway: Gateway) -> None:
        self._gateway = gateway
        self._before = self._read("VmRSS")
        Path(f"/proc/{gateway.pid}/clear_refs").write_text("5")      # resets the peak

    def send(self, bus: Bus, count: int, size: int) -> None:
        """Returns when the bus has handled all of them."""
        destination = CONNECTED.findall(self._gateway.log)[-1]
        subprocess.run([sys.executable, "-I", __file__, bus.address, destination,
                        str(count), str(size)], check=True)

    @property
    def cost(self) -> int:
        return self._read("VmHWM") - self._before

    def _read(self, name: str) -> int:
        status = Path(f"/proc/{self._gateway.pid}/status").read_text()
        return int(re.search(rf"{name}:\s+(\d+) kB", status)[1]) * 1024


def main(address: str, destination: str, count: str, size: str) -> None:
    with suppress(OSError):         # a user namespace may have no other user
        os.setuid(NOBODY)
    connection = dbus.bus.BusConnection(address)
    text = "x" * int(size)
    for _ in range(int(count)):
        signal = dbus.lowlevel.SignalMessage("/", "org.ofono.MessageManager",
                                             "IncomingMessage")
        signal.set_destination(destination)
        signal.append(text, signature="s")
        connection.send_message(signal)
        connection.flush()
    connection.call_blocking("org.freedesktop.DBus", "/", "org.freedesktop.DBus", "GetId",
                             "", ())
    connection.close()


if __name__ == "__main__":
    main(*sys.argv[1:])
