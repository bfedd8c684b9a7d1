# SPDX-License-Identifier: GPL-2.0-or-later
"""The owner at a terminal: ofono-mcp's commands, run to their end."""

from __future__ import annotations

import contextlib
import json
import os
import re
import shlex
import subprocess
from collections.abc import Iterator, Sequence
from pathlib import Path
from typing import Any

from lab.gateway import BINARY
from modem.patience import patience

OK, FAILED, USAGE = 0, 1, 2         # exit codes, as --help lists them


def run(*arguments: object, before: Sequence[str] = (),
        **environment: str) -> subprocess.CompletedProcess[str]:
    """Runs ofono-mcp with these arguments; `before` may be a Network's prefix."""
    wrapper = shlex.split(os.environ.get("GATEWAY_WRAPPER", ""))
    binary = os.environ.get("GATEWAY_BINARY", BINARY)
    return subprocess.run([*before, *wrapper, binary, *map(str, arguments)], text=True,
                          capture_output=True, timeout=patience(30),
                          env=os.environ | environment)


def without_values(line: str) -> str:
    return re.sub(r"https?://\S+|(?<=token     )\S+|\d+", "...", line).strip()


def assert_the_guide_shows(command: str, said: str) -> None:
    """README.md or doc/owner.md shows each line of this output, in this order; values may
    differ."""
    project = Path(__file__).resolve().parents[2]
    guide = "".join((project / name).read_text() for name in ("README.md", "doc/owner.md"))
    _, _, behind = guide.partition(f"    $ sudo ofono-mcp {command}\n")
    shown = re.match(r"(?:    .*\n|\n)+", behind)[0].partition("    ...\n")[0]
    rest = iter([without_values(line) for line in said.splitlines()])
    for line in map(without_values, shown.splitlines()):
        assert line in ("", "...") or line in rest, (line, said)


class Owner:
    """The owner of the gateway with this state folder; the gateway need not run."""

    def __init__(self, state: Path, *options: str, before: Sequence[str] = ()) -> None:
        self._options = ["--state-dir", str(state), *options]
        self._before = before

    def run(self, command: str, *arguments: object) -> subprocess.CompletedProcess[str]:
        return run(command, *self._options, *arguments, before=self._before)

    def do(self, command: str, *arguments: object) -> str:
        """Returns the output; the command must succeed."""
        result = self.run(command, *arguments)
        assert (result.returncode, result.stderr) == (OK, ""), result
        return result.stdout

    def json(self, command: str, *arguments: object) -> Any:
        return json.loads(self.do(command, "--json", *arguments))

    def json_lines(self, command: str, *arguments: object) -> list[Any]:
        """What each line of a listing says, unwrapped; the result comes last."""
        lines = self.do(command, "--json", *arguments).splitlines()
        return [next(iter(one.values())) if set(one) <= {"item", "result"} else one
                for one in map(json.loads, lines)]

    @contextlib.contextmanager
    def following(self, command: str, *arguments: object) -> Iterator[Iterator[str]]:
        """The lines of a command that goes on; it is ended afterwards."""
        binary = os.environ.get("GATEWAY_BINARY", BINARY)
        with subprocess.Popen([*self._before, binary, command, *self._options, *map(str, arguments)],
                              text=True, stdout=subprocess.PIPE) as program:
            assert program.stdout
            try:
                yield iter(program.stdout)
            finally:
                program.terminate()
