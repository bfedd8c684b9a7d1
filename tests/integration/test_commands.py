# SPDX-License-Identifier: GPL-2.0-or-later
"""Every subcommand that `ofono-mcp --help` lists meets the same requirements.

A new one must be in ARGUMENTS and have help with an example, a manual page, a place in the guides, exit codes,
--json for every outcome, no colour where none is wanted, and a line about what it waits for.
tests/deb/test_completion.py checks what bash completes.
"""

from __future__ import annotations

import json
import os
import re
import shlex
import signal
import subprocess
from collections.abc import Callable
from contextlib import ExitStack
from pathlib import Path
from typing import Any

import pytest

from agent import TO
from lab import Lab
from lab.gateway import BINARY, free_port
from modem.patience import patience
from owner import FAILED, OK, USAGE, run
from terminal import Terminal, on_terminal

PROJECT = Path(__file__).resolve().parents[2]
PAGE = (PROJECT / "doc" / "ofono-mcp.1").read_text()
GUIDE = "".join((PROJECT / "doc" / f"{name}.md").read_text()
                for name in ("getting-started", "owner", "stdio"))
PROGRAM = os.environ.get("GATEWAY_BINARY", BINARY)
HELP = subprocess.run([PROGRAM, "--help"], capture_output=True, text=True).stdout
ROWS = re.findall(r"^  ([a-z]\S*(?: \S+)*?)  +\S", HELP.partition("\nExamples\n")[0], re.MULTILINE)
COMMANDS = [" ".join(word for word in row.split() if re.fullmatch("[a-z-]+", word))
            for row in ROWS]
FORMER = {"clients": "client list", "change": "client set", "rotate": "client rotate",
          "revoke": "client revoke", "unlock": "sim unlock", "balance": "sim balance",
          "webhooks": "webhook"}

# Arguments to run each one with beside a gateway, in a meaningful order.
ARGUMENTS: dict[str, list[str]] = {
    "pair": ["someone"], "client list": [], "client set": ["--ask", "always", "someone"],
    "client rotate": ["someone"], "pause": [], "resume": [], "reload": [], "approvals": [],
    "approve": ["999999"], "reject": ["999999", "no"], "sim unlock": [],
    "backup": ["--force", "FILE"], "restore": ["FILE"], "audit": [], "status": [],
    "send": ["--dry-run", "--sim", "1", TO, "hello"], "list": [], "show": ["999999"],
    "contacts": [],
    "wait": ["--timeout", "1"], "tail": [], "tools": [], "doctor": [], "modem": [],
    "sim list": [], "sim balance": [],
    "agent": ["list"], "opt-outs": [], "webhook": [], "events": [],
    "join": ["ofm1.x.y"], "leave": [],
    "demo": ["--once"], "client revoke": ["someone"], "serve": [], "stdio": [],
}
ENDLESS = {"serve", "stdio", "tail"}
HAS_LOG = {"serve", "stdio"}                # or messages instead of results: no JSON
OF_THE_LEDGER = {"backup", "restore", "audit"}
LOCAL = {"serve", "stdio", "tools", "doctor", "modem", "demo", "join", "leave", *OF_THE_LEDGER}
HAS_NO_STATE = {"tools", "modem", "demo"}
SGR = re.compile(r"\x1b\[[\d;]*m")          # colours; \x1b[K erases a line
# A value for each kind of option argument, by its word in --help.
VALUES = {"TIME": "2026-11-21T08:30:00+01:00", "N:HASH": f"1:{'0' * 64}",
          "ADDRESS:PORT": "127.0.0.1:1"}


def help_of(name: str) -> str:
    return run(*name.split(), "--help").stdout


def options_of(name: str) -> list[tuple[str, str]]:
    """Each option with the word for its value, "" for none."""
    return re.findall(r"^  (--[a-z-]+)(?: ([A-Z]\S*))?", help_of(name), re.MULTILINE)


def test_every_command_in_the_help_is_tested() -> None:
    assert sorted(COMMANDS) == sorted(ARGUMENTS)
    assert set(FORMER.values()) < set(COMMANDS)
    assert all(len(line) <= 80 for line in HELP.splitlines())


@pytest.mark.parametrize("name", COMMANDS)
def test_each_command_has_help(name: str) -> None:
    done = run(*name.split(), "--help")
    assert (done.returncode, done.stderr) == (OK, "")
    assert done.stdout.startswith(f"Usage: ofono-mcp {name} ")
    assert all(len(line) <= 80 for line in done.stdout.splitlines())
    assert "Exit codes: " in done.stdout
    assert f"\nExample:\n  ofono-mcp {name}" in done.stdout
    assert done.stdout.count("\nExample") == 1
    texts = re.findall(r"^(  --[a-z-]+(?: [A-Z:]+)?  +)\S", done.stdout, re.MULTILINE)
    assert len(set(map(len, texts))) == 1, "the texts of options begin in one column"
    assert ("--json" in done.stdout) == (name not in HAS_LOG)
    assert run("help", *name.split()).stdout == done.stdout


