# SPDX-License-Identifier: GPL-2.0-or-later
"""What the message store keeps: retention, a full disk, damage, backup and restore."""

from __future__ import annotations

import errno
import json
import os
import re
import shutil
import signal
import sqlite3
import subprocess
import threading
import time
from collections.abc import Callable, Iterator
from concurrent.futures import ThreadPoolExecutor
from contextlib import closing, contextmanager
from pathlib import Path
from typing import Any

import pytest

from agent import TO, Agent, assert_refused, assert_sent
from journal import Journal
from lab import Lab, wait_until
from lab.gateway import BINARY, free_port
from lab.process import as_from_a_shell
from modem.patience import patience
from other_users import with_other_users
from terminal import on_terminal
from wire import rpc

SENDER = "+36201234567"
PAGE = 4096
UNFINISHED = "(1, 2, 3, 4, 10, 11)"
MESSAGE_NUMBER = """WITH RECURSIVE n (i) AS (SELECT 1 UNION ALL SELECT i + 1 FROM n
                    WHERE i < ?) """


def run(*arguments: str | Path) -> subprocess.CompletedProcess[str]:
    return subprocess.run([str(BINARY), *map(str, arguments)], capture_output=True,
                          text=True, timeout=patience(60), check=False)


def rows(file: Path, sql: str, *values: Any) -> list[Any]:
    with closing(sqlite3.connect(f"file:{file}?mode=ro", uri=True)) as database:
        return database.execute(sql, values).fetchall()


def change(file: Path, sql: str, *values: Any) -> None:
    with closing(sqlite3.connect(file)) as database, database:
        database.execute(sql, values)


def ledger(lab: Lab) -> Path:
    return lab.gateway.state / "gateway.db"


def count(lab: Lab) -> int:
    return rows(ledger(lab), "SELECT count(*) FROM message")[0][0]


def assert_consistent(file: Path) -> None:
    """The counters that triggers keep equal a fresh count, and every page is sound."""
    assert rows(file, "PRAGMA integrity_check") == [("ok",)]
    counted = rows(file, "SELECT phone_number, max(id), count(*), sum(direction = 1 AND"
                         " read_at = 0) FROM message GROUP BY phone_number ORDER BY phone_number")
    assert counted == rows(file, "SELECT phone_number, last_id, messages, unread"
                                 " FROM conversation ORDER BY phone_number")
    assert rows(file, "SELECT count(*) FROM message_change WHERE message_id NOT IN"
                      " (SELECT id FROM message)") == [(0,)]


def listed(lab: Lab, **arguments: Any) -> dict[str, Any]:
    return Agent(lab).call("list_sms", **arguments).structured


def gap_reasons(lab: Lab) -> list[str]:
    return [gap["reason"] for gap in listed(lab)["gaps"]]


def receive(lab: Lab, *texts: str) -> None:
    for text in texts:
        lab.modems[0].deliver(SENDER, text)


def wait_texts(lab: Lab, *texts: str, timeout: float = 10) -> None:
    def found() -> bool:
        known = {text for text, in rows(ledger(lab), "SELECT text FROM message")}
        return set(texts) <= known
    wait_until(found, timeout, f"{texts} are on disk")


# ---- retention --------------------------------------------------------------------

def test_keep_messages_limits_the_store_under_load(
        make_lab: Callable[..., Lab]) -> None:
    lab = make_lab("delivery_reports = no\n[store]\nkeep_messages = 20\n", modem_count=1)
    first = listed(lab)["wait_cursor"]
    with ThreadPoolExecutor(4) as pool:
        calls = [pool.submit(Agent(lab).send, f"out {i}") for i in range(30)]
        receive(lab, *(f"in {i}" for i in range(30)))
        for call in calls:
            assert_sent(call.result())
    wait_texts(lab, "in 29")
    wait_until(lambda: count(lab) == 20, what="the others are gone")
    assert_consistent(ledger(lab))
    kept = listed(lab, limit=100)
    assert kept["count"] == 20
    ids = [message["message_id"] for message in kept["messages"]]
    assert ids == list(range(60, 40, -1))
    assert_refused(Agent(lab).call("get_sms_status", history=True, message_id=5), "not_found")
    conversations = Agent(lab).call("list_sms_conversations").structured
    assert conversations["count"] == len({m.get("from", m.get("to")) for m in kept["messages"]})
    # cursors outlive their messages
    waited = Agent(lab).call("wait_for_sms", after=first, timeout_seconds=1).structured
    assert not waited.get("timed_out", False)
    page = listed(lab, limit=5)
    receive(lab, *(f"later {i}" for i in range(30)))
    wait_texts(lab, "later 29")
    wait_until(lambda: count(lab) == 20, what="the others are gone")
    assert listed(lab, limit=5, cursor=page["next_cursor"])["messages"] == []
    assert_sent(Agent(lab).send("and on it goes"))


