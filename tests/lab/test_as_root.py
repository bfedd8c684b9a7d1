# SPDX-License-Identifier: GPL-2.0-or-later
"""tests/as-root for an ordinary user, and how the lab reports a missing program."""

from __future__ import annotations

import os
import shutil
import subprocess
from pathlib import Path

import pytest

from . import Lab
from .programs import PACKAGES, find, require

TESTS = Path(__file__).resolve().parents[1]
AS_ROOT = TESTS / "as-root"
PACKAGE_LIST = TESTS / "packages" / "list"
USERS_PATH = "/usr/local/bin:/usr/bin:/bin"     # Debian's, for users other than root
UNSHARE_FAILS = "#!/bin/sh\necho \"$@\" >>\"${0%/*}/unshared\"\nexit 1\n"


def as_root(*command: str, **environment: str) -> subprocess.CompletedProcess[str]:
    return subprocess.run([AS_ROOT, *command], capture_output=True, text=True,
                          env={"PATH": USERS_PATH} | environment)


@pytest.fixture
def refusing(tmp_path: Path) -> Path:
    """A PATH for an ordinary user on a machine that refuses namespaces."""
    for name, script in {"unshare": UNSHARE_FAILS, "id": "#!/bin/sh\necho 1000\n"}.items():
        (tmp_path / name).write_text(script)
        (tmp_path / name).chmod(0o755)
    return tmp_path


@pytest.mark.parametrize("setting,value,words", [
    ("unprivileged_userns_clone", "0", "sysctl kernel.unprivileged_userns_clone=1"),
    ("max_user_namespaces", "0", "sysctl user.max_user_namespaces=10000"),
    ("apparmor_restrict_unprivileged_userns", "1",
     "sysctl kernel.apparmor_restrict_unprivileged_userns=0"),
    ("", "", "a chroot or a container")])
def test_it_says_why_a_user_cannot_make_a_namespace(refusing: Path, setting: str, value: str,
                                                  words: str) -> None:
    """`cat` replaces the kernel's answer."""
    kernel = refusing / "cat"
    kernel.write_text("#!/bin/sh\n"
                      f'case $1 in */{setting or "none"}) echo {value} ;; *) exit 1 ;; esac\n')
    kernel.chmod(0o755)
    done = as_root("touch", str(refusing / "ran"), PATH=f"{refusing}:{USERS_PATH}")
    assert done.returncode == 1 and not (refusing / "ran").exists()
    assert "may not make user namespaces" in done.stderr and words in done.stderr
    assert "sudo make demo" in done.stderr and "become root with su" in done.stderr
    # The helper of unshare --map-auto would wait forever then.
    assert "--map-auto" not in (refusing / "unshared").read_text()


def test_a_missing_program_is_reported_with_its_package(
        monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> None:
    """At once: it waits for nothing, and leaves nothing behind."""
    for program in ("dbus-daemon", "python3"):
        (tmp_path / program).symlink_to(shutil.which(program))
    monkeypatch.setenv("PATH", str(tmp_path))
    monkeypatch.setattr("lab.ofonod.OFONOD", "ofonod")      # even if the tests run with another one
    with pytest.raises(AssertionError,
                       match="^ofonod is missing. As root: apt-get install ofono$"):
        with Lab(modem_count=1) as lab:
            assert not lab
    with pytest.raises(AssertionError, match="^openssl is missing.* apt-get install openssl$"):
        require(["nsenter", "--net=/proc/1/ns/net", "openssl", "version"])


def test_every_package_is_one_that_make_check_installs() -> None:
    listed = {line.split()[1].partition("|")[0]
              for line in PACKAGE_LIST.read_text().splitlines() if line and line[0] != "#"}
    assert set(PACKAGES.values()) <= listed
    assert find("dbus-daemon").startswith("/") and os.access(find("ofonod"), os.X_OK)
