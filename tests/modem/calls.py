# SPDX-License-Identifier: GPL-2.0-or-later
"""The one call that a modem has, or none: 27.007, as +CLCC lists it.

ofonod requests the list again when something happened, and twice a second while the call is
dialled or rings.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from .modem import Modem

INCOMING, OUTGOING = 1, 0                       # <dir>
ACTIVE, DIALING, ALERTING, RINGING = 0, 2, 3, 4         # <stat>
INTERNATIONAL, NATIONAL = 145, 129              # <type>
VALID, WITHHELD = 0, 1                          # <CLI validity>


class Calls:
    def __init__(self, modem: Modem) -> None:
        self._modem = modem
        self._number = ""
        self._direction = INCOMING
        self._state: int | None = None          # None: there is no call
        self.dialled: list[str] = []            # the numbers, in order
        self.takes_calls = True                 # otherwise ATD is refused
        self.hangs_up = True  # otherwise it confirms a hangup, but does not hang up
        self.outlive_link = False               # the modem keeps calls without ofonod

    def _kind(self) -> int:
        return INTERNATIONAL if self._number.startswith("+") else NATIONAL

    @property
    def is_up(self) -> bool:
        return self._state is not None

    def listing(self) -> list[str]:
        if self._state is None:
            return []
        number = f',"{self._number}",{self._kind()}' if self._number else ""
        return [f"+CLCC: 1,{self._direction},{self._state},0,0{number}"]

    def ring(self, number: str) -> None:
        """Empty: the caller's number is withheld."""
        self._number, self._direction, self._state = number, INCOMING, RINGING
        validity = VALID if number else WITHHELD
        self._modem.link.send_unsolicited("RING")
        self._modem.link.send_unsolicited(
            f'+CLIP: "{number}",{self._kind()},,,,{validity}')

    def answer(self) -> bool:
        if self._state is None:
            return False
        self._state = ACTIVE
        return True

    def dial(self, number: str) -> bool:
        self.dialled.append(number)
        if self.is_up or not self.takes_calls:
            return False
        self._number, self._direction, self._state = number, OUTGOING, DIALING
        return True

    def go_on(self, state: int) -> None:
        """It rings at the other end, or somebody answers."""
        self._state = state

    def end(self, word: str = "NO CARRIER") -> None:
        """The other end hangs up.

        ofonod takes the word for the answer to its AT+CLCC, if it comes just then, and asks no
        more. While a call comes in it asks twice a second anyway, so it needs no word.
        """
        comes_in = self._state == RINGING and self._direction == INCOMING
        self.clear()
        if not comes_in:
            self._modem.link.send_when_quiet(word)

    def end_here(self) -> None:
        if self.hangs_up:
            self.clear()

    def connection_lost(self) -> None:
        if not self.outlive_link:
            self.clear()

    def clear(self) -> None:
        self._number, self._state = "", None
