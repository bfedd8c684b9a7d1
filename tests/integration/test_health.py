# SPDX-License-Identifier: GPL-2.0-or-later
"""/healthz: whether the gateway is alive, and whether a message could be sent now."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import pytest

from agent import Agent, seconds_ahead
from lab import Lab, wait_until
from lone_gateway import LoneGateway
from owner import Owner
from wire import Reply, Wire, request

PATHS = ["/healthz", "/healthz/live", "/healthz/ready"]


def ask(port: int, path: str, method: str = "GET") -> Reply:
    with Wire(port) as wire:
        wire.send(request(method=method, path=path, headers={"Content-Type": None}))
        return wire.receive(head_only=method == "HEAD")


def reasons(port: int) -> list[str]:
    """Why it is not ready."""
    ready, live = ask(port, "/healthz/ready"), ask(port, "/healthz/live")
    assert (live.status, live.json) == (200, {"status": "ok"})
    names = [one["reason"] for one in ready.json["reasons"]]
    assert ready.json["ready"] is (names == [])
    assert ready.status == (503 if names else 200)
    assert all(one["text"].endswith(".") for one in ready.json["reasons"])
    return names


def wait_reasons(lab: Lab, *names: str) -> None:
    wait_until(lambda: reasons(lab.gateway.port) == list(names), 10, f"{names}")


def test_health_lists_what_prevents_sending(make_lab: Callable[..., Lab]) -> None:
    lab = make_lab(modem_count=1)
    radio, owner = lab.radios[0], Owner(lab.gateway.state)
    assert reasons(lab.gateway.port) == []
    radio.online(False)
    wait_reasons(lab, "no_sim_ready")
    owner.do("pause")
    wait_reasons(lab, "no_sim_ready", "paused")
    owner.do("resume")
    radio.online(True)
    wait_reasons(lab)
    lab.ofonod.stop()
    wait_reasons(lab, "ofono_unavailable")
    lab.bus.stop()
    wait_reasons(lab, "bus_unavailable")
    whole, ready = (ask(lab.gateway.port, path) for path in ("/healthz", "/healthz/ready"))
    assert (whole.status, ready.status, whole.body) == (200, 503, ready.body)


def test_health_reports_a_full_queue(make_lab: Callable[..., Lab]) -> None:
    lab = make_lab("[sms]\nqueue_limit = 1\n", modem_count=1)
    Agent(lab).call("send_sms", to_phone_number="+36301234567", sms_text="later",
                    send_at=seconds_ahead(3600))
    assert reasons(lab.gateway.port) == ["queue_full"]


def test_health_reports_a_full_disk(make_lab: Callable[..., Lab]) -> None:
    lab = make_lab(modem_count=1)
    lab.gateway.config += "[store]\nreserve_mib = 1000000\n"
    lab.gateway.prepare()
    Owner(lab.gateway.state).do("reload")
    assert reasons(lab.gateway.port) == ["storage_full"]


@pytest.fixture(scope="module")
def stranger() -> Any:
    """What a client without a token sees of a gateway that requires one."""
    with LoneGateway(open=False) as gateway:
        yield gateway


@pytest.mark.parametrize("path", PATHS)
def test_health_answers_get_and_head_only(stranger: LoneGateway, path: str) -> None:
    got, head = ask(stranger.port, path), ask(stranger.port, path, "HEAD")
    assert got.header("cache-control") == "no-store"
    assert got.header("content-type") == "application/json"
    assert head.status == got.status
    assert head.header("content-length") == str(len(got.body))
    for method in ("POST", "PUT", "DELETE", "PATCH", "get"):
        refused = ask(stranger.port, path, method)
        assert refused.status == 405
        assert refused.names("allow") == {"GET", "HEAD", "OPTIONS"}
    assert ask(stranger.port, f"{path}/").body == got.body
    assert ask(stranger.port, f"{path}?verbose=1&%ff").body == got.body


@pytest.mark.parametrize("path", [
    "/healthz//", "/healthz/live/x", "/healthz/lives", "/healthz%2flive", "/HEALTHZ/live",
    "/healthz/../healthz/live", "/healthz/readyz"])
def test_other_health_paths_are_not_found(stranger: LoneGateway, path: str) -> None:
    assert ask(stranger.port, path).status == 404
