# SPDX-License-Identifier: GPL-2.0-or-later
"""get_sms_subscriptions: which SIMs exist, their names, and that the ID stays with the card."""

from __future__ import annotations

import json
from collections import deque
from collections.abc import Callable, Iterator
from contextlib import contextmanager

import pytest

from agent import SOON_S, Agent, assert_refused, assert_sent
from lab import Lab, McpClient, wait_until
from modem import SEARCHING, Modem, Outcome, Sim
from modem.sim import EF_ICCID
from schema import problems, whole_answer

HOME, ROAMING = 1, 5                # +CREG <stat>
APP_MEMBERS = ["subscription_id", "sim_slot_index", "carrier_name", "display_name"]
QUIET_POLLS = 15                    # of wait_until(), 5 ms each
MEMBERS = [*APP_MEMBERS, "state", "can_send", "own_number", "roaming", "default",
           "signal_percent"]


def change_card(modem: Modem, card: Sim | None) -> None:
    """Waits for a quiet line: ofonod would mistake an unsolicited result code for the answer
    to one of the commands with which it reads a card."""
    counts: deque[int] = deque(maxlen=QUIET_POLLS)

    def is_quiet() -> bool:
        counts.append(len(modem.commands))
        return len(counts) == QUIET_POLLS and counts[0] == counts[-1]

    wait_until(is_quiet, what=f"{modem.name}: no more commands")
    modem.remove_sim()
    if card:
        modem.insert_sim(card)


@contextmanager
def another_card(modem: Modem, card: Sim | None) -> Iterator[None]:
    """Replaces the card; None removes it."""
    mine = modem.sim
    change_card(modem, card)
    try:
        yield
    finally:
        change_card(modem, mine)


@contextmanager
def swapped(one: Modem, other: Modem) -> Iterator[None]:
    """Swaps the cards of two modems, and back at the end."""
    def swap() -> None:
        cards = one.sim, other.sim
        change_card(one, None)
        change_card(other, cards[0])
        change_card(one, cards[1])

    swap()
    try:
        yield
    finally:
        swap()


@contextmanager
def registration(modem: Modem, status: int) -> Iterator[None]:
    modem.set_registration(status)
    try:
        yield
    finally:
        modem.set_registration(HOME)


# ---- the answer -------------------------------------------------------------------

def test_the_text_is_the_json_of_the_original_app(agent: Agent) -> None:
    result = agent.call("get_sms_subscriptions")
    [block] = result.raw["content"]
    first, second = agent.ids()
    assert block == {"type": "text", "text": (
        '{"count":2,"subscriptions":['
        f'{{"subscription_id":{first},"sim_slot_index":0,'
        '"carrier_name":"Telekom HU","display_name":"Telekom HU"},'
        f'{{"subscription_id":{second},"sim_slot_index":1,'
        '"carrier_name":"Yettel HU","display_name":"Yettel HU"}]}')}
    assert not result.is_error


def test_a_client_that_sees_only_content_is_told_where_the_state_is(
        agent: Agent, client: McpClient) -> None:
    tools = {tool["name"]: tool for tool in client.call("tools/list").result["tools"]}
    assert "get_gateway_status" in tools["get_sms_subscriptions"]["description"]
    sims = json.loads(agent.call("get_gateway_status").text)["sims"]["subscriptions"]
    assert [(sim["subscription_id"], sim["state"]) for sim in sims] \
        == [(sim, "ready") for sim in agent.ids()]


def test_structured_content_adds_state_number_and_signal(agent: Agent) -> None:
    result = agent.call("get_sms_subscriptions")
    assert result.structured["count"] == 2
    for sim in result.structured["subscriptions"]:
        assert list(sim) == MEMBERS
        assert (sim["state"], sim["can_send"]) == ("ready", True)
        assert (sim["own_number"], sim["roaming"]) == ("", False)
        assert 60 <= sim["signal_percent"] <= 70            # +CSQ: 20 of 31


