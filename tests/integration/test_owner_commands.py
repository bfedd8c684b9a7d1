# SPDX-License-Identifier: GPL-2.0-or-later
"""The owner pairs agents and changes their permissions; every change takes effect at once."""

from __future__ import annotations

import fcntl
import json
import os
import pty
import re
import shlex
import signal
import struct
import subprocess
import termios
import unicodedata
from collections.abc import Callable, Iterator
from concurrent.futures import ThreadPoolExecutor
from contextlib import ExitStack, suppress
from datetime import datetime
from pathlib import Path
from typing import Any

import pytest

from agent import TO, Agent, assert_pending, assert_sent, pair, seconds_ahead
from events import Events
from lab import Lab, McpClient, wait_until
from lab.gateway import BINARY
from lone_gateway import LoneGateway
from modem.patience import patience
from modern import Request
from owner import FAILED, OK, USAGE, Owner, assert_the_guide_shows
from qr import decode
from test_control import gateway, owner
from test_sessions import begin, ping
from wire import rpc

TOKEN = re.compile(r"\b[0-9a-f]{64}\b")


@pytest.fixture(params=["running", "stopped"])
def either(request: pytest.FixtureRequest, gateway: LoneGateway) -> Iterator[Owner]:
    """The owner of a running gateway, and of a stopped one."""
    if request.param == "stopped":
        gateway.stop()
    yield Owner(gateway.state)
    if not gateway.is_running:
        gateway.start()


def status(gateway: LoneGateway, token: str) -> int:
    return gateway.post(rpc("tools/list"), Authorization=f"Bearer {token}").status


def paired(owner: Owner, *options: object) -> tuple[str, Any]:
    result = owner.json("pair", *options)
    return result["token"], result["client"]


# ---- pair -------------------------------------------------------------------------

def test_a_new_client_gets_the_default_permissions(either: Owner) -> None:
    _, client = paired(either, "laptop")
    datetime.fromisoformat(client.pop("paired"))
    nothing = dict.fromkeys(["per_minute", "per_hour", "per_day", "segments_per_month"])
    assert client == {"name": "laptop", "scopes": ["read", "send"], "sims": [],
                      "allow": [], "ask": "never", "limits": nothing}


PERMISSIONS = ["--scope", "send, codes", "--allow", "tel:+36\u00a0(0)20 123\u20114567,\u202a+36-30*\u202c,1234*",
               "--ask", "new-recipients", "--per-minute", 5, "--per-hour", "none",
               "--per-day", 100, "--segments-per-month", "default"]


def assert_permissions(client: Any) -> None:
    assert client["scopes"] == ["send", "codes"]
    assert client["allow"] == ["+36201234567", "+3630*", "1234*"]
    assert client["ask"] == "new-recipients"
    assert client["limits"] == {"per_minute": 5, "per_hour": 0, "per_day": 100,
                                "segments_per_month": None}


def test_permissions_survive_a_restart(gateway: LoneGateway, either: Owner) -> None:
    _, client = paired(either, *PERMISSIONS, "laptop")
    assert_permissions(client)
    if gateway.is_running:
        gateway.restart()
    assert either.json("clients")["clients"] == [client]


def test_clients_are_listed_in_a_table(owner: Owner) -> None:
    paired(owner, *PERMISSIONS, "laptop")
    paired(owner, "Gép – ñ")
    lines = owner.do("clients").splitlines()
    assert lines[0].split() == ["NAME", "MAY", "SIMS", "TO", "ASK", "LIMITS"]
    assert re.split("  +", lines[1])[:4] == ["Gép – ñ", "read,send", "any", "any"]
    assert re.split("  +", lines[2]) == [
        "laptop", "send,codes", "any", "+36201234567,+3630*,1234*", "new-recipients",
        "5/min unlimited/h 100/day"]
    assert {line.index(word) for line, word in zip(lines, ["MAY", "read", "send"])} == {9}


