# SPDX-License-Identifier: GPL-2.0-or-later
"""Messages that ofonod passes to the modem: offered, then taken, refused or neither."""

from __future__ import annotations

import random
import threading
from collections import deque
from typing import TYPE_CHECKING

from .outcome import Fate, Outcome
from .patience import patience
from .pdu import Submit, decode_submit

if TYPE_CHECKING:
    from .modem import Modem

CMS_INVALID_PDU = 304
CMS_SIM_NOT_INSERTED = 310
CMS_NO_SERVICE_CENTRE = 330
CMS_NO_NETWORK = 331


class Outgoing:
    def __init__(self, modem: Modem) -> None:
        self._modem = modem
        self._plan: deque[Outcome] = deque()
        self._reference = 0
        self._dice = random.Random(1)
        self._hanging: Submit | None = None
        self._changed = threading.Condition()
        self.offered: list[Submit] = []
        self.taken: list[Submit] = []

    def plan(self, outcomes: tuple[Outcome, ...]) -> None:
        self._plan.extend(outcomes)

    def connection_lost(self) -> None:
        self._hanging = None

    def offer(self, pdu: str | None) -> None:
        """A PDU arrived after AT+CMGS; None if the other side gave up with ESC."""
        if pdu is None:
            self._modem.link.send("OK")
            return
        try:
            submit = decode_submit(pdu, self._reference)
        except (ValueError, IndexError, KeyError):
            self._modem.link.send(f"+CMS ERROR: {CMS_INVALID_PDU}")
            return
        self._reference = (self._reference + 1) % 256
        self._note(self.offered, submit)
        self._decide(submit)

    def _decide(self, submit: Submit) -> None:
        session = self._modem.session
        outcome = self._obstacle() or self._next_outcome()
        jitter_s = self._dice.uniform(0, self._modem.send_jitter_s)
        delay_s = self._modem.send_latency_s + jitter_s

        def answer() -> None:
            if self._modem.session is session:
                self._answer(submit, outcome)

        if delay_s > 0:
            self._modem.link.later(delay_s, answer)
        else:
            answer()

    def _obstacle(self) -> Outcome | None:
        if self._modem.sim is None:
            return Outcome.cms(CMS_SIM_NOT_INSERTED)
        if not self._modem.sim.smsc:
            return Outcome.cms(CMS_NO_SERVICE_CENTRE)
        return None if self._modem.is_registered else Outcome.cms(CMS_NO_NETWORK)

    def _next_outcome(self) -> Outcome:
        return self._plan.popleft() if self._plan else self._modem.default_outcome

    def _answer(self, submit: Submit, outcome: Outcome) -> None:
        match outcome.fate:
            case Fate.TAKEN:
                self._note(self.taken, submit)
                self._modem.link.send(f"+CMGS: {submit.message_reference}", "OK")
            case Fate.REFUSED:
                self._modem.link.send(outcome.final_result)
            case Fate.HANGING:
                with self._changed:
                    self._hanging = submit
                    self._changed.notify_all()
            case Fate.LINK_DROPPED:
                self._modem.link.drop()

    def unhang(self, outcome: Outcome) -> None:
        submit, self._hanging = self._hanging, None
        if submit is None:
            raise AssertionError(f"{self._modem.name}: no +CMGS is hanging any more")
        self._answer(submit, outcome)

    # ---- watched from other threads

    def _note(self, submits: list[Submit], submit: Submit) -> None:
        with self._changed:
            submits.append(submit)
            self._changed.notify_all()

    def wait_hanging(self, timeout: float) -> None:
        with self._changed:
            if not self._changed.wait_for(lambda: self._hanging, patience(timeout)):
                raise AssertionError(f"{self._modem.name}: no +CMGS is hanging")

    def wait(self, which: str, count: int, timeout: float) -> list[Submit]:
        """Wait until `which`, "taken" or "offered", holds `count`; returns all of them."""
        submits: list[Submit] = getattr(self, which)
        with self._changed:
            self._changed.wait_for(lambda: len(submits) >= count, patience(timeout))
            if len(submits) < count:
                raise AssertionError(f"{self._modem.name}: {count} {which} wanted, "
                                     f"{len(submits)} there: {submits}")
            return list(submits)