def fill(file: Path, messages: int) -> None:
    change(file, "INSERT OR IGNORE INTO sim (id, iccid, first_seen) VALUES (99, 'X', 1)")
    change(file, MESSAGE_NUMBER +
           "INSERT INTO message (direction, sim_id, phone_number, text, state, created,"
           " changed) SELECT 1, 99, '+36' || (i % 50), 'a text of some length ' || i, 9,"
           " i, i FROM n", messages)
    # Nothing has put them into the search index: the gateway does it.
    change(file, "UPDATE message_index SET text_from = (SELECT max(id) + 1 FROM message),"
                 " kind_from = text_from")


@contextmanager
def pinging(lab: Lab) -> Iterator[list[float]]:
    """How long each call takes that is made meanwhile."""
    times: list[float] = []
    over = threading.Event()

    def ping() -> None:
        with lab.client() as client:
            while not over.is_set():
                begun = time.monotonic()
                client.call("ping")
                times.append(time.monotonic() - begun)
    thread = threading.Thread(target=ping)
    thread.start()
    try:
        yield times
    finally:
        over.set()
        thread.join()


STALL_S = 0.5       # measured: some hundredths, on a quiet machine


def test_deleting_old_messages_blocks_no_call(make_lab: Callable[..., Lab]) -> None:
    """KEEPING_MESSAGES=100000 measures the figures of the documents."""
    messages = int(os.environ.get("KEEPING_MESSAGES", "10000"))
    lab = make_lab("[store]\nkeep_messages = 100\n", modem_count=1)
    lab.gateway.stop()
    fill(ledger(lab), messages)
    size = ledger(lab).stat().st_size
    begun = time.monotonic()
    lab.gateway.start()
    with pinging(lab) as times:
        wait_until(lambda: count(lab) == 100, 30 + messages / 100, "the others are gone")
        wait_until(lambda: rows(ledger(lab), "PRAGMA freelist_count")[0][0] <= 64, 60,
                   "room is back")
        wait_until(lambda: ledger(lab).with_name("gateway.db-wal").stat().st_size == 0,
                   what="the -wal is empty")
    # Pieces of removed texts stay in the search index until it is merged, once a day.
    assert ledger(lab).stat().st_size < size * 3 / 4
    assert len(times) > 50
    print(f"\n{messages} messages: {len(times)} calls, the longest {max(times):.3f} s; "
          f"{time.monotonic() - begun:.1f} s in all; {size} bytes became "
          f"{ledger(lab).stat().st_size}")
    assert max(times) < patience(STALL_S)
    assert_consistent(ledger(lab))


# ---- the disk fills ----------------------------------------------------------------

def disk_lab(make_lab: Callable[..., Lab], **options: object) -> Lab:
    """A gateway whose disk has 8 MiB, of which 4 are reserved."""
    lab = make_lab("[store]\nreserve_mib = 4\n", modem_count=1, **options)
    lab.gateway.stop()
    lab.gateway.disk = "8m"
    lab.gateway.start()
    if options.get("gateway_open", True):
        Agent(lab).wait_states("ready", timeout=10)
    return lab


def pair_in(state: Path, name: str) -> str:
    """Returns the client's token."""
    [token] = set(re.findall(r"\b[0-9a-f]{64}\b",
                             run("pair", "--state-dir", state, name).stdout))
    return token


def status_of(lab: Lab, token: str) -> int:
    with lab.client() as client:
        client.headers["Authorization"] = f"Bearer {token}"
        return client.post(rpc("tools/list")).status


def assert_served(lab: Lab, *tokens: str) -> None:
    assert [status_of(lab, token) for token in tokens] == [200] * len(tokens)


def assert_refused_token(lab: Lab, token: str) -> None:
    assert status_of(lab, token) == 401


def wait_listed(lab: Lab, *texts: str, timeout: float = 10) -> None:
    """Waits until these messages are listed in this order. Only the gateway sees the disk
    itself."""
    def found() -> bool:
        messages = listed(lab, direction="in", limit=100)["messages"]
        return [message["text"] for message in reversed(messages)] == list(texts)
    wait_until(found, timeout, f"{texts} are listed")


