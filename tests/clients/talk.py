# SPDX-License-Identifier: GPL-2.0-or-later
"""A client of an SDK, spoken to line by line (talk.mjs)."""

from __future__ import annotations

import json
import select
import subprocess
from pathlib import Path
from typing import Any

from modem.patience import patience
from npm import Npm

ANSWER_S = 60


class Refused(Exception):
    """The client threw; `code` is the JSON-RPC error's, where there was one."""

    def __init__(self, error: dict[str, Any]) -> None:
        super().__init__(error["message"])
        self.code = error["code"]


class Talk:
    """with Talk(npm, home, "sdk-1", url) as client: client.list()"""

    def __init__(self, npm: Npm, home: Path, kind: str, url: str,
                 token: str | None = None) -> None:
        self._errors = (home / "stderr").open("w+")
        self._process = subprocess.Popen(
            npm.command("talk.mjs", kind, url, *([token] if token else [])),
            cwd=home, env=npm.environment(home), stdin=subprocess.PIPE,
            stdout=subprocess.PIPE, stderr=self._errors, text=True, bufsize=1)

    def __enter__(self) -> Talk:
        try:
            self.greeting: dict[str, Any] = self._read()
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
            raise AssertionError(f"no answer: {self._errors.read()}")
        answer = json.loads(line)
        if "error" in answer:
            raise Refused(answer["error"])
        return answer["result"]

    def ask(self, act: str, **params: Any) -> Any:
        self._process.stdin.write(json.dumps({act: params}) + "\n")
        return self._read()

    def list(self) -> list[dict[str, Any]]:
        return self.ask("list")["tools"]

    def call(self, name: str, **arguments: Any) -> dict[str, Any]:
        return self.ask("call", name=name, arguments=arguments)

    def progress(self, name: str, **arguments: Any) -> dict[str, Any]:
        """{"result": ..., "progress": [...]}"""
        return self.ask("progress", name=name, arguments=arguments)

    def session(self) -> str | None:
        return self.ask("session")["id"]

    def subscribe(self, uri: str) -> None:
        """In 2026 also to the list of tools, which sessions are told of anyway."""
        self.ask("subscribe", uri=uri)

    def wait_heard(self, method: str, uri: str | None = None) -> None:
        """Takes notifications until this one has come."""
        while True:
            heard = self.ask("heard")
            if heard["method"] == method and (heard["params"] or {}).get("uri") == uri:
                return
