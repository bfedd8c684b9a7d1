# SPDX-License-Identifier: GPL-2.0-or-later
"""make plugin refuses the headers of an oFono that could not load the plugin."""

from __future__ import annotations

import os
import shutil
import subprocess
from pathlib import Path

import pytest

from lab.gateway import BINARY

PROJECT = BINARY.parents[1]
HEADERS = Path("/usr/include/ofono")


@pytest.fixture
def old_ofono(tmp_path: Path) -> Path:
    """The machine's headers, changed to those of UBports 1.17, and their ofono.pc."""
    shutil.copytree(HEADERS, tmp_path / "include" / "ofono")
    modem = tmp_path / "include" / "ofono" / "modem.h"
    modem.write_text(modem.read_text().replace("ofono_modem_get_sim", "ofono_modem_no_sim"))
    (tmp_path / "ofono.pc").write_text(
        "Name: ofono\nDescription: old\nVersion: 1.17\nplugindir=/nowhere\n"
        f"Cflags: -I{tmp_path}/include\n")
    return tmp_path


def make_plugin(folder: Path, config: str) -> subprocess.CompletedProcess[str]:
    return subprocess.run(["make", "-C", PROJECT, "plugin", f"BUILD={folder}/build"],
                          env=os.environ | {"PKG_CONFIG_PATH": config}, text=True,
                          capture_output=True)


def test_the_plugin_is_not_built_for_an_old_ofono(old_ofono: Path) -> None:
    done = make_plugin(old_ofono, str(old_ofono))
    assert done.returncode != 0
    assert "version 1.17, whose ofonod has no ofono_modem_get_sim" in done.stderr
    assert not list(old_ofono.rglob("*.so"))


def test_the_plugin_is_built_for_the_installed_ofono(tmp_path: Path) -> None:
    done = make_plugin(tmp_path, "")
    assert done.returncode == 0, done.stderr
    assert list(tmp_path.rglob("ofono-mcp-history.so"))