def test_only_known_sims_can_be_permitted(make_lab: Callable[..., Lab]) -> None:
    lab = make_lab(modem_count=2, gateway_open=False)
    owner = Owner(lab.gateway.state)
    agent = Agent(lab, pair(lab.gateway, "one"))
    agent.wait_states("ready", "ready", timeout=10)
    one, two = agent.ids()
    wrong = owner.run("pair", "--sim", "99", "laptop")
    assert wrong.returncode == USAGE
    assert f"Known SIM IDs: {one}, {two}" in wrong.stderr
    _, client = paired(owner, "--sim", f"{two}, {one}", "laptop")
    assert client["sims"] == [two, one]
    lab.gateway.stop()
    assert owner.json("change", "--sim", str(one), "laptop")["client"]["sims"] == [one]
    assert owner.json("change", "--sim", "any", "laptop")["client"]["sims"] == []
    lab.gateway.start()


@pytest.mark.parametrize("options,words", [
    (["--scope", "fly"], ['"fly"', "read, send, codes, ussd, admin, metrics, call, events, hub"]),
    (["--scope", ""], ["--scope"]), (["--scope", ","], ["a list is empty"]),
    (["--scope", "read;send"], ["no scope"]), (["--scope", "x" * 5000], ["no scope"]),
    (["--sim", "0"], ['no SIM "0"', "No SIM has been seen yet"]), (["--sim", "one"], ["no SIM"]),
    (["--sim", "1x"], ["no SIM"]), (["--sim", "-1"], ["no SIM"]),
    (["--allow", "mother"], ['"mother" is not a phone number', "+3620*"]),
    (["--allow", "*"], ["not a phone number"]), (["--allow", "+*"], ["not a phone number"]),
    (["--allow", "+36*20*"], ["not a phone number"]),
    (["--allow", "+36201234567/89"], ["not a phone number"]),
    (["--allow", "ö" * 31], ["not a phone number"]),
    (["--allow", ",".join(f"+3620{i:07}" for i in range(60))], ["too long"]),
    (["--ask", "sometimes"], ['"sometimes"', "always, new-recipients or never"]),
    (["--per-minute", "0"], ['"0" is not a limit', "from 1 to"]),
    (["--per-hour", "-1"], ["not a limit"]), (["--per-day", "5x"], ["not a limit"]),
    (["--segments-per-month", "99999999999999999999"], ["not a limit"]),
])
def test_wrong_permissions_are_refused(either: Owner, options: list[str], words: list[str]) -> None:
    result = either.run("pair", *options, "laptop")
    assert (result.returncode, result.stdout) == (USAGE, "")
    assert all(word in result.stderr for word in words), result.stderr
    assert either.json("clients") == {"clients": []}


@pytest.mark.parametrize("name", [
    "x" * 64, "", " x", "x ", "a\nb", "a\x1b[31m", "tab\tbed", "\u202etext", "ü" * 32,
    "a\u200bb", b"\xff"], ids=ascii)
def test_wrong_client_names_are_refused(folder: Path, name: str | bytes) -> None:
    result = subprocess.run([os.environ.get("GATEWAY_BINARY", BINARY), "pair",
                             "--state-dir", folder / "state", name],
                            capture_output=True, timeout=patience(10))
    assert (result.returncode, result.stdout) == (USAGE, b"")
    assert result.stderr.strip()
    assert not (folder / "state").exists()


@pytest.mark.parametrize("name", ["x" * 63, "ü" * 31, "my laptop", "日本", "-", "a'\"b\\"])
def test_good_client_names_are_accepted(owner: Owner, name: str) -> None:
    _, client = paired(owner, "--", name)
    assert client["name"] == name
    assert name in owner.do("clients")
    owner.do("revoke", "--", name)


def test_a_client_name_cannot_be_paired_twice(gateway: LoneGateway, either: Owner) -> None:
    token, _ = paired(either, "laptop")
    again = either.run("pair", "laptop")
    assert (again.returncode, again.stdout) == (FAILED, "")
    assert "laptop is already paired" in again.stderr
    assert "ofono-mcp client rotate" in again.stderr
    if not gateway.is_running:
        gateway.start()
    assert status(gateway, token) == 200


SNIPPETS = [
    'claude mcp add --transport http phone {url} \\\n    --header "Authorization: Bearer {token}"',
    'bearer_token_env_var = "OFONO_MCP_TOKEN"', 'url = "{url}"',
    "export OFONO_MCP_TOKEN={token}",
]


def test_pair_prints_what_the_guide_shows(owner: Owner) -> None:
    words = "pair --scope read,send --allow '+3620*' --per-day 20 laptop"
    assert_the_guide_shows(words, owner.do(*shlex.split(words)))


