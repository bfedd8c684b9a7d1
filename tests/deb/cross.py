#!/usr/bin/python3
# SPDX-License-Identifier: GPL-2.0-or-later
"""Build the packages for another architecture in a fresh Debian, and run the result.

    sudo tests/deb/cross.py arm64|armhf

It takes some minutes and 1.5 GB of /tmp, so "make check-all" leaves it out. smoke_foreign.py
says what the gateway has to do under qemu-user. Only the release as published is used, without
updates: packages of two architectures must have the same version, and updates reach them at
different times.
"""

from __future__ import annotations

import argparse
import shutil
import sys
import tempfile
from pathlib import Path

TESTS = Path(__file__).resolve().parents[1]
sys.path.insert(0, str(TESTS))                  # the package lab

from build import COPY, build_dependencies, unpack
from fresh_debian import FreshDebian

TOOLS = ["build-essential", "dbus", "python3-dbus", "python3-gi", "python3-pytest",
         "qemu-user-static"]
BUILD = "cd /build/source && exec dpkg-buildpackage -us -uc -b -a$0 -Pcross,nocheck"
EMULATORS = {"arm64": "qemu-aarch64-static", "armhf": "qemu-arm-static"}
SMOKE = """
set -e
dpkg -x /build/ofono-mcp_*_"$0".deb /build/installed
"$1" /build/installed/usr/bin/ofono-mcp --version
exec python3 -B /build/source/tests/deb/smoke_foreign.py "$1" /build/installed/usr/bin/ofono-mcp
"""


def main() -> int:
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("architecture", choices=EMULATORS)
    architecture = parser.parse_args().architecture
    folder = Path(tempfile.mkdtemp(prefix="ofono-mcp-cross-"))
    try:
        fresh = FreshDebian(
            folder / "root",
            [*TOOLS, f"crossbuild-essential-{architecture}",
             *build_dependencies(architecture)], [architecture], as_released=True)
        unpack(fresh.root / "build", COPY)
        fresh.run("sh", "-c", BUILD, architecture)
        print(fresh.run("sh", "-c", SMOKE, architecture, EMULATORS[architecture]), end="")
        for package in sorted((fresh.root / "build").glob("ofono-*_*.deb")):
            print(f"{package.name}: {package.stat().st_size} bytes")
    finally:
        shutil.rmtree(folder)
    return 0


if __name__ == "__main__":
    sys.exit(main())
