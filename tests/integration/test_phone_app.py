# SPDX-License-Identifier: GPL-2.0-or-later
"""What agents send, in the phone's own messages: with Lomiri's real history service."""

from __future__ import annotations

import sqlite3
from collections.abc import Callable, Iterator
from contextlib import closing
from pathlib import Path

import pytest

from agent import TO, Agent
from approving import Owner, new_agent
from desktop import Desktop
from lab import Lab, wait_until
from lab.process import Process
from modem import Outcome

DAEMON = "/usr/libexec/history-daemon"
UNKNOWN, DELIVERED, FAILED, SENT = 0, 1, 3, 4


class PhoneApp:
    """The history service, and what it has stored."""

    def __init__(self, lab: Lab, desktop: Desktop) -> None:
        self._home = lab.folder / "home"
        self._home.mkdir(exist_ok=True)
        self._desktop = desktop
        self.service = Process("history-daemon", lab.folder / "history.log")

    def start(self) -> None:
        self.service.run([DAEMON], environment={
            "HOME": str(self._home), "XDG_RUNTIME_DIR": str(self._home), "QT_QPA_PLATFORM": "offscreen",
            "DBUS_SESSION_BUS_ADDRESS": self._desktop.bus.address})
        wait_until(lambda: self._desktop.owns("com.lomiri.HistoryService"), what="the service is there")

    def rows(self, sql: str) -> list[tuple]:
        file = self._home / ".local/share/history-service/history.sqlite"
        with closing(sqlite3.connect(f"file:{file}?mode=ro", uri=True)) as store:
            return store.execute(sql).fetchall()

    def messages(self) -> list[tuple[str, str, int]]:
        return self.rows("SELECT threadId, message, messageStatus FROM text_events ORDER BY timestamp, eventId")

    def wait(self, *messages: tuple[str, str, int]) -> None:
        wait_until(lambda: self.messages() == list(messages), what=f"{messages}, not {self.messages()}")

    def delete_all(self) -> None:
        """As the owner does in the app."""
        self.service.terminate()
        file = self._home / ".local/share/history-service/history.sqlite"
        with closing(sqlite3.connect(file)) as store:
            store.execute("DELETE FROM text_events")
            store.commit()
        self.start()


@pytest.fixture
def lab(make_lab: Callable[..., Lab]) -> Lab:
    return make_lab(modem_count=2, gateway_open=False)


@pytest.fixture
def agent(lab: Lab) -> Agent:
    return new_agent(lab, ask="never")


@pytest.fixture
def desktop(lab: Lab, agent: Agent) -> Iterator[Desktop]:
    """What comes after the first event that it has seen is recorded."""
    with Desktop(lab, "--state", str(lab.folder / "seen")) as one:
        wait_dealt_with(lab)
        yield one


@pytest.fixture
def app(lab: Lab, desktop: Desktop) -> Iterator[PhoneApp]:
    one = PhoneApp(lab, desktop)
    one.start()
    yield one
    one.service.terminate()


def send(agent: Agent, text: str, sim: int = 0) -> int:
    return agent.call("send_sms", to_phone_number=TO, sms_text=text,
                      subscription_id=agent.ids()[sim]).message_id


def wait_dealt_with(lab: Lab) -> None:
    """The session has noted that it has dealt with the newest event; there is one."""
    seen = lab.folder / "seen"

    def is_noted() -> bool:
        newest = Owner(lab).json_lines("events", "--limit", "1")[0].get("eventId")
        return bool(newest) and seen.exists() and seen.read_text() == f"{newest}\n"

    wait_until(is_noted, what="it is noted")


def test_what_an_agent_sends_is_in_the_phones_messages(agent: Agent, app: PhoneApp) -> None:
    send(agent, "from the first SIM")
    app.wait((TO, "from the first SIM", SENT))
    send(agent, "from the second one", sim=1)
    app.wait((TO, "from the first SIM", SENT), (TO, "from the second one", SENT))
    assert app.rows("SELECT DISTINCT accountId, senderId FROM text_events ORDER BY accountId") == [
        ("ofono/ofono/account0", "self"), ("ofono/ofono/account1", "self")]


def test_its_state_follows_and_it_is_there_once(lab: Lab, agent: Agent, app: PhoneApp) -> None:
    lab.modems[0].plan(Outcome.cms(38))
    agent.call("send_sms", to_phone_number=TO, sms_text="nobody takes it", subscription_id=agent.ids()[0])
    app.wait((TO, "nobody takes it", FAILED))


def test_what_never_left_the_gateway_is_not_there(lab: Lab, agent: Agent, app: PhoneApp) -> None:
    careful = new_agent(lab, "hesitant")
    waiting = careful.call("send_sms", to_phone_number=TO, sms_text="rejected", wait_for="none",
                           subscription_id=careful.ids()[0]).message_id
    Owner(lab).do("reject", waiting)
    send(agent, "sent")
    app.wait((TO, "sent", SENT))


def test_what_was_sent_while_nobody_was_logged_in_is_recorded_at_the_next_login(
        agent: Agent, desktop: Desktop, app: PhoneApp) -> None:
    send(agent, "before")
    app.wait((TO, "before", SENT))
    desktop.session.terminate()
    send(agent, "meanwhile")
    desktop.start()
    app.wait((TO, "before", SENT), (TO, "meanwhile", SENT))


def test_what_the_owner_deletes_in_the_app_stays_deleted(
        lab: Lab, agent: Agent, desktop: Desktop, app: PhoneApp) -> None:
    send(agent, "deleted")
    app.wait((TO, "deleted", SENT))
    wait_dealt_with(lab)
    desktop.session.terminate()
    app.delete_all()
    desktop.start()
    send(agent, "later")
    app.wait((TO, "later", SENT))
