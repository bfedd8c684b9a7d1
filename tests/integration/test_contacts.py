# SPDX-License-Identifier: GPL-2.0-or-later
"""Contacts: the people whom the owner knows by name, from SIM cards and the owner's file."""

from __future__ import annotations

import signal
from collections.abc import Callable
from pathlib import Path
from typing import Any

from agent import Agent, assert_sent
from lab import Lab, wait_until
from modem import Sim
from owner import Owner
from reading import call

ANNA, BELA, CILI = "+36201234567", "+36301112222", "+36705556666"
LAB = {"sims": [Sim.numbered(0, contacts=[("Kovács Anna", "06201234567"),
                                          ("Béla", BELA)]),
                Sim.numbered(1)]}


def names(agent: Agent, **asked: Any) -> list[str]:
    found = agent.call("find_contact", **asked).structured
    assert len(found["contacts"]) == found["count"]
    return [row["name"] for row in found["contacts"]]


def wait_names(agent: Agent, *expected: str, **asked: Any) -> None:
    wait_until(lambda: names(agent, **asked) == list(expected),
               what=f"the contacts are {expected}")


def vcard(*people: tuple[str, str]) -> str:
    return "".join(f"BEGIN:VCARD\nVERSION:3.0\nFN:{name}\nTEL:{number}\nEND:VCARD\n"
                   for name, number in people)


def test_sim_contacts_are_found_by_name_and_phone_number(lab: Lab, agent: Agent) -> None:
    """Parts of the name without accents find them, and any spelling of the number."""
    wait_names(agent, "Kovács Anna", "Béla")
    first, _ = agent.ids()
    [row] = call(lab, "find_contact", name="ANNA kov")["contacts"]
    assert row == {"name": "Kovács Anna", "phone_numbers": ["06201234567"],
                   "source": "sim", "subscription_id": first}
    for spelling in ANNA, "0036201234567", "06 20 123-4567":
        assert names(agent, phone_number=spelling) == ["Kovács Anna"]
    assert names(agent, name="bela", phone_number=ANNA) == []


def test_contact_names_are_shown_with_phone_numbers(lab: Lab, agent: Agent) -> None:
    wait_names(agent, "Kovács Anna", "Béla")
    lab.modems[1].deliver(ANNA, "it is me")
    row = wait_until(lambda: call(lab, "list_sms", phone_number=ANNA)["messages"],
                     what="the message came")[0]
    assert (row["contact_name"], row["trust"]) == ("Kovács Anna", "contact")
    status = call(lab, "get_sms_status", history=True, message_id=row["message_id"])
    assert (status["contact_name"], "trust" in status) == ("Kovács Anna", False)
    talk = call(lab, "list_sms_conversations")["conversations"][0]
    assert (talk["contact_name"], talk["trust"]) == ("Kovács Anna", "contact")
    lab.modems[0].ring(BELA)
    rung = wait_until(lambda: call(lab, "list_calls")["calls"], what="it rings")[0]
    assert (rung["contact_name"], "trust" in rung) == ("Béla", False)
    lab.modems[0].hang_up()
    agent.send("hello", sim=agent.ids()[0], to=BELA)
    page = agent.call("list_sms", phone_number=BELA).structured
    assert (page["messages"][0]["to"], page["contacts"]) == (BELA, {BELA: "Béla"})
    both = agent.call("list_sms").structured
    assert both["contacts"].items() >= {BELA: "Béla", ANNA: "Kovács Anna"}.items()
    assert "contact_name" not in both["messages"][0]


def test_contacts_are_listed_page_by_page(lab: Lab, agent: Agent) -> None:
    wait_names(agent, "Kovács Anna", "Béla")
    page = agent.call("find_contact", limit=1).structured
    assert [row["name"] for row in page["contacts"]] == ["Kovács Anna"]
    more = agent.call("find_contact", limit=1, cursor=page["next_cursor"]).structured
    assert [row["name"] for row in more["contacts"]] == ["Béla"]
    assert "next_cursor" not in more
    Owner(lab.gateway.state).do("reload")
    wait_until(lambda: agent.call("find_contact", cursor=page["next_cursor"]).code
               == "invalid_arguments", what="the contacts are others")
    assert agent.call("find_contact", cursor="p1-00000000").code == "invalid_arguments"


