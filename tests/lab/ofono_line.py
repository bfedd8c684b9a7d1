# SPDX-License-Identifier: GPL-2.0-or-later
"""Which ofonod the tests run with, and what is expected of that one: OFONOD names it.

Upstream 1.31 to 2.19 (Debian), 1.29 of the forks (Sailfish OS, Droidian, FuriOS, UBports), and
1.17 of UBports.  A test that expects another thing of another line asks line() for it by name.
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
    has_access_control: bool            # of its own, besides the policy of the bus

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
        """Those that come in."""
        return not self.is_fork

    @property
    def tells_of_delivery(self) -> bool:
        """By itself, without our plugin."""
        return self.is_fork and not self.is_old

    @property
    def loads_our_plugin(self) -> bool:
        """Provided that the plugin was built for its version."""
        return not self.is_old

    @property
    def reads_provider_name(self) -> bool:
        return not self.is_old

    @property
    def deadly(self) -> set[str]:
        """Of DEADLY in test_ofono_faults.py what surely ends it; forks differ by their build."""
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
