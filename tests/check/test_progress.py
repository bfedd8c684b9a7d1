# SPDX-License-Identifier: GPL-2.0-or-later
"""A long part shows how far it is, also in a file."""

from __future__ import annotations

import os
import re
import subprocess
import sys
from pathlib import Path

import pytest

import count_tests
import progress
from progress import Progress

PLUGIN = Path(count_tests.__file__)
TESTS = """
import pytest

@pytest.fixture
def broken_end():
    yield
    assert False

def test_a_passing_part_is_reported(): pass
def test_a_failing_part_is_reported(): assert False
def test_a_part_that_fails_at_its_end_is_reported(broken_end): pass
@pytest.mark.parametrize("n", range(3))
def test_many_tests_are_counted(n): pass
"""


def shown(capsys: pytest.CaptureFixture[str], line: str) -> str:
    """Waits for a line of progress that matches."""
    seen = ""
    while not re.search(line, seen, re.MULTILINE):
        seen += capsys.readouterr().out
    return seen


def test_a_running_part_shows_its_progress(monkeypatch: pytest.MonkeyPatch, tmp_path: Path,
                             capsys: pytest.CaptureFixture[str]) -> None:
    monkeypatch.setattr(progress, "EVERY_S", 0.01)
    counts = tmp_path / "counts"
    teller = Progress()
    with teller.of_part("integration", "the gateway"):
        assert shown(capsys, "the gateway, 0:00$").startswith("integration      the gateway\n")
        teller.now("building")
        shown(capsys, "^integration +building, 0:00$")
        teller.counts_in(counts)
        counts.write_text("")                   # as between truncating and writing
        shown(capsys, "^integration +building, 0:00$")
        counts.write_text("900 312 1")
        shown(capsys, "^integration +312 of 900 passed, 1 failed, 0:00$")


def test_progress_is_shown_often_enough() -> None:
    assert progress.EVERY_S < 10


@pytest.mark.parametrize("processes", [0, 2])
def test_counts_are_read_from_their_file(tmp_path: Path, processes: int) -> None:
    (tmp_path / "test_few.py").write_text(TESTS)
    counts = tmp_path / "counts"
    subprocess.run([sys.executable, "-B", "-m", "pytest", "-q", "-p", "no:cacheprovider",
                    "-p", "count_tests", f"--numprocesses={processes}", "test_few.py"],
                   cwd=tmp_path, stdout=subprocess.DEVNULL,
                   env={name: value for name, value in os.environ.items()
                        if not name.startswith("PYTEST")}
                   | {"PYTHONPATH": str(PLUGIN.parent), "COUNT_FILE": str(counts)})
    assert counts.read_text() == "6 4 2"
