# SPDX-License-Identifier: GPL-2.0-or-later
"""A Debian of its own in a folder, from where this machine has its packages."""

from __future__ import annotations

import subprocess
import tempfile
from collections.abc import Sequence
from pathlib import Path

import releases

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
    """`packages` are installed, some perhaps of another architecture."""

    def __init__(self, root: Path, packages: Sequence[str], others: Sequence[str] = (),
                 release: str = "", as_released: bool = False) -> None:
        self.root = root
        self.release = release or releases.own()
        architectures = [self._must("dpkg", "--print-architecture").strip(), *others]
        with tempfile.NamedTemporaryFile("w", suffix=".sources") as sources:
            sources.write(releases.sources(self.release, as_released=as_released))
            sources.flush()
            self._must("mmdebstrap", "--quiet", "--variant=apt", *releases.apt_options(),
                       f"--architectures={','.join(architectures)}",
                       f"--include={','.join(packages)}", self.release, str(root),
                       sources.name)

    def try_to(self, *command: str) -> subprocess.CompletedProcess[str]:
        return self._try_to(*CONFINED, "sh", "-c", MOUNT, "sh", str(self.root),
                            "env", "-i", *ENVIRONMENT, *command)

    def run(self, *command: str) -> str:
        """What it said; it must succeed."""
        ended = self.try_to(*command)
        assert ended.returncode == 0, f"{command}\n{ended.stdout}{ended.stderr}"
        return ended.stdout

    def remove(self) -> None:
        subprocess.run(["rm", "-rf", "--one-file-system", self.root], check=True)

    def _must(self, *command: str) -> str:
        ended = self._try_to(*command)
        assert ended.returncode == 0, f"{command}\n{ended.stdout}{ended.stderr}"
        return ended.stdout

    def _try_to(self, *command: str) -> subprocess.CompletedProcess[str]:
        return subprocess.run(command, stdin=subprocess.DEVNULL, capture_output=True,
                              text=True)