def take_room(lab: Lab, leave: int) -> Path:
    """Fills the gateway's disk except for that many bytes; the gateway may write meanwhile."""
    file = lab.gateway.state_seen / "ballast"

    def surplus() -> int:
        status = os.statvfs(file.parent)
        return status.f_bavail * status.f_frsize - leave

    with file.open("ab", buffering=0) as ballast:
        try:
            while (room := surplus()) > 0:
                ballast.write(b"\0" * room)
        except OSError as error:
            assert error.errno == errno.ENOSPC
    return file


def test_sends_are_refused_before_the_disk_is_full(
        make_lab: Callable[..., Lab]) -> None:
    lab = disk_lab(make_lab)
    assert_sent(Agent(lab).send("before"))
    ballast = take_room(lab, leave=2 << 20)
    refused = Agent(lab).send("no room")
    assert_refused(refused, "storage_full")
    assert "reserved" in refused.text and "free space" in refused.text
    tried = Agent(lab).call("send_sms", to_phone_number=TO, sms_text="x", dry_run=True)
    assert [refusal["code"] for refusal in tried.structured["refusals"]] == [
        "storage_full"]
    receive(lab, "still heard")
    wait_listed(lab, "still heard")
    ballast.unlink()
    assert_sent(Agent(lab).send("after"))
    assert [submit.text for submit in lab.modems[0].taken] == ["before", "after"]
    assert "less than 4 MiB" in lab.gateway.log
    assert "room on the disk again" in lab.gateway.log


def test_incoming_messages_on_a_full_disk_are_stored_later(
        make_lab: Callable[..., Lab]) -> None:
    lab = disk_lab(make_lab)
    receive(lab, "before")
    wait_listed(lab, "before")
    ballast = take_room(lab, leave=0)
    texts = [f"{i} " + "x" * 100 for i in range(60)]
    receive(lab, *texts)
    wait_until(lambda: "kept in memory" in lab.gateway.log, what="the disk is full")
    assert_refused(Agent(lab).send("no room"), "storage_full")
    assert Agent(lab).states() == ["ready"]
    ballast.unlink()
    wait_listed(lab, "before", *texts, timeout=15)
    assert_sent(Agent(lab).send("after"))


def test_a_revocation_works_on_a_full_disk(make_lab: Callable[..., Lab]) -> None:
    """It takes effect at once, says that it ends with the gateway, and is written when there
    is room."""
    lab = disk_lab(make_lab, gateway_open=False)
    state = lab.gateway.state_seen
    stolen, other = (pair_in(state, name) for name in ("stolen", "other"))
    assert_served(lab, stolen, other)
    ballast = take_room(lab, leave=0)
    revoked = run("revoke", "--state-dir", state, "stolen")
    assert (revoked.returncode, revoked.stderr) == (1, ""), revoked
    assert "stolen may no longer use this gateway." in revoked.stdout
    assert "until the gateway stops" in revoked.stdout
    assert_refused_token(lab, stolen)
    assert_served(lab, other)
    assert "stolen" not in run("clients", "--state-dir", state).stdout
    ballast.unlink()
    wait_until(lambda: status_of(lab, stolen) == 401 and "is on disk now" in lab.gateway.log,
               what="the disk has it")
    again = run("revoke", "--state-dir", state, "stolen")
    assert again.returncode == 1 and "there is no paired agent stolen" in again.stderr
    assert_served(lab, other)


# ---- damage -----------------------------------------------------------------------

def overwrite(file: Path, offset: int, data: bytes) -> None:
    with file.open("r+b") as stream:
        stream.seek(offset)
        stream.write(data)


def middle_of_messages(file: Path) -> int:
    """The offset of a page with messages."""
    [(page,)] = rows(file, "SELECT pageno FROM dbstat WHERE name = 'message' AND"
                           " pagetype = 'leaf' ORDER BY path LIMIT 1 OFFSET 1")
    return (page - 1) * PAGE


