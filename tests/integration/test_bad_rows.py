# SPDX-License-Identifier: GPL-2.0-or-later
"""Rows that the gateway would not have written: none stops it, and none is lost."""

from __future__ import annotations

import json
import sqlite3
from collections.abc import Iterator
from contextlib import closing
from typing import Any

import pytest

from agent import Agent, assert_sent, seconds_ahead, taken_texts
from conftest import new_lab, wait_until_known
from lab import Lab
from owner import Owner
from reading import deliver

SENDER = "+36201112233"
NOT_UTF8 = b"\xff\xfe\xc3"
VALUES = {"null": None, "minus one": -1, "zero": 0, "seventy-seven": 77, "huge": 2 ** 62,
          "lowest": -2 ** 63, "empty": "", "long": "x" * 100_000, "not UTF-8": NOT_UTF8}
# These have one row, are derived from others, or prove what they say by their hashes.
SINGLE = ("alive", "feed_epoch", "message_index", "audit_anchor", "file_identity")
READING = ("list", "status", "doctor", "audit", "audit verify", "client list", "approvals",
           "webhook list", "sim list", "sim balance", "events", "agent list", "contacts")
TOOLS = ("list_sms", "list_sms_conversations", "get_gateway_status", "get_sms_subscriptions",
         "list_calls", "find_contact")


def tables(database: sqlite3.Connection) -> Iterator[str]:
    for name, kind in database.execute("SELECT name, type FROM pragma_table_list"
                                       " WHERE schema = 'main' ORDER BY name"):
        if kind == "table" and not name.startswith(("sqlite_", "message_text", "bad_row")):
            yield name


def columns(database: sqlite3.Connection, table: str) -> list[tuple[str, str, int]]:
    return database.execute("SELECT name, type, pk FROM pragma_table_info(?)",
                            (table,)).fetchall()


def template(database: sqlite3.Connection, table: str) -> dict[str, Any]:
    """A row of the table, or one that the gateway might have written."""
    names = columns(database, table)
    row = database.execute(f"SELECT * FROM {table} ORDER BY 1 LIMIT 1").fetchone()
    if row:
        return {name: value for (name, *_), value in zip(names, row)}
    usual = {"INTEGER": 1, "TEXT": "x", "BLOB": bytes(20 if table == "command_sender" else 32)}
    return {name: usual[kind] for name, kind, _ in names}


class Writer:
    """Writes rows past the gateway, with the checks of the schema off."""

    def __init__(self, database: sqlite3.Connection) -> None:
        self._database = database
        self._next = 1000
        database.execute("PRAGMA ignore_check_constraints = ON")

    def write(self, table: str, row: dict[str, Any]) -> None:
        marks = ["CAST(? AS TEXT)" if value == NOT_UTF8 else "?" for value in row.values()]
        with_conflict = "REPLACE" if table in SINGLE else "IGNORE"
        try:
            self._database.execute(f"INSERT OR {with_conflict} INTO {table} ({', '.join(row)})"
                                   f" VALUES ({', '.join(marks)})", list(row.values()))
        except (sqlite3.IntegrityError, sqlite3.OperationalError):
            pass            # the type of the column, or a trigger, refuses that one

    def write_each_column(self, table: str, value: object) -> None:
        row = template(self._database, table)
        described = columns(self._database, table)
        for name, _, _ in described:
            self._next += 1
            changed = dict(row)
            for other, kind, key in described:      # so that no row hides another one
                if key and kind == "INTEGER" and table not in SINGLE:
                    changed[other] = self._next
                elif other in ("name", "phone_number", "key", "name_id", "iccid", "request"):
                    if kind == "TEXT":
                        changed[other] = f"x{self._next}"
                elif other in ("token_hash",):
                    changed[other] = self._next.to_bytes(32, "big")
                elif other == "idempotency_key":
                    changed[other] = None
            self.write(table, changed | {name: value})


def write_bad_rows(lab: Lab, value: object) -> None:
    with closing(sqlite3.connect(lab.gateway.state / "gateway.db")) as database, database:
        writer = Writer(database)
        for table in list(tables(database)):
            if table not in ("file_identity", "secret"):
                writer.write_each_column(table, value)


