#!/usr/bin/python3
# SPDX-License-Identifier: GPL-2.0-or-later
"""Draws doc/performance.svg: `tests/lint/plot.py > doc/performance.svg`.

It shows the ratios of the last table in doc/performance.md, on a logarithmic scale. test_plot.py
compares the file with what this prints.
"""

from __future__ import annotations

import math
import re
from html import escape
from pathlib import Path

PAGE = Path(__file__).resolve().parents[2] / "doc" / "performance.md"
ROW = re.compile(r"^ {2}(\d)  +(\S.*?) {2,}[\d,.]+ \S+ +[\d,.]+ \S+ +([\d.]+)(?:  .*?([<>])= ([\d.]+)  \w+)?",
                 re.MULTILINE)
# Rows of the table, and what their bars say.
PANELS = [
    ((1, 2), "Requests a second, beside libmicrohttpd alone", "more is better"),
    ((7,), "Requests a second, beside a server of the official SDK", "more is better"),
    ((8,), "Time of a call with 100,000 messages, beside 1,000", "less is better"),
]
WIDTH, LEFT, RIGHT, LINE = 860, 330, 780, 18
STYLE = """
  text { font: 12px sans-serif; fill: #1b1f24 }
  .title { font: bold 14px sans-serif }
  .small { fill: #57606a }
  .page { fill: #ffffff }
  .bar { fill: #0969da }
  .one { stroke: #57606a }
  .goal { stroke: #bc4c00; stroke-width: 2 }
"""
Bar = tuple[str, float, float | None]


def bars(rows: tuple[int, ...]) -> list[Bar]:
    """What each row compares, its ratio, and its goal if it has one."""
    table = PAGE.read_text().partition("\n## The last table\n")[2].partition("\n## ")[0]
    found: list[Bar] = []
    for row, what, ratio, _, goal in ROW.findall(table):
        if int(row) in rows and not what.startswith(("RSS", "start")):
            what = what.replace(", 100,000 messages, beside 1,000", "")
            found.append((what, float(ratio), float(goal) if goal else None))
    return found


def panel(top: int, title: str, direction: str, found: list[Bar]) -> list[str]:
    values = [value for _, ratio, goal in found for value in (ratio, goal or 1, 1)]
    low, high = math.log(min(values) * 0.9), math.log(max(values) * 1.05)

    def place(value: float) -> int:
        return round(LEFT + (math.log(value) - low) / (high - low) * (RIGHT - LEFT))

    bottom = top + 12 + LINE * len(found)
    lines = [f'<text x="20" y="{top}" class="title">{escape(title)}</text>',
             f'<text x="{RIGHT}" y="{top}" text-anchor="end" class="small">{direction}</text>']
    for number, (what, ratio, goal) in enumerate(found):
        y = top + 12 + LINE * number
        start, end = sorted((place(1), place(ratio)))
        lines += [f'<text x="{LEFT - 10}" y="{y + 12}" text-anchor="end">{escape(what)}</text>',
                  f'<rect x="{start}" y="{y + 3}" width="{max(end - start, 1)}" height="{LINE - 7}" class="bar"/>',
                  f'<text x="{RIGHT + 12}" y="{y + 12}">{ratio:g}</text>']
        if goal:
            lines.append(f'<path d="M{place(goal)} {y + 1}v{LINE - 3}" class="goal"/>')
    lines.append(f'<path d="M{place(1)} {top + 10}V{bottom}" class="one"/>')
    return lines


def draw() -> str:
    top = 30
    drawn: list[str] = []
    for rows, title, direction in PANELS:
        found = bars(rows)
        drawn += panel(top, title, direction, found)
        top += 50 + LINE * len(found)
    return "\n".join([
        f'<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 {WIDTH} {top}" role="img">',
        "<title>The ratios of the last benchmark</title>",
        f"<style>{STYLE}</style>",
        f'<rect width="{WIDTH}" height="{top}" class="page"/>',
        *drawn,
        f'<text x="20" y="{top - 12}" class="small">Logarithmic. Grey line: as much as the anchor. '
        "Orange: the goal, where there is one.</text>",
        "</svg>"]) + "\n"


if __name__ == "__main__":
    print(draw(), end="")
