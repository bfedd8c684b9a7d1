# SPDX-License-Identifier: GPL-2.0-or-later
"""The lab itself: the real ofonod with emulated modems, without the gateway."""

from __future__ import annotations

import os
from collections.abc import Iterator
from pathlib import Path

import pytest

from modem import Outcome

from . import Lab
from .ofonod import STATE

TO, FROM = "+36301234567", "+36209876543"


@pytest.fixture
def lab() -> Iterator[Lab]:
    with Lab(modem_count=1) as lab:
        yield lab


# ---- coming up and going away -----------------------------------------------------

def test_a_lab_leaves_nothing_behind() -> None:
    before = sorted(os.listdir(STATE))
    with Lab(modem_count=1) as lab:
        lab.radios[0].send_message(TO, "x" * 400)
        pids, folder = [lab.bus.pid, lab.ofonod.pid], lab.folder
        assert any(lab.ofonod.state.iterdir())
    assert not folder.exists()
    assert not any(Path(f"/proc/{pid}").exists() for pid in pids)
    assert str(folder) not in Path("/proc/self/mountinfo").read_text()
    assert sorted(os.listdir(STATE)) == before


# ---- coverage, flight mode, SIM, link ---------------------------------------------

def test_a_link_can_drop_instead_of_an_answer(lab: Lab) -> None:
    modem, radio = lab.modems[0], lab.radios[0]
    modem.plan(Outcome.drop_link())
    radio.send_message(TO, "twice")
    radio.wait_property("Modem", "Powered", False)
    lab.bring_up()
    assert modem.wait_taken(1)[0].text == "twice"
    assert len(modem.offered) == 2


# ---- receiving --------------------------------------------------------------------

def test_segments_may_be_out_of_order_or_missing(lab: Lab) -> None:
    text = "0123456789" * 40
    with lab.signals() as signals:
        lab.modems[0].deliver(FROM, text, drop_parts=[2])
        lab.modems[0].deliver(FROM, text, parts_order=[3, 1, 2])
        assert [s.arguments[0] for s in signals.wait("IncomingMessage")] == [text]
        assert len(signals.seen("IncomingMessage")) == 1
