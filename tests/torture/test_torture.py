# SPDX-License-Identifier: GPL-2.0-or-later
"""The account finds faults, and a short run of `make torture` finds none."""

from __future__ import annotations

import json
import os
import subprocess
import sys
from collections import Counter
from collections.abc import Iterator
from pathlib import Path
from tempfile import TemporaryDirectory

import pytest

from books import Air, Incoming, Outgoing, Promise, Row, Span

PROJECT = Path(__file__).resolve().parents[2]
SECONDS = 10
NEVER = Span(0, 0)


def outgoing(promise: Promise, rows: list[Row], air: list[Air], handed: int = 1,
             ended: Span = NEVER) -> dict[str, int]:
    account = Outgoing([promise], rows, air, ["a"] * handed, [ended]).judge()
    return {kind: account.counts[kind] for kind in ("lost", "doubled", "untrue", "again")
            if account.counts[kind]}


ACCEPTED = Promise("a", True, "sent", 1)
SENT, UNKNOWN = Row(1, "a", "sent"), Row(1, "a", "unknown", "unknown_outcome")
ON_AIR = [Air("a", 5.0)]


@pytest.mark.parametrize(("found", "wrong"), [
    (lambda: outgoing(ACCEPTED, [SENT], ON_AIR), {}),
    (lambda: outgoing(ACCEPTED, [], []), {"lost": 1}),
    (lambda: outgoing(ACCEPTED, [SENT], []), {"lost": 1}),
    (lambda: outgoing(Promise("a", True, "queued", 1), [Row(1, "a", "queued")], []),
     {"lost": 1}),
    (lambda: outgoing(ACCEPTED, [UNKNOWN], ON_AIR), {"untrue": 1}),
    (lambda: outgoing(Promise("a", True, "submitted", 1), [UNKNOWN], ON_AIR), {}),
    (lambda: outgoing(Promise("a", False), [Row(1, "a", "failed")], ON_AIR), {"untrue": 1}),
    (lambda: outgoing(Promise("a", False), [], ON_AIR), {"untrue": 1}),
    (lambda: outgoing(ACCEPTED, [SENT, Row(2, "a", "sent")], ON_AIR), {"doubled": 1}),
    (lambda: outgoing(ACCEPTED, [SENT], ON_AIR, handed=2), {"doubled": 1}),
    (lambda: outgoing(ACCEPTED, [SENT], [*ON_AIR, Air("a", 9.0)]), {"doubled": 1}),
    (lambda: outgoing(ACCEPTED, [SENT], [*ON_AIR, Air("a", 9.0)], ended=Span(6, 7)),
     {"again": 1}),
])
def test_the_account_of_outgoing_messages_finds_faults(found: object, wrong: dict[str, int]) -> None:
    assert found() == wrong


def incoming(rows: list[Row], gap: Span = NEVER, deaf: Span = NEVER, plugin: bool = True,
             heard: int = 1) -> dict[str, int]:
    account = Incoming({"a": 100_000.0}, rows, [gap], [deaf],
                       Counter({"a": heard} if heard else {}), 0, plugin).judge()
    return {kind: account.counts[kind] for kind in ("lost", "doubled", "missed")
            if account.counts[kind]}


THEN, STORED = Span(99_000, 101_000), Row(1, "a", "received")


@pytest.mark.parametrize(("found", "wrong"), [
    (lambda: incoming([STORED]), {}),
    (lambda: incoming([]), {"lost": 1}),
    (lambda: incoming([], gap=THEN), {"lost": 1}),
    (lambda: incoming([], gap=THEN, deaf=THEN), {}),
    (lambda: incoming([], plugin=False), {"lost": 1}),
    (lambda: incoming([], gap=THEN, plugin=False), {}),
    (lambda: incoming([STORED, Row(2, "a", "received")]), {"doubled": 1}),
    (lambda: incoming([STORED], heard=2), {"doubled": 1}),
    (lambda: incoming([STORED], heard=0), {"missed": 1}),
])
def test_the_account_of_incoming_messages_finds_faults(found: object, wrong: dict[str, int]) -> None:
    assert found() == wrong


def run(folder: Path, **environment: str) -> subprocess.CompletedProcess[str]:
    return subprocess.run(
        [sys.executable, "-B", "tests/torture/torture.py", "--build",
         str(Path(os.environ.get("GATEWAY_BINARY", "build/ofono-mcp")).parent)],
        cwd=PROJECT, env=os.environ | {"TMPDIR": str(folder)} | environment,
        stdin=subprocess.DEVNULL, capture_output=True, text=True)


@pytest.fixture
def short() -> Iterator[Path]:
    """A folder with a name short enough for a socket inside; pytest's own may be too long."""
    with TemporaryDirectory() as folder:
        yield Path(folder)


def test_a_short_run_loses_and_doubles_nothing(
        short: Path, record_testsuite_property: pytest.Function) -> None:
    file = short / "torture.json"
    done = run(short, TORTURE_SECONDS=str(SECONDS), TORTURE_JSON=str(file))
    assert (done.returncode, done.stderr) == (0, ""), done.stdout + done.stderr
    report = json.loads(file.read_text())
    assert f"TORTURE_SEED={report['seed']}" in done.stdout
    for part in report["parts"]:
        assert part["outgoing"]["accepted"] and part["incoming"]["stored"]
        assert sum(part["blows"].values()) and sum(part["crowd"]["counts"].values())
    assert list(short.iterdir()) == [file]
    record_testsuite_property("summary", done.stdout.splitlines()[-1])
