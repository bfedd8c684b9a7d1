# SPDX-License-Identifier: GPL-2.0-or-later
"""A whole gateway to try: private bus, real ofonod, two emulated modems with two SIMs.

    python3 tests/demo/demo.py [--port PORT] [--once] [--json]

normally run by "make demo [PORT=9541]" or, where it is installed, "ofono-mcp demo".

Sends one SMS through it, then stays until Ctrl-C and shows what agents send.  Everything
that it starts and writes ends with it.  DEMO_ONCE=1 is --once: it ends after showing.
"""

from __future__ import annotations

import argparse
import ctypes
import os
import signal
import socket
import sys
import time
from collections.abc import Sequence
from pathlib import Path

sys.path.insert(0, str(Path(__file__).resolve().parents[1]))    # the packages lab and modem

from events import Events
from lab import Lab
from screen import Gone
from story import Story

DEFAULT_PORT = 9531
POLL_S = 0.2
PR_SET_PDEATHSIG = 1
ENDING = (signal.SIGINT, signal.SIGTERM, signal.SIGHUP)


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


# ---- the port

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


def refuse_taken(port: int, again: str) -> None:
    if is_taken(port):
        sys.exit(f"Port {port} is taken (another demo?). Choose another: "
                 f"{again}{another_port(port)}")


# ---- life

def watch(lab: Lab, shown: dict[str, int], screen: Story | Events) -> None:
    """Show what the modems take; `shown` counts what each took before."""
    while lab.gateway.is_running and lab.ofonod.is_running:
        for modem in lab.modems:
            for submit in modem.taken[shown[modem.name]:]:
                screen.sent(modem, submit)
                shown[modem.name] += 1
        time.sleep(POLL_S)
    name, log = ("ofonod", lab.ofonod.log) if lab.gateway.is_running \
        else ("the gateway", lab.gateway.log)
    raise SystemExit(f"{name} ended:\n{log[-2000:]}")


def new_lab(port: int) -> Lab:
    """Not yet entered.  The gateway is as it comes."""
    lab = Lab(modem_count=2, gateway=True)
    lab.gateway.port = port
    lab.gateway.config = lab.gateway.policy = ""
    return lab


def run(port: int, once: bool, screen: Story | Events) -> None:
    screen.starting()
    with new_lab(port) as lab:
        try:
            screen.up(lab)
            shown = {modem.name: len(modem.taken) for modem in lab.modems}
            screen.how_to_go_on(port)
            if not once:
                screen.watching()
                watch(lab, shown, screen)
        finally:
            ignore_signals()


def parse(arguments: Sequence[str]) -> argparse.Namespace:
    parser = argparse.ArgumentParser(prog="demo.py", description=__doc__.splitlines()[0])
    parser.add_argument("--port", type=int, default=DEFAULT_PORT)
    parser.add_argument("--once", action="store_true",
                        default=os.environ.get("DEMO_ONCE", "") not in ("", "0"))
    parser.add_argument("--json", action="store_true", help="tell a program")
    parser.add_argument("--again", default="make demo PORT=",
                        help="how it is run with another port, which follows")
    options = parser.parse_args(arguments)
    if not 1 <= options.port <= 65535:
        parser.error(f"a port is between 1 and 65535, not {options.port}")
    return options


def main(arguments: Sequence[str]) -> int:
    options = parse(arguments)
    refuse_taken(options.port, options.again)
    end_when_asked()
    screen = Events() if options.json else Story()
    try:
        run(options.port, options.once, screen)
    except (Stopped, Gone):
        pass
    except AssertionError as error:             # the lab says so when something did not start
        if "in use" in str(error):
            refuse_taken(options.port, options.again)
        sys.exit(f"The demo failed: {error}")
    try:
        screen.ended()
    except Gone:
        os.dup2(os.open(os.devnull, os.O_WRONLY), sys.stdout.fileno())
    return 0


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
