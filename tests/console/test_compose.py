# SPDX-License-Identifier: GPL-2.0-or-later
"""The script that is served is the one that is written: compose takes nothing away from it
but blanks and comments, and gives names that are its own others.  esbuild, which knows the
language, prints both alike."""

from __future__ import annotations

import json
import re
import subprocess
from pathlib import Path

import pytest

from npm import Npm

SOURCE = Path(__file__).resolve().parents[2] / "src/console"
TOKEN = re.compile(r"""(?<=[=(,|&])/(?:\\.|\[[^\]]*\]|[^/\n[\\])+/[a-z]*|"(?:\\.|[^"\\\n])*"|'(?:\\.|[^'\\\n])*'
                       |\.\.\.|\#?[\w$]+|\S""", re.VERBOSE)

TEMPLATE = re.compile(r"`((?:\\.|[^`\\])*)`")
PLACED = re.compile(r"\$\{([^{}]*)\}")


def opened(template: re.Match[str]) -> str:
    """Its text as a string, and behind it the code in it."""
    return " ".join([json.dumps(PLACED.sub("$", template[1])), *PLACED.findall(template[1])])


def tokens(script: str) -> list[str]:
    esbuild = Npm.installed().folder / "node_modules/.bin/esbuild"
    printed = subprocess.run([esbuild, "--minify-whitespace"], input=script,
                             capture_output=True, text=True, check=True, timeout=60).stdout
    whole = re.sub(r'(?<!\\)"\+"', "", printed)         # of a text in two lines
    whole = TEMPLATE.sub(opened, whole)
    return [token for token in TOKEN.findall(whole) if token not in ("const", ";", ",")]


@pytest.fixture(scope="module")
def pairs() -> list[tuple[str, str]]:
    """Token by token: as it is written, and as it is served."""
    page = subprocess.run(["perl", SOURCE / "compose", SOURCE], capture_output=True, text=True,
                          check=True).stdout
    served = tokens(re.search(r'<script type="module">(.*)</script>', page, re.DOTALL)[1])
    parts = re.findall(r"^@(.*\.js)@$", (SOURCE / "page.html").read_text(), re.MULTILINE)
    written = tokens("\n".join((SOURCE / part).read_text() for part in parts))
    assert len(written) == len(served)
    return list(zip(written, served, strict=True))


def test_nothing_but_names_differs(pairs: list[tuple[str, str]]) -> None:
    for name, short in pairs:
        assert name == short or short.startswith("$") or name[0] == short[0] == "#", name


def test_each_name_is_one(pairs: list[tuple[str, str]]) -> None:
    """A short name stands for one name, and wherever that stands but as a member's."""
    names = {short: name for name, short in pairs if name != short and short[0] == "$"}
    assert len(names) > 100
    shorts = {name: short for short, name in names.items()}
    assert len(shorts) == len(names)
    before = "\n"
    for name, short in pairs:
        if short in names:
            assert (names[short], before) == (name, before) and before != "."
        elif before != ".":
            assert short not in shorts, f"{before} {name}"
        before = name


def test_a_private_name_is_one_of_its_class(pairs: list[tuple[str, str]]) -> None:
    seen: dict[str, str] = {}
    for name, short in pairs:
        if name == "class":
            seen = {}
        if name.startswith("#"):
            assert seen.setdefault(short, name) == name
