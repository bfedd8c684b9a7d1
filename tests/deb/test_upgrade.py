# SPDX-License-Identifier: GPL-2.0-or-later
"""Upgrading from the previous version (tests/deb/previous) to this one, while it is in use."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass

import pytest

from machine import Machine
from network import NOT_RUN
from package import install, pid, purge
from phone import Phone

KEEP = ("--force-confdef", "--force-confold")      # as phones upgrade, without a terminal
CONFIG, DROPPED = "/etc/ofono-mcp/ofono-mcp.conf", "/etc/ofono-mcp/conf.d/50-mine.conf"
EDIT = """
printf '\n[policy]\nper_hour = 59\n' >>/etc/ofono-mcp/ofono-mcp.conf
printf '[policy]\nper_day = 199\n' >/etc/ofono-mcp/conf.d/50-mine.conf
"""


@dataclass(frozen=True)
class Before:
    token: str
    sims: list[int]
    messages: dict[int, str]
    user: str
    config: str
    pid: int


def edited(machine: Machine) -> str:
    return machine.run("cat", CONFIG, DROPPED)


def user(machine: Machine) -> str:
    """The owner of the service's process, and of its files."""
    return (machine.run("getent", "passwd", "ofono-mcp")
            + machine.run("stat", "--format=%U %G %a", "/var/lib/ofono-mcp"))


@pytest.fixture(scope="module")
def before(machine: Machine, phone: Phone) -> Iterator[Before]:
    """Used, edited, and then upgraded."""
    if not (machine.root / "packages" / "old.deb").exists():
        pytest.skip(f"{NOT_RUN}: this shallow clone lacks the commit that tests/deb/previous names: "
                    "git fetch --unshallow")
    purge(machine)
    install(machine, "old")
    token = phone.pair("laptop")
    phone.send(token, "from the version before")
    phone.receive(token, "to the version before")
    machine.run("sh", "-c", EDIT)
    before = Before(token, phone.wait_sims(token), phone.messages(token), user(machine),
                    edited(machine), pid(machine))
    install(machine, "ofono-mcp", *KEEP)
    yield before
    purge(machine)


def test_an_upgraded_gateway_goes_on_at_once(before: Before, machine: Machine) -> None:
    assert pid(machine) not in (0, before.pid)
    runs, lies = machine.run("stat", "--dereference", "--format=%d:%i",
                             f"/proc/{pid(machine)}/exe", "/usr/bin/ofono-mcp").split()
    assert runs == lies


def test_tokens_sim_ids_and_messages_survive_an_upgrade(before: Before, phone: Phone) -> None:
    assert phone.wait_sims(before.token) == before.sims
    stored = phone.messages(before.token)
    assert len(before.messages) == 2
    assert {number: stored.get(number) for number in before.messages} == before.messages
    assert phone.send(before.token, "from this version") > max(before.messages)
    phone.receive(before.token, "to this version")


def test_the_user_and_edited_files_survive_an_upgrade(before: Before, machine: Machine) -> None:
    assert user(machine) == before.user
    assert edited(machine) == before.config
    said = machine.run("ofono-mcp", "serve", "--print-config")
    assert "\nper_hour = 59\n" in said and "\nper_day = 199\n" in said


def test_the_next_upgrade_asks_no_question(machine: Machine, phone: Phone) -> None:
    """dpkg does not ask what to do with an edited file."""
    purge(machine)
    install(machine, "ofono-mcp")
    machine.run("sh", "-c", EDIT)
    config, token = edited(machine), phone.pair("laptop")
    install(machine, "later")
    assert edited(machine) == config
    assert len(phone.wait_sims(token)) == 2
