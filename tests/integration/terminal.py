# SPDX-License-Identifier: GPL-2.0-or-later
"""ofono-mcp on a terminal: both output streams."""

from __future__ import annotations

import os
import pty
import subprocess
import termios
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

from lab.gateway import BINARY
from lab.process import as_from_a_shell


class Terminal:
    def __init__(self, fd: int, process: subprocess.Popen[bytes]) -> None:
        self._fd = fd
        self.process = process
        self.shown = ""

    def read_until(self, words: str) -> str:
        """Returns the output so far; fails if the program ends before the text appears."""
        while words not in self.shown:
            try:
                data = os.read(self._fd, 4096)
            except OSError:             # EIO: the last process that had it open closed it
                data = b""
            assert data, self.shown
            self.shown += data.decode()
        return self.shown

    def type(self, keys: str) -> None:
        os.write(self._fd, keys.encode())

    def read_all(self) -> str:
        while True:
            try:
                data = os.read(self._fd, 4096)
            except OSError:
                return self.shown
            self.shown += data.decode()


@contextmanager
def on_terminal(*arguments: object, program: str | Path = "", columns: int = 0,
                **environment: str) -> Iterator[Terminal]:
    """`program` replaces ofono-mcp; Ctrl-C works even where this process ignores it."""
    ours, theirs = pty.openpty()
    termios.tcsetwinsize(theirs, (0, columns))
    binary = program or os.environ.get("GATEWAY_BINARY", BINARY)
    inherited = {name: value for name, value in os.environ.items() if name != "NO_COLOR"}
    process = subprocess.Popen([binary, *map(str, arguments)], stdin=theirs, stdout=theirs,
                               stderr=theirs, start_new_session=True,
                               preexec_fn=as_from_a_shell,
                               env=inherited | {"TERM": "xterm"} | environment)
    os.close(theirs)
    try:
        yield Terminal(ours, process)
    finally:
        process.kill()
        process.wait()
        os.close(ours)
