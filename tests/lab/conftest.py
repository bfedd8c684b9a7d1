# SPDX-License-Identifier: GPL-2.0-or-later
from __future__ import annotations

import pytest

from .expected import expect


def pytest_collection_modifyitems(items: list[pytest.Item]) -> None:
    expect(items)
