#!/usr/bin/python3
# SPDX-License-Identifier: GPL-2.0-or-later
"""Draws doc/architecture.svg: `tests/lint/diagram.py > doc/architecture.svg`.

An arrow points from the folder that calls to the one that is called. test_diagram.py compares
folders and arrows with doc/layers, and the file with what this prints.
"""

from __future__ import annotations

from html import escape

WIDTH, HEIGHT = 920, 600
Box = tuple[int, int, int, int]
# What is outside of the program: place and words.
OUTSIDE: dict[str, tuple[Box, str]] = {
    "agents": ((40, 20, 200, 50), "AI agents (MCP clients)"),
    "console": ((260, 20, 120, 50), "browser"),
    "owner": ((400, 20, 200, 50), "owner's command line"),
    "modems": ((660, 20, 220, 50), "oFono, modems, SIM cards"),
    "disk": ((660, 530, 220, 50), "SQLite, and the audit log"),
}
# Folders: place and what they do.
FOLDERS: dict[str, tuple[Box, str]] = {
    "http": ((40, 130, 340, 60), "connections, requests, tokens"),
    "gateway": ((400, 130, 200, 60), "start, stop, the owner"),
    "ofono": ((660, 130, 220, 60), "modems, as D-Bus objects"),
    "mcp": ((40, 230, 230, 60), "both families of the protocol"),
    "webhook": ((290, 230, 130, 60), "posts events"),
    "tools": ((40, 330, 380, 60), "one file for each tool and resource"),
    "policy": ((440, 330, 180, 60), "what may be sent"),
    "phone": ((660, 230, 220, 60), "SIM cards, calls, USSD, contacts"),
    "sms": ((660, 330, 220, 60), "inbox, outbox, spool"),
    "store": ((660, 430, 220, 60), "a file for each kind of row"),
    "config": ((40, 430, 120, 60), "the settings"),
    "text": ((175, 430, 120, 60), "codes, links"),
    "numbers": ((310, 430, 140, 60), "phone numbers"),
    "base": ((465, 430, 155, 60), "log, JSON, clock"),
}
# From whom to whom, through which points, and over what.
ARROWS: list[tuple[str, str, list[tuple[int, int]], str]] = [
    ("agents", "http", [(140, 70), (140, 130)], "HTTP"),
    ("console", "http", [(320, 70), (320, 130)], "HTTP"),
    ("owner", "gateway", [(500, 70), (500, 130)], "UNIX socket"),
    ("ofono", "modems", [(770, 130), (770, 70)], "D-Bus"),
    ("mcp", "http", [(155, 230), (155, 190)], ""),
    ("gateway", "http", [(400, 160), (380, 160)], ""),
    ("gateway", "ofono", [(600, 160), (660, 160)], ""),
    ("gateway", "tools", [(430, 190), (430, 310), (400, 310), (400, 330)], ""),
    ("mcp", "webhook", [(270, 260), (290, 260)], ""),
    ("tools", "mcp", [(155, 330), (155, 290)], ""),
    ("tools", "policy", [(420, 360), (440, 360)], ""),
    ("policy", "sms", [(620, 360), (660, 360)], ""),
    ("policy", "phone", [(530, 330), (530, 260), (660, 260)], ""),
    ("phone", "ofono", [(770, 230), (770, 190)], ""),
    ("sms", "phone", [(770, 330), (770, 290)], ""),
    ("sms", "store", [(770, 390), (770, 430)], ""),
    ("store", "disk", [(770, 490), (770, 530)], ""),
]
STYLE = """
  text { font: 13px sans-serif; fill: #1b1f24 }
  .name { font-weight: bold }
  .small { font-size: 12px; fill: #57606a }
  rect { fill: #f6f8fa; stroke: #57606a; rx: 6px }
  .outside { fill: #ddf4ff; stroke: #0969da }
  .shared { stroke-dasharray: 4 3 }
  .page { fill: #ffffff; stroke: none }
  path { fill: none; stroke: #57606a; stroke-width: 1.5 }
  marker path { fill: #57606a; stroke: none }
"""
SHARED = {"config", "text", "numbers", "base"}      # which the folders above use


def text(x: int, y: int, words: str, kind: str = "", anchor: str = "middle") -> str:
    return f'<text x="{x}" y="{y}" text-anchor="{anchor}" class="{kind}">{escape(words)}</text>'


def box(place: Box, name: str, words: str, kind: str) -> list[str]:
    x, y, width, height = place
    middle, centre = x + width // 2, y + height // 2
    rect = f'<rect x="{x}" y="{y}" width="{width}" height="{height}" class="{kind}"/>'
    if kind == "outside":
        return [rect, text(middle, centre + 5, words)]
    return [rect, text(middle, centre - 4, name, "name"), text(middle, centre + 15, words, "small")]


def arrow(points: list[tuple[int, int]], words: str) -> list[str]:
    (x, y), *rest = points
    path = f"M{x} {y}" + "".join(f"L{a} {b}" for a, b in rest)
    drawn = [f'<path d="{path}" marker-end="url(#head)"/>']
    if words:
        middle = (y + rest[-1][1]) // 2 + 4
        drawn.append(text(x + 8, middle, words, "small", "start"))
    return drawn


def draw() -> str:
    lines = [
        f'<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 {WIDTH} {HEIGHT}" role="img">',
        "<title>The folders of ofono-mcp, from agents to modems</title>",
        f"<style>{STYLE}</style>",
        '<marker id="head" viewBox="0 0 8 8" refX="8" refY="4" markerWidth="7" markerHeight="7" '
        'orient="auto"><path d="M0 0L8 4L0 8z"/></marker>',
        f'<rect width="{WIDTH}" height="{HEIGHT}" class="page"/>',
        text(40, 516, "Dashed: what the others use.", "small", "start"),
    ]
    for name, (place, words) in OUTSIDE.items():
        lines += box(place, name, words, "outside")
    for name, (place, words) in FOLDERS.items():
        lines += box(place, f"{name}/", words, "shared" if name in SHARED else "folder")
    for _, _, points, words in ARROWS:
        lines += arrow(points, words)
    return "\n".join([*lines, "</svg>"]) + "\n"


if __name__ == "__main__":
    print(draw(), end="")
