# SPDX-License-Identifier: GPL-2.0-or-later
"""src/numbers against libphonenumber, and that the comparison finds errors."""
from __future__ import annotations

import os
import subprocess
import sys
from pathlib import Path

import pytest

PROJECT = Path(__file__).parents[2]
FILTER = os.environ.get("NUMBERS_FILTER", str(PROJECT / "build/numbers/filter"))
GENERATOR = PROJECT / "src/numbers"
sys.path.insert(0, str(GENERATOR))
import pattern  # noqa: E402 (beside the generator)


def compare(program: str, count: str) -> subprocess.CompletedProcess[str]:
    return subprocess.run(
        [sys.executable, "-B", str(PROJECT / "tests/numbers/compare.py"), "--filter", program,
         "--count", count], capture_output=True, text=True, check=False)


def test_numbers_agree_with_the_library() -> None:
    ended = compare(FILTER, os.environ.get("NUMBERS_COUNT", "60000"))
    print(ended.stdout)
    assert ended.returncode == 0, ended.stdout + ended.stderr


@pytest.mark.parametrize("lie", ["s/ PREMIUM / USUAL /", "s/ SHARED / USUAL /",
                                 "s/ emergency / - /", "s/ stopped / - /", "s/ costs$/ -/"])
def test_a_wrong_answer_is_found(tmp_path: Path, lie: str) -> None:
    liar = tmp_path / "liar"
    liar.write_text(f"#!/bin/sh\n'{FILTER}' | sed -E '{lie}'\n")
    liar.chmod(0o755)
    ended = compare(str(liar), "10000")
    assert ended.returncode == 1
    assert "the library says" in ended.stdout


def test_the_tables_are_made_the_same_twice() -> None:
    made = {subprocess.run([sys.executable, "-B", str(GENERATOR / "generate.py")], check=True,
                           capture_output=True, env=os.environ | {"PYTHONHASHSEED": seed}).stdout
            for seed in ("1", "2")}
    assert len(made) == 1


@pytest.mark.parametrize("text", ["1*", "1+", ".", "a", "[^1]", "(?=1)", "1{2,}", "(1", "\\D"])
def test_an_unknown_pattern_is_refused(text: str) -> None:
    with pytest.raises(pattern.UnknownPattern):
        pattern.parse(text)
