# SPDX-License-Identifier: GPL-2.0-or-later
"""ofono-mcp-session: approvals as notifications of the owner's desktop."""

from __future__ import annotations

import contextlib
import json
import os
import socket
import subprocess
import time
from collections import Counter
from collections.abc import Callable, Iterator
from pathlib import Path
from threading import Thread
from types import SimpleNamespace
from typing import Any

import dbus.bus
import pytest
from dbus.lowlevel import SignalMessage

from agent import TO, Agent, taken_texts
from approving import Owner, new_agent
from desktop import PROGRAM, READING_S, Desktop, Server
from lab import Lab, wait_until
from modem.patience import patience
from test_approval import ONE, agent, lab, owner
from webhooks import Hook, Hooked


@pytest.fixture
def desktop(lab: Lab, agent: Agent) -> Iterator[Desktop]:
    with Desktop(lab) as one:
        yield one


@pytest.fixture
def server(desktop: Desktop) -> Iterator[Server]:
    with desktop.server() as one:
        yield one


def ask(agent: Agent, text: str) -> int:
    """Sends a message that waits for the owner; returns its ID."""
    return agent.call("send_sms", to_phone_number=TO, sms_text=text, wait_for="none").message_id


def test_a_message_is_sent_when_the_owner_presses_approve(
        lab: Lab, agent: Agent, owner: Owner, server: Server) -> None:
    waiting = ask(agent, "Dinner at <8> & wine?")
    shown = server.wait_shown("Dinner at &lt;8&gt; &amp; wine?")
    assert TO in shown["body"] and "careful" in shown["summary"] and shown["urgency"] == 2
    assert list(shown["actions"].values()) == ["Approve", "Reject"]
    server.press(shown, "Approve")
    agent.wait_state(waiting, "sent")
    assert taken_texts(lab) == ["Dinner at <8> & wine?"]
    assert "owner (uid" in owner.do("audit")


def test_what_nobody_sees_is_shown_as_an_escape(agent: Agent, server: Server) -> None:
    ask(agent, "pay 100\u202e001 yap")
    assert "pay 100\\u{202E}001 yap" in server.wait_shown("pay 100")["body"]


def test_a_rejected_message_is_not_sent(lab: Lab, agent: Agent, server: Server) -> None:
    waiting = ask(agent, "not this")
    server.press(server.wait_shown("not this"), "Reject")
    agent.wait_state(waiting, "failed")
    assert taken_texts(lab) == []


def test_what_is_decided_elsewhere_is_taken_away(agent: Agent, owner: Owner, server: Server) -> None:
    for text, decide in ("one", "approve"), ("two", "reject"):
        waiting = ask(agent, text)
        shown = server.wait_shown(text)
        owner.do(decide, waiting)
        server.wait_withdrawn(shown)
    waiting = ask(agent, "three")
    shown = server.wait_shown("three")
    agent.call("cancel_sms", message_id=waiting)
    server.wait_withdrawn(shown)


def test_an_edited_message_is_shown_anew_and_the_former_button_approves_nothing(
        lab: Lab, agent: Agent, owner: Owner, server: Server) -> None:
    waiting = ask(agent, "as it was")
    before = server.wait_shown("as it was")
    agent.call("edit_sms", message_id=waiting, text="as it is now")
    after = server.wait_shown("as it is now")
    assert after["replaces"] == before["id"]
    server.press({**before, "id": after["id"]}, "Approve")
    again = server.wait_shown("as it is now")
    assert owner.wait_asked() == [waiting] and taken_texts(lab) == []
    server.press(again, "Approve")
    agent.wait_state(waiting, "sent")
    assert taken_texts(lab) == ["as it is now"]


def test_a_button_pressed_before_anybody_can_read_decides_nothing(
        agent: Agent, owner: Owner, server: Server) -> None:
    waiting = ask(agent, "under a finger")
    shown = server.wait_shown("under a finger")
    server.tell(press=[shown["id"], next(iter(shown["actions"]))])
    assert server.wait_shown("under a finger")
    assert owner.wait_asked() == [waiting]


def test_a_button_that_another_program_reports_decides_nothing(
        agent: Agent, owner: Owner, desktop: Desktop, server: Server) -> None:
    waiting = ask(agent, "not pressed")
    shown = server.wait_shown("not pressed")
    time.sleep(READING_S)
    stranger = dbus.bus.BusConnection(desktop.bus.address)
    for name in stranger.list_names():
        signal = SignalMessage("/org/freedesktop/Notifications", "org.freedesktop.Notifications", "ActionInvoked")
        signal.append(shown["id"], next(iter(shown["actions"])), signature="us")
        signal.set_destination(name)
        stranger.send_message(signal)
    stranger.flush()
    stranger.close()
    later = ask(agent, "pressed after that")
    server.press(server.wait_shown("pressed after that"), "Reject")
    agent.wait_state(later, "failed")
    assert owner.wait_asked() == [waiting]


