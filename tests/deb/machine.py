# SPDX-License-Identifier: GPL-2.0-or-later
"""A running fresh Debian: its own systemd is process 1 in namespaces of its own, its processes
are in a cgroup of their own, its network has only lo."""

from __future__ import annotations

import os
import signal
import subprocess
import tempfile
from pathlib import Path
from types import TracebackType

from fresh_debian import ENVIRONMENT, FreshDebian
from lab import wait_until
from modem.patience import patience

CGROUPS = (Path("/sys/fs/cgroup/unified"), Path("/sys/fs/cgroup"))
UNSHARE = ["unshare", "--mount", "--pid", "--cgroup", "--uts", "--ipc", "--net", "--fork",
           "--kill-child", "--propagation=unchanged"]
DEVICES = ("null", "zero", "full", "random", "urandom", "tty")
BOOT = r"""
set -e
root=$1
shift
echo $$ > "$1/cgroup.procs"
shift
exec "$@" sh -ec '
root=$1
unit=$2
shift 2
mount --make-rprivate / 2>/dev/null || :
mount --bind "$root" "$root"
mount --make-private "$root"
mount -t proc proc "$root/proc"
mount -t sysfs -o ro sysfs "$root/sys"
mount -t cgroup2 cgroup2 "$root/sys/fs/cgroup"
mount -t tmpfs tmpfs "$root/run"
mount -t tmpfs tmpfs "$root/tmp"
mount -t tmpfs -o mode=755 tmpfs "$root/dev"
mkdir "$root/dev/shm" "$root/dev/pts"
mount -t tmpfs tmpfs "$root/dev/shm"
mount -t devpts -o newinstance,ptmxmode=0666 devpts "$root/dev/pts"
ln -s pts/ptmx "$root/dev/ptmx"
for device; do
	touch "$root/dev/$device"
	mount --bind "/dev/$device" "$root/dev/$device"
done
ip link set lo up
cd "$root"
if pivot_root . mnt 2>/dev/null; then
	umount -l mnt
	exec env -i container=unshare /lib/systemd/systemd
fi
# Where this machine is itself a chroot no process of a chroot makes a name space of users.
mkdir -p "run/systemd/system/$unit.d"
printf "[Service]\nPrivateUsers=no\n" >"run/systemd/system/$unit.d/chroot.conf"
exec chroot . env -i container=unshare /lib/systemd/systemd
' sh "$root" ofono-mcp.service """ + " ".join(DEVICES)
SEEN = ("dev/shm", "dev", "tmp", "run", "sys", "proc", "")     # where mounts may be visible outside


def cgroup_folder() -> Path:
    for folder in CGROUPS:
        if (folder / "cgroup.procs").exists() and (folder / "cgroup.controllers").exists():
            return folder
    raise AssertionError("no hierarchy of cgroup 2 is mounted here, and systemd needs one")


class Machine:
    """with Machine(fresh) as machine: ..."""

    def __init__(self, fresh: FreshDebian) -> None:
        self.root = fresh.root
        self._cgroup = Path()
        self._outer: subprocess.Popen[bytes] | None = None

    def __enter__(self) -> Machine:
        self._cgroup = Path(tempfile.mkdtemp(prefix="ofono-mcp-", dir=cgroup_folder()))
        try:
            self._outer = subprocess.Popen(
                ["sh", "-c", BOOT, "sh", self.root, self._cgroup, *UNSHARE],
                stdin=subprocess.DEVNULL, stdout=subprocess.DEVNULL)
            wait_until(self._is_up, timeout=120, what="systemd is up")
        except BaseException:
            self._end()
            raise
        return self

    def __exit__(self, kind: type[BaseException] | None, error: BaseException | None,
                 trace: TracebackType | None) -> None:
        self._end()

    def command(self, *command: str) -> list[str]:
        """How to start it from here."""
        return ["nsenter", f"--target={self._init()}", "--all", "--root", "--wd",
                "env", "-i", *ENVIRONMENT, *command]

    def try_to(self, *command: str, user: str = "") -> subprocess.CompletedProcess[str]:
        """As root, or as another user with that user's groups."""
        as_user = ["setpriv", f"--reuid={user}", f"--regid={user}", "--init-groups"]
        return subprocess.run(self.command(*(as_user if user else []), *command),
                              stdin=subprocess.DEVNULL, capture_output=True, text=True,
                              timeout=patience(60))

    def run(self, *command: str, user: str = "") -> str:
        """Returns its output; it must succeed."""
        ended = self.try_to(*command, user=user)
        assert ended.returncode == 0, f"{command}\n{ended.stdout}{ended.stderr}"
        return ended.stdout

    def _init(self) -> int:
        assert self._outer and self._outer.poll() is None, "the machine is down"
        children = Path(f"/proc/{self._outer.pid}/task/{self._outer.pid}/children")
        return int(children.read_text().split()[0])

    def _is_up(self) -> bool:
        try:
            if Path(f"/proc/{self._init()}/comm").read_text() != "systemd\n":
                return False
            return self.try_to("systemctl", "is-system-running").stdout.strip() in (
                "running", "degraded")
        except IndexError:                      # it has no process 1 yet
            return False

    def _end(self) -> None:
        if self._outer:
            self._outer.send_signal(signal.SIGKILL)     # and with it process 1 and everything else
            self._outer.wait()
        for seen in SEEN:
            subprocess.run(["umount", "-R", "-l", self.root / seen], capture_output=True)
        wait_until(lambda: "populated 0" in (self._cgroup / "cgroup.events").read_text(),
                   what="every process of the machine has ended")
        for folder, _, _ in os.walk(self._cgroup, topdown=False):
            os.rmdir(folder)
