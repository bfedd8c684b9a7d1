# SPDX-License-Identifier: GPL-2.0-or-later
"""A Chromium, and tabs of it that run JavaScript for a test (browser.mjs)."""

from __future__ import annotations

import shutil
from itertools import count
from pathlib import Path
from typing import Any

from modem.patience import patience
from npm import Npm, put
from npm_program import NpmProgram

SOURCE = Path(__file__).parent
ANSWER_S, WAIT_S = 180, 45


class Chrome(NpmProgram):
    """with Chrome(npm, home) as chrome: tab = chrome.tab(viewport=...)"""

    def __init__(self, npm: Npm, home: Path) -> None:
        beside = npm.folder / "console"
        shutil.copytree(SOURCE, beside, dirs_exist_ok=True, copy_function=put,
                        ignore=shutil.ignore_patterns("__pycache__", "*.py"))
        self._ids = count(1)
        super().__init__(npm, home, ANSWER_S, "console/browser.mjs",
                         shutil.which("chromium") or "chromium", str(beside),
                         str(int(patience(WAIT_S) * 1000)))

    @property
    def host(self) -> str:
        return self.greeting["host"]

    def ask(self, **order: Any) -> Any:
        return self.tell(order)

    def tab(self, **options: Any) -> Tab:
        return Tab(self, next(self._ids), options)


class Tab:
    """A tab with its own profile; `complaints` lists errors of its page."""

    def __init__(self, chrome: Chrome, number: int, options: dict[str, Any]) -> None:
        self._chrome, self._number = chrome, number
        self._is_open = True
        chrome.ask(tab=number, open=options)

    def do(self, body: str, **args: Any) -> Any:
        """The result of this async function body; see browser.mjs."""
        return self._chrome.ask(tab=self._number, do=body, args=args)

    @property
    def complaints(self) -> list[str]:
        return self.do("return complaints")

    def end(self) -> None:
        """Closes it; a complaint fails the test. Before its gateway stops, of which it
        complains."""
        if self._is_open:
            complaints = self.complaints
            self.close()
            assert complaints == []

    def close(self) -> None:
        if self._is_open:
            self._is_open = False
            self._chrome.ask(tab=self._number, close=True)
