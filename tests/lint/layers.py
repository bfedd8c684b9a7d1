#!/usr/bin/python3
# SPDX-License-Identifier: GPL-2.0-or-later
"""Check the includes of src/ and include/ against doc/layers.

    tests/lint/layers.py [FOLDER]       of the project, default: this one

Each complaint names file, line and rule.
"""

from __future__ import annotations

import re
import sys
from collections.abc import Iterator
from pathlib import Path

PROJECT = Path(__file__).resolve().parents[2]
INCLUDE = re.compile(r'\s*#\s*include\s*(["<])([^">]*)[">]')

Rules = dict[str, list[str]]


def read_rules(file: Path) -> tuple[Rules, list[str]]:
    """What each layer may include besides itself, and what is wrong with the file."""
    rules: Rules = {}
    complaints = []
    for number, line in enumerate(file.read_text().splitlines(), start=1):
        line = line.partition("#")[0].strip()
        if not line:
            continue
        layer, _, allowed = (part.strip() for part in line.partition(":"))
        for other in allowed.split():
            if other not in rules:
                complaints.append(f"doc/layers:{number}: {layer} may not name {other}, "
                                  "which has no line above")
        if layer in rules:
            complaints.append(f"doc/layers:{number}: {layer} has a line already")
        rules[layer] = allowed.split()
    return rules, complaints


def sources(project: Path) -> Iterator[tuple[str, Path]]:
    """Every file with its layer: its folder, or its name if it is in no folder."""
    for root in (project / "src", project / "include"):
        for file in sorted(root.rglob("*.[ch]")):
            yield file.relative_to(root).parts[0], file


def check_include(project: Path, rules: Rules, layer: str, mark: str, header: str) -> str:
    """The complaints about it."""
    folder, slash, _ = header.partition("/")
    if mark == "<":
        ours = slash and folder in rules
        return f"<{header}> is ours and is written in quotes" if ours else ""
    if not slash or ".." in header:
        return f'"{header}" must be named as "folder/file.h"'
    if folder != layer and (project / "src" / header).exists():
        return f'"{header}" lies in src/ and is only for its own folder'
    if folder != layer and folder not in rules[layer]:
        allowed = ", ".join(rules[layer]) or "no other folder"
        return f'{layer} may not include "{header}": doc/layers allows {allowed}'
    return ""


def check(project: Path) -> tuple[int, list[str]]:
    """The number of files checked, and the complaints."""
    rules, complaints = read_rules(project / "doc" / "layers")
    files = 0
    for layer, file in sources(project):
        files += 1
        name = file.relative_to(project)
        if layer not in rules:
            complaints.append(f"{name}:1: doc/layers has no line for {layer}")
            continue
        for number, line in enumerate(file.read_text().splitlines(), start=1):
            if found := INCLUDE.match(line):
                if complaint := check_include(project, rules, layer, *found.groups()):
                    complaints.append(f"{name}:{number}: {complaint}")
    return files, complaints


def main() -> int:
    files, complaints = check(Path(sys.argv[1]) if len(sys.argv) > 1 else PROJECT)
    print(*complaints or [f"{files} files keep to doc/layers"], sep="\n")
    return 1 if complaints or not files else 0


if __name__ == "__main__":
    sys.exit(main())
