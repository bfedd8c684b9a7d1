#!/usr/bin/python3
# SPDX-License-Identifier: GPL-2.0-or-later
"""Run the integration tests with the ofonod of other releases of Debian.

    tests/lab/ofono_versions.py [--build FOLDER] [--suite SUITE]... [PYTEST-ARGUMENT...]

A tree of each release with ofono and its libraries is unpacked once and kept in FOLDER/ofonod;
remove it there to get a newer one. Its ofonod loads the libraries of that tree, so it runs
beside this machine's gateway. Our plugin is built for it with the headers of the tree.
tests/lab/expected.py lists what a version does differently.
"""

from __future__ import annotations

import argparse
import os
import re
import shutil
import subprocess
import sys
import tempfile
from dataclasses import dataclass
from pathlib import Path

PROJECT = Path(__file__).resolve().parents[2]
sys.path.insert(0, str(PROJECT / "tests" / "deb"))

import releases

SUITES = ("trixie", "sid")              # ofono 2.16 and, when this was written, 2.19
PACKAGES = "ofono,ofono-dev,libdbus-1-dev"
TESTS = ["tests/lab", "tests/integration"]
PATIENCE = "2"
PROCESSES = 3 * (os.cpu_count() or 1)   # tests wait more than they compute


def run(*command: str | Path, **environment: str) -> str:
    """Returns its output; it must succeed."""
    ended = subprocess.run(command, cwd=PROJECT, env=os.environ | environment, text=True,
                           stdin=subprocess.DEVNULL, capture_output=True)
    if ended.returncode != 0:
        raise SystemExit(f"{' '.join(map(str, command))}\n{ended.stdout}{ended.stderr}")
    return ended.stdout


@dataclass(frozen=True)
class Tree:
    """The unpacked packages of a release, and files made from them."""

    folder: Path

    @property
    def root(self) -> Path:
        return self.folder / "root"

    @property
    def ofonod(self) -> Path:
        return self.folder / "ofonod"

    @property
    def plugin(self) -> Path:
        return self.folder / "plugin" / "ofono-mcp-history.so"

    def unpack(self, suite: str) -> None:
        """No package script runs."""
        with tempfile.NamedTemporaryFile("w", suffix=".sources") as sources:
            sources.write(releases.sources(suite))
            sources.flush()
            run("mmdebstrap", "--quiet", "--variant=extract", f"--include={PACKAGES}",
                *releases.apt_options(), suite, self.root, sources.name)

    def find(self, pattern: str) -> Path:
        """The file of the tree, by a path without links that lead outside."""
        return next(self.root.glob(f"usr/{pattern}"), None) or next(self.root.glob(pattern))

    def adapt(self) -> None:
        """Copies ofonod so that it uses the loader and the libraries of the tree."""
        shutil.copy(self.find("sbin/ofonod"), self.ofonod)
        loader = Path(run("patchelf", "--print-interpreter", self.ofonod).strip())
        libraries = {str(self.find(pattern).parent)
                     for pattern in ("lib/*/libc.so.6", "lib/*/libdbus-1.so.3")}
        run("patchelf", "--force-rpath", "--set-rpath", ":".join(sorted(libraries)),
            "--set-interpreter", self.find(str(loader).lstrip("/")), self.ofonod)

    def build_plugin(self) -> None:
        """With its oFono's headers, and this machine's for everything else."""
        described, headers = self.folder / "pkgconfig", self.folder / "include"
        for folder in described, headers:
            folder.mkdir(exist_ok=True)
        shutil.copytree(self.find("include/ofono"), headers / "ofono", dirs_exist_ok=True)
        [ofono] = self.root.glob("usr/**/pkgconfig/ofono.pc")
        (described / "ofono.pc").write_text(re.sub(
            r"^includedir=.*$", f"includedir={headers}", ofono.read_text(), flags=re.MULTILINE))
        run("make", f"BUILD={self.folder.relative_to(PROJECT)}", "plugin", MAKEFLAGS="",
            PKG_CONFIG_PATH=str(described))

    def version(self) -> str:
        return run(self.ofonod, "--version").strip()


def prepared(folder: Path, suite: str) -> Tree:
    """Complete, or absent: an interrupted run leaves nothing behind."""
    kept = Tree(folder / suite)
    if not kept.root.exists():
        print(f"{suite}: fetching its ofono ...", flush=True)
        folder.mkdir(parents=True, exist_ok=True)
        with tempfile.TemporaryDirectory(dir=folder) as aside:
            new = Tree(Path(aside) / suite)
            new.folder.mkdir()
            new.unpack(suite)
            new.folder.rename(kept.folder)
    kept.adapt()
    kept.build_plugin()
    return kept


def test(tree: Tree, build: Path, arguments: list[str]) -> tuple[int, int]:
    """How many passed and how many failed."""
    environment = {"OFONOD": str(tree.ofonod), "OFONO_PLUGIN": str(tree.plugin),
                   "GATEWAY_BINARY": str(build / "ofono-mcp"),
                   "LAB_TIMEOUT_SCALE": os.environ.get("LAB_TIMEOUT_SCALE", PATIENCE)}
    with subprocess.Popen(
            ["tests/as-root", sys.executable, "-B", "-m", "pytest", "-q",
             "-p", "no:cacheprovider", f"--numprocesses={PROCESSES}", "--dist=loadgroup",
             *arguments], cwd=PROJECT, env=os.environ | environment, text=True,
            stdin=subprocess.DEVNULL, stdout=subprocess.PIPE) as tests:
        last = ""
        for line in tests.stdout:
            print(line, end="", flush=True)
            last = line if line.strip() else last
    counts = {what: int(count) for count, what in re.findall(r"(\d+) (\w+)", last)}
    passed = counts.get("passed", 0) + counts.get("xfailed", 0)
    failed = counts.get("failed", 0) + counts.get("errors", 0) + counts.get("error", 0)
    if tests.returncode != 0 or not passed:
        failed = failed or 1
    return passed, failed


def main() -> int:
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--build", type=Path, default=Path("build"))
    parser.add_argument("--suite", action="append", help=f"default: {', '.join(SUITES)}")
    options, arguments = parser.parse_known_args()
    build = PROJECT / options.build
    results = []
    for suite in options.suite or SUITES:
        tree = prepared(build / "ofonod", suite)
        print(f"{suite}: ofono {tree.version()}", flush=True)
        results.append((suite, tree.version(), *test(tree, build, arguments or TESTS)))
    for suite, version, passed, failed in results:
        print(f"ofono {version:6} {suite:8} {passed} passed, {failed} failed")
    passed, failed = (sum(result[field] for result in results) for field in (2, 3))
    print(f"{passed} passed, {failed} failed", flush=True)
    return 1 if failed else 0


if __name__ == "__main__":
    sys.exit(main())
