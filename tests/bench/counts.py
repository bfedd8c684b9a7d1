# SPDX-License-Identifier: GPL-2.0-or-later
"""What can be counted exactly: system calls, instructions, calls to oFono, fsyncs.

The same request is sent a few times and many times, each in its own run; the difference is the
cost of the requests, without start and end.
"""

from __future__ import annotations

import re
import subprocess
from collections.abc import Callable
from pathlib import Path

from daemon import Daemon
from lab import Lab, wait_until
from server import Load, Server, bare_command
from wire_request import Answer

FEW, MANY = 64, 320
# valgrind counts each octet of "rep stosb" and "rep movsb" as an instruction
PLAIN_COPIES = ("GLIBC_TUNABLES=glibc.cpu.x86_rep_stosb_threshold=99999999:"
                "glibc.cpu.x86_rep_movsb_threshold=99999999")
SYNCS = ("fsync", "fdatasync", "sync_file_range", "msync")
Run = Callable[[int], dict[str, int]]


def each(run: Run) -> dict[str, float]:
    """For one request."""
    few, many = run(FEW), run(MANY)
    return {name: (many[name] - few.get(name, 0)) / (MANY - FEW) for name in many}


def system_calls(output: Path) -> dict[str, int]:
    """From strace -c -U name,calls; "total" is one of the names."""
    pairs = re.findall(r"^ *(\w+) +(\d+)$", output.read_text(), re.MULTILINE)
    counts = {name: int(count) for name, count in pairs}
    return counts if "total" in counts else {}


def instructions(output: Path) -> dict[str, int]:
    return {"instructions": int(re.search(r"^totals: (\d+)", output.read_text(),
                                          re.MULTILINE)[1])}


def of_daemon(build: Path, lab: Lab, name: str, wrapper: list[str],
              read: Callable[[Path], dict[str, int]],
              requests: Callable[[Daemon], list[bytes]], connections: int) -> dict[str, float]:
    daemon = Daemon(lab, name, [*wrapper[:-1], wrapper[-1].format(folder=lab.folder)])
    output = lab.folder / "counted"

    def run(count: int) -> dict[str, int]:
        output.unlink(missing_ok=True)
        server = daemon.start()
        Load(build, server, requests(daemon), connections).run("--count", str(count))
        daemon.stop()
        return wait_until(lambda: output.exists() and read(output),
                          what="the tracer has written what it counted")

    return each(run)


# -D: the traced program is our child and receives our signals
STRACE = ["strace", "-D", "-f", "-c", "-U", "name,calls", "-o", "{folder}/counted"]
CALLGRIND = ["env", PLAIN_COPIES, "valgrind", "--tool=callgrind", "-q",
             "--callgrind-out-file={folder}/counted"]


def daemon_system_calls(build: Path, lab: Lab, name: str,
                        requests: Callable[[Daemon], list[bytes]],
                        connections: int) -> dict[str, float]:
    return of_daemon(build, lab, name, STRACE, system_calls, requests, connections)


def daemon_instructions(build: Path, lab: Lab, name: str,
                        requests: Callable[[Daemon], list[bytes]]) -> float:
    return of_daemon(build, lab, name, CALLGRIND, instructions, requests,
                     16)["instructions"]


def function_calls(text: str, name: str) -> int:
    """From a file of callgrind, which writes a name once and then only its number."""
    number = re.search(rf"^c?fn=(\(\d+\)) {name}$", text, re.MULTILINE)
    if not number:
        return 0
    called = re.escape(number[1])
    return sum(int(count) for count in re.findall(
        rf"^cfn={called}.*\ncalls=(\d+) ", text, re.MULTILINE))


def daemon_function_calls(lab: Lab, name: str, function: str,
                          ask: Callable[[Daemon], None]) -> int:
    """How often a running daemon called it during these requests and its stop."""
    wrapper = [word.format(folder=lab.folder) for word in CALLGRIND]
    output = lab.folder / "counted"
    output.unlink(missing_ok=True)
    daemon = Daemon(lab, name, wrapper)
    server = daemon.start()
    subprocess.run(["callgrind_control", "--zero", str(server.pid)], check=True,
                   stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL)
    ask(daemon)
    daemon.stop()
    wait_until(lambda: output.exists() and instructions(output),
               what="callgrind has written what it counted")
    return function_calls(output.read_text(), function)


def bare_instructions(build: Path, folder: Path, octets: bytes, answer: Answer,
                      port: int) -> float:
    output = folder / "bare-counted"
    command = [word.format(folder=folder).replace("/counted", "/bare-counted")
               for word in CALLGRIND]

    def run(count: int) -> dict[str, int]:
        child = subprocess.Popen(
            [*command, *map(str, bare_command(build, port, answer))],
            stdin=subprocess.PIPE, stdout=subprocess.PIPE)
        child.stdin.write(answer.body)
        child.stdin.close()
        assert child.stdout.readline() == b"ready\n"
        Load(build, Server(port, child.pid, is_anchor=True), [octets], 16).run(
            "--count", str(count))
        child.terminate()
        child.wait()
        child.stdout.close()
        return instructions(output)

    return each(run)["instructions"]
