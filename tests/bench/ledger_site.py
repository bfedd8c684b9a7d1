# SPDX-License-Identifier: GPL-2.0-or-later
"""One of the gateways that are compared: the daemon, its message store, and what /proc says."""

from __future__ import annotations

import os
import re
import signal
import socket
import sqlite3
import subprocess
import time
from collections.abc import Iterator
from pathlib import Path
from typing import Any

from client import Client, tool
from lab import Lab, wait_until
from lab.gateway import Gateway

MEMORY = ("Rss", "Pss", "Private_Clean", "Private_Dirty")


class Contender:
    """`messages`: how many its store has before anything is measured."""

    def __init__(self, lab: Lab, messages: int, ledger: Path) -> None:
        self.lab = lab
        self.messages = messages
        self._folder = lab.folder / f"ledger-{messages}"
        self._folder.mkdir()
        self._ledger = ledger
        self._gateway = Gateway(self._folder, lab.bus)
        self.client: Client
        self.oldest_place = ""          # a cursor from before the first message
        self.sim = 0

    def open(self) -> None:
        """The daemon creates its store, the store is filled, the daemon starts again."""
        self._start()
        self.oldest_place = self.client.ask(tool("list_sms"))["wait_cursor"]
        self.stop()
        subprocess.run([self._ledger, self._gateway.state, str(self.messages)], check=True)
        self._start()
        subscriptions = self.client.ask(tool("get_sms_subscriptions"))["subscriptions"]
        self.sim = subscriptions[0]["subscription_id"]

    def connect(self) -> Client:
        return Client(self._gateway.port)

    def stop(self) -> None:
        self._gateway.stop()

    def _start(self) -> None:
        self._gateway.start()
        self.client = self.connect()
        wait_until(self._sees_the_cards, what="the gateway sees the cards")

    def _sees_the_cards(self) -> bool:
        sims = self.client.ask(tool("get_sms_subscriptions"))["subscriptions"]
        return [sim["state"] for sim in sims] == ["ready"] * len(self.lab.modems)

    # ---- what stands in the ledger

    def pages(self, name: str, **filters: Any) -> Iterator[dict[str, Any]]:
        """All pages of a listing tool."""
        page = self.client.ask(tool(name, **filters))
        yield page
        while place := page.get("next_cursor"):
            page = self.client.ask(tool(name, cursor=place, **filters))
            yield page

    # ---- what it costs; start_ns() and check_ns() while it is stopped

    def memory_kib(self) -> dict[str, int]:
        text = Path(f"/proc/{self._gateway.pid}/smaps_rollup").read_text()
        return {name: int(re.search(rf"^{name}: +(\d+) kB", text, re.MULTILINE)[1])
                for name in MEMORY}

    def disk_octets(self) -> int:
        return sum(file.stat().st_size for file in self._gateway.state.iterdir()
                   if file.name.startswith("gateway.db"))

    def check_ns(self) -> int:
        """PRAGMA quick_check, as the daemon runs it at its start."""
        database = sqlite3.connect(self._gateway.state / "gateway.db")
        began = time.perf_counter_ns()
        verdict = database.execute("PRAGMA quick_check(1)").fetchone()
        ended = time.perf_counter_ns()
        database.close()
        assert verdict == ("ok",), verdict
        return ended - began

    def start_ns(self) -> int:
        """From fork to READY=1; then it is stopped again."""
        with socket.socket(socket.AF_UNIX, socket.SOCK_DGRAM) as notices:
            path = self._folder / "notices"
            path.unlink(missing_ok=True)
            notices.bind(str(path))
            notices.settimeout(60)
            environment = os.environ | self.lab.bus.environment | {"NOTIFY_SOCKET": str(path)}
            began = time.perf_counter_ns()
            with subprocess.Popen(self._gateway.command, env=environment,
                                  stderr=subprocess.DEVNULL) as daemon:
                try:
                    while b"READY=1" not in notices.recv(4096):
                        pass
                    return time.perf_counter_ns() - began
                finally:
                    daemon.send_signal(signal.SIGTERM)
