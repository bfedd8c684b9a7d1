# SPDX-License-Identifier: GPL-2.0-or-later
"""Kills the gateway at every boundary of a scenario, by number, and judges what it left.

CRASH_MATRIX=all kills every recovery at each of its boundaries as well; otherwise only some of
them, drawn with CRASH_SEED. CRASH_MATRIX=short also draws a sample of the boundaries.
"""

from __future__ import annotations

import functools
import itertools
import os
import random
from collections import Counter
from collections.abc import Callable, Iterator, Sequence
from concurrent.futures import ThreadPoolExecutor
from contextlib import ExitStack, contextmanager
from dataclasses import dataclass, field

import feed
from agent import Agent
from approving import new_client
from crash_cells import DOUBLED, LOST_MESSAGE, UNTRUE, Cell, Evidence, Killed
from fault_plan import FaultPlan, faulty_binary
from journal import Journal
from lab import Lab, wait_until
from lab.ofonod import PLUGIN
from lab.seed import seed
from lab.signals import Signals
from ledger import Ledger
from mcp_events import EventClient
from stream import LOST
from wire import Closed

SLACK = 4           # signals that a count may have missed
SHORT = 5           # one in this many boundaries


@dataclass
class Tally:
    kills: int = 0
    cells: int = 0
    boundaries: set[str] = field(default_factory=set)
    wrong: Counter[str] = field(default_factory=Counter)

    def counts(self) -> list[tuple[str, int]]:
        return [("kills", self.kills), ("cells", self.cells),
                ("boundaries", len(self.boundaries)),
                *((kind, self.wrong[kind]) for kind in (LOST_MESSAGE, DOUBLED, UNTRUE))]


@dataclass
class Place:
    """A cell, and where its gateway was killed."""

    cell: Cell
    kills: list[str] = field(default_factory=list)


class Matrix:
    """One lab for all cells of a scenario; between them only the gateway restarts."""

    def __init__(self, scenario: type[Cell]) -> None:
        self._scenario = scenario
        self.tally = Tally()
        self._places: list[Place] = []
        self.seed = seed("CRASH_SEED")
        self._dice = random.Random(self.seed)
        self.complaints: list[str] = []

    @contextmanager
    def opened(self) -> Iterator[None]:
        with ExitStack() as undo:
            lab = Lab(modem_count=1, gateway=True, gateway_open=not self._scenario.needs_yes,
                      plugin=PLUGIN if self._scenario.with_plugin else None)
            lab.gateway.config += self._scenario.config
            lab.gateway.policy = self._scenario.policy or lab.gateway.policy
            self._plan = FaultPlan(lab.folder / "faults", lab.gateway)
            lab.gateway.binary = faulty_binary()
            lab.gateway.environment = self._plan.environment
            self._lab = undo.enter_context(lab)
            self._pool = undo.enter_context(ThreadPoolExecutor(4))
            self._handovers: Signals = undo.enter_context(lab.handovers())
            if self._scenario.needs_yes:
                lab.token = new_client(lab)
            Agent(lab).wait_states("ready", timeout=10)
            self._follower = feed.Follower(EventClient(lab.gateway, lab.token))
            try:
                yield
                self._judge()
            except BaseException:
                print(lab.gateway.is_running, lab.gateway.log)
                raise

    def kill_everywhere(self) -> None:
        passed = self._count()
        recovered = self._count_recovery(passed // 2)
        numbers: Sequence[int] = range(1, passed + SLACK + 1)
        recoveries = list(itertools.product(numbers, range(1, recovered + SLACK + 1)))
        extent = os.environ.get("CRASH_MATRIX")
        if extent == "short":
            numbers = sorted(self._dice.sample(numbers, len(numbers) // SHORT))
            recoveries = self._dice.sample(recoveries, 1)
        elif extent != "all":
            recoveries = self._dice.sample(recoveries, len(numbers) // 4)
        for number in numbers:
            self._kill(number)
        for pair in recoveries:
            self._kill(*pair)

    # ---- cells

    def _count(self) -> int:
        """Counts the passes of an undisturbed run."""
        cell = self._new_cell()
        cell.prepare()
        self._plan.arm()
        cell.act()
        cell.note_kill()
        passed = self._plan.passed
        self._finish(cell)
        return passed

    def _count_recovery(self, kill_at: int) -> int:
        self._kill(kill_at)
        return self._plan.passed

    def _kill(self, *kill_at: int) -> None:
        """Kills at this pass, and then at those of the recoveries that follow."""
        cell = self._new_cell()
        cell.prepare()
        run = cell.act
        for number in kill_at:
            self._plan.arm(number)
            self._run_until_killed(run)
            self._note_kill(cell)
            run = functools.partial(self._recover, cell)
        self._plan.arm()
        self._recover(cell)

    def _new_cell(self) -> Cell:
        number = len(self._places) + 1
        cell = self._scenario(self._lab, number, self._pool)
        self._places.append(Place(cell))
        return cell

    def _run_until_killed(self, run: Callable[[], None]) -> None:
        """A run that ends undisturbed is killed while the gateway answers another request."""
        gateway = self._lab.gateway
        try:
            run()
            while gateway.is_running:
                with self._lab.client() as client:
                    client.call("ping")
        except (Killed, Closed, *LOST):
            wait_until(lambda: not gateway.is_running, what="the gateway is dead")
        except AssertionError:
            if gateway.is_running:
                raise

    def _recover(self, cell: Cell) -> None:
        self._lab.gateway.start()
        self._finish(cell)

    def _note_kill(self, cell: Cell) -> None:
        cell.note_kill()
        self._places[-1].kills.append(where := self._plan.boundaries[-1])
        self.tally.kills += 1
        self.tally.boundaries.add(f"{cell.name()} {self._plan.passed} {where}")

    def _finish(self, cell: Cell) -> None:
        cell.settle()
        cell.wait("it is settled", cell.is_settled)
        cell.wait_ready()
        self._follower.poll()

    # ---- judgement, when nothing can come any more

    def _judge(self) -> None:
        self._handovers.settle()
        evidence = Evidence(
            (call.arguments[1] for call in self._handovers.seen("SendMessage")),
            (submit.text for submit in self._lab.modems[0].taken),
            Journal(self._lab).messages())
        ledger = Ledger(self._lab)
        self._follower.poll()
        for what in (*feed.complaints(ledger), *self._follower.complaints(ledger)):
            self.complaints.append(f"feed: {what}")
        for place in self._places:
            print(place.cell.text, *place.kills, sep=", ")     # printed if a test fails
            self.tally.cells += 1
            for kind, what in place.cell.complaints(evidence):
                self.tally.wrong[kind] += 1
                self.complaints.append(f"{place.cell.text}, killed {place.kills}: "
                                       f"{kind}: {what}")
