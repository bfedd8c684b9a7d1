# SPDX-License-Identifier: GPL-2.0-or-later
"""How long to wait: every timeout is multiplied by LAB_TIMEOUT_SCALE (valgrind: 5)."""

import os


def patience(seconds: float) -> float:
    return seconds * float(os.environ.get("LAB_TIMEOUT_SCALE", "1"))
