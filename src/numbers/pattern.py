# SPDX-License-Identifier: GPL-2.0-or-later
"""Parse the regular expressions of libphonenumber's metadata into a tree.

Supported are digits, \\d, [...], groups, |, ?, {m}, {m,n} and $ at the end. Each matches a finite
set of strings, so automata and programs made of them have no loops. Anything else is an error,
because tables without it would be wrong.
"""
from __future__ import annotations

from dataclasses import dataclass

ALL_DIGITS = (1 << 10) - 1


class UnknownPattern(Exception):
    pass


@dataclass(frozen=True)
class Digit:
    mask: int                       # a bit for each digit that matches


@dataclass(frozen=True)
class Sequence:
    parts: tuple["Node", ...]


@dataclass(frozen=True)
class Choice:
    branches: tuple["Node", ...]    # the first that matches counts, as in Python


@dataclass(frozen=True)
class Repeat:
    part: "Node"
    least: int
    most: int                       # greedy


@dataclass(frozen=True)
class Group:
    part: "Node"
    index: int                      # from 1


@dataclass(frozen=True)
class End:
    pass


Node = Digit | Sequence | Choice | Repeat | Group | End


class Parser:
    def __init__(self, text: str) -> None:
        self.text, self.at, self.groups = text, 0, 0

    def fail(self) -> UnknownPattern:
        return UnknownPattern(f"{self.text!r}, at character {self.at}")

    def peek(self) -> str:
        return self.text[self.at:self.at + 1]

    def take(self, expected: str = "") -> str:
        character = self.peek()
        if not character or (expected and character != expected):
            raise self.fail()
        self.at += 1
        return character

    def has(self, text: str) -> bool:
        if not self.text.startswith(text, self.at):
            return False
        self.at += len(text)
        return True

    def number(self) -> int:
        digits = ""
        while self.peek().isdigit():
            digits += self.take()
        if not digits:
            raise self.fail()
        return int(digits)

    def digit_set(self) -> Digit:
        mask = 0
        while not self.has("]"):
            if self.has("\\d"):
                mask |= ALL_DIGITS
                continue
            first = last = self.take()
            if self.has("-"):
                last = self.take()
            if not (first.isdigit() and last.isdigit() and first <= last):
                raise self.fail()
            for digit in range(int(first), int(last) + 1):
                mask |= 1 << digit
        return Digit(mask)

    def group(self) -> Node:
        if self.has("?:"):
            inside = self.choice()
            self.take(")")
            return inside
        self.groups += 1
        index = self.groups
        inside = self.choice()
        self.take(")")
        return Group(inside, index)

    def atom(self) -> Node:
        if self.has("\\d"):
            return Digit(ALL_DIGITS)
        if self.has("["):
            return self.digit_set()
        if self.has("("):
            return self.group()
        if self.has("$"):
            return End()
        if not self.peek().isdigit():
            raise self.fail()
        return Digit(1 << int(self.take()))

    def repeated(self) -> Node:
        part = self.atom()
        while True:
            if self.has("?"):
                part = Repeat(part, 0, 1)
            elif self.has("{"):
                least = most = self.number()
                if self.has(","):
                    most = self.number()
                self.take("}")
                part = Repeat(part, least, most)
            else:
                return part

    def sequence(self) -> Node:
        parts: list[Node] = []
        while self.peek() not in ("", "|", ")"):
            parts.append(self.repeated())
        return parts[0] if len(parts) == 1 else Sequence(tuple(parts))

    def choice(self) -> Node:
        branches = [self.sequence()]
        while self.has("|"):
            branches.append(self.sequence())
        return branches[0] if len(branches) == 1 else Choice(tuple(branches))


def parse(text: str) -> tuple[Node, int]:
    """Return the tree and the number of its capturing groups."""
    parser = Parser(text)
    tree = parser.choice()
    if parser.peek():
        raise parser.fail()
    return tree, parser.groups
