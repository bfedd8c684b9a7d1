# SPDX-License-Identifier: GPL-2.0-or-later
"""A row that does not end is ended: its lines so far stay, and another line says so."""

from __future__ import annotations

import os
import signal
import sys
import traceback
from collections.abc import Iterator

from table import Line

ROW_SECONDS = 300


class RowIsLate(BaseException):
    """Passes through code that waits and only expects errors."""


def row_seconds() -> int:
    text = os.environ.get("BENCH_ROW_SECONDS", str(ROW_SECONDS))
    if not text.isdecimal() or int(text) < 1:
        sys.exit(f"BENCH_ROW_SECONDS: a whole number of seconds, not {text}")
    return int(text)


def _is_late(*_: object) -> None:
    raise RowIsLate


def place(error: BaseException) -> str:
    """In the bench: what the row waited for."""
    own = [frame for frame in traceback.extract_tb(error.__traceback__)
           if os.path.dirname(frame.filename) == os.path.dirname(__file__)
           and frame.filename != __file__ or frame.name == "within"]
    return f"{os.path.basename(own[-1].filename)}:{own[-1].lineno} {own[-1].name}"


def within(seconds: int, row: int, lines: Iterator[Line]) -> Iterator[Line]:
    """The row ends its daemons and labs itself while the exception passes through it."""
    before = signal.signal(signal.SIGALRM, _is_late)
    signal.alarm(seconds)
    try:
        for line in lines:
            left = signal.alarm(0)      # this is the row's time, not the reader's
            yield line
            signal.alarm(max(left, 1))
    except RowIsLate as late:
        yield Line(row, f"not done after {seconds} s, at {place(late)}", "-")
    except Exception as error:
        signal.alarm(0)
        text = " ".join(str(error).split())[:200]
        yield Line(row, f"broke off at {place(error)}: {type(error).__name__} {text}", "-")
    finally:
        signal.alarm(0)
        signal.signal(signal.SIGALRM, before)
