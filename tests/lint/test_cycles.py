# SPDX-License-Identifier: GPL-2.0-or-later
"""The check for circles inside a folder finds circles."""

from __future__ import annotations

import subprocess
from pathlib import Path

import cycles


def build(project: Path, needs: dict[str, list[str]]) -> None:
    """One file for each name, in folder "ring", which calls the files that it needs."""
    for name, others in needs.items():
        source = project / "src" / "ring" / f"{name}.c"
        item = project / "build" / "ring" / f"{name}.o"
        source.parent.mkdir(parents=True, exist_ok=True)
        item.parent.mkdir(parents=True, exist_ok=True)
        calls = "".join(f"void {other}(void);\n" for other in others)
        body = "".join(f"\t{other}();\n" for other in others)
        source.write_text(f"{calls}void {name}(void)\n{{\n{body}}}\n")
        subprocess.run(["gcc", "-c", "-o", item, source], check=True)


def test_a_chain_is_not_a_circle(tmp_path: Path) -> None:
    build(tmp_path, {"a": ["b"], "b": ["c"], "c": ["d", "puts"], "d": []})
    assert cycles.check(tmp_path, Path("build")) == ("ring 1", [])


def test_three_files_may_need_each_other(tmp_path: Path) -> None:
    build(tmp_path, {"a": ["b"], "b": ["c"], "c": ["a"], "d": ["a"]})
    assert cycles.check(tmp_path, Path("build")) == ("ring 3", [])


def test_a_circle_of_four_is_reported_with_its_files(tmp_path: Path) -> None:
    build(tmp_path, {"a": ["b"], "b": ["c"], "c": ["d", "e"], "d": ["a"], "e": []})
    assert cycles.check(tmp_path, Path("build")) == (
        "ring 4", ["src/ring/a.c:1: 4 files depend on each other in a circle, 3 are the most: "
                   "ring/a.c ring/b.c ring/c.c ring/d.c"])


def test_a_file_that_is_not_built_is_reported(tmp_path: Path) -> None:
    build(tmp_path, {"a": []})
    (tmp_path / "src" / "ring" / "b.c").write_text("int x;\n")
    assert cycles.check(tmp_path, Path("build"))[1] == [
        "src/ring/b.c:1: is not built: no build/ring/b.o"]


def test_a_file_of_the_hub_alone_is_found_where_the_hub_is_built(tmp_path: Path) -> None:
    build(tmp_path, {"a": ["b"], "b": ["a"]})
    hub = tmp_path / "build" / "as-hub" / "ring"
    hub.mkdir(parents=True)
    (tmp_path / "build" / "ring" / "b.o").rename(hub / "b.o")
    assert cycles.check(tmp_path, Path("build")) == ("ring 2", [])
