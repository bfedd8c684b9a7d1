# SPDX-License-Identifier: GPL-2.0-or-later
"""The program as its owner sees it: options, configuration, tokens, files, systemd, log."""

from __future__ import annotations

import json
import os
import re
import shlex
import sqlite3
import stat
import subprocess
import time
from collections.abc import Callable, Iterator, Mapping
from concurrent.futures import ThreadPoolExecutor
from contextlib import closing, contextmanager
from pathlib import Path

import pytest

from agent import Agent, assert_pending, assert_refused, assert_sent, pair
from lab import Lab, McpClient, wait_until
from lab.gateway import BINARY, Gateway, free_port
from modem import Outcome
from modem.patience import patience
from systemd import Systemd

ROOT = Path(__file__).resolve().parents[2]
OK, FAILED, USAGE = 0, 1, 2         # exit codes, as --help lists them


def run(*arguments: object, **environment: str) -> subprocess.CompletedProcess[str]:
    """Runs ofono-mcp with these arguments to its end."""
    wrapper = shlex.split(os.environ.get("GATEWAY_WRAPPER", ""))
    binary = os.environ.get("GATEWAY_BINARY", BINARY)
    return subprocess.run([*wrapper, binary, *map(str, arguments)], text=True,
                          capture_output=True, timeout=patience(10),
                          env=os.environ | NOWHERE | environment)


NOWHERE = {"DBUS_SYSTEM_BUS_ADDRESS": "unix:path=/nonexistent/bus"}


class NoBus:
    environment: Mapping[str, str] = NOWHERE


@contextmanager
def serving(folder: Path, *arguments: str, open: bool = True) -> Iterator[Gateway]:
    """A gateway on a phone without a bus."""
    gateway = Gateway(folder, NoBus(), args=arguments, open=open)
    try:
        gateway.start()
        yield gateway
        assert gateway.stop() == OK
    finally:
        gateway.kill()


# ---- options ----------------------------------------------------------------------

def test_version_prints_the_version_number() -> None:
    result = run("--version")
    assert result.returncode == OK
    assert re.fullmatch(r"ofono-mcp \d+\.\d+\.\d+\n", result.stdout)


@pytest.mark.parametrize("arguments", [
    [], ["fly"], ["--fly"], ["serve", "--fly"], ["serve", "extra"], ["serve", "--listen"],
    ["serve", "--listen", "nowhere"], ["serve", "--listen", "127.0.0.1"],
    ["serve", "--listen", "127.0.0.1:0x50"], ["serve", "--listen", "127.0.0.1:65536"],
    ["serve", "--listen", "localhost:9531"], ["serve", "--state-dir", ""],
    ["serve", "--config", "/nonexistent.conf"],
    ["revoke"], ["pair", ""], ["pair", "one", "two"], ["pair", "--fly", "one"],
    ["pair", "x" * 64],
])
def test_wrong_arguments_are_a_usage_error(arguments: list[str]) -> None:
    result = run(*arguments)
    assert (result.returncode, result.stdout) == (USAGE, "")
    assert result.stderr.strip()


def test_a_relative_state_folder_is_taken_from_the_current_folder() -> None:
    printed = run("serve", "--print-config", "--state-dir", "not/absolute").stdout
    assert f"state_dir = {Path.cwd()}/not/absolute\n" in printed
    findings = json.loads(run("doctor", "--json", "--state-dir", "not/absolute").stdout)["findings"]
    assert [f["level"] for f in findings if f["about"] == "configuration"] == ["ok"]


# ---- configuration ----------------------------------------------------------------

GOOD = """\
# a comment
[server]
listen = 127.0.0.1:1234
listen = [::1]:1234
open = yes
max_connections = 10
[sms]
  max_segments = 5
send_wait_seconds=0
[log]
verbose = no
"""


@pytest.mark.parametrize("text", [
    "", "\n\n", GOOD, GOOD.replace("\n", "\r\n"), "[sms]\n"])
def test_check_config_accepts_a_valid_file(folder: Path, text: str) -> None:
    file = folder / "good.conf"
    file.write_text(text)
    result = run("serve", "--check-config", "--config", file)
    assert (result.returncode, result.stderr) == (OK, "")
    assert list(folder.iterdir()) == [file]         # checking creates no file


