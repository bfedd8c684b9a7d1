# SPDX-License-Identifier: GPL-2.0-or-later
"""The manual pages have an example of each command and each configuration key, and all work."""

from __future__ import annotations

import re
import subprocess
from pathlib import Path

import pytest

from lab.gateway import BINARY
from owner import OK, run
from test_commands import COMMANDS, PAGE, PROJECT, help_of

PAGE_5 = (PROJECT / "doc" / "ofono-mcp.conf.5").read_text()


def keys_of(configuration: str) -> list[tuple[str, str]]:
    """The section and the name of each key that --print-config prints."""
    keys: list[tuple[str, str]] = []
    for line in configuration.splitlines():
        if heading := re.fullmatch(r"\[(\w+)\]", line):
            section = heading[1]
        elif key := re.match(r"#?(\w+) = ", line):
            keys.append((section, key[1]))
    return keys


CONFIGURATION = run("serve", "--print-config").stdout
KEYS = keys_of(CONFIGURATION)
# The hub's own keys; the gateway refuses their section.
BROKER_KEYS = [pair for pair in keys_of(subprocess.run(
    [BINARY.parent / "ofono-mcp-hub", "serve", "--print-config"],
    capture_output=True, text=True).stdout) if pair[0] == "broker"]


def displayed(page: str) -> list[str]:
    """The lines that a page sets apart."""
    return [line.replace(r"\(dq", '"').replace(r"\(aq", "'").replace(r"\e", "\\")
            for line in re.findall(r"^\.Dl (.*)$", page, re.MULTILINE)]


def example_of(section: str, key: str) -> list[str]:
    """The displayed lines of a key, or of the last one of several described together."""
    _, _, below = PAGE_5.partition(f"\n.Ss [{section}]\n")
    _, _, item = below.partition(f"\n.It Cm {key} No = ")
    item = item.partition("\n")[2]
    while item.startswith(".It "):
        item = item.partition("\n")[2]
    item = re.split(r"^\.(?:It|El|Ss) ?", item, maxsplit=1, flags=re.MULTILINE)[0]
    return [line for line in displayed(item) if line.startswith(f"{key} = ")]


@pytest.mark.parametrize("name", COMMANDS)
def test_each_command_has_its_example_in_the_manual(name: str) -> None:
    """The one of --help, which test_commands.py tries."""
    example = help_of(name).partition("\nExample:\n  ")[2].strip()
    description = PAGE.partition(".Sh DESCRIPTION\n")[2].partition("\n.Sh ")[0]
    assert displayed(description).count(example) == 1


def test_each_form_of_a_command_has_an_example_in_the_manual() -> None:
    """Also "opt-outs add" and other forms that --help describes together."""
    commands = PAGE.partition(".Sh DESCRIPTION\n")[2].partition("\n.Bl ")[2].partition("\n.El\n")[0]
    items = re.split(r"^\.It ", commands, flags=re.MULTILINE)[1:]
    assert len(items) > len(COMMANDS)
    assert [item.splitlines()[0] for item in items if not displayed(item)] == []


@pytest.mark.parametrize("section, key", KEYS + BROKER_KEYS, ids=map(".".join, KEYS + BROKER_KEYS))
def test_each_key_has_an_example_in_the_manual(section: str, key: str) -> None:
    assert len(example_of(section, key)) == 1


def test_a_file_of_all_examples_is_accepted(folder: Path) -> None:
    """With the files that it names; they are put into another folder."""
    certificate, private = folder / "cert.pem", folder / "key.pem"
    subprocess.run(["openssl", "req", "-x509", "-newkey", "ec", "-pkeyopt", "ec_paramgen_curve:P-256",
                    "-nodes", "-subj", "/CN=phone", "-out", certificate, "-keyout", private],
                   check=True, capture_output=True)
    lines, last = [], ""
    for section, key in KEYS:
        lines += [f"[{section}]"] if section != last else []
        lines += example_of(section, key)
        last = section
    file = folder / "examples.conf"
    file.write_text("\n".join(lines).replace("/etc/ofono-mcp/", f"{folder}/") + "\n")
    done = run("serve", "--check-config", "--config", str(file))
    assert done.returncode == OK, done


@pytest.mark.parametrize("guide", ["README.md", "doc/owner.md", "doc/faq.md"])
def test_the_guides_name_the_limits_that_count(guide: str) -> None:
    default = dict(re.findall(r"^#(per_\w+|segments_per_month) = (\d+)$", CONFIGURATION.partition(
        "\n[policy]\n")[2].partition("\n[")[0], re.MULTILINE))
    words = " ".join((PROJECT / guide).read_text().split())
    assert (f"{default['per_minute']} messages a minute, {default['per_hour']} an hour, "
            f"{default['per_day']} a day and {int(default['segments_per_month']):,} segments a month") in words
