# SPDX-License-Identifier: GPL-2.0-or-later
from __future__ import annotations

import shutil
import subprocess
import sys
from collections.abc import Iterator
from pathlib import Path

import pytest

sys.path.insert(0, str(Path(__file__).resolve().parents[1]))

from build import NAMES, PROJECT, Build, Builder
from fresh_debian import FreshDebian

TESTS = ["dbus", "ofono", "python3", "python3-dbus", "python3-gi", "python3-pytest"]


@pytest.fixture(scope="session")
def built(tmp_path_factory: pytest.TempPathFactory) -> Build:
    return Builder(tmp_path_factory.mktemp("build") / "here").build()


@pytest.fixture(scope="module")
def fresh(built: Build, tmp_path_factory: pytest.TempPathFactory) -> Iterator[FreshDebian]:
    """With our packages and oFono, and our tests in /source."""
    root = tmp_path_factory.mktemp("debian") / "root"
    fresh = FreshDebian(root, built.folder, [*NAMES, *TESTS])
    for folder in ("tests", "debian/tests"):
        shutil.copytree(PROJECT / folder, root / "source" / folder,
                        ignore=shutil.ignore_patterns("__pycache__"))
    yield fresh
    subprocess.run(["rm", "-rf", "--one-file-system", root], check=True)
