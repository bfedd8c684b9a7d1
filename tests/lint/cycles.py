#!/usr/bin/python3
# SPDX-License-Identifier: GPL-2.0-or-later
"""Check that the files of a folder do not depend on each other in a circle.

    tests/lint/cycles.py [BUILD]        the folder with the objects, default: build

A file depends on another if its object refers to a symbol that the other one defines. At most
MOST files may form a circle. doc/layers rules out circles between folders.
"""

from __future__ import annotations

import subprocess
import sys
from collections import defaultdict
from pathlib import Path

PROJECT = Path(__file__).resolve().parents[2]
MOST = 3
HUB = "as-hub"                          # in BUILD; src/remote is built for the hub alone
DEFINES = set("TDBRVWC")                # letters of nm(1) for global symbols

Graph = dict[str, set[str]]


def symbols(item: Path) -> tuple[set[str], set[str]]:
    """The symbols that an object defines for others, and those that it refers to."""
    defined, needed = set(), set()
    listing = subprocess.run(["nm", item], text=True, check=True, stdout=subprocess.PIPE).stdout
    for line in listing.splitlines():
        *_, letter, name = line.split()
        if letter in DEFINES:
            defined.add(name)
        elif letter == "U":
            needed.add(name)
    return defined, needed


def dependencies(objects: dict[str, tuple[set[str], set[str]]]) -> Graph:
    owner = {name: file for file, (defined, _) in objects.items() for name in defined}
    return {file: {owner[name] for name in needed if name in owner} - {file}
            for file, (_, needed) in objects.items()}


def reachable(graph: Graph, start: str) -> set[str]:
    seen, left = set[str](), [start]
    while left:
        for other in graph[left.pop()] - seen:
            seen.add(other)
            left.append(other)
    return seen


def circles(graph: Graph) -> list[list[str]]:
    """Each set of files that all reach each other, largest first."""
    reach = {file: reachable(graph, file) for file in graph}
    found = {tuple(sorted(other for other in reach[file] if file in reach[other]))
             for file in graph if file in reach[file]}
    return sorted((list(circle) for circle in found), key=lambda circle: (-len(circle), circle))


def check(project: Path, build: Path) -> tuple[str, list[str]]:
    """The largest circle of each folder, and the complaints."""
    folders: dict[str, dict[str, tuple[set[str], set[str]]]] = defaultdict(dict)
    complaints = []
    for source in sorted((project / "src").rglob("*.c")):
        name = source.relative_to(project / "src")
        if len(name.parts) < 2:
            continue
        places = [project / build / folder / name.with_suffix(".o") for folder in ("", HUB)]
        item = next(filter(Path.exists, places), None)
        if not item:
            complaints.append(f"src/{name}:1: is not built: no {places[0].relative_to(project)}")
            continue
        folders[name.parts[0]][str(name)] = symbols(item)
    largest = {}
    for folder, objects in folders.items():
        found = circles(dependencies(objects))
        largest[folder] = max(map(len, found), default=1)
        complaints += [f"src/{circle[0]}:1: {len(circle)} files depend on each other in a circle, "
                       f"{MOST} are the most: {' '.join(circle)}"
                       for circle in found if len(circle) > MOST]
    return ", ".join(f"{folder} {count}" for folder, count in largest.items()), complaints


def main() -> int:
    counted, complaints = check(PROJECT, Path(sys.argv[1] if len(sys.argv) > 1 else "build"))
    print(*complaints, counted, sep="\n")
    return 1 if complaints else 0


if __name__ == "__main__":
    sys.exit(main())
