# SPDX-License-Identifier: GPL-2.0-or-later
"""The lab with a relay (relay.c) in front of its modems, so that they add no time to a
message, or exactly as much as is asked for."""

from __future__ import annotations

import subprocess
from collections.abc import Iterator
from contextlib import contextmanager, suppress
from pathlib import Path

from lab import Lab


END_S = 5


def end(child: subprocess.Popen[str]) -> None:
    """The relay ends with its stdin, or is killed."""
    with child, suppress(OSError):
        child.stdin.close()
        try:
            child.wait(END_S)
        except subprocess.TimeoutExpired:
            child.kill()


class Relay:
    def __init__(self, build: Path, ports: list[int], delay_ms: int = 0) -> None:
        self._child = subprocess.Popen(
            [build / "bench" / "relay", "--delay-ms", str(delay_ms), *map(str, ports)],
            stdin=subprocess.PIPE, stdout=subprocess.PIPE, text=True, bufsize=1)
        self.ports = [int(port) for port in self._child.stdout.readline().split()]

    @property
    def pid(self) -> int:
        return self._child.pid

    def deliver(self, modem: int, tpdu: bytes) -> None:
        """Delivers a message once ofonod has acknowledged the earlier ones."""
        self._child.stdin.write(f"{modem} {len(tpdu)} 00{tpdu.hex().upper()}\n")

    def stop(self) -> None:
        end(self._child)


@contextmanager
def fast_lab(build: Path, modem_count: int, delay_ms: int = 0) -> Iterator[tuple[Lab, Relay]]:
    lab = Lab(modem_count)
    relay = Relay(build, [modem.port for modem in lab.modems], delay_ms)
    config = lab.folder / "relay.conf"
    config.write_text("".join(f"[{modem.name}]\nAddress=127.0.0.1\nPort={port}\n\n"
                              for modem, port in zip(lab.modems, relay.ports)))
    lab.ofonod.environment["OFONO_PHONESIM_CONFIG"] = str(config)
    try:
        with lab:
            yield lab, relay
    finally:
        relay.stop()
