# SPDX-License-Identifier: GPL-2.0-or-later
"""Tells tests/faults/fault_points.c at which pass of a boundary the process must die."""

from __future__ import annotations

import mmap
import os
import struct
from pathlib import Path

from lab import wait_until
from lab.gateway import BINARY, Gateway

PASSED, KILL_AT, NAME = 0, 8, 16    # struct plan
SIZE = 128


def faulty_binary() -> Path:
    """The program with fault points, beside the one under test."""
    return Path(os.environ.get("GATEWAY_BINARY", BINARY)).with_name("ofono-mcp-faults")


class FaultPlan:
    def __init__(self, file: Path, gateway: Gateway) -> None:
        self._gateway = gateway
        file.write_bytes(bytes(SIZE))
        with file.open("r+b") as opened:
            self._shared = mmap.mmap(opened.fileno(), SIZE)
        self._log = file.with_name(file.name + ".log")
        self.environment = {"OFONO_MCP_FAULTS": str(file)}

    def arm(self, kill_at: int = 0, name: str = "") -> None:
        """Counts passes from here, of the boundaries with this name, "": any; 0 counts without
        killing.

        A client has its answer before the gateway has passed the boundary behind it: so this waits
        until the gateway rests."""
        if self._gateway.is_running:
            wait_until(lambda: self._gateway.is_asleep, what="the gateway has done what it was asked")
        self._log.write_bytes(b"")
        struct.pack_into(f"=QQ{SIZE - NAME}s", self._shared, PASSED, 0, kill_at, name.encode())

    @property
    def armed(self) -> bool:
        """A kill was ordered."""
        return struct.unpack_from("=Q", self._shared, KILL_AT)[0] != 0

    @property
    def passed(self) -> int:
        return struct.unpack_from("=Q", self._shared, PASSED)[0]

    @property
    def boundaries(self) -> list[str]:
        """The boundaries passed since arm(), in order; after a kill the last one is where it
        died."""
        return self._log.read_text().splitlines()