def test_structured_content_agrees_with_the_output_schema(
        agent: Agent, client: McpClient) -> None:
    tools = {tool["name"]: tool for tool in client.call("tools/list").result["tools"]}
    schema = tools["get_sms_subscriptions"]["outputSchema"]
    assert schema["type"] == "object"
    result = agent.call("get_sms_subscriptions")
    assert problems(result.structured, schema) == []
    assert problems(result.structured, whole_answer("get_sms_subscriptions")) == []
    assert problems(json.loads(result.text)["count"], schema["properties"]["count"]) == []


def test_the_sims_of_a_new_phone_are_numbered_as_its_modems(make_lab: Callable[..., Lab]) -> None:
    """Also when the card of the second modem is read first."""
    lab = make_lab(sims=[Sim.numbered(i, pin="1234") for i in range(2)], powered=False)
    lab.radios[1].power()
    lab.radios[1].wait_property("SimManager", "CardIdentifier", lab.modems[1].sim.iccid)
    lab.radios[0].power()
    agent = Agent(lab)
    agent.wait_states("locked", "locked", timeout=10)
    assert agent.ids() == [1, 2]


def test_slots_follow_the_order_of_the_modems(make_lab: Callable[..., Lab]) -> None:
    """sim10 comes after sim2."""
    agent = Agent(make_lab(sims=[Sim.numbered(i, spn=f"Card {i}") for i in range(11)]))
    wait_until(lambda: agent.states() == ["ready"] * 11, what="eleven SIMs")
    sims = agent.sims()
    assert [sim["display_name"] for sim in sims] == [f"Card {i}" for i in range(11)]
    assert [sim["sim_slot_index"] for sim in sims] == list(range(11))


# ---- names ------------------------------------------------------------------------

def names(agent: Agent) -> list[tuple[str, str]]:
    return [(sim["carrier_name"], sim["display_name"]) for sim in agent.sims()]


def wait_name(agent: Agent, carrier: str, display: str) -> None:
    """Waits for this name of the first SIM."""
    wait_until(lambda: (carrier, display) in names(agent)[:1], SOON_S,
               f"called {carrier!r}, shown as {display!r}")


def test_roaming_shows_the_visited_network(lab: Lab, agent: Agent) -> None:
    """oFono's Name changes with the status then, and oFono does not signal it."""
    modem = lab.modems[0]
    modem.set_operator("A1", "21630")
    try:
        with registration(modem, ROAMING):
            wait_until(lambda: agent.sims()[0].get("roaming"), SOON_S, "roaming")
            wait_name(agent, "A1", "Telekom HU")
            assert agent.states()[0] == "ready"
            assert_sent(agent.send("from abroad", agent.ids()[0]))
        wait_name(agent, "Telekom HU", "Telekom HU")
    finally:
        modem.set_operator("Telekom HU", "21630")


# ---- states -----------------------------------------------------------------------

def test_a_sim_in_flight_mode_cannot_send(lab: Lab, agent: Agent) -> None:
    sim = agent.ids()[0]
    lab.radios[0].online(False)
    try:
        agent.wait_states("offline", "ready")
        assert_refused(agent.send("flying", sim), "modem_off")
    finally:
        lab.radios[0].online(True)
    agent.wait_states("ready", "ready")
    assert_sent(agent.send("landed", sim))
    assert [submit.text for submit in lab.modems[0].offered] == ["landed"]


def test_a_queued_message_shows_what_keeps_its_sim_from_sending(lab: Lab, agent: Agent) -> None:
    modem, sim = lab.modems[0], agent.ids()[0]
    modem.plan(Outcome.hang())
    agent.send("first", sim, wait_for="none")
    modem.wait_offered(1)
    queued = agent.send("second", sim, wait_for="none").message_id

    def told() -> set[str | None]:
        """In the message's own status, and in the list."""
        status = agent.call("get_sms_status", message_id=queued).structured
        rows = agent.call("list_sms", direction="out", limit=1).structured["messages"]
        return {row.get("reason") for row in (status, *rows)}

    try:
        assert told() == {None}
        modem.set_registration(SEARCHING)
        agent.wait_states("searching", "ready")
        assert told() == {"not_registered"}
    finally:
        modem.set_registration(HOME)
        modem.unhang(Outcome.ok())
    agent.wait_state(queued, "sent")
    assert told() == {None}


