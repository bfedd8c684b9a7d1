# SPDX-License-Identifier: GPL-2.0-or-later
"""What "make test T=NAME" runs, and what that needs."""

from __future__ import annotations

import subprocess
import sys
from pathlib import Path

import pytest

import check
from one_test import PROJECT, choose, why_not

RELOAD = "tests/integration/test_reload.py"
LIMITS = "test_messages_beyond_a_new_limit_are_deleted"


@pytest.mark.parametrize("name, units, tests", [
    ("test_reload", [], [RELOAD]),
    ("test_reload.py", [], [RELOAD]),
    (RELOAD, [], [RELOAD]),
    (f"./{RELOAD}", [], [RELOAD]),
    (str(PROJECT / RELOAD), [], [RELOAD]),
    ("integration/test_reload", [], [RELOAD]),
    (f"test_reload::{LIMITS}", [], [f"{RELOAD}::{LIMITS}"]),
    (f"{RELOAD}::{LIMITS}", [], [f"{RELOAD}::{LIMITS}"]),
    (LIMITS, [], [f"{RELOAD}::{LIMITS}"]),
    ("test_segments", ["test_segments.c"], []),
    ("build/unit/test_segments", ["test_segments.c"], []),
    ("tests/unit/test_segments.c", ["test_segments.c"], []),
    ("test_first_culprit", ["test_segments.c"], []),
    ("test_policy", ["test_policy.c"], ["tests/integration/test_policy.py"]),
])
def test_a_name_selects_its_tests(name: str, units: list[str], tests: list[str]) -> None:
    choice = choose(name)
    assert [source.name for source in choice.units] == units
    assert choice.pytest == tests


@pytest.mark.parametrize("name, near", [
    ("test_relaod", "test_reload"), ("test_reload::test_nothing", "test_nothing"), ("zzz", "zzz")])
def test_an_unknown_name_is_refused_with_similar_ones(name: str, near: str) -> None:
    assert not choose(name)
    assert near in why_not(name)
    assert subprocess.run([sys.executable, "-B", check.__file__, "--test", name],
                          stderr=subprocess.DEVNULL).returncode == 1


def test_every_test_can_be_selected() -> None:
    for file in Path(PROJECT, "tests").glob("*/test_*.*"):
        if file.suffix in (".c", ".py"):
            assert choose(str(file.relative_to(PROJECT))), file