def test_pair_prints_ready_made_client_configurations(gateway: LoneGateway, owner: Owner) -> None:
    text = owner.do("pair", "laptop")
    [token] = set(TOKEN.findall(text))
    url = f"http://127.0.0.1:{gateway.port}/mcp"
    assert status(gateway, token) == 200
    for snippet in SNIPPETS:
        assert snippet.format(url=url, token=token) in text
    server = {"type": "http", "url": url,
              "headers": {"Authorization": f"Bearer {token}"}}
    configurations = [json.loads(part) for part in re.findall(
        r'^  (\{"(?:mcpServers|servers)".*\n.*)$', text, re.MULTILINE)]
    assert configurations == [
        {"mcpServers": {"phone": {"command": "ofono-mcp", "args": ["stdio", "--url", url],
                                  "env": {"OFONO_MCP_TOKEN": token}}}},
        {"mcpServers": {"phone": {"command": "ssh",
                                  "args": ["phone", "ofono-mcp", "stdio"]}}},
        {"mcpServers": {"phone": server}},
        {"servers": {"phone": server}}]
    assert 'MCP_EXTRA_HEADERS="Authorization: env:OFONO_AUTH"' in text
    assert f'OFONO_AUTH="Bearer {token}"' in text
    assert "Only programs on this machine" in text


def test_pair_prints_the_lines_for_one_client_only(owner: Owner) -> None:
    text = owner.do("pair", "--client", "vscode", "editor")
    assert '{"servers"' in text and "mcpServers" not in text and "claude" not in text
    text = owner.do("rotate", "--client", "antigravity", "editor")
    assert '"command":"ofono-mcp"' in text and "Antigravity" in text and "codex" not in text
    refused = owner.run("pair", "--client", "eudora", "other")
    assert refused.returncode == USAGE and "claude-desktop" in refused.stderr


def test_pairing_for_metrics_prints_prometheus_settings(gateway: LoneGateway, owner: Owner) -> None:
    """Neither settings for agents nor a console link: such a token would be refused there."""
    text = owner.do("pair", "--scope", "metrics", "--qr", "prometheus")
    [token] = set(TOKEN.findall(text))
    assert f"authorization: {{credentials: {token}}}" in text
    assert f'targets: ["127.0.0.1:{gateway.port}"]' in text
    assert f"http://127.0.0.1:{gateway.port}/metrics\n" in text
    assert "/mcp" not in text and "claude" not in text and "#token=" not in text
    assert "mcpServers" in owner.do("pair", "--scope", "metrics,read", "both")


@pytest.mark.parametrize("listen,wanted,unwanted", [
    ("192.0.2.7:1234", [r"http://192\.0\.2\.7:1234/mcp$"], ["127"]),
    ("[2001:db8::1]:1234", [r"http://\[2001:db8::1\]:1234/mcp$"], ["127"]),
    ("127.0.0.1:9531", [r"http://127\.0\.0\.1:9531/mcp$"], [r"\.local"]),
    ("0.0.0.0:1234", [r"http://127\.0\.0\.1:1234/mcp$"], ["0\\.0\\.0\\.0", r"\["]),
    ("[::]:1234", [r"http://\[::1\]:1234/mcp$"], [r"127\.0"]),
])
def test_pair_prints_urls_for_the_listen_address(folder: Path, listen: str, wanted: list[str], unwanted: list[str]) -> None:
    file = folder / "gateway.conf"
    file.write_text(f"[server]\nlisten = {listen}\n")
    urls = Owner(folder / "state", "--config", str(file)).json("pair", "x")["urls"]
    for pattern in wanted:
        assert any(re.match(pattern, url) for url in urls), urls
    for pattern in unwanted:
        assert not any(re.search(pattern, url) for url in urls), urls


