# SPDX-License-Identifier: GPL-2.0-or-later
"""The audit log as the owner reads it, and how tampering shows."""

from __future__ import annotations

import json
import os
import re
import resource
import signal
import socket
import sqlite3
import subprocess
from collections.abc import Callable, Iterator
from concurrent.futures import ThreadPoolExecutor
from contextlib import closing
from pathlib import Path
from typing import Any

import pytest

from agent import Agent, assert_sent, pair, seconds_ahead
from lab import Lab, McpClient, wait_until
from lab.gateway import BINARY, Gateway
from lone_gateway import LoneGateway
from modem.patience import patience
from owner import Owner
from terminal import on_terminal

OK, FAILED = 0, 1
HEAD = re.compile(r"head at the (start|stop): (\d+:[0-9a-f]{64})")
TRIGGERS = ("audit_stays", "audit_is_kept", "audit_is_added_to", "audit_anchor_moves",
            "audit_anchor_stays")


class Audit:
    """`ofono-mcp audit` on a gateway's folder, whether the gateway runs or not."""

    def __init__(self, gateway: Gateway) -> None:
        self._state = gateway.state

    def run(self, *arguments: str) -> subprocess.CompletedProcess[str]:
        command = [str(os.environ.get("GATEWAY_BINARY", BINARY)), "audit",
                   "--state-dir", str(self._state), *arguments]
        return subprocess.run(command, capture_output=True, text=True,
                              timeout=patience(20))

    def lines(self, event: str = "", *arguments: str) -> list[dict[str, Any]]:
        done = self.run("--json", *arguments)
        assert done.returncode == OK, done.stderr
        lines = map(json.loads, done.stdout.splitlines())
        return [line for line in lines if event in ("", line["event"])]

    def wait(self, event: str, count: int = 1) -> list[dict[str, Any]]:
        wait_until(lambda: len(self.lines(event)) >= count, what=f"{count} of {event}")
        return self.lines(event)

    def verify(self, *arguments: str) -> dict[str, Any]:
        done = self.run("verify", "--json", *arguments)
        found = json.loads(done.stdout)
        assert done.returncode == (OK if found["whole"] else FAILED)
        return found

    def flaws(self, *arguments: str) -> list[tuple[str, int]]:
        return [(found["flaw"], found["line"])
                for found in self.verify(*arguments)["breaks"]]

    def tamper(self, *statements: str) -> None:
        """Without the triggers, which then are as before."""
        with closing(sqlite3.connect(self._state / "gateway.db")) as database, database:
            made = [sql for name, sql in database.execute(
                "SELECT name, sql FROM sqlite_schema WHERE type = 'trigger'") if name in TRIGGERS]
            for trigger in TRIGGERS:
                database.execute(f"DROP TRIGGER {trigger}")
            for statement in [*statements, *made]:
                database.execute(statement)


@pytest.fixture
def gateway() -> Iterator[LoneGateway]:
    with LoneGateway() as gateway:
        yield gateway


@pytest.fixture
def stopped(gateway: LoneGateway) -> Iterator[Audit]:
    """A gateway that started and stopped several times, and does not run now."""
    for _ in range(3):
        gateway.restart()
    gateway.stop()
    yield Audit(gateway)


def refuse(gateway: Gateway, number: str = "nobody") -> None:
    with McpClient(gateway.port) as client:
        client.tool("send_sms", to_phone_number=number, sms_text="x")


# ---- what is noted

def test_the_audit_log_records_a_message_and_its_outcome(make_lab: Callable[..., Lab]) -> None:
    lab = make_lab(modem_count=1, gateway_open=False)
    agent = Agent(lab, pair(lab.gateway, "laptop"))
    agent.wait_states("ready", timeout=10)
    assert_sent(agent.send("Hello", to="+36301234567"), "+36301234567")
    audit = Audit(lab.gateway)
    accepted, = audit.lines("send_accepted")
    assert accepted["detail"] == {
        "message_id": 1, "client_id": 1, "client": "laptop", "number": "+36301234567",
        "subscription_id": 1, "segments": 1, "state": "queued"}
    ended, = audit.lines("send_outcome")
    assert ended["detail"] == {"message_id": 1, "state": "sent", "reason": ""}
    shown = audit.run("--last", "2").stdout.splitlines()
    assert re.fullmatch(r"20\S+  \d+  message accepted: message id 1, client id 1, client "
                        r"laptop, number \+36301234567, .* segments 1, state queued",
                        shown[0])
    later = agent.send("Later", send_at=seconds_ahead(3600), wait_for="none")
    assert not later.is_error, later
    agent.cancel(later.message_id)
    assert audit.wait("send_cancelled")[0]["detail"]["message_id"] == later.message_id
    assert audit.verify()["whole"]


