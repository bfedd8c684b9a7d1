# SPDX-License-Identifier: GPL-2.0-or-later
"""A real avahi-daemon for one machine of the lab: on its network and its bus.

with Avahi(folder, bus, network, host="phone") as avahi: ...
"""

from __future__ import annotations

import subprocess
from dataclasses import dataclass
from pathlib import Path

from modem.patience import patience

from .bus import Bus
from .network import Network
from .process import Process, Program
from .programs import require
from .wait import wait_until

CONFIG = """\
[server]
host-name={host}
use-ipv4=yes
use-ipv6=yes
enable-dbus=yes
[publish]
publish-workstation=no
"""
WITH_SERVICES = 'mount --bind "$0" /etc/avahi/services && exec "$@"'
RUN = Path("/run")      # avahi-daemon's folder there is fixed, so each has a /run of its own


@dataclass(frozen=True)
class Seen:
    """A service as avahi-browse resolves it."""

    interface: str
    family: str
    name: str
    host: str
    address: str
    port: int
    texts: frozenset[str]

    @classmethod
    def parse(cls, line: str) -> Seen:
        _, interface, family, name, _, _, host, address, port, texts = line.split(";", 9)
        plain = name.replace("\\032", " ").replace("\\035", "#")
        return cls(interface, family, plain, host, address, int(port),
                   frozenset(texts.strip('"').split('" "')))


class Avahi(Program):
    """`services` replaces /etc/avahi/services."""

    def __init__(self, folder: Path, bus: Bus, network: Network, host: str,
                 services: Path | None = None) -> None:
        self._bus = bus
        self._before = [] if services is None else ["sh", "-c", WITH_SERVICES, str(services)]
        self._network = network
        self._config = folder / f"avahi-{host}.conf"
        self._config.write_text(CONFIG.format(host=host))
        self._process = Process(f"avahi of {host}", folder / f"avahi-{host}.log")

    def __enter__(self) -> Avahi:
        self.start()
        return self

    def __exit__(self, *_: object) -> None:
        self.kill()

    def start(self) -> None:
        begun = self.log.count("Server startup complete")
        self._process.run(
            [*self._network.prefix, *self._before, "avahi-daemon", "--no-drop-root", "--no-chroot",
             "--no-rlimits", "--no-proc-title", "-f", str(self._config)],
            self._bus.environment, disk=("4m", RUN))
        wait_until(lambda: self.log.count("Server startup complete") > begun,
                   what=f"Avahi is there\n{self.log}")

    def stop(self) -> None:
        self._process.terminate()

    def kill(self) -> None:
        """Without saying goodbye to the network."""
        self._process.kill()

    def run(self, *command: str, timeout: float = 30) -> str:
        """Runs a program of this machine that talks to it; returns the output."""
        require(command)
        return subprocess.run(
            [*self._network.prefix, "env", *self._assignments, *command], check=True,
            stdout=subprocess.PIPE, stdin=subprocess.DEVNULL, text=True,
            timeout=patience(timeout)).stdout

    def background(self, log: Path, *command: str) -> Process:
        """Runs it under its own name; the caller must end it."""
        process = Process(command[0], log)
        process.run([*self._network.prefix, *command], self._bus.environment)
        return process

    def browse(self, kind: str = "_mcp._tcp", again: int = 3) -> list[Seen]:
        """avahi-browse 0.8 hangs if a service is withdrawn while it resolves it: then it is
        started again, and the report of a failure says so."""
        try:
            said = self.run("avahi-browse", "-rpt", kind, timeout=10)
        except subprocess.TimeoutExpired:
            if not again:
                raise
            print(f"avahi-browse {kind} ended after {patience(10):g} s, and is started again")
            return self.browse(kind, again - 1)
        return [Seen.parse(line) for line in said.splitlines() if line.startswith("=")]

    @property
    def _assignments(self) -> list[str]:
        return [f"{name}={value}" for name, value in self._bus.environment.items()]
