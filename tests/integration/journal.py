# SPDX-License-Identifier: GPL-2.0-or-later
"""The messages in the store and their states."""

from __future__ import annotations

from dataclasses import dataclass

from lab import Lab, wait_until
from lab.radio import connection
from ledger import Ledger

STATES = ("", "queued", "submitting", "submitted", "held",
          "sent", "failed", "cancelled", "unknown",
          "received", "scheduled", "waiting_approval", "delivered", "expired")
FINAL = {"sent", "failed", "cancelled", "unknown", "received", "delivered", "expired"}


@dataclass(frozen=True)
class Stored:
    id: int
    number: str
    text: str
    repeats: int
    state: str


class Journal:
    def __init__(self, lab: Lab) -> None:
        self.ledger = Ledger(lab)

    def messages(self, *texts: str) -> list[Stored]:
        """Ordered by message ID; with `texts`, only those."""
        among = f"WHERE text IN ({', '.join('?' * len(texts))})" if texts else ""
        rows = self.ledger.rows(
            f"SELECT id, phone_number, text, repeats, state FROM message {among} ORDER BY id",
            *texts)
        return [Stored(*row[:4], STATES[row["state"]]) for row in rows]

    def states(self, *texts: str) -> list[str]:
        """The states of the messages with these texts; "" for a message that does not exist."""
        found = {message.text: message.state for message in self.messages(*texts)}
        return [found.get(text, "") for text in texts]

    def wait_state(self, text: str, *states: str, timeout: float = 10) -> None:
        wait_until(lambda: self.states(text)[0] in states, timeout,
                   f"{text!r} is one of {states}")

    def wait_finished(self, timeout: float = 10) -> None:
        wait_until(lambda: all(message.state in FINAL for message in self.messages()),
                   timeout, "every message has an outcome")


def wait_call_left(lab: Lab, text: str) -> None:
    """Waits until the SendMessage call for this text is on its way to a stopped ofonod.

    The row says so before the call leaves; then the gateway's loop must turn once, and the
    bus's too.
    """
    Journal(lab).wait_state(text, "submitting")
    with lab.client() as client:
        client.call("ping")
    with connection(lab.bus.address):
        pass
