# SPDX-License-Identifier: GPL-2.0-or-later
"""doc/examples/openrc/ofono-mcp, run by Debian's real OpenRC.

Installing that package would replace sysv-rc. So it is unpacked into a root of its own, whose
/usr links to everything else in this machine's /usr. On Debian 13 the package's own files are
there too.
"""

from __future__ import annotations

import os
import re
import shutil
import subprocess
import tempfile
from collections.abc import Iterator, Sequence
from pathlib import Path

import pytest

from lab import wait_until
from lab.gateway import BINARY, free_port, http_connection
from lab.process import Process
from modem.patience import patience
from other_users import with_other_users

SCRIPT = Path(__file__).resolve().parents[2] / "doc" / "examples" / "openrc" / "ofono-mcp"
OWN_LIBRARY = re.compile(r"Depends: ((?:librc|libeinfo)\S+)")    # librc1, librc1t64
USER, UID = "ofono-mcp", 991
STUB = "#!/sbin/openrc-run\nstart() { return 0; }\nstop() { return 0; }\n"
# Every process in it ends with it: it runs the first process of a PID namespace. It mounts
# nothing unless the root is a mount of its own that nobody else sees.
ENTER = """
set -e
root=$1
shift
mount --bind "$root" "$root"
mount --make-rprivate "$root"
cd "$root"
! grep " $root .* shared:" /proc/self/mountinfo
mount --bind /usr machine
mount -o remount,bind,ro machine
touch dev/null
mount --bind /dev/null dev/null
mount -t proc proc proc
mount -t tmpfs tmpfs run
mkdir -p $(printf "run/openrc/%s " started starting stopping inactive wasinactive failed \
	exclusive daemons options scheduled tmp)
touch run/openrc/softlevel
exec chroot . "$@"
"""
MACHINE = Path("/machine")              # in the root: this machine's /usr
MOUNTED = ["machine", "proc", "run"]


def add_links(folder: Path, machine: Path, target: Path) -> None:
    """Links everything that is in the machine's folder and not in this one."""
    for entry in machine.iterdir():
        ours = folder / entry.name
        if ours.is_dir() and not ours.is_symlink() and entry.is_dir():
            add_links(ours, entry, target / entry.name)
        elif not os.path.lexists(ours):
            ours.symlink_to(target / entry.name)


