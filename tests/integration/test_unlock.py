# SPDX-License-Identifier: GPL-2.0-or-later
"""ofono-mcp sim unlock: it prompts for a PIN, tries it once, and leaves no trace."""

from __future__ import annotations

import json
import os
import pty
import re
import signal
import subprocess
import termios
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import Any

import pytest

from agent import Agent
from lab import Lab, wait_until
from lab.process import as_from_a_shell
from lone_gateway import LoneGateway
from modem import Sim
from modem.patience import patience
from test_doctor import deny

PIN, PUK = "4071", "12345678"
WRONG = "9385"
OK, FAILED, USAGE = 0, 1, 2
Result = subprocess.CompletedProcess[str]


def command(gateway: Any, *arguments: str) -> list[str]:
    return [str(gateway.binary), "unlock", "--state-dir", str(gateway.state), *arguments]


def unlock(gateway: Any, *arguments: str, lines: tuple[str, ...] = (PIN,)) -> Result:
    """With these lines on standard input."""
    return subprocess.run(command(gateway, *arguments), text=True, capture_output=True,
                          input="".join(line + "\n" for line in lines),
                          timeout=patience(60))


def assert_unlocked(result: Result) -> None:
    assert (result.returncode, result.stdout) == (OK, "SIM 1 in /sim0 is unlocked.\n"), result


def assert_failed(result: Result, *said: str) -> None:
    assert (result.returncode, result.stdout) == (FAILED, ""), result
    for words in said:
        assert words in result.stderr


@pytest.fixture
def locked(make_lab: Callable[..., Lab]) -> Lab:
    lab = make_lab(sims=[Sim.numbered(0, pin=PIN)])
    Agent(lab).wait_states("locked")
    lab.radios[0].wait_property("SimManager", "Retries", {"pin": 3, "puk": 10})
    return lab


def card(lab: Lab) -> Sim:
    sim = lab.modems[0].sim
    assert sim is not None
    return sim


def tries(lab: Lab) -> tuple[int, int]:
    return card(lab).pin_tries, card(lab).puk_tries


def attempts(lab: Lab) -> int:
    """Every AT+CPIN= that the modem received."""
    return sum(line.upper().startswith("AT+CPIN=") for line in lab.modems[0].commands)


# ---- the PIN

def test_the_right_pin_unlocks_the_sim(locked: Lab) -> None:
    result = unlock(locked.gateway)
    assert_unlocked(result)
    assert result.stderr == "SIM 1 in /sim0 needs its PIN; tries left: 3.\n"
    assert tries(locked) == (3, 10) and attempts(locked) == 1
    locked.radios[0].wait_for("MessageManager")
    assert Agent(locked).states() != ["locked"]


@pytest.mark.parametrize("named", ["1", "/sim0"])
def test_a_sim_is_named_by_its_id_or_modem_path(locked: Lab, named: str) -> None:
    assert_unlocked(unlock(locked.gateway, named))


def test_a_wrong_pin_uses_up_one_try(locked: Lab) -> None:
    assert_failed(unlock(locked.gateway, lines=(WRONG,)), "wrong PIN; 2 tries are left",
                  "it is not repeated by itself")
    assert tries(locked) == (2, 10) and attempts(locked) == 1
    assert_unlocked(unlock(locked.gateway))


def test_the_last_pin_try_needs_force(locked: Lab) -> None:
    for left in (2, 1):
        unlock(locked.gateway, lines=(WRONG,))
        assert tries(locked)[0] == left
    refused = unlock(locked.gateway)
    assert_failed(refused, "SIM 1 in /sim0 has one try left; a wrong PIN would block it until "
                  "its PUK is entered", "add --force")
    assert tries(locked) == (1, 10) and attempts(locked) == 2
    assert_unlocked(unlock(locked.gateway, "--force"))
    assert tries(locked) == (3, 10)


def block(lab: Lab) -> None:
    """Uses up the PIN's tries."""
    for _ in range(2):
        unlock(lab.gateway, lines=(WRONG,))
    assert_failed(unlock(lab.gateway, "--force", lines=(WRONG,)),
                  "wrong PIN; SIM 1 in /sim0 now needs its PUK; for the PUK 10 tries are "
                  "left", "ofono-mcp sim unlock --puk /sim0")


