# SPDX-License-Identifier: GPL-2.0-or-later
"""What the gateway has on disk, read without changing it."""

from __future__ import annotations

import sqlite3
from contextlib import closing

from lab import Lab, wait_until

INCOMING = 1                                    # message.direction


class Ledger:
    def __init__(self, lab: Lab) -> None:
        self._file = lab.gateway.state / "gateway.db"

    def rows(self, sql: str, *values: object) -> list[sqlite3.Row]:
        with closing(sqlite3.connect(f"file:{self._file}?mode=ro", uri=True)) as database:
            database.row_factory = sqlite3.Row
            return database.execute(sql, values).fetchall()

    @property
    def incoming(self) -> list[sqlite3.Row]:
        return self.rows(f"SELECT * FROM message WHERE direction = {INCOMING}"
                         " ORDER BY id")

    @property
    def texts(self) -> list[str]:
        return [row["text"] for row in self.incoming]

    @property
    def gaps(self) -> list[sqlite3.Row]:
        return self.rows("SELECT * FROM receive_gap ORDER BY id")

    def wait(self, count: int, timeout: float = 10) -> list[sqlite3.Row]:
        wait_until(lambda: len(self.incoming) >= count, timeout, f"{count} messages")
        return self.incoming

    def wait_gap(self, reason: str) -> sqlite3.Row:
        """Waits for a gap that has ended."""
        def find() -> list[sqlite3.Row]:
            return [gap for gap in self.gaps
                    if gap["reason"] == reason and gap["until_at"]]
        return wait_until(find, what=f"a gap: {reason}")[-1]
