# SPDX-License-Identifier: GPL-2.0-or-later
"""A slow bus: a relay in front of the real one that holds back what the gateway writes."""

from __future__ import annotations

import socket
import struct
import threading
from contextlib import suppress
from pathlib import Path

from lab.bus import Bus
from modem.patience import patience

BEGIN = b"BEGIN\r\n"            # ends the text phase of authentication; D-Bus messages follow
HEADER = 16                     # octets before a message's header fields
CHUNK = 65536


def end_of_first_message(octets: bytes) -> int | None:
    """None if the message is not complete."""
    if (start := octets.find(BEGIN)) < 0 or len(octets) < (start := start + 7) + HEADER:
        return None
    order = "<" if octets[start:start + 1] == b"l" else ">"
    body, _, fields = struct.unpack_from(order + "III", octets, start + 4)
    end = start + HEADER + fields + -fields % 8 + body
    return end if len(octets) >= end else None


class BusRelay:
    """Forwards Hello at once, and what follows it (the match rules) after release()."""

    def __init__(self, folder: Path, bus: Bus) -> None:
        self._bus = bus.address.removeprefix("unix:path=")
        self.environment = {"DBUS_SYSTEM_BUS_ADDRESS": f"unix:path={folder}/relay.socket"}
        self._listener = socket.socket(socket.AF_UNIX)
        self._listener.bind(f"{folder}/relay.socket")
        self._listener.listen()
        self._greeted = threading.Event()
        self._released = threading.Event()
        self._threads: list[threading.Thread] = []
        self._sockets = [self._listener]

    def __enter__(self) -> BusRelay:
        self._run(self._accept)
        return self

    def __exit__(self, *_: object) -> None:
        self.release()
        for one in self._sockets:
            with suppress(OSError):
                one.shutdown(socket.SHUT_RDWR)
        for thread in self._threads:
            thread.join()
        for one in self._sockets:
            one.close()

    def wait_greeted(self) -> None:
        """Waits until the gateway has sent Hello and more."""
        assert self._greeted.wait(patience(10)), "nobody greets the bus"

    def release(self) -> None:
        self._released.set()

    def _run(self, target: object, *arguments: socket.socket) -> None:
        thread = threading.Thread(target=target, args=arguments)
        self._threads.append(thread)
        thread.start()

    def _accept(self) -> None:
        with suppress(OSError):
            while True:
                gateway, _ = self._listener.accept()
                bus = socket.socket(socket.AF_UNIX)
                self._sockets += [gateway, bus]
                bus.connect(self._bus)
                self._run(self._to_bus, gateway, bus)
                self._run(self._to_gateway, bus, gateway)

    def _to_bus(self, gateway: socket.socket, bus: socket.socket) -> None:
        octets, passed = b"", 0
        with suppress(OSError):
            while chunk := gateway.recv(CHUNK):
                octets += chunk
                end = end_of_first_message(octets)
                if end is not None and end < len(octets):
                    bus.sendall(octets[passed:end])
                    passed = max(passed, end)
                    self._greeted.set()
                    self._released.wait()
                bus.sendall(octets[passed:])
                passed = len(octets)
            bus.shutdown(socket.SHUT_RDWR)

    def _to_gateway(self, bus: socket.socket, gateway: socket.socket) -> None:
        with suppress(OSError):
            while chunk := bus.recv(CHUNK):
                gateway.sendall(chunk)
            gateway.shutdown(socket.SHUT_RDWR)