def assert_all_can_be_read(lab: Lab) -> None:
    owner, agent = Owner(lab.gateway.state), Agent(lab)
    for command in READING:
        said = owner.run(*command.split(" ")[:1], *command.split(" ")[1:])
        assert said.returncode in (0, 1), (command, said)
    for tool in TOOLS:
        agent.call(tool, **({"name": "x"} if tool == "find_contact" else {}))
    for row in agent.call("list_sms", limit=50).structured["messages"]:
        agent.call("get_sms_status", message_id=row["message_id"])
        owner.run("show", row["message_id"])


@pytest.mark.parametrize("value", VALUES.values(), ids=VALUES)
def test_the_gateway_starts_and_reads_whatever_a_row_has(value: object) -> None:
    lab = new_lab(modem_count=1, policy="")
    with lab:
        wait_until_known(lab, True)
        agent = Agent(lab)
        before = agent.send("before")
        assert_sent(before)
        deliver(lab, SENDER, "received before")
        lab.gateway.stop()
        write_bad_rows(lab, value)
        lab.gateway.start()
        wait_until_known(lab, True)
        assert_all_can_be_read(lab)
        assert agent.state(before.message_id) == "sent"
        assert_sent(agent.send("after"))
        lab.gateway.restart()
        wait_until_known(lab, True)
        assert_all_can_be_read(lab)
        assert lab.gateway.stop() == 0


@pytest.mark.parametrize("state", [0, -1, 77])
def test_a_message_in_no_state_is_set_aside_and_doctor_names_it(state: int) -> None:
    lab = new_lab(modem_count=1, policy="")
    with lab:
        wait_until_known(lab, True)
        agent = Agent(lab)
        bad = agent.send("the bad one", idempotency_key="once")
        assert_sent(bad)
        good = agent.send("the good one")
        lab.gateway.stop()
        with closing(sqlite3.connect(lab.gateway.state / "gateway.db")) as database, database:
            database.execute("UPDATE message SET state = ? WHERE id = ?", (state, bad.message_id))
        lab.gateway.start()
        wait_until_known(lab, True)
        assert agent.state(good.message_id) == "sent"
        assert agent.call("get_sms_status", message_id=bad.message_id).is_error
        assert agent.send("the bad one", idempotency_key="once").is_error     # never again
        doctor = Owner(lab.gateway.state).run("doctor")
        assert "1 bad row of the table message" in doctor.stdout and "the bad one" not in doctor.stdout
        with closing(sqlite3.connect(lab.gateway.state / "gateway.db")) as database:
            [(table, row)] = database.execute("SELECT table_name, row FROM bad_row").fetchall()
        assert table == "message" and b"the bad one".hex().upper() in row
        assert f"state={state}" in row


# Of a message that waits; each of the others would leave it as it is, and it would be sent.
IMPOSSIBLE = [
    ("text", ""), ("text", "x" * 20_000), ("segments", 0), ("segments", -1), ("segments", 256),
    ("segments", 2 ** 53), ("created", -1), ("created", 2 ** 53), ("changed", 2 ** 53),
    ("idempotency_key", ""), ("idempotency_key", "x" * 5000), ("flags", -1), ("flags", 2 ** 53),
    ("repeats", -1), ("read_at", -2 ** 53), ("revision", -1), ("valid_for", -1),
    ("expires_at", 2 ** 53), ("client_id", -7), ("sim_id", None), ("sim_id", 0), ("sim_id", 99)]


