#!/usr/bin/python3
# SPDX-License-Identifier: GPL-2.0-or-later
"""Run tests part by part, list all that failed, and end with one line: N passed, N failed.

    tests/check/check.py [--make MAKE] [--build FOLDER] check | check-all | PART...
    tests/check/check.py [--make MAKE] [--build FOLDER] --test NAME

"check" and "check-all" stand for their parts, of which some run side by side.  A part that fails
does not stop the others.  A part that ran nothing has failed, and so has one whose program
crashed.  A test that takes longer than TEST_S has failed; its stacks are shown, and the others
run.  While a part runs, a line every few seconds shows how far it is.  Nothing is left in /tmp,
however this ends.
"""

from __future__ import annotations

import argparse
import os
import random
import re
import selectors
import shlex
import signal
import subprocess
import sys
import tempfile
import threading
import time
from collections import Counter, defaultdict
from collections.abc import Callable, Mapping, Sequence
from concurrent.futures import ThreadPoolExecutor
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any
from xml.etree import ElementTree

import only_in_check_all
from keeper import Keeper
from network import NOT_RUN
from one_test import Choice, choose, why_not
from progress import Progress, say
from time_limits import LONGEST_S, TEST_S, scaled

PROJECT = Path(__file__).resolve().parents[2]
TIMEOUT_S = 2 * 3600                    # of one program; "make matrix" takes most of an hour
ABORT_S = 20                            # for the stacks of a program that hangs
PATIENCE = "LAB_TIMEOUT_SCALE"
USUAL_PATIENCE = "2"
ENDING = (signal.SIGINT, signal.SIGTERM, signal.SIGHUP)
SANITIZE = "-O1 -g1 -fno-omit-frame-pointer -fsanitize=address,undefined -fno-sanitize-recover=all"
SANITIZER_OPTIONS = {
    # faketime's library comes before the sanitizer's
    # It keeps this much freed memory: the usual 256 MB are never reached, only paid for.
    "ASAN_OPTIONS": "detect_stack_use_after_return=1:strict_string_checks=1:"
                    "verify_asan_link_order=0:quarantine_size_mb=16",
    "UBSAN_OPTIONS": "print_stacktrace=1",
    "SAMPLE": "yes",                # of what long tests repeat; the part "unit" repeats all of it
    PATIENCE: "3",
}
VALGRIND = ["valgrind", "--quiet", "--error-exitcode=99", "--leak-check=full",
            "--show-leak-kinds=definite,indirect,possible",
            "--errors-for-leak-kinds=definite,indirect,possible",
            f"--suppressions={PROJECT}/tests/check/valgrind.supp"]
WAITING = 3 * (os.cpu_count() or 1)     # processes for tests that wait more than they compute
MATRIX = "tests/integration/test_crash_matrix.py"
# "make other-release" compiles them there.
UNIT_PROGRAMS = "tests/deb/test_package.py::test_the_unit_programs_compile_without_a_warning"
# of memory
WORST_CASE = "tests/integration/test_worst_case.py::test_memory_stays_in_bounds_at_all_limits_at_once"
STARVED = ["bus", "control", "mcp"]
STARVE_S, LONG_S = 1800, 900            # of one test
VALGRIND_PATIENCE = {PATIENCE: "5"}
SEEDS = ("CRASH_SEED", "TORTURE_SEED", "CHAOS_SEED", "MOMENTS_SEED")
NOT_UNDER_ASAN = [f"tests/integration/test_{test}" for test in (
    # memory is measured, and ASan holds back freed memory for a while
    "hostile.py::test_concurrent_hostile_requests_leak_nothing",
    "reply.py::test_ended_sessions_free_the_memory_of_lost_calls",
    "sessions.py::test_many_sessions_use_bounded_memory",
    "streams.py::test_an_idle_stream_uses_little_memory",
    # the program changes its user, and LSan may not trace it then
    "control.py::test_files_made_by_root_belong_to_the_folder_owner")] + [WORST_CASE]