@pytest.mark.parametrize("interfaces,lan", [
    ("", ["192.0.2.7", "203.0.113.7"]),
    ("interfaces = wlan0 wwan0\n", ["192.0.2.7"]),
])
def test_pair_prints_all_addresses_except_mobile_data(folder: Path, interfaces: str,
                                                lan: list[str]) -> None:
    """In its own network: two LANs, a modem, loopback; served addresses only, the best one
    first."""
    file = folder / "gateway.conf"
    file.write_text("[server]\nlisten = 0.0.0.0:1234\n" + interfaces)
    binary = os.environ.get("GATEWAY_BINARY", BINARY)
    script = f"""
        set -e
        ip link set lo up
        names="wlan0 eth7 wwan0 rmnet_data1"
        for name in $names; do ip link add $name type veth peer; done
        ip address add 192.0.2.7/24 dev wlan0
        ip address add 203.0.113.7/24 dev eth7
        ip address add 198.51.100.1/24 dev wwan0
        ip address add 198.51.100.2/24 dev rmnet_data1
        for name in $names; do ip link set $name up; done
        hostname phone
        {binary} pair --json --config {file} --state-dir {folder}/state laptop
        """
    done = subprocess.run(["unshare", "--net", "--uts", "sh", "-c", script],
                          capture_output=True, text=True, timeout=patience(20))
    assert (done.returncode, done.stderr) == (OK, "")
    assert json.loads(done.stdout)["urls"] == [
        f"http://{host}:1234/mcp" for host in [*lan, "phone.local", "127.0.0.1"]]


# ---- the QR code ------------------------------------------------------------------

def test_the_qr_code_contains_the_url_and_the_token(owner: Owner, folder: Path) -> None:
    text = owner.do("pair", "--qr", "laptop")
    url, token = re.search(r"URL +(\S+)/mcp", text)[1], TOKEN.search(text)[0]
    assert decode(text, folder) == f"{url}/#token={token}"
    assert f"  {url}/#token={token}\n" in text          # to open on this machine
    again = owner.do("rotate", "--qr", "laptop")
    assert decode(again, folder) == f"{url}/#token={TOKEN.search(again)[0]}"


def on_terminal(columns: int, *command: object) -> str:
    """The output on a terminal of this width."""
    ours, theirs = pty.openpty()
    fcntl.ioctl(theirs, termios.TIOCSWINSZ, struct.pack("HHHH", 50, columns, 0, 0))
    child = subprocess.Popen([os.environ.get("GATEWAY_BINARY", BINARY),
                              *map(str, command)], stdout=theirs, stdin=theirs)
    os.close(theirs)
    written = b""
    with suppress(OSError):             # EIO: the last process that had it open closed it
        while data := os.read(ours, 1 << 16):
            written += data
    os.close(ours)
    assert child.wait(patience(10)) == OK
    return written.decode().replace("\r\n", "\n")


def test_the_qr_code_needs_a_wide_enough_terminal(
        gateway: LoneGateway, owner: Owner, folder: Path) -> None:
    assert "▀" not in owner.do("pair", "one")       # no terminal, not requested
    wide = on_terminal(80, "pair", "--state-dir", gateway.state, "two")
    plain = re.sub(r"\x1b\[[0-9;]*m", "", wide)
    assert decode(plain, folder).endswith("/#token=" + TOKEN.search(wide)[0])
    phone = on_terminal(40, "pair", "--state-dir", gateway.state, "of a phone")
    plain = re.sub(r"\x1b\[[0-9;]*m", "", phone)
    assert decode(plain, folder).endswith("/#token=" + TOKEN.search(phone)[0])
    narrow = on_terminal(30, "pair", "--state-dir", gateway.state, "three")
    assert "▀" not in narrow
    assert re.search(r"needs a terminal \d+ columns wide; this one has 30", narrow)


def test_a_table_wider_than_the_terminal_becomes_a_list(gateway: LoneGateway, owner: Owner) -> None:
    """Names of any width line up in columns; if these do not fit, one below the other."""
    names = ["laptop", "日本語", "👩 phone", "a\u0301rvi\u0301ztu\u030bro\u030b"]
    for name in names:
        owner.do("pair", name)
    wide = on_terminal(80, "clients", "--state-dir", gateway.state).splitlines()
    assert wide[0].startswith("NAME")
    for line in wide[1:]:
        name = next(name for name in names if line.startswith(name))
        columns = sum(0 if unicodedata.combining(letter) else
                      2 if unicodedata.east_asian_width(letter) == "W" else 1
                      for letter in line.partition("read,send")[0])
        assert columns == wide[0].index("MAY"), (name, columns)
    narrow = on_terminal(40, "clients", "--state-dir", gateway.state)
    assert "NAME" not in narrow and all(name in narrow for name in names)
    assert narrow.count("\n  may       read,send\n") == len(names)


