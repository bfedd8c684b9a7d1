#!/usr/bin/python3
# SPDX-License-Identifier: GPL-2.0-or-later
"""Long runs of the gateway: do memory, descriptors and threads stay constant?

    make soak [TIME=600]

First 1,100,000 requests that read, in both eras, and how much private memory grew between the
100,000th and the last (goal: 64 KiB at most). Then, for the rest of TIME seconds and a quarter
of them at least, everything: messages out and in with their delivery reports, sessions,
streams, connections that come and go. The third quarter of that time is compared with the
last, because the message store has filled its caches by then.
"""

from __future__ import annotations

import argparse
import json
import os
import platform
import random
import statistics
import sys
import time
from collections.abc import Callable
from contextlib import ExitStack, suppress
from pathlib import Path
from typing import Any

for folder in ("..", "../integration"):
    sys.path.insert(0, str(Path(__file__).resolve().parent / folder))

BUILD = Path(sys.argv[sys.argv.index("--build") + 1] if "--build" in sys.argv
             else "build").resolve()
os.environ.setdefault("GATEWAY_BINARY", str(BUILD / "ofono-mcp"))

import modern
from agent import Agent, TO
from events import Events
from lab import Lab
from lab.ofonod import PLUGIN
from legacy_session import LegacySession
from meter import Sample, measure
from setting import end_when_told, setting
from wire import Wire, request, rpc

FIRST, LAST = 100_000, 1_100_000
TOGETHER = 200              # requests of a client in flight
CLIENTS = 16
GROWTH_KIB = 64             # of goal 15
LIFE_GROWTH_KIB = 256       # the store's pages come and go
LIFE_LEAST_S = 20.0
SAMPLE_S = 2.0
IDLE_S = 3.0
KEEP = 2000
CHURN = 3                   # half-open connections, which stay a moment
CONFIG = f"""[store]
keep_messages = {KEEP}
[sms]
duplicate_seconds = 0
"""
ANSWER = b'"result"'


def legacy(tool: str, **arguments: Any) -> bytes:
    return request(rpc("tools/call", {"name": tool, "arguments": arguments}))


READS = (request(rpc("ping")), request(rpc("tools/list")), legacy("get_sms_subscriptions"),
         modern.Request("tools/list").octets, modern.call("get_sms_subscriptions", {}).octets,
         modern.call("get_gateway_status", {}).octets, legacy("list_sms", limit=3))


class Soak:
    def __init__(self, lab: Lab) -> None:
        self._lab = lab
        self._dice = random.Random(1)
        self.requests = 0
        self.samples: list[Sample] = []
        self._wires: list[Wire] = []

    # ---- requests that read

    def read_until(self, count: int) -> Sample:
        """Alternates batches; counts every answer."""
        batch = b"".join(READS[i % len(READS)] for i in range(TOGETHER))
        while self.requests < count:
            wire = self._wires[self._dice.randrange(CLIENTS)]
            wire.send(batch)
            self._take(wire, TOGETHER)
            self._sample()
        return self._now()

    def open(self) -> None:
        self._wires = [Wire(self._lab.gateway.port, timeout=60) for _ in range(CLIENTS)]

    def close(self) -> None:
        for wire in self._wires:
            wire.close()
        self._wires = []

    def _take(self, wire: Wire, count: int) -> None:
        seen, torn = 0, b""
        while seen < count:
            octets = wire.socket.recv(1 << 18)
            if not octets:
                raise AssertionError(f"{seen} of {count} were answered")
            torn += octets
            seen += torn.count(ANSWER)
            torn = torn[max(0, torn.rfind(ANSWER) + len(ANSWER)):][1 - len(ANSWER):]
        self.requests += count

    def descriptors_idle(self) -> int:
        """The fewest descriptors seen for a while without clients."""
        end = time.monotonic() + IDLE_S
        least = self._now().descriptors
        while time.monotonic() < end:
            time.sleep(0.1)
            least = min(least, self._now().descriptors)
        return least

    def _now(self) -> Sample:
        return measure(self._lab.gateway.pid)

    def _sample(self) -> None:
        if not self.samples or time.monotonic() - self.samples[-1].at >= SAMPLE_S:
            self.samples.append(self._now())

    # ---- everything

    def live(self, seconds: float) -> list[Sample]:
        """The samples of that time."""
        begin, agent = len(self.samples), Agent(self._lab)
        deeds: list[Callable[[Agent], None]] = [self._send, self._receive, self._session,
                                                self._stream, self._churn]
        end = time.monotonic() + seconds
        while time.monotonic() < end:
            self._dice.choice(deeds)(agent)
            self._sample()
        return self.samples[begin:]

    def _send(self, agent: Agent) -> None:
        number = self._dice.randrange(2)
        result = agent.send(f"text {self.requests}", sim=number + 1)
        if result.is_error:
            raise AssertionError(result)
        modem = self._lab.modems[number]
        modem.report(modem.taken[-1])
        self._forget()
        self.requests += 1

    def _forget(self) -> None:
        """The emulated modem is not what is measured."""
        for modem in self._lab.modems:
            del modem.outgoing.offered[:-1], modem.outgoing.taken[:-1]
            modem.incoming.taken.clear()
            modem.commands.clear()

    def _receive(self, agent: Agent) -> None:
        self._dice.choice(self._lab.modems).deliver(
            f"+3620{self._dice.randrange(10**7):07d}", f"in {self._dice.random()}")
        agent.call("list_sms", limit=20)
        self.requests += 1

    def _session(self, _: Agent) -> None:
        with self._lab.client() as client:
            client.initialize()
            client.call("tools/list")
            client.request("DELETE", "/mcp", headers=client.headers)
        self.requests += 4

    def _stream(self, _: Agent) -> None:
        session = LegacySession(self._lab.gateway)
        with session.listen() as events:
            events.wait_comment()
        with self._lab.client() as client:
            headers = {name.replace("_", "-"): value
                       for name, value in session.headers.items()}
            client.request("DELETE", "/mcp", headers=headers)
        self.requests += 3

    def _churn(self, _: Agent) -> None:
        with ExitStack() as clients:
            for _ in range(CHURN):
                wire = clients.enter_context(Wire(self._lab.gateway.port))
                wire.send(READS[0][:self._dice.randrange(1, len(READS[0]))])
        self.requests += CHURN


