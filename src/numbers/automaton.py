# SPDX-License-Identifier: GPL-2.0-or-later
"""Deterministic automata over digits, one for each numbering plan, in one pool of states.

Each state has one next state for every digit. Patterns have no loops, so states are built from
the end, and equal states are merged: the pool is as small as it can be for all plans together.
"""
from __future__ import annotations

from typing import Callable, Sequence

import pattern

DEAD = 0


class Recogniser:
    """A nondeterministic automaton for one pattern. A step takes a set of positions to the next
    set."""

    def __init__(self, text: str | None) -> None:
        self.empty: list[list[int]] = []                    # moves that read no digit
        self.moves: list[list[tuple[int, int]]] = []        # mask, position
        self.first, self.last = self.position(), self.position()
        if text:
            self.build(pattern.parse(text)[0], self.first, self.last)
        self.start = self.closed({self.first})
        self.known: dict[tuple[frozenset[int], int], frozenset[int]] = {}

    def position(self) -> int:
        self.empty.append([])
        self.moves.append([])
        return len(self.moves) - 1

    def build(self, node: pattern.Node, start: int, end: int) -> None:
        match node:
            case pattern.Digit(mask):
                self.moves[start].append((mask, end))
            case pattern.Sequence(parts):
                for part in parts:
                    after = self.position()
                    self.build(part, start, after)
                    start = after
                self.empty[start].append(end)
            case pattern.Choice(branches):
                for branch in branches:
                    self.build(branch, start, end)
            case pattern.Repeat(part, least, most):
                for count in range(most):
                    if count >= least:
                        self.empty[start].append(end)
                    after = self.position()
                    self.build(part, start, after)
                    start = after
                self.empty[start].append(end)
            case pattern.Group(part, _):
                self.build(part, start, end)
            case _:
                raise pattern.UnknownPattern(f"{node} cannot occur in a pattern of whole numbers")

    def closed(self, positions: set[int]) -> frozenset[int]:
        waiting, found = list(positions), set(positions)
        while waiting:
            for after in self.empty[waiting.pop()]:
                if after not in found:
                    found.add(after)
                    waiting.append(after)
        return frozenset(found)

    def step(self, positions: frozenset[int], digit: int) -> frozenset[int]:
        key = positions, digit
        if key not in self.known:
            self.known[key] = self.closed({after for position in positions
                                           for mask, after in self.moves[position]
                                           if mask >> digit & 1})
        return self.known[key]

    def accepts(self, positions: frozenset[int]) -> bool:
        return self.last in positions


class Pool:
    def __init__(self) -> None:
        self.states: list[tuple[int, tuple[int, ...]]] = [(0, (DEAD,) * 10)]
        self.ids = {self.states[DEAD]: DEAD}

    def state(self, output: int, targets: tuple[int, ...]) -> int:
        key = output, targets
        if key not in self.ids:
            self.ids[key] = len(self.states)
            self.states.append(key)
        return self.ids[key]

    def add(self, texts: Sequence[str | None],
            output: Callable[[tuple[bool, ...], int], int],
            finish: Callable[[int, tuple[int, ...]], int] | None = None,
            alive: int | None = None) -> int:
        """Add a plan and return its first state. `output` computes what a state says from the
        patterns that match there and the number of digits so far; `finish` may add bits that
        depend on the next states. A number ends where none of the first `alive` patterns
        continues."""
        recognisers = [Recogniser(text) for text in texts]
        known: dict[tuple[tuple[frozenset[int], ...], int], int] = {}

        def make(at: tuple[frozenset[int], ...], length: int) -> int:
            if not any(at[:alive]):
                return DEAD
            if (at, length) not in known:
                targets = tuple(
                    make(tuple(recogniser.step(positions, digit)
                               for recogniser, positions in zip(recognisers, at)), length + 1)
                    for digit in range(10))
                said = output(tuple(recogniser.accepts(positions) for recogniser, positions
                                    in zip(recognisers, at)), length)
                if finish:
                    said = finish(said, targets)
                known[at, length] = self.state(said, targets)
            return known[at, length]

        return make(tuple(recogniser.start for recogniser in recognisers), 0)