def test_none_found_says_among_how_many(agent: Agent) -> None:
    """So that nobody is told that a person has no number where there is no address book."""
    wait_names(agent, "Kovács Anna", "Béla")
    none = agent.call("find_contact", name="nobody of that name").structured
    assert (none["contacts"], none["contacts_known"]) == ([], 2)
    assert "contacts_known" not in agent.call("find_contact", name="anna").structured


def test_messages_asked_for_by_a_contacts_name_are_not_said_to_be_none(
        lab: Lab, agent: Agent) -> None:
    """Messages have numbers: an empty list alone would say that this person never wrote."""
    wait_names(agent, "Kovács Anna", "Béla")
    for tool, name, rest in (("list_sms", "phone_number", {}),
                             ("wait_for_sms", "from", {"timeout_seconds": 1})):
        for who, is_name in ("Bela", True), (CILI, False):
            found = agent.call(tool, **{name: who}, **rest).structured
            assert ("find_contact" in found.get("hint", "")) == is_name, found


def test_find_contact_refuses_invalid_arguments(agent: Agent) -> None:
    assert agent.call("find_contact", phone_number="Anna").code == "invalid_number"
    assert agent.call("find_contact", name="a" * 128).code == "invalid_arguments"
    assert names(agent, name="nobody of that name") == []
    refused = agent.send("hello", sim=agent.ids()[0], to="Anna")
    assert refused.code == "invalid_number"
    assert "find_contact" in refused.text


def test_a_limited_client_finds_allowed_contacts_only(make_lab: Callable[..., Lab], folder: Path) -> None:
    """Only contacts with numbers that it may write to, in any spelling, on SIMs that it may
    use."""
    file = folder / "contacts.vcf"
    file.write_text(vcard(("Cili", f"{CILI}\nTEL:06 20 111 1111")))
    lab = make_lab(f"[contacts]\nfile = {file}\n", gateway_open=False)
    owner = Owner(lab.gateway.state)

    def paired(name: str, *limits: object) -> Agent:
        return Agent(lab, owner.json("pair", name, *limits)["token"])

    agent = paired("of all")
    wait_names(agent, "Cili", "Kovács Anna", "Béla")
    first, second = agent.ids()
    found = paired("of numbers", "--allow", "+3620*").call("find_contact").structured
    assert [(row["name"], row["phone_numbers"]) for row in found["contacts"]] == [
        ("Cili", ["06201111111"]), ("Kovács Anna", ["06201234567"])]
    none = paired("of nobody", "--allow", "+4366*").call("find_contact").structured
    assert (none["contacts"], none["contacts_known"]) == ([], 0)
    assert names(paired("of the first", "--sim", first)) == ["Cili", "Kovács Anna", "Béla"]
    other = paired("of the second", "--sim", second)
    assert names(other) == ["Cili"]
    lab.modems[0].deliver("+36301112222", "to the first card")      # reading is not limited by that
    [message] = wait_until(lambda: other.call("list_sms").page["messages"])
    assert (message["subscription_id"], message["text"]) == (first, "to the first card")


# ---- cards that come and go

def test_a_silent_modem_does_not_block_other_contacts(make_lab: Callable[..., Lab]) -> None:
    """The other modem goes on; when the silent one restarts in the middle of its answer, all
    contacts are there."""
    card = Sim.numbered(0, contacts=[("Anna", ANNA)])
    lab = make_lab(sims=[card, Sim.numbered(1, contacts=[("Béla", BELA)])], powered=False)
    agent, modem = Agent(lab), lab.modems[0]
    modem.answers_phonebook = False
    lab.radios[1].bring_up()
    lab.radios[0].power()
    wait_names(agent, "Béla")
    wait_until(lambda: any(line.startswith("AT+CPBR=1") for line in modem.commands),
               what="ofonod asks")
    assert_sent(agent.send("hello", sim=agent.ids()[-1], to=BELA), BELA)
    modem.cut_link()
    modem.answers_phonebook = True
    lab.radios[0].wait_property("Modem", "Powered", False)
    lab.radios[0].bring_up()
    wait_names(agent, "Béla", "Anna")


