# SPDX-License-Identifier: GPL-2.0-or-later
"""Our plugin in the real ofonod: delivery reports, and a spool that outlives the gateway."""

from __future__ import annotations

import os
import shutil
import signal
import sys
import tempfile
from collections.abc import Callable, Iterator
from concurrent.futures import ThreadPoolExecutor
from contextlib import contextmanager, suppress
from pathlib import Path
from typing import Any

import pytest

sys.path.insert(0, str(Path(__file__).resolve().parents[1]))    # packages lab and modem

from agent import Agent
from conftest import wait_until_known
from lab import Lab, wait_until
from lab.confine import libc, mount_disk
from lab.ofonod import PLUGIN
from ledger import Ledger
from modem.pdu import Submit, encode_deliver
from test_receive import (
    HAS_CODE, IMMEDIATE, REPAIRED, SENDER, SENT_AT, SENT_TIME, UNREADABLE, now_ms,
)

FILES_MAX = 4096                        # plugin/history_spool.h
RESERVE_BYTES = 1 << 20                 # plugin/history_reserve.h
MNT_DETACH = 2
NOBODY = 65534


class Phone:
    """One modem, ofonod with the plugin, the gateway."""

    def __init__(self, lab: Lab) -> None:
        self.lab = lab
        self.modem = lab.modems[0]
        self.gateway = lab.gateway
        self.agent = Agent(lab)
        self.ledger = Ledger(lab)
        self.spool = lab.gateway.spool

    @property
    def files(self) -> list[str]:
        """The spool's files, without the plugin's reserve."""
        return sorted(file.name for file in self.spool.iterdir()
                      if file.name not in (".reserve", ".outgoing")) if self.spool.is_dir() else []

    @property
    def only_file(self) -> Path:
        [name] = self.files
        return self.spool / name

    @property
    def told(self) -> list[tuple[str, int]]:
        """The stored texts, each with the number of its repeats."""
        return [(row["text"], row["repeats"]) for row in self.ledger.incoming]

    def deliver(self, *texts: str, sender: str = SENDER, **more: Any) -> None:
        for text in texts:
            self.modem.deliver(sender, text, sent_at=SENT_AT, **more)
        self.wait_acknowledged()

    def wait_acknowledged(self) -> None:
        wait_until(lambda: self.modem.all_delivered, 60, "all is acknowledged")

    def wait_empty(self, timeout: float = 60) -> None:
        wait_until(lambda: self.files == [], timeout, "the spool is empty")

    def start(self) -> None:
        self.gateway.start()

    def assert_told(self, *expected: tuple[str, int]) -> None:
        wait_until(lambda: self.told == list(expected), 30,
                   f"{expected} in the ledger, there is {self.told}")

    def history(self, message_id: int) -> list[tuple[str, str]]:
        status = self.agent.call("get_sms_status", history=True, message_id=message_id).structured
        return [(change["state"], change.get("reason", "")) for change in status["changes"]]

    def wait_last(self, message_id: int, *expected: str) -> None:
        wait_until(lambda: self.history(message_id)[-1] == expected,
                   what=f"{message_id} ends with {expected}")


@contextmanager
def started(**options: Any) -> Iterator[Phone]:
    with Lab(modem_count=1, gateway=True, plugin=PLUGIN, **options) as lab:
        wait_until_known(lab, powered=True)
        yield Phone(lab)
        assert lab.ofonod.is_running


@pytest.fixture
def phone() -> Iterator[Phone]:
    with started() as phone:
        yield phone


# ---- delivery reports -----------------------------------------------------------------

def report_on(phone: Phone, delivered: bool, count: int = 1) -> list[Submit]:
    taken = phone.modem.wait_taken(count)
    for submit in taken:
        phone.modem.report(submit, delivered)
    phone.wait_acknowledged()
    return taken


def test_the_interface_is_listed_while_a_sim_is_present(phone: Phone) -> None:
    [radio] = phone.lab.radios
    assert radio.has("SmsHistory")
    card = phone.modem.sim
    phone.modem.remove_sim()
    radio.wait_for("SmsHistory", present=False)
    phone.modem.insert_sim(card)
    radio.wait_for("SmsHistory")
    radio.power(False)
    radio.wait_for("SmsHistory", present=False)


@pytest.mark.parametrize(("text", "parts"), [("arrives", 1), ("in parts " * 40, 3)])
def test_a_delivery_report_makes_a_message_delivered(phone: Phone, text: str, parts: int) -> None:
    with ThreadPoolExecutor() as pool:
        call = pool.submit(phone.agent.send, text, wait_for="delivered", wait_seconds=60)
        report_on(phone, True, parts)
        facts = call.result().structured
    assert (facts["state"], facts["delivery"]) == ("delivered", "delivered")
    assert phone.history(facts["message_id"])[-2:] == [("sent", ""), ("delivered", "")]


