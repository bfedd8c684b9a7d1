# SPDX-License-Identifier: GPL-2.0-or-later
"""What the lab needs of the system is what `make check` installs."""

from __future__ import annotations

import os
from pathlib import Path

from .programs import PACKAGES, find

PACKAGE_LIST = Path(__file__).resolve().parents[1] / "packages" / "list"


def test_every_package_is_one_that_make_check_installs() -> None:
    listed = {line.split()[1].partition("|")[0]
              for line in PACKAGE_LIST.read_text().splitlines() if line and line[0] != "#"}
    assert set(PACKAGES.values()) <= listed
    assert find("dbus-daemon").startswith("/") and os.access(find("ofonod"), os.X_OK)