@dataclass
class Verdict:
    passed: int = 0
    failed: int = 0
    skipped: int = 0
    not_run: int = 0                    # because of the network
    details: list[str] = field(default_factory=list)
    failures: list[str] = field(default_factory=list)
    remarks: list[str] = field(default_factory=list)
    unreached: list[str] = field(default_factory=list)      # the tests of "not_run", and why
    counts: dict[str, Counter[str]] = field(default_factory=dict)

    def add(self, other: Verdict) -> None:
        self.passed += other.passed
        self.failed += other.failed
        self.skipped += other.skipped
        self.not_run += other.not_run
        self.unreached += other.unreached
        self.details += other.details
        self.failures += other.failures
        self.remarks += other.remarks
        for topic, counts in other.counts.items():
            self.counts.setdefault(topic, Counter()).update(counts)

    def summaries(self) -> list[str]:
        """What is worth knowing beside the verdict."""
        return self.remarks + [
            f"{topic}: " + ", ".join(f"{count} {what}" for what, count in counts.items())
            for topic, counts in self.counts.items()]

    @classmethod
    def failure(cls, what: str, *details: str) -> Verdict:
        return cls(failed=1, failures=[what], details=list(details))

    def __str__(self) -> str:
        skipped = f", {self.skipped} skipped" if self.skipped else ""
        return f"{self.short()}{skipped}"

    def short(self) -> str:
        not_run = f", {self.not_run} {NOT_RUN}" if self.not_run else ""
        return f"{self.passed} passed, {self.failed} failed{not_run}"

    @property
    def status(self) -> int:
        """Of the run. EX_TEMPFAIL: nothing failed, and the network kept some tests from running."""
        return 1 if self.failed else os.EX_TEMPFAIL if self.not_run else 0


@dataclass(frozen=True)
class Ended:
    """`late`: after which time without a verdict it was ended."""

    code: int
    output: str
    late: str = ""


class Stopped(Exception):
    """The run is interrupted, and starts no more programs."""


def seeds(parts: Sequence[str]) -> dict[str, str]:
    """"make check" gives the same verdict each time; other parts draw, unless the caller did."""
    is_fixed = not parts or set(parts) <= {"check"}
    return {name: os.environ.get(name) or
            ("1" if is_fixed else str(random.randrange(1, 1_000_000))) for name in SEEDS}


def patient(environment: Mapping[str, str]) -> dict[str, str]:
    """With the scale of all timeouts: the caller's, if it is larger than ours."""
    ours = environment.get(PATIENCE, USUAL_PATIENCE)
    return {**environment, PATIENCE: max(ours, os.environ.get(PATIENCE, "1"), key=float)}


class Programs:
    """Each program runs in its own session; the keeper ends those that outlive us."""

    def __init__(self, environment: Mapping[str, str] = {}) -> None:
        self._environment = dict(environment)
        self._lock = threading.Lock()
        self._running: set[int] = set()
        self._stopped = False

    def run(self, command: Sequence[str], environment: Mapping[str, str] = {},
            shown: bool = False, test_s: float = TIMEOUT_S) -> Ended:
        """Returns its output, or shows it at once. In `test_s` there must be another line of
        TAP, otherwise it is aborted and then killed."""
        environment = patient(environment)
        with self._start(command, environment, shown) as child:
            output, late = b"", ""
            if child.stdout:
                output, late = listen(child, scaled(test_s, environment))
            else:
                try:
                    child.wait(TIMEOUT_S)
                except subprocess.TimeoutExpired:
                    late = f"{TIMEOUT_S} s"
                    end_session(child.pid)
        with self._lock:
            self._running.discard(child.pid)
            if self._stopped:
                raise Stopped
        note = f"\n{command[-1]}: ended after {late}" if late else ""
        return Ended(child.returncode, output.decode(errors="replace") + note, late)

    def stop(self) -> None:
        """Ends all that run; from now on run() raises Stopped."""
        with self._lock:
            self._stopped = True
            for pid in self._running:
                end_session(pid)

    def _start(self, command: Sequence[str], environment: Mapping[str, str],
               shown: bool) -> subprocess.Popen[bytes]:
        with self._lock:
            if self._stopped:
                raise Stopped
            child = subprocess.Popen(
                command, cwd=PROJECT, env=os.environ | self._environment | dict(environment),
                stdin=subprocess.DEVNULL, stdout=None if shown else subprocess.PIPE,
                stderr=subprocess.STDOUT, start_new_session=True)
            self._running.add(child.pid)
            return child


