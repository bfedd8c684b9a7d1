# SPDX-License-Identifier: GPL-2.0-or-later
from __future__ import annotations

import re
import shutil
import subprocess
import sys
from collections.abc import Iterator
from concurrent.futures import Future, ThreadPoolExecutor
from pathlib import Path

import pytest

sys.path.insert(0, str(Path(__file__).resolve().parents[1]))

from build import NAMES, PROJECT, Build, Builder, later, previous
from fresh_debian import FreshDebian
from machine import Machine
from phone import PHONESIM, Phone

TESTS = ["dbus", "iproute2", "ofono", "python3", "python3-dbus", "python3-gi",
         "python3-pytest", "systemd", "systemd-sysv"]


@pytest.fixture(scope="session")
def built(tmp_path_factory: pytest.TempPathFactory) -> Build:
    """With the source package."""
    return Builder(tmp_path_factory.mktemp("build") / "here").build(kind="--build=full")


def dependencies(package: Path) -> list[str]:
    """Names, of alternatives the first."""
    fields = subprocess.run(
        ["dpkg-deb", "--showformat=${Pre-Depends}, ${Depends}", "--show", package],
        capture_output=True, text=True, check=True).stdout
    return [re.split(r"[ |(:]", clause.strip())[0] for clause in fields.split(",")
            if clause.strip()]


@pytest.fixture(scope="session")
def machine(built: Build, tmp_path_factory: pytest.TempPathFactory) -> Iterator[Machine]:
    """An oFono with two modems, our tests in /source, and in /packages our packages: this
    version, old.deb and later.deb; nothing of ours is installed."""
    root = tmp_path_factory.mktemp("debian") / "root"
    with ThreadPoolExecutor() as beside:
        old: Future[Build] = beside.submit(previous)
        needed = dependencies(built.packages["ofono-mcp"])
        fresh = FreshDebian(root, [*TESTS, *needed])
        packages = root / "packages"
        packages.mkdir()
        shutil.copy(old.result().packages["ofono-mcp"], packages / "old.deb")
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
    subprocess.run(["rm", "-rf", "--one-file-system", root], check=True)


@pytest.fixture(scope="session")
def phone(machine: Machine) -> Iterator[Phone]:
    """Powered and registered."""
    with Phone(machine) as phone:
        yield phone
