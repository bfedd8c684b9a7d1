# SPDX-License-Identifier: GPL-2.0-or-later
"""A camera for QR codes that a program prints: half blocks -> an image -> zbarimg."""

from __future__ import annotations

import subprocess
from pathlib import Path

LIGHT = {" ": (0, 0), "▀": (255, 0), "▄": (0, 255), "█": (255, 255)}
SCALE = 4                           # pixels per module


def lines_of(text: str) -> list[str]:
    """The lines of the code: the widest block of half blocks."""
    lines = [line for line in text.splitlines() if line and set(line) <= set(LIGHT)]
    assert lines, "no QR code"
    assert len({len(line) for line in lines}) == 1
    return lines


def pixels(lines: list[str]) -> list[list[int]]:
    return [[LIGHT[block][half] for block in line] for line in lines for half in (0, 1)]


def decode(text: str, folder: Path) -> str:
    rows = pixels(lines_of(text))
    image = folder / "code.pgm"
    body = b"".join(bytes(value for value in row for _ in range(SCALE)) * SCALE
                    for row in rows)
    head = f"P5 {len(rows[0]) * SCALE} {len(rows) * SCALE} 255\n".encode()
    image.write_bytes(head + body)
    seen = subprocess.run(["zbarimg", "--quiet", "--raw", "-Sdisable", "-Sqrcode.enable",
                           str(image)], capture_output=True, text=True, check=True)
    return seen.stdout.strip()