DAMAGES: dict[str, Callable[[Path], None]] = {
    "header": lambda file: overwrite(file, 0, b"\0" * 100),
    "first page": lambda file: overwrite(file, 0, b"\x55" * PAGE),
    "messages": lambda file: overwrite(file, middle_of_messages(file), b"\x55" * PAGE),
    "half": lambda file: os.truncate(file, file.stat().st_size // 2 // PAGE * PAGE),
    "a byte": lambda file: os.truncate(file, 1),
    "empty": lambda file: os.truncate(file, 0),
    "text": lambda file: file.write_text("somebody's notes\n" * 1000) and None,
}


@pytest.mark.parametrize("damage", DAMAGES.values(), ids=DAMAGES)
def test_a_damaged_message_store_is_moved_aside(
        make_lab: Callable[..., Lab], damage: Callable[[Path], None]) -> None:
    lab = make_lab(modem_count=1)
    file = ledger(lab)
    assert_sent(Agent(lab).send("before"))
    lab.gateway.stop()
    fill(file, 200)
    last = rows(file, "SELECT max(id) FROM message")[0][0]
    damage(file)
    content = file.read_bytes()
    lab.gateway.start()
    Agent(lab).wait_states("ready", timeout=10)
    [aside] = [name for name in file.parent.glob("gateway.db.damaged-*")
               if not name.name.endswith(("-wal", "-shm"))]
    assert aside.read_bytes() == content
    assert "THE MESSAGE STORE WAS DAMAGED" in lab.gateway.log
    assert str(aside) in lab.gateway.log
    assert "store_damaged" in gap_reasons(lab)
    receive(lab, "still heard")
    wait_texts(lab, "still heard")
    sent = Agent(lab).send("goes on")
    assert_sent(sent)
    assert sent.message_id > last
    absent = Agent(lab).call("get_sms_status", idempotency_key="was it sent")
    assert_refused(absent, "not_found")
    assert "damaged" in absent.text and "safe to send" not in absent.text
    assert_consistent(file)
    lab.gateway.restart()                       # and from now on it is a message store
    assert len(list(file.parent.glob("gateway.db.damaged-*Z"))) == 1


@pytest.mark.parametrize("offset", [0, 32 + 24 + 100], ids=["header", "first frame"])
def test_a_damaged_wal_file_causes_no_second_send(
        make_lab: Callable[..., Lab], offset: int) -> None:
    """The states in that file alone would be forgotten, and a message sent twice."""
    lab = make_lab(modem_count=1)
    for number in range(5):
        assert_sent(Agent(lab).send(f"message {number}"))
    lab.gateway.kill()
    overwrite(lab.gateway.state / "gateway.db-wal", offset, b"\x55" * 16)
    lab.gateway.start()
    Agent(lab).wait_states("ready", timeout=10)
    assert "THE MESSAGE STORE WAS DAMAGED" in lab.gateway.log
    assert rows(ledger(lab), "SELECT count(*) FROM message"
                             f" WHERE state IN {UNFINISHED}") == [(0,)]
    assert_sent(Agent(lab).send("goes on"))
    assert [submit.text for submit in lab.modems[0].offered] == [
        *(f"message {number}" for number in range(5)), "goes on"]


def test_tokens_sims_and_keys_survive_a_lost_page(make_lab: Callable[..., Lab]) -> None:
    lab = make_lab(modem_count=1, gateway_open=False)
    file = ledger(lab)
    paired = run("pair", "--state-dir", lab.gateway.state, "laptop").stdout
    token = paired.split("token")[1].split()[0]
    agent = Agent(lab, token)
    wait_until(lambda: agent.states() == ["ready"], 10, "the SIM is ready")
    [sim] = agent.ids()
    sent = agent.call("send_sms", to_phone_number=TO, sms_text="once",
                      idempotency_key="the kept key")
    assert_sent(sent)
    lab.gateway.stop()
    fill(file, 200)
    overwrite(file, middle_of_messages(file), b"\x55" * PAGE)
    lab.gateway.start()
    wait_until(lambda: agent.states() == ["ready"], 10, "the SIM is ready")
    assert agent.ids() == [sim]
    again = agent.call("send_sms", to_phone_number=TO, sms_text="once",
                       idempotency_key="the kept key")
    assert again.message_id == sent.message_id and again.structured["replayed"]
    assert [submit.text for submit in lab.modems[0].taken] == ["once"]
    with lab.client() as client:                # and nobody else gained access
        assert client.call("ping").status == 401


def test_damage_found_while_running_refuses_sends(make_lab: Callable[..., Lab]) -> None:
    lab = make_lab(modem_count=1)
    file = ledger(lab)
    lab.gateway.stop()
    fill(file, 40_000)                          # more than fits into memory
    lab.gateway.start()
    Agent(lab).wait_states("ready", timeout=10)
    last = rows(file, "SELECT max(id) FROM message")[0][0]
    for page in range(1, file.stat().st_size // PAGE):
        overwrite(file, page * PAGE, b"\x55" * PAGE)
    wait_until(lambda: Agent(lab).call("list_sms", search="nowhere to be found").is_error,
               what="the damage is met")
    assert_refused(Agent(lab).send("not now"), "internal")
    assert lab.modems[0].offered == []
    assert "THE MESSAGE STORE IS DAMAGED" in lab.gateway.log
    lab.gateway.stop()
    lab.gateway.start()
    Agent(lab).wait_states("ready", timeout=10)
    assert list(file.parent.glob("gateway.db.damaged-*"))
    sent = Agent(lab).send("goes on")
    assert_sent(sent)
    assert sent.message_id > last


def test_sends_are_refused_while_the_message_store_is_removed(make_lab: Callable[..., Lab]) -> None:
    """Clients are told that, and not to free space."""
    lab = make_lab(modem_count=1)
    assert_sent(Agent(lab).send("before"))
    file = ledger(lab).rename(lab.folder / "elsewhere")
    for _ in range(2):
        refused = Agent(lab).send("no ledger")
        assert_refused(refused, "internal")
        assert "message store was removed" in refused.text
    status = Agent(lab).call("get_gateway_status", detail=True).structured
    assert "message store was removed" in status["why_not"]
    file.rename(ledger(lab))
    assert_sent(Agent(lab).send("after"))
    assert [submit.text for submit in lab.modems[0].offered] == ["before", "after"]


def test_removing_the_wal_file_loses_no_messages(make_lab: Callable[..., Lab]) -> None:
    """What was only in it, and what would be written to it, ended with the process."""
    lab = make_lab(modem_count=1)
    log = lab.gateway.state / "gateway.db-wal"
    assert_sent(Agent(lab).send("before"))
    log.unlink()
    receive(lab, "comes in meanwhile")
    wait_until(lambda: "gateway.db-wal is gone" in lab.gateway.log, what="it is missed")
    assert_sent(Agent(lab).send("after"))
    assert "gateway.db is back" in lab.gateway.log
    receive(lab, "later")
    wait_listed(lab, "comes in meanwhile", "later")
    lab.gateway.kill()
    lab.gateway.start()
    Agent(lab).wait_states("ready", timeout=10)
    assert {message["text"] for message in listed(lab)["messages"]} == {
        "before", "comes in meanwhile", "after", "later"}
    assert [submit.text for submit in lab.modems[0].offered] == ["before", "after"]
    assert_consistent(ledger(lab))


# ---- one gateway ------------------------------------------------------------------

def second_gateway(lab: Lab) -> subprocess.CompletedProcess[str]:
    return run("serve", "--open", "--listen", f"127.0.0.1:{free_port()}",
               "--state-dir", lab.gateway.state)


def test_a_second_gateway_is_refused(make_lab: Callable[..., Lab]) -> None:
    lab = make_lab(modem_count=1)
    result = second_gateway(lab)
    assert result.returncode == 1
    assert f"process {lab.gateway.pid}" in result.stderr
    (lab.gateway.state / "gateway.lock").unlink()
    result = second_gateway(lab)
    assert result.returncode == 1
    assert "another ofono-mcp uses it" in result.stderr
    assert_sent(Agent(lab).send("the first goes on"))
    lab.gateway.kill()                          # its lock is released
    lab.gateway.start()


# ---- backup and restore -----------------------------------------------------------

def back_up(lab: Lab, file: Path, *options: str) -> dict[str, Any]:
    result = run("backup", "--state-dir", lab.gateway.state, "--json", *options, file)
    assert result.returncode == 0, result.stderr
    return json.loads(result.stdout)


def test_a_backup_under_load_is_complete(make_lab: Callable[..., Lab]) -> None:
    lab = make_lab(modem_count=1)
    copies = []
    done: set[str] = set()
    with ThreadPoolExecutor(2) as pool:
        calls = {pool.submit(Agent(lab).send, f"out {i}"): i for i in range(40)}
        for number in range(4):
            copy = lab.folder / f"copy{number}.db"
            done = {f"out {i}" for call, i in calls.items() if call.done()}
            facts = back_up(lab, copy)
            copies.append((copy, facts, done))
        for call in calls:
            assert_sent(call.result())
    for copy, facts, done in copies:
        assert copy.stat().st_mode & 0o777 == 0o600
        assert not list(copy.parent.glob(copy.name + "?*"))
        stored = {text for text, in rows(copy, "SELECT text FROM message")}
        assert done <= stored                   # what was answered is in it
        assert (facts["messages"], facts["sims"]) == (len(stored), 1)
        assert_consistent(copy)


def restore(lab: Lab, file: Path) -> subprocess.CompletedProcess[str]:
    return run("restore", "--state-dir", lab.gateway.state, file)


def test_messages_queued_in_a_backup_are_never_sent_again(
        make_lab: Callable[..., Lab]) -> None:
    lab = make_lab(modem_count=1)
    modem = lab.modems[0]
    assert_sent(Agent(lab).send("sent"))
    modem.set_registration(2)
    Agent(lab).wait_states("searching")
    soon = time.strftime("%Y-%m-%dT%H:%M:%SZ", time.gmtime(time.time() + 3600))
    waiting = Agent(lab).call("send_sms", to_phone_number=TO, sms_text="waits",
                              send_at=soon)
    copy = lab.folder / "copy.db"
    back_up(lab, copy)
    modem.set_registration(1)
    Agent(lab).wait_states("ready")
    after = Agent(lab).send("after the backup")
    assert_sent(after)
    refused = restore(lab, copy)
    assert refused.returncode == 1
    assert f"process {lab.gateway.pid}" in refused.stderr
    lab.gateway.stop()
    result = restore(lab, copy)
    assert result.returncode == 0, result.stderr
    assert "unknown" in result.stdout
    lab.gateway.start()
    Agent(lab).wait_states("ready", timeout=10)
    status = Agent(lab).call("get_sms_status", history=True, message_id=waiting.message_id).structured
    assert (status["state"], status["reason"]) == ("unknown", "restored")
    assert "the message store is from a backup" in status["meaning"]
    assert "restored" in gap_reasons(lab)
    sent = Agent(lab).send("goes on")
    assert_sent(sent)
    assert sent.message_id > after.message_id
    assert [submit.text for submit in modem.offered] == [
        "sent", "after the backup", "goes on"]
    assert list(lab.gateway.state.glob("gateway.db.replaced-*"))


def killed_at(call: str, number: int, *arguments: str | Path) -> bool:
    """Kills the run at that occurrence of the system call; false if it ended before."""
    trace = ["strace", "-f", "-qq", "-o", "/dev/null", "-e", f"trace={call}",
             "-e", f"inject={call}:signal=KILL:when={number}"]
    ended = subprocess.run([*trace, str(BINARY), *map(str, arguments)],
                           capture_output=True, timeout=patience(60), check=False)
    assert ended.returncode in (0, -signal.SIGKILL), ended.stderr
    return ended.returncode != 0


@pytest.mark.parametrize("command", ["backup", "restore"])
def test_an_interrupted_copy_leaves_no_files(folder: Path, command: str) -> None:
    state, copy = folder / "state", folder / "copy.db"
    assert run("pair", "--state-dir", state, "laptop").returncode == 0
    assert run("backup", "--state-dir", state, copy).returncode == 0
    before = {file.name for file in [*state.iterdir(), *folder.iterdir()]}
    ended = subprocess.run(
        ["strace", "-qq", "-o", "/dev/null", "-e", "trace=pwrite64", "-e",
         "inject=pwrite64:signal=INT:when=1", str(BINARY), command, "--state-dir",
         str(state), *(["--force"] if command == "backup" else []), str(copy)],
        capture_output=True, text=True, timeout=patience(60), check=False,
        preexec_fn=as_from_a_shell)
    assert ended.returncode == 1 and "interrupted" in ended.stderr, ended
    assert {file.name for file in [*state.iterdir(), *folder.iterdir()]} == before
    assert run("restore", "--state-dir", state, copy).returncode == 0


@pytest.mark.parametrize("command", ["backup", "restore"])
def test_a_long_copy_shows_its_progress(folder: Path, command: str) -> None:
    """On a terminal, in a line that is erased before the outcome is printed."""
    state, copy = folder / "state", folder / "copy.db"
    assert run("pair", "--state-dir", state, "laptop").returncode == 0
    change(state / "gateway.db", "INSERT INTO message (direction, phone_number, text, state, created,"
           " changed) VALUES (1, ?, hex(zeroblob(20000000)), 9, 1, 1)", SENDER)
    assert run("backup", "--state-dir", state, copy).returncode == 0
    with on_terminal(command, "--state-dir", state,
                     *(["--force"] if command == "backup" else []), copy) as terminal:
        shown = terminal.read_all()
    before, _, behind = shown.rpartition("\r\x1b[K")
    assert re.search(r"\r\x1b\[Kchecking the copy \(\d+ s\)$", before), before
    assert "1 message, " in behind and "%" not in behind
    assert "\x1b" not in run("backup", "--force", "--state-dir", state, copy).stderr


@pytest.mark.parametrize("call", ["link", "rename", "unlink"])
def test_a_crash_during_restore_keeps_the_old_or_new_store(
        make_lab: Callable[..., Lab], tmp_path: Path, call: str) -> None:
    """The message store is either the old one or the new one, and complete."""
    lab = make_lab(modem_count=1)
    copy = tmp_path / "copy.db"
    assert_sent(Agent(lab).send("old"))
    back_up(lab, copy)
    assert_sent(Agent(lab).send("young"))       # in the -wal alone
    lab.gateway.kill()
    was_killed, number = True, 0
    while was_killed:
        number += 1
        state = tmp_path / f"{number}"
        shutil.copytree(lab.gateway.state, state, ignore=shutil.ignore_patterns("control"))
        was_killed = killed_at(call, number, "restore", "--state-dir", state, copy)
        assert run("clients", "--state-dir", state).returncode == 0
        texts = [text for text, in rows(state / "gateway.db",
                                        "SELECT text FROM message ORDER BY id")]
        assert texts in (["old", "young"], ["old"]), number
        if texts == ["old"]:                    # then the other one exists too
            [aside] = state.glob("gateway.db.replaced-*Z")
            assert ("young",) in rows(aside, "SELECT text FROM message"), number
        else:
            assert not list(state.glob("gateway.db.replaced-*")), number
        assert_consistent(state / "gateway.db")
    assert number > 1 and texts == ["old"]


def test_a_backup_copied_by_hand_counts_as_restored(make_lab: Callable[..., Lab]) -> None:
    """Copied over the store of a killed gateway, whose -wal stays: treated as a restore."""
    lab = make_lab(modem_count=1)
    soon = time.strftime("%Y-%m-%dT%H:%M:%SZ", time.gmtime(time.time() + 3600))
    waiting = Agent(lab).call("send_sms", to_phone_number=TO, sms_text="waits",
                              send_at=soon)
    copy = lab.folder / "copy.db"
    back_up(lab, copy)
    after = Agent(lab).send("after the backup")
    assert_sent(after)
    lab.gateway.kill()
    shutil.copy(copy, ledger(lab))
    lab.gateway.start()
    Agent(lab).wait_states("ready", timeout=10)
    assert "is a backup that was copied there" in lab.gateway.log
    status = Agent(lab).call("get_sms_status", history=True, message_id=waiting.message_id).structured
    assert (status["state"], status["reason"]) == ("unknown", "restored")
    assert "restored" in gap_reasons(lab)
    sent = Agent(lab).send("goes on")
    assert_sent(sent)
    assert sent.message_id > after.message_id
    assert list(lab.gateway.state.glob("gateway.db.replaced-*-wal"))
    assert_consistent(ledger(lab))
    lab.gateway.restart()                       # and from now on it is the message store
    assert lab.gateway.log.count("was copied there") == 1


TRIGGERS = """
    CREATE TRIGGER one AFTER INSERT ON message BEGIN DELETE FROM usage;
        UPDATE client SET scopes = 255; END;
    CREATE TRIGGER two AFTER INSERT ON audit BEGIN UPDATE client SET scopes = 255; END;
    CREATE VIEW three AS SELECT * FROM message;
    CREATE INDEX four ON message (length(text));"""


def with_triggers(file: Path) -> None:
    with closing(sqlite3.connect(file)) as database:
        database.executescript(TRIGGERS)


def assert_nothing_foreign(lab: Lab, name: str) -> None:
    assert_sent(Agent(lab, None).send("goes on"))
    assert not rows(ledger(lab), "SELECT 1 FROM sqlite_schema"
                    " WHERE name IN ('one', 'two', 'three', 'four')")
    [(scopes, used)] = rows(ledger(lab), "SELECT scopes, (SELECT count(*) FROM usage)"
                            " FROM client WHERE name = ?", name)
    assert scopes == 3 and used >= 2
    assert_consistent(ledger(lab))
    verified = run("audit", "verify", "--state-dir", lab.gateway.state)
    assert verified.returncode == 0, verified.stdout


def start_with(lab: Lab, how: str, copy: Path) -> None:
    if how == "restored":
        with_triggers(copy)
        assert restore(lab, copy).returncode == 0
    else:
        with_triggers(ledger(lab))
        refused = run("clients", "--state-dir", lab.gateway.state)
        assert refused.returncode == 1 and "ofono-mcp restore" in refused.stderr
        assert restore(lab, ledger(lab)).returncode == 0
    lab.gateway.start()
    Agent(lab).wait_states("ready", timeout=10)


@pytest.mark.parametrize("how", ["restored", "changed in place"])
def test_foreign_triggers_are_not_run(make_lab: Callable[..., Lab], how: str) -> None:
    """Neither from a backup nor when another program adds them to the store."""
    lab = make_lab(modem_count=1)
    assert run("pair", "--state-dir", lab.gateway.state, "laptop").returncode == 0
    assert_sent(Agent(lab).send("before"))
    copy = lab.folder / "copy.db"
    back_up(lab, copy)
    lab.gateway.stop()
    start_with(lab, how, copy)
    assert_nothing_foreign(lab, "laptop")
    assert rows(ledger(lab), "SELECT count(*) FROM audit"
                " WHERE event = 'store_restored'") == [(1,)]


@pytest.mark.parametrize("call", ["link", "rename", "unlink", "fsync", "fdatasync"])
def test_a_crash_while_rebuilding_loses_no_rows(folder: Path, tmp_path: Path, call: str) -> None:
    """Afterwards the store is always complete, with our schema."""
    state = folder / "state"
    for name in ("one", "two"):
        assert run("pair", "--state-dir", state, name).returncode == 0
    ours = rows(state / "gateway.db", "SELECT name FROM sqlite_schema ORDER BY name")
    assert run("backup", "--state-dir", state, folder / "copy.db").returncode == 0
    shutil.copy(folder / "copy.db", state / "gateway.db")   # a copy is rebuilt
    was_killed, number = True, 0
    while was_killed:
        number += 1
        again = shutil.copytree(state, tmp_path / f"{number}",
                                ignore=shutil.ignore_patterns("gateway.mark-*"))
        was_killed = killed_at(call, number, "clients", "--state-dir", again)
        said = run("clients", "--state-dir", again)
        assert said.returncode == 0 and "one" in said.stdout and "two" in said.stdout
        database = again / "gateway.db"
        assert rows(database, "SELECT name FROM sqlite_schema ORDER BY name") == ours
        assert rows(database, "SELECT name, scopes FROM client") == [("one", 3), ("two", 3)]
        assert rows(database, "SELECT count(*) FROM audit"
                    " WHERE event = 'store_restored'") == [(1,)]
        assert not list(again.glob("gateway.db.new*"))
    assert number > 1


def test_a_backup_restores_on_another_phone(
        make_lab: Callable[..., Lab], tmp_path: Path) -> None:
    lab = make_lab(modem_count=2)
    sims = Agent(lab).ids()
    assert_sent(Agent(lab).send("hello", sim=sims[1]))
    copy = tmp_path / "copy.db"
    back_up(lab, copy)
    lab.gateway.stop()
    shutil.rmtree(lab.gateway.state)
    lab.gateway.prepare()
    assert restore(lab, copy).returncode == 0
    lab.gateway.start()
    Agent(lab).wait_states("ready", "ready", timeout=10)
    assert Agent(lab).ids() == sims
    assert [m["text"] for m in listed(lab)["messages"]] == ["hello"]
    assert Journal(lab).states("hello") == ["sent"]


@with_other_users
def test_files_restored_by_root_belong_to_the_gateway_user(folder: Path) -> None:
    """Of a package, whose gateway runs as a user of its own."""
    state, copy, nobody = folder / "state", folder / "copy.db", 65534
    assert run("pair", "--state-dir", state, "laptop").returncode == 0
    assert run("backup", "--state-dir", state, copy).returncode == 0
    for file in (state, *state.iterdir()):
        os.chown(file, nobody, nobody)
    (state / "gateway.lock").unlink()
    assert run("restore", "--state-dir", state, copy).returncode == 0
    owners = {file.name: file.stat().st_uid for file in (state, *state.iterdir())}
    assert "gateway.lock" in owners and set(owners.values()) == {nobody}, owners
    assert copy.stat().st_uid == os.geteuid()


@pytest.mark.parametrize("wanted", ["none/copy.db", "/dev/full/copy.db", "x" * 255])
def test_a_failed_backup_names_the_requested_file(tmp_path: Path, wanted: str) -> None:
    """Not the temporary file, which the owner has never heard of."""
    state = tmp_path / "state"
    assert run("pair", "--state-dir", state, "agent").returncode == 0
    result = run("backup", "--state-dir", state, tmp_path / wanted)
    assert result.returncode == 1
    assert result.stderr.startswith(f"ofono-mcp backup: {tmp_path / wanted}: cannot be made: ")
    assert ".part" not in result.stderr and "Its folder must exist" in result.stderr
    assert list(tmp_path.iterdir()) == [state]


def test_a_backup_without_a_message_store_fails(tmp_path: Path) -> None:
    result = run("backup", "--state-dir", tmp_path / "none", tmp_path / "copy.db")
    assert result.returncode == 1 and "gateway.db" in result.stderr
    assert list(tmp_path.iterdir()) == []
