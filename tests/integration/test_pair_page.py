# SPDX-License-Identifier: GPL-2.0-or-later
"""/pair: a computer asks to be paired, and the owner types its code on the phone."""

from __future__ import annotations

import re
from http import HTTPStatus
from pathlib import Path

import pytest

from computer import Computer, member, state, token_on
from lab import wait_until
from lab.clock import Clock
from lab.dial import make_certificate
from lone_gateway import LoneGateway
from owner import FAILED, OK, USAGE, Owner
from phone import LAPTOP, PHONE, Phone
from terminal import on_terminal
from test_control import gateway, owner
from wire import Reply, Wire, request, rpc

PER_ADDRESS, WRONG_CODES = 3, 5
QR_CODE = "\033[97;40m"          # the colours of each of its lines
HOSTILE = '<img src=x onerror=alert(1)>"&\''
GUESSES = ["/register", "/authorize", "/token", "/.well-known/oauth-protected-resource",
           "/.well-known/oauth-protected-resource/mcp",
           "/.well-known/oauth-authorization-server", "/.well-known/openid-configuration",
           "/.well-known/openid-configuration/mcp"]


def ping(gateway: LoneGateway, token: str) -> int:
    with Wire(gateway.port) as wire:
        return wire.ask(request(rpc("ping"), {"Authorization": f"Bearer {token}"})).status


def said(refused: Reply) -> str:
    """The words of a JSON-RPC error."""
    return str(refused.json["error"]["message"])


def wrong_code(computer: Computer) -> str:
    return f"{(int(computer.code) + 1) % 1000000:06}"


# ---- the way to a token

def test_a_browser_is_paired_once_its_code_is_typed_on_the_phone(
        gateway: LoneGateway, owner: Owner) -> None:
    computer = Computer(gateway)
    assert 'name="name"' in computer.ask("/pair").body.decode()
    begun = computer.begin("laptop")
    assert (begun.status, begun.header("location")) == (303, "/pair/wait")
    waiting = computer.wait_page()
    assert waiting.status == HTTPStatus.ACCEPTED and b"127.0.0.1" in waiting.body
    assert owner.json("clients")["clients"] == []
    result = owner.json("pair", "--code", computer.code)
    assert (result["client"]["name"], result["client"]["scopes"]) == ("laptop",
                                                                       ["read", "send"])
    assert "token" not in result
    page = computer.wait_page()
    assert page.status == HTTPStatus.OK
    assert ping(gateway, token_on(page)) == HTTPStatus.OK
    assert b"http://localhost/mcp" in page.body


def test_the_token_is_shown_once(gateway: LoneGateway, owner: Owner) -> None:
    computer = Computer(gateway)
    computer.begin("laptop")
    owner.do("pair", "--code", computer.code)
    assert computer.ask("/pair/wait", "HEAD").status == HTTPStatus.ACCEPTED
    token = token_on(computer.wait_page())
    again = computer.wait_page()
    assert again.status == HTTPStatus.GONE and token.encode() not in again.body
    assert state(computer) == (410, "fetched")
    assert ping(gateway, token) == HTTPStatus.OK


def test_curl_gets_text_and_pairs_itself(gateway: LoneGateway, owner: Owner) -> None:
    shell = Computer(gateway, accept="*/*")
    assert b"curl" in shell.ask("/pair").body
    begun = shell.begin("script")
    assert shell.cookie.encode() in begun.body
    code = member(begun, "code")
    assert member(shell.wait_page(), "code") == code
    owner.do("pair", "--code", code)
    page = shell.wait_page()
    assert page.header("content-type") == "text/plain; charset=utf-8"
    assert member(page, "url") == "http://localhost/mcp"
    assert ping(gateway, member(page, "token")) == HTTPStatus.OK


def test_the_page_has_the_lines_of_every_client(gateway: LoneGateway, owner: Owner) -> None:
    computer = Computer(gateway)
    computer.begin("laptop")
    owner.do("pair", "--code", computer.code)
    page = computer.wait_page().body.decode()
    for line in ["claude mcp add --transport http phone http://localhost/mcp",
                 "&quot;servers&quot;:{&quot;phone&quot;", "[mcp_servers.phone]",
                 "MCP_SERVER_URL=", 'href="/#token=']:
        assert line in page, line


def test_the_owner_chooses_name_and_permissions(gateway: LoneGateway, owner: Owner) -> None:
    computer = Computer(gateway)
    computer.begin("laptop")
    result = owner.json("pair", "--code", computer.code, "--scope", "read", "--per-day", "3",
                        "kitchen")
    client = result["client"]
    assert (client["name"], client["scopes"], client["limits"]["per_day"]) == (
        "kitchen", ["read"], 3)
    assert '"kitchen"' in computer.wait_page(Accept="*/*").body.decode()


