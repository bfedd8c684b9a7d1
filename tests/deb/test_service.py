# SPDX-License-Identifier: GPL-2.0-or-later
"""The installed service: started by systemd, on the system's bus, with the system's oFono."""

from __future__ import annotations

import json
import os
import re
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from pathlib import Path

import pytest

from lab import wait_until
from machine import Machine
from package import UNIT, install, is_installed, pid, purge, shown
from phone import Phone

LEFT_BY_OTHERS = ("/run/", "/var/log/", "/var/lib/dpkg/", "/var/cache/", "/var/lib/systemd/",
                  "/var/lib/ofono/", "/etc/passwd", "/etc/group", "/etc/shadow",
                  "/etc/gshadow", "/etc/.pwd.lock")
SHORT_WATCHDOG = "[Service]\nWatchdogSec=1s\n"
INIT = ("env", "SYSTEMCTL_SKIP_REDIRECT=1", "/etc/init.d/ofono-mcp")


@pytest.fixture
def service(machine: Machine) -> Machine:
    """Installed and running."""
    if not is_installed(machine):
        install(machine, UNIT)
    machine.run("systemctl", "reset-failed", UNIT)
    machine.run("systemctl", "start", UNIT)
    return machine


@pytest.fixture
def token(service: Machine, phone: Phone) -> Iterator[str]:
    yield phone.pair("laptop")
    service.run("ofono-mcp", "revoke", "laptop")


@contextmanager
def user(machine: Machine, name: str, *groups: str) -> Iterator[str]:
    machine.run("useradd", *(f"--groups={group}" for group in groups), name)
    try:
        yield name
    finally:
        machine.run("userdel", name)


def wait_restarted(machine: Machine, before: int) -> None:
    wait_until(lambda: pid(machine) not in (0, before), timeout=30, what="it runs again")
    wait_until(lambda: shown(machine, "ActiveState") == "active", what="it is ready")


# ---- installing and removing

def test_the_first_start_succeeds(machine: Machine, phone: Phone) -> None:
    """The bus learns of the new policy only after the gateway was started."""
    purge(machine)
    install(machine, UNIT)
    first = pid(machine)
    token = phone.pair("laptop")
    phone.send(token, "from a package")
    phone.receive(token, "to a package")
    assert (pid(machine), shown(machine, "NRestarts")) == (first, "0")
    machine.run("ofono-mcp", "revoke", "laptop")


def test_status_and_send_work_in_the_first_second(machine: Machine, phone: Phone) -> None:
    """The bus has read the policy before the gateway is started: nothing is refused."""
    purge(machine)
    machine.run("dpkg", "--install", f"/packages/{UNIT}.deb")
    status = machine.run("ofono-mcp", "status")
    assert re.search("^oFono +answers", status, re.MULTILINE), status
    assert "Message 1 to +36201234567: sent" in machine.run(
        "ofono-mcp", "send", "--sim", "1", "+36201234567", "at once")
    run = shown(machine, "InvocationID")
    assert "refuses" not in machine.run("journalctl", f"_SYSTEMD_INVOCATION_ID={run}")


# If the bus cannot be made to read it first: a policy that is copied by hand.
LATE_POLICY = """
policy=/usr/share/dbus-1/system.d/ofono-mcp.conf
systemctl stop ofono-mcp
mv $policy /root/
systemctl reload dbus
systemctl start ofono-mcp
run=$(systemctl show --property=InvocationID --value ofono-mcp)
until journalctl _SYSTEMD_INVOCATION_ID=$run | grep -q refuses; do sleep 0.1; done
mv /root/ofono-mcp.conf $policy
(sleep 2; systemctl reload dbus) >/dev/null 2>&1 &
ofono-mcp send --sim 1 +36201234567 'a second later'
ofono-mcp status
"""


def test_commands_wait_for_a_policy_that_is_read_late(service: Machine, phone: Phone) -> None:
    said = service.run("sh", "-ec", LATE_POLICY)
    assert "to +36201234567: sent" in said and re.search("^oFono +answers", said, re.MULTILINE)


def files(machine: Machine) -> set[str]:
    """Except for what other packages leave, unless it has our name."""
    found = machine.run("find", "/", "/run", "-xdev", "-printf", "%p\\n").splitlines()
    return {path for path in found if UNIT in path or not path.startswith(LEFT_BY_OTHERS)}


USED = """
install -m 600 -o ofono-mcp /dev/null /etc/ofono-mcp/pins
cp /usr/share/doc/ofono-mcp/examples/unlock.conf /etc/dbus-1/system.d/ofono-mcp-unlock.conf
cp /usr/share/doc/ofono-mcp/examples/call.conf /etc/dbus-1/system.d/
systemctl stop ofono-mcp
export SYSTEMCTL_SKIP_REDIRECT=1
/etc/init.d/ofono-mcp start
/etc/init.d/ofono-mcp stop
systemctl start ofono-mcp
"""


