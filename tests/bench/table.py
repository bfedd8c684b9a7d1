# SPDX-License-Identifier: GPL-2.0-or-later
"""One line of the table, and how it is printed."""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from dataclasses import dataclass

from rounds import Comparison, Figure

HEADINGS = ("row", "what", "ours", "anchor", "ratio", "spread", "CPU", "target", "")
WIDTHS = (3, 50, 14, 14, 7, 7, 6, 9, 6)


@dataclass(frozen=True)
class Line:
    """`target` of the ratio: the minimum, or with a minus sign the maximum; None if there is
    none."""

    row: int
    what: str
    ours: str
    anchor: str = ""
    ratio: float | None = None
    spread: float | None = None
    cpu_ratio: float | None = None
    target: float | None = None
    noisy: bool = False

    @property
    def verdict(self) -> str:
        if self.target is None or self.ratio is None:
            return ""
        if self.noisy:
            return "NOISY"
        met = self.ratio >= self.target if self.target >= 0 else self.ratio <= -self.target
        return "met" if met else "missed"

    @property
    def target_text(self) -> str:
        if self.target is None:
            return ""
        return f">= {self.target:g}" if self.target >= 0 else f"<= {-self.target:g}"


def number(value: float | None) -> str:
    """Three significant digits."""
    if value is None:
        return ""
    places = 3 if abs(value) < 1 else 2 if abs(value) < 10 else 1 if abs(value) < 100 else 0
    return f"{value:,.{places}f}"


def compared(row: int, what: str, comparison: Comparison, figure: Figure, unit: str,
             target: float | None = None, cpu: Figure | None = None) -> Line:
    return Line(row, what, f"{number(comparison.figure('ours', figure))} {unit}",
                f"{number(comparison.figure('anchor', figure))} {unit}",
                comparison.ratio(figure), comparison.spread(figure),
                comparison.ratio(cpu) if cpu else None, target, comparison.is_noisy)


def cells(line: Line) -> tuple[str, ...]:
    return (str(line.row), line.what, line.ours, line.anchor, number(line.ratio),
            number(line.spread), number(line.cpu_ratio), line.target_text, line.verdict)


def aligned(texts: Iterable[str]) -> str:
    """Words to the left, numbers to the right."""
    columns = [f"{text:<{width}}" if place in (1, 8) else f"{text:>{width}}"
               for place, (text, width) in enumerate(zip(texts, WIDTHS))]
    return "  ".join(columns).rstrip()


def text_lines(lines: Iterable[Line]) -> Iterator[str]:
    yield aligned(HEADINGS)
    for line in lines:
        yield aligned(cells(line))
