# SPDX-License-Identifier: GPL-2.0-or-later
"""The one call that a modem has, or none: 27.007, as +CLCC lists it.

ofonod asks for the list again when it is told that something happened.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from .modem import Modem

INCOMING, OUTGOING = 1, 0                       # <dir>
ACTIVE, RINGING = 0, 4                          # <stat>
INTERNATIONAL, NATIONAL = 145, 129              # <type>
VALID, WITHHELD = 0, 1                          # <CLI validity>


class Calls:
    def __init__(self, modem: Modem) -> None:
        self._modem = modem
        self._number = ""
        self._state: int | None = None          # None: there is no call

    def _kind(self) -> int:
        return INTERNATIONAL if self._number.startswith("+") else NATIONAL

    def listing(self) -> list[str]:
        if self._state is None:
            return []
        number = f',"{self._number}",{self._kind()}' if self._number else ""
        return [f"+CLCC: 1,{INCOMING},{self._state},0,0{number}"]

    def ring(self, number: str) -> None:
        """Empty: whoever calls does not show it."""
        self._number, self._state = number, RINGING
        validity = VALID if number else WITHHELD
        self._modem.link.send_unsolicited("RING")
        self._modem.link.send_unsolicited(
            f'+CLIP: "{number}",{self._kind()},,,,{validity}')

    def answer(self) -> bool:
        if self._state is None:
            return False
        self._state = ACTIVE
        return True

    def end(self) -> None:
        """The other end hangs up."""
        self.clear()
        self._modem.link.send_unsolicited("NO CARRIER")

    def clear(self) -> None:
        self._number, self._state = "", None
