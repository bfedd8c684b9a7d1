# SPDX-License-Identifier: GPL-2.0-or-later
"""Settings that make passes on: numbers in the environment, and requests to end."""

from __future__ import annotations

import os
import signal
import sys


def setting(name: str, otherwise: int) -> int:
    text = os.environ.get(name) or str(otherwise)
    if not text.isdigit() or int(text) < 1:
        sys.exit(f"{name} is a whole number above 0, without a unit, not {text}")
    return int(text)


def end_when_told(name: str) -> None:
    """On Ctrl-C, too: stops everything that was started, and prints why in one line."""
    def end(number: int, _: object) -> None:
        for one in (signal.SIGINT, signal.SIGTERM):
            signal.signal(one, signal.SIG_IGN)
        print(f"{name}: ended by {signal.Signals(number).name}, with no account", file=sys.stderr)
        sys.exit(128 + number)
    for one in (signal.SIGINT, signal.SIGTERM):
        signal.signal(one, end)
