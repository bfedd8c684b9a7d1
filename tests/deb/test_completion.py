# SPDX-License-Identifier: GPL-2.0-or-later
"""What bash offers after "ofono-mcp" and Tab."""

from __future__ import annotations

import os
import re
import shlex
import subprocess
from pathlib import Path

import pytest

from build import PROJECT
from lab import Lab

BINARY = Path(os.environ.get("GATEWAY_BINARY", PROJECT / "build" / "ofono-mcp"))
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
    script = SCRIPT.format(file=PROJECT / "etc" / "bash-completion" / "ofono-mcp",
                           program=shlex.quote(str(BINARY)),
                           words=" ".join(map(shlex.quote, ("ofono-mcp", *words))))
    return subprocess.run(["bash", "-uec", script], capture_output=True, text=True,
                          check=True, env=os.environ | environment).stdout.split()


def commands() -> list[str]:
    return re.findall(r"^  ([a-z-]+)  ", say("--help"), re.MULTILINE)


def test_every_command() -> None:
    assert complete("") == commands()
    assert complete("ser") == ["serve"]


@pytest.mark.parametrize("command", commands())
def test_every_option(command: str) -> None:
    offered = set(complete(command, "--"))
    assert offered == set(re.findall(r"--[a-z][a-z-]*", say(command, "--help")))
    assert "--help" in offered


def test_files(tmp_path: Path) -> None:
    (tmp_path / "my.conf").touch()
    assert complete("serve", "--config", f"{tmp_path}/m") == [f"{tmp_path}/my.conf"]


def test_words() -> None:
    assert complete("audit", "") == ["verify"]
    assert complete("modem", "") == ["list", "on", "off"]
    assert complete("modem", "--json", "o") == ["on", "off"]
    assert complete("modem", "on", "a") == ["all"]


def test_modems() -> None:
    with Lab(modem_count=2, powered=False) as lab:
        address = {"DBUS_SYSTEM_BUS_ADDRESS": lab.bus.address}
        assert complete("modem", "on", "", **address) == ["all", "/sim0", "/sim1"]
        assert complete("modem", "off", "/sim0", "/", **address) == ["/sim0", "/sim1"]
