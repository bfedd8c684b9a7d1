# SPDX-License-Identifier: GPL-2.0-or-later
"""/metrics: who may read it, that Prometheus can, and that the figures are true."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path

import pytest
from prometheus_client.parser import text_string_to_metric_families

from agent import TO, Agent, assert_sent
from approving import new_agent
from lab import Lab, wait_until
from lab.gateway import Gateway
from lone_gateway import LoneGateway
from modem import Outcome
from owner import Owner
from phone import PHONE, Phone
from wire import Reply, Wire, request

TYPE = "text/plain; version=0.0.4; charset=utf-8"
Samples = dict[tuple[str, tuple[tuple[str, str], ...]], float]


def ask(wire: Wire, token: str | None = None, path: str = "/metrics",
        method: str = "GET") -> Reply:
    wire.send(request(method=method, path=path, headers={
        "Content-Type": None, "Authorization": token and f"Bearer {token}"}))
    return wire.receive(head_only=method == "HEAD")


def parse(reply: Reply) -> Samples:
    """As Prometheus' own parser reads it."""
    assert (reply.status, reply.header("content-type")) == (200, TYPE), reply
    assert reply.body.endswith(b"\n")
    families = list(text_string_to_metric_families(reply.body.decode()))
    names = [family.name for family in families]
    assert len(names) == len(set(names))
    assert all(family.documentation for family in families)
    assert {family.type for family in families} == {"counter", "gauge"}
    samples = [one for family in families for one in family.samples]
    found = {(one.name, tuple(sorted(one.labels.items()))): one.value for one in samples}
    assert len(found) == len(samples)
    return found


def value_of(samples: Samples, name: str, **labels: object) -> float:
    words = {key: str(word) for key, word in labels.items()}
    return samples[f"ofono_mcp_{name}", tuple(sorted(words.items()))]


def scrape(gateway: Gateway, token: str | None = None) -> Samples:
    with Wire(gateway.port) as wire:
        return parse(ask(wire, token))


def value(gateway: Gateway, name: str, **labels: object) -> float:
    return value_of(scrape(gateway), name, **labels)


def new_token(gateway: Gateway, name: str, scopes: str) -> str:
    return Owner(gateway.state).json("pair", name, "--scope", scopes)["token"]


# ---- who may read it

def test_metrics_need_the_metrics_scope(guarded: LoneGateway) -> None:
    with guarded.wire() as wire:
        assert ask(wire).status == 401
        assert ask(wire, "0" * 64).status == 401
        agent = new_token(guarded, "agent", "read,send,codes,ussd,admin")
        refused = ask(wire, agent)
        assert refused.status == 403
        assert b"ofono_mcp_" not in refused.body
        assert refused.header("www-authenticate") == (
            'Bearer realm="ofono-mcp", error="insufficient_scope", scope="metrics"')
        assert parse(ask(wire, new_token(guarded, "prometheus", "metrics")))


@pytest.mark.parametrize("header,value,status", [
    ("Host", "evil.test", 421), ("Origin", "http://evil.test", 403)])
def test_foreign_hosts_and_origins_are_refused(header: str, value: str, status: int) -> None:
    with (LoneGateway(open=False, metrics_on_loopback="yes") as gateway,
          gateway.wire() as wire):
        assert parse(ask(wire))
        reply = wire.ask(request(method="GET", path="/metrics", headers={header: value}))
        assert reply.status == status
        assert b"ofono_mcp_" not in reply.body


def test_only_loopback_reads_metrics_without_a_token(phone: Phone) -> None:
    with phone.serving("127.0.0.1", PHONE, metrics_on_loopback="yes") as gateway:
        token = new_token(gateway, "prometheus", "metrics")
        wait_until(lambda: not phone.is_refused("laptop", PHONE), what="it is open")
        with phone.wire("laptop", PHONE) as wire:
            assert ask(wire).status == 401
            assert parse(ask(wire, token))
        with phone.wire("phone", PHONE) as wire:        # from the phone, by its network address
            assert ask(wire).status == 401
        with phone.wire("phone", "127.0.0.1") as wire:
            assert parse(ask(wire))


def test_a_reload_ends_tokenless_loopback_access() -> None:
    with LoneGateway(open=False, metrics_on_loopback="yes") as gateway:
        scrape(gateway)
        (gateway.folder / "gateway.conf").write_text("[server]\n")
        Owner(gateway.state).do("reload")
        with gateway.wire() as wire:
            assert ask(wire).status == 401


# ---- hostile

@pytest.fixture(scope="module")
def open_gateway() -> Iterator[LoneGateway]:
    with LoneGateway() as gateway:
        yield gateway


def test_only_get_and_head_on_the_metrics_path_are_served(open_gateway: LoneGateway) -> None:
    with open_gateway.wire() as wire:
        head = ask(wire, method="HEAD")
        assert (head.status, head.header("content-type")) == (200, TYPE)
        for method in ("POST", "PUT", "DELETE"):
            refused = ask(wire, method=method)
            assert refused.names("allow") == {"GET", "HEAD", "OPTIONS"}
        for path in ("/metrics/", "/metrics?name[]=up"):
            assert parse(ask(wire, path=path))
        for path in ("/metrics/x", "/metrics//", "/metricss", "/METRICS"):
            assert ask(wire, path=path).status == 404


