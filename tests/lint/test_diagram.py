# SPDX-License-Identifier: GPL-2.0-or-later
"""The picture in doc/architecture.md shows what doc/layers allows."""

from __future__ import annotations

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


@pytest.mark.parametrize("caller, called", [arrow[:2] for arrow in diagram.ARROWS])
def test_each_arrow_is_allowed(caller: str, called: str) -> None:
    assert caller in diagram.OUTSIDE or called in diagram.OUTSIDE or called in LAYERS[caller]