def listen(child: subprocess.Popen[bytes], test_s: float) -> tuple[bytes, str]:
    """Its output, and after which time it was ended because a test or all of it took too long."""
    ends = time.monotonic() + TIMEOUT_S
    verdict_by, is_aborted, late = time.monotonic() + test_s, False, ""
    output = bytearray()
    with selectors.DefaultSelector() as ready:
        ready.register(child.stdout, selectors.EVENT_READ)
        while True:
            wait_s = min(ends, verdict_by) - time.monotonic()
            if ready.select(None if wait_s == float("inf") else max(0, wait_s)):
                piece = os.read(child.stdout.fileno(), 65536)
                if not piece:
                    break
                output += piece
                if not is_aborted and re.search(rb"^(not )?ok \d", piece, re.MULTILINE):
                    verdict_by = time.monotonic() + test_s
            elif is_aborted or time.monotonic() >= ends:
                late = late or f"{TIMEOUT_S} s"
                end_session(child.pid)
                verdict_by = ends = float("inf")
            else:
                late, is_aborted = f"{test_s:.0f} s without a verdict", True
                child.send_signal(signal.SIGABRT)
                verdict_by = time.monotonic() + ABORT_S
    return bytes(output), late


def end_session(pid: int) -> None:
    try:
        os.killpg(pid, signal.SIGKILL)
    except ProcessLookupError:
        pass


# ---- reading what the test programs say

def read_tap(name: str, ended: Ended) -> Verdict:
    """TAP as cmocka and lint.py write it; a planned test without a line has not passed.

    cmocka writes "not ok" for a skipped test, too.
    """
    verdict = Verdict()
    verdict.passed = len(re.findall(r"^ok \d+ (?!# SKIP)", ended.output, re.MULTILINE))
    verdict.skipped = len(re.findall(r"^(?:not )?ok \d+ # SKIP", ended.output, re.MULTILINE))
    verdict.failed = len(re.findall(r"^not ok \d+ (?!# SKIP)", ended.output, re.MULTILINE))
    planned = sum(int(count) for count in re.findall(r"^1\.\.(\d+)$", ended.output,
                                                     re.MULTILINE))
    verdict.failures += [f"{name}: {test}" for test in
                         re.findall(r"^not ok \d+ (?!# SKIP)(?:- )?(.*)", ended.output,
                                    re.MULTILINE)]
    if planned == 0:
        verdict.failures.append(f"{name} ran no test")
    missing = planned - verdict.passed - verdict.failed - verdict.skipped
    if missing > 0:
        verdict.failures.append(f"{name}: {missing} of {planned} tests gave no verdict")
    verdict.failed += max(missing, 0)
    if ended.late:
        verdict.failures.append(f"{name}: {running(name, ended)} ended after {ended.late}")
        verdict.failed = max(verdict.failed, 1)
    if verdict.failed == 0 and (ended.code != 0 or planned == 0):
        verdict.failures.append(f"{name} ended with {ended.code}")
        verdict.failed = 1
    if verdict.failed:
        verdict.details.append(ended.output.rstrip())
    return verdict


def running(name: str, ended: Ended) -> str:
    """The unit test that had no verdict yet: the one after the last that had."""
    *_, last = ["", *re.findall(r"^(?:not )?ok \d+ (?:- |# SKIP )(\w+)", ended.output,
                                re.MULTILINE)]
    source = PROJECT / "tests" / "unit" / f"{name}.c"
    tests = re.findall(r"^TEST(?:_WITH)?\((\w+)", source.read_text(), re.MULTILINE
                       ) if source.exists() else []
    following = tests.index(last) + 1 if last in tests else 0
    if not last and tests or last in tests and following < len(tests):
        return tests[following]
    return f"what came after {last}" if last else "the program"


def read_property(verdict: Verdict, name: str, value: str) -> None:
    """"summary" is shown as it is; "TOPIC: WHAT" is a number that is summed over the tests."""
    topic, counts, what = name.partition(": ")
    if name == "summary":
        verdict.remarks.append(value)
    elif counts:
        verdict.counts.setdefault(topic, Counter())[what] += int(value)


