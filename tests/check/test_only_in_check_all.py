# SPDX-License-Identifier: GPL-2.0-or-later
""""make check" runs what it says: no test is lost."""

from __future__ import annotations

import re
from pathlib import Path

import pytest

import check
import only_in_check_all
from one_test import PROJECT, files, has_function
from only_in_check_all import TIME, rows

LIST = PROJECT / "tests" / "packages" / "list"


def group(name: str) -> list[str]:
    return re.findall(rf"^{name} +([^\s|]+)", LIST.read_text(), re.MULTILINE)


ONLY_THERE = set(group("check-all")) - set(group("build") + group("demo") + group("check"))


@pytest.mark.parametrize("row, why", rows())
def test_each_row_names_tests_and_packages_that_exist(row: str, why: list[str]) -> None:
    name, _, function = row.partition("::")
    assert (PROJECT / name).exists()
    assert not function or has_function(PROJECT / name, function)
    assert why == [TIME] or why and set(why) <= ONLY_THERE


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
