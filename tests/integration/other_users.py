# SPDX-License-Identifier: GPL-2.0-or-later
"""For tests that need a second user.

Root has others. The user namespace of an ordinary user (tests/as-root) has them too if
newuidmap is installed and /etc/subuid grants some; otherwise it has root alone.
"""

from __future__ import annotations

from pathlib import Path

import pytest

WHY = ("a second user takes part: apt-get install uidmap, with a line for you in /etc/subuid "
       "and in /etc/subgid; or run it as root")


def has_other_users() -> bool:
    """The ranges of the namespace cover more than one user."""
    rows = [line.split() for line in Path("/proc/self/uid_map").read_text().splitlines()]
    return sum(int(count) for _, _, count in rows) > 1


with_other_users = pytest.mark.skipif(not has_other_users(), reason=WHY)
