# SPDX-License-Identifier: GPL-2.0-or-later
"""A program on Node.js that reads commands and answers line by line, in JSON.

It greets with {"result": ...}, and answers each line with that or with {"error": ...}.
"""

from __future__ import annotations

import json
import select
import subprocess
from pathlib import Path
from typing import Any, Self

from modem.patience import patience
from npm import Npm


class NpmProgram:
    """with NpmProgram(npm, home, 60, "talk.mjs") as program: program.tell({...})"""

    def __init__(self, npm: Npm, home: Path, answer_s: float, *arguments: str) -> None:
        self._answer_s = answer_s
        self._errors = (home / "stderr").open("w+")
        self._process = subprocess.Popen(
            npm.command(*arguments), cwd=home, env=npm.environment(home),
            stdin=subprocess.PIPE, stdout=subprocess.PIPE, stderr=self._errors, text=True,
            bufsize=1)

    def __enter__(self) -> Self:
        try:
            self.greeting: Any = self._read()
        except BaseException:
            self._end()
            raise
        return self

    def __exit__(self, *_: object) -> None:
        self._process.stdin.close()
        try:
            self._process.wait(patience(self._answer_s))
        finally:
            self._end()

    def _end(self) -> None:
        self._process.kill()
        self._process.wait()
        self._process.stdout.close()
        self._errors.close()

    def _read(self) -> Any:
        ready, _, _ = select.select([self._process.stdout], [], [], patience(self._answer_s))
        line = self._process.stdout.readline() if ready else ""
        if not line:
            self._errors.seek(0)
            raise AssertionError(f"no answer: {self._errors.read()}")
        answer = json.loads(line)
        if "error" in answer:
            raise self.refused(answer["error"])
        return answer["result"]

    def refused(self, error: Any) -> Exception:
        return AssertionError(error)

    def tell(self, order: Any) -> Any:
        """Returns its answer."""
        self._process.stdin.write(json.dumps(order) + "\n")
        return self._read()