def test_removing_keeps_the_data_that_a_purge_deletes(machine: Machine, phone: Phone) -> None:
    purge(machine)
    before = files(machine)
    install(machine, UNIT)
    token = phone.pair("laptop")
    phone.send(token, "from a package")
    mine = machine.root / "etc/ofono-mcp/conf.d/50-mine.conf"
    mine.write_text("[sms]\n")
    machine.run("sh", "-ec", USED)
    machine.run("dpkg", "--remove", UNIT)
    kept = files(machine)
    assert {"/var/lib/ofono-mcp/gateway.db", "/etc/ofono-mcp/conf.d/50-mine.conf",
            "/etc/ofono-mcp/ofono-mcp.conf", "/etc/ofono-mcp/pins",
            "/etc/dbus-1/system.d/ofono-mcp-unlock.conf", "/etc/dbus-1/system.d/call.conf",
            "/var/log/ofono-mcp.log"} <= kept
    assert "/usr/bin/ofono-mcp" not in kept
    purge(machine)
    assert files(machine) - before == set()
    assert before - files(machine) == set()


def test_a_hub_runs_beside_the_gateway(service: Machine) -> None:
    """And leaves nothing when it is purged."""
    before = files(service)
    gateway = pid(service)
    service.run("dpkg", "--install", "/packages/ofono-mcp-hub.deb")
    wait_until(lambda: service.try_to("systemctl", "is-active", "ofono-mcp-hub").returncode == 0,
               what="the hub is up")
    phones = json.loads(service.run("ofono-mcp-hub", "phones", "--json"))
    assert (phones["connected"], phones["phones"]) == (False, 0)
    service.run("systemctl", "reload", "ofono-mcp-hub")
    service.run("sh", "-ec", """
        systemctl stop ofono-mcp-hub
        export SYSTEMCTL_SKIP_REDIRECT=1
        /etc/init.d/ofono-mcp-hub start
        ofono-mcp-hub phones
        /etc/init.d/ofono-mcp-hub stop
        """)
    assert (pid(service), shown(service, "ActiveState")) == (gateway, "active")
    service.run("dpkg", "--purge", "ofono-mcp-hub")
    assert files(service) ^ before == set()


# ---- what it reads

def test_contacts_of_a_card_and_of_a_file_are_read(service: Machine, phone: Phone, token: str) -> None:
    """In the places that the manual names; the bus's policy and the sandbox let the gateway
    read both."""
    def names() -> list[str]:
        return [row["name"] for row in phone.call(token, "find_contact")["contacts"]]

    wait_until(lambda: names() == ["Anna"], timeout=30, what="the card was read")
    folder = service.root / "etc/ofono-mcp"
    file, mine = folder / "contacts.vcf", folder / "conf.d/60-contacts.conf"
    (service.root / "root/contacts.vcf").write_text(
        "BEGIN:VCARD\nFN:Bela\nTEL:+36301112222\nEND:VCARD\n")
    service.run("install", "-m", "640", "-g", UNIT, "/root/contacts.vcf", "/etc/ofono-mcp/")
    mine.write_text("[contacts]\nfile = /etc/ofono-mcp/contacts.vcf\n")
    try:
        service.run("systemctl", "reload", UNIT)
        wait_until(lambda: names() == ["Bela", "Anna"], what="the file was read")
    finally:
        for path in file, mine, service.root / "root/contacts.vcf":
            path.unlink()
        service.run("systemctl", "reload", UNIT)


def test_the_gateway_cannot_read_the_owners_secrets(service: Machine) -> None:
    """The gateway must not read root's own, and the doctor knows."""
    service.run("install", "-m", "600", "/dev/null", "/etc/ofono-mcp/pins")
    mine = service.root / "etc/ofono-mcp/conf.d/70-secrets.conf"
    mine.write_text("[sim]\npin_file = /etc/ofono-mcp/pins\n")
    try:
        said = service.try_to("ofono-mcp", "doctor").stdout
        assert "/etc/ofono-mcp/pins is not used: Permission denied\n" in said
        assert "chown ofono-mcp FILE; chmod 600 FILE.\n" in said
        service.run("chown", UNIT, "/etc/ofono-mcp/pins")
        said = service.try_to("ofono-mcp", "doctor").stdout
        assert "/etc/ofono-mcp/pins is readable, by the gateway's user only\n" in said
    finally:
        mine.unlink()
        service.run("rm", "/etc/ofono-mcp/pins")


