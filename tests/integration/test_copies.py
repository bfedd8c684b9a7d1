# SPDX-License-Identifier: GPL-2.0-or-later
"""A state folder that was copied, or set back to an earlier state, sends nothing again."""

from __future__ import annotations

import os
import shutil
import sqlite3
from contextlib import closing
from collections.abc import Callable
from pathlib import Path

import pytest

from agent import Agent, Result, assert_sent
from crash_cells import from_now
from lab import Lab
from modem.patience import patience
from reading import deliver
from test_keeping import back_up, change, gap_reasons, ledger, restore, rows

SOON_S = patience(2)


def copied(lab: Lab, folder: Path) -> Path:
    """As `cp -a` does, even while the gateway runs."""
    return shutil.copytree(lab.gateway.state, folder, symlinks=True,
                           ignore=shutil.ignore_patterns("control"))


def put_back_anew(state: Path, copy: Path) -> None:
    shutil.rmtree(state)
    shutil.copytree(copy, state)


def put_back_over(state: Path, copy: Path) -> None:
    """Writes the old files over the present ones; newer files stay beside them."""
    shutil.copytree(copy, state, dirs_exist_ok=True)


def put_back_the_store(state: Path, copy: Path) -> None:
    """Writes over the message store alone, into the same file."""
    for suffix in ("-wal", "-shm"):
        (state / f"gateway.db{suffix}").unlink(missing_ok=True)
    for file in copy.glob("gateway.db*"):
        (state / file.name).write_bytes(file.read_bytes())


def put_back_by_name(state: Path, copy: Path) -> None:
    for file in state.glob("gateway.db*"):
        file.unlink()
    for file in copy.glob("gateway.db*"):
        os.rename(file, state / file.name)


def live_backup(lab: Lab, copy: Path) -> None:
    """As sqlite3's ".backup" makes it while the gateway runs."""
    with closing(sqlite3.connect(ledger(lab))) as store, closing(sqlite3.connect(copy)) as backup:
        store.backup(backup)


def write_over(state: Path, copy: Path) -> None:
    """As cp and rsync --inplace do: the same file with other content."""
    (state / "gateway.db").write_bytes(copy.read_bytes())


def replace(state: Path, copy: Path) -> None:
    """As rsync does, which keeps the time of the copy."""
    fresh = state / ".gateway.db.x"
    shutil.copy2(copy, fresh)
    os.rename(fresh, state / "gateway.db")


def restore_by_sqlite(state: Path, copy: Path) -> None:
    """As sqlite3's ".restore"."""
    with closing(sqlite3.connect(copy)) as backup, \
            closing(sqlite3.connect(state / "gateway.db")) as store:
        backup.backup(store)


def send_soon(lab: Lab, text: str) -> Result:
    """Sends soon after the gateway's next step."""
    return Agent(lab).send(text, send_at=from_now(SOON_S))


@pytest.mark.parametrize("stopped", [True, False], ids=["stopped", "killed"])
@pytest.mark.parametrize("put_back", [put_back_anew, put_back_over, put_back_the_store,
                                      put_back_by_name])
def test_a_copied_store_sends_nothing_again(make_lab: Callable[..., Lab], tmp_path: Path,
                               put_back: Callable[[Path, Path], None],
                               stopped: bool) -> None:
    lab = make_lab(modem_count=1)
    waiting = send_soon(lab, "waits")
    lab.gateway.stop() if stopped else lab.gateway.kill()
    copy = copied(lab, tmp_path / "copy")
    lab.gateway.start()
    Agent(lab).wait_state(waiting.message_id, "sent")
    lab.gateway.stop() if stopped else lab.gateway.kill()
    put_back(lab.gateway.state, copy)
    lab.gateway.start()
    Agent(lab).wait_states("ready", timeout=10)
    status = Agent(lab).call("get_sms_status", history=True, message_id=waiting.message_id).structured
    assert (status["state"], status["reason"]) == ("unknown", "restored")
    assert "restored" in gap_reasons(lab)
    assert_sent(Agent(lab).send("goes on"))
    assert [submit.text for submit in lab.modems[0].offered] == ["waits", "goes on"]
    lab.gateway.restart()                       # from now on it is the store
    assert lab.gateway.log.count("or a copy") == 1


def test_a_copy_made_while_running_sends_nothing_again(make_lab: Callable[..., Lab], tmp_path: Path) -> None:
    """The same files in the same run: the store recognises its own files."""
    lab = make_lab(modem_count=1)
    waiting = send_soon(lab, "waits")
    copy = copied(lab, tmp_path / "copy")
    Agent(lab).wait_state(waiting.message_id, "sent")
    lab.gateway.kill()
    put_back_over(lab.gateway.state, copy)
    lab.gateway.start()
    Agent(lab).wait_states("ready", timeout=10)
    assert_sent(Agent(lab).send("goes on"))
    assert [submit.text for submit in lab.modems[0].offered] == ["waits", "goes on"]


def test_an_answer_of_the_owner_in_a_copy_gets_no_second_reply(
        make_lab: Callable[..., Lab], tmp_path: Path) -> None:
    lab = make_lab(modem_count=1)
    [asked] = deliver(lab, "+36201112233", "YES")
    lab.gateway.stop()
    change(ledger(lab), "UPDATE message SET flags = 128")           # an answer to a question
    change(ledger(lab), "INSERT INTO approval_answer"
           f" VALUES ({asked['message_id']}, 1, '+36201112233', 1, 1)")
    put_back_anew(lab.gateway.state, copied(lab, tmp_path / "copy"))
    lab.gateway.start()
    Agent(lab).wait_states("ready", timeout=10)
    assert_sent(Agent(lab).send("goes on"))
    assert [submit.text for submit in lab.modems[0].offered] == ["goes on"]
    assert rows(ledger(lab), "SELECT count(*) FROM approval_answer") == [(0,)]