def read_junit(name: str, ended: Ended, report: Path) -> Verdict:
    """The report that pytest wrote; a missing or empty one counts as a failure."""
    try:
        suites = list(ElementTree.parse(report).iter("testsuite"))
    except (OSError, ElementTree.ParseError):
        suites = []
    verdict = Verdict()
    for suite in suites:
        bad = int(suite.get("failures", 0)) + int(suite.get("errors", 0))
        skipped = int(suite.get("skipped", 0))
        verdict.failed += bad
        verdict.skipped += skipped
        verdict.passed += int(suite.get("tests", 0)) - bad - skipped
        for case in suite.iter("testcase"):
            for reason in case.iter("skipped"):
                if NOT_RUN in reason.get("message", ""):
                    verdict.not_run += 1
                    verdict.skipped -= 1
                    verdict.unreached.append(f"{name}: {case.get('classname')}::{case.get('name')}: "
                                             f"{reason.get('message')}")
        for mark in suite.iter("property"):
            read_property(verdict, mark.get("name", ""), mark.get("value", ""))
        verdict.failures += [f"{name}: {case.get('classname')}::{case.get('name')}"
                             for case in suite.iter("testcase")
                             if {"failure", "error"} & {part.tag for part in case}]
    if verdict.failed == 0 and (ended.code != 0 or verdict.passed + verdict.not_run == 0):
        verdict.failures.append(f"{name}: pytest ended with {ended.code}, "
                                f"{verdict.passed} tests passed")
        verdict.failed = 1
    if verdict.failed:
        verdict.details.append(ended.output.rstrip())
    return verdict


# ---- the parts

# One make at a time in a build folder: the lock of the tree is held by the make that started us.
makes: defaultdict[str, threading.Lock] = defaultdict(threading.Lock)


