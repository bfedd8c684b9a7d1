# SPDX-License-Identifier: GPL-2.0-or-later
"""[sim] pin_file: a card is unlocked automatically, or tried once and then left to the owner."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path

import pytest

from agent import Agent
from lab import Lab, wait_until
from modem import Sim
from test_unlock import attempts

PIN, WRONG = "4071", "9385"
TRIED = "is not tried again; run: ofono-mcp sim unlock"
NOT_AGAIN = "was tried since this machine started"
TOO_FEW = "tries are left, so its PIN is not tried automatically"
Start = Callable[..., Lab]


@pytest.fixture
def start(make_lab: Callable[..., Lab], tmp_path: Path) -> Start:
    """A locked card, and a gateway with these lines in its pin_file; the modem is on."""
    def make(*lines: str, mode: int = 0o600, tries: int = 3, tells: bool = True) -> Lab:
        file = tmp_path / "pins"
        card = Sim.numbered(0, pin=PIN)
        card.pin_tries = tries
        file.write_text("".join(line.replace("CARD", card.iccid) + "\n" for line in lines))
        file.chmod(mode)
        lab = make_lab(f"[sim]\npin_file = {file}\n", sims=[card], powered=False)
        lab.modems[0].tells_tries = tells
        lab.radios[0].power()
        return lab
    return make


def wait_logged(lab: Lab, words: str) -> None:
    wait_until(lambda: words in lab.gateway.log, what=f"the log says {words}")


def assert_left_alone(lab: Lab, words: str) -> None:
    wait_logged(lab, words)
    assert attempts(lab) == 0
    assert Agent(lab).states() == ["locked"]


def replug(lab: Lab) -> None:
    """The modem is switched off and on, and its card is locked again."""
    lab.radios[0].power(False)
    lab.radios[0].power()
    lab.radios[0].wait_property("SimManager", "PinRequired", "pin")


def test_the_right_pin_unlocks_the_sim(start: Start) -> None:
    lab = start("# mine", "", "1234 9999", f"CARD  {PIN}")
    lab.radios[0].wait_for("MessageManager")
    wait_logged(lab, "unlocked with its PIN from pin_file")
    assert attempts(lab) == 1
    assert PIN not in lab.gateway.log and lab.modems[0].sim.iccid not in lab.gateway.log


def test_a_wrong_pin_is_tried_once(start: Start) -> None:
    lab = start(f"CARD {WRONG}")
    wait_logged(lab, TRIED)
    replug(lab)
    lab.gateway.restart()
    wait_logged(lab, TOO_FEW)
    assert attempts(lab) == 1 and lab.modems[0].sim.pin_tries == 2


def test_a_wrong_pin_is_tried_once_per_boot(start: Start) -> None:
    """Even if the card has all its tries again."""
    lab = start(f"CARD {WRONG}")
    wait_logged(lab, TRIED)
    lab.modems[0].sim.pin_tries = 3
    lab.gateway.stop()
    replug(lab)
    lab.gateway.start()
    wait_logged(lab, NOT_AGAIN)
    assert attempts(lab) == 1
    record = lab.gateway.state / "pin_tries"
    assert record.stat().st_mode & 0o777 == 0o600
    boot, card, rest = record.read_text().split("\n")
    assert (card, rest) == (lab.modems[0].sim.iccid, "")
    lab.gateway.stop()                              # the machine reboots
    record.write_text(boot.replace(boot[0], "x") + f"\n{card}\n")
    lab.gateway.start()
    wait_until(lambda: attempts(lab) == 2, what="it is tried")
    assert record.read_text() == f"{boot}\n{card}\n"


def test_no_pin_is_tried_unless_all_tries_remain(start: Start) -> None:
    lab = start(f"CARD {PIN}", tries=2)
    assert_left_alone(lab, "2 " + TOO_FEW)


def test_no_pin_is_tried_when_the_tries_are_unknown(start: Start) -> None:
    lab = start(f"CARD {PIN}", tells=False)
    Agent(lab).wait_states("locked", timeout=10)
    lab.gateway.restart()
    Agent(lab).wait_states("locked", timeout=10)
    assert attempts(lab) == 0


@pytest.mark.parametrize("mode", [0o644, 0o640, 0o604, 0o620, 0o602])
def test_a_pin_file_accessible_to_others_is_ignored(start: Start, mode: int) -> None:
    assert_left_alone(start(f"CARD {PIN}", mode=mode), "others can read it")


def test_a_pin_file_behind_a_symbolic_link_is_ignored(start: Start, tmp_path: Path) -> None:
    target = tmp_path / "target"
    (tmp_path / "pins").symlink_to(target)
    assert_left_alone(start(f"CARD {PIN}"), "others can read it")


@pytest.mark.parametrize("line", ["CARD", "CARD 123", "CARD 12ab", f"CARD {PIN} {PIN}",
                                  "CARD 123456789", "x" * 5000])
def test_a_malformed_pin_file_is_ignored(start: Start, line: str) -> None:
    assert_left_alone(start(line, f"CARD {PIN}"), "each line is an ICCID and a PIN")


def test_no_pin_is_tried_when_the_try_cannot_be_recorded(start: Start, make_lab: Callable[..., Lab]) -> None:
    lab = start(f"1234 {PIN}")
    (lab.gateway.state / "pin_tries").mkdir()
    Agent(lab).wait_states("locked", timeout=10)
    file = Path(lab.gateway.config.split("pin_file = ")[1].strip())
    file.write_text(f"{lab.modems[0].sim.iccid} {PIN}\n")
    lab.gateway.restart()
    assert_left_alone(lab, "that cannot be recorded")


def test_a_pin_is_not_retried_after_an_ofono_crash(start: Start) -> None:
    lab = start(f"1234 {PIN}")
    Agent(lab).wait_states("locked", timeout=10)
    lab.modems[0].answers_codes = False
    file = Path(lab.gateway.config.split("pin_file = ")[1].strip())
    file.write_text(f"{lab.modems[0].sim.iccid} {WRONG}\n")
    lab.gateway.restart()
    wait_until(lambda: attempts(lab) == 1, what="it is tried")
    lab.ofonod.kill()
    wait_logged(lab, TRIED)
    lab.ofonod.start()
    lab.bring_up()
    Agent(lab).wait_states("locked", timeout=20)
    assert attempts(lab) == 1
