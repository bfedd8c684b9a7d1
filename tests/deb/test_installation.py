# SPDX-License-Identifier: GPL-2.0-or-later
"""What debian/tests runs, in a Debian that has nothing else of ours."""

from __future__ import annotations

from machine import Machine
from package import UNIT, install, is_installed

TESTS = ("private-bus", "smoke")


def test_autopkgtests(machine: Machine) -> None:
    if not is_installed(machine):
        install(machine, UNIT)
    for name in TESTS:
        machine.run("sh", "-c", f"cd /source && debian/tests/{name}")
    machine.run("dpkg", "--install", "/packages/ofono-plugin-sms-history.deb")
    machine.run("dpkg", "--purge", "ofono-plugin-sms-history")
