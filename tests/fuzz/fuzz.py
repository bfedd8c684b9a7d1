#!/usr/bin/python3
# SPDX-License-Identifier: GPL-2.0-or-later
"""Run the fuzz targets, and print one line for each.

    tests/fuzz/fuzz.py [--time SECONDS] [--jobs N] [TARGET...]    builds, runs, prints a table
    tests/fuzz/fuzz.py --coverage [TARGET...]    lines that the corpora reach
    tests/fuzz/fuzz.py --minimise [TARGET...]    the fewest inputs that reach as much, into
                                                 tests/fuzz/corpus

What is found grows build/fuzz/corpus; what fails lies in build/fuzz/crashes.
"""

from __future__ import annotations

import argparse
import fcntl
import json
import os
import re
import shlex
import shutil
import subprocess
import sys
import tempfile
import time
from collections.abc import Iterator
from concurrent.futures import ThreadPoolExecutor
from contextlib import contextmanager, suppress
from dataclasses import dataclass, field
from pathlib import Path

PROJECT = Path(__file__).resolve().parents[2]
HERE = PROJECT / "tests" / "fuzz"
FUZZ = ("-O1 -g -fno-omit-frame-pointer -fsanitize=fuzzer-no-link,address,undefined "
        "-fno-sanitize-recover=all")
COVERAGE = "-O1 -g -fprofile-instr-generate -fcoverage-mapping"
INPUT_TIMEOUT_S = 25
RSS_LIMIT_MB = 1024
HEADING = (f"{'target':10} {'seconds':>8} {'runs':>11} {'runs/s':>8} {'new':>6} {'edges':>7}"
           f" {'crashes':>7}   in all: {'seconds':>8} {'of a CPU':>8} {'runs':>12}")


@dataclass(frozen=True)
class Target:
    """`most`: the largest input in bytes; `subject`: what it should reach, below src."""

    most: int
    subject: list[str] = field(default_factory=list)


TARGETS = {
    "json": Target(4096, ["base/json*.c"]),
    "number": Target(256, ["numbers/*.c", "policy/recipient.c"]),
    "text": Target(2048, ["text/segments.c", "sms/mended_text.c", "text/extract.c",
                          "text/code_*.c", "text/text.c", "base/escape.c", "base/utf8.c"]),
    "command": Target(512, ["text/command_text.c", "base/totp.c"]),
    "config": Target(2048, ["config/*.c", "base/address.c"]),
    "state": Target(1024, ["mcp/elicitation_2026.c", "mcp/session.c", "tools/cursor.c",
                           "base/crypto.c", "base/clock.c"]),
    "spool": Target(2048, ["sms/spool_file.c"]),
    "outgoing": Target(2048, ["sms/spool_file.c"]),
    "vcard": Target(2048, ["phone/vcard.c", "phone/contact.c"]),
    "http": Target(4096, ["http/*.c", "mcp/endpoint.c"]),
    "mcp": Target(8192, ["mcp/*.c", "tools/*.c", "policy/*.c", "sms/*.c", "text/*.c",
                          "phone/*.c"]),
    "control": Target(2048, ["gateway/control_*.c", "gateway/command_*.c"]),
    "bus": Target(4096, ["ofono/*.c", "bus/property.c"]),
}


@dataclass
class Run:
    """The output of one run of a target."""

    seconds: int = 0
    processor_s: int = 0
    runs: int = 0
    rate: int = 0
    new: int = 0
    edges: int = 0
    crashes: list[Path] = field(default_factory=list)


def number_after(pattern: str, text: str) -> int:
    found = re.findall(pattern + r"\s*(\d+)", text)
    return int(found[-1]) if found else 0


def read_run(output: str) -> Run:
    return Run(runs=number_after(r"stat::number_of_executed_units:", output),
               rate=number_after(r"stat::average_exec_per_sec:", output),
               new=number_after(r"stat::new_units_added:", output),
               edges=number_after(r"\bcov:", output))


