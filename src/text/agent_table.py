# SPDX-License-Identifier: GPL-2.0-or-later
"""Write the words of agent_lexicon.txt and agent_script.txt as sorted C tables.

    agent_table.py > agent_table.c

agent_word.h explains the tables. They hold offsets and no pointers: the pages stay clean, and
every process of the program shares them.
"""
from __future__ import annotations

import sys
from collections import defaultdict
from pathlib import Path

FOLDER = Path(__file__).parent
ANY, UPPER, WORD_END = "*", "^", " "


def phrases(file: str) -> dict[str, set[str]]:
    """Each phrase with its meanings."""
    found: dict[str, set[str]] = defaultdict(set)
    meanings: list[str] = []
    for number, line in enumerate((FOLDER / file).read_text("utf-8").splitlines(), 1):
        if line.startswith("["):
            meanings = line.strip("[]").split()
        elif line and not line.startswith("#"):
            for phrase in line.split("|"):
                if not meanings or not phrase or line.endswith(" "):
                    sys.exit(f"{file}:{number}: phrases under [meanings], without blank ends")
                found[phrase].update(meanings)
    return found


def key(phrase: str) -> bytes:
    """In the order of bytes; those with any beginning come last."""
    return phrase.removeprefix(UPPER).encode().replace(ANY.encode(), b"\xff", phrase[0] == ANY)


def expression(meanings: frozenset[str]) -> str:
    return " | ".join(f"AGENT_WORD_{meaning.upper()}" for meaning in sorted(meanings))


def write_table(name: str, file: str) -> None:
    rows = sorted((key(phrase), phrase, frozenset(meanings))
                  for phrase, meanings in phrases(file).items())
    kinds = sorted({meanings for _, _, meanings in rows}, key=sorted)
    offset, offsets = 0, []
    print(f"static const char {name}_text[] =")
    for _, phrase, _ in rows:
        print(f'\t"{phrase}\\0"')
        offsets.append(offset)
        offset += len(phrase.encode()) + 1
    if offset > 1 << 16 or len(kinds) > 1 << 8:
        raise OverflowError(f"{file}: {offset} bytes, {len(kinds)} kinds")
    print(f";\n\nstatic const uint16_t {name}_offsets[] = {{ {', '.join(map(str, offsets))} }};")
    print(f"static const unsigned {name}_meanings[] = {{")
    for kind in kinds:
        print(f"\t{expression(kind)},")
    print(f"}};\nstatic const unsigned char {name}_kinds[] = {{",
          ", ".join(str(kinds.index(meanings)) for _, _, meanings in rows), "};\n")
    print(f"const struct agent_word_table {name} = {{\n\t{name}_text, {name}_offsets, "
          f"{name}_kinds, {name}_meanings,\n\t{len(rows)}, "
          f"{sum(phrase[0] == ANY for _, phrase, _ in rows)}\n}};\n")


def main() -> None:
    print("/* Written by src/text/agent_table.py. */\n#include \"text/agent_word.h\"\n")
    write_table("agent_lexicon", "agent_lexicon.txt")
    write_table("agent_script", "agent_script.txt")


main()
