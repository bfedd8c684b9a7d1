#!/usr/bin/python3
# SPDX-License-Identifier: GPL-2.0-or-later
"""The moving pictures of the README, taken from a real gateway, console and modem: tests/as-root
tests/console/recording.py. It needs img2webp (Debian: webp). Calls, commands and answers are real;
what the user and the agent say in between is written here."""

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
from test_pairing import begin

TEXT = "I am late, start without me."
STAGE = """<!doctype html><meta charset=utf-8><style>
    body { margin: 0; display: flex; width: 960px; height: %(height)dpx;
           background: #1d2125; font: 17px/1.5 "DejaVu Sans", sans-serif; color: #e8e6e1 }
    main { flex: 1; padding: 28px 32px; box-sizing: border-box }
    p { margin: 0 0 20px } .user { background: #2d3339; border-radius: 12px; padding: 12px 16px }
    .call { font: 14px/1.6 "DejaVu Sans Mono", monospace; color: #9fb8ad; white-space: pre-wrap }
</style><main>%(said)s</main><img width=%(width)d src="data:image/png;base64,%(picture)s">"""


class Recording:
    """Frames: what was said so far, beside a page of `width` pixels."""

    def __init__(self, chrome: Chrome, page: Console, height: int, width: int) -> None:
        self._stage = Console(chrome.tab(viewport={"width": 960, "height": height},
                                         deviceScaleFactor=1.5))
        self._page = page
        self._layout = {"height": height, "width": width}
        self._said: list[str] = []
        self._folder = tempfile.TemporaryDirectory()
        self._frames: list[str] = []

    def say(self, kind: str, text: str) -> None:
        self._said.append(f"<p class={kind}>{html.escape(text)}</p>")

    def call(self, agent: Agent, tool: str, told: str, **arguments: Any) -> dict[str, Any]:
        """Calls the tool; shows `told` of its answer, where {member} is one of its members."""
        answer = agent.call(tool, **arguments).structured
        given = ", ".join(f"{name}: {value!r}" for name, value in arguments.items())
        self.say("call", f"{tool}({given})\n→ {told.format(**answer)}")
        return answer

    def take(self, milliseconds: int) -> None:
        picture, frame = (Path(self._folder.name) / name
                          for name in ("page.png", f"{len(self._frames)}.png"))
        self._shoot(self._page, picture)
        page = STAGE % (self._layout | {"said": "".join(self._said), "picture": base64.b64encode(
            picture.read_bytes()).decode()})
        self._stage.do("await page.setContent(args.page)", page=page)
        self._shoot(self._stage, frame)
        self._frames += ["-d", str(milliseconds), str(frame)]

    @staticmethod
    def _shoot(console: Console, path: Path) -> None:
        console.do("await page.screenshot({ path: args.path, animations: 'disabled', "
                   "caret: 'hide' })", path=str(path))

    def write(self, name: str) -> None:
        subprocess.run(["img2webp", "-loop", "0", "-mixed", *self._frames, "-o",
                        str(PICTURES / f"{name}.webp")], check=True)
        self._folder.cleanup()


def record_an_approval(chrome: Chrome, desk: Desk) -> None:
    phone = show(chrome, desk, **PHONE, colorScheme="light")
    phone.go_to("Approvals")
    recording = Recording(chrome, phone, height=640, width=360)
    recording.say("user", "Tell Ben that I am late, they should start without me.")
    recording.take(1800)
    recording.call(desk.agent, "find_contact", "{contacts[0][name]}, {contacts[0][phone_numbers][0]}",
                   name="Ben")
    recording.take(1800)
    sent = recording.call(desk.agent, "send_sms", "{state}", to_phone_number=FRIEND, sms_text=TEXT,
                          subscription_id=desk.sims[0], wait_for="none")
    phone.wait_text("Approve")
    recording.take(3000)
    phone.decide(TEXT, "Approve")
    recording.take(1800)
    modem = desk.lab.modems[0]
    desk.agent.wait_state(sent["message_id"], "sent")
    modem.report(modem.taken[-1])
    desk.agent.wait_state(sent["message_id"], "delivered")
    recording.call(desk.agent, "get_sms_status", "{state}", message_id=sent["message_id"])
    recording.say("agent", "Ben’s phone has it.")
    phone.open("Ben Fischer")
    phone.wait_message(TEXT, "delivered")
    recording.take(4000)
    recording.write("approval")


def record_a_pairing(chrome: Chrome, desk: Desk) -> None:
    tab = chrome.tab(viewport={"width": 560, "height": 640}, deviceScaleFactor=1.5,
                     colorScheme="light")
    code = begin(tab, desk, "desktop")
    recording = Recording(chrome, Console(tab), height=640, width=560)
    recording.say("user", "A shell on the phone")
    recording.take(2500)
    said = desk.owner.do("pair", "--code", code)
    recording.say("call", f"$ sudo ofono-mcp pair --code {code!r}\n{said}")
    recording.take(2500)
    tab.do("await page.getByText('The token is shown only now').waitFor()")
    tab.do("""for (const line of await page.locator('pre').all())
        await line.evaluate(pre => { pre.textContent = pre.textContent.replace(/[0-9a-f]{60}/, '...'); });
        await page.evaluate(() => scrollTo(0, 0))""")
    recording.take(4000)
    recording.write("pairing")


def main() -> None:
    with on_a_phone() as (desk, chrome):
        record_an_approval(chrome, desk)
        record_a_pairing(chrome, desk)


if __name__ == "__main__":
    main()
