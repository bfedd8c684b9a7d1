# SPDX-License-Identifier: GPL-2.0-or-later
"""Wait for a condition, with a message that names it."""

from __future__ import annotations

import time
from collections.abc import Callable
from typing import TypeVar

from modem.patience import patience

T = TypeVar("T")
POLL_S = 0.005


def wait_until(predicate: Callable[[], T], timeout: float = 10, what: str = "") -> T:
    """The first true value of `predicate`; AssertionError after `timeout` (scaled)."""
    deadline = time.monotonic() + patience(timeout)
    while not (value := predicate()):
        if time.monotonic() > deadline:
            raise AssertionError(f"not within {patience(timeout):g} s: "
                                 f"{what or predicate.__name__} (last: {value!r})")
        time.sleep(POLL_S)
    return value
