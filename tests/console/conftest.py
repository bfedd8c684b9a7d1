# SPDX-License-Identifier: GPL-2.0-or-later
"""Fixtures: a Chromium, a phone with two SIMs whose gateway requires tokens, and its clients."""

from __future__ import annotations

import sys
from collections.abc import Iterator
from itertools import count
from pathlib import Path
from typing import Any

import pytest

TESTS = Path(__file__).resolve().parents[1]
sys.path[:0] = [str(TESTS), *(str(TESTS / name) for name in ("integration", "clients", "check"))]

from chrome import Chrome, Tab
from console import PHONE, Console, OpenTab
from desk import Desk
from npm import Npm


@pytest.fixture(scope="session")
def chrome(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Chrome]:
    with Chrome(Npm.installed(), tmp_path_factory.mktemp("home")) as chrome:
        yield chrome


@pytest.fixture
def open_tab(chrome: Chrome) -> Iterator[OpenTab]:
    """open_tab(**options of a context of Playwright); a complaint fails the test."""
    tabs: list[Tab] = []

    def make(**options: Any) -> Tab:
        tabs.append(chrome.tab(**options))
        return tabs[-1]

    yield make
    try:
        for tab in tabs:
            tab.end()
    finally:
        for tab in tabs:
            tab.close()


@pytest.fixture(scope="session")
def desk() -> Iterator[Desk]:
    with Desk() as desk:
        yield desk


@pytest.fixture
def page(open_tab: OpenTab, desk: Desk) -> Console:
    return Console.in_browser(open_tab(**PHONE), desk.link)


NUMBERS = (f"+36301{i:06d}" for i in count(1))


@pytest.fixture
def number() -> str:
    """A number without any messages yet."""
    return next(NUMBERS)
