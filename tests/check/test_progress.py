# SPDX-License-Identifier: GPL-2.0-or-later
"""The counts of a running part are right, however many processes run it."""

from __future__ import annotations

import os
import subprocess
import sys
from pathlib import Path

import pytest

import count_tests

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