def test_a_blocked_sim_is_unlocked_with_its_puk(locked: Lab) -> None:
    block(locked)
    assert_failed(unlock(locked.gateway), "needs its PUK")
    assert_failed(unlock(locked.gateway, "--puk", lines=("87654321", "2222")),
                  "wrong PUK; 9 tries are left")
    assert_unlocked(unlock(locked.gateway, "--puk", lines=(PUK, "2222")))
    assert card(locked).pin == "2222" and tries(locked) == (3, 10)


def test_the_last_puk_try_needs_force(locked: Lab) -> None:
    block(locked)
    for left in range(9, 0, -1):
        assert_failed(unlock(locked.gateway, "--puk", lines=("87654321", "2222")),
                      f"{left} tries are left" if left > 1 else "1 try is left")
    assert_failed(unlock(locked.gateway, "--puk", lines=(PUK, "2222")),
                  "the card unusable forever", "--force")
    assert tries(locked) == (0, 1)
    assert_unlocked(unlock(locked.gateway, "--puk", "--force", lines=(PUK, "2222")))


def test_a_puk_is_refused_when_the_sim_needs_its_pin(locked: Lab) -> None:
    assert_failed(unlock(locked.gateway, "--puk", lines=(PUK, "2222")),
                  "needs its PIN, not its PUK")
    assert attempts(locked) == 0


@pytest.mark.parametrize("line", ["", "123", "123456789", "12a4", " 1234", "1234 ", "x" * 100])
def test_a_malformed_pin_is_never_tried(locked: Lab, line: str) -> None:
    assert_failed(unlock(locked.gateway, lines=(line,)), "nothing was tried")
    assert attempts(locked) == 0


def test_an_unknown_number_of_tries_needs_force(make_lab: Callable[..., Lab]) -> None:
    lab = make_lab(sims=[Sim.numbered(0, pin=PIN)], powered=False)
    lab.modems[0].tells_tries = False
    lab.radios[0].power()
    Agent(lab).wait_states("locked", timeout=10)
    assert_failed(unlock(lab.gateway), "the modem does not report", "--force")
    assert attempts(lab) == 0
    result = unlock(lab.gateway, "--force", lines=(WRONG,))
    assert_failed(result, "the number of tries left is unknown", "the PIN was refused; oFono has "
                  "not reported how many tries are left")
    assert attempts(lab) == 1
    assert_unlocked(unlock(lab.gateway, "--force"))


def test_unlock_explains_a_refusal_by_the_dbus_policy(locked: Lab) -> None:
    """Like the packaged policy before the owner installs unlock.conf."""
    deny(locked, "SimManager", "EnterPin")
    assert_failed(unlock(locked.gateway), "the PIN was not tried", "D-Bus policy",
                  "/usr/share/doc/ofono-mcp/examples", "/etc/dbus-1/system.d")
    assert attempts(locked) == 0


# ---- which card

def test_unlock_says_when_no_sim_is_locked(make_lab: Callable[..., Lab]) -> None:
    lab = make_lab(modem_count=1)
    assert_failed(unlock(lab.gateway), "no SIM is locked")
    assert_failed(unlock(lab.gateway, "1"), "SIM 1 in /sim0 is not locked")
    assert_failed(unlock(lab.gateway, "9"), "SIM 9 is not in the phone", "ofono-mcp status")
    assert_failed(unlock(lab.gateway, "/nowhere"), "SIM /nowhere is not in the phone")
    assert attempts(lab) == 0


def test_unlock_must_name_one_of_two_locked_sims(make_lab: Callable[..., Lab]) -> None:
    lab = make_lab(sims=[Sim.numbered(i, pin=PIN) for i in range(2)])
    Agent(lab).wait_states("locked", "locked")
    first, second = Agent(lab).ids()
    assert_failed(unlock(lab.gateway), f"more than one SIM is locked: SIM {first} in /sim0, "
                  f"SIM {second} in /sim1", "for example: ofono-mcp sim unlock /sim0")
    result = unlock(lab.gateway, str(second))
    assert result.stdout == f"SIM {second} in /sim1 is unlocked.\n"
    assert_unlocked(unlock(lab.gateway))            # the only one now


