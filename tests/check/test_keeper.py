# SPDX-License-Identifier: GPL-2.0-or-later
"""However a run of the checks ends, it leaves no file and no program behind."""

from __future__ import annotations

import os
import pty
import signal
import subprocess
import sys
import tempfile
from collections.abc import Callable
from pathlib import Path

import pytest

sys.path.insert(0, str(Path(__file__).resolve().parents[1]))    # the package lab

import check
import keeper
from lab import wait_until

RUNNER = Path(check.__file__)
# Like a test: folders, one of them inaccessible, and a program that outlives its parent.
MAKE = """#!/bin/sh
mkdir -p "$TMPDIR/closed/inner"
touch "$TMPDIR/closed/inner/file"
chmod 0 "$TMPDIR/closed"
setsid sleep 1000 </dev/null >/dev/null 2>&1 &
touch '{begun}'
{then}
"""


class Run:
    """check.py with a make of ours and its own folder for temporary files, as a shell's job:
    in its own process group."""

    def __init__(self, folder: Path, then: str, stdout: int = subprocess.PIPE,
                 parts: str = "unit") -> None:
        self.scratch, self._begun, make = (folder / name for name in ("tmp", "begun", "make"))
        self.scratch.mkdir()
        make.write_text(MAKE.format(begun=self._begun, then=then))
        make.chmod(0o755)
        self._memory: list[Path] = []
        self.child = subprocess.Popen(
            [sys.executable, "-B", RUNNER, "--make", str(make), "--build",
             str(folder / "build"), parts],
            stdin=subprocess.DEVNULL, stdout=stdout, stderr=subprocess.STDOUT,
            env=os.environ | {"TMPDIR": str(self.scratch)}, process_group=0)

    def wait_begun(self) -> None:
        wait_until(self._begun.exists, what="its make runs")
        assert self.programs() and list(self.scratch.iterdir())
        self._memory = [keeper.MEMORY / folder.name for folder in self.scratch.iterdir()]

    def programs(self) -> list[str]:
        mark = f"{keeper.OWNER}={self.scratch}".encode()
        return [process.name for process in Path("/proc").glob("[0-9]*")
                if mark in environment(process)]

    def assert_nothing_left(self) -> None:
        wait_until(lambda: not self.programs(), what="its programs have ended")
        wait_until(lambda: not list(self.scratch.iterdir()), what="its folder is empty")
        wait_until(lambda: not any(folder.exists() for folder in self._memory),
                   what="its memory is freed")


def environment(process: Path) -> bytes:
    try:
        return (process / "environ").read_bytes()
    except OSError:                             # it ended, or belongs to another user
        return b""


def to_group(number: signal.Signals) -> Callable[[Run], None]:
    return lambda run: os.killpg(run.child.pid, number)


def to_it_twice(number: signal.Signals) -> Callable[[Run], None]:
    def send(run: Run) -> None:
        run.child.send_signal(number)
        run.child.send_signal(number)
    return send


def test_a_finished_run_leaves_nothing(tmp_path: Path) -> None:
    run = Run(tmp_path, "exit 1")
    run.child.communicate()
    assert not list(run.scratch.iterdir()) and not run.programs()


@pytest.mark.parametrize("interrupt", [
    *(send(number) for number in (signal.SIGINT, signal.SIGTERM, signal.SIGHUP)
      for send in (to_group, to_it_twice)),
    to_group(signal.SIGKILL)])
def test_an_interrupted_run_leaves_nothing(tmp_path: Path, interrupt: Callable[[Run], None]) -> None:
    run = Run(tmp_path, "sleep 1000")
    run.wait_begun()
    interrupt(run)
    run.child.communicate()
    assert run.child.returncode in (130, -signal.SIGKILL)
    run.assert_nothing_left()


def test_interrupted_parts_side_by_side_leave_nothing(tmp_path: Path) -> None:
    run = Run(tmp_path, "sleep 1000", parts="check")
    run.wait_begun()
    run.child.send_signal(signal.SIGTERM)
    run.child.communicate()
    assert run.child.returncode == 130
    run.assert_nothing_left()


def test_closing_the_terminal_leaves_nothing(tmp_path: Path) -> None:
    ours, theirs = pty.openpty()
    run = Run(tmp_path, "sleep 1000", theirs)
    os.close(theirs)
    run.wait_begun()
    os.close(ours)
    run.child.send_signal(signal.SIGHUP)
    run.child.wait()
    run.assert_nothing_left()


def test_a_closed_output_leaves_nothing(tmp_path: Path) -> None:
    run = Run(tmp_path, "exit 0")
    run.child.stdout.close()
    run.child.wait()
    run.assert_nothing_left()


def test_other_users_can_use_its_folder() -> None:
    """Tests start programs as nobody there."""
    folder = keeper.new_folder(tempfile.gettempdir())
    try:
        assert folder.stat().st_mode & 0o777 == 0o711
    finally:
        folder.rmdir()


def test_a_lab_that_is_never_entered_leaves_nothing(tmp_path: Path) -> None:
    """An interrupt may arrive that early."""
    subprocess.run([sys.executable, "-B", "-c", "from lab import Lab; Lab()"], check=True,
                   env=os.environ | {"TMPDIR": str(tmp_path),
                                     "PYTHONPATH": str(RUNNER.parents[1])})
    assert not list(tmp_path.iterdir())
