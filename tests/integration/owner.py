# SPDX-License-Identifier: GPL-2.0-or-later
"""The owner at a terminal: ofono-mcp with its commands, run to their end."""

from __future__ import annotations

import json
import os
import re
import shlex
import subprocess
from collections.abc import Sequence
from pathlib import Path
from typing import Any

from lab.gateway import BINARY
from modem.patience import patience

OK, FAILED, USAGE = 0, 1, 2         # exit codes, as --help tells them


def run(*arguments: object, before: Sequence[str] = (),
        **environment: str) -> subprocess.CompletedProcess[str]:
    """ofono-mcp with these arguments; `before` may be a Network's prefix."""
    wrapper = shlex.split(os.environ.get("GATEWAY_WRAPPER", ""))
    binary = os.environ.get("GATEWAY_BINARY", BINARY)
    return subprocess.run([*before, *wrapper, binary, *map(str, arguments)], text=True,
                          capture_output=True, timeout=patience(30),
                          env=os.environ | environment)


def without_values(line: str) -> str:
    return re.sub(r"https?://\S+|(?<=token     )\S+|\d+", "...", line).strip()


def assert_the_readme_shows(command: str, said: str) -> None:
    """Each line that stands below it there, in that order; values may be others."""
    readme = (Path(__file__).resolve().parents[2] / "README.md").read_text()
    _, _, behind = readme.partition(f"    $ sudo ofono-mcp {command}\n")
    shown = re.match(r"(?:    .*\n|\n)+", behind)[0].partition("    ...\n")[0]
    rest = iter([without_values(line) for line in said.splitlines()])
    for line in map(without_values, shown.splitlines()):
        assert line in ("", "...") or line in rest, (line, said)


class Owner:
    """Of the gateway with this state folder; it may run or not."""

    def __init__(self, state: Path, *options: str, before: Sequence[str] = ()) -> None:
        self._options = ["--state-dir", str(state), *options]
        self._before = before

    def run(self, command: str, *arguments: object) -> subprocess.CompletedProcess[str]:
        return run(command, *self._options, *arguments, before=self._before)

    def do(self, command: str, *arguments: object) -> str:
        """What it prints; it must succeed."""
        result = self.run(command, *arguments)
        assert (result.returncode, result.stderr) == (OK, ""), result
        return result.stdout

    def json(self, command: str, *arguments: object) -> Any:
        return json.loads(self.do(command, "--json", *arguments))