def test_an_approval_writes_one_line_of_audit(gateway: LoneGateway, owner: Owner) -> None:
    computer = Computer(gateway)
    computer.begin("laptop")
    before = owner.do("audit", "--json").count("\n")
    code = computer.code
    owner.do("pair", "--code", code)
    computer.wait_page()
    lines = owner.do("audit", "--json")
    assert lines.count("\n") == before + 1
    assert code not in lines and code not in gateway.log


def test_a_name_that_is_taken_keeps_the_request_waiting(
        gateway: LoneGateway, owner: Owner) -> None:
    owner.do("pair", "laptop")
    computer = Computer(gateway)
    computer.begin("laptop")
    refused = owner.run("pair", "--code", computer.code)
    assert refused.returncode == FAILED
    assert state(computer) == (202, "waiting")
    assert owner.run("pair", "--code", computer.code, "laptop-2").returncode == OK
    assert computer.wait_page().status == HTTPStatus.OK


@pytest.mark.parametrize("name", ["owner", "Gateway", "PHONE"])
def test_nobody_is_called_as_the_owner_the_gateway_or_the_phone(owner: Owner, name: str) -> None:
    """Lists, approvals and the audit log say so who sent a message."""
    assert owner.run("pair", name).returncode == USAGE
    assert owner.json("client", "list") == {"clients": []}


# ---- on the terminal

def test_pair_asks_for_the_code_and_says_who_asks(gateway: LoneGateway) -> None:
    computer = Computer(gateway)
    computer.begin("laptop")
    with on_terminal("pair", "--state-dir", gateway.state) as terminal:
        listed = terminal.read_until("Code that the computer shows: ")
        assert "laptop" in listed and "127.0.0.1" in listed
        assert computer.code not in listed
        terminal.type(computer.code + "\n")
        terminal.read_until("Its permissions [read,send]: ")
        terminal.type("read\n")
        terminal.read_until("[y/N] ")
        terminal.type("y\n")
        terminal.read_until("may now use this gateway")
        assert terminal.process.wait() == OK
    assert computer.wait_page().status == HTTPStatus.OK


def test_a_name_cannot_pass_for_an_address_on_the_terminal(gateway: LoneGateway) -> None:
    """The address stands before everything that the computer chose."""
    computer, name = Computer(gateway, source="127.0.0.7"), 'laptop" at 192.0.2.7'
    computer.begin(name)
    with on_terminal("pair", "--state-dir", gateway.state) as terminal:
        listed = terminal.read_until("Code that the computer shows: ")
        terminal.type(computer.code + "\n")
        checked = terminal.read_until("Its permissions [read,send]: ")
    for said in (listed, checked):
        assert name in said and "127.0.0.7" in said.partition(name)[0]


def test_the_owner_rejects_a_request(gateway: LoneGateway) -> None:
    computer = Computer(gateway)
    computer.begin("laptop")
    with on_terminal("pair", "--state-dir", gateway.state) as terminal:
        terminal.read_until("Code that the computer shows: ")
        terminal.type(computer.code + "\n")
        terminal.read_until("Its permissions [read,send]: ")
        terminal.type("\n")
        terminal.read_until("[y/N] ")
        terminal.type("n\n")
        assert terminal.process.wait() == FAILED
    assert state(computer) == (410, "rejected")


def test_pair_without_a_request_says_how_to_begin(owner: Owner) -> None:
    result = owner.run("pair")
    assert (result.returncode, "/pair" in result.stderr) == (FAILED, True)


def test_approvals_list_who_asks_without_the_code(gateway: LoneGateway, owner: Owner) -> None:
    computer = Computer(gateway)
    computer.begin(HOSTILE)
    *items, last = owner.json_lines("approvals")
    assert [(one["name"], one["address"]) for one in items] == [(HOSTILE, "127.0.0.1")]
    assert last["pairings"] == 1
    assert computer.code not in str(items)


# ---- what ends a request

def test_a_fourth_request_pushes_out_the_oldest_of_its_address(gateway: LoneGateway) -> None:
    first, *others = [Computer(gateway) for _ in range(PER_ADDRESS + 1)]
    for number, one in enumerate([first, *others]):
        assert one.begin(f"laptop {number}").status == HTTPStatus.SEE_OTHER
    assert state(first) == (410, "pushed_out")
    assert [state(one) for one in others] == [(202, "waiting")] * PER_ADDRESS