def test_what_the_desktop_has_no_room_for_is_shown_when_there_is_room_again(
        agent: Agent, owner: Owner, server: Server) -> None:
    ask(agent, "the oldest")
    server.tell(expire=server.wait_shown("the oldest")["id"])
    waiting = ask(agent, "the newest")
    server.wait_shown("the newest")
    owner.do("reject", waiting)
    assert server.wait_shown("the oldest")["replaces"] == 0


def test_a_locked_screen_approves_nothing_and_rejects(
        lab: Lab, agent: Agent, owner: Owner, server: Server) -> None:
    waiting = ask(agent, "behind the lock")
    server.tell(locked=True)
    server.press(server.wait_shown("behind the lock"), "Approve")
    server.wait_shown("Unlock the screen")
    again = server.wait_shown("behind the lock")
    assert owner.wait_asked() == [waiting]
    server.tell(locked=False)
    server.press(again, "Approve")
    agent.wait_state(waiting, "sent")
    refused = ask(agent, "no")
    server.tell(locked=True)
    server.press(server.wait_shown("no"), "Reject")
    agent.wait_state(refused, "failed")
    assert taken_texts(lab) == ["behind the lock"]


def check_buttons(agent: Agent, server: Server, waiting: int) -> None:
    shown = server.wait_shown("x" * 601)
    assert not shown["actions"] and f"approve {waiting}" in shown["body"]
    agent.call("edit_sms", message_id=waiting, text="y" * 600)
    assert server.wait_shown("y" * 600)["actions"]
    agent.call("edit_sms", message_id=waiting, text="first" + "\n" * 15 + "sixteenth")
    assert not server.wait_shown("sixteenth")["actions"]
    agent.call("edit_sms", message_id=waiting, text="first" + "\n" * 14 + "fifteenth")
    assert server.wait_shown("fifteenth")["actions"]


def test_a_text_that_the_desktop_may_cut_has_no_buttons(
        make_lab: Callable[..., Lab]) -> None:
    lab = make_lab("[sms]\nmax_segments = 9\n", **ONE)
    agent = new_agent(lab)
    with Desktop(lab) as desktop:
        waiting = ask(agent, "x" * 601)
        with desktop.server("body") as server:
            assert server.wait_shown("x" * 601)["body"].count(f"approve {waiting}") == 1
        with desktop.server() as server:
            check_buttons(agent, server, waiting)


def test_incoming_messages_are_shown_if_that_is_wanted(
        lab: Lab, agent: Agent) -> None:
    with Desktop(lab, "--received") as desktop, desktop.server() as server:
        wait_until(lambda: "connected to the gateway" in desktop.session.log, what="it is connected")
        lab.modems[0].deliver(TO, "are you <there>?")
        shown = server.wait_shown("are you &lt;there&gt;?")
        assert shown["summary"] == TO and not shown["actions"]


def test_a_desktop_without_buttons_names_the_command(agent: Agent, desktop: Desktop) -> None:
    with desktop.server("body") as server:
        waiting = ask(agent, "<b>no markup</b>")
        shown = server.wait_shown("<b>no markup</b>")
        assert not shown["actions"] and f"approve {waiting}" in shown["body"]


def test_a_restarted_desktop_shows_again_what_waits_and_not_what_was_closed(
        agent: Agent, desktop: Desktop) -> None:
    with desktop.server() as first:
        ask(agent, "closed by the owner")
        first.tell(close=first.wait_shown("closed by the owner")["id"])
        ask(agent, "still there")
        first.wait_shown("still there")
    with desktop.server() as second:
        assert second.wait(lambda facts: True)["body"].count("still there")
        ask(agent, "a new one")
        assert second.wait(lambda facts: True)["body"].count("a new one")


def test_a_desktop_that_the_bus_starts_is_started_for_what_waits(agent: Agent, desktop: Desktop) -> None:
    with desktop.server() as server:
        ask(agent, "shown before the crash")
        server.wait_shown("shown before the crash")
    started = desktop.bus.add_service("org.freedesktop.Notifications")
    wait_until(started.exists, 60, what="it is started for what was shown")
    started.unlink()
    ask(agent, "shown after the crash")
    wait_until(started.exists, 60, what="it is started for a new message")


def test_what_waits_is_shown_again_after_a_restart_of_the_gateway(
        lab: Lab, agent: Agent, server: Server) -> None:
    waiting = ask(agent, "over a restart")
    shown = server.wait_shown("over a restart")
    lab.gateway.stop()
    server.wait_withdrawn(shown)
    lab.gateway.start()
    agent.wait_states("ready", timeout=10)
    server.press(server.wait_shown("over a restart"), "Approve")
    agent.wait_state(waiting, "sent")
    assert taken_texts(lab) == ["over a restart"]


def test_nothing_stays_on_the_desktop_when_the_session_ends(
        agent: Agent, desktop: Desktop, server: Server) -> None:
    ask(agent, "until the end")
    shown = server.wait_shown("until the end")
    desktop.session.terminate()
    server.wait_withdrawn(shown)


