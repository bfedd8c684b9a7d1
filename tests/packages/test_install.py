# SPDX-License-Identifier: GPL-2.0-or-later
"""The status of the installer tells what the network withheld from what cannot be had."""

from __future__ import annotations

import os
import subprocess
from pathlib import Path

import pytest

INSTALL = Path(__file__).with_name("install")


class Machine:
    """A machine on which nothing is installed; its dpkg-query and id are scripts of ours."""

    def __init__(self, folder: Path) -> None:
        self.folder = folder
        self.asked = folder / "asked"
        self.asked.touch()
        self.command("dpkg-query", "exit 0")
        self.command("id", "echo 1000")

    def command(self, name: str, script: str) -> None:
        file = self.folder / name
        file.write_text(f"#!/bin/sh\n{script}\n")
        file.chmod(0o755)

    def run(self, *arguments: str) -> subprocess.CompletedProcess[str]:
        return subprocess.run(["/bin/sh", str(INSTALL), *arguments],
                              env={"PATH": f"{self.folder}:{os.environ['PATH']}"},
                              capture_output=True, text=True)


@pytest.fixture
def machine(tmp_path: Path) -> Machine:
    return Machine(tmp_path)


def failing_apt(machine: Machine, told: str) -> subprocess.CompletedProcess[str]:
    """As root, with an apt-get that always fails and lists its calls."""
    machine.command("sleep", "exit 0")
    machine.command("apt-get", f'echo "$@" >>{machine.asked}; echo "{told}" >&2; exit 100')
    machine.command("sudo", 'exec "$@"')
    return machine.run("demo")


def test_packages_that_the_network_withholds_have_their_own_status(machine: Machine) -> None:
    done = failing_apt(machine, "E: Failed to fetch http://deb.example/ofono.deb")
    assert done.returncode == os.EX_TEMPFAIL
    calls = machine.asked.read_text().splitlines()
    assert len([call for call in calls if "--download-only" in call]) == 4
    assert all("Acquire::Retries=5" in call for call in calls)


def test_packages_that_do_not_exist_are_not_asked_for_again(machine: Machine) -> None:
    done = failing_apt(machine, "E: Unable to locate package ofono")
    assert done.returncode == 1
    assert machine.asked.read_text().count("--download-only") == 1


def test_packages_that_were_not_installed_are_reported(machine: Machine) -> None:
    machine.command("sudo", "exit 0")
    done = machine.run("demo")
    assert done.returncode == 1
    assert "apt-get did not install: dbus ofono" in done.stderr