@pytest.mark.parametrize("make", [
    os.mkfifo, lambda path: path.symlink_to("/dev/zero"), Path.mkdir,
    lambda path: path.write_text("#" * (1 << 20) + "\n"),
    lambda path: (path.write_text(GOOD), path.chmod(0o666)),
    lambda path: (path.write_text(GOOD), path.chmod(0o620)),
], ids=["fifo", "endless", "folder", "large", "writable", "group writable"])
def test_an_unfit_configuration_file_is_refused_at_once(
        folder: Path, make: Callable[[Path], object]) -> None:
    file = folder / "odd.conf"
    make(file)
    for command in (["serve", "--check-config"], ["serve"], ["list"]):
        result = run(*command, "--config", file, "--state-dir", folder / "state")
        assert result.returncode == USAGE and f"{file}: " in result.stderr, result.stderr
    doctor = json.loads(run("doctor", "--json", "--config", file).stdout)
    assert [one["level"] for one in doctor["findings"] if one["about"] == "configuration"] \
        == ["problem"]


@pytest.mark.skipif(os.getuid() != 0, reason="only root can give a file away")
def test_a_configuration_or_state_folder_of_another_user_is_refused(folder: Path) -> None:
    file, state = folder / "theirs.conf", folder / "state"
    file.write_text(GOOD)
    os.chown(file, 1, 1)
    result = run("serve", "--check-config", "--config", file)
    assert result.returncode == USAGE and f"{file}: " in result.stderr
    os.chown(file, 0, 0)
    state.mkdir(mode=0o700)
    os.chown(state, 1, 1)
    result = run("serve", "--config", file, "--state-dir", state)
    assert result.returncode != OK and str(state) in result.stderr
    assert not list(state.glob("gateway.db*"))


@pytest.mark.skipif(os.getuid() != 0, reason="only root can give a file away")
def test_a_foreign_journal_is_not_applied(folder: Path) -> None:
    state = folder / "state"
    assert run("pair", "one", "--state-dir", state).returncode == OK
    journal = state / "gateway.db-journal"
    journal.write_bytes(b"x" * 4096)
    os.chown(journal, 1, 1)
    result = run("pair", "two", "--state-dir", state)
    assert result.returncode != OK and "-journal" in result.stderr
    assert journal.read_bytes() == b"x" * 4096


def test_errors_of_the_configuration_escape_what_they_quote(folder: Path) -> None:
    file = folder / "hostile.conf"
    file.write_text("[sms]\nmax\u202esegments\x1b[2J = 3\n")
    for check in (["--check-config"], []):
        result = run("serve", *check, "--config", file, "--state-dir", folder / "state")
        assert result.returncode == USAGE and f"{file}:2: " in result.stderr
        assert not {"\x1b", "\u202e"} & set(result.stderr)


@pytest.mark.parametrize("text,line,words", [
    ("[sms]\nmax_segment = 3\n", 2, ["sms.max_segment", "unknown key", "max_segments"]),
    ("[server]\nmax_segments = 3\n", 2, ["server.max_segments", "unknown key"]),
    ("[sever]\nopen = yes\n", 1, ["sever", "unknown section"]),
    ("max_segments = 3\n", 1, ["before any section"]),
    ("[sms]\nmax_segments = many\n", 2, ["sms.max_segments", "whole number"]),
    ("[sms]\nmax_segments = 0\n", 2, ["sms.max_segments", "from 1 to 20"]),
    ("[sms]\nmax_segments =\n", 2, ["sms.max_segments", "empty"]),
    ("[sms]\nmax_segments = 3\nmax_segments = 4\n", 3, ["sms.max_segments", "line 2"]),
    ("[server]\nlisten = nowhere\n", 2, ["server.listen", "ADDRESS:PORT"]),
    ("[sms]\nwords without sense\n", 2, ["KEY = VALUE"]),
    ("[log]\nverbose = \x01\n", 2, ["control character"]),
])
@pytest.mark.parametrize("check", [["--check-config"], []])
def test_a_bad_configuration_names_file_and_line(
        folder: Path, check: list[str], text: str, line: int, words: list[str]) -> None:
    file = folder / "bad.conf"
    file.write_text(text)
    state = folder / "state"
    result = run("serve", *check, "--config", file, "--state-dir", state)
    assert (result.returncode, result.stdout) == (USAGE, "")
    assert f"{file}:{line}: " in result.stderr
    assert all(word in result.stderr for word in words), result.stderr
    assert not state.exists()


def test_check_config_refuses_an_invalid_certificate(folder: Path) -> None:
    """Whatever would prevent the start is reported."""
    file = folder / "bad.conf"
    file.write_text(f"[server]\ntls_certificate = {file}\ntls_key = {file}\n")
    result = run("serve", "--check-config", "--config", file)
    assert (result.returncode, result.stdout) == (USAGE, "")
    assert f"{file}: is not a PEM certificate" in result.stderr


