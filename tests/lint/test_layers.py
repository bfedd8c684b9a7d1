# SPDX-License-Identifier: GPL-2.0-or-later
"""The check of the layers finds violations."""

from __future__ import annotations

from pathlib import Path

import pytest

import layers

RULES = "base:\nhttp: base\nmain.c: http\n"


@pytest.fixture
def project(tmp_path: Path) -> Path:
    write(tmp_path, "doc/layers", RULES)
    write(tmp_path, "include/http/gate.h", '#include <stdio.h>\n#include "base/log.h"\n')
    write(tmp_path, "src/base/log.c", '#include "base/log.h"\n')
    write(tmp_path, "src/main.c", '#include "http/gate.h"\n')
    return tmp_path


def write(project: Path, name: str, text: str) -> None:
    file = project / name
    file.parent.mkdir(parents=True, exist_ok=True)
    file.write_text(text)


def test_a_good_tree_passes(project: Path) -> None:
    assert layers.check(project) == (3, [])


@pytest.mark.parametrize("file, line, complaint", [
    ("src/base/log.c", '#include "http/gate.h"',
     'base may not include "http/gate.h": doc/layers allows no other folder'),
    ("include/base/log.h", '  #  include "http/gate.h"',
     'base may not include "http/gate.h": doc/layers allows no other folder'),
    ("src/main.c", '#include "base/log.h"',
     'main.c may not include "base/log.h": doc/layers allows http'),
    ("src/http/gate.c", '#include "mcp/rpc.h"',
     'http may not include "mcp/rpc.h": doc/layers allows base'),
    ("src/http/gate.c", "#include <base/log.h>", "<base/log.h> is ours and is written in quotes"),
    ("src/http/gate.c", '#include "gate.h"', '"gate.h" must be named as "folder/file.h"'),
    ("src/http/gate.c", '#include "../base/log.h"',
     '"../base/log.h" must be named as "folder/file.h"'),
])
def test_a_wrong_include_is_named(project: Path, file: str, line: str,
                                  complaint: str) -> None:
    write(project, file, f"\n{line}\n")
    assert layers.check(project)[1] == [f"{file}:2: {complaint}"]


def test_a_folder_without_a_rule_is_reported(project: Path) -> None:
    write(project, "src/radio/radio.c", "")
    assert layers.check(project)[1] == [
        "src/radio/radio.c:1: doc/layers has no line for radio"]


def test_the_rules_cannot_make_a_circle(project: Path) -> None:
    write(project, "doc/layers", "base: http\nhttp: base\nmain.c: http\n")
    assert layers.check(project)[1] == [
        "doc/layers:1: base may not name http, which has no line above"]


def test_a_header_beside_its_source_is_for_its_folder_only(project: Path) -> None:
    write(project, "src/base/log_file.h", "")
    write(project, "src/base/log.c", '#include "base/log_file.h"\n')
    write(project, "src/http/gate.c", '\n#include "base/log_file.h"\n')
    assert layers.check(project)[1] == [
        'src/http/gate.c:2: "base/log_file.h" lies in src/ and is only for its own folder']
