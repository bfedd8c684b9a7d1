# SPDX-License-Identifier: GPL-2.0-or-later
"""The example programs that send a message and wait for the answer: doc/examples/clients."""

from __future__ import annotations

import os
import subprocess
from collections.abc import Callable
from pathlib import Path

import pytest

from agent import pair
from lab import Lab, wait_until
from modem.patience import patience

CLIENTS = Path(__file__).resolve().parents[2] / "doc" / "examples" / "clients"
NAMES = ["send_and_wait.py", "send_and_wait.sh"]
TO = "+36301234567"


class Example:
    """One example program, and what it needs to reach this lab's gateway with this token."""

    def __init__(self, name: str, lab: Lab, token: str) -> None:
        secret = lab.folder / "curl"
        secret.touch(mode=0o600)
        secret.write_text(f'header = "Authorization: Bearer {token}"\n')
        self._command = [str(CLIENTS / name)]
        self._environment = os.environ | {
            "OFONO_MCP_URL": f"http://127.0.0.1:{lab.gateway.port}/mcp",
            "OFONO_MCP_TOKEN": token, "OFONO_MCP_CURL": str(secret)}

    def start(self, *arguments: str) -> subprocess.Popen[str]:
        return subprocess.Popen([*self._command, *arguments], env=self._environment,
                                text=True, stdin=subprocess.DEVNULL,
                                stdout=subprocess.PIPE, stderr=subprocess.PIPE)

    def run(self, *arguments: str) -> tuple[int, str, str]:
        return end(self.start(*arguments))


def end(process: subprocess.Popen[str]) -> tuple[int, str, str]:
    out, err = process.communicate(timeout=patience(60))
    return process.returncode, out, err


@pytest.fixture
def closed_lab(make_lab: Callable[..., Lab]) -> Lab:
    """A lab whose gateway refuses clients without a token."""
    return make_lab(modem_count=1, gateway_open=False)


def test_example_clients_send_and_print_the_answer(closed_lab: Lab) -> None:
    lab, token = closed_lab, pair(closed_lab.gateway, "script")
    modem = lab.modems[0]
    for name in NAMES:
        modem.outgoing.taken.clear()
        text = f'a "quoted" question of {name}'
        process = Example(name, lab, token).start(TO, text, "100")
        wait_until(lambda: modem.outgoing.taken or process.poll() is not None, 30,
                   "it is sent")
        modem.deliver(TO, f"yes,\nindeed, {name}")
        code, out, err = end(process)
        assert (code, out) == (0, f"yes,\nindeed, {name}\n"), err
        assert "is sent" in err


def test_example_clients_say_what_is_wrong(closed_lab: Lab) -> None:
    lab, token = closed_lab, pair(closed_lab.gateway, "script")
    for name in NAMES:
        code, out, err = Example(name, lab, "f00d" * 16).run(TO, "hello")
        assert (code, out) == (1, "") and "token" in err
        code, out, err = Example(name, lab, token).run("nobody", "hello")
        assert (code, out) == (1, "") and "number" in err
        code, out, err = Example(name, lab, token).run(TO, f"hello from {name}", "1")
        assert (code, out) == (1, "") and "no answer came" in err