def test_one_undelivered_segment_marks_the_message(phone: Phone) -> None:
    message_id = phone.agent.send("in parts " * 40).message_id
    first, second, _ = phone.modem.wait_taken(3)
    phone.modem.report(first)
    phone.modem.report(second, delivered=False)
    phone.wait_last(message_id, "sent", "not_delivered")


def test_delivery_reports_arrive_after_restarts(phone: Phone) -> None:
    """After the gateway was killed, and for another message after ofonod restarted."""
    message_id = phone.agent.send("late").message_id
    phone.gateway.kill()
    phone.start()
    report_on(phone, True)
    phone.wait_last(message_id, "delivered", "")
    phone.agent.wait_states("ready", timeout=10)
    message_id = phone.agent.send("later").message_id
    [_, later] = phone.modem.wait_taken(2)
    phone.lab.ofonod.restart()
    phone.lab.bring_up()
    phone.modem.report(later)
    phone.wait_last(message_id, "delivered", "")


# ---- the spool while all is well ---------------------------------------------------------

def test_signal_and_file_store_one_message(phone: Phone) -> None:
    began = now_ms()
    phone.deliver("Szia \N{GRINNING FACE}")
    phone.wait_empty()
    [row] = phone.ledger.incoming
    assert (row["text"], row["flags"], row["repeats"]) == \
        ("Szia \N{GRINNING FACE}", REPAIRED, 0)
    assert (row["phone_number"], row["sent_time"], row["sim_id"]) == (SENDER, SENT_TIME, 1)
    assert began <= row["created"] <= now_ms()
    assert (phone.spool.stat().st_mode & 0o777, row["uuid"][-4:]) == (0o700, ".sms")


def test_messages_repeated_by_the_network_are_counted(phone: Phone) -> None:
    tpdu = encode_deliver(SENDER, "again", SENT_AT)
    for count in range(4):
        phone.modem.deliver_tpdu(tpdu)
        phone.wait_acknowledged()
        phone.wait_empty()
        phone.assert_told(("again", count))


def test_the_acknowledgement_comes_after_the_file(phone: Phone) -> None:
    phone.gateway.kill()
    counts, acknowledged = [], phone.modem.incoming.acknowledged

    def watch() -> None:
        counts.append(len([name for name in phone.files if name.endswith(".sms")]))
        acknowledged()

    phone.modem.incoming.acknowledged = watch
    phone.deliver("one", "two", "three")
    assert counts == [1, 2, 3]


# ---- the gateway is away --------------------------------------------------------------

HARD = [
    pytest.param(SENDER, "plain", 0, id="plain"),
    pytest.param(SENDER, "Szia \N{GRINNING FACE}\N{THUMBS UP SIGN}!", REPAIRED, id="emoji"),
    pytest.param(SENDER, "", UNREADABLE, id="empty"),
    pytest.param("OTP-Bank.+", "Your code is 4711", HAS_CODE, id="alphanumeric"),
    pytest.param(SENDER, "hosszú szöveg ű " * 30, 0, id="long"),
    pytest.param(SENDER, "0123456789abcde" * 2601, 0, id="255-parts"),
    pytest.param(SENDER, '"\\\n\r\t\x01\x1f\x7f \u2028{}[€]', 0, id="to-be-escaped"),
]


@pytest.mark.parametrize(("sender", "text", "flags"), HARD)
def test_a_message_is_spooled_while_the_gateway_is_down(
        phone: Phone, sender: str, text: str, flags: int) -> None:
    began = now_ms()
    phone.gateway.kill()
    phone.deliver(text, sender=sender)
    died = now_ms()
    assert len(phone.files) == 1
    phone.start()
    phone.wait_empty()
    [row] = phone.ledger.incoming
    assert (row["phone_number"], row["text"], row["flags"]) == (sender, text, flags)
    assert (row["sent_time"], row["repeats"]) == (SENT_TIME, 0)
    assert began <= row["created"] <= died
    [card] = phone.ledger.rows("SELECT * FROM sim")
    assert (row["sim_id"], card["iccid"]) == (card["id"], phone.modem.sim.iccid)


