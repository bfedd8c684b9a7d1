# SPDX-License-Identifier: GPL-2.0-or-later
"""make install puts the files where packagers want them; make uninstall removes them."""

from __future__ import annotations

import os
import subprocess
from pathlib import Path

import pytest

PROJECT = Path(__file__).resolve().parents[2]
BINARY = Path(os.environ.get("GATEWAY_BINARY", PROJECT / "build" / "ofono-mcp"))


def make(*arguments: str, build: Path = BINARY.parent) -> None:
    environment = {name: value for name, value in os.environ.items()
                   if not name.startswith(("MAKE", "MFLAGS"))}
    subprocess.run(["make", "-s", f"BUILD={build}", *arguments], cwd=PROJECT, env=environment,
                   check=True, stdout=subprocess.DEVNULL)


DEMO = {"as-root", "demo/demo.py", "lab/lab.py", "lab/confine.py", "modem/modem.py"}


def files(folder: Path) -> set[str]:
    return {str(file.relative_to(folder)) for file in folder.rglob("*") if file.is_file()}


@pytest.mark.parametrize("prefix", ["/usr/local", "/usr"])
def test_an_installed_tree_works_and_is_removed_completely(tmp_path: Path, prefix: str) -> None:
    place = (f"DESTDIR={tmp_path}", f"PREFIX={prefix}")
    make("install", *place)
    home = tmp_path / prefix.lstrip("/")
    demo = files(home / "share" / "ofono-mcp")
    assert demo > DEMO and not [name for name in demo if "test_" in name]
    assert files(home) - {f"share/ofono-mcp/{name}" for name in demo} == {
        "bin/ofono-mcp", "bin/ofono-mcp-hub", "bin/ofono-mcp-link", "bin/ofono-mcp-session",
        "share/man/man1/ofono-mcp.1", "share/man/man1/ofono-mcp-session.1",
        "share/man/man8/ofono-mcp.8", "share/man/man8/ofono-mcp-hub.8",
        "share/man/man8/ofono-mcp-link.8", "share/doc/ofono-mcp-hub/ofono-mcp-hub.conf",
        "share/man/man5/ofono-mcp.conf.5", "share/doc/ofono-mcp/README.md",
        "share/doc/ofono-mcp/LICENSE", "share/doc/ofono-mcp/ofono-mcp.conf",
        "share/bash-completion/completions/ofono-mcp",
        "share/bash-completion/completions/ofono-mcp-hub"}
    for name in ("ofono-mcp", "ofono-mcp-hub"):
        subprocess.run([home / "bin" / name, "serve", "--check-config", "--config",
                        home / "share" / "doc" / name / f"{name}.conf"],
                       check=True, stdout=subprocess.DEVNULL)
    make("uninstall", *place)
    assert files(tmp_path) == set()