@pytest.mark.parametrize("copied_by", ["sqlite", "sqlite, then a restart", "cp, then a restart"])
@pytest.mark.parametrize("stopped", [True, False], ids=["stopped", "killed"])
@pytest.mark.parametrize("put_back", [write_over, replace, restore_by_sqlite])
def test_a_live_copy_put_back_sends_nothing_again(
        make_lab: Callable[..., Lab], tmp_path: Path, put_back: Callable[[Path, Path], None],
        stopped: bool, copied_by: str) -> None:
    """The -wal that a killed gateway leaves stays where it is."""
    lab = make_lab(modem_count=1)
    waiting = send_soon(lab, "waits")
    if copied_by.startswith("sqlite"):
        live_backup(lab, tmp_path / "b.db")
    else:
        lab.gateway.stop()                      # else its -wal would have to be copied, too
        shutil.copy2(ledger(lab), tmp_path / "b.db")
        lab.gateway.start()
    Agent(lab).wait_state(waiting.message_id, "sent")
    if "restart" in copied_by:                  # the -wal begins after the message was sent
        lab.gateway.restart()
        Agent(lab).wait_states("ready", timeout=10)
    assert_sent(Agent(lab).send("another"))
    lab.gateway.stop() if stopped else lab.gateway.kill()
    put_back(lab.gateway.state, tmp_path / "b.db")
    lab.gateway.start()
    Agent(lab).wait_states("ready", timeout=10)
    assert_sent(Agent(lab).send("goes on"))
    assert [submit.text for submit in lab.modems[0].offered] == ["waits", "another", "goes on"]


def chown(state: Path) -> None:
    for path in [state, *state.iterdir()]:
        os.chown(path, os.getuid(), os.getgid())


def chmod(state: Path) -> None:
    for path in state.glob("gateway.*"):
        path.chmod(0o640)
        path.chmod(0o600)


def touch(state: Path) -> None:
    for path in state.iterdir():
        os.utime(path)


def link(state: Path) -> None:
    """As cp -al."""
    links = state.with_name("links")
    links.mkdir()
    for path in state.glob("gateway.*"):
        os.link(path, links / path.name)


def read_a_backup(state: Path) -> None:
    shutil.copytree(state, state.with_name("elsewhere"), ignore=shutil.ignore_patterns("control"))


@pytest.mark.parametrize("stopped", [True, False], ids=["stopped", "killed"])
@pytest.mark.parametrize("keep_up", [chown, chmod, touch, link, read_a_backup])
def test_upkeep_of_the_state_folder_makes_no_copy(
        make_lab: Callable[..., Lab], keep_up: Callable[[Path], None], stopped: bool) -> None:
    lab = make_lab(modem_count=1)
    assert_sent(Agent(lab).send("before"))
    waiting = send_soon(lab, "waits")
    lab.gateway.stop() if stopped else lab.gateway.kill()
    keep_up(lab.gateway.state)
    lab.gateway.start()
    Agent(lab).wait_state(waiting.message_id, "sent")
    assert lab.gateway.log.count("or a copy") == 0


def test_content_replaced_under_a_running_gateway_sends_nothing_again(
        make_lab: Callable[..., Lab], tmp_path: Path) -> None:
    lab = make_lab(modem_count=1)
    waiting = send_soon(lab, "waits")
    live_backup(lab, tmp_path / "b.db")
    Agent(lab).wait_state(waiting.message_id, "sent")
    restore_by_sqlite(lab.gateway.state, tmp_path / "b.db")
    Agent(lab).send("is refused or waits", wait_for="none")
    lab.gateway.restart()
    Agent(lab).wait_states("ready", timeout=10)
    assert_sent(Agent(lab).send("goes on"))
    assert [submit.text for submit in lab.modems[0].offered] == ["waits", "goes on"]


def test_messages_queued_before_an_upgrade_are_sent(make_lab: Callable[..., Lab]) -> None:
    """Messages that waited before an upgrade are sent after it."""
    lab = make_lab(modem_count=1)
    waiting = send_soon(lab, "waits")
    lab.gateway.stop()
    change(ledger(lab), "UPDATE file_identity SET epoch = 0")
    for mark in lab.gateway.state.glob("gateway.mark-*"):
        mark.unlink()
    lab.gateway.start()
    Agent(lab).wait_state(waiting.message_id, "sent")
    assert rows(ledger(lab), "SELECT count(*) FROM file_identity") == [(1,)]
    assert len(list(lab.gateway.state.glob("gateway.mark-*"))) == 1


def test_keys_stay_used_after_restoring_the_backup_of_another_phone(
        make_lab: Callable[..., Lab], tmp_path: Path) -> None:
    """Its messages have the same IDs, and other keys."""
    lab, other = make_lab(modem_count=1), make_lab(modem_count=1)
    assert_sent(Agent(other).send("of another phone", idempotency_key="of another phone"))
    back_up(other, tmp_path / "copy.db")
    first = Agent(lab).send("first", idempotency_key="dinner at six")
    assert_sent(first)
    lab.gateway.stop()
    restored = restore(lab, tmp_path / "copy.db")
    assert restored.returncode == 0, restored.stderr
    lab.gateway.start()
    Agent(lab).wait_states("ready", timeout=10)
    again = Agent(lab).send("first", idempotency_key="dinner at six")
    assert again.facts["code"] == "closed", again
    assert_sent(Agent(lab).send("goes on", idempotency_key="lunch at noon"))
    assert [submit.text for submit in lab.modems[0].offered] == ["first", "goes on"]
