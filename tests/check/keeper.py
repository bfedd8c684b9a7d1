# SPDX-License-Identifier: GPL-2.0-or-later
"""Scratch folders of one run, and a process that removes them however the run ends.

Every program of the run has OWNER in its environment. The keeper is a process in its own
session. It waits until the run has ended, even by SIGKILL, kills the programs that the run
left behind, and removes the folders.
"""

from __future__ import annotations

import os
import shutil
import signal
import subprocess
import tempfile
import time
from collections.abc import Sequence
from contextlib import suppress
from pathlib import Path

OWNER = "OFONO_MCP_CHECK"
MEMORY = Path("/dev/shm")                   # no disk is tested there
MEMORY_MIN = 1 << 30                        # octets; a container often has 64 MiB, and noexec
AS_ROOT = Path(__file__).resolve().parents[1] / "as-root"
POLL_S = 0.02
PATIENCE_S = 10


class Keeper:
    """Start it before the first thread. `folder` is for TMPDIR, `memory` is in RAM."""

    def __init__(self) -> None:
        self.folder = new_folder()
        self.memory = folder_in_memory(self.folder)
        reading, self._writing = os.pipe()
        self._pid = os.fork()
        if self._pid == 0:
            try:
                os.close(self._writing)
                keep(reading, [self.folder, self.memory])
            finally:
                os._exit(0)
        os.close(reading)

    @property
    def environment(self) -> dict[str, str]:
        return {"TMPDIR": str(self.folder), OWNER: str(self.folder)}

    def end(self) -> None:
        """Returns when nothing is left."""
        os.close(self._writing)
        os.waitpid(self._pid, 0)


def place_in_memory() -> Path | None:
    """None: there is none with enough space in which programs may run."""
    try:
        found = os.statvfs(MEMORY)
    except OSError:
        return None
    is_fit = (os.access(MEMORY, os.W_OK) and not found.f_flag & os.ST_NOEXEC
              and found.f_bavail * found.f_frsize >= MEMORY_MIN)
    return MEMORY if is_fit else None


def new_folder(parent: Path | str | None = None) -> Path:
    """Tests enter it as other users, too."""
    folder = Path(tempfile.mkdtemp(prefix="ofono-mcp-", dir=parent))
    folder.chmod(0o711)
    return folder


def folder_in_memory(folder: Path) -> Path:
    """With the same name, which shows whose it is."""
    place = place_in_memory()
    if place in (None, folder.parent):
        return new_folder(place)
    made = place / folder.name
    made.mkdir()
    made.chmod(0o711)
    return made


def keep(reading: int, folders: Sequence[Path]) -> None:
    os.setsid()
    for number in (signal.SIGINT, signal.SIGTERM, signal.SIGHUP):
        signal.signal(number, signal.SIG_IGN)
    nothing = os.open(os.devnull, os.O_RDWR)
    for descriptor in (0, 1, 2):            # a reader of our output waits for its end
        os.dup2(nothing, descriptor)
    os.read(reading, 1)                     # nobody writes: it returns at the end of the run
    deadline = time.monotonic() + PATIENCE_S
    while kill_programs(folders[0]) and time.monotonic() < deadline:
        time.sleep(POLL_S)
    for folder in folders:
        remove(folder)


def kill_programs(owner: Path) -> bool:
    """False if no program of the run is left."""
    mark, found = f"{OWNER}={owner}".encode(), False
    for process in Path("/proc").glob("[0-9]*"):
        try:
            if mark in (process / "environ").read_bytes().split(b"\0"):
                found = True
                os.kill(int(process.name), signal.SIGKILL)
        except OSError:                     # it ended, or belongs to another user
            continue
    return found


def remove(folder: Path) -> None:
    """Also removes what a test made unreadable."""
    for path, folders, _ in os.walk(folder):
        for name in folders:
            if not os.path.islink(inner := os.path.join(path, name)):
                with suppress(PermissionError):
                    os.chmod(inner, 0o700)
    shutil.rmtree(folder, ignore_errors=True)
    if folder.exists():                     # owned by another user, which is us in a namespace
        subprocess.run([AS_ROOT, "rm", "-rf", folder])
