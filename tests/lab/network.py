# SPDX-License-Identifier: GPL-2.0-or-later
"""A network namespace: a machine of its own as far as the network goes.

    with Network() as phone, Network() as laptop:
        phone.connect("wlan0", "192.0.2.1", laptop, "eth0", "192.0.2.2")
        with laptop.inside():
            socket.create_connection(("192.0.2.1", 9531))
"""

from __future__ import annotations

import ctypes
import os
import subprocess
import sys
from collections.abc import Iterator
from contextlib import contextmanager

from .process import CONFINE
from .programs import find

CLONE_NEWNET = 0x40000000
HOLD = "echo; exec sleep infinity"      # the empty line says that the namespace is there
libc = ctypes.CDLL(None, use_errno=True)


def enter(namespace: int) -> None:
    """This thread only; sockets stay where they were made."""
    if libc.setns(namespace, CLONE_NEWNET) != 0:
        raise OSError(ctypes.get_errno(), "setns")


class Network:
    def __init__(self) -> None:
        self._holder: subprocess.Popen[bytes] | None = None

    def __enter__(self) -> Network:
        self._holder = subprocess.Popen(
            [sys.executable, "-I", "-S", str(CONFINE), str(os.getpid()), "unshare",
             "--net", "sh", "-c", HOLD], stdout=subprocess.PIPE)
        assert self._holder.stdout
        assert self._holder.stdout.readline() == b"\n", "no network namespace"
        self.ip("link", "set", "lo", "up")
        return self

    def __exit__(self, *_: object) -> None:
        assert self._holder
        self._holder.kill()
        self._holder.communicate()

    @property
    def path(self) -> str:
        assert self._holder
        return f"/proc/{self._holder.pid}/ns/net"

    @property
    def prefix(self) -> list[str]:
        """Before the command of a program that is to run here."""
        return ["nsenter", f"--net={self.path}"]

    def ip(self, *arguments: str) -> None:
        subprocess.run([*self.prefix, find("ip"), *arguments], check=True)

    def connect(self, name: str, address: str, other: Network, other_name: str,
                other_address: str, width: int = 24) -> None:
        """A cable between two interfaces, each with its address."""
        assert other._holder
        self.ip("link", "add", name, "type", "veth", "peer", "name", other_name,
                "netns", str(other._holder.pid))
        self.add(name, address, width)
        other.add(other_name, other_address, width)

    def add(self, name: str, address: str, width: int = 24) -> None:
        wanted = ["nodad"] if ":" in address else []
        self.ip("address", "add", f"{address}/{width}", "dev", name, *wanted)
        self.ip("link", "set", name, "up")

    @contextmanager
    def inside(self) -> Iterator[None]:
        """What this thread opens meanwhile is here."""
        outside = os.open("/proc/thread-self/ns/net", os.O_RDONLY)
        here = os.open(self.path, os.O_RDONLY)
        try:
            enter(here)
            yield
        finally:
            enter(outside)
            os.close(here)
            os.close(outside)
