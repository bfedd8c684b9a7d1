# SPDX-License-Identifier: GPL-2.0-or-later
"""Messages and delivery reports on their way to ofonod.

The service centre keeps them until the modem can be reached, sends one at a time, and the next
when +CNMA has acknowledged the one before (27.005, phase 2+). A message that was not
acknowledged when the link broke is sent again.
"""

from __future__ import annotations

import time
from collections import deque
from dataclasses import dataclass
from typing import TYPE_CHECKING

from .pdu import with_service_centre

if TYPE_CHECKING:
    from .modem import Modem


@dataclass(frozen=True)
class Delivery:
    how: str                # "cmt" or "cmti": SMS-DELIVER; "cds": SMS-STATUS-REPORT
    tpdu: bytes


class Incoming:
    def __init__(self, modem: Modem) -> None:
        self._modem = modem
        self._waiting: deque[Delivery] = deque()
        self._unacknowledged = False
        self.taken: list[tuple[Delivery, float]] = []   # acknowledged, and when: ms, UTC

    @property
    def is_empty(self) -> bool:
        return not self._waiting

    def add(self, delivery: Delivery) -> None:
        self._waiting.append(delivery)
        self.flush()

    def forget(self) -> None:
        """The service centre gives up what ofonod has not acknowledged."""
        self._waiting.clear()
        self._unacknowledged = False

    def connection_lost(self) -> None:
        self._unacknowledged = False

    def acknowledged(self) -> None:
        if self._unacknowledged:
            self.taken.append((self._waiting.popleft(), time.time() * 1000))
            self._unacknowledged = False

    def flush(self) -> None:
        """Send what can be sent now."""
        while self._waiting and not self._unacknowledged and self._modem.is_reachable:
            delivery = self._waiting[0]
            if delivery.how == "cmti":
                self._waiting.popleft()
                index = self._modem.sim.store(delivery.tpdu)
                self._modem.link.send_unsolicited(f'+CMTI: "SM",{index}')
            else:
                self._unacknowledged = True
                self._modem.link.send_unsolicited(self._direct(delivery))

    def _direct(self, delivery: Delivery) -> str:
        """+CMT has a name field before the length, +CDS has not."""
        name = "," if delivery.how == "cmt" else ""
        pdu = with_service_centre(delivery.tpdu, self._modem.sim.smsc)
        return f"+{delivery.how.upper()}: {name}{len(delivery.tpdu)}\r\n{pdu}"
