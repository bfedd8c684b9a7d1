# SPDX-License-Identifier: GPL-2.0-or-later
"""The outcome of one AT+CMGS."""

from __future__ import annotations

from dataclasses import dataclass
from enum import Enum


class Fate(Enum):
    TAKEN = "ok"
    REFUSED = "refused"             # a final result code other than OK
    HANGING = "hang"                # no answer until Modem.unhang()
    LINK_DROPPED = "drop_link"      # the connection closes instead of an answer


@dataclass(frozen=True)
class Outcome:
    fate: Fate
    final_result: str = ""

    @classmethod
    def ok(cls) -> Outcome:
        return cls(Fate.TAKEN, "OK")

    @classmethod
    def cms(cls, cause: int) -> Outcome:
        """A 27.005 +CMS ERROR; ofonod retries after 332 only."""
        return cls(Fate.REFUSED, f"+CMS ERROR: {cause}")

    @classmethod
    def cme(cls, cause: int) -> Outcome:
        """A 27.007 +CME ERROR; ofonod retries three times."""
        return cls(Fate.REFUSED, f"+CME ERROR: {cause}")

    @classmethod
    def error(cls) -> Outcome:
        """A plain ERROR; ofonod retries three times."""
        return cls(Fate.REFUSED, "ERROR")

    @classmethod
    def hang(cls) -> Outcome:
        return cls(Fate.HANGING)

    @classmethod
    def drop_link(cls) -> Outcome:
        return cls(Fate.LINK_DROPPED)
