# SPDX-License-Identifier: GPL-2.0-or-later
"""The Debian packages as built."""

from __future__ import annotations

import hashlib
import subprocess
from collections.abc import Callable
from pathlib import Path

import pytest

from build import COPY, PROJECT, Build, Builder

EXPOSURE_MOST = 15      # of 100, as systemd counts
UNIT_FOLDERS = {"bookworm": "./lib/systemd/system/", "trixie": "./usr/lib/systemd/system/"}
FILES = {
    "ofono-mcp": [
        "./usr/bin/ofono-mcp", "./etc/ofono-mcp/ofono-mcp.conf", "./etc/ofono-mcp/conf.d/",
        "./etc/init.d/ofono-mcp",
        "./usr/lib/sysusers.d/ofono-mcp.conf", "./usr/share/dbus-1/system.d/ofono-mcp.conf",
        "./etc/apparmor.d/ofono-mcp", "./usr/share/man/man1/ofono-mcp.1.gz",
        "./usr/share/man/man5/ofono-mcp.conf.5.gz", "./usr/share/man/man8/ofono-mcp.8.gz",
        "./usr/share/doc/ofono-mcp/examples/ofono-mcp.conf",
        "./usr/share/bash-completion/completions/ofono-mcp",
        "./usr/share/ofono-mcp/demo/demo.py",
    ],
    "ofono-mcp-hub": [
        "./usr/bin/ofono-mcp-hub", "./etc/ofono-mcp-hub/ofono-mcp-hub.conf",
        "./etc/ofono-mcp-hub/conf.d/", "./etc/init.d/ofono-mcp-hub",
        "./etc/logrotate.d/ofono-mcp-hub", "./usr/lib/sysusers.d/ofono-mcp-hub.conf",
        "./usr/share/man/man8/ofono-mcp-hub.8.gz",
        "./usr/share/bash-completion/completions/ofono-mcp-hub",
        "./usr/share/doc/ofono-mcp-hub/examples/ofono-mcp-hub.conf",
        "./usr/share/doc/ofono-mcp-hub/examples/mosquitto/ofono-mcp.conf",
        "./usr/share/doc/ofono-mcp-hub/examples/mosquitto/ofono-mcp.acl",
        "./usr/share/doc/ofono-mcp-hub/examples/mosquitto/limits.conf",
    ],
    "ofono-mcp-link": [
        "./usr/bin/ofono-mcp-link", "./usr/lib/sysusers.d/ofono-mcp-link.conf",
        "./usr/share/man/man8/ofono-mcp-link.8.gz", "./var/lib/ofono-mcp-link/",
    ],
    "ofono-mcp-session": [
        "./usr/bin/ofono-mcp-session", "./usr/lib/systemd/user/ofono-mcp-session.service",
        "./usr/share/man/man1/ofono-mcp-session.1.gz",
    ],
    "ofono-plugin-sms-history": ["./usr/lib/ofono/plugins/ofono-mcp-history.so"],
}


def say(*command: str | Path) -> str:
    return subprocess.run(command, capture_output=True, text=True, check=True).stdout


def digests(build: Build) -> dict[str, str]:
    return {path.name: hashlib.sha256(path.read_bytes()).hexdigest()
            for path in build.all_packages}


def files(package: Path) -> set[str]:
    return {line.split()[-1] for line in say("dpkg-deb", "--contents", package).splitlines()}


@pytest.mark.parametrize("name", FILES)
def test_the_package_has_the_expected_files(built: Build, name: str) -> None:
    assert not set(FILES[name]) - files(built.packages[name])


@pytest.mark.parametrize("name", ["ofono-mcp", "ofono-mcp-hub", "ofono-mcp-link"])
def test_the_unit_is_in_the_folder_of_its_release(built: Build, release: str, name: str) -> None:
    units = {file for file in files(built.packages[name])
             if "/systemd/system/" in file and file.endswith(".service")}
    assert units == {f"{UNIT_FOLDERS[release]}{name}.service"}


