# SPDX-License-Identifier: GPL-2.0-or-later
"""Which ofonod the tests run with, and what to expect of it: OFONOD names it.

Upstream 1.31 to 2.19 (Debian), 1.29 of the forks (Sailfish OS, Droidian, FuriOS, UBports), and
1.17 of UBports. A test with different expectations asks line() by name.
"""

from __future__ import annotations

import os
import shlex
import shutil
import subprocess
from dataclasses import dataclass
from functools import cache
from pathlib import Path

OFONOD = os.environ.get("OFONOD", "ofonod")
WRAPPER = shlex.split(os.environ.get("OFONOD_WRAPPER", ""))
FORK_VERSION = 1, 29                    # no system has upstream's


def find_program(binary: str) -> Path:
    return Path(shutil.which(binary, path=os.environ["PATH"] + ":/usr/sbin") or binary)


@dataclass(frozen=True)
class Line:
    version: tuple[int, ...]
    has_access_control: bool            # its own, besides the bus's policy

    @property
    def is_fork(self) -> bool:
        return self.version <= FORK_VERSION

    @property
    def is_old(self) -> bool:
        """1.17: no SimManager.ServiceProviderName, no reports, no plugin of ours."""
        return self.version < FORK_VERSION

    @property
    def sends_emoji(self) -> bool:
        return self.is_fork

    @property
    def damages_emoji(self) -> bool:
        """Incoming emoji."""
        return not self.is_fork

    @property
    def tells_of_delivery(self) -> bool:
        """By itself, without our plugin."""
        return self.is_fork and not self.is_old

    @property
    def loads_our_plugin(self) -> bool:
        """If the plugin was built for its version."""
        return not self.is_old

    @property
    def reads_provider_name(self) -> bool:
        return not self.is_old

    @property
    def deadly(self) -> set[str]:
        """The entries of DEADLY in test_ofono_faults.py that surely end it; forks differ by
        their build."""
        if self.version == (1, 31):
            return {"an address of 0xFD digits", "1,500 characters of USSD"}
        return set()


@cache
def line() -> Line:
    """Of the ofonod that OFONOD names."""
    binary = find_program(OFONOD)
    said = subprocess.run([*WRAPPER, str(binary), "--version"], check=True, text=True,
                          capture_output=True).stdout
    octets = binary.read_bytes() if binary.is_file() else b""
    return Line(tuple(map(int, said.split()[0].split("."))), b"libdbusaccess" in octets)