def test_a_reload_reads_an_empty_phonebook_again(make_lab: Callable[..., Lab]) -> None:
    """ofonod then reports no contacts instead of an error; a reload asks again."""
    lab = make_lab(sims=[Sim.numbered(0, contacts=[("Anna", ANNA)])], powered=False)
    lab.modems[0].reads_phonebook = False
    lab.bring_up()
    wait_until(lambda: "contacts: SIM 1 has 0" in lab.gateway.log, what="nobody is there")
    assert names(Agent(lab)) == []
    assert "neither on a SIM card nor in a file" in Owner(lab.gateway.state).do("contacts")
    lab.gateway.send_signal(signal.SIGHUP)
    wait_until(lambda: lab.gateway.log.count("contacts: SIM 1 has 0") == 2,
               what="it was asked again")


# ---- the owner's file

def test_the_contacts_file_comes_before_the_cards(make_lab: Callable[..., Lab], folder: Path) -> None:
    """The file has priority over the cards, is read again on reload, and errors in it are
    reported."""
    file = folder / "contacts.vcf"
    file.write_text(vcard(("Anna of the file", ANNA)))
    lab = make_lab(f"[contacts]\nfile = {file}\n",
                   sims=[Sim.numbered(0, contacts=[("Anna", ANNA)])])
    agent, owner = Agent(lab), Owner(lab.gateway.state)
    wait_names(agent, "Anna of the file", "Anna")
    lab.modems[0].deliver(ANNA, "hi")
    wait_until(lambda: agent.call("list_sms").structured["messages"], what="the message came")
    assert agent.call("list_sms").structured["contacts"] == {ANNA: "Anna of the file"}
    assert f"Anna of the file {ANNA}" in owner.do("list")
    assert owner.do("contacts", "anna") == (f"Anna of the file  {ANNA}  (file)\n"
                                            f"Anna  {ANNA}  (SIM 1)\n")
    assert owner.do("contacts", "--number", BELA) == "There is no such contact.\n"
    assert "ofono-mcp contacts" in owner.run("send", "Anna", "hello").stderr
    file.write_text(vcard(("Béla", BELA)))
    assert "Contacts" not in owner.do("reload")
    wait_names(agent, "Béla", "Anna")
    file.write_bytes(b"x" * (8 * 1024 * 1024 + 1))
    assert "8 MiB" in owner.do("reload")
    assert "8 MiB" in owner.json("status")["contacts"]["problem"]
    assert "8 MiB" in owner.run("doctor").stdout
    wait_names(agent, "Béla", "Anna")
    file.unlink()
    assert "there is no such file" in owner.json("reload")["contacts_problem"]
    wait_names(agent, "Anna")


def test_what_a_contacts_file_leaves_out_is_counted_with_line_numbers(
        make_lab: Callable[..., Lab], folder: Path) -> None:
    """Doctor and the log count it; vCards without a phone number are no problem."""
    file = folder / "contacts.vcf"
    bare = "BEGIN:VCARD\nVERSION:2.1\n{}\nEND:VCARD\n"
    file.write_bytes(bare.format(f"ORG:Acme\nTEL:{ANNA},,12#").encode()
                     + bare.format("FN:No number").encode()
                     + bare.format(f"TEL:{BELA}").encode()
                     + bare.format(f"FN:Kovács\nTEL:{CILI}").encode("latin-1"))
    lab = make_lab(f"[contacts]\nfile = {file}\nsims = no\n", sims=[Sim.numbered(0)])
    agent, owner = Agent(lab), Owner(lab.gateway.state)
    assert names(agent, phone_number=ANNA) == ["Acme"]
    assert names(agent) == ["Acme"]
    told = owner.run("doctor").stdout
    for words in "(line 10)", "(line 16)", "(line 6)":
        assert words in told
    for words in "(line 10)", "(line 16)", "(line 6)":
        assert words in lab.gateway.log
    status = owner.json("status")["contacts"]
    assert "(line 6)" not in status["problem"] and "(line 6)" in status["skipped"]
    file.write_bytes(bare.format(f"FN:Kovács\nTEL:{CILI}").encode("utf-16"))
    owner.do("reload")
    assert (names(agent), "problem" in owner.json("status")["contacts"]) == (["Kovács"], False)