class Check:
    """Runs one part at a time; another one may run another part meanwhile."""

    def __init__(self, make: str, build: Path, memory: Path, programs: Programs) -> None:
        self._make = shlex.split(make)
        self.build = build
        self._memory = memory
        self.in_memory = {"TMPDIR": str(memory)}    # for what tests no disk
        self.programs = programs
        self.progress = Progress()

    def make(self, *arguments: str) -> Verdict:
        """Counts as a test only if it fails."""
        self.progress.now("building")
        flags = os.environ.get("MAKEFLAGS", "")     # variables of the command line remain
        flags = re.sub(r"(^|\s)(-j\d*|--jobserver-\S+)(?=\s|$)", " ", flags)
        folder = arguments[0].partition("BUILD=")[2]
        with makes[folder]:
            ended = self.programs.run(
                [*self._make, "--no-print-directory", f"-j{os.cpu_count()}", *arguments],
                {"MAKEFLAGS": flags.strip()})
        if ended.code == 0:
            return Verdict()
        return Verdict.failure(f"make {shlex.join(arguments)} failed", ended.output.rstrip())

    def unit_programs(self, build: Path, environment: Mapping[str, str],
                      wrapper: Sequence[str] = ()) -> Verdict:
        sources = sorted((PROJECT / "tests" / "unit").glob("test_*.c"))
        return self.each(lambda source: self.unit_program(build, source, environment, wrapper),
                         sources)

    def unit_program(self, build: Path, source: Path, environment: Mapping[str, str],
                     wrapper: Sequence[str] = ()) -> Verdict:
        program = str(PROJECT / build / "unit" / source.stem)
        try:
            return read_tap(source.stem, self.programs.run(
                [*wrapper, program], {"CMOCKA_MESSAGE_OUTPUT": "TAP"} | self.in_memory
                | dict(environment), test_s=TEST_S))
        except OSError as error:
            return Verdict.failure(f"{program}: {error.strerror}")

    def each(self, run: Callable[[Any], Verdict], things: Sequence[Any]) -> Verdict:
        """Two at a time for each processor: they wait for about half of their time."""
        verdict = Verdict()
        with ThreadPoolExecutor(2 * (os.cpu_count() or 1)) as pool:
            for number, one in enumerate(pool.map(run, things), start=1):
                verdict.add(one)
                self.progress.now(f"{verdict}; {number} of {len(things)} programs")
        return verdict

    def pytest(self, name: str, tests: Sequence[str],
               environment: Mapping[str, str] = {}, processes: int = 0,
               shown: bool = False, test_s: float = TEST_S) -> Verdict:
        """`processes`: how many run at once; 0 means this process. Tests of one group share a
        process. `test_s` is for each test that time_limits.py gives no longer time."""
        with tempfile.TemporaryDirectory(dir=self._memory) as folder:
            report, counts = Path(folder, "junit.xml"), Path(folder, "counts")
            self.progress.counts_in(counts)
            ended = self.programs.run(
                ["tests/as-root", sys.executable, "-B", "-m", "pytest",
                 "-v" if shown else "-q", "-p", "no:cacheprovider", "-p", "count_tests",
                 "-p", "time_limits",
                 f"--junitxml={report}", f"--numprocesses={processes}",
                 "--dist=loadgroup" if processes else "--dist=no", *tests],
                {"GATEWAY_BINARY": str(PROJECT / self.build / "ofono-mcp"),
                 "PYTHONPATH": str(Path(__file__).parent), "COUNT_FILE": str(counts),
                 LONGEST_S: str(test_s),
                 "PYTHONDONTWRITEBYTECODE": "1"} | dict(environment), shown)
            return read_junit(name, ended, report)

    def lint_program(self, *arguments: str) -> Verdict:
        return read_tap("lint", self.programs.run(
            [sys.executable, "-B", "tests/lint/lint.py", "--make", self._make[0],
             "--build", str(self.build), *arguments]))

    # parts that can be named

    def lint_quick(self) -> Verdict:
        return self.lint_program("--quick")

    def lint(self) -> Verdict:
        """Every warning of what is not built yet, in a fresh clone everything, is an error."""
        verdict = self.make(f"BUILD={self.build}", "WERROR=1", "-k", "programs", "plugin")
        verdict.add(self.lint_program())
        return verdict

    def unit(self) -> Verdict:
        verdict = self.make(f"BUILD={self.build}", "-k", "programs")
        verdict.add(self.unit_programs(self.build, {}))
        return verdict

    def san(self) -> Verdict:
        build = self.build / "san"
        verdict = self.make(f"BUILD={build}", f"CFLAGS={SANITIZE}", "TEST_CFLAGS=-O0", "-k",
                            "unit-programs")
        stacks = {"ASAN_OPTIONS": f"{SANITIZER_OPTIONS['ASAN_OPTIONS']}:handle_abort=1"}
        verdict.add(self.unit_programs(build, SANITIZER_OPTIONS | stacks))
        return verdict

    def starve(self) -> Verdict:
        """The named inputs, each with a different call that finds no memory or no room."""
        return self.starved("97")

    def starve_all(self) -> Verdict:
        return self.starved("1")

    def starved(self, stride: str) -> Verdict:
        """`stride`: 97 fails every 97th call."""
        verdict = self.make(f"BUILD={self.build}", "starved")
        inputs = [(name, str(file.relative_to(PROJECT))) for name in STARVED
                  for file in sorted((PROJECT / "tests/fuzz/corpus" / name).iterdir())
                  if not re.fullmatch(r"[0-9a-f]{40}", file.name)]

        def run(task: tuple[str, str]) -> Verdict:
            name, file = task
            with tempfile.TemporaryDirectory(dir=self._memory) as folder:
                return read_tap(file, self.programs.run(
                    [str(PROJECT / self.build / "starved" / name), "--stride", stride, file],
                    {"TMPDIR": folder, "MALLOC_PERTURB_": "165"}, test_s=STARVE_S))

        if not verdict.failed:
            verdict.add(self.each(run, inputs))
        return verdict

    def fuzz(self) -> Verdict:
        """Every input of the corpora once, under the sanitizers."""
        build = self.build / "san"
        verdict = self.make(f"BUILD={build}", f"CFLAGS={SANITIZE}", "fuzz-programs")
        corpora = sorted((PROJECT / "tests" / "fuzz" / "corpus").iterdir())

        def run(corpus: Path) -> Verdict:
            with tempfile.TemporaryDirectory(dir=self._memory) as folder:
                return read_tap(corpus.name, self.programs.run(
                    [str(PROJECT / build / "target" / corpus.name), str(corpus)],
                    SANITIZER_OPTIONS | {"TMPDIR": folder}, test_s=LONG_S))

        if not verdict.failed:
            verdict.add(self.each(run, corpora))
        return verdict

    def house(self) -> Verdict:
        return self.pytest("house", ["tests/lint", "tests/check", "tests/packages"])

    def numbers(self) -> Verdict:
        return self.compared("60000")

    def numbers_all(self) -> Verdict:
        return self.compared("1000000")

    def compared(self, count: str) -> Verdict:
        """Compares with libphonenumber, number by number."""
        verdict = self.make(f"BUILD={self.build}", f"{self.build}/numbers/filter")
        if not verdict.failed:
            verdict.add(self.pytest("numbers", ["tests/numbers"], {
                "NUMBERS_COUNT": count,
                "NUMBERS_FILTER": str(PROJECT / self.build / "numbers" / "filter")},
                test_s=LONG_S))
        return verdict

    def lab(self) -> Verdict:
        return self.pytest("lab", ["tests/modem", "tests/lab"], self.in_memory)

    def integration(self) -> Verdict:
        return self.with_gateway(lambda: self.pytest(
            "integration", ["tests/integration"], self.in_memory, WAITING))

    def integration_fast(self) -> Verdict:
        return self.with_gateway(lambda: self.pytest(
            "integration", ["tests/integration", f"--ignore={MATRIX}",
                            *only_in_check_all.options("tests/integration/")],
            self.in_memory, WAITING))

    def integration_san(self) -> Verdict:
        """The plugin is built as usual: ofonod, which loads it, has no sanitizer."""
        build = self.build / "san"
        verdict = self.make(f"BUILD={build}", f"CFLAGS={SANITIZE}", "all", "faults",
                            "fixtures")
        verdict.add(self.make(f"BUILD={build}", "plugin"))
        if not verdict.failed:
            verdict.add(self.pytest(
                "integration-san", ["tests/integration", f"--ignore={MATRIX}",
                                    *(f"--deselect={test}" for test in NOT_UNDER_ASAN)],
                SANITIZER_OPTIONS | self.in_memory
                | {"GATEWAY_BINARY": str(PROJECT / build / "ofono-mcp")}, WAITING))
        return verdict

    def clients(self) -> Verdict:
        return self.with_gateway(lambda: self.pytest(
            "clients", ["tests/clients"], test_s=LONG_S))

    def console(self) -> Verdict:
        return self.with_gateway(lambda: self.pytest(
            "console", ["tests/console"], processes=os.cpu_count() or 1, test_s=LONG_S))

    def matrix(self) -> Verdict:
        return self.with_gateway(lambda: self.pytest(
            "matrix", [MATRIX], self.in_memory | {"CRASH_MATRIX": "all"}, WAITING, test_s=TIMEOUT_S))

    def matrix_short(self) -> Verdict:
        return self.with_gateway(lambda: self.pytest(
            "matrix", [MATRIX], self.in_memory | {"CRASH_MATRIX": "short"}, WAITING))

    def demo(self) -> Verdict:
        return self.with_gateway(lambda: self.pytest("demo", ["tests/demo"]))

    def package(self) -> Verdict:
        return self.with_gateway(lambda: self.pytest(
            "package", ["tests/deb", f"--deselect={UNIT_PROGRAMS}"], test_s=LONG_S))

    def other_release(self) -> Verdict:
        tests = [f"tests/deb/test_{name}.py" for name in ("package", "installation", "service")]
        return self.pytest("other-release", [
            *tests, f"--deselect={tests[0]}::test_a_build_elsewhere_is_identical"],
            {"OTHER_RELEASE": "1"}, test_s=LONG_S)

    def builds(self) -> Verdict:
        return read_tap("builds", self.programs.run(
            [sys.executable, "-B", "tests/check/builds.py", "--make", self._make[0],
             "--build", str(self.build)]))

    def package_contents(self) -> Verdict:
        return self.pytest("package", ["tests/deb", *only_in_check_all.options("tests/deb/")],
                           test_s=LONG_S)

    def torture(self) -> Verdict:
        verdict = self.make(f"BUILD={self.build}", f"{self.build}/torture/clock.so")
        if not verdict.failed:
            verdict.add(self.with_gateway(
                lambda: self.pytest("torture", ["tests/torture"], test_s=LONG_S)))
        return verdict

    def bench(self) -> Verdict:
        return self.with_gateway(lambda: self.pytest(
            "bench", ["tests/bench"], test_s=LONG_S))

    def valgrind_unit(self) -> Verdict:
        verdict = self.make(f"BUILD={self.build}", "-k", "programs")
        verdict.add(self.unit_programs(self.build, VALGRIND_PATIENCE, VALGRIND))
        return verdict

    def valgrind(self) -> Verdict:
        return self.with_gateway(lambda: self.pytest(
            "valgrind", ["tests/integration", f"--ignore={MATRIX}", f"--deselect={WORST_CASE}"],
            self.in_memory | VALGRIND_PATIENCE | {"GATEWAY_WRAPPER": shlex.join(VALGRIND)},
            os.cpu_count() or 1))

    def with_gateway(self, part: Callable[[], Verdict], *others: str) -> Verdict:
        verdict = self.make(f"BUILD={self.build}", "all", "faults", "fixtures",
                            "plugin", *others)
        if not verdict.failed:
            verdict.add(part())
        return verdict


    # one test

    def test(self, name: str) -> Verdict:
        """The tests of a file, a function, both, or a unit program; installs their packages."""
        choice = choose(name)
        code = self.programs.run(["tests/packages/install", "build", *choice.packages],
                                 shown=True).code
        if code == os.EX_TEMPFAIL:
            return Verdict(not_run=1, unreached=[f"{name}: {NOT_RUN}: its packages"])
        if code != 0:
            return Verdict.failure("packages are missing")
        verdict = Verdict()
        if choice.units:
            programs = [f"{self.build}/unit/{source.stem}" for source in choice.units]
            verdict.add(self.make(f"BUILD={self.build}", *programs))
        if not verdict.failed:
            verdict.add(self.each(lambda source: self.unit_program(self.build, source, {}),
                                  choice.units))
        if choice.pytest:
            verdict.add(self.chosen(choice))
        return verdict

    def chosen(self, choice: Choice) -> Verdict:
        def run() -> Verdict:
            return self.pytest("test", choice.pytest, shown=True, test_s=LONG_S)

        targets = [f"{self.build}/{target}" for target in choice.targets]
        return self.with_gateway(run, *targets) if choice.needs_gateway else run()


