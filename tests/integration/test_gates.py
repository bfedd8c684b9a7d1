# SPDX-License-Identifier: GPL-2.0-or-later
"""The gates: Host, Origin, preflight, length of the body, token."""

from __future__ import annotations

import socket

import pytest

from agent import pair
from lone_gateway import LoneGateway
from wire import Value, chunk, request, rpc

BODY_MAX = 65_536
CHUNKED = {"Content-Length": None, "Transfer-Encoding": "chunked"}
PING = rpc("ping")
CORS_HEADERS = {
    "content-type", "accept", "authorization", "mcp-protocol-version", "mcp-method",
    "mcp-name", "mcp-session-id", "last-event-id", "traceparent"}
SERVER = {"allowed_host": "phone.example", "allowed_origin": "https://app.example"}


# ---- Host -------------------------------------------------------------------------

@pytest.mark.parametrize("host", [
    "127.0.0.1:9531", "127.0.0.1", "127.0.0.1:1", "127.9.9.9", "localhost",
    "localhost:80", "LocalHost:9531", "localhost.", "[::1]", "[::1]:9531",
    "192.168.1.20:9531", "10.0.0.1",
    "[2001:db8::1]:9531", "[fe80::1%25wlan0]", "0.0.0.0", "phone.example",
    "PHONE.example:9531", socket.gethostname(), f"{socket.gethostname()}:9531",
    f"{socket.gethostname()}.local", " localhost", "localhost ",
])
def test_local_hosts_are_accepted(gateway: LoneGateway, host: str) -> None:
    assert gateway.post(PING, Host=host).result == {}


@pytest.mark.parametrize("host,status", [
    ("evil.com", 421), ("evil.com:9531", 421), ("localhost.evil.com", 421),
    ("127.0.0.1.evil.com", 421), ("evil.localhost", 421), ("phone.example.evil.com", 421),
    ("xphone.example", 421), ("127.1", 421), ("2130706433", 421), ("0x7f.0.0.1", 421),
    ("127.0.0.1.", 200), ("localhost..", 421), ("127.0.0.01", 421), ("256.1.1.1", 421),
    ("", 400), (":9531", 400), (".", 400), ("localhost:99999999", 400),
    ("localhost:http", 400), ("localhost:-1", 400), ("localhost:80:80", 400),
    ("evil.com@localhost", 400), ("localhost@evil.com", 400), ("localhost/", 400),
    ("http://localhost", 400), ("localhost evil.com", 400), ("localhost,evil.com", 400),
    ("[::1", 400), ("[::1]x", 400), ("::1", 400), ("[evil.com]", 400), ("[]", 400),
    ("lööcalhost", 400), ("localhost%00.evil.com", 400), ("x" * 5000, 421),
    (None, 400), (["localhost", "evil.com"], 400), (["evil.com", "localhost"], 400),
    (["localhost", "localhost"], 400),
])
@pytest.mark.parametrize("method,path", [("POST", "/mcp"), ("GET", "/healthz"),
                                         ("OPTIONS", "/mcp"), ("GET", "/nowhere")])
def test_the_host_is_checked_on_every_path_and_method(gateway: LoneGateway, host: Value, status: int, method: str,
              path: str) -> None:
    headers = {"Host": host, "Origin": "http://localhost"}
    reply = gateway.ask(request(PING, headers, method=method, path=path))
    if status != 200:
        assert reply.status == status
        assert reply.header("access-control-allow-origin") is None
    else:
        assert reply.status in (200, 204, 404)


# ---- Origin -----------------------------------------------------------------------

GOOD_ORIGINS = [
    "http://localhost", "http://localhost:6274", "https://localhost",
    "https://localhost:1", "http://127.0.0.1:3000", "https://127.0.0.1",
    "http://[::1]", "http://[::1]:8080", "http://127.5.5.5",
    "HTTP://LOCALHOST:6274", "https://app.example"]
