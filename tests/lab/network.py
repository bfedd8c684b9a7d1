# SPDX-License-Identifier: GPL-2.0-or-later
"""A network namespace: a separate machine as far as the network is concerned.

    with Network() as phone, Network() as laptop:
        phone.connect("wlan0", "192.0.2.1", laptop, "eth0", "192.0.2.2")
        with laptop.inside():
            socket.create_connection(("192.0.2.1", 9531))
"""

from __future__ import annotations

import ctypes
import os
import socket
import subprocess
import sys
import threading
from collections.abc import Callable, Iterator
from concurrent.futures import ThreadPoolExecutor
from contextlib import contextmanager
from typing import TypeVar

from .process import CONFINE
from .programs import find

T = TypeVar("T")
CLONE_NEWNET = 0x40000000
HOLD = "echo; exec sleep infinity"      # the empty line says that the namespace exists
libc = ctypes.CDLL(None, use_errno=True)


_thread = threading.local()             # .network: where its sockets are opened
_init_here, _getaddrinfo_here = socket.socket.__init__, socket.getaddrinfo


def _init(self: socket.socket, family: int = -1, type: int = -1, proto: int = -1,
          fileno: int | None = None) -> None:
    network = getattr(_thread, "network", None)
    if fileno is None and network:
        fileno = network.do(lambda: socket.socket(family, type, proto).detach())
    _init_here(self, family, type, proto, fileno)


def _getaddrinfo(*question: object, **more: object) -> list[tuple]:
    """Addresses may contain names of interfaces."""
    network = getattr(_thread, "network", None)
    return network.do(_getaddrinfo_here, *question, **more) if network \
        else _getaddrinfo_here(*question, **more)


socket.socket.__init__ = _init
socket.getaddrinfo = _getaddrinfo


def enter(path: str) -> None:
    """Moves this thread, for good: root of a user namespace may not return to the machine's."""
    with open(path, "rb") as namespace:
        if libc.setns(namespace.fileno(), CLONE_NEWNET) != 0:
            raise OSError(ctypes.get_errno(), "setns")


class Network:
    def __init__(self) -> None:
        self._holder: subprocess.Popen[bytes] | None = None
        self._worker: ThreadPoolExecutor | None = None

    def __enter__(self) -> Network:
        self._holder = subprocess.Popen(
            [sys.executable, "-I", "-S", str(CONFINE), str(os.getpid()), "unshare",
             "--net", "sh", "-c", HOLD], stdout=subprocess.PIPE)
        assert self._holder.stdout
        assert self._holder.stdout.readline() == b"\n", "no network namespace"
        self._worker = ThreadPoolExecutor(1, initializer=enter, initargs=[self.path])
        self.ip("link", "set", "lo", "up")
        return self

    def __exit__(self, *_: object) -> None:
        assert self._holder and self._worker
        self._worker.shutdown()
        self._holder.kill()
        self._holder.communicate()

    @property
    def path(self) -> str:
        assert self._holder
        return f"/proc/{self._holder.pid}/ns/net"

    @property
    def prefix(self) -> list[str]:
        """Precedes the command of a program that is to run here."""
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

    def do(self, work: Callable[..., T], *arguments: object, **more: object) -> T:
        """Runs it in a thread that is here."""
        assert self._worker
        return self._worker.submit(work, *arguments, **more).result()

    @contextmanager
    def inside(self) -> Iterator[None]:
        """Sockets that this thread opens meanwhile are here, and stay here."""
        before = getattr(_thread, "network", None)
        _thread.network = self
        try:
            yield
        finally:
            _thread.network = before
