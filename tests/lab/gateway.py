# SPDX-License-Identifier: GPL-2.0-or-later
"""The program under test: `ofono-mcp serve` on the lab's bus."""

from __future__ import annotations

import http.client
import itertools
import os
import shlex
import signal
import socket
import sys
from collections.abc import Iterator, Sequence
from contextlib import nullcontext, suppress
from functools import cache
from pathlib import Path

from .bus import Bus
from .dial import context_of, forget, make_certificate, trust
from .network import Network
from .process import Process, Program
from .wait import wait_until

# Tests send many messages, to any number; tests about limits remove this.
UNLIMITED = """[policy]
per_minute = 0
per_hour = 0
per_day = 0
segments_per_month = 0
sim_per_minute = 0
sim_per_hour = 0
sim_per_day = 0
sim_segments_per_month = 0
countries = any
premium = yes
"""

HAND_OVER = Path(__file__).with_name("hand_over.py")
BINARY = Path(__file__).resolve().parents[2] / "build" / "ofono-mcp"


PORTS_EACH = 250
OF_CLIENTS = Path("/proc/sys/net/ipv4/ip_local_port_range")


def ports() -> range:
    """Outside the range from which Linux assigns client ports, so none takes one first."""
    first, last = map(int, OF_CLIENTS.read_text().split())
    return range(10_000, first) if first >= 20_000 else range(last + 1, 65_536)


@cache
def own_ports() -> tuple[socket.socket, Iterator[int]]:
    """A part of ports() for this process alone, as long as it holds the socket: between
    free_port() and listen(), and while a gateway restarts, a port seems free to others."""
    for first in ports()[:-PORTS_EACH:PORTS_EACH]:
        lock = socket.socket(socket.AF_UNIX)
        with suppress(OSError):         # another process has this part
            lock.bind(f"\0ofono-mcp-lab-ports-{first}")
            return lock, itertools.cycle(range(first, first + PORTS_EACH))
        lock.close()
    raise AssertionError("other processes of the lab hold all ports")


def free_port() -> int:
    for port in own_ports()[1]:
        with socket.socket() as probe, suppress(OSError):
            probe.bind(("127.0.0.1", port))
            return port
    raise AssertionError("a cycle ended")


def http_connection(port: int, timeout: float) -> http.client.HTTPConnection:
    """Not open yet."""
    if context := context_of(port):
        return http.client.HTTPSConnection("localhost", port, timeout=timeout,
                                           context=context)
    return http.client.HTTPConnection("127.0.0.1", port, timeout=timeout)


class Gateway(Program):
    """The gateway as a process: GATEWAY_WRAPPER, for instance "valgrind -q", precedes the
    command, and GATEWAY_BINARY replaces the program.

    `args` follows the arguments that the lab needs itself; `open` accepts clients without a
    token. Port, state folder and log stay the same over a restart. `config` is the text of its
    configuration file; by default the same text to the same number is not a duplicate.
    `policy` follows it and lifts all limits. `disk` ("8m") gives the state folder a disk of that
    size, which ends with the process; `state_seen` is where it can be seen meanwhile. `binary`,
    `environment` and `network`, where it runs, may be changed before it starts, and so may
    sockets that are passed in as by a service manager. With `tls` it also uses TLS on 127.0.0.1,
    and clients know that (lab/dial.py).
    """

    def __init__(self, folder: Path, bus: Bus, port: int = 0,
                 args: Sequence[str] = (), open: bool = True,
                 binary: Path | None = None, wrapper: str | None = None,
                 tls: bool = False) -> None:
        self._bus = bus
        self.args = list(args)
        self.disk = ""
        self.config = "[sms]\nduplicate_seconds = 0\n"
        self.policy = UNLIMITED
        self._config_file = folder / "lab.conf"
        self._open = ["--open"] if open else []
        self.binary = binary or os.environ.get("GATEWAY_BINARY", BINARY)
        self.environment: dict[str, str] = {}
        self.network: Network | None = None
        self.handed: list[socket.socket] = []
        self.tls = tls
        self._wrapper = shlex.split(wrapper or os.environ.get("GATEWAY_WRAPPER", ""))
        self.port = port or free_port()
        self.state = folder / "gateway"
        self.spool = self.state / "spool"
        self._process = Process("gateway", folder / "gateway.log")

    @property
    def state_seen(self) -> Path:
        return Path(f"/proc/{self.pid}/root{self.state}") if self.disk else self.state

    @property
    def command(self) -> list[str]:
        inside = self.network.prefix if self.network else []
        return [*inside, *self._hand_over, *self._wrapper, str(self.binary), "serve", *self._open,
                "--config", str(self._config_file),
                "--listen", f"127.0.0.1:{self.port}", "--state-dir", str(self.state),
                *self.args]

    @property
    def _hand_over(self) -> list[str]:
        numbers = ",".join(str(one.fileno()) for one in self.handed)
        return [sys.executable, "-I", "-S", str(HAND_OVER), numbers] if numbers else []

    def prepare(self) -> None:
        """The files that `command` names."""
        self.state.mkdir(mode=0o700, exist_ok=True)
        self._config_file.write_text(self.config + self.policy + self._tls_config)
        self._config_file.chmod(0o644)          # whatever the umask: others may not write it
        if self.tls and not (self.state / "tls").exists():
            make_certificate(self.state / "tls")
            trust(self.port, self.state / "tls" / "cert.pem")

    @property
    def _tls_config(self) -> str:
        return "[server]\ntls_loopback = yes\n" if self.tls else ""

    def start(self) -> None:
        """Ready when GET /healthz answers 200."""
        self.launch()
        wait_until(self._is_healthy, what="the gateway answers /healthz")

    def launch(self) -> None:
        """Does not wait."""
        self.prepare()
        disk = (self.disk, self.state) if self.disk else None
        self._process.run(self.command, self._bus.environment | self.environment,
                          disk=disk, fds=[one.fileno() for one in self.handed])

    def stop(self) -> int | None:
        """Sends SIGTERM; returns the exit code."""
        return self._process.terminate()

    def forget(self) -> None:
        """It will not start again."""
        forget(self.port)

    def kill(self) -> None:
        self._process.kill()

    def restart(self) -> None:
        self.stop()
        self.start()

    def send_signal(self, number: signal.Signals) -> None:
        self._process.send_signal(number)

    def _is_healthy(self) -> bool:
        if not self.is_running:
            raise AssertionError(f"the gateway ended:\n{self.log}")
        connection = http_connection(self.port, timeout=1)
        try:
            with self.network.inside() if self.network else nullcontext():
                connection.request("GET", "/healthz")
            return connection.getresponse().status == http.HTTPStatus.OK
        except OSError:
            return False
        finally:
            connection.close()
