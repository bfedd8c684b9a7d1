#!/usr/bin/python3
# SPDX-License-Identifier: GPL-2.0-or-later
"""Build in other ways, without a warning, and run the unit tests of each build; prints TAP.

    tests/check/builds.py [--make MAKE] [--build FOLDER] [NAME...]

The builds: without optimisation, with clang, with the flags of Debian packages, and from a tar of
"git archive" in a home folder of mode 0700.  A last check makes sure that no unit test touches the
state or the configuration of an installed gateway.
"""

from __future__ import annotations

import argparse
import os
import re
import shutil
import subprocess
import sys
import tempfile
from collections.abc import Callable
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path

PROJECT = Path(__file__).resolve().parents[2]
FLAGS = ("CPPFLAGS", "CFLAGS", "LDFLAGS")
TARGETS = ("programs", "plugin")
INSTALLED = re.compile(r'"(/(?:etc|run|var/lib)/ofono-mcp\b[^"]*)"')


def run(*command: str | Path, folder: Path = PROJECT, **environment: str) -> list[str]:
    """Its output if it fails."""
    kept = {name: value for name, value in os.environ.items()
            if not name.startswith("MAKE") and name not in FLAGS}
    ended = subprocess.run(command, cwd=folder, env=kept | environment, text=True,
                           stdin=subprocess.DEVNULL, stdout=subprocess.PIPE,
                           stderr=subprocess.STDOUT)
    return (ended.stdout.splitlines() or [str(command)]) if ended.returncode != 0 else []


def each(look: Callable[[Path], list[str]], sources: list[Path]) -> list[str]:
    """Unit programs mostly wait, so several run at once."""
    with ThreadPoolExecutor(2 * (os.cpu_count() or 1)) as pool:
        return [line for said in pool.map(look, sources) for line in said]


def built(make: str, build: Path, folder: Path = PROJECT, **flags: str) -> list[str]:
    """What was wrong with the build; WERROR turns each warning into an error."""
    said = run(make, "--no-print-directory", f"-j{os.cpu_count()}", f"BUILD={build}",
               "WERROR=1", *TARGETS, folder=folder, **flags)
    if said:
        return said
    sources = sorted((folder / "tests" / "unit").glob("test_*.c"))
    return each(lambda source: run(folder / build / "unit" / source.stem, folder=folder), sources)


def unoptimised(make: str, build: Path) -> list[str]:
    return built(make, build, CFLAGS="-O0 -g")


def clang(make: str, build: Path) -> list[str]:
    return built(make, build, CC="clang")


def package_flags(make: str, build: Path) -> list[str]:
    flags = {name: subprocess.run(
        ["dpkg-buildflags", "--get", name], capture_output=True, text=True, check=True,
        env=os.environ | {"DEB_BUILD_MAINT_OPTIONS": "hardening=+all"}).stdout.strip()
        for name in FLAGS}
    return built(make, build, **flags)


def asks_for(program: Path) -> list[str]:
    """The files of an installed gateway that it opens or looks for."""
    with tempfile.NamedTemporaryFile("r", prefix="ofono-mcp-trace-") as trace:
        run("strace", "--follow-forks", "-qq", "--trace=%file", f"--output={trace.name}", program)
        asked = sorted(set(INSTALLED.findall(trace.read())))
    return [f"{program.name} asks for {path}" for path in asked]


def installed(make: str, build: Path) -> list[str]:
    """No unit test touches a file of an installed gateway, whether it exists or not."""
    said = run(make, "--no-print-directory", f"-j{os.cpu_count()}", f"BUILD={build}", "programs")
    sources = sorted((PROJECT / "tests" / "unit").glob("test_*.c"))
    return said or each(lambda source: asks_for(PROJECT / build / "unit" / source.stem), sources)


def archive(make: str, _: Path) -> list[str]:
    """Without .git, and in a home folder of mode 0700."""
    home = Path(tempfile.mkdtemp(prefix="ofono-mcp-home-"))     # its mode is 0700
    try:
        source = home / "ofono-mcp"
        source.mkdir()
        if said := run("sh", "-c", 'git archive HEAD | tar -x -C "$0"', source):
            return said
        return built(make, Path("build"), source, HOME=str(home))
    finally:
        shutil.rmtree(home)


BUILDS: dict[str, Callable[[str, Path], list[str]]] = {
    "O0": unoptimised,
    "clang": clang,
    "package-flags": package_flags,
    "archive": archive,
    "installed": installed,
}


def main() -> int:
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--make", default="make")
    parser.add_argument("--build", type=Path, default=Path("build"))
    parser.add_argument("names", nargs="*", metavar="NAME", help=", ".join(BUILDS))
    options = parser.parse_args()
    names = options.names or list(BUILDS)
    print(f"1..{len(names)}", flush=True)
    bad = 0
    for number, name in enumerate(names, start=1):
        said = BUILDS[name](options.make, options.build / f"as-{name}")
        bad += bool(said)
        print(f"{'not ok' if said else 'ok'} {number} - {name}")
        print(*(f"# {line}\n" for line in said), sep="", end="", flush=True)
    return 1 if bad else 0


if __name__ == "__main__":
    sys.exit(main())