def test_unlock_says_which_modem_is_off(make_lab: Callable[..., Lab]) -> None:
    lab = make_lab(modem_count=1, powered=False)
    assert_failed(unlock(lab.gateway), "these modems are off: /sim0")
    assert_failed(unlock(lab.gateway, "/sim0"), "modem /sim0 is off")


def test_unlock_says_that_ofono_cannot_be_reached() -> None:
    with LoneGateway() as gateway:
        assert_failed(unlock(gateway), "oFono cannot be reached", "Start oFono")
    assert gateway.pid is None or not gateway.is_running


# ---- no answer

def begin(lab: Lab) -> subprocess.Popen[str]:
    return subprocess.Popen(command(lab.gateway), stdin=subprocess.PIPE, text=True,
                            stdout=subprocess.PIPE, stderr=subprocess.PIPE)


def begin_without_answer(lab: Lab) -> subprocess.Popen[str]:
    """The modem has the wrong PIN, and answers nothing."""
    lab.modems[0].answers_codes = False
    running = begin(lab)
    assert running.stdin
    running.stdin.write(WRONG + "\n")
    running.stdin.flush()
    wait_until(lambda: attempts(lab) == 1, what="the modem was given the PIN")
    return running


def test_a_pin_without_an_answer_is_never_repeated(locked: Lab) -> None:
    running = begin_without_answer(locked)
    assert_failed(unlock(locked.gateway), "nothing was tried: a card is already being unlocked")
    locked.ofonod.kill()
    _, said = running.communicate(timeout=patience(30))
    assert running.returncode == FAILED
    assert "may or may not have been tried" in said and "it is not repeated" in said
    locked.ofonod.start()
    locked.bring_up()
    Agent(locked).wait_states("locked", timeout=20)
    assert tries(locked) == (2, 10) and attempts(locked) == 1


def test_a_pin_is_not_repeated_after_unlock_is_killed(locked: Lab) -> None:
    """Ctrl-C while oFono has it: it is not tried again, and the next PIN may be."""
    running = begin_without_answer(locked)
    running.kill()
    running.communicate()
    wait_until(lambda: "already being unlocked" not in unlock(locked.gateway, lines=("1",)).stderr,
               what="the gateway saw it leave")
    assert_failed(unlock(locked.gateway), "oFono is busy with the card")
    assert attempts(locked) == 1


def test_unlock_stops_when_the_tries_changed_meanwhile(locked: Lab) -> None:
    running = begin(locked)
    assert running.stderr
    assert "tries left: 3" in running.stderr.readline()
    unlock(locked.gateway, lines=(WRONG,))
    _, said = running.communicate(PIN + "\n", timeout=patience(30))
    assert running.returncode == FAILED
    assert "nothing was tried: meanwhile 2 tries are left" in said
    assert attempts(locked) == 1


# ---- the terminal

LOCAL_MODES = 3                 # the index in tcgetattr()'s list


@contextmanager
def on_terminal(gateway: Any, *arguments: str) -> Iterator[tuple[int, subprocess.Popen[bytes]]]:
    """The owner's side of it."""
    owner, theirs = pty.openpty()
    running = subprocess.Popen(command(gateway, *arguments), stdin=theirs, stdout=theirs,
                               stderr=theirs, start_new_session=True,
                               preexec_fn=as_from_a_shell)
    try:
        yield owner, running
    finally:
        running.kill()
        running.wait()
        os.close(theirs)
        os.close(owner)


def read_until(terminal: int, words: str) -> str:
    shown = b""
    while words.encode() not in shown:
        shown += os.read(terminal, 1024)
    return shown.decode()


def test_the_terminal_does_not_show_the_pin(locked: Lab) -> None:
    with on_terminal(locked.gateway) as (terminal, running):
        shown = read_until(terminal, "PIN: ")
        assert "tries left: 3" in shown
        os.write(terminal, (PIN[:2] + "9\x7f" + PIN[2:] + "\n").encode())
        shown += read_until(terminal, "unlocked.")
        assert running.wait(patience(10)) == OK
    assert PIN not in shown and PIN[:2] not in shown.split("PIN: ")[1]