def line(name: str, sample: Sample, requests: int) -> str:
    return (f"{name:24}{requests:>12,} requests{sample.private_dirty_kib:>8,} KiB private dirty"
            f"{sample.rss_kib:>8,} KiB RSS{sample.descriptors:>6} descriptors"
            f"{sample.threads:>4} thread")


def quarters(samples: list[Sample]) -> tuple[list[Sample], list[Sample]]:
    quarter = len(samples) // 4
    return samples[2 * quarter:3 * quarter], samples[3 * quarter:]


def middle(samples: list[Sample], what: str) -> float:
    return statistics.median(getattr(sample, what) for sample in samples)


def run(lab: Lab, seconds: float) -> dict[str, Any]:
    Agent(lab).wait_states(*["ready"] * len(lab.modems), timeout=30)
    begin = time.monotonic()
    soak = Soak(lab)
    idle = soak.descriptors_idle()
    soak.open()
    first = soak.read_until(FIRST)
    print(line("after the first", first, soak.requests), flush=True)
    last = soak.read_until(LAST)
    print(line("after reading", last, soak.requests), flush=True)
    soak.close()
    left = max(LIFE_LEAST_S, seconds / 4, seconds - (time.monotonic() - begin))
    early, late = quarters(soak.live(left))
    end = soak.samples[-1]
    print(line("after everything", end, soak.requests), flush=True)
    return {
        "requests": soak.requests, "seconds": round(time.monotonic() - begin),
        "growth, reading, KiB": last.private_dirty_kib - first.private_dirty_kib,
        "growth, everything, KiB": middle(late, "private_dirty_kib")
        - middle(early, "private_dirty_kib"),
        "growth, descriptors": soak.descriptors_idle() - idle,
        "threads": max(sample.threads for sample in soak.samples),
        "samples": [vars(sample) for sample in soak.samples[::max(1, len(soak.samples) // 300)]],
    }


def verdict(report: dict[str, Any]) -> list[str]:
    limits = {"growth, reading, KiB": GROWTH_KIB, "growth, everything, KiB": LIFE_GROWTH_KIB,
              "growth, descriptors": 0, "threads": 1}
    return [f"{name}: {report[name]:g}, not at most {most}"
            for name, most in limits.items() if report[name] > most]


def main() -> int:
    parser = argparse.ArgumentParser(
        description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--build", type=Path, default=Path("build"), help="where make built")
    parser.parse_args()
    end_when_told("soak")
    lab = Lab(modem_count=2, gateway=True, plugin=PLUGIN)
    lab.gateway.config = CONFIG
    with lab:
        report = run(lab, setting("TIME", 600))
    complaints = verdict(report)
    report["machine"] = (f"{platform.system()} {platform.release()}, {os.cpu_count()} CPUs, "
                         f"load {os.getloadavg()[0]:.1f}")
    Path(os.environ.get("SOAK_JSON", BUILD / "soak.json")).write_text(
        json.dumps(report | {"complaints": complaints}, indent=1) + "\n")
    print(f"growth while reading {report['growth, reading, KiB']} KiB (goal: {GROWTH_KIB}), "
          f"with everything {report['growth, everything, KiB']:g} KiB, "
          f"descriptors {report['growth, descriptors']:+g}")
    print(*complaints, sep="\n", end="\n" if complaints else "")
    print(f"soak: {len(complaints)} complaints, {report['requests']:,} requests in "
          f"{report['seconds']:,} seconds, {report['machine']}")
    return 1 if complaints else 0


if __name__ == "__main__":
    sys.exit(main())
