# SPDX-License-Identifier: GPL-2.0-or-later
"""Kills the gateway again and again while agents send, with the real ofonod, and counts.

    tests/as-root /usr/bin/python3 tests/torture/kills.py [--kills 250] [--plugin no|yes|both]

Every message has an idempotency_key, and its call is repeated until it is answered.
"""

from __future__ import annotations

import argparse
import itertools
import random
import sys
import threading
from collections import Counter
from pathlib import Path

sys.path.insert(0, str(Path(__file__).resolve().parents[1]))
sys.path.insert(0, str(Path(__file__).resolve().parents[1] / "integration"))

from agent import Agent
from conftest import new_lab, wait_until_known
from lab import Lab, wait_until
from lab.ofonod import PLUGIN
from ledger import Ledger

AGENTS = 4
WORKS_S = 0.25      # between the start of a gateway and its end, at most
LATENCY_S = 0.01    # of the modem
STATES = {5: "sent", 8: "unknown", 12: "delivered"}
FINAL = "(5, 6, 7, 8, 12, 13)"


class Sender(threading.Thread):
    def __init__(self, lab: Lab, name: str, end: threading.Event) -> None:
        super().__init__(daemon=True)
        self._lab, self._name, self._end = lab, name, end
        self.accepted: list[str] = []

    def run(self) -> None:
        for number in itertools.count():
            if self._end.is_set():
                return
            self._send(f"{self._name} {number}")

    def _send(self, text: str) -> None:
        while True:
            try:
                answer = Agent(self._lab).send(text, idempotency_key=text, wait_for="none")
            except Exception:           # the gateway is dead: the same again
                self._end.wait(0.01)
                continue
            if not answer.is_error:
                self.accepted.append(text)
                return
            self._end.wait(0.05)        # it has just started: no SIM yet


def count(kills: int, with_plugin: bool, seed: int) -> Counter[str]:
    dice = random.Random(seed)
    with new_lab(modem_count=1, plugin=PLUGIN if with_plugin else None) as lab:
        wait_until_known(lab, True)
        lab.modems[0].send_latency_s = LATENCY_S
        end = threading.Event()
        senders = [Sender(lab, f"agent {number}", end) for number in range(AGENTS)]
        for sender in senders:
            sender.start()
        for _ in range(kills):
            end.wait(dice.uniform(0.05, WORKS_S))
            lab.gateway.kill()
            lab.gateway.start()
        end.set()
        for sender in senders:
            sender.join()
        store = Ledger(lab)
        wait_until(lambda: not store.rows("SELECT 1 FROM message WHERE direction = 0"
                                          f" AND state NOT IN {FINAL}"), 120, "all is settled")
        return judge(store, lab, [text for sender in senders for text in sender.accepted])


def judge(store: Ledger, lab: Lab, accepted: list[str]) -> Counter[str]:
    taken = Counter(submit.text for submit in lab.modems[0].taken)
    states = {row["text"]: STATES.get(row["state"], "other")
              for row in store.rows("SELECT * FROM message WHERE direction = 0")}
    found = Counter(messages=len(accepted))
    for text in accepted:
        state = states.get(text)
        found["lost"] += state is None or (state == "sent" and not taken[text])
        found["doubled"] += taken[text] > 1
        found["unknown"] += state == "unknown"
        found["unknown, went out"] += state == "unknown" and taken[text] > 0
        found["other"] += state == "other"
    found["rows beyond"] = len(store.rows("SELECT 1 FROM message WHERE direction = 0")) - len(
        accepted)
    return found


COUNTS = ("messages", "lost", "doubled", "unknown", "unknown, went out", "other",
          "rows beyond")


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--kills", type=int, default=250)
    parser.add_argument("--plugin", choices=("no", "yes", "both"), default="both")
    parser.add_argument("--seed", type=int, default=random.randrange(1_000_000))
    given = parser.parse_args()
    print(f"kills {given.kills}, seed {given.seed}")
    for with_plugin in (False, True):
        if given.plugin in ("both", ("no", "yes")[with_plugin]):
            found = count(given.kills, with_plugin, given.seed)
            print(f"{'with' if with_plugin else 'without'} the plugin:",
                  ", ".join(f"{name} {found[name]}" for name in COUNTS), flush=True)


if __name__ == "__main__":
    main()
