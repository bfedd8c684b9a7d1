# SPDX-License-Identifier: GPL-2.0-or-later
"""Makes the packages of the lab importable, and has a lab of fast modems."""

from __future__ import annotations

import os
import subprocess
import sys
from collections.abc import Iterator
from pathlib import Path

import pytest

sys.path.insert(0, str(Path(__file__).resolve().parents[1]))

from fast_lab import Relay, fast_lab
from lab import Lab
from lab.gateway import BINARY

BUILD = Path(os.environ.get("GATEWAY_BINARY", BINARY)).parent


@pytest.fixture
def build() -> Path:
    return BUILD


@pytest.fixture(scope="module")
def fast() -> Iterator[tuple[Lab, Relay]]:
    subprocess.run(["make", "--no-print-directory", "bench-programs", f"BUILD={BUILD}"],
                   cwd=Path(__file__).resolve().parents[2], check=True,
                   env=os.environ | {"MAKEFLAGS": ""}, stdout=subprocess.DEVNULL)
    with fast_lab(BUILD, modem_count=2) as both:
        yield both


@pytest.fixture
def lab(fast: tuple[Lab, Relay]) -> Lab:
    return fast[0]
