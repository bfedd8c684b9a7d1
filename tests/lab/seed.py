# SPDX-License-Identifier: GPL-2.0-or-later
"""Seeds of tests that draw: the same in every run, so that the same commit has the same verdict.

NAME=17 in the environment repeats what a seed of that name drew; RANDOM_SEEDS=yes, for "make
check-all", draws new ones. What is used is printed and so is in the report of a failure.
"""

from __future__ import annotations

import os
import random


def seed(name: str, usual: int = 1) -> int:
    given = os.environ.get(name)
    if given:
        found = int(given)
    elif os.environ.get("RANDOM_SEEDS"):
        found = random.SystemRandom().randrange(1_000_000)
    else:
        found = usual
    print(f"{name}={found}")
    return found
