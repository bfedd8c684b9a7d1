# SPDX-License-Identifier: GPL-2.0-or-later
"""What `make demo-fleet` promises: a send, a failover and an incoming message through a hub, at
an address for agents, and nothing left at the end."""

from __future__ import annotations

import json
import re
import shutil
import signal
import socket
import subprocess
import sys
import tempfile
from collections.abc import Iterator, Sequence
from pathlib import Path
from typing import Any

import pytest

from lab import McpClient
from lab.fleet import BUILD
from test_demo import DEMO, TO, Demo, assert_nothing_left, run
from test_installed_demo import NOBODY

FLEET = DEMO.with_name("demo_fleet.py")
TESTS = DEMO.parents[1]
COMMAND = (sys.executable, "-B", FLEET)
PROGRAMS = ("ofono-mcp", "ofono-mcp-hub", "ofono-mcp-link")


def answers(demo: Demo) -> list[dict[str, Any]]:
    """The facts of each answer that is shown, in order."""
    return [json.loads(line)["result"]["structuredContent"]
            for line in re.findall(r"^<- HTTP 200 (.*)$", demo.output, re.MULTILINE)]


def phone_of(demo: Demo, sim: int) -> str:
    return re.search(rf"^ +SIM +{sim}, ([\w-]+): ", demo.output, re.MULTILINE)[1]


def check_story(demo: Demo) -> None:
    first, second, listed = answers(demo)
    for sent in (first, second):
        assert sent["state"] in ("sent", "delivered") and sent["route"], sent
    phones = [phone_of(demo, sent["subscription_id"]) for sent in (first, second)]
    assert phones[0] != phones[1]
    [received] = listed["messages"]
    assert (received["from"], received["subscription_id"]) == (TO, second["subscription_id"])
    states = re.findall(r"^ +phone +([\w-]+) is (\w+)$", demo.output, re.MULTILINE)
    assert states == [(phones[0], "absent"), (phones[0], "present")]


def check_nothing_left(demo: Demo) -> None:
    folders = re.findall(r"^ +folder +(\S+)$", demo.output, re.MULTILINE)
    assert len(set(folders)) == 4               # the hub's, and one of each phone
    for folder in folders:
        assert_nothing_left(folder)


def test_a_fleet_is_shown_and_then_serves_agents_until_it_is_interrupted() -> None:
    demo = Demo(command=COMMAND)
    try:
        demo.wait_up()
        check_story(demo)
        url = re.search(r"^ +hub .*(http://\S+)$", demo.output, re.MULTILINE)[1]
        assert url == f"http://127.0.0.1:{demo.port}/mcp"
        with McpClient(demo.port) as client:
            names = [tool["name"] for tool in client.call("tools/list").result["tools"]]
        assert names[:2] == ["send_sms", "get_sms_subscriptions"]
        hello, tools, sims, send = map(run, demo.curl_lines())
        assert hello["result"]["serverInfo"]["name"] == "ofono-mcp-hub"
        assert sims["result"]["structuredContent"]["count"] == 6
        assert send["result"]["structuredContent"]["route"]
        demo.wait_output("Hello from curl")     # shown when it is sent
        demo.signal(signal.SIGINT)
        assert demo.wait() == 0
        check_nothing_left(demo)
        with socket.socket() as probe:
            assert probe.connect_ex(("127.0.0.1", demo.port)) != 0
    finally:
        demo.end()


@pytest.fixture
def everybodys() -> Iterator[Path]:
    """The demo and its programs where everybody may look."""
    with tempfile.TemporaryDirectory(prefix="ofono-mcp-") as root:
        Path(root).chmod(0o755)
        for name in ("demo", "lab", "modem"):
            shutil.copytree(TESTS / name, Path(root, "tests", name))
        shutil.copy(TESTS / "as-root", Path(root, "tests"))
        Path(root, "build").mkdir()
        for name in PROGRAMS:
            shutil.copy(BUILD / name, Path(root, "build"))
        yield Path(root, "tests")


def may_make_namespaces(user: Sequence[str]) -> bool:
    return subprocess.run([*user, "unshare", "--map-root-user", "--mount", "true"],
                          capture_output=True).returncode == 0


@pytest.mark.skipif(not may_make_namespaces(NOBODY), reason="here only root can")
def test_an_ordinary_user_can_run_it(everybodys: Path) -> None:
    """Also with a PATH without /usr/sbin, where Mosquitto and ofonod are."""
    user = [*NOBODY, "--unset=GATEWAY_BINARY", "PATH=/usr/bin:/bin", everybodys / "as-root"]
    demo = Demo("--once", command=[*user, sys.executable, "-B",
                                   everybodys / "demo" / FLEET.name])
    assert demo.wait() == 0, demo.output
    demo.wait_output("Ended")
    check_story(demo)
    check_nothing_left(demo)