# ---- change, rotate, revoke -------------------------------------------------------

def test_change_keeps_all_other_permissions(either: Owner) -> None:
    _, before = paired(either, *PERMISSIONS, "laptop")
    changed = either.json("change", "--ask", "always", "--per-day", "default", "laptop")
    after = changed["client"]
    assert after == before | {"ask": "always", "limits": before["limits"] | {"per_day": None}}
    assert either.json("clients")["clients"] == [after]
    assert "always" in either.do("change", "--ask", "always", "laptop")


def test_change_needs_something_to_change(either: Owner) -> None:
    paired(either, "laptop")
    result = either.run("change", "laptop")
    assert result.returncode == USAGE
    assert "--scope" in result.stderr and "--per-minute" in result.stderr


@pytest.mark.parametrize("command", [
    ["change", "--ask", "never"], ["revoke"], ["rotate"]], ids=lambda words: words[0])
def test_an_unknown_client_name_is_refused(either: Owner, command: list[str]) -> None:
    result = either.run(*command, "nobody")
    assert (result.returncode, result.stdout) == (FAILED, "")
    assert "there is no paired agent nobody" in result.stderr
    assert "ofono-mcp client list" in result.stderr


def test_a_wrong_change_changes_nothing(either: Owner) -> None:
    _, client = paired(either, "laptop")
    wrong = either.run("change", "--scope", "read", "--per-day", "many", "laptop")
    assert wrong.returncode == USAGE
    assert either.json("clients")["clients"] == [client]


def test_rotate_replaces_only_the_token(gateway: LoneGateway, either: Owner) -> None:
    old, client = paired(either, *PERMISSIONS, "laptop")
    rotated = either.json("rotate", "laptop")
    assert rotated["client"] == client
    assert rotated["token"] != old
    if not gateway.is_running:
        gateway.start()
    assert status(gateway, old) == 401
    assert status(gateway, rotated["token"]) == 200


def test_revoke_refuses_the_token_for_good(gateway: LoneGateway, either: Owner) -> None:
    kept, _ = paired(either, "another")
    token, _ = paired(either, "laptop")
    assert either.json("revoke", "laptop") == {
        "revoked": "laptop", "waiting_messages": 0, "cancelled_messages": 0}
    assert [client["name"] for client in either.json("clients")["clients"]] == ["another"]
    if not gateway.is_running:
        gateway.start()
    assert (status(gateway, token), status(gateway, kept)) == (401, 200)
    again, _ = paired(either, "laptop")
    assert (status(gateway, token), status(gateway, again)) == (401, 200)


def test_revoke_counts_messages_still_waiting(make_lab: Callable[..., Lab]) -> None:
    lab = make_lab(modem_count=1, gateway_open=False)
    owner = Owner(lab.gateway.state)
    agents = [Agent(lab, pair(lab.gateway, name)) for name in ("one", "other")]
    for agent in agents:
        agent.wait_states("ready", timeout=10)
    for agent, count in zip(agents, (2, 1)):
        assert_sent(agent.send("goes out at once"))
        for number in range(count):
            assert_pending(agent.call("send_sms", to_phone_number=TO,
                                      sms_text=f"later {number}",
                                      send_at=seconds_ahead(3600)), "scheduled")
    assert "still be sent: 2." in owner.do("revoke", "one")
    assert owner.json("revoke", "other")["waiting_messages"] == 1
    with pytest.raises(AssertionError, match="401"):
        agents[0].states()


