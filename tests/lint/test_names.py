# SPDX-License-Identifier: GPL-2.0-or-later
"""The check of names finds what it is there to find."""

from __future__ import annotations

from pathlib import Path

import pytest

import names

LINES = "\n" * names.FEWEST_LINES
GATE = "struct gate {\n\tint open;\n};\n\nstatic int gate_open(void)\n{\n\treturn 0;\n}\n" + LINES


def write(project: Path, name: str, text: str) -> None:
    file = project / name
    file.parent.mkdir(parents=True, exist_ok=True)
    file.write_text(text)


@pytest.fixture
def project(tmp_path: Path) -> Path:
    write(tmp_path, "src/http/gate.c", GATE)
    write(tmp_path, "src/http/gate_private.h", "enum gate_state { GATE_OPEN };\n")
    write(tmp_path, "src/main.c", "int main(void)\n{\n}\n" + LINES)
    return tmp_path


def test_a_good_tree_passes(project: Path) -> None:
    assert names.check(project) == ("3 files, 2 functions", [])


@pytest.mark.parametrize("text, complaint", [
    ("int run(void)\n{\n}\n", "1: the function run does not begin with door"),
    ("\nstatic char *\nopen_door(int a,\n\t  int b)\n{\n}\n",
     "2: the function open_door does not begin with door"),
    ("\nstruct hinge {\n};\n", "2: the type hinge does not begin with door"),
    ("\n\nenum side {\n\tLEFT,\n};\n", "3: the type side does not begin with door"),
])
def test_a_name_of_another_noun_is_reported(project: Path, text: str, complaint: str) -> None:
    write(project, "src/http/door.c", text + LINES)
    assert names.check(project)[1] == [f"src/http/door.c:{complaint}"]


def test_a_header_may_serve_several_files_of_its_folder(project: Path) -> None:
    write(project, "include/http/door.h", "struct door {\n};\nstruct gate_hinge {\n};\n")
    assert names.check(project)[1] == []
    write(project, "include/mcp/door.h", "struct gate_hinge {\n};\n")
    assert names.check(project)[1] == [
        "include/mcp/door.h:1: the type gate_hinge does not begin with door"]


@pytest.mark.parametrize("text", [
    "int door_count(void);\nint run(void);\n",
    "/* int run(void)\n{\n} */\n",
])
def test_declarations_and_comments_define_nothing(project: Path, text: str) -> None:
    write(project, "src/http/door.c", text + LINES)
    assert names.check(project)[1] == []


def test_a_name_defined_twice_is_reported_with_both_places(project: Path) -> None:
    write(project, "src/mcp/gate.c", GATE)
    assert names.check(project)[1] == [
        "src/mcp/gate.c:5: gate_open is also the name of src/http/gate.c:5"]


@pytest.mark.parametrize("lines, complaint", [
    (names.FEWEST_LINES - 1, "39 lines; 40 is the least: which file is it part of?"),
    (names.MOST_LINES + 1, "651 lines; split it: 650 is the most"),
])
def test_tiny_and_huge_files_are_reported(project: Path, lines: int, complaint: str) -> None:
    write(project, "src/http/door.c", "\n" * lines)
    assert names.check(project)[1] == [f"src/http/door.c:1: {complaint}"]


def test_a_tiny_file_may_have_a_reason(project: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setitem(names.SMALL, "src/http/door.c", "a reason")
    write(project, "src/http/door.c", "\n")
    assert names.check(project)[1] == []
    write(project, "src/http/door.c", LINES)
    assert names.check(project)[1] == [
        "src/http/door.c:1: is in the list of small files and is not small"]
