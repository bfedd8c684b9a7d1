# SPDX-License-Identifier: GPL-2.0-or-later
"""Compile patterns of number prefixes into programs, which src/numbers/plan.c runs.

A program matches like Python's re.match(): the first alternative that fits wins, and groups are
recorded. An automaton could not do that. An instruction has 16 bits; the upper 3 are its kind.
"""
from __future__ import annotations

import pattern

MATCH, DIGIT, SPLIT, JUMP, SAVE, END = range(6)     # enum plan_instruction of plan.c
OPERAND_BITS = 13


def instruction(kind: int, operand: int = 0) -> int:
    if not 0 <= operand < 1 << OPERAND_BITS:
        raise OverflowError(operand)
    return kind << OPERAND_BITS | operand


def compiled(node: pattern.Node) -> list[int]:
    match node:
        case pattern.Digit(mask):
            return [instruction(DIGIT, mask)]
        case pattern.Sequence(parts):
            return [word for part in parts for word in compiled(part)]
        case pattern.Choice(branches):
            return choice([compiled(branch) for branch in branches])
        case pattern.Repeat(part, least, most):
            once = compiled(part)
            optional: list[int] = []
            for _ in range(most - least):           # from the inside out: a(a(a)?)?
                inside = once + optional
                optional = [instruction(SPLIT, len(inside) + 1)] + inside
            return once * least + optional
        case pattern.Group(part, index):
            return ([instruction(SAVE, 2 * index - 2)] + compiled(part)
                    + [instruction(SAVE, 2 * index - 1)])
        case pattern.End():
            return [instruction(END)]
    raise pattern.UnknownPattern(str(node))


def choice(branches: list[list[int]]) -> list[int]:
    """SPLIT tries the next instruction; if that fails, it jumps by its operand."""
    first, *others = branches
    if not others:
        return first
    rest = choice(others)
    return ([instruction(SPLIT, len(first) + 2)] + first
            + [instruction(JUMP, len(rest) + 1)] + rest)


class Programs:
    """All programs in one array; equal programs of several countries are stored once."""

    def __init__(self) -> None:
        self.words = [instruction(MATCH)]           # program 0 matches nothing
        self.starts: dict[str, tuple[int, int]] = {}

    def add(self, text: str | None) -> tuple[int, int]:
        """Return the first instruction of the program and the number of its groups."""
        if not text:
            return 0, 0
        if text not in self.starts:
            tree, groups = pattern.parse(text)
            self.starts[text] = len(self.words), groups
            self.words += compiled(tree) + [instruction(MATCH)]
        return self.starts[text]
