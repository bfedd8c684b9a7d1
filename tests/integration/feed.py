# SPDX-License-Identifier: GPL-2.0-or-later
"""The feed of a message store, compared with the rows that it is about."""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Iterator
from itertools import groupby
from typing import Any

from ledger import Ledger
from mcp_events import EventClient

RECEIVED, STATUS = 1, 2
OUTGOING, INCOMING = 0, 1
QUEUED, SUBMITTING = 1, 2


def complaints(ledger: Ledger) -> Iterator[str]:
    """Entries that are missing, there twice, or in another order than what they are about."""
    entries = ledger.rows("SELECT id, type, subject_id, state, previous_state FROM feed"
                          " WHERE type IN (1, 2) ORDER BY id")
    received = [row["subject_id"] for row in entries if row["type"] == RECEIVED]
    stored = [row["id"] for row in ledger.rows(
        "SELECT id FROM message WHERE direction = 1 ORDER BY id")]
    if received != stored:
        yield f"received: the feed has {received}, the store {stored}"
    states: dict[int, list[int]] = defaultdict(list)
    for row in entries:
        if row["type"] == STATUS and row["state"] != row["previous_state"]:
            if row["previous_state"] != (states[row["subject_id"]] or [0])[-1]:
                yield f"message {row['subject_id']}: the feed has a hole at {row['id']}"
            states[row["subject_id"]].append(row["state"])
    history: dict[int, list[int]] = defaultdict(list)
    for row in ledger.rows("SELECT message_id, state FROM message_change ORDER BY id"):
        history[row["message_id"]].append(row["state"])
    for message_id, changes in history.items():
        expected = [state for state, _ in groupby(changes)]
        if states[message_id] not in (expected, expected[1:] if expected[:2] == [
                QUEUED, SUBMITTING] else expected):
            yield f"message {message_id}: {states[message_id]}, not {expected}"
    for message_id in states.keys() - history.keys():
        yield f"message {message_id} has entries and no history"


class Follower:
    """Polls everything about messages with cursors, over restarts of the gateway."""

    TYPES = {"sms.received": RECEIVED, "sms.status_changed": STATUS}

    def __init__(self, client: EventClient) -> None:
        self._client = client
        self._cursors = {name: client.now(name) for name in self.TYPES}
        self.seen: dict[str, list[int]] = {name: [] for name in self.TYPES}
        self.truncated = False

    def poll(self) -> None:
        for name in self.TYPES:
            more = True
            while more:
                page: dict[str, Any] = self._client.poll(name, self._cursors[name])
                self._cursors[name], more = page["cursor"], page["hasMore"]
                self.truncated |= page["truncated"]
                self.seen[name] += [int(event["eventId"].split(".")[1])
                                    for event in page["events"]]

    def complaints(self, ledger: Ledger) -> Iterator[str]:
        if self.truncated:
            yield "a cursor was truncated"
        for name, type in self.TYPES.items():
            stored = [row["id"] for row in ledger.rows(
                "SELECT id FROM feed WHERE type = ? ORDER BY id", type)]
            if self.seen[name] != stored:
                yield f"{name}: polled {self.seen[name]}, not {stored}"