@pytest.mark.parametrize("runs", [True, False])
def test_revoke_with_cancel_cancels_waiting_messages(make_lab: Callable[..., Lab], runs: bool) -> None:
    """Scheduled or waiting for approval: none of them is sent, and those of other clients
    remain."""
    lab = make_lab(modem_count=1, gateway_open=False)
    owner = Owner(lab.gateway.state)
    thief, careful, other = (Agent(lab, pair(lab.gateway, name))
                             for name in ("thief", "careful", "other"))
    owner.do("change", "--ask", "always", "careful")
    for agent in (thief, careful, other):
        agent.wait_states("ready", timeout=10)
    ids = [agent.send("later", send_at=seconds_ahead(3600), wait_for="none").message_id
           for agent in (thief, careful, other)]
    if not runs:
        lab.gateway.stop()
    said = owner.do("revoke", "--cancel", "thief")
    assert "Cancelled messages: 1." in said and "still be sent" not in said
    assert owner.json("revoke", "--cancel", "careful")["cancelled_messages"] == 1
    if not runs:
        lab.gateway.start()
    shown = [owner.do("show", "--json", id) for id in ids]
    states = [json.loads(text.splitlines()[0])["message"]["state"] for text in shown]
    assert states == ["cancelled", "cancelled", "scheduled"]
    assert ["client_revoked" in text for text in shown] == [True, True, False]
    assert "client_revoked" in owner.do("audit")


def stream_of(gateway: LoneGateway, token: str) -> Events:
    asked = Request("subscriptions/listen", {"notifications": {"toolsListChanged": True}})
    stream = Events(gateway.port, asked.body,
                    **asked.headers | {"Authorization": f"Bearer {token}"})
    assert stream.next_message().method == "notifications/subscriptions/acknowledged"
    return stream


def waiting_call(gateway: LoneGateway, token: str) -> Events:
    """It reports progress, so it waits."""
    body = rpc("tools/call", {"name": "wait_for_sms", "_meta": {"progressToken": "w"},
                              "arguments": {"timeout_seconds": 100}})
    stream = Events(gateway.port, body, Authorization=f"Bearer {token}")
    assert stream.next_message().method == "notifications/progress"
    return stream


@pytest.mark.parametrize("command", [["revoke"], ["rotate"], ["change", "--scope", "read"]],
                         ids=lambda words: words[0])
def test_revoke_rotate_and_change_end_streams_and_calls(
        gateway: LoneGateway, owner: Owner, command: list[str]) -> None:
    token, other = paired(owner, "laptop")[0], paired(owner, "another")[0]
    with ExitStack() as opened:
        kept = [opened.enter_context(stream_of(gateway, other)),
                opened.enter_context(waiting_call(gateway, other))]
        client = opened.enter_context(McpClient(gateway.port, token=token))
        bearer = {"Authorization": f"Bearer {token}", "Mcp-Session-Id": begin(client)}
        cut = [opened.enter_context(stream) for stream in (
            Events(gateway.port, **bearer), Events(gateway.port, **bearer),
            stream_of(gateway, token), waiting_call(gateway, token))]
        for stream in cut[:2]:
            stream.wait_comment()
        owner.do(*command, "laptop")
        for stream in cut:
            told = [event.message for event in stream.wait_end() if event.fields.get("data")]
            assert stream is not cut[-1] or not any("result" in one for one in told)
        assert client.call("tools/list").status == (200 if command[0] == "change" else 401)
        for stream in kept:
            stream.poll(0.1)
            assert not stream.ended and not stream.closed


def test_gaining_rights_ends_no_stream(gateway: LoneGateway, owner: Owner) -> None:
    token, _ = paired(owner, "laptop")
    with stream_of(gateway, token) as stream:
        owner.do("change", "--scope", "read,send,codes", "--per-hour", "5", "laptop")
        stream.poll(0.1)
        assert not stream.ended and not stream.closed


def test_revoke_ends_sessions_and_rotate_keeps_them(gateway: LoneGateway, owner: Owner) -> None:
    token, _ = paired(owner, "laptop")
    with McpClient(gateway.port, token=token) as client:
        session = begin(client)
        client.headers["Authorization"] = f"Bearer {owner.json('rotate', 'laptop')['token']}"
        assert ping(client, session).result == {}           # the same client
        owner.do("revoke", "laptop")
        again, _ = paired(owner, "laptop")
        client.headers["Authorization"] = f"Bearer {again}"
        assert ping(client, session).status == 404
        gateway.restart()
        client.close()
        assert ping(client, session).status == 404


def test_a_request_unfinished_at_revocation_is_not_run(gateway: LoneGateway, owner: Owner) -> None:
    """Its headers had a token that was valid when they arrived."""
    token, _ = paired(owner, "laptop")
    head = ("POST /mcp HTTP/1.1\r\nHost: localhost\r\nContent-Type: application/json\r\n"
            f"Authorization: Bearer {token}\r\nContent-Length: 500\r\n\r\n{{")
    with gateway.wire() as wire:
        wire.send(head.encode())
        wait_until(lambda: gateway.peers, what="it is connected")
        assert status(gateway, token) == 200        # so the headers were read by now
        owner.do("revoke", "laptop")
        wire.wait_closed()