def test_the_overview_lists_commands_and_refuses_unknown_ones() -> None:
    assert run("help").stdout == run("-h").stdout == HELP
    for wrong in (["stauts"], ["help", "stauts"]):
        done = run(*wrong)
        assert (done.returncode, done.stdout) == (USAGE, "")
        assert '"stauts"' in done.stderr and len(done.stderr.splitlines()) == 2


def test_the_overview_groups_commands() -> None:
    groups = re.findall(r"^[A-Z][A-Za-z ]+$", HELP, re.MULTILINE)
    assert groups == ["Setup", "Agents", "Messages", "Approvals", "SIMs and modems",
                      "Maintenance", "Examples"]
    assert HELP.index("\nSIMs") < HELP.index("  sim unlock ") < HELP.index("\nMaintenance")


@pytest.mark.parametrize("name", COMMANDS)
def test_the_example_of_each_command_is_one(name: str) -> None:
    """Every option and argument of it is accepted."""
    line = help_of(name).partition("\nExample:\n  ofono-mcp ")[2]
    words = shlex.split(line)
    assert run(*words, "--help").stdout == help_of(name)
    for option in (word for word in words if word.startswith("--")):
        assert option in dict(options_of(name)), option


@pytest.mark.parametrize("former, name", FORMER.items())
def test_former_names_go_on_working(former: str, name: str) -> None:
    assert run(former, "--help").stdout == run("help", former).stdout == help_of(name)
    assert f"  {former}  " not in HELP


def test_a_noun_alone_lists_and_its_help_shows_its_verbs(folder: Path) -> None:
    state = ["--state-dir", str(folder / "state")]
    run("pair", "laptop", *state)
    plain = run("client", *state).stdout
    assert plain == run("client", "list", *state).stdout and "laptop" in plain
    assert run("client", *state, "list").stdout == plain
    assert run("client", *state, "revoke", "list").returncode == FAILED
    verbs = run("client", "--help").stdout
    assert re.findall(r"^  client (\w+) ", verbs, re.MULTILINE) == ["list", "set", "rotate", "revoke"]
    assert run("help", "client").stdout == verbs


def test_a_failed_write_to_stdout_is_an_error(folder: Path) -> None:
    for words in (["--help"], ["tools"], ["pair", "laptop"], ["clients", "--json"], ["audit"]):
        state = [] if words[0] in ("--help", "tools") else ["--state-dir", str(folder / "s")]
        with open("/dev/full", "w") as full:
            done = subprocess.run([PROGRAM, *words, *state], stdout=full,
                                  stderr=subprocess.PIPE, text=True, timeout=patience(10))
        assert done.returncode == FAILED and "could be written" in done.stderr, done


def test_closed_streams_do_not_misdirect_output(lab: Lab, folder: Path) -> None:
    """No connection or file that we open gets their descriptor number and our output."""
    state = ["--state-dir", str(lab.gateway.state)]
    ledger = ["--state-dir", str(folder / "state")]
    for words in (["--help"], ["doctor", *state], ["status", *state], ["pair", "x", *ledger],
                  ["clients", *ledger], ["audit", *ledger]):
        closed = subprocess.run([PROGRAM, *words], preexec_fn=lambda: os.close(1),
                                stderr=subprocess.PIPE, text=True, timeout=patience(10),
                                env=os.environ | {"DBUS_SYSTEM_BUS_ADDRESS": lab.bus.address})
        assert closed.returncode == FAILED and "could be written" in closed.stderr, closed
    subprocess.run([PROGRAM, "pair", "x", *ledger], preexec_fn=lambda: os.closerange(0, 3),
                   timeout=patience(10))
    for path in (folder / "state").iterdir():
        assert b"ofono-mcp pair" not in path.read_bytes()


@pytest.mark.parametrize("name", COMMANDS)
def test_manual_page_and_guide_describe_each_command(name: str) -> None:
    synopsis, _, rest = PAGE.partition(".Sh DESCRIPTION\n")
    words = rf"(\w+ \| )*{name}\b"
    assert re.search(rf"^\.Cm {words}", synopsis, re.MULTILINE)
    assert re.search(rf"^\.It Cm {words}", rest, re.MULTILINE)
    assert re.search(rf"(`|\bofono-mcp ){name}\b", GUIDE)
    for option, _ in options_of(name):
        assert re.search(rf"Fl Fl {option[2:]}\b", PAGE), option


