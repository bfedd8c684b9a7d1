# SPDX-License-Identifier: GPL-2.0-or-later
"""The official conformance runner: what it says of a server, and what is expected of it."""

from __future__ import annotations

import re
from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path

from npm import Npm

EXPECTED = Path(__file__).with_name("conformance-expected")
RUN_S = 300
LINE = re.compile(r"^[✓✗] ([a-z0-9-]+): (\d+) passed, (\d+) failed$", re.MULTILINE)

# Name of a run: the program, and its arguments.
RUNS = {
    "2026-07-28": ("@modelcontextprotocol/conformance/dist/index.js",
                   ["--requirements", "2026-07-28"]),
    "2025-11-25": ("@modelcontextprotocol/conformance/dist/index.js",
                   ["--spec-version", "2025-11-25"]),
    "0.1.16": ("conformance-2025/dist/index.js", []),
}


DOCUMENT = Path(__file__).resolve().parents[2] / "doc" / "protocol.md"


@dataclass(frozen=True)
class Summary:
    text: str                   # as it was printed

    @property
    def passed(self) -> dict[str, int]:
        return {name: int(passed) for name, passed, _ in LINE.findall(self.text)}

    @property
    def failed(self) -> dict[str, int]:
        """Only of scenarios in which something failed."""
        return {name: int(failed) for name, _, failed in LINE.findall(self.text)
                if failed != "0"}


def run(npm: Npm, home: Path, name: str, url: str) -> Summary:
    program, options = RUNS[name]
    ended = npm.run(home, program, "server", "--url", url, *options, timeout=RUN_S)
    _, found, summary = ended.stdout.partition("=== SUMMARY ===\n")
    assert found and LINE.search(summary), ended.stdout + ended.stderr
    return Summary(summary.strip())


def run_alone(npm: Npm, home: Path, scenario: str, version: str, url: str) -> str:
    """Runs one scenario, even one that no run contains; returns the runner's last line."""
    program, _ = RUNS[version]
    ended = npm.run(home, program, "server", "--url", url, "--scenario", scenario,
                    "--spec-version", version, timeout=RUN_S)
    assert f"'{scenario}'" in ended.stdout, ended.stdout + ended.stderr
    return ended.stdout.strip().splitlines()[-1]


@dataclass(frozen=True)
class Expected:
    scenario: str
    failed: int
    reason: str


def expected(run: str) -> Iterator[Expected]:
    """The lines of the list about this run."""
    for line in EXPECTED.read_text().splitlines():
        if not line or line.startswith("#"):
            continue
        runs, scenario, failed, reason = line.split(maxsplit=3)
        assert set(runs.split(",")) <= set(RUNS), line
        if run in runs.split(","):
            yield Expected(scenario, int(failed), reason)
