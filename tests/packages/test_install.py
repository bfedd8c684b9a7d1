# SPDX-License-Identifier: GPL-2.0-or-later
"""The installer asks nobody if nothing is missing, and says what it is about to do."""

from __future__ import annotations

import os
import subprocess
from pathlib import Path

import pytest

INSTALL = Path(__file__).with_name("install")
GROUPS = ("build", "demo", "check", "check-all", "lint")


class Machine:
    """A machine whose dpkg-query, id and sudo are scripts of ours; sudo "installs" its
    arguments."""

    def __init__(self, folder: Path) -> None:
        self.folder = folder
        self.installed = folder / "installed"
        self.asked = folder / "asked"
        self.asked.touch()
        self.installed.write_text("")
        self.command("dpkg-query", f'sed "s/$/ installed/" {self.installed}')
        self.command("id", "echo 1000")

    def command(self, name: str, script: str) -> None:
        file = self.folder / name
        file.write_text(f"#!/bin/sh\n{script}\n")
        file.chmod(0o755)

    def add_sudo(self) -> None:
        self.command("sudo", f'echo "$@" >>{self.asked}; shift 3\n'
                             f'for name; do echo "$name" >>{self.installed}; done')

    def hide_sudo(self) -> None:
        """A PATH with exactly the programs that the installer may use."""
        for name in ("sh", "dirname", "sed", "cut", "grep", "cat"):
            (self.folder / name).symlink_to(f"/usr/bin/{name}")

    def run(self, *arguments: str, alone: bool = False) -> subprocess.CompletedProcess[str]:
        path = str(self.folder) if alone else f"{self.folder}:{os.environ['PATH']}"
        return subprocess.run(["/bin/sh", str(INSTALL), *arguments], env={"PATH": path},
                              capture_output=True, text=True)


@pytest.fixture
def machine(tmp_path: Path) -> Machine:
    return Machine(tmp_path)


def missing(machine: Machine, *groups: str) -> list[str]:
    return machine.run("--missing", *groups).stdout.split()


def test_every_group_has_packages(machine: Machine) -> None:
    found = [missing(machine, group) for group in GROUPS]
    assert all(found)
    assert sum(found, []) == missing(machine, *GROUPS)


def test_only_packages_that_are_absent_are_missing(machine: Machine) -> None:
    machine.installed.write_text("gcc\nmake\nlibc6-dev\n")
    assert not {"gcc", "make", "libc6-dev"} & set(missing(machine, "build"))
    assert "libinih-dev" in missing(machine, "build")


def test_a_command_can_replace_its_package(machine: Machine) -> None:
    machine.hide_sudo()
    [npm] = [name for name in machine.run("--missing", "check-all", alone=True).stdout.split()
             if name.startswith("npm")]
    assert npm == "npm"
    machine.command("npm", "exit 0")
    assert npm not in machine.run("--missing", "check-all", alone=True).stdout.split()


def test_a_single_package_can_be_requested(machine: Machine) -> None:
    """A single test may need one package."""
    assert missing(machine, "haproxy", "npm") in (["haproxy"], ["haproxy", "npm"])


def test_check_needs_few_packages(machine: Machine) -> None:
    """Packages with services, browsers and the like are only for "make check-all"."""
    wanted = set(missing(machine, "build", "demo", "check"))
    assert not {"haproxy", "avahi-daemon", "ufw", "apparmor", "chromium", "npm", "lintian",
                "valgrind", "mmdebstrap"} & wanted
    assert len(wanted) < 40


def test_it_does_nothing_if_nothing_is_missing(machine: Machine) -> None:
    machine.add_sudo()
    machine.installed.write_text("\n".join(missing(machine, "build")) + "\n")
    done = machine.run("build")
    assert (done.returncode, done.stdout, done.stderr) == (0, "", "")
    assert machine.asked.read_text() == ""


def test_it_says_what_it_installs_and_why_and_uses_sudo(machine: Machine) -> None:
    machine.add_sudo()
    absent = missing(machine, "demo")
    done = machine.run("demo")
    assert done.returncode == 0, done.stderr
    assert all(name in done.stdout for name in absent)
    assert machine.asked.read_text() == f"sh {INSTALL} --as-root {' '.join(absent)}\n"
    assert missing(machine, "demo") == []


def test_it_says_what_to_do_without_sudo(machine: Machine) -> None:
    machine.hide_sudo()
    done = machine.run("demo", alone=True)
    assert done.returncode == 1
    assert "not root, and no sudo here. As root: apt-get install" in done.stderr


def test_a_user_who_may_not_use_sudo_gets_the_command_for_root(machine: Machine) -> None:
    machine.command("sudo", "echo 'sudo: a password is required' >&2; exit 1")
    absent = missing(machine, "demo")
    done = machine.run("demo")
    assert done.returncode == 1
    assert ("they were not installed. As root: apt-get install --no-install-recommends "
            + " ".join(absent)) in done.stderr


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
