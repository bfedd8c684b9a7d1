# SPDX-License-Identifier: GPL-2.0-or-later
"""Which tests "make test T=NAME" means, and what they need.

NAME is a test file with or without its folder and ending, FILE::FUNCTION, or a function alone.
If several folders have the name, all are meant.
"""

from __future__ import annotations

import difflib
import re
from collections.abc import Iterator
from dataclasses import dataclass, field
from pathlib import Path

import only_in_check_all

PROJECT = Path(__file__).resolve().parents[2]
TESTS = PROJECT / "tests"
UNIT_PACKAGES = ["libcmocka-dev"]
GROUPS = ["demo", "check"]
NO_GATEWAY = {"check", "lab", "lint", "modem", "packages"}      # folders
TARGETS = {"torture": "torture/clock.so"}


@dataclass
class Choice:
    """`units` are sources, `pytest` holds arguments for its command line."""

    units: list[Path] = field(default_factory=list)
    pytest: list[str] = field(default_factory=list)

    def __bool__(self) -> bool:
        return bool(self.units or self.pytest)

    @property
    def packages(self) -> list[str]:
        """Packages and groups of packages."""
        units = UNIT_PACKAGES if self.units else []
        if not self.pytest:
            return units
        return units + GROUPS + sorted({package for test in self.pytest
                                        for package in only_in_check_all.packages(test)})

    @property
    def _folders(self) -> set[str]:
        return {test.split("/")[1] for test in self.pytest}

    @property
    def needs_gateway(self) -> bool:
        return bool(self._folders - NO_GATEWAY)

    @property
    def targets(self) -> list[str]:
        """Files in the build folder, beside the gateway."""
        return [TARGETS[folder] for folder in self._folders if folder in TARGETS]


def files() -> Iterator[Path]:
    yield from sorted(TESTS.glob("unit/test_*.c"))
    yield from sorted(TESTS.glob("*/test_*.py"))


def matches(file: Path, name: str) -> bool:
    """test_reload, test_reload.py, integration/test_reload.py, build/unit/test_segments."""
    path = file.relative_to(PROJECT)
    wanted = Path(name).parts
    if wanted[:2] == ("build", "unit"):
        wanted = ("tests", *wanted[1:])
    return any(known.parts[-len(wanted):] == wanted for known in (path, path.with_suffix("")))


def functions(file: Path) -> set[str]:
    return set(re.findall(r"^(?:def |TEST\(|TEST_WITH\()(\w+)", file.read_text(), re.MULTILINE))


def has_function(file: Path, name: str) -> bool:
    return name in functions(file)


def choose(name: str) -> Choice:
    """A function alone counts only if no file has the name."""
    wanted, _, test = name.removeprefix("./").removeprefix(f"{PROJECT}/").partition("::")
    found = [file for file in files() if matches(file, wanted)]
    if not found:
        found, test = list(files()), wanted
    choice = Choice()
    for file in found:
        if test and not has_function(file, test.partition("[")[0]):
            continue
        if file.suffix == ".c":
            choice.units.append(file)
        else:
            path = str(file.relative_to(PROJECT))
            choice.pytest.append(f"{path}::{test}" if test else path)
    return choice


def why_not(name: str) -> str:
    """The message lists similar names."""
    wanted, _, function = name.partition("::")
    stem, known = Path(wanted).stem, {file.stem for file in files()}
    if function and stem in known:
        return f"no test {function} in {wanted}"
    names = set().union(*(functions(file) for file in files()))
    near = difflib.get_close_matches(stem, sorted(known | names), n=3)
    return f"no test {name}" + (f"; there is {', '.join(near)}" if near else "")
