# SPDX-License-Identifier: GPL-2.0-or-later
"""send_sms: its checks, the choice of the SIM, segments, waiting, order."""

from __future__ import annotations

import itertools
import time
from collections.abc import Callable
from concurrent.futures import ThreadPoolExecutor

import pytest

from agent import TO, Agent, assert_pending, assert_refused, assert_sent
from journal import Journal
from lab import Lab, McpClient, wait_until
from lab.wire import read_messages
from modem import HOME, SEARCHING, Outcome, join_parts
from modem.modem import DENIED, NOT_REGISTERED
from schema import problems, whole_answer

MEMBERS = ["message_id", "state", "to_phone_number", "subscription_id", "segments",
           "encoding"]


def filler(length: int) -> str:
    """Text in which every piece differs from its neighbours."""
    return ("".join(f"{i}," for i in range(length)))[:length]


# ---- the answer -------------------------------------------------------------------

def test_send_submits_the_text_and_returns_its_facts(lab: Lab, agent: Agent) -> None:
    sim = agent.ids()[0]
    result = agent.send("Hello, {world}: 5 €", sim)
    [submit] = lab.modems[0].taken              # taken before the answer, not soon after
    assert (submit.destination, submit.text) == (TO, "Hello, {world}: 5 €")
    assert result.raw["content"][0] == {
        "type": "text", "text": f"SMS sent to {TO} (message {result.message_id})"}
    assert len(result.raw["content"]) == 2 and result.facts == result.structured
    assert list(result.structured) == MEMBERS
    assert result.structured | {"message_id": 0} == {
        "message_id": 0, "state": "sent", "to_phone_number": TO, "subscription_id": sim,
        "segments": 1, "encoding": "gsm7"}
    assert not result.is_error


def test_structured_content_agrees_with_the_output_schema(
        lab: Lab, agent: Agent, client: McpClient) -> None:
    tools = {tool["name"]: tool for tool in client.call("tools/list").result["tools"]}
    result = agent.send("by the book", agent.ids()[0])
    assert problems(result.structured, tools["send_sms"]["outputSchema"]) == []
    assert problems(result.structured, whole_answer("send_sms")) == []


def test_the_result_names_the_recipient_as_it_was_given(lab: Lab, agent: Agent) -> None:
    result = agent.send("hello", agent.ids()[0], to="+36 (30) 123-45.67")
    assert_sent(result, "+36 (30) 123-45.67")
    assert result.structured["to_phone_number"] == "+36301234567"


@pytest.mark.parametrize("slot", [0, 1])
def test_the_given_sim_sends_the_message(lab: Lab, agent: Agent, slot: int) -> None:
    assert_sent(agent.send("from this one", agent.ids()[slot]))
    assert [len(modem.offered) for modem in lab.modems] == [1 - slot, slot]


# ---- which SIM --------------------------------------------------------------------

def test_with_two_sims_a_send_must_name_one(lab: Lab, agent: Agent) -> None:
    result = agent.send("from which")
    assert_refused(result, "subscription_required")
    for sim in agent.sims():
        assert f"subscription_id {sim['subscription_id']} is {sim['display_name']}" \
            in result.text
    assert lab.modems[0].offered == lab.modems[1].offered == []


@pytest.mark.parametrize("able", [0, 1])
def test_the_only_sim_that_can_send_is_chosen(lab: Lab, agent: Agent, able: int) -> None:
    other = lab.modems[1 - able]
    other.set_registration(SEARCHING)
    try:
        wait_until(lambda: sorted(agent.states()) == ["ready", "searching"],
                   what="one is able")
        result = agent.send("the only one")
        assert_sent(result)
        assert result.structured["subscription_id"] == agent.ids()[able]
        assert (len(lab.modems[able].taken), other.offered) == (1, [])
    finally:
        other.set_registration(HOME)


def test_a_refusal_shows_the_registration_status(lab: Lab, agent: Agent) -> None:
    try:
        for status, words in ((DENIED, "it is refused by the network"),
                              (NOT_REGISTERED, "it is in no network, and not looking"),
                              (SEARCHING, "it is searching")):
            lab.modems[0].set_registration(status)
            wait_until(lambda: any(words in refusal["message"] for refusal in agent.send(
                "hello", agent.ids()[0], dry_run=True).facts["refusals"]), what=words)
            assert_refused(agent.send("hello", agent.ids()[0]), "not_registered")
    finally:
        lab.modems[0].set_registration(HOME)
    assert lab.modems[0].offered == []