def test_a_thousand_requests_keep_token_holders_served_in_flat_memory(
        gateway: LoneGateway, owner: Owner) -> None:
    owner.do("pair", "agent")
    [token] = set(re.findall(r"[0-9a-f]{64}", owner.do("rotate", "agent")))
    for number in range(1000):
        if number == 100:
            before = gateway.rss_kib
        if number % 50 == 0:
            assert ping(gateway, token) == HTTPStatus.OK
        assert Computer(gateway).begin(f"flood {number}").status == HTTPStatus.SEE_OTHER
    assert owner.json_lines("approvals")[-1]["pairings"] == PER_ADDRESS
    grown = gateway.rss_kib - before
    print(f"after 900 more requests: {grown} KiB more")
    assert grown < 256


def test_a_code_is_too_old_after_ten_minutes(tmp_path: Path) -> None:
    clock, gateway = Clock(tmp_path), LoneGateway(open=False)
    gateway.environment |= clock.environment
    with gateway:
        computer = Computer(gateway)
        computer.begin("laptop")
        code = computer.code
        clock.sleep(10 * 60)
        assert state(computer) == (410, "expired")
        assert '"wrong_code"' in Owner(gateway.state).run("pair", "--json", "--code", code).stdout


def test_a_restart_forgets_a_request(gateway: LoneGateway) -> None:
    computer = Computer(gateway)
    computer.begin("laptop")
    gateway.restart()
    assert state(computer) == (404, "unknown")


def test_a_client_that_is_revoked_before_it_fetches_its_token_gets_none(
        gateway: LoneGateway, owner: Owner) -> None:
    computer = Computer(gateway)
    computer.begin("laptop")
    owner.do("pair", "--code", computer.code)
    owner.do("revoke", "laptop")
    assert state(computer) == (410, "revoked")


def test_a_token_that_was_replaced_before_it_was_fetched_is_not_shown(
        gateway: LoneGateway, owner: Owner) -> None:
    computer = Computer(gateway)
    computer.begin("laptop")
    owner.do("pair", "--code", computer.code)
    owner.do("rotate", "laptop")
    assert state(computer) == (410, "revoked")


# ---- codes

def test_five_wrong_codes_pause_the_right_one(gateway: LoneGateway, owner: Owner) -> None:
    computer = Computer(gateway)
    computer.begin("laptop")
    wrong = wrong_code(computer)
    codes = [owner.run("pair", "--json", "--code", wrong).stdout for _ in range(WRONG_CODES)]
    assert all('"wrong_code"' in one for one in codes)
    assert '"paused"' in owner.run("pair", "--json", "--code", computer.code).stdout
    assert owner.json("clients")["clients"] == []
    assert state(computer) == (202, "waiting")


def test_a_code_approves_its_own_request_among_those_with_one_name(
        gateway: LoneGateway, owner: Owner) -> None:
    stranger, computer = Computer(gateway, source="127.0.0.7"), Computer(gateway)
    stranger.begin("laptop")
    computer.begin("laptop")
    assert owner.json("pair", "--code", computer.code)["address"] == "127.0.0.1"
    assert state(stranger) == (202, "waiting")
    assert computer.wait_page().status == HTTPStatus.OK


@pytest.mark.parametrize("cookie", ["", "ofono-mcp-pair=", "ofono-mcp-pair=" + "0" * 64,
                                    "ofono-mcp-pair=" + "0" * 63, "other=" + "0" * 64])
def test_without_its_cookie_there_is_no_request(gateway: LoneGateway, cookie: str) -> None:
    Computer(gateway).begin("laptop")
    assert state(Computer(gateway, cookie=cookie)) == (404, "unknown")


def test_a_second_cookie_of_another_server_shows_no_strangers_code(gateway: LoneGateway) -> None:
    """Servers on other ports of the host may set cookies for it, and the browser sends that with
    the longer path first."""
    stranger, computer = Computer(gateway), Computer(gateway)
    stranger.begin("laptop")
    computer.begin("laptop")
    for cookies in (f"{stranger.cookie}; {computer.cookie}",
                    f"{computer.cookie};{stranger.cookie}"):
        assert state(Computer(gateway, cookie=cookies)) == (404, "unknown")
    assert state(Computer(gateway, cookie=f"a=b; {computer.cookie}; c=d")) == (202, "waiting")


# ---- the page as a page

def test_names_stay_data(gateway: LoneGateway) -> None:
    computer = Computer(gateway)
    computer.begin(HOSTILE)
    page = computer.wait_page().body.decode()
    assert "<img" not in page and "&lt;img src=x onerror=alert(1)&gt;&quot;&amp;&#39;" in page


@pytest.mark.parametrize("body", [
    b"", b"name=", b"name=" + b"x" * 64, b"name=" + b"x" * 10000, b"name=%00", b"name=a%0Ab",
    b"name=%E2%80%AEb", b"name=%ff", b"name=%4", b"name=%zz", b"other=1", b"name=a\x00b"])
