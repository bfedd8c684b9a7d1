#!/usr/bin/python3
# SPDX-License-Identifier: GPL-2.0-or-later
"""Run tests part by part, list all that failed, and end with one line: N passed, N failed.

    tests/check/check.py [--make MAKE] [--build FOLDER] check | check-all | PART...
    tests/check/check.py [--make MAKE] [--build FOLDER] --test NAME

"check" and "check-all" stand for their parts, of which some run side by side.  A part that fails
does not stop the others.  A part that ran nothing has failed, and so has one whose program
crashed.  While a part runs, a line every few seconds shows how far it is.  Nothing is left in
/tmp, however this ends.
"""

from __future__ import annotations

import argparse
import os
import re
import shlex
import signal
import subprocess
import sys
import tempfile
import threading
import time
from collections import Counter
from collections.abc import Callable, Mapping, Sequence
from concurrent.futures import ThreadPoolExecutor
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any
from xml.etree import ElementTree

import only_in_check_all
from keeper import Keeper
from one_test import Choice, choose, why_not
from progress import Progress, say

PROJECT = Path(__file__).resolve().parents[2]
TIMEOUT_S = 2 * 3600                    # of one program; "make matrix" takes most of an hour
ENDING = (signal.SIGINT, signal.SIGTERM, signal.SIGHUP)
SANITIZE = "-O1 -g1 -fno-omit-frame-pointer -fsanitize=address,undefined -fno-sanitize-recover=all"
SANITIZER_OPTIONS = {
    # faketime's library comes before the sanitizer's
    # It keeps this much freed memory: the usual 256 MB are never reached, only paid for.
    "ASAN_OPTIONS": "detect_stack_use_after_return=1:strict_string_checks=1:"
                    "verify_asan_link_order=0:quarantine_size_mb=16",
    "UBSAN_OPTIONS": "print_stacktrace=1",
    "SAMPLE": "yes",                # of what long tests repeat; the part "unit" repeats all of it
}
VALGRIND = ["valgrind", "--quiet", "--error-exitcode=99", "--leak-check=full",
            "--show-leak-kinds=definite,indirect,possible",
            "--errors-for-leak-kinds=definite,indirect,possible",
            f"--suppressions={PROJECT}/tests/check/valgrind.supp"]
WAITING = 3 * (os.cpu_count() or 1)     # processes for tests that wait more than they compute
WAITING_PATIENCE = "2"
MATRIX = "tests/integration/test_crash_matrix.py"
# "make other-release" compiles them there.
UNIT_PROGRAMS = "tests/deb/test_package.py::test_the_unit_programs_compile_without_a_warning"
# of memory
WORST_CASE = "tests/integration/test_worst_case.py::test_memory_stays_in_bounds_at_all_limits_at_once"
STARVED = ["bus", "control", "mcp"]
VALGRIND_PATIENCE = "5"
SANITIZER_PATIENCE = "3"
NOT_UNDER_ASAN = [f"tests/integration/test_{test}" for test in (
    # memory is measured, and ASan holds back freed memory for a while
    "hostile.py::test_concurrent_hostile_requests_leak_nothing",
    "reply.py::test_ended_sessions_free_the_memory_of_lost_calls",
    "sessions.py::test_many_sessions_use_bounded_memory",
    "streams.py::test_an_idle_stream_uses_little_memory",
    # the program changes its user, and LSan may not trace it then
    "control.py::test_files_made_by_root_belong_to_the_folder_owner")] + [WORST_CASE]
VALGRIND_EVERY_TIME = [f"tests/integration/test_{name}.py"      # the rest takes minutes longer
                       for name in ("seed", "protocol", "ladder", "modern", "batch", "gates",
                                    "hostile", "resources", "send_sms")]


@dataclass
class Verdict:
    passed: int = 0
    failed: int = 0
    skipped: int = 0
    details: list[str] = field(default_factory=list)
    failures: list[str] = field(default_factory=list)
    remarks: list[str] = field(default_factory=list)
    counts: dict[str, Counter[str]] = field(default_factory=dict)

    def add(self, other: Verdict) -> None:
        self.passed += other.passed
        self.failed += other.failed
        self.skipped += other.skipped
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
        return f"{self.passed} passed, {self.failed} failed{skipped}"


@dataclass(frozen=True)
class Ended:
    code: int
    output: str


class Stopped(Exception):
    """The run is interrupted, and starts no more programs."""