def test_a_retryable_reason_wins_when_neither_sim_can_send(lab: Lab, agent: Agent) -> None:
    """The first SIM needs the owner, the second only a network: retrying makes sense."""
    lab.radios[0].online(False)
    lab.modems[1].set_registration(SEARCHING)
    try:
        agent.wait_states("offline", "searching", timeout=10)
        result = agent.send("from neither")
        assert_refused(result, "not_registered")
        assert "(offline)" in result.text and "(searching)" in result.text
    finally:
        lab.radios[0].online(True)
        lab.modems[1].set_registration(HOME)


# ---- numbers ----------------------------------------------------------------------

@pytest.mark.parametrize("number", [
    "", " ", "+", "-", "()", "+-", "1", "12", "00", "abc", "Bank", "+36a01234567",
    "+123456", "+1234567890123456", "1234567890123456", "00123456789012345678",
    "+0036301234567", "+06301234567", "++36301234567", "36+301234567", "+36301234567x",
    "*#06#", "112#", "*100", "+36301234567;ext=1", "+36301234567,1", "+36301234567/89", "+36301234567, +36301234568",
    "+36_30_123", "+36三〇1234567", "😀", "+" * 1000, "1" * 30000,
])
def test_an_invalid_phone_number_is_refused(lab: Lab, agent: Agent, number: str) -> None:
    result = agent.send("hello", agent.ids()[0], to=number)
    assert_refused(result, "invalid_number")
    assert result.text.startswith("to_phone_number ")
    assert "+36201234567" in result.text            # the correct spelling
    assert len(result.text) < 400
    assert lab.modems[0].offered == []


@pytest.mark.parametrize("written,sent", [
    ("+36 30 123 4567", "+36301234567"), ("+36-30-123-4567", "+36301234567"),
    ("+36.30.123.4567", "+36301234567"), ("+36/30/1234567", "+36301234567"),
    ("+36 (30) 123-45-67", "+36301234567"), ("(06) 30 1234567", "06301234567"),
    ("0036301234567", "0036301234567"), ("06301234567", "06301234567"),
    ("tel:+36301234567", "+36301234567"), ("+36 (0)30 123 4567", "+36301234567"),
    ("1400", "1400"), ("112233", "112233"), ("+1234567", "+1234567"),
    ("+123456789012345", "+123456789012345"), ("00123456789012345", "00123456789012345"),
])
def test_a_phone_number_is_dialled_without_separators(lab: Lab, agent: Agent, written: str, sent: str) -> None:
    result = agent.send("hello", agent.ids()[0], to=written)
    assert_sent(result, written)
    assert result.structured["to_phone_number"] == sent
    assert [submit.destination for submit in lab.modems[0].taken] == [sent]


@pytest.mark.parametrize("written", [
    "\u202a+36301234567\u202c", "+36301234567\u200b", "+3630\n1234567", "\t+36301234567",
    "+３６３０１２３４５６７", "+٣٦٣٠١٢٣٤٥٦٧", "+36\u00a030\u2011123\u20134567"])
def test_an_answer_shows_a_pasted_number_without_what_nobody_sees(
        lab: Lab, agent: Agent, written: str) -> None:
    assert_sent(agent.send("hello", agent.ids()[0], to=written), "+36301234567")
    assert [submit.destination for submit in lab.modems[0].taken] == ["+36301234567"]


# ---- texts ------------------------------------------------------------------------

@pytest.mark.parametrize("text,named", [
    ("", "empty"), ("😀", "U+1F600"), ("fine up to here 😀 and on", "U+1F600"),
    ("👩\u200d💻", "U+1F469"), ("𝄞", "U+1D11E"), ("𠀀", "U+20000"), ("🇭🇺", "U+1F1ED"),
    ("\U00010000", "U+10000"), ("\U0010fffd", "U+10FFFD"), ("a\ufdd0", "U+FDD0"),
    ("\ufdef", "U+FDEF"), ("\ufffe", "U+FFFE"), ("\uffff", "U+FFFF"),
    ("\U0001fffe", "U+1FFFE"), ("first 🚀 then 😀", "U+1F680"), ("ő" * 60 + "😀", "U+1F600"),
])
def test_a_refusal_names_the_character_that_cannot_be_sent(
        lab: Lab, agent: Agent, text: str, named: str) -> None:
    sim = agent.ids()[0]
    result = agent.send(text, sim)
    assert_refused(result, "invalid_text")
    assert named in result.text
    assert result.facts["retryable"] is False
    assert_sent(agent.send("words instead", sim))
    assert [submit.text for submit in lab.modems[0].offered] == ["words instead"]