def test_only_the_hub_and_the_link_need_mqtt(built: Build) -> None:
    depends = {name: say("dpkg-deb", "--field", package, "Depends")
               for name, package in built.packages.items()}
    assert {name for name, needed in depends.items() if "libmosquitto" in needed} == {
        "ofono-mcp-hub", "ofono-mcp-link"}
    assert "ofono-mcp" not in depends["ofono-mcp-hub"]


def test_no_file_is_in_two_packages(built: Build) -> None:
    """All of them can be on one machine."""
    owned = [file for package in built.packages.values() for file in files(package)
             if not file.endswith("/")]
    assert sorted(set(owned)) == sorted(owned)


def test_it_is_built_without_a_warning(built: Build) -> None:
    said = [line for line in built.log.splitlines() if "warning" in line.lower()
            and "-Wwarning" not in line]
    assert said == []


def test_the_unit_programs_compile_without_a_warning(built: Build) -> None:
    """For the other release, whose cmocka has other types of assertions, and whose gcc other
    errors: "make check" compiles them for this one."""
    built.say("make", "-C", "source", "-k", "-j2", "BUILD=build/plain", "CFLAGS=-O0",
              "WERROR=1", "unit-programs")


def test_lintian_reports_nothing(built: Build) -> None:
    """About the packages and the source package, with their release's lintian."""
    ended = built.try_to("lintian", "--allow-root", "-i", "-I", "-E", "--pedantic",
                         "--tag-display-limit=0", built.changes.name)
    assert (ended.returncode, ended.stdout) == (0, "")


def test_a_build_elsewhere_is_identical(built: Build, tmp_path: Path) -> None:
    """Also from a checkout that was made while the clock was in the past."""
    checkout = [*COPY[:2], "--mtime=1971-01-01", *COPY[2:]]
    other = Builder(tmp_path / "a-longer-path" / "elsewhere", umask=0o002,
                    timezone="Pacific/Kiritimati", language="C", user="somebody",
                    home=str(tmp_path)).build(checkout)
    assert [name for name in digests(built) if "-dbgsym_" in name]
    assert digests(other) == digests(built)


@pytest.mark.parametrize("unit", ["etc/systemd/ofono-mcp.service",
                                  "debian/ofono-mcp-hub.service",
                                  "debian/ofono-mcp-link.service"])
def test_systemd_rates_the_unit_as_confined(unit: str) -> None:
    ended = subprocess.run(
        ["systemd-analyze", "security", "--offline=yes", f"--threshold={EXPOSURE_MOST}",
         str(PROJECT / unit)],
        capture_output=True, text=True)
    assert ended.returncode == 0, ended.stdout + ended.stderr


def test_the_apparmor_profile_is_valid() -> None:
    say("apparmor_parser", "--skip-kernel-load", "--skip-cache",
        PROJECT / "etc" / "apparmor" / "ofono-mcp")


def test_the_plugin_depends_on_its_version_of_ofono(built: Build) -> None:
    depends = say("dpkg-deb", "--field", built.packages["ofono-plugin-sms-history"],
                  "Depends")
    version = built.say("pkg-config", "--modversion", "ofono").strip()
    assert f"ofono (>= {version})" in depends
    assert subprocess.run(["dpkg", "--compare-versions", f"{version}-9", "lt",
                           depends.split("ofono (<< ")[1].split(")")[0]]).returncode == 0


def test_it_is_installed_even_if_it_cannot_start(built: Build) -> None:
    script = say("dpkg-deb", "--info", built.packages["ofono-mcp"], "postinst")
    assert "invoke-rc.d" in script and "exit 1" not in script


def test_the_packages_stay_small(built: Build, record_testsuite_property: Callable[[str, object], None]) -> None:
    for name, path in built.packages.items():
        record_testsuite_property("summary", f"{name}: {path.stat().st_size} bytes")
