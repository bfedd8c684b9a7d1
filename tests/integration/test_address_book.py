# SPDX-License-Identifier: GPL-2.0-or-later
"""The desktop's address books become contacts: with the real evolution-data-server."""

from __future__ import annotations

from collections.abc import Callable, Iterator

import dbus
import dbus.bus
import pytest

from agent import Agent
from approving import new_agent
from desktop import Desktop
from lab import Lab, wait_until
from lab.process import Process
from modem.patience import patience
from test_contacts import ANNA, BELA, CILI, names, vcard, wait_names

SOURCES = "org.gnome.evolution.dataserver.Sources5"
FACTORY = "org.gnome.evolution.dataserver.AddressBook10"
BOOK = "org.gnome.evolution.dataserver.AddressBook"
PHOTO = f"PHOTO;ENCODING=b;TYPE=JPEG:{'A' * 4096}\n"


class AddressBooks:
    """evolution-data-server on the session's bus, and its address book "Personal"."""

    def __init__(self, lab: Lab, desktop: Desktop) -> None:
        home = lab.folder / "home"
        home.mkdir(exist_ok=True)
        self._desktop = desktop
        self._environment = {
            "HOME": str(home), "XDG_CONFIG_HOME": str(home / "config"), "XDG_DATA_HOME": str(home / "data"),
            "XDG_CACHE_HOME": str(home / "cache"), "GSETTINGS_BACKEND": "memory", "GIO_USE_VFS": "local",
            "DBUS_SESSION_BUS_ADDRESS": desktop.bus.address}
        self._programs = [Process(name, lab.folder / f"{name}.log")
                          for name in ("evolution-source-registry", "evolution-addressbook-factory")]
        self._bus = None

    def start(self) -> None:
        for program, name in zip(self._programs, (SOURCES, FACTORY), strict=True):
            program.run([f"/usr/libexec/{program.name}"], environment=self._environment)
            wait_until(lambda name=name: self._desktop.owns(name), what=f"{name} is there")
        self._bus = dbus.bus.BusConnection(self._desktop.bus.address)

    def stop(self) -> None:
        if self._bus:
            self._bus.close()
        for program in reversed(self._programs):
            program.terminate()

    def _call(self, name: str, path: str, interface: str, method: str, *arguments: object) -> object:
        return self._bus.get_object(name, path, introspect=False).get_dbus_method(method, interface)(
            *arguments, timeout=patience(30))

    def book(self, method: str, *arguments: object) -> object:
        path, name = self._call(FACTORY, "/org/gnome/evolution/dataserver/AddressBookFactory",
                                "org.gnome.evolution.dataserver.AddressBookFactory", "OpenAddressBook",
                                "system-address-book")
        self._call(name, path, BOOK, "Open")
        return self._call(name, path, BOOK, method, *arguments)

    def add(self, *cards: str) -> list[str]:
        return self.book("CreateContacts", dbus.Array(cards, "s"), dbus.UInt32(0))

    def remove(self, uids: list[str]) -> None:
        self.book("RemoveContacts", dbus.Array(uids, "s"), dbus.UInt32(0))

    def enable(self, shown: bool) -> None:
        """As the owner does with the address book's box in the list of address books."""
        objects = self._call(SOURCES, "/org/gnome/evolution/dataserver/SourceManager",
                             "org.freedesktop.DBus.ObjectManager", "GetManagedObjects")
        interface = "org.gnome.evolution.dataserver.Source"
        path, data = next((path, rows[interface]["Data"]) for path, rows in objects.items()
                          if rows.get(interface, {}).get("UID") == "system-address-book")
        before, after = ("false", "true") if shown else ("true", "false")
        assert f"\nEnabled={before}\n" in data
        self._call(SOURCES, path, f"{interface}.Writable", "Write",
                   data.replace(f"\nEnabled={before}\n", f"\nEnabled={after}\n"))


@pytest.fixture
def lab(make_lab: Callable[..., Lab]) -> Lab:
    return make_lab(gateway_open=False)


@pytest.fixture
def agent(lab: Lab) -> Agent:
    return new_agent(lab, ask="never")


@pytest.fixture
def books(lab: Lab, agent: Agent) -> Iterator[AddressBooks]:
    with Desktop(lab) as desktop:
        one = AddressBooks(lab, desktop)
        try:
            one.start()
            desktop.session.terminate()         # it began without them
            one.add(vcard(("Anna Kovács", ANNA)).replace("TEL", f"{PHOTO}TEL;TYPE=CELL"))
            desktop.start()
            yield one
        finally:
            one.stop()


def test_people_in_the_desktops_address_book_are_contacts(agent: Agent, books: AddressBooks) -> None:
    wait_names(agent, "Anna Kovács")
    assert names(agent, phone_number="06 20 123-4567") == ["Anna Kovács"]
    [row] = agent.call("find_contact").structured["contacts"]
    assert (row["source"], "subscription_id" in row) == ("desktop", False)


def test_the_owners_changes_of_the_address_book_are_followed(agent: Agent, books: AddressBooks) -> None:
    wait_names(agent, "Anna Kovács")
    added = books.add(vcard(("Béla", BELA)), vcard(("Cili", CILI)))
    wait_until(lambda: sorted(names(agent)) == ["Anna Kovács", "Béla", "Cili"], what="the new ones are known")
    books.remove(added[:1])
    wait_until(lambda: sorted(names(agent)) == ["Anna Kovács", "Cili"], what="one is forgotten")


def test_an_address_book_that_the_owner_hides_stays_hidden(agent: Agent, books: AddressBooks) -> None:
    wait_names(agent, "Anna Kovács")
    books.enable(False)
    wait_names(agent)
    books.enable(True)
    wait_names(agent, "Anna Kovács")


def test_people_whom_the_owner_marks_private_stay_hidden(agent: Agent, books: AddressBooks) -> None:
    books.add(vcard(("Béla", BELA)).replace("TEL", "CLASS:PRIVATE\nTEL"), vcard(("Cili", CILI)))
    wait_until(lambda: sorted(names(agent)) == ["Anna Kovács", "Cili"], what="the others are known")


def test_a_gateway_that_starts_anew_is_told_again(lab: Lab, agent: Agent, books: AddressBooks) -> None:
    wait_names(agent, "Anna Kovács")
    lab.gateway.restart()
    wait_names(agent, "Anna Kovács")


def test_many_people_are_told_in_pieces(agent: Agent, books: AddressBooks) -> None:
    people = [(f"Person {number:03} {'x' * 40}", f"+3620{number:07}") for number in range(600)]
    books.add(*(vcard(person) for person in people))
    wait_until(lambda: names(agent, name="Person 599") == [people[599][0]], what="the last one is known")
    assert names(agent, phone_number=people[0][1]) == [people[0][0]]


def test_a_session_that_is_told_not_to_passes_nothing_on(lab: Lab, agent: Agent) -> None:
    with Desktop(lab, "--no-contacts") as desktop:
        books = AddressBooks(lab, desktop)
        try:
            books.start()
            books.add(vcard(("Anna Kovács", ANNA)))
            with desktop.server() as server:    # it is at work: what it shows comes by the same connection
                careful = new_agent(lab, "hesitant")
                careful.call("send_sms", to_phone_number=CILI, sms_text="shown", wait_for="none",
                             subscription_id=careful.ids()[0])
                server.wait_shown("shown")
            assert names(agent) == []
        finally:
            books.stop()
