# SPDX-License-Identifier: GPL-2.0-or-later
"""What bash offers after "ofono-mcp" and Tab."""

from __future__ import annotations

import os
import re
import shlex
import subprocess
import tempfile
from collections.abc import Iterator
from pathlib import Path

import pytest

from build import PROJECT
from lab import Lab, wait_until
from lab.fleet import Fleet

BINARY = Path(os.environ.get("GATEWAY_BINARY", PROJECT / "build" / "ofono-mcp"))
HUB = BINARY.with_name("ofono-mcp-hub")
SCRIPT = """
compopt() {{ :; }}
source {file}
COMP_WORDS=({words})
COMP_CWORD=$((${{#COMP_WORDS[@]}} - 1))
_ofono_mcp {program} "${{COMP_WORDS[-1]}}" "${{COMP_WORDS[-2]}}"
printf '%s\\n' "${{COMPREPLY[@]}}"
"""


def say(*words: str) -> str:
    return subprocess.run([BINARY, *words], capture_output=True, text=True, check=True).stdout


def complete(*words: str, **environment: str) -> list[str]:
    return complete_lines(*words, **environment).split()


def complete_lines(*words: str, program: Path = BINARY, **environment: str) -> str:
    script = SCRIPT.format(file=PROJECT / "etc" / "bash-completion" / "ofono-mcp",
                           program=shlex.quote(str(program)),
                           words=" ".join(map(shlex.quote, (program.name, *words))))
    return subprocess.run(["bash", "-uec", script], capture_output=True, text=True,
                          check=True, env=os.environ | environment).stdout


def commands() -> list[str]:
    """Each command with the verb that is a part of its name, such as "client set"."""
    rows = re.findall(r"^  ([a-z]\S*(?: \S+)*?)  +\S", say("--help").partition("\nExamples\n")[0], re.MULTILINE)
    return [" ".join(word for word in row.split() if word.replace("-", "").isalpha()) for row in rows]


def test_every_command_is_completed() -> None:
    assert complete("") == list(dict.fromkeys(name.split()[0] for name in commands()))
    for noun in ("client", "sim"):
        assert complete(noun, "") == [name.split()[1] for name in commands()
                                      if name.startswith(f"{noun} ")]
    assert complete("ser") == ["serve"]


@pytest.mark.parametrize("command", commands())
def test_every_option_is_completed(command: str) -> None:
    offered = set(complete(*command.split(), "--"))
    assert offered == set(re.findall(r"--[a-z][a-z-]*", say(*command.split(), "--help")))
    assert "--help" in offered


def test_files_are_completed(tmp_path: Path) -> None:
    (tmp_path / "my.conf").touch()
    assert complete("serve", "--config", f"{tmp_path}/m") == [f"{tmp_path}/my.conf"]


def test_fixed_words_are_completed() -> None:
    assert complete("audit", "") == ["verify"]
    assert complete("modem", "") == ["list", "on", "off"]
    assert complete("opt-outs", "") == ["list", "add", "remove"]
    assert complete("webhooks", "") == complete("webhook", "") == ["list", "revoke"]
    assert complete("modem", "--json", "o") == ["on", "off"]
    assert complete("modem", "on", "a") == ["all"]


@pytest.mark.parametrize("words, offered", [
    (["help", "s"], ["serve", "status", "sim", "send", "show", "stdio"]),
    (["send", "--wait", ""], ["none", "sent", "delivered"]),
    (["send", "--wait", "=", "d"], ["delivered"]),
    (["send", "--wait", "="], ["none", "sent", "delivered"]),
    (["client", "set", "--ask", "n"], ["new-recipients", "never"]),
    (["change", "--ask", "n"], ["new-recipients", "never"]),
    (["pair", "--scope", "re"], ["read"]),
    (["pair", "--scope", "read,s"], ["read,send"]),
    (["pair", "--per-day", "n"], ["none"]),
])
def test_option_values_are_completed(words: list[str], offered: list[str]) -> None:
    assert sorted(complete(*words)) == sorted(offered)


@pytest.fixture
def short() -> Iterator[Path]:
    """A folder whose path fits into the name of a client."""
    with tempfile.TemporaryDirectory(prefix="c-", dir="/tmp") as folder:
        yield Path(folder)


def test_paired_agents_are_completed(short: Path) -> None:
    """Of the gateway that the line names; no command in a name is executed."""
    state = str(short / "state")
    for name in ("laptop", "my agent", f"x$(touch {short}/done)"):
        say("pair", "--state-dir", state, name)
    for command in ("client set", "client rotate", "client revoke", "revoke"):
        assert complete(*command.split(), "--state-dir", state, "la") == ["laptop"]
        assert complete(*command.split(), "--state-dir", "=", state, "la") == ["laptop"]
    assert complete_lines("revoke", "--state-dir", state, "my") == "my\\ agent\n"
    assert complete_lines("revoke", "--state-dir", state, "x").startswith("x\\$\\(touch")
    assert complete("revoke", "--state-dir", str(short / "none"), "") == []
    assert [path.name for path in short.iterdir()] == ["state"]


def test_sims_and_messages_are_completed() -> None:
    with Lab(modem_count=2, gateway=True) as lab:
        state = str(lab.gateway.state)
        wait_until(lambda: say("status", "--state-dir", state).count(" ready: ") == 2,
                   what="the gateway knows both SIMs")
        assert sorted(complete("send", "--state-dir", state, "--sim", "")) == ["1", "2"]
        say("send", "--state-dir", state, "--sim", "1", "+36201234567", "hello")
        assert complete("show", "--state-dir", state, "") == ["1"]
        assert complete("sim", "unlock", "--state-dir", state, "") == []


def test_modems_are_completed() -> None:
    with Lab(modem_count=2, powered=False) as lab:
        address = {"DBUS_SYSTEM_BUS_ADDRESS": lab.bus.address}
        assert complete("modem", "on", "", **address) == ["all", "/sim0", "/sim1"]
        assert complete("modem", "off", "/sim0", "/", **address) == ["/sim0", "/sim1"]


def test_phones_and_pools_of_a_hub_are_completed(short: Path) -> None:
    lab = Lab(modem_count=1, gateway=True, gateway_open=False)
    lab.gateway.config = lab.gateway.policy = ""
    with lab, Fleet(short, {"shop-1": lab}).running() as fleet:
        state = str(fleet.hub.state)
        [sim] = fleet.sims()
        fleet.run("pools", "set", "alerts", "--sims", str(sim["subscription_id"]))

        def offered(*words: str) -> list[str]:
            return complete_lines(*words, program=HUB).split()

        assert offered("pools", "") == ["list", "set", "remove"]
        assert offered("pools", "remove", "--state-dir", state, "") == ["alerts"]
        assert offered("sims", "--state-dir", state, "--pool", "") == ["alerts"]
        assert offered("drain", "--state-dir", state, "") == ["shop-1", str(sim["subscription_id"])]
        assert offered("expel", "--state-dir", state, "") == ["shop-1"]
