# SPDX-License-Identifier: GPL-2.0-or-later
"""The daemon as it is installed: a paired client with its token, the log, every check. Only
limits that would refuse the benchmark itself are lifted: sending, repeats, connections."""

from __future__ import annotations

import json
import re
import subprocess
from collections.abc import Sequence
from pathlib import Path
from signal import Signals

from lab import Lab, wait_until
from lab.gateway import Gateway
from server import Server
from wire_request import Requests, ask, call, marked

CONFIG = """[sms]
duplicate_seconds = 0
queue_limit = 2000
[server]
max_connections = 1500
max_connections_per_address = 1500
"""
LISTENERS_PER_CLIENT = 32       # STREAM_CLIENTS_PER_TOKEN of src/mcp/session.h
MEMORY = ("Rss", "Private_Dirty")


class Daemon:
    """`wrapper` precedes the command, such as ["strace", "-c"]."""

    def __init__(self, lab: Lab, name: str, wrapper: Sequence[str] = ()) -> None:
        self._lab = lab
        self.folder = lab.folder / name
        self.folder.mkdir()
        self._gateway = Gateway(self.folder, lab.bus, open=False,
                                wrapper=" ".join(wrapper) or None)
        self._gateway.config = CONFIG
        self.requests = Requests(self._gateway.port, self._pair("bench"))
        self._listeners: list[bytes] = []

    def _pair(self, client: str) -> str:
        """Returns the token."""
        gateway = self._gateway
        gateway.prepare()
        done = subprocess.run(
            [gateway.binary, "pair", client, "--json", "--state-dir", gateway.state,
             "--config", self.folder / "lab.conf"], check=True, capture_output=True)
        return json.loads(done.stdout)["token"]

    def start(self) -> Server:
        self._gateway.start()
        self.requests.handshake()
        wait_until(self._sees_the_cards, what="the daemon sees the cards")
        return self.server

    def launch(self) -> None:
        """Does not wait."""
        self._gateway.launch()

    def stop(self) -> None:
        self._gateway.stop()

    def signal(self, number: Signals) -> None:
        self._gateway.send_signal(number)

    @property
    def server(self) -> Server:
        return Server(self._gateway.port, self._gateway.pid)

    @property
    def command(self) -> list[str]:
        return self._gateway.command

    @property
    def state(self) -> Path:
        return self._gateway.state

    def call(self, name: str, **arguments: object) -> dict[str, object]:
        octets = self.requests.legacy("tools/call", call(name, **arguments))
        return ask(self._gateway.port, octets).result["structuredContent"]

    def listeners(self, count: int) -> list[bytes]:
        """That many listeners to the inbox, with as many clients as that takes."""
        while len(self._listeners) < count:
            token = self._pair(f"listener {len(self._listeners)}")
            listen = Requests(self._gateway.port, token).modern("subscriptions/listen", {
                "notifications": {"resourceSubscriptions": ["sms://inbox"]}})
            self._listeners += [marked(listen)] * LISTENERS_PER_CLIENT
        return self._listeners[:count]

    def sims(self) -> list[int]:
        """Their subscription_ids, in the order of the modems."""
        listed = self.call("get_sms_subscriptions")["subscriptions"]
        return [sim["subscription_id"] for sim in listed]

    def _sees_the_cards(self) -> bool:
        listed = self.call("get_sms_subscriptions")["subscriptions"]
        return [sim["state"] for sim in listed] == ["ready"] * len(self._lab.modems)


def memory_kib(pid: int) -> dict[str, int]:
    text = Path(f"/proc/{pid}/smaps_rollup").read_text()
    return {name: int(re.search(rf"^{name}: +(\d+) kB", text, re.MULTILINE)[1])
            for name in MEMORY}
