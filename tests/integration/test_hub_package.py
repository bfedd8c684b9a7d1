# SPDX-License-Identifier: GPL-2.0-or-later
"""What is packaged with ofono-mcp-hub says what the program does."""

from __future__ import annotations

import re
import subprocess
from pathlib import Path

import pytest

from lab.gateway import BINARY
from test_manual_examples import displayed, keys_of

PROJECT = Path(__file__).resolve().parents[2]
HUB = BINARY.parent / "ofono-mcp-hub"
PAGE = (PROJECT / "doc" / "ofono-mcp-hub.8").read_text()
# Each phone's gateway does that, so they are not in the sample.
OF_PHONES = {("store", "spool_dir"), ("sim", "pin_file"), ("sim", "power_modems"),
             ("sim", "phone_default"), ("sms", "delivery_reports"), ("contacts", "sims")}


def hub(*arguments: str | Path) -> str:
    return subprocess.run([HUB, *arguments], check=True, capture_output=True, text=True).stdout


def commands() -> list[str]:
    overview = hub("--help").partition("\nExamples\n")[0]
    return re.findall(r"^  ([a-z]+(?: [a-z]+)?)(?: \S*[|\[]\S*)?  +\S", overview, re.MULTILINE)


def of_a_hub(printed: str) -> str:
    """Without the keys of phones, and without a section that has no others."""
    kept: list[str] = []
    section = ""
    for block in printed.rstrip("\n").split("\n\n"):
        if block.startswith("["):
            section = block[1:-1]
            if kept[-1].startswith("["):
                kept.pop()
        elif (section, block.splitlines()[-1].lstrip("#").partition(" = ")[0]) in OF_PHONES:
            continue
        kept.append(block)
    return "\n\n".join(kept) + "\n"


def test_the_sample_of_the_hub_is_the_printed_default(folder: Path) -> None:
    empty = folder / "empty.conf"
    empty.touch()
    printed = hub("serve", "--print-config", "--config", empty)
    assert OF_PHONES < set(keys_of(printed))
    assert (PROJECT / "etc" / "ofono-mcp-hub.conf").read_text() == of_a_hub(printed)


@pytest.mark.parametrize("file", ["etc/ofono-mcp-hub.conf", "debian/ofono-mcp-hub.conf"])
def test_the_hub_accepts_its_packaged_configuration(file: str) -> None:
    hub("serve", "--check-config", "--config", PROJECT / file)


def test_the_configuration_in_the_guide_is_accepted(folder: Path) -> None:
    """Of the man page and of doc/fleet.md, which have the same."""
    guide = (PROJECT / "doc" / "fleet.md").read_text()
    section = re.search(r"^    \[broker\]\n(?:    .+\n)+", guide, re.MULTILINE)
    assert section
    text = section[0].replace("    ", "")
    assert text in PAGE
    file = folder / "broker.conf"
    file.write_text(text)
    hub("serve", "--check-config", "--config", file)


@pytest.mark.parametrize("name", commands())
def test_each_command_of_the_hub_has_its_example_in_the_manual(name: str) -> None:
    example = hub(*name.split(), "--help").partition("\nExample:\n  ")[2].strip()
    assert example.startswith(f"ofono-mcp-hub {name}")
    assert displayed(PAGE).count(example) == 1


def test_the_hub_and_a_gateway_share_nothing_on_one_machine() -> None:
    """Port, user, folders and files of their units are different."""
    def facts(name: str) -> set[str]:
        unit = (PROJECT / "debian" / f"{name}.service").read_text()
        return set(re.findall(r"^((?:User|Group|StateDirectory|RuntimeDirectory|"
                              r"ConfigurationDirectory|SocketBindAllow)=.+)$", unit, re.MULTILINE))
    hub_has, gateway_has = facts("ofono-mcp-hub"), facts("ofono-mcp")
    assert len(hub_has) == len(gateway_has) == 6
    assert not hub_has & gateway_has
    assert "\n#listen = 127.0.0.1:9541\n" in (PROJECT / "etc" / "ofono-mcp-hub.conf").read_text()