class Fuzzing:
    def __init__(self, make: str, build: Path) -> None:
        self.make = shlex.split(make)
        self.build = PROJECT / build
        self.crashes = self.build / "crashes"
        self.output = sys.stdout

    def compile(self, build: Path, flags: str, *more: str) -> None:
        subprocess.run([*self.make, "--no-print-directory", f"-j{os.cpu_count()}",
                        f"BUILD={build.relative_to(PROJECT)}", "CC=clang", f"CFLAGS={flags}",
                        *more, "fuzz-programs"],
                       cwd=PROJECT, check=True, stdout=subprocess.DEVNULL)

    def compile_to_fuzz(self) -> None:
        self.compile(self.build, FUZZ, "FUZZ_MAIN=-fsanitize=fuzzer")

    def corpora(self, name: str) -> list[str]:
        grown, committed = self.build / "corpus" / name, HERE / "corpus" / name
        grown.mkdir(parents=True, exist_ok=True)
        return [str(grown), str(committed)]

    @contextmanager
    def scratch(self) -> Iterator[dict[str, str]]:
        """The message stores of the targets, in memory if possible."""
        memory = "/dev/shm" if os.access("/dev/shm", os.W_OK) else None
        with tempfile.TemporaryDirectory(prefix="ofono-mcp-fuzz-", dir=memory) as folder:
            yield os.environ | {"TMPDIR": folder}

    def libfuzzer(self, name: str, *arguments: str) -> tuple[str, int]:
        """Its output, and its CPU time in seconds; its exit code is not an error here."""
        with self.scratch() as environment:
            process = subprocess.Popen([str(self.build / "target" / name), *arguments],
                                       cwd=PROJECT, env=environment,
                                       stdin=subprocess.DEVNULL, stdout=subprocess.PIPE,
                                       stderr=subprocess.STDOUT)
            with process.stdout:
                output = process.stdout.read()
            _, _, used = os.wait4(process.pid, 0)
            process.returncode = 0  # already reaped: nobody else may wait for it
        return output.decode(errors="replace"), round(used.ru_utime + used.ru_stime)

    def run(self, name: str, seconds: int) -> Run:
        self.crashes.mkdir(parents=True, exist_ok=True)
        before = set(self.crashes.glob(f"{name}-*"))
        arguments = [f"-max_total_time={seconds}", f"-max_len={TARGETS[name].most}",
                     f"-timeout={INPUT_TIMEOUT_S}", f"-rss_limit_mb={RSS_LIMIT_MB}",
                     f"-artifact_prefix={self.crashes}/{name}-", "-print_final_stats=1"]
        dictionary = HERE / f"{name}.dict"
        if dictionary.exists():
            arguments.append(f"-dict={dictionary}")
        began = time.monotonic()
        output, processor_s = self.libfuzzer(name, *arguments, *self.corpora(name))
        run = read_run(output)
        run.seconds, run.processor_s = round(time.monotonic() - began), processor_s
        run.crashes = sorted(set(self.crashes.glob(f"{name}-*")) - before)
        for crash in run.crashes:
            crash.with_name(f"log-{crash.name}").write_text(output[-20000:])
        if not run.runs and not run.crashes:
            raise SystemExit(f"{name} ran nothing:\n{output[-2000:]}")
        return run

    def add_up(self, name: str, run: Run) -> dict[str, int]:
        """The total of all runs of this build folder."""
        with (self.build / "totals.json").open("a+") as file:
            fcntl.flock(file, fcntl.LOCK_EX)
            file.seek(0)
            totals = json.loads(file.read() or "{}")
            total = totals.setdefault(name, {})
            for what in ("seconds", "processor_s", "runs"):
                total[what] = total.get(what, 0) + getattr(run, what)
            file.truncate(0)
            json.dump(totals, file, indent=1)
        return total

    def fuzz(self, names: list[str], seconds: int, jobs: int) -> int:
        print(HEADING, flush=True)

        def one(name: str) -> int:
            run = self.run(name, seconds)
            total = self.add_up(name, run)
            print(f"{name:10} {run.seconds:8} {run.runs:11} {run.rate:8} {run.new:6} "
                  f"{run.edges:7} {len(run.crashes):7} {'':10} {total['seconds']:8} "
                  f"{total['processor_s']:8} {total['runs']:12}", flush=True)
            for crash in run.crashes:
                print(f"    again: build/fuzz/target/{name} {crash.relative_to(PROJECT)}",
                      flush=True)
            return len(run.crashes)

        with ThreadPoolExecutor(jobs) as pool:
            return 1 if sum(pool.map(one, names)) else 0

    def minimise(self, names: list[str]) -> int:
        for name in names:
            with tempfile.TemporaryDirectory(prefix="ofono-mcp-fuzz-") as folder:
                self.libfuzzer(name, "-merge=1", f"-max_len={TARGETS[name].most}", folder,
                               *self.corpora(name))
                kept = sorted(Path(folder).iterdir())
                self.keep(name, kept)
        return 0

    def keep(self, name: str, files: list[Path]) -> None:
        """Named inputs stay: each stands for a bug or a feature."""
        committed = HERE / "corpus" / name
        for old in committed.iterdir():
            if re.fullmatch(r"[0-9a-f]{40}", old.name):
                old.unlink()
        named = {file.read_bytes() for file in committed.iterdir()}
        small = [file for file in sorted(files, key=lambda file: file.stat().st_size)
                 if file.read_bytes() not in named]
        room = CORPUS_BYTES - sum(map(len, named))
        for file in small[::max(1, len(small) // CORPUS_FILES)]:    # of all lengths
            room -= file.stat().st_size
            if room < 0:
                break
            shutil.copyfile(file, committed / file.name)
        count = sum(1 for _ in committed.iterdir())
        print(f"{name:10} {len(files)} inputs reach all; {count} are kept", flush=True)

    def coverage(self, names: list[str]) -> int:
        build = self.build.with_name("fuzz-coverage")
        self.compile(build, COVERAGE)
        print(f"{'target':10} {'lines':>7} {'reached':>8}   of", flush=True)
        for name in names:
            self.cover(build, name)
        return 0

    def cover(self, build: Path, name: str) -> None:
        program, profile = build / "target" / name, build / f"{name}.profdata"
        subject = sorted(str(file.relative_to(PROJECT)) for pattern in TARGETS[name].subject
                         for file in (PROJECT / "src").glob(pattern))
        with self.scratch() as environment:
            raw = Path(environment["TMPDIR"], "profraw")
            inputs = Path(environment["TMPDIR"], "inputs")      # other fuzzers may be running
            inputs.mkdir()
            for folder in self.corpora(name):
                for file in Path(folder).iterdir():
                    with suppress(FileNotFoundError):
                        shutil.copy(file, inputs)
            subprocess.run([program, inputs], cwd=PROJECT, check=True,
                           env=environment | {"LLVM_PROFILE_FILE": str(raw)},
                           stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL)
            subprocess.run(["llvm-profdata", "merge", "-sparse", raw, "-o", profile],
                           check=True)
        told = subprocess.run(["llvm-cov", "export", "-summary-only", program,
                               f"-instr-profile={profile}", *subject], cwd=PROJECT,
                              stdout=subprocess.PIPE, check=True).stdout
        data = json.loads(told)["data"][0]
        lines = data["totals"]["lines"]
        print(f"{name:10} {lines['count']:7} {lines['percent']:7.1f}%   "
              f"{' '.join(TARGETS[name].subject)}", flush=True)
        for file in data["files"]:
            part = file["summary"]["lines"]
            print(f"{'':10} {part['count']:7} {part['percent']:7.1f}%     "
                  f"{Path(file['filename']).relative_to(PROJECT)}", file=sys.stderr)


CORPUS_FILES = 48                       # for each target, besides named ones
CORPUS_BYTES = 24 * 1024                # for each target


def seconds(text: str) -> int:
    """libFuzzer takes 0 as unlimited."""
    if not text.isdigit() or int(text) < 1:
        raise argparse.ArgumentTypeError(f"a whole number of seconds above 0, not {text}")
    return int(text)


def main() -> int:
    parser = argparse.ArgumentParser(
        description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--make", default="make")
    parser.add_argument("--build", type=Path, default=Path("build/fuzz"))
    parser.add_argument("--time", type=seconds, default=60, help="seconds of each")
    parser.add_argument("--jobs", type=int, default=os.cpu_count())
    parser.add_argument("--as-built", action="store_true", help="compile nothing")
    parser.add_argument("--coverage", action="store_true")
    parser.add_argument("--minimise", action="store_true")
    parser.add_argument("targets", nargs="*", metavar="TARGET", help=", ".join(TARGETS))
    options = parser.parse_args()
    names = options.targets or list(TARGETS)
    if unknown := set(names) - set(TARGETS):
        parser.error(f"no such target: {', '.join(unknown)}")
    fuzzing = Fuzzing(options.make, options.build)
    if not options.as_built and not options.coverage:
        fuzzing.compile_to_fuzz()
    if options.coverage:
        return fuzzing.coverage(names)
    if options.minimise:
        return fuzzing.minimise(names)
    return fuzzing.fuzz(names, options.time, options.jobs)


if __name__ == "__main__":
    sys.exit(main())
