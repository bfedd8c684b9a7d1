# SPDX-License-Identifier: GPL-2.0-or-later
"""`make bench` at small size: its lines have figures, and nothing is left behind."""

from __future__ import annotations

import json
import os
import subprocess
import sys
import threading
from collections.abc import Iterator
from pathlib import Path

import pytest

from row_limit import within
from table import Line

PROJECT = Path(__file__).resolve().parents[2]
SMALL = {"BENCH_ROWS": "8", "BENCH_MESSAGES": "100,500", "BENCH_SECONDS": "1"}


def make(*arguments: str, folder: Path, **environment: str) -> subprocess.CompletedProcess[str]:
    return subprocess.run(
        ["make", "--no-print-directory", "-C", str(PROJECT), *arguments],
        env=os.environ | {"MAKEFLAGS": "", "TMPDIR": str(folder)} | environment,
        stdin=subprocess.DEVNULL, capture_output=True, text=True)


def test_every_line_has_figures(tmp_path: Path) -> None:
    file = tmp_path / "bench.json"              # not over the figures of a real run
    done = make("bench", folder=tmp_path, BENCH_JSON=str(file), **SMALL)
    assert done.returncode == 0, done.stdout + done.stderr
    lines = json.loads(file.read_text())["lines"]
    assert {line["row"] for line in lines} == {6, 8}
    for line in lines:
        assert line["what"] in done.stdout
        assert line["ours"] and line["anchor"] and line["ratio"] > 0
    assert list(tmp_path.iterdir()) == [file]


def bench(build: Path, **environment: str) -> subprocess.CompletedProcess[str]:
    return subprocess.run(
        [sys.executable, "-B", str(PROJECT / "tests" / "bench" / "bench.py"),
         "--build", str(build)], env=os.environ | environment,
        stdin=subprocess.DEVNULL, capture_output=True, text=True)


def test_without_the_peer_it_says_how_to_get_it(tmp_path: Path) -> None:
    done = bench(tmp_path, BENCH_ROWS="7")
    assert done.returncode == 0, done.stderr
    assert done.stdout.count("make bench-peers") == 1


def hanging() -> Iterator[Line]:
    yield Line(5, "what was seen", "1 /s")
    threading.Event().wait()


def test_a_row_that_hangs_is_ended() -> None:
    seen, late = within(1, 5, hanging())
    assert seen.what == "what was seen"
    assert "not done after 1 s" in late.what and "hanging" in late.what


@pytest.mark.parametrize("setting", [{"BENCH_MESSAGES": "many"}, {"BENCH_MESSAGES": "0"},
                                     {"BENCH_ROWS": "9"}, {"BENCH_ROW_SECONDS": "0"}])
def test_a_setting_that_makes_no_sense(tmp_path: Path, setting: dict[str, str]) -> None:
    done = make("bench", folder=tmp_path, **SMALL | setting)
    assert done.returncode != 0
    assert next(iter(setting)) in done.stderr
    assert list(tmp_path.iterdir()) == []
