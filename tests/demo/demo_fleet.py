# SPDX-License-Identifier: GPL-2.0-or-later
"""A whole fleet to try: Mosquitto, a hub, three phones with a real ofonod and two SIMs each.

    python3 tests/demo/demo_fleet.py [--port PORT] [--once]

normally run by "make demo-fleet [PORT=9551]". It shows a message that goes out through the hub,
what happens when the phone that sent it is pulled, and an incoming message. Then it stays until
Ctrl-C, as demo.py does.
"""

from __future__ import annotations

import socket
import sys
from collections.abc import Sequence
from contextlib import ExitStack
from pathlib import Path
from tempfile import TemporaryDirectory

sys.path.insert(0, str(Path(__file__).resolve().parents[1]))    # the packages lab and modem

from agents import REQUESTS
from demo import go_on, ignore_signals, parse, parser, play
from lab import Lab, McpClient, wait_until
from lab.fleet import Fleet, Phone
from modem import Modem, Sim
from story import PROTOCOL_VERSION, TO, Story, ask, facts, say, show_submit, title

DEFAULT_PORT = 9541
NAMES = ("shop-1", "shop-2", "shop-3")
SIMS_EACH = 2


class FleetStory(Story):
    requests = REQUESTS | {"send an SMS": ("tools/call", {"name": "send_sms", "arguments": {
        "to_phone_number": TO, "sms_text": "Hello from curl"}})}

    _fleet: Fleet

    def name(self, modem: Modem) -> str:
        phone = next(phone for phone in self._fleet.phones.values()
                     if modem in phone.lab.modems)
        return f"/{modem.name} of {phone.name}, {modem.sim.spn}"

    def starting(self) -> None:
        say("Starting Mosquitto, the hub, and three phones, each with its own D-Bus, ofonod,")
        say("two emulated modems, gateway and link ...")

    def fleet_up(self, fleet: Fleet, folder: str) -> None:
        self._fleet = fleet
        facts(folder=folder, broker=f"process {fleet.broker.pid}, port {fleet.broker.port}")
        for phone in fleet.phones.values():
            facts(phone=f"{phone.name}, gateway process {phone.lab.gateway.pid}, "
                        f"link process {phone.process.pid}", folder=phone.lab.folder)
        facts(hub=f"process {fleet.hub.pid}, http://127.0.0.1:{fleet.hub.port}/mcp")
        title("Which SIMs does the hub have?")
        for sim in fleet.sims():
            facts(SIM=f"{sim['subscription_id']}, {sim['display_name']}")
        with McpClient(fleet.hub.port) as client:
            client.headers["MCP-Protocol-Version"] = PROTOCOL_VERSION
            self._show_failover(client)

    def _show_failover(self, client: McpClient) -> None:
        title("An agent sends an SMS and names no SIM, so the hub chooses one")
        first, _ = self._send(client, 1, "Hello! The hub chose my SIM.")
        title(f"{first.name} is pulled: its link to the broker is killed")
        first.process.kill()
        self._wait_state(first, "absent")
        title("The next SMS to the same number goes out from another phone")
        second, modem = self._send(client, 2, "Hello again! I come from another phone.")
        title(f"{first.name} is connected again")
        first.start()
        self._wait_state(first, "present")
        title(f"{TO} answers {second.name}, and the agent reads that at the hub")
        modem.deliver(TO, "Thank you, both have arrived.")
        wait_until(lambda: self._fleet.call("list_sms", direction="in")["count"],
                   what="the hub has the message")
        ask(client, 3, "tools/call", {"name": "list_sms", "arguments": {"direction": "in"}})

    def _send(self, client: McpClient, id: int, text: str) -> tuple[Phone, Modem]:
        """Which phone and modem it went out from."""
        sent = ask(client, id, "tools/call", {"name": "send_sms", "arguments": {
            "to_phone_number": TO, "sms_text": text}})["structuredContent"]
        phone, modem, submit = wait_until(lambda: next(
            ((phone, modem, submit) for phone in self._fleet.phones.values()
             for modem in phone.lab.modems for submit in modem.taken if submit.text == text),
            None), what="a modem takes the message")
        facts(SIM=f"{sent['subscription_id']}, of {phone.name}", route=sent["route"])
        show_submit(self.name(modem), submit)
        return phone, modem

    def _wait_state(self, phone: Phone, state: str) -> None:
        wait_until(lambda: state in [row.get("state") for row in self._fleet.run("phones")
                                     if row.get("name") == phone.name],
                   what=f"the hub says that {phone.name} is {state}")
        facts(phone=f"{phone.name} is {state}")


def new_lab(number: int) -> Lab:
    """Not yet entered. Each SIM is another; the gateway has its default settings, so only the
    paired hub may use it."""
    first = number * SIMS_EACH
    lab = Lab(sims=[Sim.numbered(i) for i in range(first, first + SIMS_EACH)], gateway=True,
              gateway_open=False)
    lab.gateway.config = lab.gateway.policy = ""
    return lab


def new_fleet(folder: str, labs: dict[str, Lab], listener: socket.socket) -> Fleet:
    """Not yet started. The hub has its default settings, and accepts clients without a token."""
    fleet = Fleet(Path(folder), labs)
    fleet.hub.port = listener.getsockname()[1]
    fleet.hub.handed = [listener]
    fleet.hub.config, fleet.hub.policy = fleet.broker_config, ""
    return fleet


def run(listener: socket.socket, once: bool, screen: FleetStory) -> None:
    screen.starting()
    with ExitStack() as undo:
        labs = {name: undo.enter_context(new_lab(number)) for number, name in enumerate(NAMES)}
        folder = undo.enter_context(TemporaryDirectory(prefix="ofono-lab-"))
        fleet = new_fleet(folder, labs, listener)
        undo.callback(fleet.stop)
        fleet.start()
        listener.close()                        # only the hub has it now
        undo.callback(ignore_signals)
        wait_until(lambda: len(fleet.sims()) == SIMS_EACH * len(NAMES), timeout=30,
                   what="the hub has the SIMs of all phones")
        screen.fleet_up(fleet, folder)
        programs = {"the hub": fleet.hub, "the broker": fleet.broker}
        for name, lab in labs.items():
            programs |= {f"the gateway of {name}": lab.gateway, f"ofonod of {name}": lab.ofonod}
        go_on([modem for lab in labs.values() for modem in lab.modems], programs,
              fleet.hub.port, once, screen)


def main(arguments: Sequence[str]) -> int:
    options = parser("demo_fleet.py", __doc__.splitlines()[0], DEFAULT_PORT,
                     "make demo-fleet PORT=")
    return play(parse(options, arguments), FleetStory(), run)


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
