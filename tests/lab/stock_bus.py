# SPDX-License-Identifier: GPL-2.0-or-later
"""A bus with the policies of the system's own, also those that packages installed."""

from __future__ import annotations

import re
from pathlib import Path

from .bus import Bus

STOCK = Path("/usr/share/dbus-1/system.conf")


class StockBus(Bus):
    """The stock configuration except for its address, and `policy`, which is read as a file
    that the owner adds to the system's bus."""

    policy: Path | None = None

    def __init__(self, folder: Path) -> None:
        super().__init__(folder)
        text = re.sub(r"<listen>.*</listen>", f"<listen>{self.address}</listen>",
                      STOCK.read_text())
        text = text.replace("<includedir>system.d<", f"<includedir>{STOCK.parent}/system.d<")
        if self.policy:
            text = text.replace("</busconfig>", f"<include>{self.policy}</include></busconfig>")
        self._config.write_text(text)


def allowing(policy: Path) -> type[StockBus]:
    return type("StockBusAllowing", (StockBus,), {"policy": policy})
