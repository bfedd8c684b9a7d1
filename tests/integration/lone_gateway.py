# SPDX-License-Identifier: GPL-2.0-or-later
"""The gateway alone: without a bus, and measured through /proc."""

from __future__ import annotations

import os
import shutil
import tempfile
from pathlib import Path

from lab import wait_until
from lab.gateway import Gateway
from wire import Reply, Wire, request, rpc

TICKS = os.sysconf("SC_CLK_TCK")
CPU_FIELDS = slice(11, 13)  # utime and stime, counted from the end of the name in /proc/PID/stat
# columns of /proc/PID/net/tcp
TCP_LOCAL, TCP_PEER, TCP_STATE, TCP_QUEUES, TCP_INODE = 1, 2, 3, 4, 9
TCP_LISTENS = "0A"


def sockets_of(gateway: Gateway, port: int = 0) -> list[list[str]]:
    """The connections that the process has not closed, as rows of the kernel's table."""
    tables = [Path(f"/proc/{gateway.pid}/net/{name}") for name in ("tcp", "tcp6")]
    lines = [line for table in tables if table.exists()
             for line in table.read_text().splitlines()[1:]]
    ours = f":{port or gateway.port:04X}"
    return [fields for fields in map(str.split, lines)
            if fields[TCP_LOCAL].endswith(ours) and fields[TCP_INODE] != "0"
            and fields[TCP_STATE] != TCP_LISTENS]


def peers_of(gateway: Gateway, port: int = 0) -> set[int]:
    """The client ports of all connections that the process has not closed."""
    return {int(fields[TCP_PEER].rpartition(":")[2], 16)
            for fields in sockets_of(gateway, port)}


def has_read_all(gateway: Gateway) -> bool:
    """On the connections that it has accepted."""
    return all(fields[TCP_QUEUES].endswith(":00000000") for fields in sockets_of(gateway))


class NoBus:
    def __init__(self, folder: Path) -> None:
        self.environment = {"DBUS_SYSTEM_BUS_ADDRESS": f"unix:path={folder}/no-bus"}


class LoneGateway(Gateway):
    """with LoneGateway(max_connections=4) as gateway: ... (keys of section [server])

    Leaving fails if the gateway did not exit cleanly.
    """

    def __init__(self, open: bool = True, tls: bool = False,
                 **server: int | str) -> None:
        self.folder = Path(tempfile.mkdtemp(prefix="ofono-mcp-"))
        config = self.folder / "gateway.conf"
        if tls:
            server["tls_loopback"] = "yes"
        lines = [f"{key} = {value}\n" for key, value in server.items()]
        config.write_text("[server]\n" + "".join(lines))
        super().__init__(self.folder, NoBus(self.folder), args=["--config", str(config)],
                         open=open, tls=tls)

    def __enter__(self) -> LoneGateway:
        try:
            self.start()
            wait_until(lambda: not self.peers, what="the connection of start() is gone")
        except BaseException:
            self._clear()
            raise
        return self

    def __exit__(self, *_: object) -> None:
        try:
            code = self.stop()
            assert code == 0, f"the gateway ended with {code}:\n{self.log}"
        finally:
            self._clear()

    def _clear(self) -> None:
        self.kill()
        self.forget()
        shutil.rmtree(self.folder)

    def wire(self, source: str = "127.0.0.1", host: str = "127.0.0.1") -> Wire:
        """Connects to another `host` from the address that routes there."""
        return Wire(self.port, source if host == "127.0.0.1" else "", host=host)

    def ask(self, data: bytes) -> Reply:
        """The reply to these octets on a new connection."""
        with self.wire() as wire:
            return wire.ask(data)

    def post(self, body: bytes, **headers: str | None) -> Reply:
        """`headers` with _ for -."""
        named = {name.replace("_", "-"): value for name, value in headers.items()}
        return self.ask(request(body, named))

    def assert_serves(self) -> None:
        """The process that was started answers a new client."""
        assert self.is_running, self.log
        reply = self.post(rpc("tools/list"))
        assert reply.result["tools"][0]["name"] == "send_sms"

    @property
    def peers(self) -> set[int]:
        return peers_of(self)

    def wait_for_all_read(self) -> None:
        """Waits until the gateway has read everything that clients have sent."""
        wait_until(lambda: self.has_read_all, what="all was read")
        self.assert_serves()

    @property
    def has_read_all(self) -> bool:
        return has_read_all(self)

    @property
    def fd_count(self) -> int:
        return len(os.listdir(f"/proc/{self.pid}/fd"))

    @property
    def rss_kib(self) -> int:
        status = Path(f"/proc/{self.pid}/status").read_text()
        return next(int(line.split()[1]) for line in status.splitlines()
                    if line.startswith("VmRSS:"))

    @property
    def cpu_seconds(self) -> float:
        """CPU time of its one thread; /proc/PID/stat counts in hundredths, too coarse to
        compare."""
        exact = Path(f"/proc/{self.pid}/schedstat")
        if exact.exists() and (nanoseconds := int(exact.read_text().split()[0])):
            return nanoseconds / 1e9
        stat = Path(f"/proc/{self.pid}/stat").read_text()
        behind_name = stat.rpartition(")")[2].split()
        return sum(map(int, behind_name[CPU_FIELDS])) / TICKS