def test_a_changed_contacts_file_is_read_without_a_reload(make_lab: Callable[..., Lab], folder: Path) -> None:
    """Changed in place, by rename, removed, recreated, behind a link: no reload is needed."""
    file, fresh, real = folder / "contacts.vcf", folder / "fresh", folder / "there" / "real.vcf"
    file.write_text(vcard(("One", ANNA)))
    lab = make_lab(f"[contacts]\nfile = {file}\n", sims=[Sim.numbered(1)])
    agent = Agent(lab)
    wait_names(agent, "One")
    file.write_text(vcard(("Two", ANNA)))
    wait_names(agent, "Two")
    fresh.write_text(vcard(("Three", ANNA)))
    fresh.rename(file)
    wait_names(agent, "Three")
    file.unlink()
    wait_names(agent)
    real.parent.mkdir()
    real.write_text(vcard(("Four", ANNA)))
    file.symlink_to(real)
    wait_names(agent, "Four")
    real.write_text(vcard(("Five", ANNA)))
    wait_names(agent, "Five")
    fresh.write_text(vcard(("Six", ANNA)))
    fresh.rename(real)
    wait_names(agent, "Six")
    (folder / "other").write_text("x")
    file.write_bytes(b"x" * (8 * 1024 * 1024 + 1))
    wait_until(lambda: "8 MiB" in lab.gateway.log, what="it is told")
    assert names(agent) == ["Six"]


def test_a_changed_folder_is_read_without_a_reload(make_lab: Callable[..., Lab], folder: Path) -> None:
    """Files added, changed, renamed, removed; the folder itself removed and made again."""
    cards, away = folder / "contacts", folder / "away"
    cards.mkdir()
    (cards / "b.vcf").write_text(vcard(("Béla", BELA)))
    lab = make_lab(f"[contacts]\nfile = {cards}/\n", sims=[Sim.numbered(1)])
    agent, owner = Agent(lab), Owner(lab.gateway.state)
    wait_names(agent, "Béla")
    (cards / "a.vcf").write_text(vcard(("Anna", ANNA)))
    wait_names(agent, "Anna", "Béla")
    (cards / "a.vcf").write_text(vcard(("Anna Kovács", ANNA)))
    wait_names(agent, "Anna Kovács", "Béla")
    (cards / "a.vcf").rename(cards / "c.vcf")
    wait_names(agent, "Béla", "Anna Kovács")
    (cards / "c.vcf").rename(cards / "c.vcf~")
    wait_names(agent, "Béla")
    (cards / "b.vcf").unlink()
    wait_names(agent)
    assert "problem" in owner.json("status")["contacts"]
    (cards / "d.vcf").write_text(vcard(("Cili", CILI), ("Hidden", f"{BELA}\nCLASS:PRIVATE")))
    wait_names(agent, "Cili")
    (cards / "e.vcf").symlink_to(folder / "nowhere")
    wait_until(lambda: "number 2" in owner.json("status")["contacts"].get("problem", ""),
               what="the unreadable file is reported")
    assert "number 2" in owner.run("doctor").stdout and "number 2" in owner.do("reload")
    assert names(agent) == ["Cili"]
    cards.rename(away)
    wait_names(agent)
    cards.mkdir()
    (cards / "f.vcf").write_text(vcard(("Dóra", ANNA)))
    wait_names(agent, "Dóra")
    (cards / "g.vcf").write_text(vcard(("Ede", BELA)))
    wait_names(agent, "Dóra", "Ede")
    (cards / "f.vcf").unlink()
    (cards / "g.vcf").unlink()
    cards.rmdir()
    cards.symlink_to(away)
    (away / "e.vcf").unlink()
    wait_names(agent, "Cili")
    (away / "h.vcf").write_text(vcard(("Béla", BELA)))
    wait_names(agent, "Cili", "Béla")


