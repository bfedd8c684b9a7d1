# SPDX-License-Identifier: GPL-2.0-or-later
"""Numbers from the environment, as make hands them on."""

from __future__ import annotations

import os
import sys


def setting(name: str, otherwise: int) -> int:
    text = os.environ.get(name) or str(otherwise)
    if not text.isdigit() or int(text) < 1:
        sys.exit(f"{name} is a number above 0, not {text}")
    return int(text)
