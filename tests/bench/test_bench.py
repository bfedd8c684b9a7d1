# SPDX-License-Identifier: GPL-2.0-or-later
"""`make bench` at small size: its lines have figures, and nothing is left behind."""

from __future__ import annotations

import json
import os
import subprocess
import sys
import tempfile
import threading
from collections.abc import Iterator
from pathlib import Path

import pytest

from bench import wanted_rows
from row_limit import within
from table import Line

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


def bench(build: Path, **environment: str) -> subprocess.CompletedProcess[str]:
    return subprocess.run(
        [sys.executable, "-B", str(PROJECT / "tests" / "bench" / "bench.py"),
         "--build", str(build)], env=os.environ | environment,
        stdin=subprocess.DEVNULL, capture_output=True, text=True)


def test_a_missing_peer_is_reported_with_its_command(short: Path) -> None:
    done = bench(short, BENCH_ROWS="7")
    assert done.returncode == 0, done.stderr
    assert done.stdout.count("make bench-peers") == 1


EVERY_ROW = ["1", "3", "4", "5", "6", "7", "8"]


@pytest.mark.parametrize("text,rows", [
    ("1,3,8", ["1", "3", "8"]), ("1 3 8", ["1", "3", "8"]), (" 8, 1 ,", ["8", "1"]),
    ("1,2,3", ["1", "3"]), ("2", ["1"]), ("3,3", ["3"]), ("", EVERY_ROW), (" ", EVERY_ROW)])
def test_rows_are_chosen_as_the_documentation_says(text: str, rows: list[str]) -> None:
    assert wanted_rows(text) == rows


@pytest.mark.parametrize("text,unknown", [("9", "9"), ("1,3-5", "3-5"), ("send 1", "send"),
                                          ("0,1,12", "0, 12")])
def test_an_unknown_row_is_refused_with_the_list_of_rows(short: Path, text: str,
                                                     unknown: str) -> None:
    done = bench(short, BENCH_ROWS=text)
    assert done.returncode == 1 and done.stdout == ""
    assert done.stderr == (f"BENCH_ROWS: there is no row {unknown}; the rows are 1 to 8, "
                           "separated by commas or spaces\n")


def hanging() -> Iterator[Line]:
    yield Line(5, "what was seen", "1 /s")
    threading.Event().wait()


def test_a_row_that_hangs_is_ended() -> None:
    seen, late = within(1, 5, hanging())
    assert seen.what == "what was seen"
    assert "not done after 1 s" in late.what and "hanging" in late.what


@pytest.mark.parametrize("setting", [{"BENCH_MESSAGES": "many"}, {"BENCH_MESSAGES": "0"},
                                     {"BENCH_ROWS": "9"}, {"BENCH_ROW_SECONDS": "0"}])
def test_an_invalid_setting_is_refused(short: Path, setting: dict[str, str]) -> None:
    done = make("bench", folder=short, **SMALL | setting)
    assert done.returncode != 0
    assert next(iter(setting)) in done.stderr
    assert list(short.iterdir()) == []