def test_repeated_refusals_share_one_line(gateway: LoneGateway) -> None:
    audit = Audit(gateway)
    for _ in range(50):
        refuse(gateway)
    refuse(gateway, "+36301234567")
    gateway.stop()                              # writes pending lines
    lines = audit.lines("send_refused")
    assert sum(line["detail"]["count"] for line in lines) == 51
    assert len(lines) < 10
    invalid = [line["detail"] for line in lines
               if line["detail"]["code"] == "invalid_number"]
    assert invalid and all("number" not in detail for detail in invalid)
    assert [line["detail"]["number"] for line in lines
            if line["detail"]["code"] != "invalid_number"] == ["+36301234567"]
    assert audit.lines()[-1]["event"] == "stopped"


def test_refusals_are_written_while_the_gateway_runs(gateway: LoneGateway) -> None:
    refuse(gateway)
    assert Audit(gateway).wait("send_refused")[0]["detail"]["client"] == "open"


def test_wrong_tokens_are_logged_with_their_source() -> None:
    with LoneGateway(open=False) as gateway:
        for token in (None, "f00d" * 16):
            with McpClient(gateway.port, token=token) as client:
                assert client.call("tools/list").status == 401
        lines = Audit(gateway).wait("auth_failed")
        assert {line["detail"]["source"] for line in lines} == {"127.0.0.1"}
        assert "f00d" not in str(lines)


def test_configuration_changes_are_logged(gateway: LoneGateway) -> None:
    file = gateway.folder / "gateway.conf"
    file.write_text("[server]\nhidden_tools = wait_for_sms\n[store]\nkeep_days = 7\n"
                    f"spool_dir = {gateway.folder}/elsewhere\n")
    gateway.send_signal(signal.SIGHUP)
    details = [line["detail"] for line in Audit(gateway).wait("config_changed", 3)]
    assert details == [
        {"key": "server.hidden_tools", "adopted": 1, "old": "", "new": "wait_for_sms"},
        {"key": "store.keep_days", "adopted": 1, "old": "0", "new": "7"},
        {"key": "store.spool_dir", "adopted": 0, "old": "",
         "new": f"{gateway.folder}/elsewhere"}]


@pytest.mark.parametrize("runs", [True, False])
def test_owner_commands_are_logged(gateway: LoneGateway, runs: bool) -> None:
    owner, audit = Owner(gateway.state), Audit(gateway)
    if not runs:
        gateway.stop()
    first = owner.json("pair", "laptop", "--scope", "read", "--per-hour", "9")["token"]
    owner.do("change", "laptop", "--scope", "read,send", "--sim", "any")
    second = owner.json("rotate", "laptop")["token"]
    owner.do("pause")
    owner.do("resume")
    owner.do("revoke", "laptop")
    assert owner.run("revoke", "laptop").returncode == FAILED   # no client of that name, so no line
    lines = [line for line in audit.lines() if line["event"] not in ("started", "stopped")]
    assert [line["event"] for line in lines] == [
        "client_paired", "client_changed", "client_rotated", "paused", "resumed",
        "client_revoked"]
    details = [line["detail"] for line in lines]
    assert (details[0]["scopes"], details[0]["per_hour"]) == ("read", 9)
    assert (details[1]["scopes"], details[1]["per_hour"]) == ("read send", 9)
    assert details[2] == details[5] == {"client_id": 1, "client": "laptop"}
    assert details[3] == details[4] == {"by": "owner"}
    shown = audit.run().stdout
    assert first not in shown and second not in shown
    assert audit.verify()["whole"]


def test_a_start_logs_the_configuration_hash(gateway: LoneGateway) -> None:
    gateway.restart()
    (gateway.folder / "gateway.conf").write_text("[store]\nkeep_days = 7\n")
    gateway.restart()
    first, same, other = [line["detail"]["config"]
                          for line in Audit(gateway).lines("started")]
    assert first == same != other