def test_agents_read_a_spooled_message_like_any_other(phone: Phone) -> None:
    phone.deliver("before")
    cursor = phone.agent.call("wait_for_sms", timeout_seconds=1).structured["cursor"]
    phone.gateway.kill()
    phone.deliver("Your code is 123456", sender="Bank")
    phone.start()
    found = phone.agent.call("wait_for_sms", after=cursor, kind="code",
                             timeout_seconds=30)
    assert found.structured["code"] == "123456"
    listed = phone.agent.call("list_sms", direction="in").structured
    assert [message["text"] for message in listed["messages"]] == [
        "Your code is 123456", "before"]
    [gap] = listed["gaps"]
    assert gap["from"] <= listed["messages"][0]["at"] <= gap["until"]


def test_a_message_is_spooled_before_the_first_start() -> None:
    with Lab(modem_count=1, plugin=PLUGIN) as lab:
        phone = Phone(lab)
        lab.gateway.state.mkdir()
        phone.spool.mkdir(mode=0o700)
        phone.deliver("the first")
        phone.start()
        phone.wait_empty()
        phone.assert_told(("the first", 0))


def test_each_message_is_stored_once_despite_crashes(phone: Phone) -> None:
    """At any moment of a crash, each message is stored exactly once."""
    texts = [f"number {i}" for i in range(100)]
    for text in texts:
        phone.modem.deliver(SENDER, text, sent_at=SENT_AT)
    for _ in range(4):
        seen = len(phone.ledger.incoming)
        wait_until(lambda: len(phone.ledger.incoming) > seen or phone.modem.all_delivered,
                   what="some more")
        phone.gateway.kill()
        phone.start()
    phone.wait_acknowledged()
    phone.wait_empty()
    assert sorted(phone.told) == sorted((text, 0) for text in texts)


def test_messages_arrive_by_file_while_the_bus_hangs(phone: Phone) -> None:
    """The file exists long before the signal arrives; both are one message."""
    os.kill(phone.lab.bus.pid, signal.SIGSTOP)
    try:
        phone.deliver("past the bus")
        phone.assert_told(("past the bus", 0))
        phone.wait_empty()
    finally:
        os.kill(phone.lab.bus.pid, signal.SIGCONT)
    phone.deliver("by the bus")
    phone.wait_empty()
    phone.assert_told(("past the bus", 0), ("by the bus", 0))


def test_a_spooled_message_survives_a_bus_stop(phone: Phone) -> None:
    """ofonod ends with the bus; what it acknowledged before is in the spool."""
    phone.gateway.kill()
    phone.deliver("before")
    phone.lab.bus.stop()
    wait_until(lambda: not phone.lab.ofonod.is_running, what="ofonod ends")
    phone.gateway.start()
    phone.assert_told(("before", 0))
    phone.lab.bus.start()
    phone.lab.ofonod.start()
    phone.lab.bring_up()
    phone.deliver("after")
    phone.assert_told(("before", 0), ("after", 0))


def test_class_0_messages_are_not_spooled(phone: Phone) -> None:
    phone.deliver("heard", message_class=0)
    phone.assert_told(("heard", 0))
    assert phone.ledger.incoming[0]["flags"] == IMMEDIATE
    phone.gateway.kill()
    phone.deliver("flash", message_class=0)
    phone.deliver("class 1", message_class=1)
    assert len(phone.files) == 1
    phone.start()
    phone.wait_empty()
    assert phone.told == [("heard", 0), ("class 1", 0)]


def another_user() -> int:
    """A user to give files to; a user namespace has only our own."""
    with tempfile.TemporaryDirectory() as folder:
        try:
            os.chown(folder, NOBODY, NOBODY)
        except OSError:
            return os.geteuid()
        return NOBODY


def test_a_spool_file_belongs_to_the_owner_of_the_folder(phone: Phone) -> None:
    phone.gateway.kill()
    user = another_user()
    os.chown(phone.spool, user, user)
    phone.deliver("for an ordinary user")
    file = phone.only_file
    assert (file.stat().st_uid, file.stat().st_gid) == (user, user)
    assert file.stat().st_mode & 0o777 == 0o600


# ---- a folder that does not do --------------------------------------------------------

def break_by_full(phone: Phone) -> None:
    for i in range(FILES_MAX):
        (phone.spool / f"{i}.bad").touch()


def break_by_removal(phone: Phone) -> None:
    shutil.rmtree(phone.spool)


def break_by_link(phone: Phone) -> None:
    elsewhere = phone.spool.rename(phone.spool.with_name("elsewhere"))
    phone.spool.symlink_to(elsewhere)


def break_by_file(phone: Phone) -> None:
    shutil.rmtree(phone.spool)
    phone.spool.touch()