# ---- who commands it

def test_a_member_of_the_group_may_use_the_owners_commands(service: Machine) -> None:
    with user(service, "member", UNIT) as member:
        service.run("ofono-mcp", "pair", "tablet", user=member)
        said = json.loads(service.run("ofono-mcp", "clients", "--json", user=member))
        assert "tablet" in [client["name"] for client in said["clients"]]
        service.run("ofono-mcp", "revoke", "tablet", user=member)
        for path in ("/var/lib/ofono-mcp", "/var/lib/ofono-mcp/gateway.db"):
            assert service.try_to("cat", path, user=member).returncode != 0
        service.run("systemctl", "stop", UNIT)
        refused = service.try_to("ofono-mcp", "clients", user=member)
        assert refused.returncode == 1
        assert "start it, or run this as root" in refused.stderr


def test_other_users_may_not_use_the_owners_commands(service: Machine) -> None:
    with user(service, "stranger") as stranger:
        for command in (("clients",), ("pair", "tablet"), ("status",)):
            refused = service.try_to("ofono-mcp", *command, user=stranger)
            assert (refused.returncode, refused.stdout) == (1, "")
            assert "as a member of the group ofono-mcp" in refused.stderr


def test_another_folder_is_another_gateway(service: Machine) -> None:
    """It does not command the gateway that runs here."""
    service.run("ofono-mcp", "pair", "elsewhere", "--state-dir", "/tmp/another")
    assert "elsewhere" not in service.run("ofono-mcp", "clients")
    assert "elsewhere" in service.run("ofono-mcp", "clients", "--state-dir", "/tmp/another")


# ---- how it lives

def test_the_running_service_is_confined(service: Machine) -> None:
    status = service.run("cat", f"/proc/{pid(service)}/status")
    ids = service.run("id", "-u", UNIT).strip()
    assert f"Uid:\t{ids}\t{ids}\t{ids}\t{ids}" in status
    for line in ("CapEff:\t0000000000000000", "NoNewPrivs:\t1", "Seccomp:\t2"):
        assert line in status


def test_a_killed_gateway_is_restarted(service: Machine, phone: Phone, token: str) -> None:
    before = pid(service)
    service.run("systemctl", "kill", "--signal=KILL", UNIT)
    wait_restarted(service, before)
    assert len(phone.wait_sims(token)) == 2


def test_it_starts_once_the_obstacle_is_gone(service: Machine) -> None:
    """A cause that stops it, such as a full disk, may last long."""
    service.run("systemctl", "stop", UNIT)
    ledger = service.root / "var/lib/ofono-mcp/gateway.db"
    aside = ledger.rename(ledger.with_name("aside"))
    ledger.mkdir()
    try:
        service.run("systemctl", "start", "--no-block", UNIT)
        wait_until(lambda: int(shown(service, "NRestarts")) > 6, timeout=60,
                   what="it is tried again and again")
    finally:
        ledger.rmdir()
        aside.rename(ledger)
    wait_until(lambda: shown(service, "ActiveState") == "active", timeout=30,
               what="it runs")


def test_an_invalid_configuration_stops_restarts(service: Machine) -> None:
    wrong = service.root / "etc/ofono-mcp/conf.d/50-wrong.conf"
    wrong.write_text("[server]\nnonsense = yes\n")
    try:
        service.run("systemctl", "stop", UNIT)
        service.run("systemctl", "start", "--no-block", UNIT)
        wait_until(lambda: shown(service, "ActiveState") == "failed", timeout=30,
                   what="it has failed")
        assert shown(service, "NRestarts") == "0"
    finally:
        wrong.unlink()


def test_the_watchdog_ends_a_stuck_loop(service: Machine) -> None:
    folder = service.root / "etc/systemd/system/ofono-mcp.service.d"
    folder.mkdir(parents=True)
    Path(folder, "watchdog.conf").write_text(SHORT_WATCHDOG)
    try:
        service.run("systemctl", "daemon-reload")
        service.run("systemctl", "restart", UNIT)
        before = pid(service)
        service.run("systemctl", "kill", "--signal=STOP", UNIT)
        wait_restarted(service, before)
        assert "Watchdog timeout" in service.run("journalctl", "--unit", UNIT)
    finally:
        Path(folder, "watchdog.conf").unlink()
        folder.rmdir()
        service.run("systemctl", "daemon-reload")
        service.run("systemctl", "restart", UNIT)


def test_it_waits_for_ofono(service: Machine, phone: Phone, token: str) -> None:
    before = pid(service)
    phone.wait_sims(token)
    service.run("systemctl", "stop", "ofono")
    wait_until(lambda: "oFono is not running" in shown(service, "StatusText"),
               what="it tells that oFono is away")
    service.run("systemctl", "start", "ofono")
    phone.ask("power")
    phone.wait_sims(token)
    assert pid(service) == before