def test_a_locked_sim_is_listed_and_cannot_send(lab: Lab, agent: Agent) -> None:
    card = Sim.numbered(5, pin="1234")
    with another_card(lab.modems[0], card):
        agent.wait_states("locked", "ready")
        locked = agent.sims()[0]
        assert locked["can_send"] is False
        assert (locked["carrier_name"], locked["display_name"]) == ("", "SIM 1")
        result = agent.send("locked", locked["subscription_id"])
        assert_refused(result, "sim_locked")
        answer = json.dumps(result.raw)
        assert card.pin not in answer and card.puk not in answer
        assert (card.pin_tries, card.puk_tries) == (3, 10)          # nobody tried
    agent.wait_states("ready", "ready", timeout=2)
    assert lab.modems[0].offered == []


def test_an_unlocked_sim_keeps_its_sim_id(
        make_lab: Callable[..., Lab]) -> None:
    lab = make_lab(sims=[Sim.numbered(0, pin="1234")])
    agent, radio = Agent(lab), lab.radios[0]
    agent.wait_states("locked")
    [sim] = agent.ids()
    radio.call("SimManager", "EnterPin", "pin", "1234")
    radio.wait_for("MessageManager")
    radio.online()
    agent.wait_states("ready", timeout=2)
    assert agent.ids() == [sim]
    assert_sent(agent.send("unlocked", sim))


def test_a_modem_without_power_shows_no_sim(make_lab: Callable[..., Lab]) -> None:
    lab = make_lab(modem_count=1, powered=False)
    agent = Agent(lab)
    assert agent.sims() == []
    refused = agent.send("nobody knows")
    assert_refused(refused, "modem_off")
    assert refused.text.startswith(
        "No SIM can send: modem /sim0: it is switched off. Nothing was sent. Ask")
    lab.bring_up()
    agent.wait_states("ready")
    [sim] = agent.ids()
    lab.radios[0].power(False)
    agent.wait_states()
    assert_refused(agent.send("off", sim), "sim_absent")
    lab.bring_up()
    agent.wait_states("ready")
    assert agent.ids() == [sim]


# ---- the number stays with the card -----------------------------------------------

def test_sims_swapped_between_modems_keep_their_ids(lab: Lab, agent: Agent) -> None:
    first, second = agent.ids()
    with swapped(*lab.modems):
        agent.wait_slots({second: 0, first: 1})
        agent.wait_states("ready", "ready")
        assert_sent(agent.send("follows the card", first))
        assert [submit.text for submit in lab.modems[1].taken] == ["follows the card"]
    agent.wait_slots({first: 0, second: 1})


def test_a_new_sim_gets_an_id_that_it_keeps(lab: Lab, agent: Agent) -> None:
    first, second = agent.ids()
    numbers = set()
    for _ in range(2):
        with another_card(lab.modems[0], Sim.numbered(11)):
            wait_until(lambda: agent.ids() not in ([second], [first, second]), SOON_S,
                       "a third card")
            agent.wait_states("ready", "ready")
            numbers.add(agent.ids()[0])
        agent.wait_slots({first: 0, second: 1})
    [third] = numbers
    assert third not in (first, second)
    assert_refused(agent.send("it is out", third), "sim_absent")


class SimWithoutIccid(Sim):
    def files(self) -> dict:
        return {number: file for number, file in super().files().items()
                if number != EF_ICCID}


def test_a_sim_without_iccid_is_identified_by_its_imsi(make_lab: Callable[..., Lab]) -> None:
    lab = make_lab(sims=[SimWithoutIccid.numbered(0), SimWithoutIccid.numbered(1)])
    agent = Agent(lab)
    agent.wait_states("ready", "ready")
    first, second = agent.ids()
    with swapped(*lab.modems):
        agent.wait_slots({second: 0, first: 1})
    agent.wait_slots({first: 0, second: 1})
    lab.gateway.restart()
    agent.wait_slots({first: 0, second: 1})


