# SPDX-License-Identifier: GPL-2.0-or-later
"""One program of the lab: started with a log file, ended by its process ID."""

from __future__ import annotations

import os
import signal
import subprocess
import sys
from collections.abc import Mapping, Sequence
from pathlib import Path

from modem.patience import patience

from .programs import require

CONFINE = Path(__file__).with_name("confine.py")


def as_from_a_shell() -> None:
    """In a child: a background run of the tests would have every program ignore Ctrl-C."""
    for number in (signal.SIGINT, signal.SIGHUP):
        signal.signal(number, signal.SIG_DFL)


class Process:
    """`log` collects the output of all runs. Start it from a thread that lives as long."""

    def __init__(self, name: str, log_file: Path) -> None:
        self.name = name
        self._log_file = log_file
        self._child: subprocess.Popen[bytes] | None = None

    @property
    def log(self) -> str:
        if not self._log_file.exists():
            return ""
        return self._log_file.read_text(errors="replace")

    @property
    def pid(self) -> int:
        if self._child is None:
            raise AssertionError(f"{self.name} was not started")
        return self._child.pid

    @property
    def is_running(self) -> bool:
        return self._child is not None and self._child.poll() is None

    def run(self, command: Sequence[str], environment: Mapping[str, str] | None = None,
            bind: tuple[Path, Path] | None = None,
            disk: tuple[str, Path] | None = None,
            folder: Path | None = None, fds: Sequence[int] = ()) -> None:
        if self.is_running:
            raise AssertionError(f"{self.name} runs already")
        require(command)
        confined = [sys.executable, "-I", "-S", str(CONFINE), str(os.getpid())]
        if bind:
            confined += ["--bind", *map(str, bind)]
        elif disk:
            confined += ["--disk", *map(str, disk)]
        with self._log_file.open("ab") as log:
            self._child = subprocess.Popen(
                [*confined, *command], env=os.environ | dict(environment or {}),
                stdin=subprocess.DEVNULL, stdout=log, stderr=subprocess.STDOUT, cwd=folder,
                pass_fds=fds,
                start_new_session=True)         # Ctrl-C reaches us, who end them in order

    def send_signal(self, number: signal.Signals) -> None:
        if self.is_running:
            self._child.send_signal(number)

    def terminate(self, timeout: float = 10) -> int | None:
        """SIGTERM, then wait; SIGKILL and AssertionError if it takes too long."""
        if self._child is None:
            return None
        self.send_signal(signal.SIGTERM)
        self.send_signal(signal.SIGCONT)
        try:
            return self._child.wait(patience(timeout))
        except subprocess.TimeoutExpired:
            self.kill()
            raise AssertionError(f"{self.name} stays on SIGTERM:\n{self.log}") from None

    def kill(self) -> None:
        self.send_signal(signal.SIGKILL)
        if self._child:
            self._child.wait()


class Program:
    """The members that a process must have."""

    _process: Process

    @property
    def log(self) -> str:
        return self._process.log

    @property
    def pid(self) -> int:
        return self._process.pid

    @property
    def is_running(self) -> bool:
        return self._process.is_running

    @property
    def is_asleep(self) -> bool:
        """It waits for something to happen; a disk does not count."""
        status = Path(f"/proc/{self.pid}/stat").read_text()
        return status.rpartition(")")[2].split()[0] == "S"
