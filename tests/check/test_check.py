# SPDX-License-Identifier: GPL-2.0-or-later
"""The runner's verdict: nothing that failed, crashed or did not run can pass."""

from __future__ import annotations

import os
import subprocess
import sys
import threading
from collections.abc import Callable
from pathlib import Path

import pytest

import check
from check import Ended, Verdict, read_junit, read_tap
from one_test import PROJECT, has_function
from time_limits import LONGER_S, LONGEST_S, limit_s

RUNNER = Path(check.__file__)
GOOD = "1..2\nok 1 - one\nok 2 - two\n"


def counts(verdict: Verdict) -> tuple[int, int]:
    return verdict.passed, verdict.failed


@pytest.mark.parametrize("code, output, expected", [
    (0, GOOD, (2, 0)),
    (0, f"a line of the log\n{GOOD}", (2, 0)),
    (0, "1..1\nok 1 - a\n1..1\nok 1 - b\n", (2, 0)),    # two groups in one program
    (1, "1..2\nok 1 - one\nnot ok 2 - two\n", (1, 1)),
    (-11, "1..3\nok 1 - one\n", (1, 2)),                # crashed in the second
    (1, GOOD, (2, 1)),                                  # a leak found at the end
    (0, "", (0, 1)),
    (0, "1..0\n", (0, 1)),
])
def test_tap_is_read_as_cmocka_writes_it(code: int, output: str, expected: tuple[int, int]) -> None:
    verdict = read_tap("program", Ended(code, output))
    assert counts(verdict) == expected
    assert bool(verdict.failures + verdict.details) == bool(verdict.failed)


def test_a_skipped_test_neither_fails_nor_passes() -> None:
    """Ordinary users have some; cmocka writes "not ok" for them."""
    verdict = read_tap("program", Ended(0, "1..2\nok 1 - one\nnot ok 2 # SKIP two\n"))
    assert counts(verdict) == (1, 0) and verdict.skipped == 1 and not verdict.failures
    assert str(verdict) == "1 passed, 0 failed, 1 skipped"


def test_failures_have_names(tmp_path: Path) -> None:
    output = "1..3\nok 1 - one\nnot ok 2 - two\n"
    assert read_tap("program", Ended(1, output)).failures == [
        "program: two", "program: 1 of 3 tests gave no verdict"]
    file = tmp_path / "junit.xml"
    file.write_text('<testsuite tests="2" failures="1"><testcase classname="a.b" name="good"/>'
                    '<testcase classname="a.b" name="bad"><failure/></testcase></testsuite>')
    assert read_junit("folder", Ended(1, ""), file).failures == ["folder: a.b::bad"]


def junit(tests: int, failures: int = 0, errors: int = 0, skipped: int = 0) -> str:
    return (f'<testsuites><testsuite tests="{tests}" failures="{failures}" '
            f'errors="{errors}" skipped="{skipped}"/></testsuites>')


@pytest.mark.parametrize("code, report, expected", [
    (0, junit(3), (3, 0)),
    (0, junit(3, skipped=1), (2, 0)),
    (1, junit(4, failures=1, errors=1), (2, 2)),
    (5, junit(0), (0, 1)),                              # nothing collected
    (0, junit(2, skipped=2), (0, 1)),
    (3, junit(3), (3, 1)),                              # pytest itself failed
    (1, "", (0, 1)),
    (1, None, (0, 1)),
])
def test_a_junit_report_is_read(tmp_path: Path, code: int, report: str | None,
               expected: tuple[int, int]) -> None:
    file = tmp_path / "junit.xml"
    if report is not None:
        file.write_text(report)
    verdict = read_junit("folder", Ended(code, "the output"), file)
    assert counts(verdict) == expected
    assert bool(verdict.failures + verdict.details) == bool(verdict.failed)


def test_counts_of_junit_reports_are_summed(tmp_path: Path) -> None:
    """Numbers that several tests report are summed, also over several reports."""
    file = tmp_path / "junit.xml"
    cases = "".join(f'<testcase><properties><property name="matrix: kills" value="{kills}"/>'
                    '<property name="matrix: lost" value="0"/></properties></testcase>'
                    for kills in (3, 4))
    file.write_text(f'<testsuites><testsuite tests="2">{cases}</testsuite></testsuites>')
    verdict = read_junit("folder", Ended(0, ""), file)
    verdict.add(read_junit("folder", Ended(0, ""), file))
    assert verdict.summaries() == ["matrix: 14 kills, 0 lost"]