def test_many_scrapes_at_once_cost_no_commits(make_lab: Callable[..., Lab]) -> None:
    """None of them costs a commit; the audit makes a few of its own."""
    lab = make_lab(modem_count=1, policy="[policy]\nper_hour = 60\n")
    before = scrape(lab.gateway)
    with ThreadPoolExecutor(16) as pool:
        found = list(pool.map(lambda _: scrape(lab.gateway), range(200)))
    assert all(one.keys() >= before.keys() for one in found)
    commits = "ledger_commits_total"
    assert value(lab.gateway, commits) - value_of(before, commits) < len(found) / 10


# ---- what it tells

def test_messages_are_counted_by_state(make_lab: Callable[..., Lab]) -> None:
    lab = make_lab(modem_count=1, policy="[policy]\nsim_per_hour = 60\n")
    agent, gateway = Agent(lab), lab.gateway
    sim = agent.sims()[0]["subscription_id"]

    def became(state: str) -> float:
        return value(gateway, "messages_became_total", sim=sim, state=state)

    assert value(gateway, "messages_accepted_total", sim=sim) == 0
    assert became("sent") == 0
    refused = value(gateway, "refusals_total", code="invalid_number")
    assert_sent(agent.send("one"))
    assert_sent(agent.send("two"))
    assert value(gateway, "messages_accepted_total", sim=sim) == 2
    assert (became("submitting"), became("submitted"), became("sent")) == (2, 2, 2)
    lab.modems[0].plan(Outcome.cms(38))
    agent.send("three")
    assert (became("failed"), became("sent")) == (1, 2)
    assert agent.call("send_sms", to_phone_number="112", sms_text="x").is_error
    assert value(gateway, "refusals_total", code="emergency_number_blocked") == 1
    assert value(gateway, "refusals_total", code="invalid_number") == refused
    lab.modems[0].deliver("+36201234567", "hello")
    wait_until(lambda: value(gateway, "messages_received_total", sim=sim) == 1,
               what="it came in")
    assert value(gateway, "limit", sim=sim, per="hour") == 60


def test_the_state_of_the_phone_is_measured(make_lab: Callable[..., Lab]) -> None:
    lab = make_lab(modem_count=1)
    gateway, sim = lab.gateway, Agent(lab).sims()[0]["subscription_id"]
    assert value(gateway, "ready") == value(gateway, "sim_ready", sim=sim) == 1
    assert value(gateway, "modems") == value(gateway, "modems_online") == 1
    assert value(gateway, "sims", state="ready") == 1
    assert 0 < value(gateway, "sim_signal_ratio", sim=sim) <= 1
    offline_s = value(gateway, "offline_seconds_total")
    lab.ofonod.stop()
    wait_until(lambda: value(gateway, "not_ready", reason="ofono_unavailable") == 1,
               what="it knows")
    assert value(gateway, "ready") == value(gateway, "modems") == 0
    wait_until(lambda: value(gateway, "offline_seconds_total") > offline_s, what="it counts")
    Owner(gateway.state).do("pause")
    assert value(gateway, "not_ready", reason="paused") == 1


def test_waiting_approvals_are_counted(make_lab: Callable[..., Lab]) -> None:
    lab = make_lab("[server]\nmetrics_on_loopback = yes\n", modem_count=1,
                   gateway_open=False)
    waiting = new_agent(lab).send("may I?", wait_for="none")
    assert value(lab.gateway, "approvals_waiting") == 1
    assert value(lab.gateway, "queue_messages") == 1
    Owner(lab.gateway.state).do("reject", waiting.structured["message_id"])
    assert value(lab.gateway, "approvals_waiting") == 0


def test_connections_responses_and_resources_are_measured(open_gateway: LoneGateway) -> None:
    gateway = open_gateway
    opened = value(gateway, "http_connections_total")
    answered = value(gateway, "http_responses_total", code=200)
    with gateway.wire() as wire:
        assert ask(wire, path="/nothing").status == 404
        found = parse(ask(wire))
    assert value_of(found, "http_connections_total") == opened + 2
    assert value_of(found, "http_connections_open") >= 1
    assert value_of(found, "http_responses_total", code=200) >= answered + 1
    assert value_of(found, "http_responses_total", code=404) >= 1
    assert value_of(found, "ledger_size_bytes") >= 4096
    assert value_of(found, "storage_free_bytes") > 0
    statm = Path(f"/proc/{gateway.pid}/statm").read_text().split()
    assert found["process_virtual_memory_bytes", ()] >= int(statm[0]) * 4096 / 2
    fds = len(list(Path(f"/proc/{gateway.pid}/fd").iterdir()))
    assert abs(found["process_open_fds", ()] - fds) <= 4        # a connection has three


def test_metrics_contain_nothing_private(make_lab: Callable[..., Lab]) -> None:
    lab = make_lab(modem_count=1)
    assert_sent(Agent(lab).send("a secret text"))
    lab.modems[0].deliver("+36209876543", "another one")
    with Wire(lab.gateway.port) as wire:
        text = ask(wire).body.decode()
    card = lab.modems[0].sim
    for private in (TO[-6:], "9876543", "secret", "another", card.iccid, card.imsi,
                    card.spn, lab.modems[0].operator_name):
        assert private not in text