def test_the_init_script_starts_and_stops_it(service: Machine, phone: Phone, token: str) -> None:
    service.run("systemctl", "stop", UNIT)
    assert service.try_to(*INIT, "status").returncode == 3
    service.run(*INIT, "start")
    try:
        phone.send(token, "from an init script")
        service.run(*INIT, "status")
        first = service.run("cat", "/run/ofono-mcp.pid")
        assert service.run(*INIT, "reload").endswith("Nothing changed.\n")
        service.run(*INIT, "restart")
        assert service.run("cat", "/run/ofono-mcp.pid") != first
        phone.wait_sims(token)
        phone.receive(token, "to an init script")
        assert service.run("stat", "--format=%U %G %a", "/run/ofono-mcp") == (
            "ofono-mcp ofono-mcp 750\n")
        assert service.run("stat", "--format=%U %G %a", "/var/log/ofono-mcp.log") == (
            "ofono-mcp adm 640\n")
        assert "inbox: message " in service.run("cat", "/var/log/ofono-mcp.log")
    finally:
        service.run(*INIT, "stop")
    assert service.try_to(*INIT, "status").returncode == 3


def test_the_init_script_waits_until_it_is_ready(service: Machine) -> None:
    """A reload directly after the start; also after a boot, with an empty /run."""
    service.run("systemctl", "stop", UNIT)
    service.run("rm", "-rf", "/run/ofono-mcp", "/run/ofono-mcp.pid")
    try:
        for how in "start", "restart":
            service.run(*INIT, how)
            service.run("sh", "-c", "kill -HUP $(cat /run/ofono-mcp.pid)")
            service.run(*INIT, "force-reload")
            service.run(*INIT, "status")
            service.run(*INIT, "stop")
            service.run("rm", "-rf", "/run/ofono-mcp")
    finally:
        service.run(*INIT, "stop")


def test_the_init_script_reports_errors(service: Machine) -> None:
    service.run("systemctl", "stop", UNIT)
    wrong = service.root / "etc/ofono-mcp/conf.d/50-wrong.conf"
    wrong.write_text("[server]\nnonsense = yes\n")
    try:
        ended = service.try_to(*INIT, "start")
        assert ended.returncode == 1
        assert "50-wrong.conf:2: server.nonsense: unknown key" in ended.stderr
        assert service.try_to(*INIT, "status").returncode == 3
    finally:
        wrong.unlink()


def test_socket_activation_starts_it(service: Machine, phone: Phone, token: str) -> None:
    """doc/examples/ofono-mcp.socket: the client that connects starts it, and waits meanwhile."""
    examples = "/usr/share/doc/ofono-mcp/examples"
    service.run("cp", f"{examples}/ofono-mcp.socket", "/etc/systemd/system/")
    service.run("systemctl", "daemon-reload")
    service.run("systemctl", "stop", UNIT)
    try:
        service.run("systemctl", "start", "ofono-mcp.socket")
        assert pid(service) == 0
        assert len(phone.sims(token)) in (0, 2)
        before = pid(service)
        assert before
        service.run("systemctl", "restart", "--no-block", UNIT)
        assert len(phone.wait_sims(token)) == 2
        wait_until(lambda: pid(service) not in (0, before), what="another process answers")
        assert len(phone.wait_sims(token)) == 2
    finally:
        service.run("systemctl", "stop", "ofono-mcp.socket", UNIT)
        service.run("rm", "/etc/systemd/system/ofono-mcp.socket")
        service.run("systemctl", "daemon-reload")


# ---- what it takes

def memory_kib(machine: Machine) -> dict[str, int]:
    lines = machine.run("cat", f"/proc/{pid(machine)}/smaps_rollup").splitlines()[1:]
    return {name: int(rest.split()[0]) for name, _, rest in
            (line.partition(":") for line in lines)}


def test_the_running_service_uses_little_memory(service: Machine, phone: Phone, token: str,
               record_testsuite_property: Callable[[str, object], None]) -> None:
    service.run("systemctl", "restart", UNIT)
    phone.wait_sims(token)
    memory = memory_kib(service)
    binary = os.stat(service.root / "usr/bin/ofono-mcp").st_size
    assert 0 < memory["Private_Dirty"] < memory["Rss"]
    record_testsuite_property("summary", f"/usr/bin/ofono-mcp: {binary} bytes")
    record_testsuite_property(
        "summary", f"idle with two SIMs: RSS {memory['Rss']} KiB, of it "
                   f"{memory['Private_Dirty']} KiB private and dirty")
