# SPDX-License-Identifier: GPL-2.0-or-later
from __future__ import annotations

import os
import re
import shutil
import subprocess
import sys
from collections.abc import Iterator
from concurrent.futures import Future, ThreadPoolExecutor
from pathlib import Path

import pytest

TOP = Path(__file__).resolve().parents[1]
sys.path[:0] = [str(TOP), str(TOP / "check")]

import releases
from build import (NAMES, PROJECT, Build, Builder, build_dependencies, build_in, later,
                   previous)
from fresh_debian import FreshDebian
from machine import Machine
from phone import PHONESIM, Phone

TESTS = ["dbus", "iproute2", "ofono", "passwd", "python3", "python3-dbus", "python3-gi",
         "python3-pytest", "systemd", "systemd-sysv"]


@pytest.fixture(scope="session")
def release() -> str:
    """The release for which and in which the packages are built: this machine's. "make
    other-release" runs the tests with the other supported one."""
    return releases.other() if os.environ.get("OTHER_RELEASE") else releases.own()


@pytest.fixture(scope="session")
def built(release: str, tmp_path_factory: pytest.TempPathFactory) -> Iterator[Build]:
    """With the source package."""
    folder = tmp_path_factory.mktemp("build")
    if release == releases.own():
        yield Builder(folder / "here").build(kind="--build=full")
        return
    fresh = FreshDebian(folder / "root", ["build-essential", "lintian", "libcmocka-dev",
                                          *build_dependencies()], release=release)
    yield build_in(fresh)
    fresh.remove()


def dependencies(package: Path) -> list[str]:
    """Names; the first of alternatives."""
    fields = subprocess.run(
        ["dpkg-deb", "--showformat=${Pre-Depends}, ${Depends}", "--show", package],
        capture_output=True, text=True, check=True).stdout
    return [re.split(r"[ |(:]", clause.strip())[0] for clause in fields.split(",")
            if clause.strip()]


@pytest.fixture(scope="session")
def machine(release: str, built: Build,
            tmp_path_factory: pytest.TempPathFactory) -> Iterator[Machine]:
    """An oFono with two modems, our tests in /source, and in /packages our packages: this
    version, old.deb (for this machine's release, if the clone has it) and later.deb; none of ours is
    installed."""
    root = tmp_path_factory.mktemp("debian") / "root"
    packages = root / "packages"
    with ThreadPoolExecutor() as beside:
        old: Future[Build | None] | None = (beside.submit(previous) if release == releases.own()
                                     else None)
        needed = {package for name in ("ofono-mcp", "ofono-mcp-hub")
                  for package in dependencies(built.packages[name])}
        fresh = FreshDebian(root, [*TESTS, *sorted(needed)], release=release)
        packages.mkdir()
        if old and (found := old.result()):
            shutil.copy(found.packages["ofono-mcp"], packages / "old.deb")
    for name in NAMES:
        shutil.copy(built.packages[name], packages / f"{name}.deb")
    made = later(built.packages["ofono-mcp"], tmp_path_factory.mktemp("later"))
    shutil.copy(made, packages / "later.deb")
    for folder in ("tests", "debian/tests"):
        shutil.copytree(PROJECT / folder, root / "source" / folder,
                        ignore=shutil.ignore_patterns("__pycache__"))
    (root / "etc/ofono/phonesim.conf").write_text(PHONESIM)
    (root / "usr/sbin/policy-rc.d").unlink(missing_ok=True)
    with Machine(fresh) as machine:
        yield machine
    fresh.remove()


@pytest.fixture(scope="session")
def phone(machine: Machine) -> Iterator[Phone]:
    """Powered and registered."""
    with Phone(machine) as phone:
        yield phone
