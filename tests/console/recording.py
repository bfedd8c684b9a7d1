#!/usr/bin/python3
# SPDX-License-Identifier: GPL-2.0-or-later
"""The moving picture of the README, taken from a real gateway, console and modem: tests/as-root
tests/console/recording.py. It needs img2webp (Debian: webp). The calls and answers are real; what
the agent says in between is written here."""

from __future__ import annotations

import base64
import html
import subprocess
import tempfile
from pathlib import Path
from typing import Any

from screenshots import FRIEND, PHONE, PICTURES, on_a_phone, show

from agent import Agent
from chrome import Chrome
from console import Console
from desk import Desk
from npm import Npm

TEXT = "I am late, start without me."
PAUSES_MS = [1800, 1800, 3000, 1800, 4000]
STAGE = """<!doctype html><meta charset=utf-8><style>
    body { margin: 0; display: flex; width: 960px; height: 640px; background: #1d2125;
           font: 17px/1.5 "DejaVu Sans", sans-serif; color: #e8e6e1 }
    main { flex: 1; padding: 36px 32px; box-sizing: border-box }
    p { margin: 0 0 20px } .user { background: #2d3339; border-radius: 12px; padding: 12px 16px }
    .call { font: 14px/1.6 "DejaVu Sans Mono", monospace; color: #9fb8ad; white-space: pre-wrap }
    img { width: 360px; height: 640px }
</style><main>%s</main><img src="data:image/png;base64,%s">"""


class Recording:
    """Frames: what user and agent said so far, beside the console on the phone."""

    def __init__(self, folder: Path, stage: Console, phone: Console) -> None:
        self._folder, self._stage, self._phone = folder, stage, phone
        self._said: list[str] = []
        self.frames: list[Path] = []

    def say(self, kind: str, text: str) -> None:
        self._said.append(f"<p class={kind}>{html.escape(text)}</p>")

    def call(self, agent: Agent, tool: str, told: str, **arguments: Any) -> dict[str, Any]:
        """Calls the tool; shows `told` of its answer, where {member} is one of its members."""
        answer = agent.call(tool, **arguments).structured
        given = ", ".join(f"{name}: {value!r}" for name, value in arguments.items())
        self.say("call", f"{tool}({given})\n→ {told.format(**answer)}")
        return answer

    def take(self) -> None:
        phone, frame = self._folder / "phone.png", self._folder / f"{len(self.frames)}.png"
        self._shoot(self._phone, phone)
        page = STAGE % ("".join(self._said), base64.b64encode(phone.read_bytes()).decode())
        self._stage.do("await page.setContent(args.page)", page=page)
        self._shoot(self._stage, frame)
        self.frames.append(frame)

    @staticmethod
    def _shoot(console: Console, path: Path) -> None:
        console.do("await page.screenshot({ path: args.path, animations: 'disabled', "
                   "caret: 'hide' })", path=str(path))

    def write(self, path: Path) -> None:
        frames = [argument for frame, pause in zip(self.frames, PAUSES_MS, strict=True)
                  for argument in ("-d", str(pause), str(frame))]
        subprocess.run(["img2webp", "-loop", "0", "-mixed", *frames, "-o", str(path)], check=True)


def act(recording: Recording, desk: Desk, phone: Console) -> None:
    phone.go_to("Approvals")
    recording.say("user", "Tell Ben that I am late, they should start without me.")
    recording.take()
    recording.call(desk.agent, "find_contact", "{contacts[0][name]}, {contacts[0][phone_numbers][0]}",
                   name="Ben")
    recording.take()
    sent = recording.call(desk.agent, "send_sms", "{state}", to_phone_number=FRIEND, sms_text=TEXT,
                          subscription_id=desk.sims[0], wait_for="none")
    phone.wait_text("Approve")
    recording.take()
    phone.decide(TEXT, "Approve")
    recording.take()
    modem = desk.lab.modems[0]
    desk.agent.wait_state(sent["message_id"], "sent")
    modem.report(modem.taken[-1])
    desk.agent.wait_state(sent["message_id"], "delivered")
    recording.call(desk.agent, "get_sms_status", "{state}", message_id=sent["message_id"])
    recording.say("agent", "Ben’s phone has it.")
    phone.open("Ben Fischer")
    phone.wait_message(TEXT, "delivered")
    recording.take()


def main() -> None:
    with on_a_phone() as (desk, chrome), tempfile.TemporaryDirectory() as folder:
        stage = Console(chrome.tab(viewport={"width": 960, "height": 640}, deviceScaleFactor=1.5))
        phone = show(chrome, desk, **PHONE, colorScheme="light")
        recording = Recording(Path(folder), stage, phone)
        act(recording, desk, phone)
        recording.write(PICTURES / "approval.webp")


if __name__ == "__main__":
    main()
