# SPDX-License-Identifier: GPL-2.0-or-later
"""make refuses paths that it would split, and two of them in one tree do not interfere."""

from __future__ import annotations

import os
import shutil
import subprocess
from collections.abc import Iterator
from pathlib import Path

import pytest

PROJECT = Path(__file__).resolve().parents[2]
# It makes empty files, and lists them.
COMPILER = """#!/bin/sh
case " $* " in *" -E "*) exit 0 ;; esac
while [ "$1" != -o ]; do shift; done
echo "$2" >>"$COMPILED"
: >"$2"
"""


def environment(**more: str) -> dict[str, str]:
    """The environment of a shell, independent of who runs these tests."""
    return {name: value for name, value in os.environ.items()
            if not name.startswith(("MAKE", "MFLAGS", "OFONO_MCP"))} | more


def make(tree: Path, *arguments: str) -> subprocess.CompletedProcess[str]:
    return subprocess.run(["make", *arguments], cwd=tree, env=environment(),
                          stdin=subprocess.DEVNULL, capture_output=True, text=True)


@pytest.fixture(scope="module")
def tree(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Path]:
    copy = tmp_path_factory.mktemp("tree") / "copy"
    shutil.copytree(PROJECT, copy, symlinks=True, ignore=shutil.ignore_patterns(
        "build", ".git", "corpus", "__pycache__"))
    yield copy
    shutil.rmtree(copy)


@pytest.mark.parametrize("target", ["all", "clean", "deb", "rpm", "uninstall"])
@pytest.mark.parametrize("name", ["tree of mine", "tree\tof mine"])
def test_a_folder_with_a_space_is_refused(tmp_path: Path, target: str, name: str) -> None:
    """Otherwise "make deb" or "make clean" would run "rm -rf" on a part of the path."""
    victim, folder = tmp_path / name.split()[0], tmp_path / name
    victim.mkdir()
    folder.mkdir()
    shutil.copy(PROJECT / "Makefile", folder)
    done = make(folder, target)
    assert done.returncode == 2
    assert f'this folder is "{folder}", and make cannot work with a space' in done.stderr
    assert done.stdout == "" and victim.exists() and os.listdir(folder) == ["Makefile"]


@pytest.mark.parametrize("name", ["BUILD", "PREFIX", "DESTDIR", "PLUGIN_SPOOL"])
@pytest.mark.parametrize("target", ["all", "uninstall", "clean"])
def test_a_variable_with_a_space_is_refused(tmp_path: Path, name: str, target: str) -> None:
    victim = tmp_path / "a"
    victim.mkdir()
    shutil.copy(PROJECT / "Makefile", tmp_path)
    done = make(tmp_path, target, f"{name}={victim} b")
    assert done.returncode == 2 and done.stdout == ""
    assert f'{name} is "{victim} b", and make cannot work with a space' in done.stderr
    assert victim.exists()


@pytest.mark.parametrize("build", ["", ".", "..", "../..", "/"])
def test_a_build_folder_that_holds_the_sources_is_refused(tmp_path: Path, build: str) -> None:
    """rm is a script of ours, in case "make clean" calls it."""
    tools, asked = tmp_path / "tools", tmp_path / "asked"
    tools.mkdir()
    (tools / "rm").write_text(f'#!/bin/sh\necho "$@" >>{asked}\n')
    (tools / "rm").chmod(0o755)
    (tmp_path / "sources").mkdir()
    shutil.copy(PROJECT / "Makefile", tmp_path / "sources")
    done = subprocess.run(["make", "clean", f"BUILD={build}"], cwd=tmp_path / "sources",
                          env=environment(PATH=f"{tools}:{os.environ['PATH']}"),
                          capture_output=True, text=True)
    assert done.returncode == 2 and "needs to be a folder of its own" in done.stderr
    assert not asked.exists()


def test_two_makes_in_one_tree_do_not_interfere(tree: Path, tmp_path: Path) -> None:
    """The second one finds everything made."""
    compiler, compiled = tmp_path / "compiler", tmp_path / "compiled"
    compiler.write_text(COMPILER)
    compiler.chmod(0o755)
    both = [subprocess.Popen(
        ["make", "-j4", f"CC={compiler}", *goals], cwd=tree,
        env=environment(COMPILED=str(compiled)), stdin=subprocess.DEVNULL,
        stdout=subprocess.PIPE, stderr=subprocess.STDOUT, text=True)
        for goals in ([], ["all", "faults"])]
    outputs = [one.communicate()[0] for one in both]
    assert [one.returncode for one in both] == [0, 0], outputs
    made = compiled.read_text().splitlines()
    assert "build/main.o" in made and "build/ofono-mcp" in made
    assert len(made) == len(set(made))
