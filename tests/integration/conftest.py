# SPDX-License-Identifier: GPL-2.0-or-later
"""Fixtures: a lab that the tests of a module share, labs of a test's own, agents.

`lab` is shared: two modems, two SIM cards, the gateway with --open. A test must undo whatever
it does to the lab. If the lab is not as it was when a test ends, that test fails and the next
one gets a new lab. A test that breaks more makes its own lab with `make_lab`. LAB = {...} in a
module holds options of new_lab() for both kinds.

`gateway` is shared too: a gateway without a bus; SERVER = {...} is its section [server].

TRANSPORTS = ["http", "https"] in a module runs its tests over both.
"""

from __future__ import annotations

import itertools
import sys
import tempfile
from collections.abc import Callable, Iterator
from concurrent.futures import ThreadPoolExecutor
from contextlib import ExitStack
from pathlib import Path
from typing import Any

import pytest

sys.path.insert(0, str(Path(__file__).resolve().parents[1]))    # packages lab and modem

from agent import Agent
from journal import Journal
from lab import Lab, McpClient, wait_until
from lab.expected import expect
from lone_gateway import LoneGateway
from modem import HOME, Modem, Outcome, Sim
from phone import Phone, new_phone
from systemd import Systemd
from webhooks import Receiver

NUMBERS = (f"+3620{i:07d}" for i in itertools.count(1))


def pytest_make_parametrize_id(
        config: pytest.Config, val: object, argname: str) -> str | None:
    """Keeps long texts out of the names of tests."""
    if isinstance(val, str) and len(val) > 40:
        return f"{ascii(val[:10])}+{len(val) - 10}"
    return None


@pytest.hookimpl(tryfirst=True)
def pytest_collection_modifyitems(items: list[pytest.Item]) -> None:
    """Tests of a module share a lab, and so a process; those of the crash matrix do not."""
    expect(items)
    for item in items:
        if (module := item.nodeid.split("::")[0]) != "tests/integration/test_crash_matrix.py":
            item.add_marker(pytest.mark.xdist_group(module))


def new_lab(config: str = "", notices_repeats: bool = False,
            policy: str | None = None, **options: object) -> Lab:
    """Returns a lab that is not yet entered; `config` is added to the gateway's configuration.

    With `notices_repeats`, the same text received again is not a new message. `policy`
    replaces the default, which lifts all limits.
    """
    lab = Lab(gateway=True, **options)
    lab.gateway.config = config if notices_repeats else lab.gateway.config + config
    if policy is not None:
        lab.gateway.policy = policy
    return lab


def wait_until_known(lab: Lab, powered: bool) -> None:
    """Waits until the gateway knows every modem and SIM of the lab."""
    agent = Agent(lab)
    wait_until(lambda: agent.send("nobody", sim=999_999).code == "subscription_unknown",
               what="the gateway knows oFono")
    cards = [modem.sim for modem in lab.modems if modem.sim and powered]
    imsis = [card.imsi for card in cards]
    states = {card.iccid: "duplicate" if imsis.count(card.imsi) > 1
              else "locked" if card.pin else "ready" for card in cards}
    agent.wait_states(*states.values(), timeout=10)


class SharedLab:
    """Made on first use, and again after discard()."""

    def __init__(self, options: dict[str, Any]) -> None:
        self._options = options
        self._exit = ExitStack()
        self._lab: Lab | None = None
        self.cards: list[Sim | None] = []

    def get(self) -> Lab:
        if self._lab is None:
            self._lab = self._exit.enter_context(new_lab(**self._options))
            wait_until_known(self._lab, powered=True)
            self.cards = [modem.sim for modem in self._lab.modems]
        return self._lab

    def discard(self) -> None:
        self._lab = None
        self._exit.close()


def forget_messages(modem: Modem) -> None:
    def clear() -> None:
        modem.outgoing.offered.clear()
        modem.outgoing.taken.clear()
    modem.link.call(clear)


def is_as_before(modem: Modem, card: Sim | None) -> bool:
    return (modem.sim is card and modem.registration_status == HOME
            and modem.send_latency_s == 0 and modem.default_outcome == Outcome.ok()
            and modem.operator_name == card.spn)


