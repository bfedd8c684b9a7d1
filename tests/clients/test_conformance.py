# SPDX-License-Identifier: GPL-2.0-or-later
"""MCP's own conformance runner against the gateway, in the versions that package.json pins.

conformance-expected lists what fails, with the reason. A scenario that fails and is not
listed, or is listed and does not fail exactly so, fails here.
"""

from __future__ import annotations

import re

import pytest

from conformance import DOCUMENT, RUNS, Summary, expected, run, run_alone
from lab import Lab
from npm import Npm


@pytest.fixture(scope="module", params=RUNS)
def summary(request: pytest.FixtureRequest, npm: Npm, fixture_lab: Lab,
            tmp_path_factory: pytest.TempPathFactory) -> tuple[str, Summary]:
    url = f"http://127.0.0.1:{fixture_lab.gateway.port}/mcp"
    return request.param, run(npm, tmp_path_factory.mktemp("home"), request.param, url)


@pytest.mark.parametrize("scenario", ["server-sse-polling", "server-sse-multiple-streams"])
def test_streams_of_2025_conform(npm: Npm, fixture_lab: Lab, tmp_path: Path, scenario: str) -> None:
    """The first is in none of the runs."""
    url = f"http://127.0.0.1:{fixture_lab.gateway.port}/mcp"
    told = run_alone(npm, tmp_path, scenario, "2025-11-25", url)
    passed, checks, failed = re.search(r"(\d+)/(\d+), (\d+) failed", told).groups()
    assert passed == checks != "0" and failed == "0", told
    assert scenario in DOCUMENT.read_text()


def test_only_expected_scenarios_fail(summary: tuple[str, Summary]) -> None:
    name, result = summary
    listed = list(expected(name))
    assert result.failed == {one.scenario: one.failed for one in listed}
    assert len(listed) == len(result.failed), "a scenario is listed twice"
    assert all(one.reason for one in listed)


def test_passing_scenarios_made_requests(summary: tuple[str, Summary]) -> None:
    _, result = summary
    for scenario in ("ping" if "ping" in result.passed else "server-stateless",
                     "tools-list", "dns-rebinding-protection"):
        assert result.passed[scenario] > 0


def test_the_document_has_every_verdict(summary: tuple[str, Summary]) -> None:
    """Which scenarios pass and which fail, however many checks each of them has."""
    _, result = summary
    for scenario in {*result.passed, *result.failed}:
        verdict = "✗" if scenario in result.failed else "✓"
        assert f"{verdict} {scenario}:" in DOCUMENT.read_text()
