# SPDX-License-Identifier: GPL-2.0-or-later
"""The demo's output for a program: one JSON object a line. It sends no SMS of its own."""

from __future__ import annotations

import json

from lab import Lab
from modem import Modem, Submit
from screen import put


def tell(event: str, **facts: object) -> None:
    put(json.dumps({"event": event, **facts}, ensure_ascii=False))


class Events:
    def starting(self) -> None:
        pass

    def up(self, lab: Lab) -> None:
        tell("up", url=f"http://127.0.0.1:{lab.gateway.port}/mcp", folder=str(lab.folder),
             bus=lab.bus.address, gateway=lab.gateway.pid, ofonod=lab.ofonod.pid,
             modems=[{"modem": f"/{modem.name}", "operator": modem.sim.spn,
                      "iccid": modem.sim.iccid} for modem in lab.modems])

    def how_to_go_on(self, port: int) -> None:
        pass

    def watching(self) -> None:
        pass

    def sent(self, modem: Modem, submit: Submit) -> None:
        part = submit.concat
        tell("sms", modem=f"/{modem.name}", to=submit.destination, text=submit.text,
             alphabet=submit.alphabet, segment=part.part if part else 1,
             segments=part.parts if part else 1, pdu=submit.pdu)

    def failed(self, code: str, message: str, fix: str) -> None:
        put(json.dumps({"error": {"code": code, "message": message, "fix": fix}},
                       ensure_ascii=False))

    def ended(self) -> None:
        tell("ended")