def test_a_revoked_token_is_refused_on_open_connections(gateway: LoneGateway, owner: Owner) -> None:
    token, _ = paired(owner, "laptop")
    with McpClient(gateway.port, token=token) as client:
        assert client.call("tools/list").status == 200
        owner.do("revoke", "laptop")
        assert client.call("tools/list").status == 401


# ---- pause, resume, reload --------------------------------------------------------

def test_pause_survives_a_restart_until_resume(gateway: LoneGateway, either: Owner) -> None:
    assert either.json("resume") == {"paused": False, "changed": False}
    assert either.json("pause") == {"paused": True, "changed": True}
    if gateway.is_running:
        gateway.restart()
    assert either.json("pause") == {"paused": True, "changed": False}
    assert "already paused" in either.do("pause")
    assert either.json("resume") == {"paused": False, "changed": True}


def test_reload_lists_what_changed(gateway: LoneGateway, owner: Owner) -> None:
    file = gateway.folder / "gateway.conf"
    assert owner.do("reload") == "Nothing changed.\n"
    file.write_text("[sms]\nmax_segments = 5\nask_seconds = 7\n[server]\n"
                    "hidden_tools = cancel_sms\n")
    assert owner.json("reload")["changed"] == [
        {"key": "server.hidden_tools", "needs_restart": False},
        {"key": "sms.max_segments", "needs_restart": False},
        {"key": "sms.elicitation_seconds", "needs_restart": True}]
    assert owner.do("reload") == "sms.elicitation_seconds: changed, but needs a restart\n"
    token, _ = paired(owner, "laptop")
    with McpClient(gateway.port, token=token) as client:
        tools = [tool["name"] for tool in client.call("tools/list").result["tools"]]
    assert "cancel_sms" not in tools


def test_reloading_a_wrong_configuration_changes_nothing(gateway: LoneGateway, owner: Owner) -> None:
    file = gateway.folder / "gateway.conf"
    file.write_text("[sms]\nmax_segments = 5\nqueue_limit = many\n")
    result = owner.run("reload")
    assert (result.returncode, result.stdout) == (FAILED, "")
    assert f"{file}:3: sms.queue_limit" in result.stderr
    assert "nothing was changed" in result.stderr
    file.write_text("")
    assert owner.do("reload") == "Nothing changed.\n"


def test_reloading_a_fifo_changes_nothing(gateway: LoneGateway, owner: Owner) -> None:
    file = gateway.folder / "gateway.conf"
    text = file.read_text()
    file.unlink()
    os.mkfifo(file)
    result = owner.run("reload")
    assert (result.returncode, result.stdout) == (FAILED, "") and str(file) in result.stderr
    file.unlink()
    file.write_text(text)
    assert owner.do("reload") == "Nothing changed.\n"


# ---- all of them ------------------------------------------------------------------

def test_commands_work_while_the_gateway_starts(
        gateway: LoneGateway, owner: Owner, background: ThreadPoolExecutor) -> None:
    """A gateway that starts while a command holds the store, and commands during a start."""
    for _ in range(5):
        gateway.stop()
        commands = [background.submit(owner.json, "clients") for _ in range(4)]
        gateway.start()
        assert [command.result() for command in commands] == 4 * [{"clients": []}]


def test_tokens_appear_only_in_the_command_output(
        gateway: LoneGateway, owner: Owner) -> None:
    """Not in a log, on disk or in the list of processes."""
    gateway.send_signal(signal.SIGHUP)
    told = owner.do("pair", "--qr", "laptop") + owner.do("rotate", "laptop")
    tokens = set(TOKEN.findall(told))
    assert len(tokens) == 2
    for token in tokens:
        status(gateway, token)
        assert token not in gateway.log
        assert token not in Path(f"/proc/{gateway.pid}/cmdline").read_text()
        for file in gateway.folder.rglob("*"):
            if file.is_file():
                assert token.encode() not in file.read_bytes(), file
    assert "control: pair" in gateway.log
    assert "control: rotate" in gateway.log
