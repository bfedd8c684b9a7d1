# SPDX-License-Identifier: GPL-2.0-or-later
"""Packages that the tests need bring services; none of them starts at the next boot."""

from __future__ import annotations

import os
import shutil
import subprocess
from collections.abc import Iterator
from pathlib import Path

import pytest

from build import PROJECT
from fresh_debian import FreshDebian
from network import NOT_RUN

PACKAGES = ["apparmor", "avahi-daemon", "haproxy", "ofono", "ufw"]
UNITS = ["apparmor.service", "avahi-daemon.service", "avahi-daemon.socket", "haproxy.service",
         "ofono.service", "ufw.service"]
INSTALL = "/source/tests/packages/install"


@pytest.fixture(scope="module")
def fresh(tmp_path_factory: pytest.TempPathFactory) -> Iterator[FreshDebian]:
    """It has a service already: cron."""
    root = tmp_path_factory.mktemp("debian") / "root"
    fresh = FreshDebian(root, ["cron", "systemd"])
    shutil.copytree(PROJECT / "tests" / "packages", root / "source/tests/packages")
    yield fresh
    subprocess.run(["rm", "-rf", "--one-file-system", root], check=True)


def enabled(root: Path) -> set[str]:
    """What starts at boot, with systemd and with init scripts."""
    links = {link for folder in ("system", "user")
             for link in root.glob(f"etc/systemd/{folder}/**/*") if link.is_symlink()}
    return {str(link) for link in links | set(root.glob("etc/rc[2345S].d/S*"))}


def is_enabled(fresh: FreshDebian, *units: str) -> list[str]:
    """It exits with 1 if one of them is not enabled."""
    return fresh.run("sh", "-c", 'systemctl is-enabled "$@" || :', "sh", *units).split()


def test_no_service_of_a_test_package_starts_at_boot(fresh: FreshDebian) -> None:
    before = enabled(fresh.root)
    ended = fresh.try_to(INSTALL, *PACKAGES)
    if ended.returncode == os.EX_TEMPFAIL:
        pytest.skip(f"{NOT_RUN}: {INSTALL}")
    assert ended.returncode == 0, ended.stdout + ended.stderr
    told = ended.stdout
    assert enabled(fresh.root) == before
    assert is_enabled(fresh, "cron.service", *UNITS) == ["enabled"] + ["disabled"] * len(UNITS)
    assert "not to start at the next boot, disabled again: " in told
    assert all(unit in told for unit in UNITS) and "cron" not in told
    policy = fresh.root / "usr/sbin/policy-rc.d"
    assert not policy.exists() or "ofono-mcp" not in policy.read_text()
    # a new version preserves that
    fresh.run("apt-get", "-q", "-y", "install", "--reinstall", "haproxy", "ofono")
    assert enabled(fresh.root) == before