def test_a_printed_configuration_can_be_read_back(folder: Path) -> None:
    options = ["--listen", "127.0.0.1:1234", "--listen", "[::1]:1235", "--open",
               "--verbose", "--state-dir", "/somewhere"]
    printed = run("serve", "--print-config", *options)
    file = folder / "printed.conf"
    file.write_text(printed.stdout)
    again = run("serve", "--print-config", "--config", file)
    assert (printed.returncode, again.returncode) == (OK, OK)
    assert again.stdout == printed.stdout
    for line in ("listen = 127.0.0.1:1234", "listen = [::1]:1235", "open = yes",
                 "verbose = yes", "state_dir = /somewhere"):
        assert f"\n{line}\n" in printed.stdout


def test_the_sample_is_the_printed_default(folder: Path) -> None:
    empty = folder / "empty.conf"
    empty.touch()
    sample = ROOT / "etc" / "ofono-mcp.conf"
    assert sample.read_text() == run("serve", "--print-config", "--config", empty).stdout
    assert run("serve", "--check-config", "--config", sample).returncode == OK


def test_options_override_the_file(folder: Path) -> None:
    file = folder / "gateway.conf"
    ports = free_port(), free_port()
    file.write_text(f"[server]\nlisten = 127.0.0.1:{ports[0]}\n")
    options = "--config", str(file), "--listen", f"127.0.0.2:{ports[1]}"
    with serving(folder, *options) as gateway:
        assert answers("127.0.0.1", gateway.port)
        assert answers("127.0.0.2", ports[1])
        assert not answers("127.0.0.1", ports[0])


def answers(address: str, port: int) -> bool:
    try:
        with McpClient(port, address) as client:
            return client.call("ping").result == {}
    except ConnectionRefusedError:
        return False


# ---- where it listens -------------------------------------------------------------

@pytest.mark.parametrize("addresses,good", [
    (["0.0.0.0:9531"], False), (["[::]:9531"], False), (["192.0.2.1:9531"], False),
    (["127.0.0.1:9531", "0.0.0.0:9531"], False), (["[::ffff:192.0.2.1]:9531"], False),
    (["127.0.0.1:9531"], True), (["127.9.9.9:9531"], True), (["[::1]:9531"], True),
])
def test_open_is_allowed_on_loopback_only(addresses: list[str], good: bool) -> None:
    listen = [option for address in addresses for option in ("--listen", address)]
    result = run("serve", "--open", "--check-config", *listen)
    assert result.returncode == (OK if good else USAGE)
    if not good:
        assert addresses[-1] in result.stderr
        assert "loopback" in result.stderr


def test_a_port_the_unit_forbids_is_explained(folder: Path, monkeypatch: pytest.MonkeyPatch
                                             ) -> None:
    monkeypatch.setenv("GATEWAY_WRAPPER",
                       "strace -f -o /dev/null -e trace=bind -e inject=bind:error=EPERM")
    result = run("serve", "--open", "--listen", "127.0.0.1:8080", "--state-dir", folder)
    assert result.returncode == FAILED
    assert "127.0.0.1:8080: the service is not allowed to use this port" in result.stderr
    assert "SocketBindAllow=tcp:PORT" in result.stderr


# ---- tokens -----------------------------------------------------------------------

def status(gateway: Gateway, authorization: str | None) -> int:
    with McpClient(gateway.port) as client:
        if authorization is not None:
            client.headers["Authorization"] = authorization
        return client.call("tools/list").status


def test_pairing_works_before_the_first_start(folder: Path) -> None:
    gateway = Gateway(folder, NoBus(), open=False)
    token = pair(gateway, "agent")
    with serving(folder, open=False) as gateway:
        assert status(gateway, f"Bearer {token}") == 200


def test_a_start_without_pairings_logs_how_to_pair(folder: Path) -> None:
    with serving(folder, open=False) as gateway:
        assert "ofono-mcp pair" in gateway.log


# ---- its files --------------------------------------------------------------------

def mode(path: Path) -> int:
    return stat.S_IMODE(path.stat().st_mode)


@pytest.fixture
def careless() -> Iterator[None]:
    before = os.umask(0)
    yield
    os.umask(before)


def test_files_are_accessible_to_the_owner_only(folder: Path, careless: None) -> None:
    state = folder / "made by itself"
    with serving(folder, "--state-dir", str(state)):
        assert mode(state) == 0o700
        wait_until((state / "spool").exists, what="the spool is made")
        assert mode(state / "spool") == 0o700
        files = [file for file in state.iterdir() if file.is_file()]
        assert state / "gateway.db" in files
        assert {mode(file) for file in files} == {0o600}


