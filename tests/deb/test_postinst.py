# SPDX-License-Identifier: GPL-2.0-or-later
"""The service's user joins the group that Sailfish OS's oFono requires, if it exists."""

from __future__ import annotations

import os
import subprocess
from pathlib import Path

import pytest

from build import PROJECT

POSTINST = PROJECT / "debian" / "ofono-mcp.postinst"


def run_postinst(folder: Path, word: str, has_group: bool) -> list[str]:
    """What it did, with fakes of the programs that change the system."""
    log = folder / "log"
    log.touch()
    for name in ("getent", "systemd-sysusers", "usermod", "dbus-send", "busctl"):
        program = folder / name
        code = 0 if name != "getent" or has_group else 2
        program.write_text(f'#!/bin/sh\necho "{name} $*" >>{log}\nexit {code}\n')
        program.chmod(0o755)
    subprocess.run(["sh", POSTINST, word], check=True,
                   env=os.environ | {"PATH": f"{folder}:{os.environ['PATH']}"})
    return log.read_text().splitlines()


def test_the_user_exists_before_it_joins(tmp_path: Path) -> None:
    done = [line for line in run_postinst(tmp_path, "configure", has_group=True)
            if not line.startswith("dbus-send")]        # only if there is a bus
    assert done == ["systemd-sysusers ofono-mcp.conf", "getent group sailfish-radio",
                    "usermod --append --groups sailfish-radio ofono-mcp"]


@pytest.mark.parametrize("word,has_group", [("configure", False), ("abort-upgrade", True)])
def test_other_systems_are_left_alone(tmp_path: Path, word: str, has_group: bool) -> None:
    assert not [line for line in run_postinst(tmp_path, word, has_group)
                if line.startswith("usermod")]
