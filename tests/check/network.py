# SPDX-License-Identifier: GPL-2.0-or-later
"""What tests fetch from the network: tried again, and otherwise reported as not run.

A network that does not answer is no fault of the code. Such tests are skipped with a reason that
check.py knows: it counts them apart, lists them, and ends with EX_TEMPFAIL if nothing failed.
"""

from __future__ import annotations

import re
import subprocess
import time
from collections.abc import Callable, Iterable, Sequence

NOT_RUN = "not run because of the network"
WAITS_S = (5, 20, 60)                   # before the second try, and so on
# How apt and npm report it.
REPORTS = re.compile(
    r"Failed to fetch|Unable to fetch|Temporary failure resolving|Could not resolve|Could not connect"
    r"|Connection (?:failed|timed out|refused|reset)|Hash Sum mismatch|EAI_AGAIN|ENOTFOUND|ETIMEDOUT"
    r"|ECONNRE(?:SET|FUSED)|ENETUNREACH|EHOSTUNREACH|ERR_SOCKET_TIMEOUT|FETCH_ERROR"
    r"|\bE(?:403|429|5\d\d)\b|network (?:timeout|request|socket)", re.IGNORECASE)


def fetched(command: Sequence[str], before_again: Callable[[], None] = lambda: None,
            waits_s: Iterable[float] = WAITS_S, timeout_s: float | None = None, **options: object
            ) -> subprocess.CompletedProcess[str]:
    """Runs it until the network is not what fails. If it still is, the test is not run.
    `before_again` removes what a failed try left."""
    import pytest

    waits = iter(waits_s)
    while True:
        try:
            ended = subprocess.run(command, stdin=subprocess.DEVNULL, capture_output=True,
                                   text=True, timeout=timeout_s, **options)
            reports = [line for line in (ended.stdout + ended.stderr).splitlines()
                       if REPORTS.search(line)]
            if ended.returncode == 0 or not reports:
                return ended
            told = reports[-1].strip()
        except subprocess.TimeoutExpired:
            told = f"no end after {timeout_s} s"
        wait_s = next(waits, None)
        if wait_s is None:
            pytest.skip(f"{NOT_RUN}: {command[0]}: {told}", allow_module_level=True)
        time.sleep(wait_s)
        before_again()