BAD_ORIGINS = [
    "null", "NULL", "https://evil.com", "http://localhost.evil.com",
    "http://evil.com:6274", "http://evil-localhost", "http://localhost@evil.com",
    "http://evil.com#localhost", "http://127.0.0.1.evil.com", "http://192.168.1.20",
    "http://[2001:db8::1]", "http://app.example",
    "https://app.example:444", "https://app.example.evil.com",
    "https://xapp.example", "file://", "file:///tmp/x.html",
    "chrome-extension://abcdefgh", "ftp://localhost", "javascript://localhost",
    "localhost", "//localhost", "*", "garbage", "", "http://",
    "http://localhost/", "http://localhost:6274/x", "http://localhost http://evil.com",
    "http://localhost, https://evil.com", "http://localhost:port",
    "http://löcalhost", "x" * 5000]


@pytest.mark.parametrize("origin", GOOD_ORIGINS)
def test_allowed_origins_are_accepted(gateway: LoneGateway, origin: str) -> None:
    reply = gateway.post(PING, Origin=origin)
    assert reply.result == {}
    assert reply.header("access-control-allow-origin") == origin
    assert "mcp-protocol-version" in {
        name.lower() for name in reply.names("access-control-expose-headers")}
    assert "Origin" in reply.names("vary")
    assert reply.header("access-control-allow-credentials") is None


@pytest.mark.parametrize("origin", BAD_ORIGINS)
@pytest.mark.parametrize("method,path", [("POST", "/mcp"), ("GET", "/mcp"),
                                         ("GET", "/healthz"), ("OPTIONS", "/mcp")])
def test_other_origins_are_refused(gateway: LoneGateway, origin: str, method: str,
                           path: str) -> None:
    reply = gateway.ask(request(PING, {"Origin": origin}, method=method, path=path))
    assert reply.status == 403 and "id" not in reply.json
    assert not [name for name, _ in reply.headers if name.startswith("access-control-")]


def test_pages_of_allowed_origins_can_read_errors(gateway: LoneGateway) -> None:
    """Without the header a browser hides the error from its page."""
    origin = {"Origin": "http://localhost:6274"}
    for data in (request(b"{", origin),
                 request(PING, origin | {"Content-Type": "text/plain"}),
                 request(PING, origin, path="/nowhere"),
                 request(method="PUT", headers=origin)):
        reply = gateway.ask(data)
        assert reply.status >= 400
        assert reply.header("access-control-allow-origin") == origin["Origin"]


def preflight(origin: str | None, path: str = "/mcp") -> bytes:
    return request(method="OPTIONS", path=path, headers={
        "Origin": origin, "Access-Control-Request-Method": "POST", "Content-Type": None,
        "Access-Control-Request-Headers": "content-type,mcp-protocol-version",
        "Content-Length": None})


@pytest.mark.parametrize("origin", GOOD_ORIGINS)
@pytest.mark.parametrize("path", ["/mcp", "/mcp/"])
def test_a_preflight_of_an_allowed_origin_is_answered(gateway: LoneGateway, origin: str, path: str) -> None:
    with gateway.wire() as wire:
        reply = wire.ask(preflight(origin, path))
        assert (reply.status, reply.body) == (204, b"")
        assert reply.header("access-control-allow-origin") == origin
        assert {"POST", "OPTIONS"} <= reply.names("access-control-allow-methods")
        assert CORS_HEADERS == reply.names("access-control-allow-headers")
        assert reply.header("access-control-allow-credentials") is None
        assert "*" not in str(reply.headers)
        assert "Origin" in reply.names("vary")
        assert wire.ask(request(PING, {"Origin": origin})).result == {}


def test_options_without_an_origin_lists_the_methods(gateway: LoneGateway) -> None:
    reply = gateway.ask(preflight(None))
    assert reply.status == 204
    assert {"POST", "OPTIONS"} <= reply.names("allow")
    assert not [name for name, _ in reply.headers if name.startswith("access-control-")]