def test_find_contact_disappears_when_contacts_are_off(make_lab: Callable[..., Lab]) -> None:
    """The tool disappears, and returns when the owner enables contacts again."""
    lab = make_lab(sims=[Sim.numbered(0, contacts=[("Anna", ANNA)])])
    agent, owner = Agent(lab), Owner(lab.gateway.state)
    wait_names(agent, "Anna")
    config = lab.gateway.config
    lab.gateway.config = config + "[contacts]\ndesktop = no\nsims = no\n"
    lab.gateway.prepare()
    assert "contacts.sims: changed" in owner.do("reload")
    with lab.client() as client:
        assert "find_contact" not in str(client.call("tools/list").result)
    assert owner.json("status")["contacts"]["count"] == 0
    lab.gateway.config = config
    lab.gateway.prepare()
    owner.do("reload")
    wait_names(agent, "Anna")


def test_contact_names_are_escaped(make_lab: Callable[..., Lab], folder: Path) -> None:
    file = folder / "contacts.vcf"
    file.write_text(vcard(("evil \u202eman\u200b\\n\x07x", ANNA)))
    long = "Á;,\\" * 12                 # ofonod folds and escapes it
    lab = make_lab(f"[contacts]\nfile = {file}\n",
                   sims=[Sim.numbered(0, contacts=[(long, BELA)])])
    agent = Agent(lab)
    shown = "evil \\u{202E}man\\u{200B} x"
    wait_names(agent, shown, long)
    assert names(agent, name=shown) == [shown]
    lab.modems[0].deliver(ANNA, "hi")
    wait_until(lambda: agent.call("list_sms").structured["messages"], what="the message came")
    assert agent.call("list_sms").structured["contacts"] == {ANNA: shown}


def test_contact_names_are_never_written_to_disk_or_log(make_lab: Callable[..., Lab], folder: Path) -> None:
    file = folder / "contacts.vcf"
    file.write_text(vcard(("Xanthippe", ANNA)))
    lab = make_lab(f"[contacts]\nfile = {file}\n[log]\nverbose = yes\n",
                   sims=[Sim.numbered(0, contacts=[("Yolanda", BELA)])])
    agent = Agent(lab)
    wait_names(agent, "Xanthippe", "Yolanda")
    lab.modems[0].deliver(ANNA, "hi")
    wait_until(lambda: agent.call("list_sms").structured["messages"], what="the message came")
    assert_sent(agent.send("hello", to=BELA), BELA)
    lab.gateway.stop()
    written = [path.read_bytes() for path in lab.gateway.state.rglob("*") if path.is_file()]
    for name in b"Xanthippe", b"Yolanda":
        assert not any(name in octets for octets in [*written, lab.gateway.log.encode()])


def test_a_truncated_phonebook_is_reported_as_incomplete(make_lab: Callable[..., Lab]) -> None:
    """Both the agent that searches and the owner learn of it."""
    many = [(f"Somebody with a long name {i:04}", f"+3620{i:07}") for i in range(2500)]
    lab = make_lab(sims=[Sim.numbered(0, contacts=many)])
    agent, owner = Agent(lab), Owner(lab.gateway.state)
    wait_until(lambda: owner.json("status")["contacts"].get("problem"), 30, "it is read")
    found = agent.call("find_contact", name="nobody at all").structured
    assert (found["contacts"], found["incomplete"]) == ([], True)
    assert "Some are left out" in owner.do("contacts", "0001")
    assert "SIM 1: it has more contacts than the gateway keeps" in owner.run("doctor").stdout
