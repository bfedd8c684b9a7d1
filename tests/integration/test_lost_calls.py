# SPDX-License-Identifier: GPL-2.0-or-later
"""The gateway dies while a call to the real ofonod is not answered; our plugin records what
ofonod accepts.  Every boundary: the cells with a record in crash_cells.py."""

from __future__ import annotations

from concurrent.futures import ThreadPoolExecutor
from contextlib import suppress
from pathlib import Path

from agent import Agent, taken_texts
from lab import Lab, wait_until
from lab.ofonod import PLUGIN
from ledger import Ledger

LAB = {"modem_count": 1, "plugin": PLUGIN}
SUBMITTING, SENT, UNKNOWN = 2, 5, 8


def state(lab: Lab, text: str) -> int:
    found = Ledger(lab).rows("SELECT state FROM message WHERE text = ?", text)
    assert len(found) <= 1, "a second row"
    return found[0]["state"] if found else 0


def history(lab: Lab, text: str) -> list[tuple[int, str]]:
    return [(row["state"], row["reason"]) for row in Ledger(lab).rows(
        "SELECT c.state, c.reason FROM message_change c JOIN message m ON m.id = c.message_id"
        " WHERE m.text = ? ORDER BY c.id", text)]


def since(lab: Lab) -> Path:
    return lab.gateway.spool / ".outgoing" / ".since"


def die_in_the_hand_over(lab: Lab, text: str) -> None:
    """The call is in ofonod's socket; ofonod stands still."""
    assert not Agent(lab).send("the first record").is_error
    wait_until(since(lab).exists, what="ofonod records what it accepts")
    lab.ofonod.pause()
    with lab.handovers() as calls, ThreadPoolExecutor() as pool:
        call = pool.submit(Agent(lab).send, text)
        calls.wait("SendMessage")
        assert state(lab, text) == SUBMITTING
        lab.gateway.kill()
        with suppress(Exception):
            call.result()


def test_a_lost_call_that_ofonod_accepts_later_is_never_unknown(make_lab: Callable[..., Lab]) -> None:
    lab = make_lab()
    die_in_the_hand_over(lab, "accepted late")
    lab.gateway.start()
    assert state(lab, "accepted late") == SUBMITTING
    lab.ofonod.resume()
    wait_until(lambda: state(lab, "accepted late") == SENT, 30, "it is sent")
    assert UNKNOWN not in [one for one, _ in history(lab, "accepted late")]
    assert taken_texts(lab) == ["the first record", "accepted late"]


def test_without_proof_of_all_records_it_is_unknown_until_one_comes(
        make_lab: Callable[..., Lab]) -> None:
    lab = make_lab()
    die_in_the_hand_over(lab, "in doubt")
    since(lab).unlink()
    lab.gateway.start()
    wait_until(lambda: state(lab, "in doubt") == UNKNOWN, what="it is unknown")
    lab.ofonod.resume()
    wait_until(lambda: state(lab, "in doubt") == SENT, 30, "its record is found")
    assert taken_texts(lab) == ["the first record", "in doubt"]


def test_a_call_that_an_unsafe_spool_did_not_record_is_not_sent_again(
        make_lab: Callable[..., Lab]) -> None:
    """Nothing is recorded, and later nothing shows that the folder was unsafe."""
    lab = make_lab()
    die_in_the_hand_over(lab, "not recorded")
    lab.gateway.spool.chmod(0o777)
    lab.ofonod.resume()
    lab.modems[0].wait_taken(2)
    lab.gateway.spool.chmod(0o700)
    lab.gateway.start()
    wait_until(lambda: state(lab, "not recorded") == UNKNOWN, 30, "it is unknown")
    agent = Agent(lab)
    agent.wait_states("ready", timeout=10)
    assert not agent.send("the next one").is_error
    assert taken_texts(lab) == ["the first record", "not recorded", "the next one"]


def test_a_call_whose_record_is_damaged_is_not_sent_again(make_lab: Callable[..., Lab]) -> None:
    lab = make_lab()
    die_in_the_hand_over(lab, "damaged")
    lab.ofonod.resume()
    lab.modems[0].wait_taken(2)
    for record in since(lab).parent.glob("*.out"):
        record.write_text("{")
    lab.gateway.start()
    wait_until(lambda: state(lab, "damaged") == UNKNOWN, 30, "it is unknown")
    agent = Agent(lab)
    agent.wait_states("ready", timeout=10)
    assert not agent.send("the next one").is_error
    assert taken_texts(lab) == ["the first record", "damaged", "the next one"]


def test_a_call_that_died_with_ofonod_is_not_sent_again(make_lab: Callable[..., Lab]) -> None:
    """The next ofonod does not know what the one before accepted."""
    lab = make_lab()
    die_in_the_hand_over(lab, "gone with ofonod")
    lab.ofonod.kill()
    lab.ofonod.start()
    lab.bring_up()
    lab.gateway.start()
    wait_until(lambda: state(lab, "gone with ofonod") == UNKNOWN, 30, "it is unknown")
    answer = Agent(lab)
    answer.wait_states("ready", timeout=10)
    assert not answer.send("the next one").is_error
    assert taken_texts(lab) == ["the first record", "the next one"]