@pytest.mark.parametrize("name", COMMANDS)
def test_each_command_accepts_its_documented_options_only(name: str) -> None:
    """Options that help names are accepted; others are refused, and nothing is printed."""
    text, options = help_of(name), options_of(name)
    assert ("--help", "") in options
    for option, value in options:
        given = [VALUES.get(value, "1")] if value else []
        assert run(*name.split(), option, *given, "--help").stdout == text, option
    for wrong in ("--no-such-option", "--help=x"):
        done = run(*name.split(), wrong)
        assert (done.returncode, done.stdout) == (USAGE, "")
        assert wrong.split("=")[0] in done.stderr


# ---- beside a gateway

@pytest.fixture
def arguments(lab: Lab, folder: Path) -> Callable[..., list[str]]:
    def of(name: str) -> list[str]:
        words = [str(folder / "backup") if word == "FILE" else word
                 for word in ARGUMENTS[name]]
        state = [] if name in HAS_NO_STATE else ["--state-dir", str(lab.gateway.state)]
        port = ["--port", str(free_port())] if name == "demo" else []
        return [*name.split(), *state, *port, *words]
    return of


def assert_json(name: str, done: subprocess.CompletedProcess[str]) -> Any:
    """Lines of JSON; the last one says what went wrong."""
    lines = [json.loads(line) for line in done.stdout.splitlines()]
    assert all(isinstance(line, dict) for line in lines), (name, done)
    if done.returncode != OK and done.stderr:
        error = lines[-1]["error"]
        assert error["code"] and error["message"] in done.stderr, (name, done)
    else:
        assert lines and "error" not in lines[-1], (name, done)


def test_each_command_prints_json_or_plain_text(lab: Lab, arguments: Callable[..., list[str]]) -> None:
    bus = {"DBUS_SYSTEM_BUS_ADDRESS": lab.bus.address}
    for name in ARGUMENTS:
        if name not in ENDLESS:
            told = run(*arguments(name), "--json", **bus)
            assert_json(name, told)
    for name in ARGUMENTS:
        if name not in ENDLESS:
            plain = run(*arguments(name), **bus)
            assert plain.returncode in (OK, FAILED), (name, plain)
            assert plain.stdout + plain.stderr and "\x1b" not in plain.stdout + plain.stderr
            assert not plain.stdout.startswith("{"), (name, plain)


def test_no_color_turns_colours_off(lab: Lab, arguments: Callable[..., list[str]]) -> None:
    coloured = set()
    for name in sorted(set(ARGUMENTS) - ENDLESS - {"demo", "pair", "client rotate"}):
        for wish in ({}, {"NO_COLOR": "1"}):
            with on_terminal(*arguments(name), DBUS_SYSTEM_BUS_ADDRESS=lab.bus.address,
                             **wish) as terminal:
                has = bool(SGR.search(terminal.read_all()))
            assert not (has and wish), name
            coloured |= {name} if has else set()
    assert coloured >= {"status", "doctor", "tools", "modem"}


def test_each_command_reports_a_missing_gateway(folder: Path, arguments: Callable[..., list[str]]) -> None:
    """Commands that need a gateway say so, in JSON too."""
    nothing = {"DBUS_SYSTEM_BUS_ADDRESS": f"unix:path={folder}/none"}
    for name in sorted(set(ARGUMENTS) - ENDLESS - {"tools", "demo"}):
        state = [] if name in HAS_NO_STATE else ["--state-dir", folder / name.replace(" ", "-")]
        words = [str(folder / "b") if word == "FILE" else word for word in ARGUMENTS[name]]
        done = run(*name.split(), *state, *words, "--json", **nothing)
        assert done.returncode in (OK, FAILED), done
        assert_json(name, done)
    left = {path.name for path in folder.iterdir()}     # no message store where none is needed
    assert left <= {"pair", "pause", "audit", "backup", "restore"}, left


def test_each_command_shows_what_it_waits_for(lab: Lab, arguments: Callable[..., list[str]]) -> None:
    """Covers every request to a gateway that is busy for longer than a second."""
    with ExitStack() as stack:
        lab.gateway.send_signal(signal.SIGSTOP)
        stack.callback(lab.gateway.send_signal, signal.SIGCONT)
        terminals: dict[str, Terminal] = {
            name: stack.enter_context(on_terminal(*arguments(name)))
            for name in ARGUMENTS if name not in LOCAL}
        for name, terminal in terminals.items():
            assert re.search(r"\r\x1b\[K[^\r]+ \(\d+ s\)", terminal.read_until(" s)")), name
            terminal.process.kill()
            terminal.process.wait(patience(10))
