#!/usr/bin/python3
# SPDX-License-Identifier: GPL-2.0-or-later
"""A whole gateway to try: private bus, real ofonod, two emulated modems with two SIMs.

    tests/demo/demo.py [--port PORT] [--once]       normally: make demo [PORT=9541]

Sends one SMS through it, then stays until Ctrl-C and shows what agents send.  Everything
that it starts and writes ends with it.  DEMO_ONCE=1 is --once: it ends after showing.
"""

from __future__ import annotations

import argparse
import ctypes
import json
import os
import signal
import socket
import sys
import time
from collections.abc import Sequence
from pathlib import Path
from typing import Any

sys.path.insert(0, str(Path(__file__).resolve().parents[1]))    # the packages lab and modem

from agents import configuration
from lab import Lab, McpClient
from modem import Modem, Submit

DEFAULT_PORT = 9531
TO = "+36201234567"
TEXT = "Hello! An agent sent me through a real oFono."
PROTOCOL_VERSION = "2025-11-25"
POLL_S = 0.2
PR_SET_PDEATHSIG = 1
ENDING = (signal.SIGINT, signal.SIGTERM, signal.SIGHUP)
ON_REPEATS = (
    "The same text to the same number within a minute is taken for the same call made",
    "again: it is answered, and not sent again. To send it again, change the text or add",
    '"idempotency_key":"any new word" to the arguments.')
COLOURS = {"title": "1", "sent": "36", "answer": "32", "radio": "33", "faint": "2"}


class Stopped(BaseException):
    """Ctrl-C, SIGTERM, or the terminal is gone."""


def ignore_signals() -> None:
    for number in ENDING:
        signal.signal(number, signal.SIG_IGN)


def stop(*_: object) -> None:
    """Only once: what follows is clearing up, and that is not to be cut short."""
    ignore_signals()
    raise Stopped


def end_when_asked() -> None:
    """By signal, and when our parent (make) is killed."""
    for number in ENDING:
        if signal.getsignal(number) is not signal.SIG_IGN:      # nohup stays nohup
            signal.signal(number, stop)
    ctypes.CDLL(None).prctl(PR_SET_PDEATHSIG, signal.SIGTERM)


# ---- the screen

def paint(text: str, colour: str) -> str:
    if not sys.stdout.isatty() or "NO_COLOR" in os.environ:
        return text
    return f"\033[{COLOURS[colour]}m{text}\033[0m"


def say(text: str = "", colour: str = "") -> None:
    try:
        print(paint(text, colour) if colour else text, flush=True)
    except OSError:
        stop()


def title(text: str) -> None:
    say()
    say(text, "title")


def facts(**values: object) -> None:
    for name, value in values.items():
        say(f"    {name.replace('_', ' '):10} {value}")


# ---- what is shown

def show_world(lab: Lab) -> None:
    facts(folder=lab.folder, bus=lab.bus.address, ofonod=f"process {lab.ofonod.pid}")
    for modem in lab.modems:
        facts(modem=f"/{modem.name} with a SIM of {modem.sim.spn}, ICCID {modem.sim.iccid}")
    facts(gateway=f"process {lab.gateway.pid}, http://127.0.0.1:{lab.gateway.port}/mcp")


def ask(client: McpClient, id: int, method: str, params: Any) -> Any:
    """One request and its answer, both as they are on the wire."""
    request = json.dumps({"jsonrpc": "2.0", "id": id, "method": method, "params": params},
                         separators=(",", ":"), ensure_ascii=False)
    say(f"-> {request}", "sent")
    answer = client.post(request.encode())
    body = json.dumps(answer.body, separators=(",", ":"), ensure_ascii=False)
    say(f"<- HTTP {answer.status} {body}", "answer")
    return answer.result


def show_submit(modem: Modem, submit: Submit) -> None:
    facts(modem=f"/{modem.name}, {modem.sim.spn}", PDU=paint(submit.pdu, "radio"),
          to=submit.destination, alphabet=submit.alphabet,
          segment=f"{part.part} of {part.parts}" if (part := submit.concat) else "1 of 1",
          text=submit.text)


def show_session(lab: Lab) -> None:
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
        show_submit(modem, submit)


def show_how_to_go_on(port: int) -> None:
    title("Try it yourself, in another terminal")
    for line in configuration(port):
        say(line)
    say()
    for line in ON_REPEATS:
        say(f"  {line}")


def watch(lab: Lab, shown: dict[str, int]) -> None:
    """Show what the modems take; `shown` counts what each took before."""
    while lab.gateway.is_running and lab.ofonod.is_running:
        for modem in lab.modems:
            for submit in modem.taken[shown[modem.name]:]:
                title(f"{time.strftime('%H:%M:%S')} an SMS went out")
                show_submit(modem, submit)
                shown[modem.name] += 1
        time.sleep(POLL_S)
    name, log = ("ofonod", lab.ofonod.log) if lab.gateway.is_running \
        else ("the gateway", lab.gateway.log)
    raise SystemExit(f"{name} ended:\n{log[-2000:]}")


# ---- life

def is_taken(port: int) -> bool:
    with socket.socket() as probe:
        probe.setsockopt(socket.SOL_SOCKET, socket.SO_REUSEADDR, 1)
        try:
            probe.bind(("127.0.0.1", port))
        except OSError:
            return True
    return False


def another_port(port: int) -> int:
    """To propose; the search ends, if need be, with whatever the kernel gives."""
    near = range(port + 10, min(port + 1000, 65535), 10)
    return next((other for other in near if not is_taken(other)), DEFAULT_PORT)


def new_lab(port: int) -> Lab:
    """Not yet entered.  The gateway is as it comes."""
    lab = Lab(modem_count=2, gateway=True)
    lab.gateway.port = port
    lab.gateway.config = lab.gateway.policy = ""
    return lab


def run(port: int, once: bool) -> None:
    say("Starting a private D-Bus, ofonod, two emulated modems and the gateway ...")
    with new_lab(port) as lab:
        try:
            show_world(lab)
            show_session(lab)
            shown = {modem.name: len(modem.taken) for modem in lab.modems}
            show_how_to_go_on(port)
            if not once:
                title("All is up. What agents send appears here. Ctrl-C ends everything.")
                watch(lab, shown)
        finally:
            ignore_signals()


def parse(arguments: Sequence[str]) -> argparse.Namespace:
    parser = argparse.ArgumentParser(prog="demo.py", description=__doc__.splitlines()[0])
    parser.add_argument("--port", type=int, default=DEFAULT_PORT)
    parser.add_argument("--once", action="store_true",
                        default=os.environ.get("DEMO_ONCE", "") not in ("", "0"))
    options = parser.parse_args(arguments)
    if not 1 <= options.port <= 65535:
        parser.error(f"a port is between 1 and 65535, not {options.port}")
    return options


def refuse_taken(port: int) -> None:
    if is_taken(port):
        sys.exit(f"Port {port} is taken (another demo?). Choose another: "
                 f"make demo PORT={another_port(port)}")


def main(arguments: Sequence[str]) -> int:
    options = parse(arguments)
    refuse_taken(options.port)
    end_when_asked()
    try:
        run(options.port, options.once)
    except Stopped:
        pass
    except AssertionError as error:             # the lab says so when something did not start
        if "in use" in str(error):
            refuse_taken(options.port)
        sys.exit(f"The demo failed: {error}")
    try:
        print("\nEnded; nothing is left.", flush=True)
    except OSError:                             # the terminal is gone
        os.dup2(os.open(os.devnull, os.O_WRONLY), sys.stdout.fileno())
    return 0


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