PARTS: dict[str, str] = {
    "lint-quick": "layers, licence lines, references, format",
    "lint": "these, a build with -Werror, cppcheck, clang-tidy",
    "unit": "cmocka, one program for each module",
    "san": "the same under ASan and UBSan",
    "fuzz": "the inputs that fuzzing found, once more under ASan and UBSan",
    "starve": "the same with calls that find no memory, no room or no disk, a sample",
    "starve-all": "every such call",
    "numbers": "60,000 phone numbers, compared with libphonenumber",
    "numbers-all": "a million of them",
    "house": "the tests of lint, check and packages themselves",
    "lab": "the modem emulator against the real ofonod",
    "integration": "the gateway on the real ofonod",
    "integration-san": "the same with the gateway under ASan and UBSan",
    "clients": "real MCP clients and the official conformance runner",
    "console": "the console in a real Chromium, alone and in a host of MCP Apps",
    "integration-fast": "those of them that finish fast",
    "matrix": "kill -9 at every boundary, and at every one of each recovery",
    "matrix-short": "kill -9 at some of the boundaries",
    "demo": "make demo",
    "package-contents": "the Debian packages, built once and inspected",
    "package": "the Debian packages, built twice, and run and upgraded in a fresh Debian",
    "other-release": "the packages built, installed and run in the other Debian release, 12 or 13",
    "builds": "-O0, clang, the flags of Debian packages, an archive: no warning, all pass",
    "bench": "make bench, small",
    "torture": "make torture, short",
    "valgrind-unit": "the unit tests under valgrind",
    "valgrind": "the integration tests with the gateway under valgrind",
}
# What runs side by side: each of these runs its parts one after the other. "lint" is the first to
# build what the others use, and "house" installs what "unit" has built.
SETS = {
    "check": [["lint-quick", "integration-fast", "matrix-short"], ["san", "fuzz"],
              ["package-contents", "lab"]],
    "check-all": [["lint", "unit", "house", "integration"],
                  ["san", "fuzz", "starve", "numbers", "package"],
                  ["other-release", "clients", "torture", "lab"]],
}
# What runs after those and alone, because it measures or because a person would be waiting.
ALONE = {"check-all": ["demo", "console", "bench"]}