@pytest.mark.parametrize("bits", [0o020, 0o002, 0o1777], ids=oct)
def test_a_state_folder_that_others_may_write_is_refused(folder: Path, bits: int) -> None:
    """By the gateway, and by commands that work without one; doctor reports it."""
    state = folder / "state"
    state.mkdir(0o700)
    state.chmod(0o700 | bits)
    refused = "others may write there"
    served = run("serve", "--open", "--listen", "127.0.0.1:1", "--state-dir", state)
    assert served.returncode == 1 and refused in served.stderr, served
    paired = run("pair", "--state-dir", state, "laptop")
    assert paired.returncode == 1 and refused in paired.stderr, paired
    assert not list(state.glob("gateway.db*"))
    told = run("doctor", "--state-dir", state).stdout
    assert f"other users may write to {state}" in told and f"chmod go-w {state}" in told
    state.chmod(0o755)
    assert run("pair", "--state-dir", state, "laptop").returncode == 0
    assert refused not in run("doctor", "--state-dir", state).stdout


def make_store(folder: Path) -> Path:
    """The store of a gateway that has run."""
    with serving(folder) as gateway:
        pass
    return gateway.state / "gateway.db"


def set_version(file: Path, version: int) -> None:
    with closing(sqlite3.connect(file)) as database:
        database.execute(f"PRAGMA user_version = {version}")


@pytest.mark.parametrize("damage", [
    lambda file: file.write_bytes(b"not a database, but somebody's only copy " * 100),
    lambda file: file.write_bytes(file.read_bytes()[:5000]),
    lambda file: file.write_bytes(b"\0" * 4096 + file.read_bytes()[4096:]),
    lambda file: file.write_bytes(b""),
    lambda file: set_version(file, 4711),
], ids=["other content", "cut", "first page lost", "empty", "newer"])
def test_pair_does_not_change_a_damaged_store(
        folder: Path, damage: Callable[[Path], None]) -> None:
    file = make_store(folder)
    damage(file)
    before = file.read_bytes()
    paired = run("pair", "--state-dir", file.parent, "agent")
    assert (paired.returncode, paired.stdout) == (FAILED, "")
    assert file.read_bytes() == before


def test_an_unusable_state_folder_is_an_error(folder: Path) -> None:
    (folder / "file").touch()
    result = run("serve", "--open", "--listen", f"127.0.0.1:{free_port()}",
                 "--state-dir", folder / "file")
    assert result.returncode == FAILED
    assert str(folder / "file") in result.stderr


# ---- systemd ----------------------------------------------------------------------

def test_systemd_gets_ready_status_and_stopping(folder: Path, systemd: Systemd) -> None:
    with serving(folder):
        systemd.wait("READY=1")
        systemd.wait("STATUS=")
        assert not any(line.startswith(("WATCHDOG", "STOPPING"))
                       for line in systemd.heard)
    systemd.wait("STOPPING=1")