def is_normal(lab: Lab, cards: list[Sim | None]) -> bool:
    if not lab.gateway.is_running or not lab.ofonod.is_running:
        return False
    if not all(map(is_as_before, lab.modems, cards)):
        return False
    return Agent(lab).states() == ["ready"] * len(cards)


def pytest_generate_tests(metafunc: pytest.Metafunc) -> None:
    """Runs the tests of a module with TRANSPORTS once over each of them."""
    transports = getattr(metafunc.module, "TRANSPORTS", [])
    if transports and "transport" in metafunc.fixturenames:
        metafunc.parametrize("transport", transports, indirect=True, scope="module")


@pytest.fixture(scope="module")
def transport(request: pytest.FixtureRequest) -> str:
    return getattr(request, "param", "http")


@pytest.fixture(scope="module")
def lab_options(request: pytest.FixtureRequest, transport: str) -> dict[str, Any]:
    return {"tls": transport == "https"} | getattr(request.module, "LAB", {})


@pytest.fixture(scope="module")
def shared_lab(lab_options: dict[str, Any]) -> Iterator[SharedLab]:
    shared = SharedLab(lab_options)
    yield shared
    shared.discard()


@pytest.fixture
def lab(shared_lab: SharedLab) -> Iterator[Lab]:
    lab = shared_lab.get()
    for modem in lab.modems:
        forget_messages(modem)
    yield lab
    try:
        wait_until(lambda: is_normal(lab, shared_lab.cards),
                   what="the world is as it was")
        Journal(lab).wait_finished()
    except BaseException:
        shared_lab.discard()
        raise


@pytest.fixture
def make_lab(lab_options: dict[str, Any]) -> Iterator[Callable[..., Lab]]:
    """make_lab(config="", **options of Lab): a lab for this test alone."""
    with ExitStack() as labs:
        def make(config: str = "", **options: object) -> Lab:
            lab = labs.enter_context(new_lab(config, **lab_options | options))
            if options.get("gateway_open", True):
                wait_until_known(lab, options.get("powered", True))
            return lab
        yield make


@pytest.fixture
def number() -> str:
    """A number that has not been used before."""
    return next(NUMBERS)


@pytest.fixture(scope="module")
def gateway(request: pytest.FixtureRequest, transport: str) -> Iterator[LoneGateway]:
    server = getattr(request.module, "SERVER", {})
    with LoneGateway(tls=transport == "https", **server) as gateway:
        yield gateway


@pytest.fixture(scope="module")
def guarded() -> Iterator[LoneGateway]:
    """A gateway without a bus that asks for tokens."""
    with LoneGateway(open=False) as gateway:
        yield gateway


@pytest.fixture
def receiver() -> Iterator[Receiver]:
    """Of webhooks."""
    with Receiver() as one:
        yield one


@pytest.fixture
def agent(lab: Lab) -> Agent:
    return Agent(lab)


@pytest.fixture
def journal(lab: Lab) -> Journal:
    return Journal(lab)


@pytest.fixture
def client(lab: Lab) -> Iterator[McpClient]:
    """A client over one connection that stays open."""
    with lab.client() as client:
        yield client


@pytest.fixture
def folder() -> Iterator[Path]:
    with tempfile.TemporaryDirectory(prefix="ofono-mcp-") as name:
        yield Path(name)


@pytest.fixture
def phone() -> Iterator[Phone]:
    """A phone in its own network, with a gateway that is not started."""
    with new_phone() as phone:
        yield phone


@pytest.fixture
def systemd(folder: Path, monkeypatch: pytest.MonkeyPatch) -> Iterator[Systemd]:
    """A service manager for every gateway that is started afterwards."""
    with Systemd(folder) as systemd:
        monkeypatch.setenv("NOTIFY_SOCKET", str(systemd.path))
        yield systemd


@pytest.fixture
def background() -> Iterator[ThreadPoolExecutor]:
    """Runs calls that wait: background.submit(agent.send, "text").

    Calls that still wait after a failed test end with their lab.
    """
    pool = ThreadPoolExecutor(max_workers=64)
    yield pool
    pool.shutdown(wait=False, cancel_futures=True)