def test_a_receiver_of_webhooks_is_approved_like_a_message() -> None:
    with Hooked() as gateway:
        hook = Hook(gateway, "https://hooks.example.invalid/mcp/a1")
        with Desktop(gateway) as desktop, desktop.server() as server:
            hook.subscribe(arguments={"from": "+36301112233"})
            shown = server.wait_shown("https://hooks.example.invalid")
            assert "sms.received" in shown["body"] and "+36301112233" in shown["body"]
            assert "/mcp/a1" not in shown["body"]           # the path may be a secret
            server.press(shown, "Approve")
            wait_until(lambda: "approved" in gateway.owner.do("events", "--type", "approval.decided", "--json"),
                       what="it is approved")


def test_a_gateway_that_is_away_for_a_minute_is_told_once(lab: Lab, desktop: Desktop, server: Server) -> None:
    wait_until(lambda: "connected to the gateway" in desktop.session.log, what="it is connected")
    lab.gateway.stop()
    shown = server.wait(lambda facts: "doctor" in facts.get("body", ""), seconds=90)
    assert not shown["actions"] and shown["urgency"] == 1
    lab.gateway.start()
    server.wait_withdrawn(shown)


Answers = Callable[[str, int], list[dict[str, Any]]]


@contextlib.contextmanager
def stub_gateway(folder: Path, answers: Answers) -> Iterator[SimpleNamespace]:
    """A control socket: `answers` gets a command and how often it came before; [] ends the call
    without an answer. Events are followed until a "stop" comes."""
    calls: Counter[str] = Counter()
    following: list[socket.socket] = []

    def serve(listener: socket.socket) -> None:
        while True:
            try:
                peer, _ = listener.accept()
            except OSError:
                return
            command = json.loads(peer.recv(4096))["command"]
            said = answers(command, calls[command])
            calls[command] += 1
            if command == "events":
                following.append(peer)
                continue
            with peer, contextlib.suppress(BrokenPipeError):    # the other may have hung up
                peer.sendall("".join(json.dumps(one) + "\n" for one in said).encode())

    with socket.socket(socket.AF_UNIX) as listener:
        listener.bind(str(folder / "control"))
        listener.listen()
        Thread(target=serve, args=[listener], daemon=True).start()
        try:
            yield SimpleNamespace(folder=folder, gateway=SimpleNamespace(state=folder), calls=calls,
                                  bus=SimpleNamespace(environment={}), following=following)
        finally:
            listener.shutdown(socket.SHUT_RDWR)
            for peer in following:
                peer.close()


def test_a_session_survives_a_gateway_that_ends_without_an_answer(folder: Path) -> None:
    def answer(command: str, before: int) -> list[dict[str, Any]]:
        if command != "events" and gateway.following:
            gateway.following.pop().close()
        return []

    with stub_gateway(folder, answer) as gateway, Desktop(gateway) as desktop:
        wait_until(lambda: "cannot be reached" in desktop.session.log, what="it has noticed")
        wait_until(lambda: desktop.session.log.count("connected to the gateway") > 1,
                   what="it tries again")


def test_a_list_or_a_status_that_fails_once_is_asked_for_again(folder: Path) -> None:
    waiting = {"message_id": 7, "revision": 1, "phone_number": TO, "text": "listed at last", "client": "careful"}

    def answer(command: str, before: int) -> list[dict[str, Any]]:
        if not before:
            return []
        if command == "approvals":
            return [{"item": waiting}, {"result": {"more": 0}}]
        return [{"result": {"can_send": True}}]

    with stub_gateway(folder, answer) as gateway, Desktop(gateway) as desktop, desktop.server() as server:
        assert server.wait_shown("listed at last")["actions"]
        wait_until(lambda: gateway.calls["status"] > 1, what="its status was asked for again")
        assert gateway.calls["events"] == 1


# ---- no session --------------------------------------------------------------------------


def test_without_a_session_it_ends_and_says_why(folder: Path) -> None:
    nothing = {name: value for name, value in os.environ.items()
               if name not in ("DBUS_SESSION_BUS_ADDRESS", "XDG_RUNTIME_DIR")}
    ended = subprocess.run([PROGRAM, "--control", str(folder / "control")], env=nothing,
                           capture_output=True, text=True, timeout=patience(20))
    assert ended.returncode == 1 and "XDG_RUNTIME_DIR" in ended.stderr


def test_without_a_session_the_owner_decides_and_the_next_session_shows_the_rest(
        lab: Lab, agent: Agent, owner: Owner) -> None:
    """The user is logged out: there is no bus. Then they log in, out and in again."""
    desktop = Desktop(lab)
    desktop.start()
    try:
        decided = ask(agent, "decided in a terminal")
        owner.do("approve", decided)
        agent.wait_state(decided, "sent")
        waiting = ask(agent, "shown after the login")
        wait_until(lambda: "no connection" in desktop.session.log, what="it looks for the session")
        for _ in range(2):
            desktop.bus.start()
            with desktop.server() as server:
                server.wait_shown("shown after the login")
            desktop.bus.stop()
            assert owner.wait_asked() == [waiting]
        desktop.bus.start()
        with desktop.server() as server:
            server.press(server.wait_shown("shown after the login"), "Approve")
            agent.wait_state(waiting, "sent")
        assert taken_texts(lab) == ["decided in a terminal", "shown after the login"]
    finally:
        desktop.session.terminate()
        desktop.bus.stop()
