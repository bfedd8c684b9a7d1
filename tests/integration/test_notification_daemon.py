# SPDX-License-Identifier: GPL-2.0-or-later
"""Approvals in a real server of notifications: that of MATE, on an X server."""

from __future__ import annotations

import os
import subprocess
import time
from collections.abc import Iterator
from pathlib import Path

import pytest

from agent import TO, taken_texts
from approving import Owner, new_agent
from desktop import READING_S, Desktop
from lab import Lab, wait_until
from lab.process import Process
from modem.patience import patience
from test_approval import lab

PICTURE = "NOTIFICATION_PICTURE"        # the file for a picture, drawn with ImageMagick
DAEMON = "/usr/lib/mate-notification-daemon/mate-notification-daemon"
TEXT = "Dinner at <8> tonight? I bring the wine & the cake. Please tell Anna, too."
# From the right and the bottom edge of the bubble to the middle of each button.
BUTTONS = {"Approve": (134, 27), "Reject": (67, 27)}


class Screen:
    """An X server that chooses its own number, and programs that look at it."""

    def __init__(self, folder: Path) -> None:
        self._folder = folder
        self._server = Process("Xvfb", folder / "x.log")
        self.display = ""

    def __enter__(self) -> Screen:
        read, write = os.pipe()
        self._server.run(["Xvfb", "-displayfd", str(write), "-screen", "0", "720x300x24", "-nolisten", "tcp",
                          "-noreset"],
                         fds=[write])
        os.close(write)
        with open(read) as said:
            self.display = f":{said.readline().strip()}"
        return self

    def __exit__(self, *_: object) -> None:
        self._server.terminate()

    def ask(self, *command: str) -> str:
        return subprocess.run(command, env=os.environ | {"DISPLAY": self.display}, check=False,
                              capture_output=True, text=True, timeout=patience(20)).stdout

    def bubble(self) -> str:
        """The window of the notification; "" if there is none."""
        return self.ask("xdotool", "search", "--all", "--onlyvisible", "--name", "Notification$").strip()

    def press(self, label: str) -> None:
        bubble = wait_until(self.bubble, what="a notification is shown")
        size = dict(line.split("=") for line in
                    self.ask("xdotool", "getwindowgeometry", "--shell", bubble).split())
        right, bottom = BUTTONS[label]
        time.sleep(READING_S)                   # as a person does, who reads it first
        self.ask("xdotool", "mousemove", "--window", bubble, str(int(size["WIDTH"]) - right),
                 str(int(size["HEIGHT"]) - bottom))
        time.sleep(0.5)                         # the button has to notice the pointer
        self.ask("xdotool", "click", "1")


@pytest.fixture
def screen(lab: Lab) -> Iterator[Screen]:
    with Screen(lab.folder) as one:
        yield one


@pytest.fixture
def desktop(lab: Lab, screen: Screen) -> Iterator[Desktop]:
    with Desktop(lab) as one:
        daemon = Process("mate-notification-daemon", lab.folder / "daemon.log")
        daemon.run([DAEMON], environment={"DISPLAY": screen.display, "GDK_BACKEND": "x11", "NO_AT_BRIDGE": "1",
                                          "DBUS_SESSION_BUS_ADDRESS": one.bus.address})
        yield one
        daemon.terminate()


def test_the_buttons_of_a_real_notification_decide(lab: Lab, screen: Screen, desktop: Desktop) -> None:
    agent = new_agent(lab, "laptop")
    for label, state in ("Approve", "sent"), ("Reject", "failed"):
        waiting = agent.call("send_sms", to_phone_number=TO, sms_text=f"{TEXT} {label}", wait_for="none").message_id
        screen.press(label)
        agent.wait_state(waiting, state)
        wait_until(lambda: not screen.bubble(), what="it is gone")
    assert taken_texts(lab) == [f"{TEXT} Approve"]


def test_a_real_notification_goes_when_it_is_decided_elsewhere(
        lab: Lab, screen: Screen, desktop: Desktop) -> None:
    agent = new_agent(lab, "laptop")
    waiting = agent.call("send_sms", to_phone_number=TO, sms_text=TEXT, wait_for="none").message_id
    wait_until(screen.bubble, what="a notification is shown")
    if file := os.environ.get(PICTURE):
        time.sleep(READING_S)                   # it has been drawn then
        screen.ask("import", "-window", screen.bubble(), file)
    Owner(lab).do("reject", waiting)
    wait_until(lambda: not screen.bubble(), what="it is gone")
