#!/usr/bin/python3
# SPDX-License-Identifier: GPL-2.0-or-later
"""A whole gateway under load while everything around it breaks, and an account at the end.

    make torture [TORTURE_SECONDS=240] [TORTURE_SEED=N]

First with the plugin in ofonod, then without it; each part begins with a calm time as its
reference. doc/reliability.md explains the rows. Exits with 0 if nothing was lost, doubled or
untrue. The seed decides what breaks and when, and what clients do; which call meets which blow
still depends on the machine.
"""

from __future__ import annotations

import argparse
import json
import os
import platform
import random
import resource
import subprocess
import sys
import time
from collections import Counter
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import Any

for folder in ("..", "../integration"):
    sys.path.insert(0, str(Path(__file__).resolve().parent / folder))

BUILD = Path(sys.argv[sys.argv.index("--build") + 1] if "--build" in sys.argv
             else "build").resolve()
os.environ.setdefault("GATEWAY_BINARY", str(BUILD / "ofono-mcp"))

from agent import Agent
from blows import BLOWS, draw
from books import FINAL, Air, Incoming, Outgoing, Promise, Row, Span
from journal import Journal
from lab import wait_until
from load import Load
from meter import Meter, measure
from report import lines
from setting import end_when_told, setting
from world import World

CROWD = Path(__file__).with_name("crowd.py")
CALM_SHARE, PLUGIN_SHARE = 0.15, 0.7
SETTLE_S = 60
RATE = 8.0                  # messages a second, each way
MODEMS = 4
LATENCY_S = 0.03            # of a modem, for each message
NO_SPOOL = "disk read-only at a start"   # a full disk is no excuse: the plugin keeps a reserve
DESCRIPTORS_MORE = 4        # at the end, beyond those of the calm gateway
BETWEEN_S = (0.3, 1.5)      # from one blow to the next
TRUCE_S, TRUCES = 6.0, 0.12 # sometimes longer: only the crowd is at work


@contextmanager
def crowd(port: int, seed: int, seconds: float) -> Iterator[list[dict[str, Any]]]:
    said: list[dict[str, Any]] = []
    with subprocess.Popen(
            [sys.executable, "-B", str(CROWD), str(port), str(seed), str(seconds)],
            stdout=subprocess.PIPE, stdin=subprocess.DEVNULL) as child:
        try:
            yield said
            output, _ = child.communicate(timeout=seconds + SETTLE_S)
        except BaseException:
            child.kill()
            raise
    if child.returncode != 0:
        raise AssertionError(f"the crowd ended with {child.returncode}")
    said.append(json.loads(output))


