# SPDX-License-Identifier: GPL-2.0-or-later
"""doc/examples: examples without a test file of their own, and README.md lists all of them."""

from __future__ import annotations

import re
from contextlib import ExitStack
from pathlib import Path
from typing import Any

import pytest
import yaml

from lab import wait_until
from lab.avahi import Avahi
from lab.bus import Bus
from lone_gateway import LoneGateway
from owner import Owner, run
from phone import Phone
from wire import Reply, request

EXAMPLES = Path(__file__).resolve().parents[2] / "doc" / "examples"
FILES = sorted(str(file.relative_to(EXAMPLES)) for file in EXAMPLES.rglob("*")
               if file.is_file() and file.name != "README.md")
TEXTS = {"txtvers=1", "path=/mcp", "proto=http", "auth=bearer"}


def machine(stack: ExitStack, phone: Phone, name: str, folder: Path,
            services: Path | None = None) -> Avahi:
    (folder / name).mkdir()
    bus = Bus(folder / name)
    stack.callback(bus.stop)
    bus.start()
    return stack.enter_context(Avahi(folder, bus, phone.networks[name], name, services))


def test_the_avahi_service_file_is_advertised(phone: Phone, folder: Path) -> None:
    """It is advertised even if no gateway runs; its head warns of that."""
    services = folder / "services"
    services.mkdir()
    (services / "ofono-mcp.service").write_text(
        (EXAMPLES / "avahi" / "ofono-mcp.service").read_text())
    with ExitStack() as stack:
        machine(stack, phone, "phone", folder, services)
        laptop = machine(stack, phone, "laptop", folder)
        seen = wait_until(laptop.browse, 30, "the laptop sees it")[0]
    assert (seen.name, seen.port, seen.texts) == ("ofono-mcp on phone", 9531, TEXTS)


def test_the_proxy_example_configuration_is_valid() -> None:
    checked = run("serve", "--check-config", "--config", EXAMPLES / "proxy" / "ofono-mcp.conf")
    assert (checked.returncode, checked.stderr) == (0, "")


def scrape(gateway: LoneGateway, job: dict[str, Any], token: str) -> Reply:
    with gateway.wire() as wire:
        return wire.ask(request(b"", {"Authorization": f"{job['authorization']['type']} {token}",
                                      "Content-Type": None}, "GET", job["metrics_path"]))


def test_the_prometheus_example_scrapes_the_gateway() -> None:
    """With the token of a client that its head says to pair."""
    [job] = yaml.safe_load((EXAMPLES / "prometheus" / "prometheus.yml").read_text())[
        "scrape_configs"]
    with LoneGateway(open=False) as gateway:
        paired = Owner(gateway.state).json("pair", "--scope", "metrics", "prometheus")
        told = scrape(gateway, job, paired["token"])
        assert told.status == 200 and told.header("content-type").startswith("text/plain")
        assert b"\n# TYPE ofono_mcp_" in told.body
        assert scrape(gateway, job, "f00d" * 16).status == 401


@pytest.mark.parametrize("name", FILES)
def test_the_readme_lists_each_example_with_its_test(name: str) -> None:
    rows = [line for line in (EXAMPLES / "README.md").read_text().splitlines()
            if line.startswith(f"| [{name}]({name}) |")]
    assert len(rows) == 1
    tests = re.findall(r"`(tests/[\w./]+)", rows[0])
    assert tests
    for test in tests:
        assert (EXAMPLES.parents[1] / test).exists(), test