def test_two_modems_of_one_subscriber_cannot_send(make_lab: Callable[..., Lab]) -> None:
    """ofonod has one queue for both, and would send the message from each."""
    card = Sim.numbered(0)
    lab = make_lab(sims=[card, Sim.numbered(7, imsi=card.imsi)])
    agent = Agent(lab)
    agent.wait_states("duplicate", "duplicate")
    for sim in agent.ids():
        refusal = agent.send("twice", sim)
        assert_refused(refusal, "sim_duplicate")
        assert "switch one of them off" in refusal.text
    lab.radios[1].power(False)
    agent.wait_states("ready")
    assert_sent(agent.send("once"))
    assert [submit.text for submit in lab.modems[0].offered] == ["once"]
    assert lab.modems[1].offered == []


# ---- which SIM does not exist -----------------------------------------------------

@pytest.mark.parametrize("sim", [-1, 77, 2**31, 2**53])
def test_an_unknown_sim_id_is_refused(lab: Lab, agent: Agent, sim: int) -> None:
    assert_refused(agent.send("nobody", sim), "subscription_unknown")
    assert lab.modems[0].offered == lab.modems[1].offered == []


def test_a_modem_without_a_sim_cannot_send(make_lab: Callable[..., Lab]) -> None:
    lab = make_lab(sims=[None])
    agent = Agent(lab)
    assert agent.sims() == []

    def refused() -> bool:
        answer = agent.send("no card")
        assert_refused(answer, "sim_absent")
        return answer.text.startswith(
            "No SIM can send: modem /sim0: no SIM is in it. Nothing was sent. Ask")

    wait_until(refused, SOON_S, "the gateway knows that the modem has no SIM")
    lab.modems[0].insert_sim(Sim.numbered(1))
    lab.radios[0].wait_for("MessageManager")
    lab.radios[0].online()
    agent.wait_states("ready", timeout=2)


# ---- oFono and the bus come and go ------------------------------------------------

def assert_unavailable(agent: Agent) -> None:
    wait_until(lambda: agent.sims() == [], SOON_S, "no SIM is listed")
    # an ofonod that stops removes its modems first, and leaves the bus a moment later
    wait_until(lambda: agent.send("nobody is there").code == "ofono_unavailable", SOON_S,
               "oFono is gone")
    result = agent.send("nobody is there")
    assert_refused(result, "ofono_unavailable")
    assert result.facts["retryable"] is True


@pytest.mark.parametrize("how", ["kill", "stop"])
def test_the_sims_return_after_ofono_restarts(lab: Lab, agent: Agent, how: str) -> None:
    slots, pid = agent.slots(), lab.gateway.pid
    getattr(lab.ofonod, how)()
    assert_unavailable(agent)
    lab.ofonod.start()
    lab.bring_up()
    agent.wait_slots(slots)
    agent.wait_states("ready", "ready")
    assert_sent(agent.send("again", agent.ids()[0]))
    assert lab.gateway.pid == pid


def test_the_sims_return_after_the_bus_restarts(lab: Lab, agent: Agent) -> None:
    slots, pid = agent.slots(), lab.gateway.pid
    lab.bus.stop()
    assert_unavailable(agent)
    lab.ofonod.kill()
    lab.bus.start()
    lab.ofonod.start()
    lab.bring_up()
    agent.wait_slots(slots, timeout=6)          # the gateway tries the bus at least every 5 s
    agent.wait_states("ready", "ready")
    assert_sent(agent.send("again", agent.ids()[0]))
    assert (lab.gateway.pid, lab.gateway.is_running) == (pid, True)


def test_the_sim_returns_after_its_modem_resets(lab: Lab, agent: Agent) -> None:
    """oFono does not signal Powered afterwards, but the gateway finds out."""
    modem, sims = lab.modems[0], agent.ids()
    asked = len(modem.commands)
    modem.reset()
    wait_until(lambda: len(modem.commands) > asked, what="ofonod starts the modem again")
    lab.radios[0].wait_ready()
    agent.wait_states("ready", "ready")
    assert agent.ids() == sims
    assert_sent(agent.send("after the reset", sims[0]))
    told = agent.call("get_gateway_status", detail=True).structured["modems"]
    assert [(modem["powered"], modem["online"]) for modem in told] == [(True, True)] * 2
