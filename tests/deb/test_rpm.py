# SPDX-License-Identifier: GPL-2.0-or-later
"""The RPM packages, built by Debian's rpmbuild, and what their scripts do."""

from __future__ import annotations

import os
import shutil
import subprocess
import tarfile
from collections.abc import Iterator
from pathlib import Path

import pytest

from build import PROJECT

VERSION = "0.1.0-1"
SCRIPTS = ("getent", "groupadd", "useradd", "usermod", "systemctl", "dbus-send")


@pytest.fixture(scope="module")
def packages(tmp_path_factory: pytest.TempPathFactory) -> Iterator[dict[str, Path]]:
    """Without optimisation: the Debian packages show that the program can be optimised."""
    build = tmp_path_factory.mktemp("rpm")
    environment = {name: value for name, value in os.environ.items()
                   if not name.startswith(("MAKE", "MFLAGS"))} | {"CFLAGS": "-O0"}
    subprocess.run(["make", "-s", f"BUILD={build / 'b'}", "rpm"], cwd=PROJECT, check=True,
                   env=environment, stdout=subprocess.DEVNULL)
    yield {file.name.split(f"-{VERSION}")[0]: file for file in (build / "b").rglob("*.rpm")}


def query(package: Path, *options: str) -> str:
    return subprocess.run(["rpm", "-qp", *options, package], check=True, capture_output=True,
                          text=True).stdout


def test_the_packages_have_what_a_phone_needs(packages: dict[str, Path]) -> None:
    assert packages.keys() == {"ofono-mcp", "ofono-mcp-hub", "ofono-mcp-link", "ofono-mcp-session"}
    files = query(packages["ofono-mcp"], "-l").splitlines()
    assert {"/usr/bin/ofono-mcp", "/etc/ofono-mcp/ofono-mcp.conf", "/etc/ofono-mcp/conf.d",
            "/usr/lib/systemd/system/ofono-mcp.service", "/var/lib/ofono-mcp",
            "/usr/share/dbus-1/system.d/ofono-mcp.conf"} <= set(files)
    assert "/usr/bin/ofono-mcp-link" not in files
    assert "/usr/bin/ofono-mcp-link" in query(packages["ofono-mcp-link"], "-l").splitlines()
    for name in ("ofono-mcp", "ofono-mcp-hub"):
        assert query(packages[name], "--configfiles").splitlines() == [
            f"/etc/{name}/{name}.conf"]
        owners = query(packages[name], "--qf",
                       "[%{FILENAMES} %{FILEMODES:octal} %{FILEUSERNAME}\n]").splitlines()
        assert f"/var/lib/{name} 40700 {name}" in owners


def test_the_hub_of_the_package_needs_no_gateway(packages: dict[str, Path]) -> None:
    files = query(packages["ofono-mcp-hub"], "-l").splitlines()
    assert {"/usr/bin/ofono-mcp-hub", "/etc/ofono-mcp-hub/conf.d",
            "/usr/lib/systemd/system/ofono-mcp-hub.service",
            "/usr/share/doc/ofono-mcp-hub/examples/mosquitto/ofono-mcp.acl"} <= set(files)
    assert not set(files) & set(query(packages["ofono-mcp"], "-l").splitlines())
    needed = query(packages["ofono-mcp-hub"], "--requires").splitlines()
    assert not [name for name in needed if name.startswith("ofono")]


def test_the_program_of_the_package_runs(packages: dict[str, Path], tmp_path: Path) -> None:
    shutil.copy(packages["ofono-mcp"], tmp_path / "package.rpm")
    subprocess.run(["rpm2archive", "package.rpm"], cwd=tmp_path, check=True)
    with tarfile.open(tmp_path / "package.rpm.tgz") as archive:
        archive.extractall(tmp_path)
    said = subprocess.run([tmp_path / "usr/bin/ofono-mcp", "serve", "--check-config", "--config",
                           tmp_path / "etc/ofono-mcp/ofono-mcp.conf"],
                          check=True, capture_output=True, text=True)
    assert said.stderr == ""


def run_script(folder: Path, package: Path, name: str, argument: str, known: set[str]) -> list[str]:
    """What the scriptlet did, with fakes of the programs that change the system."""
    log = folder / "log"
    log.write_text("")
    for program in SCRIPTS:
        file = folder / program
        file.write_text(f'#!/bin/sh\necho "{program} $*" >>{log}\n')
        if program == "getent":
            file.write_text(f'#!/bin/sh\ncase "{" ".join(known)} " in *"$2 "*) exit 0;; esac\n'
                            "exit 2\n")
        file.chmod(0o755)
    script = query(package, "--qf", f"%{{{name}}}")
    subprocess.run(["sh", "-e", "-c", script, "scriptlet", argument], check=True,
                   env=os.environ | {"PATH": f"{folder}:{os.environ['PATH']}"})
    return log.read_text().splitlines()


def test_the_user_is_made_without_sysusers(packages: dict[str, Path], tmp_path: Path) -> None:
    package = packages["ofono-mcp"]
    made = run_script(tmp_path, package, "PREIN", "1", {"sailfish-radio"})
    assert [line.split()[0] for line in made] == ["groupadd", "useradd", "usermod"]
    assert made[0] == "groupadd -r ofono-mcp" and made[1].endswith(" ofono-mcp")
    assert made[2] == "usermod -a -G sailfish-radio ofono-mcp"
    assert "sysusers" not in query(package, "--scripts")
    assert run_script(tmp_path, package, "PREIN", "2", {"ofono-mcp"}) == []


def test_removing_stops_the_service_and_upgrading_does_not(packages: dict[str, Path],
                                                           tmp_path: Path) -> None:
    package = packages["ofono-mcp"]
    assert run_script(tmp_path, package, "PREUN", "1", set()) == []
    assert "systemctl disable --now ofono-mcp.service" in query(package, "--scripts")


def test_an_old_libsystemd_is_refused_in_words(tmp_path: Path) -> None:
    (tmp_path / "libsystemd.pc").write_text(
        "Name: systemd\nDescription: of Sailfish OS\nVersion: 238\nLibs: -lsystemd\n")
    said = subprocess.run(["make", "-s", f"BUILD={tmp_path / 'b'}", "toolchain"], cwd=PROJECT,
                          capture_output=True, text=True,
                          env=os.environ | {"PKG_CONFIG_PATH": str(tmp_path)})
    assert said.returncode != 0
    assert "libsystemd 238 is too old" in said.stderr and "doc/phones.md" in said.stderr
