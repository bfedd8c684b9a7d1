# SPDX-License-Identifier: GPL-2.0-or-later
"""The tests of debian/tests, in a Debian without anything else of ours."""

from __future__ import annotations

from machine import Machine
from package import UNIT, install, is_installed

TESTS = ("private-bus", "smoke")


def test_the_autopkgtests_pass(machine: Machine) -> None:
    if not is_installed(machine):
        install(machine, UNIT)
    for name in TESTS:
        machine.run("sh", "-c", f"cd /source && debian/tests/{name}")
    machine.run("dpkg", "--install", "/packages/ofono-plugin-sms-history.deb")
    machine.run("dpkg", "--purge", "ofono-plugin-sms-history")