def test_a_waiting_message_with_an_impossible_value_is_set_aside_and_not_sent() -> None:
    with new_lab(modem_count=1) as lab:
        wait_until_known(lab, True)
        agent, soon = Agent(lab), seconds_ahead(3600)
        waiting = [agent.send(f"{place}", send_at=soon, idempotency_key=f"key {place}").message_id
                   for place in range(len(IMPOSSIBLE) + 1)]
        lab.gateway.stop()
        with closing(sqlite3.connect(lab.gateway.state / "gateway.db")) as database, database:
            database.execute("PRAGMA ignore_check_constraints = ON")
            database.execute("UPDATE message SET send_at = 1")
            for (column, value), bad in zip(IMPOSSIBLE, waiting):
                database.execute(f"UPDATE message SET {column} = ? WHERE id = ?", (value, bad))
        lab.gateway.start()
        agent.wait_state(waiting[-1], "sent")
        assert_sent(agent.send("after"))
        assert taken_texts(lab) == [f"{len(IMPOSSIBLE)}", "after"]
        assert all(agent.call("get_sms_status", message_id=bad).is_error for bad in waiting[:-1])
        assert agent.send("0", idempotency_key="key 0").code == "closed"
        doctor = Owner(lab.gateway.state).run("doctor").stdout
        assert f"{len(IMPOSSIBLE)} bad rows of the table message" in doctor


def test_an_answer_that_no_owner_texted_gets_no_reply() -> None:
    with new_lab(modem_count=1) as lab:
        wait_until_known(lab, True)
        [received] = deliver(lab, SENDER, "hello")
        lab.gateway.stop()
        with closing(sqlite3.connect(lab.gateway.state / "gateway.db")) as database, database:
            for message_id in (received["message_id"], 77):
                database.execute("INSERT INTO approval_answer VALUES (?, 1, '+36205556677', 1, 1)",
                                 (message_id,))
        lab.gateway.start()
        Agent(lab).wait_states("ready")
        assert_sent(Agent(lab).send("after"))
        assert taken_texts(lab) == ["after"]
        assert "2 bad rows of the table approval_answer" in Owner(lab.gateway.state).run("doctor").stdout


def test_a_waiting_message_to_an_emergency_number_is_cancelled() -> None:
    numbers = ["112", "0036112", "911"]
    with new_lab(modem_count=1) as lab:
        wait_until_known(lab, True)
        agent, soon = Agent(lab), seconds_ahead(3600)
        *changed, last = [agent.send(text, send_at=soon).message_id
                          for text in [*numbers, "last"]]
        lab.gateway.stop()
        with closing(sqlite3.connect(lab.gateway.state / "gateway.db")) as database, database:
            database.executemany("UPDATE message SET phone_number = ? WHERE id = ?",
                                 zip(numbers, changed))
            database.execute("UPDATE message SET send_at = 1")
        lab.gateway.start()
        agent.wait_state(last, "sent")
        assert taken_texts(lab) == ["last"]
        for message in changed:
            status = agent.call("get_sms_status", message_id=message).structured
            assert (status["state"], status["reason"]) == ("cancelled",
                                                           "emergency_number_blocked")


def test_exhausted_ids_are_corrected_and_sending_works() -> None:
    lab = new_lab(modem_count=1, policy="")
    with lab:
        wait_until_known(lab, True)
        agent = Agent(lab)
        assert_sent(agent.send("before"))
        lab.gateway.stop()
        with closing(sqlite3.connect(lab.gateway.state / "gateway.db")) as database, database:
            database.execute("UPDATE sqlite_sequence SET seq = 9223372036854775807")
        lab.gateway.start()
        wait_until_known(lab, True)
        after = agent.send("after")
        assert_sent(after)
        assert after.message_id < 2 ** 53


def test_an_opt_out_and_a_pause_count_whatever_else_their_rows_have() -> None:
    lab = new_lab(modem_count=1, policy="")
    with lab:
        wait_until_known(lab, True)
        owner = Owner(lab.gateway.state)
        owner.do("pause")
        lab.gateway.stop()
        with closing(sqlite3.connect(lab.gateway.state / "gateway.db")) as database, database:
            database.execute("INSERT INTO opt_out (phone_number, at, word, message_id)"
                             " VALUES ('+36205556677', ?, 'stop', -1)", (-2 ** 63,))
            database.execute("UPDATE setting SET at = ?", (2 ** 62,))
        lab.gateway.start()
        assert "paused" in owner.run("status").stdout
        owner.do("resume")
        wait_until_known(lab, True)
        refused = Agent(lab).send("no", to="+36205556677")
        assert refused.is_error and refused.code == "recipient_opted_out", refused.text
        assert json.loads(owner.run("status", "--json").stdout.splitlines()[-1])