@pytest.mark.parametrize("text,encoding,segments", [
    ("x", "gsm7", 1), (filler(160), "gsm7", 1), (filler(161), "gsm7", 2),
    (filler(306), "gsm7", 2), (filler(307), "gsm7", 3), (filler(459), "gsm7", 3),
    ("ő", "ucs2", 1), ("ő" + filler(69), "ucs2", 1), ("ő" + filler(70), "ucs2", 2),
    (filler(133) + "ő", "ucs2", 2), (filler(134) + "ő", "ucs2", 3),
    (filler(200) + "ő", "ucs2", 3),
    # of the extension table: two units, never split
    ("{" * 80, "gsm7", 1), (filler(159) + "€", "gsm7", 2), (filler(158) + "€", "gsm7", 1),
    (filler(152) + "€" + filler(10), "gsm7", 2),
    (filler(152) + "€" + filler(151), "gsm7", 2),
    (filler(152) + "€" + filler(152), "gsm7", 3),
    (filler(151) + "€" + filler(153), "gsm7", 2),
    (filler(152) + "€" + filler(150) + "€" + "x" * 10, "gsm7", 3),
    ("^{}\\[~]|€\f", "gsm7", 1),
    ("@£$¥èéùìòÇ\nØø\rÅåΔ_ΦΓΛΩΠΨΣΘΞÆæßÉ ¤¡ÄÖÑÜ§¿äöñüà", "gsm7", 1),
    # characters that look harmless and are not in the alphabet
    ("`", "ucs2", 1), ("“quoted”", "ucs2", 1), ("tab\there", "ucs2", 1), ("ç", "ucs2", 1),
    ("e\u0301", "ucs2", 1), ("日本語のメッセージ", "ucs2", 1), ("\u202eabc", "ucs2", 1),
])
def test_send_reports_encoding_and_segments(
        lab: Lab, agent: Agent, text: str, encoding: str, segments: int) -> None:
    result = agent.send(text, agent.ids()[0])
    assert_sent(result)
    taken = lab.modems[0].taken
    assert result.structured["encoding"] == encoding
    assert result.structured["segments"] == segments
    assert (len(taken), {submit.alphabet for submit in taken}) == (segments, {encoding})
    assert join_parts(taken) == [(TO, text)]
    assert [submit.concat and submit.concat.part for submit in taken] == (
        [None] if segments == 1 else list(range(1, segments + 1)))


def test_a_no_break_space_is_sent_as_a_space(lab: Lab, agent: Agent) -> None:
    result = agent.send("5\u00a0kg", agent.ids()[0])
    assert result.structured["encoding"] == "gsm7"
    assert lab.modems[0].taken[0].text == "5 kg"


@pytest.mark.parametrize("text,counts", [
    (filler(460), ["4 segments", "460", "459"]),
    (filler(5000), ["33 segments", "5000", "459"]),
    ("€" * 230, ["4 segments", "460", "459"]),
    (filler(201) + "ő", ["4 segments", "202", "201", "U+0151", "(ő)"]),
    ("😀" * 101, ["4 segments", "202", "201", "U+1F600"]),
    ("😀" * 4000, ["120 segments", "8000", "201"]),
])
def test_a_text_of_too_many_segments_is_refused(
        lab: Lab, agent: Agent, text: str, counts: list[str]) -> None:
    result = agent.send(text, agent.ids()[0])
    assert_refused(result, "text_too_long")
    assert all(count in result.text for count in counts), result.text
    assert lab.modems[0].offered == []


@pytest.mark.parametrize("limit,fits,too_long", [(1, 160, 161), (5, 765, 766)])
def test_the_owner_sets_the_segment_limit(
        make_lab: Callable[..., Lab], limit: int, fits: int, too_long: int) -> None:
    lab = make_lab(f"[sms]\nmax_segments = {limit}\n", modem_count=1)
    agent = Agent(lab)
    assert_refused(agent.send(filler(too_long)), "text_too_long")
    assert_sent(agent.send(filler(fits)))
    assert len(lab.modems[0].offered) == limit


# ---- what the network says --------------------------------------------------------

@pytest.mark.parametrize("cause", [38, 50, 1])
def test_a_network_refusal_is_reported_as_failed(
        lab: Lab, agent: Agent, journal: Journal, cause: int) -> None:
    sim, modem = agent.ids()[0], lab.modems[0]
    modem.plan(Outcome.cms(cause))
    text = f"refused with {cause}"
    result = agent.send(text, sim)
    assert_refused(result, "network_refused")
    assert result.facts["message"].endswith("Nothing was sent.")
    assert TO in result.text
    assert journal.states(text) == ["failed"]
    assert_sent(agent.send("taken", sim))
    assert [submit.text for submit in modem.offered] == [text, "taken"]


