# SPDX-License-Identifier: GPL-2.0-or-later
"""Our package in a machine (conftest.py: /packages), as apt and systemd see it."""

from __future__ import annotations

from lab import wait_until
from machine import Machine

UNIT = "ofono-mcp"


def install(machine: Machine, name: str, *options: str) -> None:
    """Without standard input: a question fails the installation."""
    machine.run("dpkg", *options, "--install", f"/packages/{name}.deb")
    wait_until(lambda: machine.try_to("systemctl", "is-active", UNIT).returncode == 0,
               what="the gateway is up")


def purge(machine: Machine) -> None:
    machine.run("dpkg", "--purge", UNIT)


def is_installed(machine: Machine) -> bool:
    said = machine.try_to("dpkg-query", "--showformat=${db:Status-Status}", "--show", UNIT)
    return said.stdout == "installed"


def shown(machine: Machine, name: str) -> str:
    """A property of the unit."""
    return machine.run("systemctl", "show", f"--property={name}", "--value", UNIT).strip()


def pid(machine: Machine) -> int:
    """0 if it does not run."""
    return int(shown(machine, "MainPID"))
