# SPDX-License-Identifier: GPL-2.0-or-later
"""What can be read from system calls and is a promise. Mere figures: test_figures.py."""

from __future__ import annotations

import re
import subprocess
from pathlib import Path

from daemon import Daemon, memory_kib
from lab import Lab, wait_until
from memory_rows import connections
from sending_rows import requests
from server import Load
from wire_request import call, marked

LIBRARIES = {"libdbus-1.so.3", "libmicrohttpd.so.12", "libyajl.so.2", "libsystemd.so.0",
             "libsqlite3.so.0", "libgnutls.so.30", "libinih.so.1", "libqrencode.so.4",
             "libc.so.6"}
CROWD = 500                     # connections
STEPS = {"call": "SendMessage", "sync": "sync(", "write": "pwrite64("}
LISTINGS = ("get_sms_subscriptions", "get_gateway_status")


def test_a_listing_makes_no_bus_call(lab: Lab, build: Path) -> None:
    output = lab.folder / "asked"
    daemon = Daemon(lab, "listings", ["strace", "-D", "-f", "-s", "400", "-o", str(output),
                                      "-e", "trace=sendmsg"])
    server = daemon.start()
    began = len(output.read_text())
    for name in LISTINGS:
        Load(build, server, [daemon.requests.legacy("tools/call", call(name))], 1).run(
            "--count", "20")
    ended = len(output.read_text())
    daemon.stop()
    wait_until(lambda: "+++ exited" in output.read_text(), what="all is written")
    told = output.read_text()
    assert "org.ofono" in told[:began], "at its start it asks"
    assert [line for line in told[began:ended].splitlines()
            if "org.ofono" in line and "HTTP/1.1" not in line] == []


def test_a_submission_is_on_disk_before_it_leaves(lab: Lab, build: Path) -> None:
    """That a message is being handed over is waited for before SendMessage leaves."""
    output = lab.folder / "order"
    daemon = Daemon(lab, "radio", ["strace", "-D", "-f", "-s", "400", "-o", str(output),
                                   "-e", "trace=fdatasync,fsync,sendmsg,pwrite64"])
    server = daemon.start()
    began = len(output.read_text())
    Load(build, server, requests(daemon, 1), 1).run("--count", "5")
    daemon.stop()
    wait_until(lambda: "+++ exited" in output.read_text(), what="all is written")
    steps = [next((step for step, word in STEPS.items() if word in line), "")
             for line in output.read_text()[began:].splitlines()]
    calls = [place for place, step in enumerate(steps) if step == "call"]
    assert len(calls) == 5, steps
    for place in calls:
        before = [step for step in steps[:place] if step in ("write", "sync")]
        assert before[-1] == "sync", before[-5:]


def test_the_bus_refuses_none_of_many_submissions(lab: Lab, build: Path) -> None:
    """It allows 128 replies that are awaited, of whom many more are."""
    output = lab.folder / "refused"
    daemon = Daemon(lab, "many", ["strace", "-D", "-f", "-s", "300", "-o", str(output),
                                  "-e", "trace=sendmsg,recvmsg"])
    server = daemon.start()
    Load(build, server, requests(daemon, 2), 200).run("--count", "200")
    # calls beyond those that may wait are answered before their message is submitted
    wait_until(lambda: output.read_text().count("SendMessage") >= 200, what="all are submitted")
    daemon.stop()
    wait_until(lambda: "+++ exited" in output.read_text(), what="all is written")
    assert "LimitsExceeded" not in output.read_text()


def test_a_crowd_leaves_no_memory_behind(lab: Lab) -> None:
    """Most of it is given back when most have gone, without waking up for it later."""
    daemon = Daemon(lab, "crowd")
    server = daemon.start()
    ping = [marked(daemon.requests.legacy("ping"))]

    def private_kib() -> int:
        return memory_kib(server.pid)["Private_Dirty"]

    alone = private_kib()
    with connections(server.port, ping * CROWD, b'"result":{}}'):
        crowded = private_kib()
    wait_until(lambda: 2 * private_kib() < alone + crowded, what="memory is given back")
    daemon.stop()


def test_the_program_needs_no_other_library(build: Path) -> None:
    needed = subprocess.run(["readelf", "-d", build / "ofono-mcp"], check=True,
                            capture_output=True, text=True).stdout
    libraries = set(re.findall(r"\(NEEDED\).*\[(.*)\]", needed))
    assert libraries - {"libm.so.6"} == LIBRARIES
