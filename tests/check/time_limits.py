# SPDX-License-Identifier: GPL-2.0-or-later
"""How long one test may take, and a pytest plugin that sets it.

pytest-timeout prints the stacks of a test that takes longer, counts it as failed and goes on.
Every limit is multiplied by LAB_TIMEOUT_SCALE.
"""

from __future__ import annotations

import os
from collections.abc import Mapping
from typing import TYPE_CHECKING

if TYPE_CHECKING:                       # check.py starts before pytest is installed
    import pytest

TEST_S = 120.0
LONGEST_S = "TEST_SECONDS"              # in the environment: the limit of what has no row below
PATIENCE = "LAB_TIMEOUT_SCALE"
# Files and FILE::TEST that work for longer than that.
LONGER_S = {
    "tests/integration/test_crash_matrix.py": 900.0,
    "tests/integration/test_hub_chaos.py::test_twenty_phones_of_a_hub_lose_and_double_nothing":
        1800.0,                         # "make chaos-fleet"
    "tests/integration/test_long_scans.py": 600.0,
    "tests/integration/test_webhook_crash.py": 600.0,
    "tests/integration/test_worst_case.py": 600.0,
    "tests/packages/test_make_install.py": 600.0,
}


def scaled(seconds: float, environment: Mapping[str, str] = os.environ) -> float:
    return seconds * float(environment.get(PATIENCE, "1"))


def limit_s(test: str, usual_s: float) -> float:
    """`test` is FILE::TEST, perhaps with the parameters of a case."""
    names = test.partition("[")[0], test.partition("::")[0]
    return max([usual_s, *(LONGER_S[name] for name in names if name in LONGER_S)])


def pytest_collection_modifyitems(items: list[pytest.Item]) -> None:
    import pytest

    usual_s = float(os.environ.get(LONGEST_S, TEST_S))
    for item in items:
        if not item.get_closest_marker("timeout"):
            item.add_marker(pytest.mark.timeout(scaled(limit_s(item.nodeid, usual_s)),
                                                method="signal"))