def test_a_refused_segment_leaves_a_partial_delivery_warning(lab: Lab, agent: Agent) -> None:
    modem = lab.modems[0]
    modem.plan(Outcome.ok(), Outcome.cms(38))
    result = agent.send(filler(400), agent.ids()[0])
    assert_refused(result, "network_refused")
    assert "before the refused one may have arrived" in result.text     # the first segment was
    assert "Nothing was sent" not in result.text
    status = agent.call("get_sms_status", message_id=result.message_id).structured
    assert "earlier ones may have arrived" in status["meaning"]
    assert (len(modem.taken), len(modem.offered)) == (1, 2)


HASTY = "[sms]\nsend_wait_seconds = 1\n"


@pytest.mark.parametrize("outcome,state", [
    (Outcome.ok(), "sent"), (Outcome.cms(38), "failed")])
def test_send_returns_submitted_when_the_modem_is_slow(
        make_lab: Callable[..., Lab], outcome: Outcome, state: str) -> None:
    lab = make_lab(HASTY, modem_count=1)
    agent, modem = Agent(lab), lab.modems[0]
    modem.plan(Outcome.hang())
    begun = time.monotonic()
    result = agent.send("late")
    assert 1 <= time.monotonic() - begun
    assert_pending(result, "submitted")
    assert result.facts == result.structured
    assert TO in result.text
    modem.unhang(outcome)
    Journal(lab).wait_state("late", state)
    assert_sent(agent.send("next"))
    assert [submit.text for submit in modem.offered] == ["late", "next"]


# ---- many at once -----------------------------------------------------------------

def in_hands(lab: Lab) -> list[str]:
    """The messages that oFono adds and removes, in order."""
    record = max(lab.folder.glob("signals-*"), key=lambda file: file.stat().st_mtime)
    return [message.member for message in read_messages(record.read_bytes())
            if message.member in ("MessageAdded", "MessageRemoved")]


def test_twenty_sends_on_one_sim_go_out_one_by_one(
        lab: Lab, agent: Agent, background: ThreadPoolExecutor) -> None:
    sim, modem = agent.ids()[0], lab.modems[0]
    texts = [f"one of twenty: {i}" for i in range(20)]
    modem.send_latency_s = 0.03
    try:
        with lab.signals() as signals:
            answers = background.map(lambda text: agent.send(text, sim), texts)
            results = dict(zip(texts, answers))
            signals.wait("MessageRemoved", 20)
            assert in_hands(lab) == ["MessageAdded", "MessageRemoved"] * 20
    finally:
        modem.send_latency_s = 0.0
    for result in results.values():
        assert_sent(result)
    in_order = sorted(texts, key=lambda text: results[text].message_id)
    assert [submit.text for submit in modem.taken] == in_order
    moments = [submit.when for submit in modem.offered]
    assert all(later - earlier >= 0.03 for earlier, later in itertools.pairwise(moments))


def test_two_sims_do_not_wait_for_one_another(
        lab: Lab, agent: Agent, background: ThreadPoolExecutor) -> None:
    first, second = agent.ids()
    lab.modems[0].plan(Outcome.hang())
    stuck = background.submit(agent.send, "stuck", first)
    try:
        lab.modems[0].wait_offered(1)
        for number in range(3):
            assert_sent(agent.send(f"free {number}", second))
        assert not stuck.done()
    finally:
        lab.modems[0].unhang(Outcome.ok())
    assert_sent(stuck.result())


def test_segments_of_concurrent_texts_are_not_mixed(
        lab: Lab, agent: Agent, background: ThreadPoolExecutor) -> None:
    sim = agent.ids()[0]
    texts = [f"{i} " + letter * 300 for i, letter in enumerate("abcdef")]
    for result in background.map(lambda text: agent.send(text, sim), texts):
        assert_sent(result)
        assert result.structured["segments"] == 2
    assert sorted(join_parts(lab.modems[0].taken)) == sorted((TO, text) for text in texts)


def test_a_send_is_refused_when_the_queue_is_full(
        make_lab: Callable[..., Lab], background: ThreadPoolExecutor) -> None:
    lab = make_lab("[sms]\nsend_wait_seconds = 0\nqueue_limit = 2\n", modem_count=1)
    agent, modem = Agent(lab), lab.modems[0]
    modem.plan(Outcome.hang())
    agent.send("in oFono's hands")
    modem.wait_offered(1)
    assert_pending(agent.send("waits 1"), "queued")
    assert_pending(agent.send("waits 2"), "queued")
    result = agent.send("one too many")
    assert_refused(result, "queue_full")
    assert result.facts["retryable"] is True
    modem.unhang(Outcome.ok())
    modem.wait_taken(3)
    Journal(lab).wait_state("waits 2", "sent")
    assert_pending(agent.send("room again"), "queued", "submitting", "submitted")
    taken = [submit.text for submit in modem.wait_taken(4)]
    assert taken == ["in oFono's hands", "waits 1", "waits 2", "room again"]
