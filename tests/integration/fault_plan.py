# SPDX-License-Identifier: GPL-2.0-or-later
"""What tests/faults/fault_points.c is told: at which passing of a boundary to die."""

from __future__ import annotations

import mmap
import os
import struct
from pathlib import Path

from lab.gateway import BINARY

PASSED, KILL_AT = 0, 8              # struct plan
SIZE = 16


def faulty_binary() -> Path:
    """The program with fault points, beside the one under test."""
    return Path(os.environ.get("GATEWAY_BINARY", BINARY)).with_name("ofono-mcp-faults")


class FaultPlan:
    def __init__(self, file: Path) -> None:
        file.write_bytes(bytes(SIZE))
        with file.open("r+b") as opened:
            self._shared = mmap.mmap(opened.fileno(), SIZE)
        self._log = file.with_name(file.name + ".log")
        self.environment = {"OFONO_MCP_FAULTS": str(file)}

    def arm(self, kill_at: int = 0) -> None:
        """Passings count from here; 0 only counts them."""
        self._log.write_bytes(b"")
        struct.pack_into("=QQ", self._shared, PASSED, 0, kill_at)

    @property
    def passed(self) -> int:
        return struct.unpack_from("=Q", self._shared, PASSED)[0]

    @property
    def boundaries(self) -> list[str]:
        """Those passed since arm(), in order; after a kill the last is where."""
        return self._log.read_text().splitlines()
