# SPDX-License-Identifier: GPL-2.0-or-later
"""What is packaged with ofono-mcp-hub says what the program does."""

from __future__ import annotations

import json
import re
import subprocess
from pathlib import Path

import pytest

from lab import wait_until
from lab.dial import make_certificate
from lab.gateway import BINARY, free_port
from lab.process import Process
from test_manual_examples import displayed

PROJECT = Path(__file__).resolve().parents[2]
HUB = BINARY.parent / "ofono-mcp-hub"
MOSQUITTO = PROJECT / "doc" / "examples" / "mosquitto"
PAGE = (PROJECT / "doc" / "ofono-mcp-hub.8").read_text()
# Each phone's gateway does that.
OF_PHONES = ["store.spool_dir = /tmp", "sim.pin_file = /tmp/pins", "sim.power_modems = yes",
             "sim.phone_default = yes", "sms.delivery_reports = no", "contacts.sims = no",
             "contacts.desktop = no"]


def hub(*arguments: str | Path) -> str:
    return subprocess.run([HUB, *arguments], check=True, capture_output=True, text=True).stdout


def commands() -> list[str]:
    overview = hub("--help").partition("\nExamples\n")[0]
    return re.findall(r"^  ([a-z]+(?: [a-z]+)?)(?: \S*[|\[]\S*)?  +\S", overview, re.MULTILINE)


def test_the_sample_of_the_hub_is_the_printed_default(folder: Path) -> None:
    empty = folder / "empty.conf"
    empty.touch()
    printed = hub("serve", "--print-config", "--config", empty)
    assert (PROJECT / "etc" / "ofono-mcp-hub.conf").read_text() == printed


@pytest.mark.parametrize("line", OF_PHONES)
def test_a_key_of_phones_is_refused_by_its_name(line: str, folder: Path) -> None:
    """By "serve", before it begins, and by "doctor"."""
    section, _, rest = line.partition(".")
    file = folder / "wrong.conf"
    file.write_text(f"[{section}]\n{rest}\n")
    key = line.partition(" = ")[0]
    for command, code in ((("serve", "--check-config"), 2), (("doctor", "--json"), 1)):
        done = subprocess.run([HUB, *command, "--config", file], capture_output=True, text=True)
        assert done.returncode == code, done
        assert f"{file}:2: {key}: " in done.stdout + done.stderr


@pytest.mark.parametrize("file", ["etc/ofono-mcp-hub.conf", "debian/ofono-mcp-hub.conf"])
def test_the_hub_accepts_its_packaged_configuration(file: str) -> None:
    hub("serve", "--check-config", "--config", PROJECT / file)


def test_the_configuration_in_the_guide_is_accepted(folder: Path) -> None:
    """Of the man page and of doc/fleet.md, which have the same."""
    guide = (PROJECT / "doc" / "fleet.md").read_text()
    section = re.search(r"^    \[broker\]\n(?:    .+\n)+", guide, re.MULTILINE)
    assert section
    text = section[0].replace("    ", "")
    assert text in PAGE
    file = folder / "broker.conf"
    file.write_text(text)
    hub("serve", "--check-config", "--config", file)


@pytest.mark.parametrize("name", commands())
def test_each_command_of_the_hub_has_its_example_in_the_manual(name: str) -> None:
    example = hub(*name.split(), "--help").partition("\nExample:\n  ")[2].strip()
    assert example.startswith(f"ofono-mcp-hub {name}")
    assert displayed(PAGE).count(example) == 1


def test_the_hub_and_a_gateway_share_nothing_on_one_machine() -> None:
    """Port, user, folders and files of their units are different."""
    def facts(name: str) -> set[str]:
        unit = (PROJECT / "debian" / f"{name}.service").read_text()
        return set(re.findall(r"^((?:User|Group|StateDirectory|RuntimeDirectory|"
                              r"ConfigurationDirectory|SocketBindAllow)=.+)$", unit, re.MULTILINE))
    hub_has, gateway_has = facts("ofono-mcp-hub"), facts("ofono-mcp")
    assert len(hub_has) == len(gateway_has) == 6
    assert not hub_has & gateway_has
    assert "\n#listen = 127.0.0.1:9541\n" in (PROJECT / "etc" / "ofono-mcp-hub.conf").read_text()


def broker_like_the_example(folder: Path, port: int) -> Path:
    """The packaged configuration of Mosquitto with other ports and folders."""
    make_certificate(folder)
    subprocess.run(["mosquitto_passwd", "-b", "-c", folder / "ofono-mcp.passwd", "hub", "secret"],
                   check=True, capture_output=True)
    text = (MOSQUITTO / "ofono-mcp.conf").read_text()
    for packaged, ours in (("/etc/mosquitto/ofono-mcp.acl", MOSQUITTO / "ofono-mcp.acl"),
                           ("/etc/mosquitto/certs/server.pem", folder / "cert.pem"),
                           ("/etc/mosquitto/certs/server.key", folder / "key.pem"),
                           ("/etc/mosquitto", folder),
                           ("listener 1883 ", f"listener {port} "),
                           ("listener 8883\n", f"listener {free_port()} 127.0.0.1\n")):
        assert packaged in text
        text = text.replace(packaged, str(ours))
    file = folder / "mosquitto.conf"
    file.write_text(f"{text}\nuser root\n")
    return file


def test_a_hub_reaches_the_broker_of_the_packaged_example(folder: Path) -> None:
    port, state = free_port(), folder / "state"
    (folder / "broker-password").write_text("secret\n")
    (folder / "broker-password").chmod(0o600)
    (folder / "hub.conf").write_text(
        f"[server]\nlisten = 127.0.0.1:{free_port()}\n[store]\nstate_dir = {state}\n"
        f"[broker]\naddress = 127.0.0.1:{port}\npassword_file = {folder / 'broker-password'}\n")
    broker, program = Process("mosquitto", folder / "broker.log"), Process("hub", folder / "hub.log")
    try:
        broker.run(["mosquitto", "-c", str(broker_like_the_example(folder, port))])
        program.run([str(HUB), "serve", "--config", str(folder / "hub.conf")])
        wait_until(lambda: (state / "control").exists(), what="the hub takes commands")
        wait_until(lambda: json.loads(hub("phones", "--json", "--state-dir", state))["connected"],
                   what="the hub is connected")
    finally:
        program.terminate()
        broker.terminate()