def run_part(check: Check, name: str, what: str, run: Callable[[], Verdict]) -> Verdict:
    began = time.monotonic()
    with check.progress.of_part(name, what):
        verdict = run()
    if verdict.passed == verdict.failed == verdict.not_run == 0:
        verdict = Verdict.failure(f"{name} ran no test")
    if verdict.failed:
        say(f"\n---- {name} failed", *verdict.failures, *verdict.details,
            f"---- end of {name}\n")
    say(f"{name:16} {verdict} in {time.monotonic() - began:.1f} s",
        *(f"{'':16} {summary}" for summary in verdict.summaries()))
    return verdict


def run_parts(check: Check, names: Sequence[str]) -> Verdict:
    total = Verdict()
    for name in names:
        total.add(run_part(check, name, PARTS[name], getattr(check, name.replace("-", "_"))))
    return total


def run_beside(programs: Programs, jobs: Sequence[Callable[[], Verdict]]) -> Verdict:
    """All at once. Only this thread is interrupted, and then ends what the others wait for."""
    total = Verdict()
    with ThreadPoolExecutor(len(jobs)) as pool:
        try:
            for verdict in pool.map(lambda job: job(), jobs):
                total.add(verdict)
        except BaseException:
            programs.stop()
            raise
    return total


def run_all(options: argparse.Namespace, keeper: Keeper) -> Verdict:
    drawn = seeds(options.parts)
    programs = Programs(keeper.environment | drawn)

    def new_check() -> Check:
        return Check(options.make, options.build, keeper.memory, programs)

    def job(names: Sequence[str]) -> Callable[[], Verdict]:
        return lambda: run_parts(new_check(), names)

    if name := options.test:
        check = new_check()
        return run_beside(programs, [
            lambda: run_part(check, "test", name, lambda: check.test(name))])
    seeded = " ".join(f"{name}={seed}" for name, seed in drawn.items())
    say(f"seeds            {seeded}")
    total = Verdict()
    for given in options.parts:
        total.add(run_beside(programs, list(map(job, SETS.get(given, [[given]])))))
        if alone := ALONE.get(given):
            total.add(run_beside(programs, [job(alone)]))
    if total.failed:
        say(f"to repeat it: {seeded} make {' '.join(options.parts)}")
    return total


