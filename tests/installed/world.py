# SPDX-License-Identifier: GPL-2.0-or-later
"""Modems for the ofonod of an installed machine, and an agent of its gateway.

    python3 world.py

A line on standard input is a JSON array, what to do and its arguments; each has one line of
JSON as its answer:

    ["power"]                       modems are powered and registered
    ["deliver", SENDER, TEXT]       an incoming message of the first modem
    ["taken"]                       the texts that the first modem was given to send
    ["call", TOKEN, TOOL, {...}]    the result of a tool
"""

from __future__ import annotations

import json
import socket
import sys
from pathlib import Path
from typing import Any

sys.path.insert(0, str(Path(__file__).resolve().parents[1]))    # the packages lab and modem

from lab import McpClient, wait_until
from lab.radio import Radio
from modem import Modem, Sim

BUS = "unix:path=/run/dbus/system_bus_socket"
PORT = 9531
FIRST_PORT = 12345


class World:
    def __init__(self, modems: list[Modem]) -> None:
        self._modems = modems

    def power(self) -> None:
        wait_until(lambda: Radio.list_paths(BUS), timeout=30, what="ofonod has modems")
        for modem in self._modems:
            Radio(BUS, f"/{modem.name}").bring_up()

    def deliver(self, sender: str, text: str) -> None:
        self._modems[0].deliver(sender, text)

    def taken(self) -> list[str]:
        return [submit.text for submit in self._modems[0].taken]

    def listens(self) -> bool:
        with socket.socket() as probe:
            return probe.connect_ex(("127.0.0.1", PORT)) == 0

    def call(self, token: str, tool: str, arguments: dict[str, Any]) -> Any:
        wait_until(self.listens, timeout=30, what="the gateway listens")
        with McpClient(PORT) as client:
            client.headers["Authorization"] = f"Bearer {token}"
            return client.tool(tool, **arguments)


def main() -> None:
    cards = [Sim.numbered(0, contacts=[("Anna", "+36201234567")]), Sim.numbered(1)]
    modems = [Modem(f"sim{i}", card, port=FIRST_PORT + i) for i, card in enumerate(cards)]
    for modem in modems:
        modem.start()
    world = World(modems)
    for line in sys.stdin:
        what, *arguments = json.loads(line)
        print(json.dumps(getattr(world, what)(*arguments)), flush=True)


if __name__ == "__main__":
    main()
