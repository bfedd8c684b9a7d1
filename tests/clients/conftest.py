# SPDX-License-Identifier: GPL-2.0-or-later
"""Fixtures: a phone with two SIMs that real clients use, and the Node.js they run on."""

from __future__ import annotations

import sys
from collections.abc import Iterator
from pathlib import Path

import pytest

TESTS = Path(__file__).resolve().parents[1]
sys.path[:0] = [str(TESTS), str(TESTS / "integration"), str(TESTS / "check")]

from agent import Agent
from fixture_gateway import FIXTURES
from lab import Lab
from npm import Npm


@pytest.fixture(scope="session")
def npm() -> Npm:
    return Npm.installed()


@pytest.fixture(scope="module")
def lab() -> Iterator[Lab]:
    with Lab(gateway=True) as lab:
        Agent(lab).wait_states("ready", "ready", timeout=20)
        yield lab


@pytest.fixture(scope="module")
def fixture_lab() -> Iterator[Lab]:
    """With the gateway that also has the tools that the conformance runner needs."""
    lab = Lab(gateway=True)
    lab.gateway.binary = FIXTURES
    with lab:
        Agent(lab).wait_states("ready", "ready", timeout=20)
        yield lab


@pytest.fixture
def url(lab: Lab) -> str:
    return f"http://127.0.0.1:{lab.gateway.port}/mcp"
