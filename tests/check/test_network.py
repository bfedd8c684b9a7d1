# SPDX-License-Identifier: GPL-2.0-or-later
"""What the network withholds is asked for again, and then reported apart from what failed."""

from __future__ import annotations

import os
from pathlib import Path

import pytest

from check import Ended, Verdict, read_junit
from network import NOT_RUN, fetched

FETCHES = """echo >>tries; [ $(wc -l <tries) -gt {failures} ] || {{ echo "{told}" >&2; exit 1; }}"""


def fetch(folder: Path, failures: int, told: str) -> tuple[int, int]:
    """The status and the number of tries."""
    ended = fetched(["sh", "-c", FETCHES.format(failures=failures, told=told)], cwd=folder,
                    waits_s=[0, 0])
    return ended.returncode, len((folder / "tries").read_text().splitlines())


@pytest.mark.parametrize("told", [
    "E: Unable to fetch some archives, maybe run apt-get update", "npm error code EAI_AGAIN",
    "npm error code E503", "Err:1 Temporary failure resolving 'deb.debian.org'"])
def test_what_the_network_withholds_is_asked_for_again(tmp_path: Path, told: str) -> None:
    assert fetch(tmp_path, 2, told) == (0, 3)


def test_another_fault_is_not_the_networks(tmp_path: Path) -> None:
    assert fetch(tmp_path, 9, "npm error code EUSAGE") == (1, 1)


def test_what_stays_unreachable_is_not_run(tmp_path: Path) -> None:
    with pytest.raises(pytest.skip.Exception, match=NOT_RUN):
        fetch(tmp_path, 9, "npm error code ENOTFOUND")


REPORT = """<testsuite tests="3" skipped="2"><testcase classname="a" name="good"/>
<testcase classname="a" name="far"><skipped message="{reason}: npm"/></testcase>
<testcase classname="a" name="other"><skipped message="no second user"/></testcase></testsuite>"""


def test_tests_that_were_not_run_are_counted_apart(tmp_path: Path) -> None:
    report = tmp_path / "junit.xml"
    report.write_text(REPORT.format(reason=NOT_RUN))
    verdict = read_junit("clients", Ended(0, ""), report)
    assert (verdict.passed, verdict.failed, verdict.skipped, verdict.not_run) == (1, 0, 1, 1)
    assert verdict.status == os.EX_TEMPFAIL and NOT_RUN in verdict.short()
    verdict.add(Verdict.failure("another test"))
    assert verdict.status == 1 and verdict.not_run == 1


def test_a_part_of_which_nothing_could_run_has_not_failed(tmp_path: Path) -> None:
    report = tmp_path / "junit.xml"
    report.write_text(f'<testsuite tests="1" skipped="1"><testcase classname="a" name="far">'
                      f'<skipped message="{NOT_RUN}: npm"/></testcase></testsuite>')
    assert read_junit("clients", Ended(0, ""), report).failed == 0
