# SPDX-License-Identifier: GPL-2.0-or-later
""""make check" runs what it says: no test is lost, and none needs a package that is missing.

dpkg knows which programs and modules a package brings, so this belongs to "make check-all".
"""

from __future__ import annotations

import ast
import functools
import re
import subprocess
from pathlib import Path

import pytest

import check
import only_in_check_all
from one_test import PROJECT, files, has_function
from only_in_check_all import TIME, concerns, rows

LIST = PROJECT / "tests" / "packages" / "list"
# Folders of which "make check" runs every test that no row leaves out.
FOLDERS = ("integration", "deb", "lab", "modem")
# not programs: a client's name, a module of ours, quoted advice, and what test_postinst.py replaces
JUST_WORDS = {"node", "systemd", "systemctl", "systemd-sysusers", "busctl"}
REPLACED = {"tests/lab/test_as_root.py": {"nft"}}       # by a script of the test


def group(name: str) -> list[str]:
    return re.findall(rf"^{name} +([^\s|]+)", LIST.read_text(), re.MULTILINE)


ONLY_THERE = sorted(set(group("check-all")) - set(group("build") + group("demo")
                                                   + group("check")))


def left_out(test: str) -> bool:
    return any(concerns(row, test) for row, _ in rows() if "::" not in row)


@pytest.mark.parametrize("row, why", rows())
def test_each_row_names_tests_and_packages_that_exist(row: str, why: list[str]) -> None:
    name, _, function = row.partition("::")
    assert (PROJECT / name).exists()
    assert not function or has_function(PROJECT / name, function)
    assert why == [TIME] or why and set(why) <= set(ONLY_THERE)


def test_check_all_runs_every_test_file() -> None:
    """For each test file, some part runs its whole folder."""
    parts = set(sum(check.SETS["check-all"], check.ALONE["check-all"]))
    folders = {"modem": "lab", "deb": "package", "lint": "house", "check": "house",
               "packages": "house"}
    for file in files():
        folder = file.parent.name
        if folder != "installed":               # debian/tests runs that
            assert folders.get(folder, folder) in parts, file


def test_check_runs_every_folder_without_a_row() -> None:
    assert {"san", "lab", "integration-fast", "package-contents",
            "matrix-short"} <= set(sum(check.SETS["check"], []))
    options = only_in_check_all.options("tests/integration/")
    assert options and all("tests/integration/" in option for option in options)


@functools.cache
def brought_by(package: str) -> frozenset[str]:
    """The names of its programs and Python modules."""
    if package == "npm":                        # perhaps installed from elsewhere
        return frozenset({"npm", "npx"})
    listed = subprocess.run(["dpkg", "-L", package], capture_output=True, text=True)
    assert listed.returncode == 0, f"{package} is not installed"
    return frozenset(re.findall(
        r"^/(?:usr/)?(?:s?bin|lib/python3/dist-packages)/([\w.+-]+?)(?:\.py)?$", listed.stdout,
        re.MULTILINE))


@functools.cache
def words(file: Path) -> frozenset[str]:
    """Strings and modules of a Python program, and of the neighbours that it imports."""
    found: set[str] = set()
    for node in ast.walk(ast.parse(file.read_text())):
        if isinstance(node, ast.Constant) and isinstance(node.value, str):
            found.update({node.value, *node.value.split()[:1]})     # "faketime -f '+1d'"
        elif isinstance(node, ast.Import):
            found.update(name.name.partition(".")[0] for name in node.names)
        elif isinstance(node, ast.ImportFrom) and node.module and not node.level:
            found.add(node.module.partition(".")[0])
            if node.module.startswith("test_"):         # one of its helpers, not its tests
                continue
            for place in (file.parent, PROJECT / "tests"):
                if (other := place / f"{node.module.replace('.', '/')}.py").exists():
                    found |= words(other)
    return frozenset(found)


def test_the_search_finds_programs_and_modules() -> None:
    tests = PROJECT / "tests" / "integration"
    assert "chromium" in words(tests / "test_browser.py") & brought_by("chromium")
    assert "yaml" in words(tests / "test_examples.py") & brought_by("python3-yaml")
    assert "avahi-daemon" in words(tests / "test_mdns.py") & brought_by("avahi-daemon")


@pytest.mark.parametrize("package", ONLY_THERE)
def test_tests_that_need_more_packages_have_a_row(package: str) -> None:
    needed = brought_by(package) - JUST_WORDS
    wrong = []
    for file in files():
        name = str(file.relative_to(PROJECT))
        if file.suffix == ".py" and file.parent.name in FOLDERS and not left_out(name):
            rest = words(file) & needed - REPLACED.get(name, set())
            tests = [row for row, why in rows() if row.startswith(f"{name}::")
                     and package in why]
            if rest and not tests:
                wrong.append(f"{name}: {', '.join(rest)}")
    assert wrong == []