def test_the_new_pin_must_be_typed_twice(locked: Lab) -> None:
    block(locked)
    with on_terminal(locked.gateway, "--puk") as (terminal, running):
        shown = ""
        for prompt, code in (("PUK: ", PUK), ("New PIN: ", "2222"),
                             ("New PIN again: ", "2223")):
            shown += read_until(terminal, prompt)
            os.write(terminal, f"{code}\n".encode())
        shown += read_until(terminal, "nothing was tried.")
        assert "the two new PINs differ" in shown
        assert running.wait(patience(10)) == FAILED
    assert tries(locked) == (0, 10)


def test_ctrl_c_at_the_prompt_restores_the_terminal(locked: Lab) -> None:
    with on_terminal(locked.gateway) as (terminal, running):
        read_until(terminal, "PIN: ")
        os.write(terminal, b"40\x03")
        read_until(terminal, "no PIN was entered; nothing was tried")
        assert running.wait(patience(10)) == FAILED
        os.write(terminal, b"seen")
        read_until(terminal, "seen")            # it echoes again
    assert attempts(locked) == 0


@pytest.mark.parametrize("number", [signal.SIGHUP, signal.SIGINT, signal.SIGTERM])
def test_a_signal_at_the_prompt_ends_unlock_at_once(locked: Lab, number: signal.Signals) -> None:
    """At once, not with the next key, and the terminal is as before."""
    with on_terminal(locked.gateway) as (terminal, running):
        read_until(terminal, "PIN: ")
        os.write(terminal, b"40")
        running.send_signal(number)
        assert running.wait(patience(10)) == -number
        assert termios.tcgetattr(terminal)[LOCAL_MODES] & termios.ECHO
    assert attempts(locked) == 0


# ---- what is left behind

SHADOW_BYTES = 1 << 30          # a sanitizer's own memory is larger


def memory_of(pid: int) -> Iterator[bytes]:
    """All memory that the process has written to."""
    for line in Path(f"/proc/{pid}/maps").read_text().splitlines():
        match = re.match(r"([0-9a-f]+)-([0-9a-f]+) rw", line)
        if match and "[v" not in line:
            start, end = (int(text, 16) for text in match.groups())
            if end - start > SHADOW_BYTES:
                continue
            with open(f"/proc/{pid}/mem", "rb") as memory:
                memory.seek(start)
                yield memory.read(end - start)


@pytest.mark.skipif("GATEWAY_WRAPPER" in os.environ, reason="the wrapper has a copy")
def test_no_trace_of_the_pin_remains(locked: Lab) -> None:
    """Not in memory, on disk or in the log."""
    code = "73915562"
    assert_failed(unlock(locked.gateway, lines=(code,)), "wrong PIN; 2 tries are left")
    found = sum(part.count(code.encode()) for part in memory_of(locked.gateway.pid))
    assert found == 0
    for file in locked.gateway.state.rglob("*"):
        assert not file.is_file() or code.encode() not in file.read_bytes()
    assert code not in locked.gateway.log


def test_a_pin_is_not_accepted_as_an_argument(locked: Lab) -> None:
    result = subprocess.run([str(locked.gateway.binary), "unlock", "--help"], text=True,
                            capture_output=True)
    assert "--pin" not in result.stdout
    assert unlock(locked.gateway, "1", PIN).returncode == USAGE
    assert unlock(locked.gateway, "--pin", PIN).returncode == USAGE
    assert attempts(locked) == 0


def test_no_tool_takes_a_pin_or_puk(locked: Lab) -> None:
    with locked.client() as client:
        tools = client.call("tools/list").result["tools"]
    taken = json.dumps([(tool["name"], tool["inputSchema"]) for tool in tools]).lower()
    assert "unlock" not in taken and "puk" not in taken


def test_unlock_prints_its_result_as_json(locked: Lab) -> None:
    result = unlock(locked.gateway, "--json")
    assert json.loads(result.stdout) == {"sim": "SIM 1 in /sim0", "state": "unlocked"}


@pytest.mark.parametrize("arguments, line, code", [
    (["9"], PIN, "sim_absent"), (["--puk"], PUK, "not_blocked"), ([], WRONG, "wrong_code"),
])
def test_unlock_prints_its_errors_as_json(locked: Lab, arguments: list[str], line: str, code: str) -> None:
    result = unlock(locked.gateway, "--json", *arguments, lines=(line,))
    assert result.returncode == FAILED and result.stderr
    assert json.loads(result.stdout)["error"]["code"] == code