def test_a_preflight_of_an_unknown_path_is_not_found(gateway: LoneGateway) -> None:
    assert gateway.ask(preflight("http://localhost", "/nowhere")).status == 404


# ---- length of the body -----------------------------------------------------------

def padded(size: int) -> bytes:
    """A ping of exactly that many octets."""
    frame = rpc("ping", {"a": ""})
    return frame.replace(b'""', b'"' + b"x" * (size - len(frame)) + b'"')


@pytest.mark.parametrize("body", [padded(BODY_MAX), PING.ljust(BODY_MAX)],
                         ids=["text", "blanks"])
def test_a_body_of_maximum_length_is_accepted(gateway: LoneGateway, body: bytes) -> None:
    assert len(body) == BODY_MAX
    assert gateway.post(body).result == {}


@pytest.mark.parametrize("size", [1000, 4096, BODY_MAX])
def test_a_chunked_body_of_maximum_length_is_accepted(gateway: LoneGateway, size: int) -> None:
    body = padded(BODY_MAX)
    chunks = b"".join(chunk(body[i:i + size]) for i in range(0, BODY_MAX, size))
    assert gateway.ask(request(headers=CHUNKED) + chunks + b"0\r\n\r\n").result == {}


@pytest.mark.parametrize("length", [BODY_MAX + 1, 10 ** 6, 2 ** 32, 2 ** 64 - 1])
@pytest.mark.parametrize("expect", [None, "100-continue"])
def test_a_too_long_body_is_refused_before_it_is_sent(gateway: LoneGateway, length: int,
                                       expect: str | None) -> None:
    """413 arrives although not one octet of the body was sent."""
    headers = {"Content-Length": str(length), "Expect": expect}
    reply = gateway.ask(request(headers=headers))
    assert reply.status == 413
    if length < 2 ** 63:                # more is refused by libmicrohttpd 1.0.1 itself
        assert str(BODY_MAX) in reply.json["error"]["message"]
    assert reply.header("connection").lower() == "close"


@pytest.mark.parametrize("size", [BODY_MAX + 1, 262_144])
@pytest.mark.parametrize("coding", ["length", "chunked"])
def test_a_client_that_sends_all_first_receives_413(gateway: LoneGateway, size: int,
                                                  coding: str) -> None:
    body = padded(size)
    data = request(body) if coding == "length" else (
        request(headers=CHUNKED) + chunk(body) + b"0\r\n\r\n")
    assert gateway.ask(data).status == 413


@pytest.mark.parametrize("headers,path,status", [
    ({"Host": "evil.com"}, "/mcp", 421), ({"Origin": "null"}, "/mcp", 403),
    ({}, "/nowhere", 404), ({"Content-Type": "text/plain"}, "/mcp", 415),
    ({"Content-Encoding": "gzip", "Content-Length": "5"}, "/mcp", 415),
])
def test_bad_headers_are_refused_before_the_body(gateway: LoneGateway, headers: dict, path: str,
                                 status: int) -> None:
    head = request(headers={"Content-Length": str(10 ** 6)} | headers, path=path)
    assert gateway.ask(head).status == status


# ---- token ------------------------------------------------------------------------

@pytest.fixture(scope="module")
def token(guarded: LoneGateway) -> str:
    """Made while the gateway runs."""
    return pair(guarded, "agent")


@pytest.mark.parametrize("authorization", [
    None, "", "Bearer", "Bearer ", "Bearer nonsense", "Basic dXNlcjpwYXNz", "bearer",
    "Bearer " + "0" * 64, "Bearer " + "x" * 5000, "Bearer \xff\xfe", "nonsense"])
def test_a_missing_or_malformed_token_gets_401(guarded: LoneGateway, authorization: str | None) -> None:
    reply = guarded.post(rpc("tools/list"), Authorization=authorization)
    assert reply.error[0] == 401
    assert reply.header("www-authenticate").startswith("Bearer")


