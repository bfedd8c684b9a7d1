# SPDX-License-Identifier: GPL-2.0-or-later
"""`make bench` at small size: its lines have figures, and nothing is left behind."""

from __future__ import annotations

import json
import os
import subprocess
import tempfile
from collections.abc import Iterator
from pathlib import Path

import pytest

PROJECT = Path(__file__).resolve().parents[2]
SMALL = {"BENCH_ROWS": "8", "BENCH_MESSAGES": "100,500", "BENCH_SECONDS": "1"}


def make(*arguments: str, folder: Path, **environment: str) -> subprocess.CompletedProcess[str]:
    return subprocess.run(
        ["make", "--no-print-directory", "-C", str(PROJECT), *arguments],
        env=os.environ | {"MAKEFLAGS": "", "TMPDIR": str(folder)} | environment,
        stdin=subprocess.DEVNULL, capture_output=True, text=True)


@pytest.fixture
def short() -> Iterator[Path]:
    """A folder with a name short enough for a socket inside; pytest's own may be too long."""
    with tempfile.TemporaryDirectory(prefix="bench-") as folder:
        yield Path(folder)


def test_every_line_has_figures(short: Path) -> None:
    file = short / "bench.json"              # not over the figures of a real run
    done = make("bench", folder=short, BENCH_JSON=str(file), **SMALL)
    assert done.returncode == 0, done.stdout + done.stderr
    lines = json.loads(file.read_text())["lines"]
    assert {line["row"] for line in lines} == {6, 8}, done.stdout
    for line in lines:
        assert line["what"] in done.stdout
        assert line["ours"] and line["anchor"] and line["ratio"] > 0
    assert list(short.iterdir()) == [file]