def run_check(make: str, *parts: str) -> subprocess.CompletedProcess[str]:
    return subprocess.run([sys.executable, "-B", str(RUNNER), "--make", make, *parts],
                          stdout=subprocess.PIPE, text=True)


def test_the_last_line_and_the_exit_status_show_the_verdict(tmp_path: Path) -> None:
    make = tmp_path / "make"
    make.write_text("#!/bin/sh\necho no compiler\nexit 2\n")
    make.chmod(0o755)
    done = run_check(str(make), "integration", "demo")
    assert done.stdout.splitlines()[-1] == "0 passed, 2 failed"
    assert "no compiler" in done.stdout
    assert done.returncode == 1


def test_lists_of_parts_run_side_by_side() -> None:
    """Each waits for the other. What failed is listed in the order of the lists."""
    both = threading.Barrier(2)

    def job(name: str) -> Callable[[], Verdict]:
        def run() -> Verdict:
            both.wait()
            return Verdict.failure(name)
        return run

    verdict = check.run_beside(check.Programs(), [job("one"), job("two")])
    assert verdict.failures == ["one", "two"]


def test_a_program_that_hangs_is_ended(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(check, "TIMEOUT_S", 0.2)
    ended = check.Programs().run(["sh", "-c", "sleep 1000 & wait"])
    assert ended.code != 0 and ended.late


# Long enough for a shell to start on a busy machine.
HANG_S = 3


def test_a_hanging_test_fails_and_is_named() -> None:
    ended = check.Programs().run(
        ["sh", "-c", "printf '1..3\\nok 1 - one\\nok 2 - test_two\\n'; exec sleep 1000"],
        test_s=HANG_S)
    assert ended.late
    verdict = read_tap("program", ended)
    assert counts(verdict) == (2, 1)
    assert any("test_two" in failure for failure in verdict.failures)


def test_each_verdict_gives_the_next_test_its_own_time() -> None:
    ended = check.Programs().run(
        ["sh", "-c", "for n in 1 2 3; do sleep 2.5; echo ok $n - test; done; echo 1..3"],
        {check.PATIENCE: "2"}, test_s=HANG_S)
    assert counts(read_tap("program", ended)) == (3, 0)


def test_a_test_that_ignores_the_abort_is_killed(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(check, "ABORT_S", 0.1)
    ended = check.Programs().run(["sh", "-c", "trap '' ABRT; while :; do sleep 1000; done"],
                                 test_s=HANG_S)
    assert ended.code == -9 and ended.late


@pytest.mark.parametrize("processes", [0, 2])
def test_a_hanging_test_of_python_shows_its_stacks_and_the_others_run(
        tmp_path: Path, processes: int) -> None:
    (tmp_path / "test_few.py").write_text("def test_one(): pass\n"
                                          "def test_two(): import time; time.sleep(1000)\n"
                                          "def test_three(): pass\n")
    file = tmp_path / "junit.xml"
    done = subprocess.run(
        [sys.executable, "-B", "-m", "pytest", "-q", "-p", "no:cacheprovider", "-p", "time_limits",
         f"--numprocesses={processes}", f"--junitxml={file}", "test_few.py"],
        cwd=tmp_path, stdout=subprocess.PIPE, text=True,
        env={name: value for name, value in os.environ.items() if not name.startswith("PYTEST")}
        | {"PYTHONPATH": str(RUNNER.parent), LONGEST_S: str(HANG_S), check.PATIENCE: "1"})
    assert counts(read_junit("few", Ended(done.returncode, done.stdout), file)) == (2, 1)
    assert "test_few.py" in done.stdout and "time.sleep(1000)" in done.stdout


def test_long_tests_have_longer() -> None:
    """The names of the table exist."""
    for name, seconds in LONGER_S.items():
        file, _, function = name.partition("::")
        assert (PROJECT / file).exists() and (not function or has_function(PROJECT / file, function))
        assert limit_s(f"{name}[case]", 1) == seconds


def test_seeds_are_fixed_for_check_and_otherwise_drawn_unless_given(
        monkeypatch: pytest.MonkeyPatch) -> None:
    for name in check.SEEDS:
        monkeypatch.delenv(name, raising=False)
    assert check.seeds(["check"]) == check.seeds(["check"])
    assert check.seeds([]) == check.seeds(["check"])
    assert check.seeds(["check-all"]) != check.seeds(["check-all"])
    monkeypatch.setenv("CRASH_SEED", "7")
    assert check.seeds(["check"])["CRASH_SEED"] == check.seeds(["matrix"])["CRASH_SEED"] == "7"
