# SPDX-License-Identifier: GPL-2.0-or-later
"""A Debian 12 of its own in a folder, from where this machine has its packages."""

from __future__ import annotations

import subprocess
from collections.abc import Sequence
from pathlib import Path

SUITE = "bookworm"
SOURCES = [*Path("/etc/apt").glob("sources.list"),
           *Path("/etc/apt/sources.list.d").glob("*.sources"),
           *Path("/etc/apt/sources.list.d").glob("*.list")]
# What runs in it ends with it. Its mounts are taken away, for where this machine is itself a
# chroot they may be seen outside of their namespace.
CONFINED = ["unshare", "--mount", "--pid", "--fork", "--kill-child", "--propagation=unchanged"]
ENVIRONMENT = ["PATH=/usr/sbin:/usr/bin:/sbin:/bin", "LC_ALL=C.UTF-8",
               "DEBIAN_FRONTEND=noninteractive"]
MOUNT = """
root=$1
shift
mount -t proc proc "$root/proc" && mount --rbind /dev "$root/dev" &&
mount --make-rslave "$root/dev" && mount -t tmpfs tmpfs "$root/run" &&
mount -t tmpfs tmpfs "$root/tmp" && chroot "$root" "$@"
code=$?
umount -R -l "$root/tmp" "$root/run" "$root/dev" "$root/proc" 2>/dev/null
exit "$code"
"""


class FreshDebian:
    """`packages` are installed, some perhaps of another architecture; from `sources`, files or
    lines of them."""

    def __init__(self, root: Path, packages: Sequence[str],
                 others: Sequence[str] = (),
                 sources: Sequence[str | Path] = SOURCES) -> None:
        self.root = root
        own = self._must("dpkg", "--print-architecture").strip()
        self._must("mmdebstrap", "--quiet", "--variant=apt",
                   f"--architectures={','.join([own, *others])}",
                   f"--include={','.join(packages)}", SUITE, str(root),
                   *map(str, sources))

    def run(self, *command: str) -> str:
        """What it said; it must succeed."""
        return self._must(*CONFINED, "sh", "-c", MOUNT, "sh", str(self.root),
                          "env", "-i", *ENVIRONMENT, *command)

    def _must(self, *command: str) -> str:
        ended = subprocess.run(command, stdin=subprocess.DEVNULL, capture_output=True,
                               text=True)
        assert ended.returncode == 0, f"{command}\n{ended.stdout}{ended.stderr}"
        return ended.stdout
