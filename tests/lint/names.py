#!/usr/bin/python3
# SPDX-License-Identifier: GPL-2.0-or-later
"""Check names and sizes of the C sources.

    tests/lint/names.py [FOLDER]        of the project, default: this one

A file is named for a noun, and every function and type in it begins with that noun. A header
may serve several source files of its folder: then its types begin with the nouns of those. No
name is defined twice in the program, so that a backtrace or "git grep" finds one place. Files
are neither tiny nor huge. Each complaint names file, line and rule.
"""

from __future__ import annotations

import re
import sys
from collections import defaultdict
from collections.abc import Iterator
from pathlib import Path

PROJECT = Path(__file__).resolve().parents[2]
FEWEST_LINES, MOST_LINES = 40, 650
SMALL = {                               # with the reason
    "src/main_hub.c": "the tables alone, of another program",
    "src/cli/command_list.c": "the table alone: the hub has another",
    "src/gateway/command_table.c": "the table alone, so that tests can link another",
    "src/gateway/metric_limits.c": "one metric that reads the store, tested without the others",
}
ROWS = {                                # types of the store: a row has the name of the thing
    "balance", "call_state", "conversation", "delivery", "event", "event_kind", "gap", "message",
    "message_change", "message_direction", "message_state", "opt", "refusal",
}
COMMENT_OR_STRING = re.compile(r'/\*.*?\*/|//[^\n]*|"(?:\\.|[^"\\\n])*"', re.DOTALL)
FUNCTION = re.compile(r"^[a-zA-Z_][\w\s*]*?[\s*](\w+)\([^;{}]*\)\s*\n\{", re.MULTILINE)
TYPE = re.compile(r"^(?:struct|enum|union) (\w+)\s*\{", re.MULTILINE)
SHARED = re.compile(r"_(private|internal)$")   # a header shared by all files of one noun


def without_comments(text: str) -> str:
    """The same lines, with comments and strings removed."""
    return COMMENT_OR_STRING.sub(lambda found: "\n" * found[0].count("\n"), text)


def sources(project: Path) -> Iterator[tuple[str, str]]:
    """Name and text of every C file of the programs."""
    for folder in ("src", "include", "plugin"):
        for file in sorted((project / folder).rglob("*.[ch]")):
            yield str(file.relative_to(project)), file.read_text()


def check_size(name: str, text: str) -> Iterator[str]:
    lines = text.count("\n")
    if lines > MOST_LINES:
        yield f"{name}:1: {lines} lines; split it: {MOST_LINES} is the most"
    if name.endswith(".c") and lines < FEWEST_LINES and name not in SMALL:
        yield f"{name}:1: {lines} lines; {FEWEST_LINES} is the least: which file is it part of?"
    if name in SMALL and lines >= FEWEST_LINES:
        yield f"{name}:1: is in the list of small files and is not small"


def nouns_of(project: Path, name: str) -> tuple[str, ...]:
    """The nouns that names in a file may begin with."""
    file = Path(name)
    own = SHARED.sub("", file.stem)
    if file.suffix == ".c":
        return own,
    folder = project / "src" / Path(*file.parts[1:-1])
    return own, *(source.stem for source in folder.glob("*.c"))


def check(project: Path) -> tuple[str, list[str]]:
    """Counts, and the complaints."""
    complaints: list[str] = []
    defined: dict[str, list[str]] = defaultdict(list)
    files = nouns = 0
    for name, text in sources(project):
        files += 1
        complaints += check_size(name, text)
        allowed = nouns_of(project, name)
        code = without_comments(text)
        for kind, pattern in ("function", FUNCTION), ("type", TYPE):
            for found in pattern.finditer(code):
                place = f"{name}:{code.count(chr(10), 0, found.start()) + 1}"
                if found[1] == "__attribute__" or found[1] in ROWS:
                    continue
                if not found[1].startswith(allowed) and found[1] != "main":
                    complaints.append(
                        f"{place}: the {kind} {found[1]} does not begin with {allowed[0]}")
                if name.endswith(".c") and kind == "function":
                    defined[found[1]].append(place)
    for function, places in sorted(defined.items()):
        nouns += 1
        if len(places) == 2 and {place.split("/")[1] for place in places} == {"ofono", "remote"}:
            continue                    # the door to the radio: include/ofono/ofono.h
        if len(places) > 1 and function != "main":
            complaints.append(f"{places[1]}: {function} is also the name of {places[0]}")
    return f"{files} files, {nouns} functions", complaints


def main() -> int:
    counted, complaints = check(Path(sys.argv[1]) if len(sys.argv) > 1 else PROJECT)
    print(*complaints or [counted], sep="\n")
    return 1 if complaints else 0


if __name__ == "__main__":
    sys.exit(main())