class Programs:
    """Each program runs in its own session; the keeper ends those that outlive us."""

    def __init__(self, environment: Mapping[str, str] = {}) -> None:
        self._environment = dict(environment)
        self._lock = threading.Lock()
        self._running: set[int] = set()
        self._stopped = False

    def run(self, command: Sequence[str], environment: Mapping[str, str] = {},
            shown: bool = False) -> Ended:
        """Returns its output, or shows it at once."""
        with self._start(command, environment, shown) as child:
            try:
                output, _ = child.communicate(timeout=TIMEOUT_S)
                note = ""
            except subprocess.TimeoutExpired:
                end_session(child.pid)
                output, _ = child.communicate()
                note = f"\n{command[0]}: ended after {TIMEOUT_S} s"
        with self._lock:
            self._running.discard(child.pid)
            if self._stopped:
                raise Stopped
        return Ended(child.returncode, (output or b"").decode(errors="replace") + note)

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
    if verdict.failed == 0 and (ended.code != 0 or planned == 0):
        verdict.failures.append(f"{name} ended with {ended.code}")
        verdict.failed = 1
    if verdict.failed:
        verdict.details.append(ended.output.rstrip())
    return verdict


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
        for mark in suite.iter("property"):
            read_property(verdict, mark.get("name", ""), mark.get("value", ""))
        verdict.failures += [f"{name}: {case.get('classname')}::{case.get('name')}"
                             for case in suite.iter("testcase")
                             if {"failure", "error"} & {part.tag for part in case}]
    if verdict.failed == 0 and (ended.code != 0 or verdict.passed == 0):
        verdict.failures.append(f"{name}: pytest ended with {ended.code}, "
                                f"{verdict.passed} tests passed")
        verdict.failed = 1
    if verdict.failed:
        verdict.details.append(ended.output.rstrip())
    return verdict


# ---- the parts