def break_by_mode(phone: Phone) -> None:
    phone.spool.chmod(0o777)


BROKEN: list[tuple[Callable[[Phone], None], str]] = [
    (break_by_full, "it is full"),
    (break_by_removal, "No such file or directory"),
    (break_by_link, "Not a directory"),
    (break_by_file, "Not a directory"),
    (break_by_mode, "others than its owner may write to it"),
]


@pytest.mark.parametrize(("damage", "said"), BROKEN)
def test_messages_are_signalled_when_the_spool_is_unsafe(
        phone: Phone, damage: Callable[[Phone], None], said: str) -> None:
    """Nothing is written through a link or where other users may write."""
    phone.gateway.kill()
    damage(phone)
    phone.deliver("for nobody")
    assert f"a message was not spooled, {phone.spool}: {said}" in phone.lab.ofonod.log
    assert [name for name in phone.lab.folder.rglob("*.sms")] == []
    phone.start()
    phone.deliver("heard")
    phone.assert_told(("heard", 0))


def test_a_removed_spool_folder_is_created_again(phone: Phone) -> None:
    shutil.rmtree(phone.spool.rename(phone.spool.with_name("gone")))
    wait_until(phone.spool.is_dir, what="the folder is there again")
    phone.gateway.send_signal(signal.SIGSTOP)
    phone.deliver("into the new one")
    assert len(phone.files) == 1
    phone.gateway.send_signal(signal.SIGCONT)
    phone.wait_empty()
    phone.assert_told(("into the new one", 0))


def test_the_log_contains_no_message_text(phone: Phone) -> None:
    phone.gateway.kill()
    phone.deliver("a secret of the spool")
    file = phone.only_file
    file.write_text(file.read_text()[:-5])
    phone.start()
    wait_until(lambda: phone.files == [f"{file.name}.bad"], what="it is set aside")
    assert "secret" not in phone.gateway.log + phone.lab.ofonod.log


@pytest.fixture
def small_disk(tmp_path: Path) -> Iterator[Path]:
    disk = tmp_path / "disk"
    disk.mkdir()
    mount_disk("16m", str(disk))
    yield disk
    libc.umount2(bytes(disk), MNT_DETACH)


def fill(disk: Path) -> Path:
    ballast = disk / "ballast"
    with suppress(OSError), ballast.open("wb", buffering=0) as file:
        while file.write(bytes(4096)):
            pass
    return ballast


def test_a_full_spool_disk_uses_the_reserve(small_disk: Path) -> None:
    """The reserve holds the messages that arrive meanwhile."""
    lab = Lab(modem_count=1, gateway=True, plugin=PLUGIN)
    lab.gateway.spool = small_disk / "spool"
    lab.gateway.config += f"[store]\nspool_dir = {lab.gateway.spool}\n"
    lab.ofonod.environment["OFONO_MCP_SPOOL"] = str(lab.gateway.spool)
    texts = [f"number {i}" for i in range(40)]
    with lab:
        phone, reserve = Phone(lab), small_disk / "spool" / ".reserve"
        phone.deliver("before")
        phone.assert_told(("before", 0))
        phone.wait_empty()
        assert reserve.stat().st_blocks * 512 == RESERVE_BYTES
        phone.gateway.kill()
        ballast = fill(small_disk)
        phone.deliver(*texts)
        assert len(phone.files) == len(texts)
        assert "not spooled" not in lab.ofonod.log
        assert 0 < reserve.stat().st_size < RESERVE_BYTES
        ballast.unlink()
        phone.start()
        phone.assert_told(("before", 0), *((text, 0) for text in texts))
        phone.wait_empty()
        phone.deliver("after")
        phone.assert_told(("before", 0), *((text, 0) for text in texts), ("after", 0))
        assert reserve.stat().st_blocks * 512 == RESERVE_BYTES


def test_a_reserve_that_is_not_the_plugins_is_left_alone(phone: Phone) -> None:
    other = phone.lab.folder / "other"
    other.write_text("of somebody else")
    os.link(other, phone.spool / ".reserve")
    phone.deliver("heard")
    phone.assert_told(("heard", 0))
    assert other.read_text() == "of somebody else"


def test_the_spool_can_be_switched_off() -> None:
    lab = Lab(modem_count=1, gateway=True, plugin=PLUGIN)
    lab.ofonod.environment["OFONO_MCP_SPOOL"] = ""
    with lab:
        phone = Phone(lab)
        lab.gateway.kill()
        phone.deliver("for nobody")
        assert phone.files == []
        assert "not spooled" not in lab.ofonod.log
