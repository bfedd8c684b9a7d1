# SPDX-License-Identifier: GPL-2.0-or-later
"""The server card of SEP-2127: what clients learn before they connect."""

from __future__ import annotations

import re
from collections.abc import Iterator

import pytest

from lone_gateway import LoneGateway
from modern import Request
from wire import Reply, Value, request

PATHS = ["/mcp/server-card", "/.well-known/mcp/server-card.json"]
TYPE = "application/mcp-server-card+json"
SCHEMA = "https://static.modelcontextprotocol.io/schemas/v1/server-card.schema.json"


@pytest.fixture(scope="module", params=["http", "https"])
def guarded(request: pytest.FixtureRequest) -> Iterator[LoneGateway]:
    with LoneGateway(open=False, tls=request.param == "https") as gateway:
        gateway.scheme = request.param
        yield gateway


def ask(gateway: LoneGateway, path: str = PATHS[0], method: str = "GET",
        **headers: Value) -> Reply:
    given = {name.replace("_", "-"): value for name, value in headers.items()}
    with gateway.wire() as wire:
        wire.send(request(method=method, path=path, headers={"Content-Type": None} | given))
        return wire.receive(head_only=method == "HEAD")


@pytest.mark.parametrize("path", PATHS)
def test_the_card_follows_the_schema(guarded: LoneGateway, path: str) -> None:
    """Its members and bounds are those of the SEP's schema."""
    reply = ask(guarded, path, Accept=TYPE, Host="localhost:1234")
    assert (reply.status, reply.header("content-type")) == (200, TYPE)
    card = reply.json
    assert set(card) == {"$schema", "name", "title", "version", "description", "remotes"}
    assert card["$schema"] == SCHEMA
    assert re.fullmatch(r"[a-zA-Z0-9.-]+/[a-zA-Z0-9._-]+", card["name"])
    assert 0 < len(card["description"]) <= 100
    assert 0 < len(card["title"]) <= 100
    [remote] = card["remotes"]
    assert set(remote) == {"type", "url", "headers", "supportedProtocolVersions"}
    assert remote["type"] == "streamable-http"
    assert remote["url"] == f"{guarded.scheme}://localhost:1234/mcp"
    [header] = remote["headers"]
    assert header["name"] == "Authorization"
    assert header["isRequired"] is header["isSecret"] is True


def test_the_card_agrees_with_server_discover() -> None:
    with LoneGateway() as gateway:
        card = ask(gateway).json
        [remote] = card["remotes"]
        told = gateway.ask(Request("server/discover").octets).result
        info = told["_meta"]["io.modelcontextprotocol/serverInfo"]
    assert card["name"].endswith("/" + info["name"])
    assert (card["title"], card["version"]) == (info["title"], info["version"])
    assert set(told["supportedVersions"]) < set(remote["supportedProtocolVersions"])
    assert "2025-11-25" in remote["supportedProtocolVersions"]


def test_an_unchanged_card_is_not_sent_again(guarded: LoneGateway) -> None:
    first = ask(guarded)
    tag = first.header("etag")
    assert re.fullmatch(r'"[0-9a-f]{32}"', tag)
    assert first.header("cache-control") == "public, max-age=3600"
    for known in (tag, f'"other", W/{tag}', ['"other"', tag], "*"):
        again = ask(guarded, If_None_Match=known)
        assert (again.status, again.body, again.header("etag")) == (304, b"", tag)
    for other in ('"other"', tag.strip('"'), "", '""', 'W/"'):
        assert ask(guarded, If_None_Match=other).status == 200
    assert ask(guarded, Host="127.0.0.1:1").header("etag") != tag


def test_the_url_is_https_behind_a_tls_proxy() -> None:
    with LoneGateway(open=False) as gateway:
        def url(word: str) -> str:
            [remote] = ask(gateway, Host="127.0.0.1", X_Forwarded_Proto=word).json["remotes"]
            return remote["url"]

        assert url("https") == "https://127.0.0.1/mcp"
        for word in ("http", "HTTPS", "javascript", "https://evil.test/?", ""):
            assert url(word) == "http://127.0.0.1/mcp"


def test_the_card_has_no_url_without_a_host_header() -> None:
    with LoneGateway(open=False) as gateway, gateway.wire() as wire:
        reply = wire.ask(request(method="GET", path=PATHS[0], version="HTTP/1.0",
                                 headers={"Host": None, "Content-Type": None}))
        assert reply.status == 200
        assert "remotes" not in reply.json


@pytest.mark.parametrize("path", PATHS)
def test_only_get_and_head_are_allowed_on_the_exact_path(guarded: LoneGateway, path: str) -> None:
    got, head = ask(guarded, path), ask(guarded, path, "HEAD")
    assert (head.status, head.header("etag")) == (200, got.header("etag"))
    for method in ("POST", "PUT", "DELETE"):
        assert ask(guarded, path, method).names("allow") == {"GET", "HEAD", "OPTIONS"}
    assert ask(guarded, f"{path}/").body == ask(guarded, f"{path}?a=b").body == got.body
    assert ask(guarded, f"{path}x").status == ask(guarded, f"{path}//").status == 404


def test_only_pages_of_allowed_origins_read_the_card(guarded: LoneGateway) -> None:
    ours = ask(guarded, Origin="http://localhost:6274")
    assert ours.status == 200
    assert ours.header("access-control-allow-origin") == "http://localhost:6274"
    theirs = ask(guarded, Origin="http://evil.test")
    assert theirs.status == 403
    assert b"schema" not in theirs.body
    assert theirs.header("access-control-allow-origin") is None
