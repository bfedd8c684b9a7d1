# SPDX-License-Identifier: GPL-2.0-or-later
"""What the gateway has on disk, read without touching it."""

from __future__ import annotations

import sqlite3
from contextlib import closing
from dataclasses import dataclass
from pathlib import Path

from lab import Lab, wait_until
from lab.radio import connection

STATES = ("", "queued", "handing", "handed", "held",
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
        self.file: Path = lab.gateway.state / "gateway.db"

    def messages(self) -> list[Stored]:
        """In order of their numbers."""
        with closing(sqlite3.connect(f"file:{self.file}?mode=ro", uri=True)) as database:
            rows = database.execute(
                "SELECT id, number, text, repeats, state FROM message ORDER BY id")
            return [Stored(*row[:4], STATES[row[4]]) for row in rows]

    def states(self, *texts: str) -> list[str]:
        """Of the messages with these texts; "" where there is none."""
        found = {message.text: message.state for message in self.messages()}
        return [found.get(text, "") for text in texts]

    def gaps(self) -> list[tuple[int, int]]:
        """From and until, in ms of the wall clock; 0 while it goes on."""
        with closing(sqlite3.connect(f"file:{self.file}?mode=ro", uri=True)) as database:
            return database.execute("SELECT from_at, until_at FROM gap").fetchall()

    def wait_state(self, text: str, *states: str, timeout: float = 10) -> None:
        wait_until(lambda: self.states(text)[0] in states, timeout,
                   f"{text!r} is one of {states}")

    def wait_finished(self, timeout: float = 10) -> None:
        wait_until(lambda: all(message.state in FINAL for message in self.messages()),
                   timeout, "every message has an outcome")


def wait_call_left(lab: Lab, text: str) -> None:
    """Until the SendMessage of this text is on its way to an ofonod that is stopped.

    The row says so before the call leaves; after that the loop of the gateway has to go
    round once, and that of the bus.
    """
    Journal(lab).wait_state(text, "handing")
    with lab.client() as client:
        client.call("ping")
    with connection(lab.bus.address):
        pass
