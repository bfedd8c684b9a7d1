# SPDX-License-Identifier: GPL-2.0-or-later
"""`ofono-mcp demo`, from where `make install` has put it: what `make demo` promises."""

from __future__ import annotations

import json
import os
import re
import signal
import subprocess
import tempfile
from collections.abc import Iterator
from pathlib import Path

import pytest

from agents import curl
from test_demo import DEMO, TEXT, TO, Demo, assert_nothing_left, run
from lab import wait_until
from lab.gateway import BINARY
from modem.pdu import decode_submit

PROJECT = DEMO.parents[2]
BUILD = Path(os.environ.get("GATEWAY_BINARY", BINARY)).parent
NOBODY = ["setpriv", "--reuid=65534", "--regid=65534", "--clear-groups", "env", "HOME=/"]


@pytest.fixture(scope="module")
def program() -> Iterator[Path]:
    """Installed where everybody may look."""
    environment = {name: value for name, value in os.environ.items()
                   if not name.startswith(("MAKE", "MFLAGS"))}
    with tempfile.TemporaryDirectory(prefix="ofono-mcp-") as root:
        subprocess.run(["make", "-s", f"BUILD={BUILD}", "install", f"DESTDIR={root}",
                        "PREFIX=/usr"], cwd=PROJECT, env=environment, check=True)
        Path(root).chmod(0o755)
        yield Path(root, "usr", "bin", "ofono-mcp")


@pytest.fixture
def demo(program: Path) -> Iterator[Demo]:
    """For programs; it is up."""
    demo = Demo("--json", command=[program, "demo"])
    try:
        demo.wait_output('"event": "up"')
        yield demo
    finally:
        demo.end()


def events(demo: Demo) -> list[dict]:
    return [json.loads(line) for line in demo.output.splitlines()]


def test_tells_the_story(program: Path) -> None:
    demo = Demo("--once", command=[program, "demo"])
    assert demo.wait() == 0
    demo.wait_output("Ended")
    submit = decode_submit(re.search(r"^ +PDU +(\w+)$", demo.output, re.MULTILINE)[1])
    assert (submit.destination, submit.text) == (TO, TEXT)
    assert_nothing_left(demo.folder)


def test_for_programs(demo: Demo, program: Path) -> None:
    [up] = events(demo)
    assert Path("/proc", str(up["gateway"]), "exe").readlink() == program
    assert [modem["operator"] for modem in up["modems"]] == ["Telekom HU", "Yettel HU"]
    send = {"name": "send_sms", "arguments": {
        "to_phone_number": TO, "sms_text": "x" * 200, "subscription_id": 2}}
    answer = run(curl(up["url"], 1, "tools/call", send))
    assert answer["result"]["content"][0]["text"] == f"SMS sent to {TO}"
    wait_until(lambda: len(events(demo)) == 3, what="both segments are told")
    told = events(demo)[1:]
    assert [(sms["event"], sms["modem"], sms["to"]) for sms in told] == [("sms", "/sim1", TO)] * 2
    assert [(sms["segment"], sms["segments"]) for sms in told] == [(1, 2), (2, 2)]
    assert "".join(sms["text"] for sms in told) == "x" * 200
    demo.signal(signal.SIGINT)
    assert demo.wait() == 0
    demo.wait_output('{"event": "ended"}')
    assert_nothing_left(up["folder"])


def test_as_an_ordinary_user(program: Path) -> None:
    """Also with a path that has no /usr/sbin, where ofonod is."""
    demo = Demo("--once", command=[*NOBODY, "PATH=/usr/bin:/bin", program, "demo"])
    code = demo.wait()
    may = subprocess.run([*NOBODY, "unshare", "--map-root-user", "--mount", "true"],
                         capture_output=True).returncode == 0
    if may:
        demo.wait_output("Ended")
        assert code == 0 and f'"text":"SMS sent to {TO}"' in demo.output
        assert_nothing_left(demo.folder)
    else:
        demo.wait_output("sudo ofono-mcp demo")
        assert code == 1 and "may not make user namespaces" in demo.output


def test_what_is_missing_is_named(program: Path) -> None:
    done = subprocess.run([program, "demo", "--json"], env={"PATH": "/nowhere"},
                          capture_output=True, text=True)
    assert done.returncode == 1
    assert "sudo apt install --no-install-recommends dbus-daemon util-linux.\n" in done.stderr
    assert json.loads(done.stdout)["error"]["code"] == "missing_packages"


def test_only_the_program_was_installed(program: Path, tmp_path: Path) -> None:
    alone = tmp_path / "ofono-mcp"
    alone.hardlink_to(program)
    done = subprocess.run([alone, "demo"], capture_output=True, text=True)
    assert done.returncode == 1 and "Install ofono-mcp as a whole" in done.stderr


def test_a_port_that_is_taken(demo: Demo, program: Path) -> None:
    second = subprocess.run([program, "demo", "--port", str(demo.port)],
                            capture_output=True, text=True)
    assert (second.returncode, second.stdout) == (1, "")
    assert re.fullmatch(rf"Port {demo.port} is taken \(another demo\?\)\. Choose another: "
                        r"ofono-mcp demo --port \d+\n", second.stderr)


@pytest.mark.parametrize("arguments", [["--port", "0"], ["--port", "70000"],
                                       ["--port", "x"], ["x"], ["--nothing"]], ids=" ".join)
def test_wrong_options(program: Path, arguments: list[str]) -> None:
    done = subprocess.run([program, "demo", *arguments], capture_output=True, text=True)
    assert (done.returncode, done.stdout) == (2, "") and done.stderr
