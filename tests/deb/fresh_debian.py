# SPDX-License-Identifier: GPL-2.0-or-later
"""A separate Debian in a folder, installed from this machine's sources."""

from __future__ import annotations

import subprocess
import tempfile
from collections.abc import Sequence
from pathlib import Path

import releases
from network import fetched

# Everything in it ends with it. Its mounts are removed, because they may be visible outside of
# their namespace if this machine is itself a chroot.
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
    """Installs `packages`, some perhaps of another architecture."""

    def __init__(self, root: Path, packages: Sequence[str], others: Sequence[str] = (),
                 release: str = "", as_released: bool = False) -> None:
        self.root = root
        self.release = release or releases.own()
        architectures = [self._must("dpkg", "--print-architecture").strip(), *others]
        with tempfile.NamedTemporaryFile("w", suffix=".sources") as sources:
            sources.write(releases.sources(self.release, as_released=as_released))
            sources.flush()
            ended = fetched(["mmdebstrap", "--quiet", "--variant=apt", *releases.apt_options(),
                             '--aptopt=Acquire::Retries "5"',
                             f"--architectures={','.join(architectures)}",
                             f"--include={','.join(packages)}", self.release, str(root),
                             sources.name], before_again=self.remove)
            assert ended.returncode == 0, ended.stdout + ended.stderr

    def try_to(self, *command: str) -> subprocess.CompletedProcess[str]:
        return self._try_to(*CONFINED, "sh", "-c", MOUNT, "sh", str(self.root),
                            "env", "-i", *ENVIRONMENT, *command)

    def run(self, *command: str) -> str:
        """Returns its output; it must succeed."""
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
