# SPDX-License-Identifier: GPL-2.0-or-later
"""Reads the table beside it: which tests "make check" leaves to "make check-all", and why."""

from __future__ import annotations

from pathlib import Path

TABLE = Path(__file__).with_suffix("")
TIME = "time"


def rows() -> list[tuple[str, list[str]]]:
    """A folder, file or FILE::TEST, and the packages that it needs; or TIME."""
    lines = (line.partition("#")[0].split() for line in TABLE.read_text().splitlines())
    return [(words[0], words[1:]) for words in lines if words]


def options(folder: str) -> list[str]:
    """Options for pytest that leave out those below that folder."""
    return [f"--deselect={test}" if "::" in test else f"--ignore={test}"
            for test, _ in rows() if test.startswith(folder)]


def concerns(row: str, test: str) -> bool:
    """A row for a test concerns its whole file, too."""
    file, _, function = test.partition("::")
    return (row == file or file.startswith(f"{row}/") or test.partition("[")[0] == row
            or not function and row.startswith(f"{file}::"))


def packages(test: str) -> list[str]:
    """What a file or FILE::TEST needs besides the groups build, demo and check."""
    return [package for row, why in rows() if concerns(row, test)
            for package in why if package != TIME]