@pytest.mark.parametrize("scheme", ["Bearer ", "bearer ", "BEARER  "])
def test_a_known_token_is_accepted(guarded: LoneGateway, token: str, scheme: str) -> None:
    assert guarded.post(PING, Authorization=scheme + token).result == {}


def test_the_whole_token_is_compared(guarded: LoneGateway, token: str) -> None:
    for wrong in (token[:-1], token + "0", token.upper() + " ", f"{token} {token}",
                  f'"{token}"', token.swapcase() + "x"):
        if wrong.strip() != token:
            assert guarded.post(PING, Authorization=f"Bearer {wrong}").status == 401


CHALLENGE = 'Bearer realm="ofono-mcp"'


@pytest.mark.parametrize("authorization,wrong", [
    (None, False), ("", False), ("Bearer", False), ("Basic dXNlcjpwYXNz", False),
    ("Bearer nonsense", True), ("bearer " + "0" * 64, True), ("Bearer " + "x" * 5000, True)])
def test_the_challenge_names_an_error_only_for_a_wrong_token(guarded: LoneGateway, authorization: str | None,
                       wrong: bool) -> None:
    """No metadata, which would begin OAuth; an error only if a token was sent."""
    reply = guarded.post(PING, Authorization=authorization)
    challenge = reply.header("www-authenticate")
    assert reply.status == 401
    assert "resource_metadata" not in challenge
    if wrong:
        assert challenge.startswith(f'{CHALLENGE}, error="invalid_token"')
    else:
        assert challenge == CHALLENGE


@pytest.mark.parametrize("method", ["GET", "HEAD", "POST", "PUT", "DELETE", "OPTIONS"])
@pytest.mark.parametrize("path", [
    "oauth-protected-resource", "oauth-protected-resource/mcp", "openid-configuration",
    "oauth-authorization-server", "oauth-authorization-server/mcp", "mcp.json", ""])
def test_well_known_paths_are_not_found(guarded: LoneGateway, method: str, path: str) -> None:
    """A plain 404: after a 401 or a page, clients begin OAuth and never send their token."""
    for headers in ({}, {"Authorization": "Bearer nonsense"}):
        with guarded.wire() as wire:
            wire.send(request(method=method, path=f"/.well-known/{path}",
                              headers=headers | {"Content-Type": None}))
            reply = wire.receive(head_only=method == "HEAD")
        assert reply.status == 404
        assert reply.header("www-authenticate") is None


@pytest.mark.parametrize("query", ["token={}", "access_token={}", "authorization=Bearer%20{}",
                                   "Authorization=Bearer+{}", "{}"])
def test_a_token_in_the_url_is_not_accepted(guarded: LoneGateway, token: str,
                                      query: str) -> None:
    path = "/mcp?" + query.format(token)
    reply = guarded.ask(request(PING, path=path))
    assert (reply.status, reply.header("www-authenticate")) == (401, CHALLENGE)
    assert guarded.ask(request(PING, {"Authorization": f"Bearer {token}"},
                               path=path)).result == {}


@pytest.mark.parametrize("authorization", [None, "Bearer nonsense"])
def test_a_preflight_never_gets_401(guarded: LoneGateway, authorization: str | None) -> None:
    head = preflight("http://localhost").replace(
        b"\r\n\r\n", f"\r\nAuthorization: {authorization}\r\n\r\n".encode()
        if authorization else b"\r\n\r\n")
    assert guarded.ask(head).status == 204


def test_wrong_tokens_do_not_lock_out_loopback(guarded: LoneGateway, token: str) -> None:
    """All programs of the machine share that address; doc/security.md says why."""
    for _ in range(20):
        assert guarded.post(PING, Authorization="Bearer wrong").status == 401
    assert guarded.post(PING, Authorization=f"Bearer {token}").result == {}
    assert "http: auth failure from 127.0.0.1" in guarded.log