def test_each_message_has_its_line_after_a_crash(
        make_lab: Callable[..., Lab], background: ThreadPoolExecutor) -> None:
    lab = make_lab(modem_count=1)
    agent, file = Agent(lab), lab.gateway.state / "gateway.db"
    for i in range(30):
        background.submit(agent.send, f"message {i}", wait_for="none")

    def ids(sql: str) -> set[int]:
        with closing(sqlite3.connect(f"file:{file}?mode=ro", uri=True)) as database:
            return {row[0] for row in database.execute(sql)}

    wait_until(lambda: len(ids("SELECT id FROM message")) > 5, what="some messages")
    lab.gateway.kill()
    audit = Audit(lab.gateway)
    accepted = {line["detail"]["message_id"] for line in audit.lines("send_accepted")}
    assert accepted == ids("SELECT id FROM message")
    assert audit.verify()["whole"]
    lab.gateway.start()
    assert audit.verify()["whole"]
    # a start without a stop before it: the gateway crashed
    assert [line["event"] for line in audit.lines()
            if line["event"] in ("started", "stopped")][-2:] == ["started", "started"]


# ---- who touched it

def test_a_head_from_the_journal_reveals_cut_lines(gateway: LoneGateway) -> None:
    audit = Audit(gateway)
    gateway.restart()
    gateway.stop()
    heads = [found[1] for found in HEAD.findall(gateway.log)]
    assert len(heads) == 4
    for head in heads:
        assert audit.flaws("--head", head) == []
    assert audit.verify()["head"] == heads[-1]
    newest = int(heads[-1].partition(":")[0])
    audit.tamper(f"DELETE FROM audit WHERE id > {newest - 2}")
    assert audit.flaws() == []                  # nothing in the file reveals it
    assert audit.flaws("--head", heads[-1]) == [("cut", newest)]
    gateway.start()
    gateway.restart()
    assert audit.flaws() == []
    assert audit.flaws("--head", heads[-1]) == [("other_head", newest)]
    assert audit.flaws("--head", heads[0]) == []


def test_an_empty_log_proves_nothing_without_a_head(gateway: LoneGateway) -> None:
    audit = Audit(gateway)
    gateway.stop()
    head = HEAD.findall(gateway.log)[-1][1]
    audit.tamper("DELETE FROM audit", "DELETE FROM audit_anchor",
                 "DELETE FROM sqlite_sequence WHERE name = 'audit'")
    found = audit.verify()
    assert (found["whole"], found["lines"], found["breaks"]) == (False, 0, [])
    assert audit.run("verify").returncode == FAILED
    assert audit.flaws("--head", head) == [("cut", int(head.partition(":")[0]))]


def test_a_moved_anchor_is_reported_as_missing_lines(gateway: LoneGateway) -> None:
    """The log claims that old lines were pruned, but retention has kept them."""
    audit = Audit(gateway)
    gateway.restart()
    gateway.stop()
    heads = [found[1] for found in HEAD.findall(gateway.log)]
    newest = int(heads[-1].partition(":")[0])
    audit.tamper("INSERT INTO audit_anchor SELECT 1, id, hash FROM audit"
                 f" WHERE id = {newest}", "DELETE FROM audit")
    found = audit.verify()
    assert (found["whole"], found["lines"], found["gone"]) == (False, 0, 0)
    assert found["breaks"] == [{"flaw": "missing", "line": 1, "until": newest}]
    for head in heads:
        assert ("cut", int(head.partition(":")[0])) in audit.flaws("--head", head)
    every = [word for head in heads for word in ("--head", head)]
    assert len(audit.flaws(*every)) == 1 + len(heads)
    said = audit.run("verify").stdout
    assert f"BROKEN: lines 1 to {newest} are missing" in said and "because of" not in said
    gateway.start()                             # and that does not change
    assert ("missing", 1) in audit.flaws()


