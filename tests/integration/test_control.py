# SPDX-License-Identifier: GPL-2.0-or-later
"""The owner's commands: over the control socket, and without a gateway."""

from __future__ import annotations

import json
import os
import shutil
import socket
import stat
import subprocess
import sys
import time
from collections.abc import Iterator
from concurrent.futures import ThreadPoolExecutor
from contextlib import ExitStack
from pathlib import Path
from typing import Any

import pytest

from agent import pair
from lab import wait_until
from lab.gateway import BINARY
from lone_gateway import LoneGateway
from modem.patience import patience
from other_users import with_other_users
from owner import FAILED, OK, USAGE, Owner, run

REQUEST_MAX = 64 * 1024
CONNECTIONS_MAX = 8


@pytest.fixture
def gateway() -> Iterator[LoneGateway]:
    with LoneGateway(open=False) as gateway:
        yield gateway


@pytest.fixture
def owner(gateway: LoneGateway) -> Owner:
    return Owner(gateway.state)


class Asker:
    """A connection to the control socket."""

    def __init__(self, path: Path) -> None:
        self.socket = socket.socket(socket.AF_UNIX)
        self.socket.settimeout(patience(30))
        self.socket.connect(str(path))

    def __enter__(self) -> Asker:
        return self

    def __exit__(self, *_: object) -> None:
        self.socket.close()

    def send(self, data: bytes) -> None:
        self.socket.sendall(data)

    def read(self) -> list[Any]:
        """Reads every line until the gateway closes the connection."""
        received = b""
        try:
            while data := self.socket.recv(1 << 16):
                received += data
        except ConnectionResetError:            # it left bytes of ours unread
            pass
        return [json.loads(line) for line in received.splitlines()]

    def ask(self, data: bytes) -> Any:
        """Returns the only line."""
        self.send(data)
        [line] = self.read()
        return line


def control(gateway: LoneGateway) -> Path:
    return gateway.state / "control"


def command(name: str, /, **arguments: object) -> bytes:
    return json.dumps({"command": name, "arguments": arguments}).encode() + b"\n"


def names(owner: Owner) -> list[str]:
    return [client["name"] for client in owner.json("clients")["clients"]]


# ---- the socket -------------------------------------------------------------------

def test_clients_lists_the_same_with_and_without_a_gateway(gateway: LoneGateway, owner: Owner) -> None:
    for name in ("one", "another"):
        pair(gateway, name)
    running, asked = owner.run("clients"), gateway.log.count("control: clients")
    assert asked == 1
    gateway.stop()
    stopped = owner.run("clients")
    assert (running.returncode, running.stdout) == (OK, stopped.stdout)
    assert [line.split()[0] for line in stopped.stdout.splitlines()] == [
        "NAME", "another", "one"]
    assert names(owner) == ["another", "one"]
    assert gateway.log.count("control: clients") == asked
    gateway.start()


def test_clients_without_pairings_explains_how_to_pair(owner: Owner) -> None:
    assert "ofono-mcp pair NAME" in owner.run("clients").stdout
    assert owner.json("clients") == {"clients": []}


def test_the_socket_has_mode_0660_and_is_removed_on_stop(gateway: LoneGateway) -> None:
    file = control(gateway)
    assert stat.S_ISSOCK(file.stat().st_mode)
    assert stat.S_IMODE(file.stat().st_mode) == 0o660
    gateway.stop()
    assert not file.exists()
    gateway.start()
    gateway.kill()
    assert file.exists()                        # the socket is still there
    gateway.start()
    with Asker(file) as asker:
        assert asker.ask(command("clients")) == {"result": {"clients": []}}


def test_a_file_in_place_of_the_socket_is_kept(gateway: LoneGateway, owner: Owner) -> None:
    gateway.stop()
    control(gateway).write_text("precious")
    gateway.start()
    assert "is not a socket" in gateway.log
    assert control(gateway).read_text() == "precious"
    gateway.stop()
    assert control(gateway).read_text() == "precious"
    control(gateway).unlink()
    gateway.start()
    assert names(owner) == []


def configured(path: Path) -> LoneGateway:
    return LoneGateway(open=False, control_socket=str(path))


def test_the_socket_path_is_configurable(folder: Path) -> None:
    with configured(folder / "there") as gateway:
        pair_here = Owner(gateway.state, "--config", str(gateway.folder / "gateway.conf"))
        assert names(pair_here) == []
        assert gateway.log.count("control: clients") == 1
        assert not control(gateway).exists()
        lost = Owner(gateway.state).run("clients")
        assert lost.returncode == FAILED
        assert "another control_socket" in lost.stderr
    assert not (folder / "there").exists()