class OpenRc:
    """A machine with OpenRC, which lives as long as its one shell."""

    def __init__(self, root: Path) -> None:
        self.root = root
        self.port = free_port()
        self._shell = Process("openrc", root.parent / "openrc.log")

    def unpack(self, packages: Sequence[Path]) -> None:
        """Also unpacks into /usr what Debian 12 keeps outside it."""
        for name in ("bin", "sbin", "lib", "lib64"):
            (self.root / "usr" / name).mkdir(parents=True)
            (self.root / name).symlink_to(f"usr/{name}")
        for package in packages:
            content = subprocess.run(["dpkg-deb", "--fsys-tarfile", package], check=True,
                                     stdout=subprocess.PIPE).stdout
            subprocess.run(["tar", "-x", "--keep-directory-symlink", "--no-same-owner",
                            "-C", self.root], input=content, check=True)

    def furnish(self) -> None:
        shutil.rmtree(self.root / "usr/share")      # manuals
        add_links(self.root / "usr", Path("/usr"), MACHINE)
        for folder in (*MOUNTED, "dev", "var/log", "var/lib", "tmp", "etc/conf.d",
                       "etc/pam.d", "opt"):
            (self.root / folder).mkdir(parents=True, exist_ok=True)
        (self.root / "var/run").symlink_to("/run")
        (self.root / "etc/passwd").write_text(
            f"root:x:0:0::/:/bin/sh\n{USER}:x:{UID}:{UID}::/var/lib/{USER}:/bin/sh\n")
        (self.root / "etc/group").write_text(f"root:x:0:\n{USER}:x:{UID}:\n")
        (self.root / "etc/pam.d/other").write_text(
            "account required pam_permit.so\nsession required pam_permit.so\n")
        for name in ("dbus", "ofono"):
            self._service(name, STUB)
        self._service("ofono-mcp", SCRIPT.read_text())
        shutil.copy(BINARY, self.root / "opt/ofono-mcp")
        (self.root / "etc/conf.d/ofono-mcp").write_text(
            f'command=/opt/ofono-mcp\ncommand_args="serve --listen 127.0.0.1:{self.port}"\n')

    def start(self) -> None:
        self._shell.run(
            ["unshare", "--mount", "--pid", "--fork", "--kill-child",
             "--propagation=unchanged", "sh", "-c", ENTER, "sh", str(self.root),
             "env", "-i", "PATH=/usr/sbin:/usr/bin:/sbin:/bin", "sh", "-c",
             "mkfifo /run/end; echo $$ >/run/there; cat /run/end"])
        wait_until(lambda: self._inside("test", "-e", "/run/there").returncode == 0,
                   what=f"the machine is there\n{self._shell.log}")

    def stop(self) -> None:
        """Removes nothing that is still mounted: mount points must be empty, or this fails."""
        self._shell.kill()
        for folder in MOUNTED:
            (self.root / folder).rmdir()

    def service(self, verb: str) -> None:
        ended = self._inside("rc-service", "ofono-mcp", verb)
        assert ended.returncode == 0, ended.stdout + ended.stderr + self.log

    def status(self) -> str:
        return self._inside("rc-service", "ofono-mcp", "status").stdout

    @property
    def log(self) -> str:
        path = self.root / "var/log/ofono-mcp.log"
        return path.read_text() if path.exists() else ""

    @property
    def daemon(self) -> int:
        """Its process ID as this machine sees it; 0 if it does not run."""
        for process in Path("/proc").glob("[0-9]*"):
            try:
                words = (process / "cmdline").read_bytes().split(b"\0")
            except OSError:
                continue
            if words[:2] == [b"/opt/ofono-mcp", b"serve"] and \
                    f"127.0.0.1:{self.port}".encode() in words:
                return int(process.name)
        return 0

    def is_healthy(self) -> bool:
        connection = http_connection(self.port, timeout=1)
        try:
            connection.request("GET", "/healthz")
            return connection.getresponse().status == 200
        except OSError:
            return False
        finally:
            connection.close()

    def wait_healthy(self) -> None:
        wait_until(self.is_healthy, 20, f"the gateway answers\n{self.log}")

    def _service(self, name: str, text: str) -> None:
        script = self.root / "etc/init.d" / name
        script.write_text(text)
        script.chmod(0o755)

    def _inside(self, *command: str) -> subprocess.CompletedProcess[str]:
        """In all namespaces of the machine, and below its root, independently of ours."""
        children = Path(f"/proc/{self._shell.pid}/task/{self._shell.pid}/children")
        first = children.read_text().split()
        if not first:
            return subprocess.CompletedProcess(command, 1, "", "")
        return subprocess.run(
            ["nsenter", f"--target={first[0]}", "--mount", "--pid", "--root", "env", "-i",
             "PATH=/usr/sbin:/usr/bin:/sbin:/bin", *command],
            capture_output=True, text=True, stdin=subprocess.DEVNULL, timeout=patience(60))


def packages_of_openrc() -> list[str]:
    said = subprocess.run(["apt-cache", "depends", "--important", "openrc"], check=True,
                          capture_output=True, text=True).stdout
    return ["openrc", *OWN_LIBRARY.findall(said)]


def furnished(folder: Path) -> OpenRc:
    packages, root = folder / "packages", folder / "root"
    packages.mkdir()
    subprocess.run(["apt-get", "-q", "-o", "APT::Sandbox::User=root", "download",
                    *packages_of_openrc()],
                   cwd=packages, check=True, capture_output=True)
    machine = OpenRc(root)
    machine.unpack(list(packages.glob("*.deb")))
    machine.furnish()
    return machine


@pytest.fixture
def openrc() -> Iterator[OpenRc]:
    folder = Path(tempfile.mkdtemp(prefix="ofono-mcp-openrc-"))
    try:
        machine = furnished(folder)
    except BaseException:
        shutil.rmtree(folder)
        raise
    try:
        machine.start()
        yield machine
    finally:
        machine.stop()
        shutil.rmtree(folder)


@with_other_users
def test_openrc_restarts_the_gateway_after_a_crash(openrc: OpenRc) -> None:
    """It runs as the user who owns the state folder; after a crash it returns; and it stops."""
    openrc.service("start")
    openrc.wait_healthy()
    assert "started" in openrc.status()
    first = openrc.daemon
    status = Path(f"/proc/{first}/status").read_text()
    assert "NoNewPrivs:\t1" in status
    state = (openrc.root / "var/lib/ofono-mcp").stat()
    assert state.st_mode & 0o777 == 0o700
    assert f"Uid:\t{UID}\t{UID}" in status and state.st_uid == UID
    openrc.service("reload")
    wait_until(lambda: "reload: nothing changed" in openrc.log, what="it has read it again")
    os.kill(first, 9)
    wait_until(lambda: openrc.daemon not in (0, first), 20, "there is another one")
    openrc.wait_healthy()
    openrc.service("stop")
    assert not openrc.daemon
    assert "stopping (signal 15)" in openrc.log
