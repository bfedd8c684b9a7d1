# SPDX-License-Identifier: GPL-2.0-or-later
"""The first change that CONTRIBUTING.md shows: its steps, followed in a copy of the tree."""

from __future__ import annotations

import os
import re
import shutil
import subprocess
import textwrap
from pathlib import Path

PROJECT = Path(__file__).resolve().parents[2]
BUILD = Path(os.environ.get("GATEWAY_BINARY", PROJECT / "build" / "ofono-mcp")).parent
STEPS = (PROJECT / "CONTRIBUTING.md").read_text().partition("## A good first change")[2]
TEST = "tests/integration/test_reading_tools.py"
ZONE = "Asia/Kolkata"           # "local time" is not UTC


def shown(step: int) -> str:
    """The code that this step shows."""
    text = re.split(r"^\d\. ", STEPS, flags=re.MULTILINE)[step]
    found = re.search(r"\n\n((?: {8}.*\n|\n)+)", text)
    assert found, step
    return textwrap.dedent(found[1]).strip("\n") + "\n"


def copy(folder: Path) -> None:
    """With what is built, so that little is to be compiled."""
    names = subprocess.run(["git", "ls-files", "-z"], cwd=PROJECT, text=True, check=True,
                           stdout=subprocess.PIPE).stdout.rstrip("\0").split("\0")
    for name in names:
        (folder / name).parent.mkdir(parents=True, exist_ok=True)
        shutil.copy2(PROJECT / name, folder / name, follow_symlinks=False)
    if BUILD.exists():
        shutil.copytree(BUILD, folder / "build", symlinks=True, ignore=shutil.ignore_patterns(
            "san", "unit", "fuzz", "previous", "werror"))


def run(folder: Path, *command: str, **environment: str) -> None:
    ours = {name: value for name, value in os.environ.items()
            if not name.startswith(("MAKE", "MFLAGS", "OFONO_MCP_", "GATEWAY_", "PYTEST_"))}
    ended = subprocess.run(command, cwd=folder, env=ours | environment, text=True,
                           capture_output=True)
    assert ended.returncode == 0, ended.stdout + ended.stderr


def test_the_steps_of_the_walk_through_work(tmp_path: Path) -> None:
    """It compiles without a warning, and its test and those of the list of tools pass."""
    copy(tmp_path)
    (tmp_path / "src/tools/get_gateway_time.c").write_text(
        shown(1).replace(" " * 8, "\t"))
    header = tmp_path / "include/tools/tool_table.h"
    row = "\trow(get_gateway_status) \\\n"
    assert row in header.read_text()
    header.write_text(header.read_text().replace(row, f"{row}\t{shown(2)}"))
    with (tmp_path / TEST).open("a") as tests:
        tests.write("\n\n" + shown(3))
    name = re.findall(r"def (test_\w+)", shown(3))[0]
    run(tmp_path, "make", f"-j{os.cpu_count()}", "WERROR=1", "all")
    run(tmp_path, "tests/as-root", "/usr/bin/python3", "-B", "-m", "pytest", "-q", "-p",
        "no:cacheprovider", f"{TEST}::{name}", "tests/integration/test_scopes.py", TZ=ZONE)