def test_two_gateways_do_not_share_a_socket(folder: Path) -> None:
    with configured(folder / "there") as first, \
            configured(folder / "there") as second:
        assert "another program listens there" in second.log
        second.stop()
        assert names(Owner(first.state, "--config",
                           str(first.folder / "gateway.conf"))) == []
        second.start()


@pytest.mark.parametrize("option", ["control_socket", "state_dir"])
def test_a_too_long_socket_path_is_refused(folder: Path, option: str) -> None:
    long = "/" + "x" * 108
    file = folder / "long.conf"
    section = "server" if option == "control_socket" else "store"
    file.write_text(f"[{section}]\n{option} = {long}\n")
    for arguments in (["serve", "--check-config"], ["clients"]):
        result = run(*arguments, "--config", file)
        assert result.returncode in (FAILED, USAGE)
        assert "control_socket" in result.stderr and "107 bytes" in result.stderr



# ---- who may ask ------------------------------------------------------------------

NOBODY = 65534


def ask_as(path: Path, uid: int, groups: list[int]) -> Any:
    """The answer to `clients`, or the name of the error if connecting fails."""
    program = (f"import socket; s = socket.socket(socket.AF_UNIX); s.connect({str(path)!r});"
               f"s.sendall({command('clients')!r}); print(s.makefile().read())")
    done = subprocess.run([sys.executable, "-c", program], user=uid, group=NOBODY,
                          extra_groups=groups, capture_output=True, text=True,
                          timeout=patience(20))
    if done.returncode:
        return done.stderr.split("\n")[-2].split(":")[0]
    return json.loads(done.stdout)


@pytest.fixture
def reachable(folder: Path) -> Iterator[LoneGateway]:
    """A gateway whose socket lies in a folder that everyone may enter."""
    folder.chmod(0o755)
    with configured(folder / "there") as gateway:
        yield gateway


@with_other_users
def test_other_users_are_refused(reachable: LoneGateway, folder: Path) -> None:
    assert ask_as(folder / "there", NOBODY, []) == "PermissionError"
    (folder / "there").chmod(0o666)  # and also if the socket's own mode lets everyone write
    error = ask_as(folder / "there", NOBODY, [])["error"]
    assert error["code"] == "not_allowed"
    assert error["fix"]
    assert f"uid {NOBODY} was refused" in reachable.log
    assert "control: clients" not in reachable.log


@with_other_users
def test_members_of_the_socket_group_are_allowed(reachable: LoneGateway, folder: Path) -> None:
    group = (folder / "there").stat().st_gid
    assert ask_as(folder / "there", NOBODY, [group]) == {"result": {"clients": []}}
    assert f"control: clients by uid {NOBODY}" in reachable.log


@with_other_users
def test_other_users_get_advice(reachable: LoneGateway, folder: Path) -> None:
    config = reachable.folder / "gateway.conf"
    reachable.folder.chmod(0o755)
    program = shutil.copy(os.environ.get("GATEWAY_BINARY", BINARY), folder)
    done = subprocess.run([program, "clients", "--json",
                           "--config", config, "--state-dir", reachable.state], user=NOBODY,
                          group=NOBODY, extra_groups=[], capture_output=True, text=True,
                          timeout=patience(20))
    assert done.returncode == FAILED
    assert "run this as root, or as a member of the group root, which may" in done.stderr
    error = json.loads(done.stdout)["error"]
    assert error["message"] in done.stderr and error["fix"] in done.stderr


@with_other_users
def test_files_made_by_root_belong_to_the_folder_owner(gateway: LoneGateway) -> None:
    gateway.stop()
    gateway.folder.chmod(0o755)

    def give_to(user: int) -> None:
        for file in (gateway.state, *gateway.state.rglob("*")):
            os.chown(file, user, user)
    give_to(NOBODY)
    (gateway.state / "gateway.lock").unlink()
    pair(gateway, "laptop")
    files = list(gateway.state.rglob("*"))
    assert gateway.state / "gateway.lock" in files
    assert {(file.stat().st_uid, file.stat().st_gid) for file in files} == {
        (NOBODY, NOBODY)}
    give_to(os.geteuid())           # it refuses the folder of another user
    gateway.start()
    assert names(Owner(gateway.state)) == ["laptop"]


# ---- what comes in ----------------------------------------------------------------

