# SPDX-License-Identifier: GPL-2.0-or-later
"""The contacts of the owner's desktop, as its session sends them over the control socket."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any

import pytest

from agent import Agent
from lab import Lab
from lone_gateway import LoneGateway
from modem import Sim
from owner import Owner
from test_contacts import ANNA, BELA, names, vcard, wait_names
from test_control import Asker, command

PRIVATE = vcard(("Hidden", "+36209999999\nCLASS:PRIVATE"))


@pytest.fixture
def gateway() -> Iterator[LoneGateway]:
    with LoneGateway() as gateway:
        yield gateway


def send(state: Path, **arguments: Any) -> Any:
    """Returns the result, or the code of the error."""
    with Asker(state / "control") as asker:
        answer = asker.ask(command("session_contacts", **arguments))
    return answer["result"] if "result" in answer else answer["error"]["code"]


def replace(state: Path, vcards: str) -> Any:
    return send(state, begin=True, vcards=vcards, end=True)


def count(owner: Owner) -> int:
    contacts: int = owner.json("status")["contacts"]["count"]
    return contacts


def test_the_desktop_contacts_come_after_the_file_and_before_the_cards(
        make_lab: Callable[..., Lab], folder: Path) -> None:
    file = folder / "contacts.vcf"
    file.write_text(vcard(("Anna of the file", ANNA)))
    lab = make_lab(f"[contacts]\nfile = {file}\n",
                   sims=[Sim.numbered(0, contacts=[("Anna of the card", ANNA)])])
    agent, owner, state = Agent(lab), Owner(lab.gateway.state), lab.gateway.state
    wait_names(agent, "Anna of the file", "Anna of the card")
    assert replace(state, vcard(("Anna of the desktop", ANNA), ("Béla", BELA)) + PRIVATE) == {"count": 2}
    assert names(agent) == ["Anna of the file", "Anna of the desktop", "Béla", "Anna of the card"]
    [row] = agent.call("find_contact", name="bela").structured["contacts"]
    assert row == {"name": "Béla", "phone_numbers": [BELA], "source": "desktop"}
    assert f"Béla  {BELA}  (desktop)\n" in owner.do("contacts")
    status = owner.json("status")["contacts"]
    assert status["count"] == 4 and "problem" not in status
    assert "desktop: 1 " in status["skipped"] and "line" not in status["skipped"]
    assert "desktop: 1 " in owner.run("doctor").stdout
    owner.do("reload")
    wait_names(agent, "Anna of the file", "Anna of the desktop", "Béla", "Anna of the card")
    assert replace(state, vcard(("Béla", BELA))) == {"count": 1}
    assert names(agent) == ["Anna of the file", "Béla", "Anna of the card"]
    assert send(state, begin=True, end=True) == {"count": 0}
    assert names(agent) == ["Anna of the file", "Anna of the card"]
    lab.gateway.stop()
    written = [path.read_bytes() for path in state.rglob("*") if path.is_file()]
    assert not any("Béla".encode() in octets for octets in [*written, lab.gateway.log.encode()])


def test_a_list_comes_in_pieces_and_counts_at_its_end(gateway: LoneGateway) -> None:
    owner, state = Owner(gateway.state), gateway.state
    assert replace(state, vcard(("Before", "1"))) == {"count": 1}
    text = vcard(("Anna", ANNA), ("Béla", BELA))
    assert send(state, begin=True) == {}
    for letter in text[:40]:
        assert send(state, vcards=letter) == {}
    assert send(state, vcards=text[40:]) == {}
    assert count(owner) == 1
    assert send(state, end=True) == {"count": 2}
    assert count(owner) == 2
    assert send(state, begin=True, vcards=text) == {}
    assert replace(state, vcard(("Cili", "1"))) == {"count": 1}        # forgets what had begun
    assert send(state, end=True) == "out_of_order"
    gateway.restart()
    assert count(owner) == 0


def test_pieces_out_of_order_are_refused(gateway: LoneGateway) -> None:
    state = gateway.state
    assert send(state, vcards="x") == "out_of_order"
    assert send(state, end=True) == "out_of_order"
    assert send(state) == "invalid_argument"
    assert replace(state, "") == {"count": 0}
    assert send(state, vcards="x") == "out_of_order"


def test_a_list_that_is_too_large_is_dropped(gateway: LoneGateway) -> None:
    """The one before stays."""
    owner, state = Owner(gateway.state), gateway.state
    assert replace(state, vcard(("Anna", ANNA))) == {"count": 1}
    assert send(state, begin=True) == {}
    piece = "NOTE:" + "x" * (60 * 1024) + "\n"
    answers = [send(state, vcards=piece) for _ in range(8 * 1024 // 60)]
    assert answers == [{}] * len(answers)
    assert send(state, vcards=piece) == "too_large"
    assert send(state, vcards=piece) == "out_of_order"
    assert count(owner) == 1


def test_more_contacts_than_are_kept_are_reported(gateway: LoneGateway) -> None:
    owner, state = Owner(gateway.state), gateway.state
    assert send(state, begin=True) == {}
    for start in range(0, 20000, 1000):
        people = vcard(*((f"{i}", f"+3620{i:07}") for i in range(start, start + 1000)))
        assert send(state, vcards=people) == {}
    kept = send(state, end=True)["count"]
    assert 1000 < kept < 20000
    assert "desktop: " in owner.json("status")["contacts"]["problem"]
    replace(state, "")
    assert "problem" not in owner.json("status")["contacts"]


def test_a_reload_that_disables_the_desktop_drops_its_contacts(make_lab: Callable[..., Lab]) -> None:
    gateway = make_lab(sims=[Sim.numbered(0)]).gateway
    owner, state, config = Owner(gateway.state), gateway.state, gateway.config
    assert replace(state, vcard(("Anna", ANNA))) == {"count": 1}
    assert send(state, begin=True) == {}
    gateway.config = config + "[contacts]\ndesktop = no\n"
    gateway.prepare()
    assert "contacts.desktop: changed" in owner.do("reload")
    assert count(owner) == 0
    for arguments in {"begin": True}, {"vcards": "x"}, {"end": True}:
        assert send(state, **arguments) == "disabled"
    gateway.config = config
    gateway.prepare()
    owner.do("reload")
    assert send(state, end=True) == "out_of_order"
    assert replace(state, vcard(("Anna", ANNA))) == {"count": 1}