@pytest.mark.parametrize("statement, flaws", [
    ("UPDATE audit SET detail = replace(detail, '0', '1') WHERE id = 2",
     [("changed", 2)]),
    ("DELETE FROM audit WHERE id = 3", [("missing", 3)]),
    ("DELETE FROM audit WHERE id = 1", [("missing", 1)]),
    ("UPDATE audit SET at = at - 1 WHERE id = 4", [("changed", 4)]),
])
def test_verify_reports_tampered_lines(stopped: Audit, statement: str, flaws: list[tuple[str, int]]) -> None:
    assert stopped.flaws() == []
    assert stopped.run("verify").returncode == OK
    stopped.tamper(statement)
    assert stopped.flaws() == flaws
    done = stopped.run("verify")
    assert done.returncode == FAILED
    assert f"BROKEN: line {flaws[0][1]} " in done.stdout


def test_control_characters_are_escaped_on_the_terminal(stopped: Audit) -> None:
    stopped.tamper(
        "UPDATE audit SET event = 'x' || char(27) || '[2J', detail = '{\"number\":\""
        "' || char(8238) || '\\u001b[31m\\nnext\"}' WHERE id = 2",
        "UPDATE audit SET detail = 'no ' || char(7) || ' JSON' || char(10) WHERE id = 3")
    done = stopped.run()
    assert done.returncode == OK
    for character in "\x1b\x07\u202e":
        assert character not in done.stdout
    assert len(done.stdout.splitlines()) == len(stopped.lines())
    assert stopped.lines()[2]["detail"] == "no \x07 JSON\n"


# ---- the command

def test_audit_fails_without_a_message_store(folder: Path) -> None:
    done = subprocess.run([str(BINARY), "audit", "--state-dir", str(folder)],
                          capture_output=True, text=True, timeout=patience(10))
    assert done.returncode == FAILED
    assert str(folder) in done.stderr


def test_last_and_since_select_lines(stopped: Audit) -> None:
    lines = stopped.lines()
    assert [line["line"] for line in lines] == list(range(1, len(lines) + 1))
    assert stopped.lines("", "--last", "2") == lines[-2:]
    since = stopped.lines("", "--since", lines[3]["at"])
    assert since == [line for line in lines if line["at"] >= lines[3]["at"]]
    assert stopped.lines("", "--since", "2999-01-01T00:00:00Z") == []


def test_verify_shows_its_progress_on_a_terminal(stopped: Audit) -> None:
    """On a terminal; here a second has passed at once."""
    owner = Owner(stopped._state)
    while len(stopped.lines()) < 16:
        owner.do("pause")
        owner.do("resume")
    program = os.environ.get("GATEWAY_BINARY", BINARY)
    with on_terminal("-f", "+0 x1000000", program, "audit", "verify", "--state-dir",
                     stopped._state, program="faketime") as terminal:
        text = terminal.read_all()
        assert terminal.process.wait(patience(10)) == OK
    assert re.search(r"\r\x1b\[Kverifying each line \(\d+ s\)", text), text


# ---- a process that tells nobody what it knows

def dumps_core(command: list[str], folder: Path, ready: Callable[[], bool],
               environment: dict[str, str]) -> bool:
    """Enables core dumps as far as the machine allows."""
    def allow() -> None:
        resource.setrlimit(resource.RLIMIT_CORE, (resource.RLIM_INFINITY,) * 2)

    with (folder / "output").open("w") as output:
        process = subprocess.Popen(command, cwd=folder, preexec_fn=allow, stdout=output,
                                   stderr=output, env=os.environ | environment)
    wait_until(ready, what="it runs")
    process.send_signal(signal.SIGABRT)
    ended = os.waitid(os.P_PID, process.pid, os.WEXITED | os.WNOWAIT)
    process.wait()
    assert ended
    return ended.si_code == os.CLD_DUMPED


def is_taken(port: int) -> bool:
    with socket.socket() as probe:
        return probe.connect_ex(("127.0.0.1", port)) == 0


def test_the_gateway_leaves_no_core_file(folder: Path, gateway: LoneGateway) -> None:
    if not dumps_core(["sleep", "60"], folder, lambda: True, {}):
        pytest.skip("no program leaves a core file here")
    gateway.stop()
    environment = {"DBUS_SYSTEM_BUS_ADDRESS": f"unix:path={folder}/none"}
    command = gateway.command[gateway.command.index("serve") - 1:]      # without the wrapper
    assert not dumps_core(command, folder, lambda: is_taken(gateway.port), environment)
