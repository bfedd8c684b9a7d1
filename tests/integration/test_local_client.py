# SPDX-License-Identifier: GPL-2.0-or-later
"""Users of the gateway's machine as agents: no token, and permissions like any other."""

from __future__ import annotations

import http.client
import os
import shutil
import socket
import subprocess

import pytest

from lab.wait import wait_until
from other_users import with_other_users
from owner import Owner
from stdio import Bridge, call, facts, modern

LAB = {"modem_count": 1}
TO = "+36301234567"


@pytest.fixture
def owner(make_lab) -> Owner:
    lab = make_lab(gateway_open=False)
    owner = Owner(lab.gateway.state)
    owner.lab = lab
    return owner


def test_a_user_of_the_control_socket_is_an_agent_of_its_own(owner: Owner) -> None:
    with Bridge(owner.lab) as bridge:
        bridge.ask(call(1, "get_sms_subscriptions"))
        [client] = owner.json("clients")["clients"]
    assert client["name"] == "local:root"
    assert "send" in client["scopes"] and "codes" not in client["scopes"]
    assert client["ask"] == "never"


def test_its_permissions_hold_and_can_be_changed(owner: Owner) -> None:
    with Bridge(owner.lab) as bridge:
        bridge.ask(call(1, "get_sms_subscriptions"))
        owner.do("change", "--scope", "read", "local:root")
        tools = {tool["name"] for tool in bridge.ask(modern(2, "tools/list"))["result"]["tools"]}
    assert "list_sms" in tools and "send_sms" not in tools


def test_its_limits_and_the_audit_hold_for_it(owner: Owner) -> None:
    owner.do("change", "--per-day", "1", "local:root")     # before it first comes
    with Bridge(owner.lab) as bridge:
        wait_until(lambda: facts(bridge.ask(call("s", "get_sms_subscriptions")))["count"],
                   what="the SIM is known")
        first = bridge.ask(call(1, "send_sms", to_phone_number=TO, sms_text="one"))
        second = bridge.ask(call(2, "send_sms", to_phone_number=TO, sms_text="two"))
    assert facts(first)["message_id"]
    assert facts(second)["code"] == "rate_limited"
    assert '"client":"local:root"' in owner.do("audit", "--json")


def test_a_revoked_user_stays_out_until_the_owner_gives_a_scope_back(owner: Owner) -> None:
    with Bridge(owner.lab) as bridge:
        bridge.ask(call(1, "get_sms_subscriptions"))
        owner.do("revoke", "local:root")
        for id in (2, 3):
            error = bridge.ask(call(id, "get_sms_subscriptions"))["error"]
            assert "revoked" in error["message"]
        owner.do("change", "--scope", "read", "local:root")
        assert "result" in bridge.ask(call(4, "get_sms_subscriptions"))


def test_it_has_no_token_to_be_taken(owner: Owner) -> None:
    with Bridge(owner.lab) as bridge:
        bridge.ask(call(1, "get_sms_subscriptions"))
    for command in ("rotate", "pair"):
        result = owner.run(command, "local:root")
        assert result.returncode != 0 and "no token" in result.stderr


def test_nothing_on_tcp_is_a_local_user(owner: Owner) -> None:
    with Bridge(owner.lab) as bridge:
        bridge.ask(call(1, "get_sms_subscriptions"))
    for headers in ({}, {"Authorization": "Bearer local:root"}, {"X-Forwarded-User": "root"}):
        connection = http.client.HTTPConnection("127.0.0.1", owner.lab.gateway.port)
        connection.request("POST", "/mcp", b"{}", {"Content-Type": "application/json"} | headers)
        assert connection.getresponse().status == 401
        connection.close()


def test_the_socket_still_takes_commands_and_speaks_plain_http(owner: Owner) -> None:
    address = str(owner.lab.gateway.state / "control")
    with socket.socket(socket.AF_UNIX) as peer:
        peer.connect(address)
        peer.sendall(b"GET /healthz HTTP/1.1\r\nHost: localhost\r\n\r\n")
        assert peer.recv(4096).startswith(b"HTTP/1.1 200")
    assert owner.do("clients")


@with_other_users
def test_other_users_are_told_apart_and_kept_out(owner: Owner) -> None:
    os.chmod(owner.lab.folder, 0o711)
    os.chmod(owner.lab.gateway.state, 0o711)
    # The tree may be in a home folder that only its owner can open.
    program = shutil.copy(owner.lab.gateway.binary, owner.lab.folder)
    command = [str(program), "stdio", "--state-dir", str(owner.lab.gateway.state)]
    line = b'{"jsonrpc":"2.0","id":1,"method":"ping"}\n'
    nobody = subprocess.run(command, input=line, capture_output=True, user=1, group=1,
                            extra_groups=[])
    assert b"may not control the gateway" in nobody.stdout
    member = subprocess.run(command, input=line, capture_output=True, user=1, group=1,
                            extra_groups=[0])
    assert b'"result"' in member.stdout
    assert "local:daemon" in owner.do("clients")
