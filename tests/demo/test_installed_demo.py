# SPDX-License-Identifier: GPL-2.0-or-later
"""`ofono-mcp demo`, as `make install` installs it: what `make demo` promises."""

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
from lab.gateway import BINARY, free_port
from modem.patience import patience
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
    """For programs; it runs."""
    demo = Demo("--json", command=[program, "demo"])
    try:
        demo.wait_output('"event": "up"')
        yield demo
    finally:
        demo.end()


def events(demo: Demo) -> list[dict]:
    return [json.loads(line) for line in demo.output.splitlines()]


def test_the_installed_demo_shows_the_same(program: Path) -> None:
    demo = Demo("--once", command=[program, "demo"])
    assert demo.wait() == 0
    demo.wait_output("Ended")
    submit = decode_submit(re.search(r"^ +PDU +(\w+)$", demo.output, re.MULTILINE)[1])
    assert (submit.destination, submit.text) == (TO, TEXT)
    assert_nothing_left(demo.folder)


def test_json_output_is_for_programs(demo: Demo, program: Path) -> None:
    [up] = events(demo)
    assert Path("/proc", str(up["gateway"]), "exe").readlink() == program
    assert [modem["operator"] for modem in up["modems"]] == ["Telekom HU", "Yettel HU"]
    send = {"name": "send_sms", "arguments": {
        "to_phone_number": TO, "sms_text": "x" * 200, "subscription_id": 2}}
    answer = run(curl(up["url"], 1, "tools/call", send))
    assert answer["result"]["content"][0]["text"].startswith(f"SMS sent to {TO}")
    wait_until(lambda: len(events(demo)) == 3, what="both segments are told")
    told = events(demo)[1:]
    assert [(sms["event"], sms["modem"], sms["to"]) for sms in told] == [("sms", "/sim1", TO)] * 2
    assert [(sms["segment"], sms["segments"]) for sms in told] == [(1, 2), (2, 2)]
    assert "".join(sms["text"] for sms in told) == "x" * 200
    demo.signal(signal.SIGINT)
    assert demo.wait() == 0
    demo.wait_output('{"event": "ended"}')
    assert_nothing_left(up["folder"])


def test_an_ordinary_user_can_run_it(program: Path) -> None:
    """Also with a PATH without /usr/sbin, where ofonod is."""
    demo = Demo("--once", command=[*NOBODY, "PATH=/usr/bin:/bin", program, "demo"])
    code = demo.wait()
    may = subprocess.run([*NOBODY, "unshare", "--map-root-user", "--mount", "true"],
                         capture_output=True).returncode == 0
    if may:
        demo.wait_output("Ended")
        assert code == 0 and f'"text":"SMS sent to {TO}' in demo.output
        assert_nothing_left(demo.folder)
    else:
        demo.wait_output("sudo ofono-mcp demo")
        assert code == 1 and "may not make user namespaces" in demo.output


def test_missing_programs_are_named(program: Path, tmp_path: Path) -> None:
    done = subprocess.run([program, "demo", "--json"], env={"PATH": "/nowhere"},
                          capture_output=True, text=True)
    assert done.returncode == 1
    assert ("Install them, as root: apt install --no-install-recommends "
            "dbus-daemon util-linux.\n") in done.stderr
    assert json.loads(done.stdout)["error"]["code"] == "missing_packages"
    (tmp_path / "sudo").symlink_to("/bin/true")
    done = subprocess.run([program, "demo"], env={"PATH": str(tmp_path)},
                          capture_output=True, text=True)
    assert "Install them: sudo apt install --no-install-recommends dbus" in done.stderr


def test_missing_demo_files_are_reported(program: Path, tmp_path: Path) -> None:
    alone = tmp_path / "ofono-mcp"
    alone.hardlink_to(program)
    done = subprocess.run([alone, "demo"], capture_output=True, text=True)
    assert done.returncode == 1 and "Install all of ofono-mcp" in done.stderr


def test_a_port_in_use_is_reported(demo: Demo, program: Path) -> None:
    second = subprocess.run([program, "demo", "--port", str(demo.port)],
                            capture_output=True, text=True)
    assert (second.returncode, second.stdout) == (1, "")
    assert re.fullmatch(rf"Port {demo.port} is taken \(another demo\?\)\. Choose another: "
                        r"ofono-mcp demo --port \d+\n", second.stderr)
    told = subprocess.run([program, "demo", "--json", "--port", str(demo.port)],
                          capture_output=True, text=True)
    error = json.loads(told.stdout)["error"]
    assert (told.returncode, error["code"]) == (1, "port_taken")
    assert told.stderr == f"{error['message']}. {error['fix']}\n"


def is_roots(port: int) -> bool:
    first = int(Path("/proc/sys/net/ipv4/ip_unprivileged_port_start").read_text())
    may = subprocess.run([*NOBODY, "unshare", "--map-root-user", "--mount", "true"],
                         capture_output=True).returncode == 0
    return port < first and may


@pytest.mark.skipif(not is_roots(81), reason="here it is not, or nobody may try")
def test_a_privileged_port_is_reported(program: Path) -> None:
    refused = subprocess.run([*NOBODY, program, "demo", "--json", "--port", "81"],
                             capture_output=True, text=True, timeout=patience(20))
    assert (refused.returncode, json.loads(refused.stdout)["error"]["code"]) == (1, "port_refused")
    assert "Port 81 is for root alone. Choose another: ofono-mcp demo --port 9" in refused.stderr


def test_two_demos_at_the_same_moment_do_not_mix(program: Path) -> None:
    """The later one says so, and never takes the other's gateway for its own."""
    port = free_port()
    both = [Demo("--json", command=[program, "demo"], port=port) for _ in range(2)]
    try:
        wait_until(lambda: any(demo.has_ended for demo in both), what="one gives up")
        late, other = sorted(both, key=lambda demo: not demo.has_ended)
        late.wait_output("port_taken")
        assert late.wait() == 1 and '"event"' not in late.output
        other.wait_output('"event": "up"')
    finally:
        for demo in both:
            demo.end()


@pytest.mark.parametrize("arguments", [["--port", "0"], ["--port", "70000"],
                                       ["--port", "x"], ["x"], ["--nothing"]], ids=" ".join)
def test_wrong_options_are_refused(program: Path, arguments: list[str]) -> None:
    done = subprocess.run([program, "demo", *arguments], capture_output=True, text=True)
    assert (done.returncode, done.stdout) == (2, "") and done.stderr