def test_what_is_no_name_is_refused(gateway: LoneGateway, body: bytes) -> None:
    computer = Computer(gateway)
    reply = computer.ask("/pair", "POST", body)
    assert (reply.status, reply.header("set-cookie")) == (400, None)


def test_the_cookie_is_for_this_site_only(gateway: LoneGateway) -> None:
    cookie = Computer(gateway).begin("laptop").header("set-cookie")
    assert cookie
    name, *flags = cookie.split("; ")
    assert re.fullmatch(r"ofono-mcp-pair=[0-9a-f]{64}", name)
    assert set(flags) >= {"HttpOnly", "SameSite=Strict"}


def test_pages_are_not_kept_framed_or_scripted(gateway: LoneGateway) -> None:
    computer = Computer(gateway)
    computer.begin("laptop")
    for reply, action in [(computer.ask("/pair"), "'self'"), (computer.wait_page(), "'none'")]:
        policy = reply.header("content-security-policy") or ""
        assert f"form-action {action}" in policy and "frame-ancestors 'none'" in policy
        assert "default-src 'none'" in policy and "unsafe" not in policy
        assert reply.header("cache-control") == "no-store"


@pytest.mark.parametrize("headers, status", [
    ({"Host": "evil.example"}, 421),
    ({"Origin": "https://evil.example"}, 403),
    ({"Origin": "null"}, 403)])
def test_the_gates_of_mcp_protect_the_page(gateway: LoneGateway, headers: dict[str, str],
                                           status: int) -> None:
    computer = Computer(gateway)
    assert computer.ask("/pair", "POST", b"name=laptop", **headers).status == status
    assert computer.ask("/pair", **headers).status == status


# ---- when there is a page

def test_the_page_can_be_switched_off() -> None:
    with LoneGateway(open=False, pair_page="no") as gateway:
        computer, owner = Computer(gateway), Owner(gateway.state)
        assert computer.ask("/pair").status == HTTPStatus.NOT_FOUND
        assert computer.begin("laptop").status == HTTPStatus.NOT_FOUND
        refused = computer.ask("/register").json["error_description"]
        assert "ofono-mcp pair" in refused and "/pair" not in refused
        assert "/pair" not in said(gateway.post(rpc("ping")))
        assert owner.run("pair", "--wait").returncode == FAILED


def test_the_network_has_the_page_only_while_the_owner_waits(phone: Phone) -> None:
    page = request(method="GET", path="/pair", headers={"Content-Type": None, "Host": PHONE})
    with phone.serving(PHONE) as gateway:
        assert phone.is_refused("laptop", PHONE)
        with on_terminal("pair", "--wait", "--state-dir", gateway.state, columns=100) as terminal:
            terminal.read_until("/pair")
            terminal.read_until(QR_CODE)
            wait_until(lambda: not phone.is_refused("laptop", PHONE), what="the port is open")
            with phone.wire("laptop", PHONE) as wire:
                assert wire.ask(page).status == HTTPStatus.OK
                begun = wire.ask(request(
                    b"name=laptop", {"Host": PHONE, "Content-Type": None, "Accept": "*/*"},
                    path="/pair"))
            listed = terminal.read_until("Code that the computer shows: ")
            assert LAPTOP in listed
            terminal.type(member(begun, "code") + "\n\ny\n")
            terminal.read_until("may now use this gateway")


def test_over_tls_the_page_is_there_without_waiting(phone: Phone) -> None:
    page = request(method="GET", path="/pair", headers={"Content-Type": None, "Host": PHONE})
    with phone.serving(PHONE) as gateway:
        make_certificate(gateway.state / "tls")
        Owner(gateway.state).do("pair", "agent")
        gateway.restart()
        with phone.trusted(), phone.wire("laptop", PHONE) as wire:
            assert wire.ask(page).status == HTTPStatus.OK
            begun = wire.ask(request(b"name=laptop", {"Host": PHONE, "Content-Type": None},
                                     path="/pair"))
            assert (begun.header("set-cookie") or "").startswith("__Host-")


def test_clients_that_expect_oauth_learn_what_there_is(gateway: LoneGateway) -> None:
    for path in GUESSES:
        for method in ("GET", "POST"):
            reply = Computer(gateway).ask(path, method)
            assert reply.status == HTTPStatus.NOT_FOUND, path
            assert reply.json["error"] == "invalid_request"
            assert "ofono-mcp pair" in reply.json["error_description"]
            assert "/pair" in reply.json["error_description"]
        assert Computer(gateway).ask(path, "HEAD").status == HTTPStatus.NOT_FOUND
    refused = gateway.post(rpc("ping"))
    assert refused.status == HTTPStatus.UNAUTHORIZED
    assert "ofono-mcp pair" in said(refused) and "/pair" in said(refused)
    assert "resource_metadata" not in (refused.header("www-authenticate") or "")