class Part:
    """One world from its first calm second to its account."""

    def __init__(self, plugin: bool, seconds: float, seed: int) -> None:
        self._plugin, self._seconds, self._seed = plugin, seconds, seed
        self._dice = random.Random(f"{seed} blows")
        self.blows: Counter[str] = Counter()
        self.record: dict[str, Any] = {"plugin": plugin}

    def run(self) -> dict[str, Any]:
        with World(self._plugin, MODEMS) as world:
            for modem in world.lab.modems:
                modem.send_latency_s = LATENCY_S
            load = Load(world.lab, self._seed, RATE, self._plugin)
            with Meter(lambda: world.lab.gateway.pid) as meter:
                with load.running():
                    self._calm()
                    calm_descriptors = measure(world.lab.gateway.pid).descriptors
                    self._storm_begin = time.monotonic()
                    self._storm(world)
                self._settle(world, load)
                self._account(world, load, meter, calm_descriptors)
        return self.record

    def _calm(self) -> None:
        time.sleep(self._seconds * CALM_SHARE)

    def _storm(self, world: World) -> None:
        seconds = self._seconds * (1 - CALM_SHARE)
        end = time.monotonic() + seconds
        with crowd(world.lab.gateway.port, self._seed, seconds) as said:
            while time.monotonic() < end:
                for blow in draw(self._dice, self._plugin):
                    if time.monotonic() >= end:
                        break
                    with world.outage(blow.name):
                        blow.strike(world, self._dice)
                    self.blows[blow.name] += 1
                    world.check_alive()
                    truce = self._dice.random() < TRUCES
                    time.sleep(TRUCE_S if truce else self._dice.uniform(*BETWEEN_S))
        [self.record["crowd"]] = said

    def _settle(self, world: World, load: Load) -> None:
        """Nothing breaks any more: everything can finish."""
        lab = world.lab
        Agent(lab).wait_states(*["ready"] * len(lab.modems), timeout=SETTLE_S)
        wait_until(lambda: all(modem.all_delivered for modem in lab.modems), SETTLE_S,
                   "ofonod has acknowledged all")
        journal = Journal(lab)
        try:
            wait_until(lambda: all(message.state in FINAL | {"received"}
                                   for message in journal.messages()), SETTLE_S, "all ends")
        except AssertionError:
            pass                        # the account names what has not finished
        load.end_hearing()
        world.check_alive()
        world.end_watch()

    # ---- the account

    def _account(self, world: World, load: Load, meter: Meter, calm_descriptors: int) -> None:
        out, incoming = self._judge(world, load)
        waits = self._waits(world, load)
        wait_until(lambda: measure(world.lab.gateway.pid).descriptors
                   <= calm_descriptors + DESCRIPTORS_MORE, 15, "descriptors are as before")
        last = measure(world.lab.gateway.pid)
        own = [sample for sample in meter.samples if sample.pid == last.pid]
        complaints = out.complaints + incoming.complaints + load.failures
        complaints += [f"died: {death}" for death in world.deaths]
        complaints += [f"hostile: {wrong}" for wrong in self.record["crowd"]["wrong"]]
        complaints += [f"status {status}: {count}" for status, count in load.statuses.items()
                       if status.startswith("500")]
        self.record |= {
            "blows": self.blows, "starts": world.starts, "outgoing": out.counts,
            "unknown": out.unknown, "incoming": incoming.counts, "waits": waits,
            "statuses": load.statuses, "unanswered": load.unanswered,
            "reports": load.reported, "events": load.events,
            "memory": {
                "private dirty, most": max(s.private_dirty_kib for s in meter.samples),
                "private dirty, last": last.private_dirty_kib,
                "descriptors, calm": calm_descriptors,
                "descriptors, most": max(s.descriptors for s in meter.samples),
                "descriptors, last": last.descriptors, "threads": last.threads},
            "outages": [vars(outage) for outage in world.outages],
            "samples": meter.record(), "last life": len(own), "complaints": complaints}

    def _judge(self, world: World, load: Load) -> tuple[Any, Any]:
        messages = Journal(world.lab).ledger.rows(
            "SELECT id, direction, text, state, reason FROM message ORDER BY id")
        states = ("", "queued", "submitting", "submitted", "held", "sent", "failed", "cancelled",
                  "unknown", "received", "scheduled", "waiting_approval", "delivered",
                  "expired")
        rows = {direction: [Row(row["id"], row["text"], states[row["state"]], row["reason"])
                            for row in messages if row["direction"] == direction]
                for direction in (0, 1)}
        ends = {blow.name for blow in BLOWS if blow.ends_ofono}
        out = Outgoing(
            [Promise(s.text, s.accepted, s.told, s.message_id) for s in load.sendings],
            rows[0], [Air(submit.text, submit.when) for submit in world.taken],
            world.handed_over,
            [Span(o.begin, o.end) for o in world.outages if o.name in ends]).judge()
        gaps = [Span(gap["from_at"], gap["until_at"] or time.time() * 1000)
                for gap in Journal(world.lab).ledger.gaps]
        deaf = [Span(o.begin_ms, o.end_ms) for o in world.outages if o.name == NO_SPOOL]
        first = min((row.id for row in rows[1] if row.text in load.heard), default=0)
        incoming = Incoming(
            {load.delivered[delivery.tpdu]: at_ms for modem in world.lab.modems
             for delivery, at_ms in modem.incoming.taken if delivery.tpdu in load.delivered},
            rows[1], gaps, deaf, load.heard, first, self._plugin).judge()
        return out, incoming

    def _waits(self, world: World, load: Load) -> dict[str, float]:
        """Response times of a healthy client, in ms, while a gateway runs."""
        def outside(begin: float, seconds: float) -> bool:
            return not any(o.begin <= begin + seconds and begin <= o.end + 0.5
                           for o in world.outages)
        calm = sorted(s for b, s in load.waits if b + s < self._storm_begin)
        storm = sorted(s for b, s in load.waits if b >= self._storm_begin and outside(b, s))
        any_time = sorted(s for b, s in load.waits if b >= self._storm_begin)
        figures = {}
        for name, waits in (("calm", calm), ("storm", storm), ("any", any_time)):
            if waits:
                figures |= {f"{name} p50": waits[len(waits) // 2] * 1e3,
                            f"{name} longest": waits[-1] * 1e3, f"{name} count": len(waits)}
        return figures


def main() -> int:
    parser = argparse.ArgumentParser(
        description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--build", type=Path, default=Path("build"), help="where make built")
    parser.parse_args()
    seconds = setting("TORTURE_SECONDS", 240)
    seed = setting("TORTURE_SEED", random.randrange(1, 1_000_000))
    end_when_told("torture")
    _, hard = resource.getrlimit(resource.RLIMIT_NOFILE)
    resource.setrlimit(resource.RLIMIT_NOFILE, (min(8192, hard), hard))
    print(f"torture: {seconds} seconds, TORTURE_SEED={seed}", flush=True)
    report: dict[str, Any] = {
        "seconds": seconds, "seed": seed,
        "machine": f"{platform.system()} {platform.release()}, {os.cpu_count()} CPUs, "
                   f"load {os.getloadavg()[0]:.1f} before",
        "parts": [Part(plugin, seconds * share, seed).run()
                  for plugin, share in ((True, PLUGIN_SHARE), (False, 1 - PLUGIN_SHARE))]}
    report["complaints"] = [f"{'with' if part['plugin'] else 'without'} the plugin: {what}"
                            for part in report["parts"] for what in part["complaints"]]
    file = Path(os.environ.get("TORTURE_JSON", BUILD / "torture.json"))
    file.write_text(json.dumps(report, indent=1) + "\n")
    print(*lines(report), sep="\n")
    return 1 if report["complaints"] else 0


if __name__ == "__main__":
    sys.exit(main())
