# SPDX-License-Identifier: GPL-2.0-or-later
"""A Chromium, and tabs of it that are told in JavaScript what to do (browser.mjs)."""

from __future__ import annotations

import json
import select
import shutil
import subprocess
from itertools import count
from pathlib import Path
from typing import Any

from modem.patience import patience
from npm import Npm

SOURCE = Path(__file__).parent
ANSWER_S, WAIT_S = 180, 45


class Chrome:
    """with Chrome(npm, home) as chrome: tab = chrome.tab(viewport=...)"""

    def __init__(self, npm: Npm, home: Path) -> None:
        beside = npm.folder / "console"
        shutil.copytree(SOURCE, beside, dirs_exist_ok=True,
                        ignore=shutil.ignore_patterns("__pycache__", "*.py"))
        self._ids = count(1)
        self._errors = (home / "stderr").open("w+")
        self._process = subprocess.Popen(
            npm.command("console/browser.mjs", shutil.which("chromium") or "chromium",
                        str(beside), str(int(patience(WAIT_S) * 1000))),
            cwd=home, env=npm.environment(home), stdin=subprocess.PIPE,
            stdout=subprocess.PIPE, stderr=self._errors, text=True, bufsize=1)

    def __enter__(self) -> Chrome:
        try:
            self.host: str = self._read()["host"]
        except BaseException:
            self._end()
            raise
        return self

    def __exit__(self, *_: object) -> None:
        self._process.stdin.close()
        try:
            self._process.wait(patience(ANSWER_S))
        finally:
            self._end()

    def _end(self) -> None:
        self._process.kill()
        self._process.wait()
        self._process.stdout.close()
        self._errors.close()

    def _read(self) -> Any:
        ready, _, _ = select.select([self._process.stdout], [], [], patience(ANSWER_S))
        line = self._process.stdout.readline() if ready else ""
        if not line:
            self._errors.seek(0)
            raise AssertionError(f"no answer of the browser:\n{self._errors.read()}")
        answer = json.loads(line)
        if "error" in answer:
            raise AssertionError(answer["error"])
        return answer["result"]

    def ask(self, **order: Any) -> Any:
        self._process.stdin.write(json.dumps(order) + "\n")
        return self._read()

    def tab(self, **options: Any) -> Tab:
        return Tab(self, next(self._ids), options)


class Tab:
    """Of a profile of its own.  What it complains of, `complaints` tells."""

    def __init__(self, chrome: Chrome, number: int, options: dict[str, Any]) -> None:
        self._chrome, self._number = chrome, number
        chrome.ask(tab=number, open=options)

    def do(self, body: str, **args: Any) -> Any:
        """What the body of this async function gives; see browser.mjs."""
        return self._chrome.ask(tab=self._number, do=body, args=args)

    @property
    def complaints(self) -> list[str]:
        return self.do("return complaints")

    def close(self) -> None:
        self._chrome.ask(tab=self._number, close=True)