class Check:
    """Runs one part at a time; another one may run another part meanwhile."""

    def __init__(self, make: str, build: Path, memory: Path, programs: Programs) -> None:
        self._make = shlex.split(make)
        self.build = build
        self._memory = memory
        self.programs = programs
        self.progress = Progress()

    def make(self, *arguments: str) -> Verdict:
        """Counts as a test only if it fails."""
        self.progress.now("building")
        flags = os.environ.get("MAKEFLAGS", "")     # variables of the command line remain
        flags = re.sub(r"(^|\s)(-j\d*|--jobserver-\S+)(?=\s|$)", " ", flags)
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
                [*wrapper, program], {"CMOCKA_MESSAGE_OUTPUT": "TAP"} | dict(environment)))
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
               shown: bool = False) -> Verdict:
        """`processes`: how many run at once; 0 means this process. Tests of one group share a
        process."""
        with tempfile.TemporaryDirectory(dir=self._memory) as folder:
            report, counts = Path(folder, "junit.xml"), Path(folder, "counts")
            self.progress.counts_in(counts)
            ended = self.programs.run(
                ["tests/as-root", sys.executable, "-B", "-m", "pytest",
                 "-v" if shown else "-q", "-p", "no:cacheprovider", "-p", "count_tests",
                 f"--junitxml={report}", f"--numprocesses={processes}",
                 "--dist=loadgroup" if processes else "--dist=no", *tests],
                {"GATEWAY_BINARY": str(PROJECT / self.build / "ofono-mcp"),
                 "PYTHONPATH": str(Path(__file__).parent), "COUNT_FILE": str(counts),
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
        return self.lint_program()

    def unit(self) -> Verdict:
        verdict = self.make(f"BUILD={self.build}", "-k", "programs")
        verdict.add(self.unit_programs(self.build, {}))
        return verdict

    def san(self) -> Verdict:
        build = self.build / "san"
        verdict = self.make(f"BUILD={build}", f"CFLAGS={SANITIZE}", "TEST_CFLAGS=-O0", "-k",
                            "unit-programs")
        verdict.add(self.unit_programs(build, SANITIZER_OPTIONS | {"TMPDIR": str(self._memory)}))
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
                    {"TMPDIR": folder, "MALLOC_PERTURB_": "165"}))

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
                    SANITIZER_OPTIONS | {"TMPDIR": folder}))

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
                "NUMBERS_FILTER": str(PROJECT / self.build / "numbers" / "filter")}))
        return verdict

    def lab(self) -> Verdict:
        return self.pytest("lab", ["tests/modem", "tests/lab"])

    def integration(self) -> Verdict:
        return self.with_gateway(lambda: self.pytest(
            "integration", ["tests/integration"], {"LAB_TIMEOUT_SCALE": WAITING_PATIENCE},
            WAITING))

    def integration_fast(self) -> Verdict:
        return self.with_gateway(lambda: self.pytest(
            "integration", ["tests/integration", f"--ignore={MATRIX}",
                            *only_in_check_all.options("tests/integration/")],
            {"LAB_TIMEOUT_SCALE": WAITING_PATIENCE}, WAITING))

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
                SANITIZER_OPTIONS | {"GATEWAY_BINARY": str(PROJECT / build / "ofono-mcp"),
                                     "LAB_TIMEOUT_SCALE": SANITIZER_PATIENCE}, WAITING))
        return verdict

    def clients(self) -> Verdict:
        return self.with_gateway(lambda: self.pytest("clients", ["tests/clients"]))

    def console(self) -> Verdict:
        return self.with_gateway(lambda: self.pytest("console", ["tests/console"]))

    def matrix(self) -> Verdict:
        return self.with_gateway(lambda: self.pytest(
            "matrix", [MATRIX], {"CRASH_MATRIX": "all", "LAB_TIMEOUT_SCALE": WAITING_PATIENCE},
            WAITING))

    def matrix_short(self) -> Verdict:
        return self.with_gateway(lambda: self.pytest(
            "matrix", [MATRIX], {"CRASH_MATRIX": "short", "LAB_TIMEOUT_SCALE": WAITING_PATIENCE},
            WAITING))

    def demo(self) -> Verdict:
        return self.with_gateway(lambda: self.pytest("demo", ["tests/demo"]))

    def package(self) -> Verdict:
        return self.with_gateway(lambda: self.pytest(
            "package", ["tests/deb", f"--deselect={UNIT_PROGRAMS}"]))

    def other_release(self) -> Verdict:
        tests = [f"tests/deb/test_{name}.py" for name in ("package", "installation", "service")]
        return self.pytest("other-release", [
            *tests, f"--deselect={tests[0]}::test_a_build_elsewhere_is_identical"],
            {"OTHER_RELEASE": "1"})

    def builds(self) -> Verdict:
        return read_tap("builds", self.programs.run(
            [sys.executable, "-B", "tests/check/builds.py", "--make", self._make[0],
             "--build", str(self.build)]))

    def package_contents(self) -> Verdict:
        return self.pytest("package", ["tests/deb", *only_in_check_all.options("tests/deb/")])

    def torture(self) -> Verdict:
        verdict = self.make(f"BUILD={self.build}", f"{self.build}/torture/clock.so")
        if not verdict.failed:
            verdict.add(self.with_gateway(
                lambda: self.pytest("torture", ["tests/torture"])))
        return verdict

    def bench(self) -> Verdict:
        return self.with_gateway(lambda: self.pytest("bench", ["tests/bench"]))

    def valgrind_unit(self) -> Verdict:
        verdict = self.make(f"BUILD={self.build}", "-k", "programs")
        verdict.add(self.unit_programs(self.build, {}, VALGRIND))
        return verdict

    def valgrind(self) -> Verdict:
        return self.under_valgrind(["tests/integration", f"--ignore={MATRIX}",
                                    f"--deselect={WORST_CASE}"])

    def valgrind_brief(self) -> Verdict:
        return self.under_valgrind(VALGRIND_EVERY_TIME)

    def under_valgrind(self, tests: Sequence[str]) -> Verdict:
        return self.with_gateway(lambda: self.pytest(
            "valgrind", tests,
            {"GATEWAY_WRAPPER": shlex.join(VALGRIND), "LAB_TIMEOUT_SCALE": VALGRIND_PATIENCE},
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
        if self.programs.run(["tests/packages/install", "build", *choice.packages],
                             shown=True).code != 0:
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
            return self.pytest("test", choice.pytest, {
                "LAB_TIMEOUT_SCALE": os.environ.get("LAB_TIMEOUT_SCALE", WAITING_PATIENCE)},
                shown=True)

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
    "valgrind-brief": "the quick ones of them",
}
# What runs side by side: each of these runs its parts one after the other.
SETS = {
    "check": [["lint-quick", "integration-fast", "matrix-short"], ["san", "fuzz"],
              ["package-contents", "lab"]],
    "check-all": [["lint-quick", "house", "unit", "numbers", "san", "fuzz", "starve", "lab",
                   "integration", "clients", "console", "demo", "bench", "torture", "package",
                   "other-release", "valgrind-brief"]],
}


def run_part(check: Check, name: str, what: str, run: Callable[[], Verdict]) -> Verdict:
    began = time.monotonic()
    with check.progress.of_part(name, what):
        verdict = run()
    if verdict.passed == verdict.failed == 0:
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
    programs = Programs(keeper.environment)

    def new_check() -> Check:
        return Check(options.make, options.build, keeper.memory, programs)

    def job(names: Sequence[str]) -> Callable[[], Verdict]:
        return lambda: run_parts(new_check(), names)

    if name := options.test:
        check = new_check()
        return run_beside(programs, [
            lambda: run_part(check, "test", name, lambda: check.test(name))])
    total = Verdict()
    for given in options.parts:
        total.add(run_beside(programs, list(map(job, SETS.get(given, [[given]])))))
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
    print(f"{total.passed} passed, {total.failed} failed", flush=True)
    return 1 if total.failed else 0


if __name__ == "__main__":
    sys.exit(main())