def leave(*_: object) -> None:
    """Only once: the clean-up must not be interrupted."""
    for number in ENDING:
        signal.signal(number, signal.SIG_IGN)
    raise KeyboardInterrupt


def parse() -> argparse.Namespace:
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--make", default="make")
    parser.add_argument("--build", type=Path, default=Path("build"))
    parser.add_argument("--test", metavar="NAME", help="a file, a function, FILE::FUNCTION")
    parser.add_argument("parts", nargs="*", metavar="PART", help=", ".join([*SETS, *PARTS]))
    options = parser.parse_args()
    if unknown := set(options.parts) - set(PARTS) - set(SETS):
        parser.error(f"no such part: {', '.join(unknown)}; "
                     f"there are {', '.join([*SETS, *PARTS])}")
    if bool(options.parts) == bool(options.test):
        parser.error("name parts, or one test")
    if options.test and not choose(options.test):
        sys.exit(why_not(options.test))
    return options


def main() -> int:
    options = parse()
    keeper = Keeper()
    for number in ENDING:
        signal.signal(number, leave)
    try:
        total = run_all(options, keeper)
    except KeyboardInterrupt:
        print("check: interrupted", file=sys.stderr)
        return 130
    finally:
        keeper.end()
    print(*(f"failed: {what}\n" for what in total.failures), sep="", end="")
    print(*(f"{what}\n" for what in total.unreached), sep="", end="")
    print(total.short(), flush=True)
    return total.status


if __name__ == "__main__":
    sys.exit(main())
