# SPDX-License-Identifier: GPL-2.0-or-later
"""Real clients of MCP Events: the official TypeScript client, and Vercel's AI SDK with the
receiver of webhooks that it brings."""

from __future__ import annotations

import json
import subprocess
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest

from lab.gateway import free_port
from npm import Npm
from webhooks import Hook, Hooked

PORT = free_port()


@pytest.fixture
def gateway() -> Iterator[Hooked]:
    with Hooked(f"http://127.0.0.1:{PORT}/") as one:
        yield one


class Script:
    """webhook_receiver.mjs, step by step."""

    def __init__(self, npm: Npm, home: Path, gateway: Hooked, token: str) -> None:
        self._errors = home / "stderr"
        self._process = subprocess.Popen(
            npm.command("webhook_receiver.mjs", f"http://127.0.0.1:{gateway.port}/mcp", token, str(PORT)),
            cwd=home, env=npm.environment(home), stdin=subprocess.DEVNULL, text=True,
            stdout=subprocess.PIPE, stderr=self._errors.open("w"))

    def __enter__(self) -> Script:
        return self

    def __exit__(self, *_: object) -> None:
        self._process.kill()
        self._process.communicate()

    def step(self, name: str) -> dict[str, Any]:
        line = self._process.stdout.readline()
        assert line, self._errors.read_text()
        said = json.loads(line)
        assert said["step"] == name, said
        return said


def test_the_official_client_and_the_ai_sdk_hear_of_messages(
        npm: Npm, gateway: Hooked, tmp_path: Path) -> None:
    hook = Hook(gateway, f"http://127.0.0.1:{PORT}/h")
    with Script(npm, tmp_path, gateway, hook.authorization.split()[1]) as script:
        listed = script.step("list")
        assert "sms.received" in listed["names"] and listed["webhook"]
        script.step("stream")
        gateway.receive()
        told = script.step("poll")
        assert told["pushed"] == told["polled"]
        script.step("webhook")
        gateway.receive()
        done = script.step("done")
    assert done["event"] == done["verified"] != told["polled"]
    assert set(done["statuses"]) <= {200, 204}      # every signature was accepted
    assert done["left"] == 0
    assert gateway.owner.json_lines("webhooks")[-1]["subscriptions"] == 0
