# SPDX-License-Identifier: GPL-2.0-or-later
"""What the demo shows to a person."""

from __future__ import annotations

import json
import os
import sys
import time
from typing import Any

from agents import REQUESTS, configuration
from lab import Lab, McpClient
from lab.gateway import BINARY
from modem import Modem, Submit
from screen import put

TO = "+36201234567"
TEXT = "Hello! An agent sent me through a real oFono."
PROTOCOL_VERSION = "2025-11-25"
ON_REPEATS = (
    "The same text to the same number within a minute is taken for the same call made",
    "again: it is answered, and not sent again. To send it again, change the text or add",
    '"idempotency_key":"any new word" to the arguments.')
COLOURS = {"title": "1", "sent": "36", "answer": "32", "radio": "33", "faint": "2"}


def paint(text: str, colour: str) -> str:
    if not sys.stdout.isatty() or os.environ.get("NO_COLOR"):
        return text
    return f"\033[{COLOURS[colour]}m{text}\033[0m"


def say(text: str = "", colour: str = "") -> None:
    put(paint(text, colour) if colour else text)


def title(text: str) -> None:
    say()
    say(text, "title")


def facts(**values: object) -> None:
    for name, value in values.items():
        say(f"    {name.replace('_', ' '):10} {value}")


def ask(client: McpClient, id: int, method: str, params: Any) -> Any:
    """One request and its answer, both as they are on the wire."""
    request = json.dumps({"jsonrpc": "2.0", "id": id, "method": method, "params": params},
                         separators=(",", ":"), ensure_ascii=False)
    say(f"-> {request}", "sent")
    answer = client.post(request.encode())
    body = json.dumps(answer.body, separators=(",", ":"), ensure_ascii=False)
    say(f"<- HTTP {answer.status} {body}", "answer")
    return answer.result


def show_submit(where: str, submit: Submit) -> None:
    facts(modem=where, PDU=paint(submit.pdu, "radio"),
          to=submit.destination, alphabet=submit.alphabet,
          segment=f"{part.part} of {part.parts}" if (part := submit.concat) else "1 of 1",
          text=submit.text)


class Story:
    requests = REQUESTS

    def name(self, modem: Modem) -> str:
        return f"/{modem.name}, {modem.sim.spn}"

    def starting(self) -> None:
        say("Starting a private D-Bus, ofonod, two emulated modems and the gateway ...")

    def up(self, lab: Lab) -> None:
        facts(folder=lab.folder, bus=lab.bus.address, ofonod=f"process {lab.ofonod.pid}")
        for modem in lab.modems:
            facts(modem=f"/{modem.name} with a SIM of {modem.sim.spn}, "
                        f"ICCID {modem.sim.iccid}")
        facts(gateway=f"process {lab.gateway.pid}, http://127.0.0.1:{lab.gateway.port}/mcp")
        self._show_session(lab)

    def _show_session(self, lab: Lab) -> None:
        modem = lab.modems[0]
        with lab.client() as client:
            title("An agent connects")
            ask(client, 0, "initialize", {
                "protocolVersion": PROTOCOL_VERSION, "capabilities": {},
                "clientInfo": {"name": "demo", "version": "1"}})
            client.headers["MCP-Protocol-Version"] = PROTOCOL_VERSION
            title("Which SIMs are there?")
            sims = ask(client, 1, "tools/call",
                       {"name": "get_sms_subscriptions", "arguments": {}})
            sim_id = sims["structuredContent"]["subscriptions"][0]["subscription_id"]
            title("It sends an SMS from the first")
            ask(client, 2, "tools/call", {"name": "send_sms", "arguments": {
                "to_phone_number": TO, "sms_text": TEXT, "subscription_id": sim_id}})
        title("What the modem was given to send")
        for submit in modem.wait_taken(1):
            show_submit(self.name(modem), submit)

    def how_to_go_on(self, port: int) -> None:
        title("Try it yourself, in another terminal")
        program = os.environ.get("GATEWAY_BINARY", str(BINARY))
        for line in configuration(port, program, self.requests):
            say(line)
        say()
        for line in ON_REPEATS:
            say(f"  {line}")

    def watching(self) -> None:
        title("All is up. What agents send appears here. Ctrl-C ends everything.")

    def sent(self, modem: Modem, submit: Submit) -> None:
        title(f"{time.strftime('%H:%M:%S')} an SMS went out")
        show_submit(self.name(modem), submit)

    def failed(self, code: str, message: str, fix: str) -> None:
        """Reports it on standard error."""

    def ended(self) -> None:
        say("\nEnded; nothing is left.")
