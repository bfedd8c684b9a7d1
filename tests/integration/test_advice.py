# SPDX-License-Identifier: GPL-2.0-or-later
"""What status, send, unlock and doctor advise can be pasted as it is, also with two modems."""

from __future__ import annotations

import os
import re
import shlex
import subprocess
from collections.abc import Callable

from agent import TO, Agent
from lab import Lab, wait_until
from lab.gateway import BINARY
from modem import Sim
from modem.patience import patience
from owner import FAILED, OK

MakeLab = Callable[..., Lab]
PIN, PUK = "4071", "12345678"
ADVICE = re.compile(r"ofono-mcp (?:modem|sim unlock) [^;()&\n]*[^;()&\n .]")


def ofono_mcp(lab: Lab, *words: str, lines: str = "") -> subprocess.CompletedProcess[str]:
    """Runs it as a person would type it; only the state folder is added."""
    options = () if words[0] == "modem" else ("--state-dir", str(lab.gateway.state))
    return subprocess.run(
        [os.environ.get("GATEWAY_BINARY", str(BINARY)), words[0], *options, *words[1:]],
        input=lines, text=True, capture_output=True, timeout=patience(60),
        env=os.environ | lab.bus.environment)


def paste(lab: Lab, advice: str, lines: str = "") -> str:
    done = ofono_mcp(lab, *shlex.split(advice)[1:], lines=lines)
    assert done.returncode == OK, (advice, done)
    return done.stdout


def advised(text: str, *commands: str) -> None:
    assert ADVICE.findall(text) == [f"ofono-mcp {command}" for command in commands], text


def sim_in_slot(lab: Lab, slot: int) -> str:
    """The ID of the SIM in that modem, as an option."""
    return str(Agent(lab).ids()[slot])


def can_send(lab: Lab) -> bool:
    return "can send now" in ofono_mcp(lab, "status").stdout


def knows_tries(lab: Lab) -> bool:
    """Without, `unlock` enters no PIN: it might be the last try."""
    status = Agent(lab).call("get_gateway_status", detail=True).structured
    return all("sim_retries" in modem for modem in status["modems"])


def wait_locked(lab: Lab) -> None:
    Agent(lab).wait_states("locked", "locked")
    wait_until(lambda: knows_tries(lab), what="oFono says how many tries are left")


def test_status_advises_switching_on_each_modem_that_is_off(make_lab: MakeLab) -> None:
    lab = make_lab(powered=False)
    status = ofono_mcp(lab, "status").stdout
    advised(status, "modem on /sim0", "modem on /sim1")
    for advice in ADVICE.findall(status):
        paste(lab, advice)
    wait_until(lambda: can_send(lab), what="a message can be sent")


def test_send_advises_switching_on_the_right_modem(make_lab: MakeLab) -> None:
    lab = make_lab(powered=False)
    refused = ofono_mcp(lab, "send", TO, "hello")
    assert refused.returncode == FAILED
    advised(refused.stderr, "modem on /sim0")
    assert refused.stderr.endswith(" /sim0\n")          # no full stop after it
    paste(lab, "ofono-mcp modem on --registered /sim0")
    wait_until(lambda: can_send(lab), what="a message can be sent")
    assert ofono_mcp(lab, "send", TO, "hello").returncode == OK
    paste(lab, "ofono-mcp modem on --registered /sim1")
    Agent(lab).wait_states("ready", "ready", timeout=10)
    lab.radios[1].set("Modem", "Online", False)
    Agent(lab).wait_states("ready", "offline", timeout=10)
    refused = ofono_mcp(lab, "send", "--sim", sim_in_slot(lab, 1), TO, "hello")
    advised(refused.stderr, "modem on /sim1")
    paste(lab, *ADVICE.findall(refused.stderr))


def test_advice_names_the_modem_of_each_locked_card(make_lab: MakeLab) -> None:
    lab = make_lab(sims=[Sim.numbered(i, pin=PIN) for i in range(2)])
    wait_locked(lab)
    status = ofono_mcp(lab, "status").stdout
    advised(status, "sim unlock /sim0", "sim unlock /sim1")
    second = sim_in_slot(lab, 1)
    advised(ofono_mcp(lab, "send", "--sim", second, TO, "hello").stderr, "sim unlock /sim1")
    advised(ofono_mcp(lab, "send", TO, "hello").stderr, "sim unlock /sim0")
    advised(ofono_mcp(lab, "unlock", lines=f"{PIN}\n").stderr, "sim unlock /sim0")
    on = ofono_mcp(lab, "modem", "on", "all").stdout
    advised(on, "sim unlock /sim0", "sim unlock /sim1")
    doctor = ofono_mcp(lab, "doctor").stdout
    advised(doctor, *["sim unlock /sim0", "sim unlock /sim1"] * 2)
    for advice in dict.fromkeys(ADVICE.findall(doctor)):
        assert "is unlocked" in paste(lab, advice, f"{PIN}\n")


def test_advice_asks_for_the_puk_of_a_blocked_card(make_lab: MakeLab) -> None:
    lab = make_lab(sims=[Sim.numbered(i, pin=PIN) for i in range(2)])
    wait_locked(lab)
    for force in ((), (), ("--force",)):
        tried = ofono_mcp(lab, "unlock", *force, "/sim1", lines="9385\n")
    advised(tried.stderr, "sim unlock --puk /sim1")
    second = sim_in_slot(lab, 1)
    advised(ofono_mcp(lab, "unlock", second, lines=f"{PIN}\n").stderr, "sim unlock --puk /sim1")
    status = ofono_mcp(lab, "status").stdout
    advised(status, "sim unlock /sim0", "sim unlock --puk /sim1")
    assert "is unlocked" in paste(lab, "ofono-mcp sim unlock --puk /sim1", f"{PUK}\n{PIN}\n")


def test_unlock_advises_switching_on_modems_that_are_off(make_lab: MakeLab) -> None:
    """The card of a modem that is off is invisible."""
    lab = make_lab(sims=[Sim.numbered(i, pin=PIN) for i in range(2)], powered=False)
    refused = ofono_mcp(lab, "unlock", lines=f"{PIN}\n")
    advised(refused.stderr, "modem on /sim0 /sim1")
    for advice in ADVICE.findall(refused.stderr):
        paste(lab, advice)
    Agent(lab).wait_states("locked", "locked")
    advised(ofono_mcp(lab, "status").stdout, "sim unlock /sim0", "sim unlock /sim1")
