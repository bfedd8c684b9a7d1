# SPDX-License-Identifier: GPL-2.0-or-later
"""Programs of other Debian packages: a missing one is reported with its package.

tests/as-root adds /usr/sbin to PATH, where Debian has some of them.
"""

from __future__ import annotations

import shutil
from collections.abc import Sequence

PACKAGES = {
    "avahi-browse": "avahi-utils",
    "avahi-daemon": "avahi-daemon",
    "dbus-daemon": "dbus",
    "haproxy": "haproxy",
    "ip": "iproute2",
    "nft": "nftables",
    "ofonod": "ofono",
    "openssl": "openssl",
    "strace": "strace",
    "ufw": "ufw",
    "valgrind": "valgrind",
}


def find(program: str) -> str:
    """Its file; AssertionError names the package that has it."""
    if file := shutil.which(program):
        return file
    raise AssertionError(f"{program} is missing. As root: apt-get install "
                         f"{PACKAGES[program]}" if program in PACKAGES
                         else f"{program} is missing")


def require(command: Sequence[str]) -> None:
    """Also programs behind a wrapper such as nsenter."""
    for word in command:
        if word in PACKAGES:
            find(word)
