# SPDX-License-Identifier: GPL-2.0-or-later
"""make bench-fleet: the wire between a hub and its phones, with the real Mosquitto.

Prints each target of the fleet that the wire decides beside what was measured, and draws latency
and memory against the number of phones. Links are simulated by tests/bench/fleet.c; the hub
itself is not measured here.
"""

from __future__ import annotations

import argparse
import json
import re
import socket
import subprocess
import tempfile
import time
from pathlib import Path
from typing import Any

CONFIG = """user root
log_dest none
listener {port} 127.0.0.1
allow_anonymous true
set_tcp_nodelay true
max_queued_messages 10000
max_inflight_messages 1000
"""
ROWS = [("connect_s", "all phones connected, s", 30), ("one_ms", "request and answer, p50, ms", 3),
        ("many_per_s", "64 at once, per s", 500), ("absent_ms", "phone is absent (0x10), ms", 1000),
        ("will_ms", "phone leaves (will), ms", 1000), ("broker_mib", "Mosquitto, private MiB", 50),
        ("link_kib", "a simulated link, KiB", 1536)]


def free_port() -> int:
    with socket.socket() as probe:
        probe.bind(("127.0.0.1", 0))
        port: int = probe.getsockname()[1]
        return port


def private_kib(pid: int) -> int:
    text = Path(f"/proc/{pid}/smaps_rollup").read_text()
    return sum(int(kib) for kib in re.findall(r"^Private_\w+:\s+(\d+)", text, re.M))


def measure(program: Path, phones: int) -> dict[str, Any]:
    with tempfile.TemporaryDirectory() as folder:
        port = free_port()
        config = Path(folder) / "mosquitto.conf"
        config.write_text(CONFIG.format(port=port))
        broker = subprocess.Popen(["/usr/sbin/mosquitto", "-c", str(config)],
                                  stderr=subprocess.DEVNULL)
        try:
            while True:
                try:
                    socket.create_connection(("127.0.0.1", port)).close()
                    break
                except ConnectionRefusedError:
                    time.sleep(0.01)
            before = private_kib(broker.pid)
            with subprocess.Popen([program, str(port), str(phones)], stdin=subprocess.PIPE,
                                  stdout=subprocess.PIPE, text=True) as run:
                assert run.stdout and run.stdin
                line = run.stdout.readline()
                assert line, "the program failed"
                found: dict[str, Any] = json.loads(line)
                found["broker_mib"] = round(private_kib(broker.pid) / 1024, 1)
                found["broker_before_mib"] = round(before / 1024, 1)
                found["link_kib"] = round(private_kib(run.pid) / phones)
                run.stdin.close()
            return found
        finally:
            broker.terminate()
            broker.wait()


def plot(file: Path, title: str, points: list[tuple[float, float]]) -> None:
    """One line over the number of phones, the points evenly spaced."""
    top = max(value for _, value in points) or 1
    at = [(80 + 480 * i / max(1, len(points) - 1), 260 - 200 * value / top)
          for i, (_, value) in enumerate(points)]
    marks = "".join(
        f'<circle cx="{x:.0f}" cy="{y:.0f}" r="4"/><text x="{x:.0f}" y="{y - 10:.0f}">{value:g}'
        f'</text><text x="{x:.0f}" y="285">{phones:g}</text>'
        for (x, y), (phones, value) in zip(at, points))
    line = " ".join(f"{x:.0f},{y:.0f}" for x, y in at)
    file.write_text(
        '<svg xmlns="http://www.w3.org/2000/svg" width="640" height="300" font-family="sans-serif"'
        f' font-size="13" text-anchor="middle"><text x="320" y="24" font-size="16">{title}</text>'
        f'<polyline points="{line}" fill="none" stroke="black"/>{marks}</svg>\n')


def main() -> None:
    parser = argparse.ArgumentParser()
    parser.add_argument("--build", type=Path, required=True)
    parser.add_argument("--phones", default="10,100,1000")
    chosen = parser.parse_args()
    counts = [int(count) for count in chosen.phones.split(",")]
    found = [measure(chosen.build / "bench" / "fleet", count) for count in counts]
    print(f"{'':32}{'target':>8}" + "".join(f"{count:>10}" for count in counts))
    for name, words, target in ROWS:
        sign = ">=" if name == "many_per_s" else "<="
        print(f"{words:32}{sign + str(target):>8}" + "".join(f"{one[name]:>10}" for one in found))
    for name, words, _ in ROWS:
        plot(chosen.build / f"fleet-{name}.svg", f"{words}, by phones",
             [(one["phones"], one[name]) for one in found])
    print(f"plots: {chosen.build}/fleet-*.svg")


if __name__ == "__main__":
    main()
