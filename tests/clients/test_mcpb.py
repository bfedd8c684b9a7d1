# SPDX-License-Identifier: GPL-2.0-or-later
"""The bundles of `make mcpb`: valid for Anthropic's own tool, and their program works."""

from __future__ import annotations

import json
import platform
import shutil
import subprocess
import sys
from pathlib import Path

import pytest

from agent import pair
from lab import Lab
from modem.patience import patience
from npm import Npm

PROJECT = Path(__file__).resolve().parents[2]
MCPB = "@anthropic-ai/mcpb/dist/cli/cli.js"
MACHINES = {"x86_64": 62, "aarch64": 183}           # e_machine of ELF
REQUEST = {"jsonrpc": "2.0", "id": 1, "method": "tools/list", "params": {"_meta": {
    "io.modelcontextprotocol/protocolVersion": "2026-07-28",
    "io.modelcontextprotocol/clientInfo": {"name": "t", "version": "1"},
    "io.modelcontextprotocol/clientCapabilities": {}}}}


@pytest.fixture(scope="module")
def bundles(tmp_path_factory: pytest.TempPathFactory) -> dict[str, Path]:
    """Of this machine, and of the other if its compiler is there."""
    folder = tmp_path_factory.mktemp("mcpb")
    names = [name for name in MACHINES if name == platform.machine()
             or shutil.which(f"{name}-linux-gnu-gcc")]
    subprocess.run([sys.executable, "-B", str(PROJECT / "mcpb" / "build.py"), str(folder), "0.1.0",
                    *names], check=True, timeout=patience(300))
    return {name: folder / f"ofono-mcp-{name}.mcpb" for name in names}


def unpack(npm: Npm, home: Path, bundle: Path) -> Path:
    folder = home / bundle.stem
    ended = npm.run(home, MCPB, "unpack", str(bundle), str(folder))
    assert ended.returncode == 0, ended.stdout + ended.stderr
    return folder


def test_each_bundle_is_valid_and_for_its_machine(npm: Npm, bundles: dict[str, Path],
                                                  tmp_path: Path) -> None:
    for name, bundle in bundles.items():
        folder = unpack(npm, tmp_path, bundle)
        ended = npm.run(tmp_path, MCPB, "validate", str(folder / "manifest.json"))
        assert ended.returncode == 0, ended.stdout + ended.stderr
        manifest = json.loads((folder / "manifest.json").read_text())
        assert manifest["user_config"]["token"]["sensitive"] is True
        program = folder / manifest["server"]["entry_point"]
        assert program.stat().st_mode & 0o111
        head = program.read_bytes()[:20]
        assert head[:4] == b"\x7fELF" and head[18] == MACHINES[name]


def test_the_program_of_a_bundle_reaches_a_gateway(npm: Npm, bundles: dict[str, Path],
                                                   lab: Lab, tmp_path: Path) -> None:
    folder = unpack(npm, tmp_path, bundles[platform.machine()])
    server = json.loads((folder / "manifest.json").read_text())["server"]
    given = {"url": f"http://127.0.0.1:{lab.gateway.port}", "token": pair(lab.gateway, "bundle")}
    environment = {name: given.get(text[len("${user_config."):-1], text)
                   for name, text in server["mcp_config"]["env"].items()}
    ended = subprocess.run([str(folder / server["entry_point"])], env=environment, text=True,
                           input=json.dumps(REQUEST) + "\n", capture_output=True,
                           timeout=patience(20))
    assert ended.returncode == 0, ended.stderr
    assert json.loads(ended.stdout)["result"]["tools"][0]["name"] == "send_sms"


def test_the_program_says_what_is_missing(npm: Npm, bundles: dict[str, Path],
                                          tmp_path: Path) -> None:
    program = unpack(npm, tmp_path, bundles[platform.machine()]) / "server/ofono-mcp-bridge"
    for url, problem in (("${user_config.url}", "is missing"), ("phone", "takes http://"),
                         ("ssh://-oProxyCommand=x", "names no host")):
        ended = subprocess.run([str(program)], env={"OFONO_MCP_URL": url}, text=True,
                               stdin=subprocess.DEVNULL, capture_output=True)
        assert ended.returncode == 2 and problem in ended.stderr