def test_the_watchdog_is_pinged_in_time(
        folder: Path, systemd: Systemd, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("WATCHDOG_USEC", "200000")
    begun = time.monotonic()
    with serving(folder):
        systemd.wait("WATCHDOG=1", count=4)
    assert time.monotonic() - begun < patience(4 * 0.2 + 1)


def test_the_gateway_runs_in_one_thread(
        lab: Lab, agent: Agent, background: ThreadPoolExecutor) -> None:
    """The loop that works also feeds the watchdog; calls wait without threads."""
    lab.modems[0].plan(Outcome.hang())
    calls = [background.submit(agent.send, f"waits {i}", agent.ids()[0]) for i in range(5)]
    try:
        lab.modems[0].wait_offered(1)
        assert len(os.listdir(f"/proc/{lab.gateway.pid}/task")) == 1
    finally:
        lab.modems[0].unhang(Outcome.ok())
    for call in calls:
        assert_sent(call.result())


def test_the_status_counts_the_sims(lab: Lab, systemd: Systemd) -> None:
    lab.gateway.restart()
    systemd.wait("2 of 2 SIMs can send")
    lab.modems[0].set_registration(2)
    systemd.wait("1 of 2 SIMs can send")
    lab.modems[0].set_registration(1)
    systemd.wait("2 of 2 SIMs can send", count=2)


def test_the_status_is_right_after_a_quick_restart_of_ofono(
        lab: Lab, systemd: Systemd) -> None:
    lab.gateway.restart()
    systemd.wait("2 of 2 SIMs can send")
    systemd.heard.clear()
    lab.ofonod.kill()
    systemd.wait("oFono is not running; 0 of 0 SIMs can send")
    lab.ofonod.start()
    lab.bring_up()
    systemd.wait("2 of 2 SIMs can send")


def test_the_status_reports_a_damaged_message_store(
        make_lab: Callable[..., Lab], systemd: Systemd) -> None:
    lab = make_lab(modem_count=2)
    lab.gateway.stop()
    (lab.gateway.state / "gateway.db").write_bytes(b"damaged" * 1000)
    lab.gateway.start()
    systemd.wait("2 of 2 SIMs can send; the message store was damaged and is now at ")


def test_the_status_says_why_it_cannot_start(folder: Path, systemd: Systemd) -> None:
    file = make_store(folder)
    set_version(file, 4711)
    systemd.heard.clear()
    run("serve", "--open", "--listen", f"127.0.0.1:{free_port()}",
        "--state-dir", file.parent)
    systemd.wait("STATUS=cannot start: ")
    assert "READY=1" not in systemd.heard[systemd.heard.index("STOPPING=1"):]


# ---- at rest ----------------------------------------------------------------------

IDLE_S = 2
WAKEUPS = 5


def wakeups(pid: int) -> int:
    text = Path(f"/proc/{pid}/status").read_text()
    return int(re.search(r"^voluntary_ctxt_switches:\s+(\d+)$", text, re.MULTILINE)[1])


def wait_asleep(pid: int) -> None:
    """Work that a gateway does once, seconds after its start, may come in between."""
    def is_asleep() -> bool:
        before = wakeups(pid)
        time.sleep(IDLE_S)              # what is measured is that nothing happens
        return wakeups(pid) - before <= WAKEUPS
    wait_until(is_asleep, what=f"at most {WAKEUPS} wake-ups in {IDLE_S} s")


def test_an_idle_gateway_sleeps(lab: Lab, agent: Agent, client: McpClient) -> None:
    """With two modems and a connected client that requests nothing."""
    client.initialize()
    assert_sent(agent.send("busy until here", agent.ids()[0]))
    wait_asleep(lab.gateway.pid)


def test_a_gateway_that_waits_for_a_modem_sleeps(
        lab: Lab, agent: Agent, background: ThreadPoolExecutor) -> None:
    lab.modems[0].plan(Outcome.hang())
    call = background.submit(agent.send, "hanging", agent.ids()[0])
    try:
        lab.modems[0].wait_offered(1)
        wait_asleep(lab.gateway.pid)
    finally:
        lab.modems[0].unhang(Outcome.ok())
    assert_sent(call.result())


# ---- the log ----------------------------------------------------------------------

SECRET_TEXT = "The treasure lies under the third oak"
SECRET_NUMBER = "+36307654321"


@pytest.mark.parametrize("verbose", [False, True])
def test_the_log_contains_no_text_and_no_token(
        make_lab: Callable[..., Lab], verbose: bool) -> None:
    lab = make_lab("[sms]\nsend_wait_seconds = 1\n", modem_count=1, gateway_open=False,
                   gateway_args=["--verbose"] if verbose else [])
    token = pair(lab.gateway, "agent")
    agent, modem = Agent(lab, token), lab.modems[0]
    agent.wait_states("ready", timeout=10)
    assert_sent(agent.send(SECRET_TEXT, to=SECRET_NUMBER), SECRET_NUMBER)
    modem.plan(Outcome.cms(38))
    assert_refused(agent.send(SECRET_TEXT, to=SECRET_NUMBER), "network_refused")
    assert_refused(agent.send(SECRET_TEXT + " 😀", to=SECRET_NUMBER), "invalid_text")
    assert_refused(agent.send(SECRET_TEXT * 20, to=SECRET_NUMBER), "text_too_long")
    assert_refused(agent.send(SECRET_TEXT, to=SECRET_NUMBER + "x"), "invalid_number")
    modem.plan(Outcome.hang())
    assert_pending(agent.send(SECRET_TEXT, to=SECRET_NUMBER), "submitted")
    lab.gateway.kill()
    lab.gateway.start()
    modem.unhang(Outcome.ok())
    wrong = "f00d" * 16
    assert status(lab.gateway, f"Bearer {wrong}") == 401
    with McpClient(lab.gateway.port, token=token) as client:
        client.post(b'{"text": "' + SECRET_TEXT.encode() + b'"')
        client.request("PUT", f"/mcp?token={token}", headers=client.headers)
    log = lab.gateway.log
    assert "message 1: sent" in log                 # the log does say what happens
    for secret in (SECRET_TEXT, "treasure", token, wrong, modem.sim.puk):
        assert secret not in log
    if not verbose:
        assert SECRET_NUMBER.strip("+") not in log
        assert SECRET_NUMBER[3:] not in log
