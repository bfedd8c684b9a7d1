# SPDX-License-Identifier: GPL-2.0-or-later
"""Seeds of tests that draw: the same in every run, so that the same commit has the same verdict.

NAME=17 in the environment repeats what a seed of that name drew; tests/check/check.py draws new ones
for "make check-all". What is used is printed and so is in the report of a failure.
"""

from __future__ import annotations

import os


def seed(name: str, usual: int = 1) -> int:
    found = int(os.environ.get(name) or usual)
    print(f"{name}={found}")
    return found