@pytest.mark.parametrize("data,code", [
    (b"\n", "invalid_request"), (b"help\n", "invalid_request"), (b"[]\n", "invalid_request"),
    (b"{}\n", "invalid_request"), (b'{"command":5}\n', "invalid_request"),
    (b'{"command":"clients","command":"clients"}\n', "invalid_request"),
    (b'{"command":"\\ud800"}\n', "invalid_request"),
    (b'{"command":"clients","arguments":null}\n', "invalid_request"),
    (b'{"command":""}\n', "unknown_command"), (b'{"command":"Clients"}\n', "unknown_command"),
    (b'{"command":"clients","arguments":[]}\n', "invalid_request"),
    (b'{"command":"clients"} x\n', "invalid_request"),
    (b"\xff\xfe\0\n", "invalid_request"), (b"[" * 1000 + b"\n", "invalid_request"),
    (b'{"command":"fly"}\n', "unknown_command"),
    (b"x" * (REQUEST_MAX + 5000), "invalid_request"),
])
def test_malformed_requests_return_an_error(gateway: LoneGateway, owner: Owner, data: bytes, code: str) -> None:
    with Asker(control(gateway)) as asker:
        error = asker.ask(data)["error"]
    assert error["code"] == code
    assert error["message"] and error["fix"]
    assert names(owner) == []


def test_a_request_may_arrive_in_pieces(gateway: LoneGateway) -> None:
    with Asker(control(gateway)) as asker:
        for octet in command("clients"):
            asker.send(bytes([octet]))
        assert asker.read() == [{"result": {"clients": []}}]


def test_a_half_closed_connection_still_gets_its_answer(gateway: LoneGateway) -> None:
    with Asker(control(gateway)) as asker:
        asker.send(command("clients"))
        asker.socket.shutdown(socket.SHUT_WR)
        assert asker.read() == [{"result": {"clients": []}}]


def test_clients_that_disconnect_leave_no_descriptor_open(gateway: LoneGateway, owner: Owner) -> None:
    before = gateway.fd_count
    for data in (b"", b"{", command("clients")):
        for _ in range(20):
            with Asker(control(gateway)) as asker:
                asker.send(data)
    assert names(owner) == []
    wait_until(lambda: gateway.fd_count <= before, what="no descriptor is left")


def test_fifty_concurrent_connections_are_all_served(
        gateway: LoneGateway, owner: Owner, background: ThreadPoolExecutor) -> None:
    """More than the gateway serves at a time; each gets its turn."""
    before = gateway.fd_count
    askers = [Asker(control(gateway)) for _ in range(50)]
    answers = [background.submit(asker.ask, command("clients")) for asker in askers]
    assert [answer.result() for answer in answers] == 50 * [{"result": {"clients": []}}]
    for asker in askers:
        asker.socket.close()
    wait_until(lambda: gateway.fd_count <= before, what="no descriptor is left")
    assert names(owner) == []


def test_slow_writers_are_disconnected_after_a_timeout(gateway: LoneGateway, owner: Owner) -> None:
    """They occupy all slots, and another connection waits; it is served when they time out."""
    slow = [Asker(control(gateway)) for _ in range(CONNECTIONS_MAX)]
    for asker in slow:
        asker.send(b'{"command":')
    gateway.post(b"")                           # the rest of the gateway goes on
    assert names(owner) == []
    assert gateway.log.count("took too long") >= 1
    for asker in slow:
        assert asker.read() == []
        asker.socket.close()


def test_half_open_connections_delay_the_owner_by_a_second(
        gateway: LoneGateway, owner: Owner) -> None:
    """As many as the gateway serves at a time, and as many as the kernel queues."""
    with ExitStack() as half_open:
        for _ in range(73):
            one = half_open.enter_context(socket.socket(socket.AF_UNIX))
            one.connect(str(control(gateway)))          # waits for a place in the queue
        began = time.monotonic()
        assert names(owner) == []
        assert time.monotonic() - began < patience(1)


def test_a_client_that_does_not_read_blocks_no_other(gateway: LoneGateway) -> None:
    """Its answer exceeds the socket's buffer and waits; the other clients do not."""
    allow = ",".join(f"+3620{number:07}" for number in range(38))
    for number in range(400):
        with Asker(control(gateway)) as asker:
            assert "result" in asker.ask(command("pair", name=f"{number}", allow=allow))
    with Asker(control(gateway)) as lazy:
        lazy.send(command("clients"))
        wait_until(lambda: gateway.log.count("control: clients") == 1, what="it is asked")
        with Asker(control(gateway)) as asker:
            assert asker.ask(command("reload")) == {"result": {"changed": []}}
        [line] = lazy.read()
        assert len(line["result"]["clients"]) == 400
        assert len(json.dumps(line)) > 256 * 1024
