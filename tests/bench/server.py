# SPDX-License-Identifier: GPL-2.0-or-later
"""A server, the daemon or an anchor, and the load on it (load.c)."""

from __future__ import annotations

import json
import subprocess
from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from dataclasses import dataclass
from pathlib import Path

import machine
from lab.gateway import free_port
from rounds import Sample
from wire_request import Answer

WARM_UP_S, MEASURE_S = 0.10, 0.25
NOT_REPEATED = {"date", "connection", "content-length"}     # libmicrohttpd writes them


@dataclass(frozen=True)
class Server:
    port: int
    pid: int
    is_anchor: bool = False     # answers every request with the same bytes
    id_last: bool = False       # its answer ends with the ID of the request


class Load:
    """`requests`: each connection sends them in turn, again and again."""

    def __init__(self, build: Path, server: Server, requests: Sequence[bytes],
                 connections: int) -> None:
        self.input = b"\0".join(requests)
        self._server = server
        self._connections = connections
        self.command = [
            build / "bench" / "load", "--port", str(server.port),
            "--connections", str(connections), "--pid", str(server.pid),
            *(["--static"] if server.is_anchor else []),
            *(["--id-last"] if server.id_last else [])]

    def run(self, *arguments: str, others: Sequence[int] = ()) -> Sample:
        foreign = machine.ForeignLoad([self._server.pid, *others])
        done = subprocess.run([*self.command, *arguments], input=self.input,
                              stdout=subprocess.PIPE, check=True)
        told = json.loads(done.stdout)
        return Sample(told["answers"], told["seconds"], told["server_cpu_us"],
                      told["p50_us"], told["p99_us"], foreign.cpus())

    def measure(self) -> Sample:
        """Server and client each have a CPU; for one request at a time they share one."""
        alone = self._connections == 1 or not machine.HAS_TWO
        machine.pin(self._server.pid, machine.SERVER_CPU)
        self.command[:0] = ["taskset", "-c",
                            str(machine.SERVER_CPU if alone else machine.CLIENT_CPU)]
        try:
            return self.run("--seconds", str(MEASURE_S), "--warm-up", str(WARM_UP_S),
                            *([] if alone else ["--spin"]))
        finally:
            del self.command[:3]
            machine.unpin(self._server.pid)


@contextmanager
def started(command: Sequence[object], port: int, octets: bytes) -> Iterator[Server]:
    """An anchor: it reads its answer from stdin and prints "ready"."""
    child = subprocess.Popen([str(word) for word in command], stdin=subprocess.PIPE,
                             stdout=subprocess.PIPE)
    try:
        child.stdin.write(octets)
        child.stdin.close()
        assert child.stdout.readline() == b"ready\n"
        yield Server(port, child.pid, is_anchor=True)
    finally:
        child.terminate()
        child.wait()
        child.stdout.close()


def bare_command(build: Path, port: int, answer: Answer) -> list[object]:
    """libmicrohttpd alone, with an answer as long as the daemon's."""
    headers = [word for name, value in answer.headers
               if name.lower() not in NOT_REPEATED for word in (name, value)]
    return [build / "bench" / "bare", port, *headers]


@contextmanager
def bare(build: Path, answer: Answer) -> Iterator[Server]:
    port = free_port()
    with started(bare_command(build, port, answer), port, answer.body) as server:
        yield server


@contextmanager
def raw(build: Path, answer: Answer) -> Iterator[Server]:
    port = free_port()
    with started([build / "bench" / "raw", port], port, answer.octets) as server:
        yield server
