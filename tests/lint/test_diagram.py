# SPDX-License-Identifier: GPL-2.0-or-later
"""The picture in doc/architecture.md shows what doc/layers allows."""

from __future__ import annotations

from itertools import pairwise
from pathlib import Path

import pytest

import diagram

PROJECT = Path(__file__).resolve().parents[2]
LAYERS = {name: words.split() for name, _, words in (
    line.partition(":") for line in (PROJECT / "doc" / "layers").read_text().splitlines()
    if line and not line.startswith("#"))}


def test_the_picture_is_up_to_date() -> None:
    assert (PROJECT / "doc" / "architecture.svg").read_text() == diagram.draw()
    assert "](architecture.svg)" in (PROJECT / "doc" / "architecture.md").read_text()


def test_its_folders_exist() -> None:
    assert set(diagram.FOLDERS) <= set(LAYERS)


@pytest.mark.parametrize("caller, called", [arrow[:2] for arrow in diagram.ARROWS])
def test_each_arrow_is_allowed(caller: str, called: str) -> None:
    assert caller in diagram.OUTSIDE or called in diagram.OUTSIDE or called in LAYERS[caller]


def test_arrows_begin_and_end_at_their_boxes() -> None:
    places = {name: place for name, (place, _) in (diagram.FOLDERS | diagram.OUTSIDE).items()}
    for caller, called, points, _ in diagram.ARROWS:
        for name, (x, y) in ((caller, points[0]), (called, points[-1])):
            left, top, width, height = places[name]
            assert left <= x <= left + width and top <= y <= top + height, (caller, called)
        assert all(a[0] == b[0] or a[1] == b[1] for a, b in pairwise(points))


def test_boxes_do_not_overlap() -> None:
    places = [place for place, _ in (diagram.FOLDERS | diagram.OUTSIDE).values()]
    for at, (x, y, width, height) in enumerate(places):
        assert x + width <= diagram.WIDTH and y + height <= diagram.HEIGHT
        for a, b, c, d in places[at + 1:]:
            assert x + width <= a or a + c <= x or y + height <= b or b + d <= y
