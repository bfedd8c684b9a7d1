# SPDX-License-Identifier: GPL-2.0-or-later
"""`make bench` at small size: every row gets its figures, and nothing is left behind."""

from __future__ import annotations

import json
import os
import subprocess
from pathlib import Path

import pytest

PROJECT = Path(__file__).resolve().parents[2]
SIZE = {"BENCH_MESSAGES": "500", "BENCH_SECONDS": "1"}
FIGURES = {"p50", "p99", "min", "max", "samples", "anchor_ratio"}


def make(*arguments: str, folder: Path, **environment: str) -> subprocess.CompletedProcess[str]:
    return subprocess.run(
        ["make", "--no-print-directory", "-C", str(PROJECT), *arguments],
        env=os.environ | {"MAKEFLAGS": "", "TMPDIR": str(folder)} | environment,
        stdin=subprocess.DEVNULL, capture_output=True, text=True)


def test_every_row_has_figures(tmp_path: Path) -> None:
    file = tmp_path / "bench.json"              # not over the figures of a real run
    done = make("bench", folder=tmp_path, BENCH_JSON=str(file), **SIZE)
    assert done.returncode == 0, done.stdout + done.stderr
    report = json.loads(file.read_text())
    assert report["messages"] == [100, 500]
    for name, record in report["rows"].items():
        assert set(record["contenders"]) == {"100", "500"}
        for figures in record["contenders"].values():
            assert set(figures) == FIGURES
            assert 0 < figures["min"] <= figures["p50"] <= figures["p99"] <= figures["max"]
        assert f"\n{name} " in done.stdout
    assert report["rows"]["ping"]["contenders"]["500"]["anchor_ratio"] == 1
    for name, values in report["facts"].items():
        assert values and f"\n{name} " in done.stdout
    assert list(tmp_path.iterdir()) == [file]


@pytest.mark.parametrize("size", ["100", "0", "many"])
def test_a_size_that_makes_no_sense(tmp_path: Path, size: str) -> None:
    done = make("bench", folder=tmp_path, BENCH_MESSAGES=size)
    assert done.returncode != 0
    assert "BENCH_MESSAGES" in done.stderr
    assert list(tmp_path.iterdir()) == []
