# SPDX-License-Identifier: GPL-2.0-or-later
"""The owner at a terminal: ofono-mcp with its commands, run to their end."""

from __future__ import annotations

import json
import os
import shlex
import subprocess
from pathlib import Path
from typing import Any

from lab.gateway import BINARY
from modem.patience import patience

OK, FAILED, USAGE = 0, 1, 2         # exit codes, as --help tells them


def run(*arguments: object, **environment: str) -> subprocess.CompletedProcess[str]:
    """ofono-mcp with these arguments."""
    wrapper = shlex.split(os.environ.get("GATEWAY_WRAPPER", ""))
    binary = os.environ.get("GATEWAY_BINARY", BINARY)
    return subprocess.run([*wrapper, binary, *map(str, arguments)], text=True,
                          capture_output=True, timeout=patience(30),
                          env=os.environ | environment)


class Owner:
    """Of the gateway with this state folder; it may run or not."""

    def __init__(self, state: Path, *options: str) -> None:
        self._options = ["--state-dir", str(state), *options]

    def run(self, command: str, *arguments: object) -> subprocess.CompletedProcess[str]:
        return run(command, *self._options, *arguments)

    def do(self, command: str, *arguments: object) -> str:
        """What it prints; it must succeed."""
        result = self.run(command, *arguments)
        assert (result.returncode, result.stderr) == (OK, ""), result
        return result.stdout

    def json(self, command: str, *arguments: object) -> Any:
        return json.loads(self.do(command, "--json", *arguments))
