#!/usr/bin/python3
# SPDX-License-Identifier: GPL-2.0-or-later
"""Build the packages for another architecture in a fresh Debian, and run what was built.

    sudo tests/deb/cross.py arm64|armhf

It takes some minutes and 1.5 GB of /tmp, so "make check" leaves it out.  The gateway runs under
qemu-user with a bus of its own and without oFono: it has to start, answer over HTTP, make its
ledger, tell that oFono is away, and stop.
"""

from __future__ import annotations

import argparse
import shutil
import subprocess
import sys
import tempfile
from pathlib import Path

from build import COPY, PROJECT
from fresh_debian import FreshDebian

TOOLS = ["build-essential", "curl", "dbus", "debhelper", "dh-apparmor", "ofono-dev", "pkgconf",
         "qemu-user-static"]
LIBRARIES = ["libdbus-1-dev", "libglib2.0-dev", "libgnutls28-dev", "libinih-dev",
             "libmicrohttpd-dev", "libsqlite3-dev", "libsystemd-dev", "libyajl-dev"]
BUILD = ["sh", "-c", "cd /build/source && exec dpkg-buildpackage -us -uc -b -a$0 -Pcross,nocheck"]
EMULATORS = {"arm64": "qemu-aarch64-static", "armhf": "qemu-arm-static"}
SMOKE = r"""
set -e
emulator=$1
dpkg -x /build/ofono-mcp_*_"$0".deb /build/installed
mkdir -p /run/dbus /build/state
dbus-daemon --system --nopidfile --fork
"$emulator" /build/installed/usr/bin/ofono-mcp --version
"$emulator" /build/installed/usr/bin/ofono-mcp serve --open --state-dir /build/state &
gateway=$!
for second in 1 2 3 4 5 6 7 8 9 10 11 12 13 14 15 16 17 18 19 20; do
	curl -sf http://127.0.0.1:9531/healthz && break
	sleep 1
done
curl -sf http://127.0.0.1:9531/mcp -H 'Content-Type: application/json' -d '{"jsonrpc":"2.0",
"id":1,"method":"tools/call","params":{"name":"send_sms","arguments":{
"to_phone_number":"+36201234567","sms_text":"x"}}}' | grep ofono_unavailable
test -s /build/state/gateway.db
kill "$gateway"
wait "$gateway"
echo "runs as $0"
"""


def main() -> int:
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("architecture", choices=EMULATORS)
    architecture = parser.parse_args().architecture
    folder = Path(tempfile.mkdtemp(prefix="ofono-mcp-cross-"))
    try:
        fresh = FreshDebian(
            folder / "root", None,
            [*TOOLS, f"crossbuild-essential-{architecture}",
             *(f"{library}:{architecture}" for library in LIBRARIES)], [architecture])
        source = fresh.root / "build" / "source"
        source.mkdir(parents=True)
        with subprocess.Popen(COPY, cwd=PROJECT, stdout=subprocess.PIPE) as copy:
            subprocess.run(["tar", "-x", "-C", source], stdin=copy.stdout, check=True)
        fresh.run(*BUILD, architecture)
        print(fresh.run("sh", "-c", SMOKE, architecture, EMULATORS[architecture]), end="")
        for package in sorted((fresh.root / "build").glob("ofono-*_*.deb")):
            print(f"{package.name}: {package.stat().st_size} bytes")
    finally:
        shutil.rmtree(folder)
    return 0


if __name__ == "__main__":
    sys.exit(main())
