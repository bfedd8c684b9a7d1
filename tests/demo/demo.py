# SPDX-License-Identifier: GPL-2.0-or-later
"""A whole gateway to try: private bus, real ofonod, two emulated modems with two SIMs.

    python3 tests/demo/demo.py [--port PORT] [--once] [--json]

normally run by "make demo [PORT=9541]" or, if installed, "ofono-mcp demo".

Sends one SMS through it, then stays until Ctrl-C and shows what agents send. Everything that
it starts and writes ends with it. DEMO_ONCE=1 is --once: it ends after showing.
"""

from __future__ import annotations

import argparse
import ctypes
import os
import signal
import socket
import sys
import time
from collections.abc import Callable, Mapping, Sequence
from pathlib import Path
from typing import Any

sys.path.insert(0, str(Path(__file__).resolve().parents[1]))    # the packages lab and modem

from events import Events
from lab import Lab
from lab.process import Program
from modem import Modem
from screen import Gone
from story import Story

DEFAULT_PORT = 9531
POLL_S = 0.2
LAST_OF_ROOT = 1023
PR_SET_PDEATHSIG = 1
ENDING = (signal.SIGINT, signal.SIGTERM, signal.SIGHUP)


class Stopped(BaseException):
    """Ctrl-C, SIGTERM, or the terminal was closed."""


class Failed(Exception):
    """A code for programs, what happened, and what to do, "" if that is unknown."""

    def __init__(self, code: str, flaw: str, fix: str = "") -> None:
        super().__init__(f"{flaw}. {fix}" if fix else flaw)
        self.code, self.flaw, self.fix = code, flaw, fix


def ignore_signals() -> None:
    for number in ENDING:
        signal.signal(number, signal.SIG_IGN)


def stop(*_: object) -> None:
    """Only once: the clean-up must not be interrupted."""
    ignore_signals()
    raise Stopped


def end_when_asked() -> None:
    """On a signal, and when our parent (make) is killed."""
    for number in ENDING:
        if signal.getsignal(number) is not signal.SIG_IGN:      # nohup still works
            signal.signal(number, stop)
    ctypes.CDLL(None).prctl(PR_SET_PDEATHSIG, signal.SIGTERM)


# ---- the port

def listen(port: int) -> socket.socket:
    """Listens in place of the gateway: a port that was free a moment ago may belong to another
    demo."""
    listener = socket.socket()
    listener.setsockopt(socket.SOL_SOCKET, socket.SO_REUSEADDR, 1)
    try:
        listener.bind(("127.0.0.1", port))
        listener.listen(socket.SOMAXCONN)
    except OSError:
        listener.close()
        raise
    return listener


def is_free(port: int) -> bool:
    try:
        listen(port).close()
    except OSError:
        return False
    return True


def another_port(port: int) -> int:
    """A port to propose; if none is found, the usual one."""
    first = port + 10 if port > LAST_OF_ROOT else DEFAULT_PORT
    near = range(first, min(first + 1000, 65535), 10)
    return next((other for other in near if is_free(other)), DEFAULT_PORT)


def take(port: int, again: str) -> socket.socket:
    try:
        return listen(port)
    except PermissionError:
        code, flaw = "port_refused", f"Port {port} is for root alone"
    except OSError:
        code, flaw = "port_taken", f"Port {port} is taken (another demo?)"
    raise Failed(code, flaw, f"Choose another: {again}{another_port(port)}")


# ---- life

Screen = Story | Events


def watch(shown: dict[Modem, int], programs: Mapping[str, Program], screen: Screen) -> None:
    """Shows what the modems take; `shown` counts what each took before."""
    while all(program.is_running for program in programs.values()):
        for modem in shown:
            for submit in modem.taken[shown[modem]:]:
                screen.sent(modem, submit)
                shown[modem] += 1
        time.sleep(POLL_S)
    name, log = next((name, program.log) for name, program in programs.items()
                     if not program.is_running)
    raise Failed("failed", f"{name} ended:\n{log[-2000:]}")


def go_on(modems: Sequence[Modem], programs: Mapping[str, Program], port: int, once: bool,
          screen: Screen) -> None:
    shown = {modem: len(modem.taken) for modem in modems}
    screen.how_to_go_on(port)
    if not once:
        screen.watching()
        watch(shown, programs, screen)


def new_lab(listener: socket.socket) -> Lab:
    """Not yet entered. The gateway has its default settings."""
    lab = Lab(modem_count=2, gateway=True)
    lab.gateway.port = listener.getsockname()[1]
    lab.gateway.handed = [listener]
    lab.gateway.config = lab.gateway.policy = ""
    return lab


def run(listener: socket.socket, once: bool, screen: Screen) -> None:
    screen.starting()
    with new_lab(listener) as lab:
        listener.close()                        # only the gateway has it now
        try:
            screen.up(lab)
            go_on(lab.modems, {"the gateway": lab.gateway, "ofonod": lab.ofonod},
                  lab.gateway.port, once, screen)
        finally:
            ignore_signals()


def parser(program: str, does: str, port: int, again: str) -> argparse.ArgumentParser:
    parser = argparse.ArgumentParser(prog=program, description=does)
    parser.add_argument("--port", type=int, default=port)
    parser.add_argument("--once", action="store_true",
                        default=os.environ.get("DEMO_ONCE", "") not in ("", "0"))
    parser.add_argument("--again", default=again,
                        help="how it is run with another port, which follows")
    return parser


def parse(parser: argparse.ArgumentParser, arguments: Sequence[str]) -> argparse.Namespace:
    options = parser.parse_args(arguments)
    if not 1 <= options.port <= 65535:
        parser.error(f"a port is between 1 and 65535, not {options.port}")
    return options


def leave_output() -> None:
    """Nobody reads the output any more, and Python would complain at the end."""
    os.dup2(os.open(os.devnull, os.O_WRONLY), sys.stdout.fileno())


def tell_failure(screen: Screen, failed: Failed) -> int:
    try:
        screen.failed(failed.code, failed.flaw, failed.fix)
    except Gone:
        leave_output()
    print(failed, file=sys.stderr)
    return 1


def play(options: argparse.Namespace, screen: Screen,
         run: Callable[[socket.socket, bool, Any], None]) -> int:
    """Returns the exit code."""
    try:
        listener = take(options.port, options.again)
        end_when_asked()
        run(listener, options.once, screen)
    except (Stopped, Gone):
        pass
    except Failed as failed:
        return tell_failure(screen, failed)
    except AssertionError as error:             # the lab reports what did not start
        return tell_failure(screen, Failed("failed", f"The demo failed: {error}"))
    try:
        screen.ended()
    except Gone:
        leave_output()
    return 0


def main(arguments: Sequence[str]) -> int:
    options = parser("demo.py", __doc__.splitlines()[0], DEFAULT_PORT, "make demo PORT=")
    options.add_argument("--json", action="store_true", help="tell a program")
    chosen = parse(options, arguments)
    return play(chosen, Events() if chosen.json else Story(), run)


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
