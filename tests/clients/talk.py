# SPDX-License-Identifier: GPL-2.0-or-later
"""A client of an SDK, driven line by line (talk.mjs)."""

from __future__ import annotations

from pathlib import Path
from typing import Any

from lab import wait_until
from npm import Npm
from npm_program import NpmProgram

ANSWER_S = 60


class Refused(Exception):
    """The client threw; `code` is the JSON-RPC error's, if there was one."""

    def __init__(self, error: dict[str, Any]) -> None:
        super().__init__(error["message"])
        self.code = error["code"]


class Talk(NpmProgram):
    """with Talk(npm, home, "sdk-1", url) as client: client.list()"""

    def __init__(self, npm: Npm, home: Path, kind: str, url: str,
                 token: str | None = None) -> None:
        super().__init__(npm, home, ANSWER_S, "talk.mjs", kind, url,
                         *([token] if token else []))

    def refused(self, error: Any) -> Exception:
        return Refused(error)

    def ask(self, act: str, **params: Any) -> Any:
        return self.tell({act: params})

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
        """In 2026 also to the list of tools; sessions are notified of that anyway."""
        self.ask("subscribe", uri=uri)

    def wait_until_listed(self, text: str) -> None:
        wait_until(lambda: self.call("list_sms", search=text)["structuredContent"]["count"],
                   what=f"{text} is listed")

    def wait_heard(self, method: str, uri: str | None = None) -> None:
        """Reads notifications until this one arrives."""
        while True:
            heard = self.ask("heard")
            if heard["method"] == method and (heard["params"] or {}).get("uri") == uri:
                return
