# SPDX-License-Identifier: GPL-2.0-or-later
"""Requests that no honest client sends: name, octets, and which answers are right.

REFUSED: 4xx or 5xx, or the connection is closed without an answer. ANY: every answer is right;
the server must survive. `Leaving` is how the client disconnects.
"""

from __future__ import annotations

import gzip
import random
from dataclasses import dataclass
from enum import Enum
from typing import Any

from wire import ABSENT, chunk, request, rpc

CLOSED = 0                              # in place of a status
REFUSED = frozenset({CLOSED, *range(400, 600)})
ANY = frozenset({CLOSED, *range(100, 600)})
CHUNKED = {"Content-Length": None, "Transfer-Encoding": "chunked"}
PING = rpc("ping")
END = b"0\r\n\r\n"


class Leaving(Enum):
    READS = "waits for the answer"
    ENDS = "says that nothing more comes, waits a moment"
    CLOSES = "closes at once"
    RESETS = "resets the connection at once"


@dataclass(frozen=True)
class Hostile:
    name: str
    data: bytes
    statuses: frozenset[int]
    leaving: Leaving = Leaving.READS


def hostile(name: str, data: bytes, *statuses: int | frozenset[int],
            leaving: Leaving = Leaving.READS) -> Hostile:
    expected: set[int] = set()
    for status in statuses:
        expected |= {status} if isinstance(status, int) else status
    return Hostile(name, data, frozenset(expected), leaving)


def lines(*text: bytes | str, body: bytes = b"", end: bytes = b"\r\n") -> bytes:
    octets = [line.encode("latin-1") if isinstance(line, str) else line for line in text]
    return end.join([*octets, b"", b""]) + body


def head(*more: bytes | str, line: bytes | str = "POST /mcp HTTP/1.1", body: bytes = PING,
         length: bool = True) -> bytes:
    """The head of a good request, except for the given lines."""
    ours = [line, "Host: localhost", "Content-Type: application/json"]
    if length:
        ours.append(f"Content-Length: {len(body)}")
    return lines(*ours, *more, body=body)


# ---- text that is none ------------------------------------------------------------

BAD_TEXTS = {
    "lone octet FF": b"\xff",
    "lone continuation": b"\x80",
    "cut sequence": b"\xe2\x82",
    "overlong slash": b"\xc0\xaf",
    "overlong NUL": b"\xc0\x80",
    "overlong in three": b"\xe0\x80\xaf",
    "overlong in four": b"\xf0\x80\x80\xaf",
    "high surrogate": b"\xed\xa0\x80",
    "low surrogate": b"\xed\xb0\x80",
    "surrogate pair as two characters": b"\xed\xa0\xbd\xed\xb8\x80",
    "above U+10FFFF": b"\xf4\x90\x80\x80",
    "five octets": b"\xf8\x88\x80\x80\x80",
    "six octets": b"\xfc\x84\x80\x80\x80\x80",
    "octet FE": b"\xfe",
    "Latin-1": b"caf\xe9",
    "NUL itself": b"\0",
    "NUL escaped": rb"a\u0000b",
    "escaped low surrogate": rb"\udc00",
    "escaped low surrogate in capitals": rb"\uDC00",
    "escaped high surrogate": rb"\ud800",
    "escaped high surrogate, then text": rb"\ud83dx",
    "escaped high surrogate, then another escape": rb"\ud83d\n",
    "escaped high surrogate, then no surrogate": rb"\ud83d\u0041",
    "escaped surrogates the wrong way round": rb"\udc00\ud800",
    "two escaped high surrogates": rb"\ud800\ud800",
    "pair and a half": rb"\ud83d\ude00\ude00",
    "escape that there is not": rb"\x41",
    "escape of two digits": rb"\u12",
    "escape of no digits": rb"\uzzzz",
    "control character": b"a\x01b",
    "newline": b"a\nb",
}
PLACES = {
    "text": b'{"to_phone_number":"+36201234567","sms_text":"@"}',
    "number": b'{"to_phone_number":"@","sms_text":"x"}',
    "argument's name": b'{"to_phone_number":"+36201234567","sms_text":"x","@":1}',
    "subscription_id": b'{"to_phone_number":"+36201234567","sms_text":"x",'
                       b'"subscription_id":"@"}',
}
ENVELOPES = {
    "tool's name": b'{"jsonrpc":"2.0","id":1,"method":"tools/call",'
                   b'"params":{"name":"@"}}',
    "method": b'{"jsonrpc":"2.0","id":1,"method":"@"}',
    "id": b'{"jsonrpc":"2.0","id":"@","method":"ping"}',
    "version": b'{"jsonrpc":"@","id":1,"method":"ping"}',
    "member's name": b'{"jsonrpc":"2.0","id":1,"method":"ping","@":1}',
    "protocolVersion": b'{"jsonrpc":"2.0","id":1,"method":"initialize",'
                       b'"params":{"protocolVersion":"@"}}',
    "notification's method": b'{"jsonrpc":"2.0","method":"notifications/@"}',
    "result of a response": b'{"jsonrpc":"2.0","id":1,"result":{"a":"@"}}',
}


def send_sms(arguments: bytes) -> bytes:
    return (b'{"jsonrpc":"2.0","id":1,"method":"tools/call","params":{"name":"send_sms",'
            b'"arguments":' + arguments + b"}}")


def bad_texts() -> list[Hostile]:
    """Every bad text as sms_text, and the two worst in every parameter."""
    everywhere = {place: send_sms(arguments) for place, arguments in PLACES.items()}
    everywhere |= ENVELOPES
    as_text = everywhere["text"]
    found = [hostile(f"text: {name}", request(as_text.replace(b"@", text)), 400)
             for name, text in BAD_TEXTS.items()]
    for name in ("lone octet FF", "escaped low surrogate", "NUL escaped"):
        found += [hostile(f"{place}: {name}",
                          request(body.replace(b"@", BAD_TEXTS[name])), 400)
                  for place, body in everywhere.items() if place != "text"]
    return found


# ---- JSON that is too much --------------------------------------------------------

def post(name: str, body: bytes, *statuses: int | frozenset[int]) -> Hostile:
    return hostile(name, request(body), *statuses)


def argument(name: str, value: str) -> bytes:
    return send_sms(b'{"to_phone_number":"+36201234567","sms_text":"x","' + name.encode()
                    + b'":' + value.encode() + b"}")


def with_id(id: str) -> bytes:
    return f'{{"jsonrpc":"2.0","id":{id},"method":"ping"}}'.encode()


def keys(count: int) -> bytes:
    return rpc("ping", {f"k{i}": 0 for i in range(count)})


LONG = "x" * 60_000
BODIES = [
    post("10,000 nested arrays", b'{"a":' + b"[" * 10_000 + b"]" * 10_000 + b"}", 400),
    post("60,000 opened arrays", b'{"a":' + b"[" * 60_000, 400),
    post("10,000 opened objects", b'{"a":' * 10_000, 400),
    post("nested arrays in the arguments", argument("a", "[" * 5000 + "]" * 5000), 400),
    post("10,000 numbers", rpc("ping", {"a": [0] * 10_000}), 400),
    post("20,000 empty arrays", rpc("ping", {"a": [[]] * 15_000}), 400),
    post("5,000 keys", keys(5000), 400),
    post("4,000 keys", keys(4000), 200),
    post("one key of 60,000 octets", rpc("ping", {LONG: 1}), 200),
    post("60,000 quotation marks", b'"' * 60_000, 400),
    post("60,000 backslashes", b'"' + b"\\" * 60_000 + b'"', 400),
    post("60,000 commas", b'{"a":[' + b"," * 60_000 + b"]}", 400),
    post("60,000 digits as id", with_id("9" * 60_000), 200),
    post("60,000 octets as id", with_id(f'"{LONG}"'), 200),
    post("60,000 control characters as id", with_id('"' + r"\u0001" * 10_000 + '"'), 200),
    post("60,000 octets as method", rpc(LONG), 200),
    post("60,000 octets as tool", rpc("tools/call", {"name": LONG}), 200),
    post("60,000 octets as version", rpc("initialize", {"protocolVersion": LONG}), 200),
    post("id 1e999999", with_id("1e999999"), 400),
    post("id -1e-999999", with_id("-1e-999999"), 400),
    post("subscription_id 1e999999", argument("subscription_id", "1e999999"), 200),
    post("subscription_id -1e999999", argument("subscription_id", "-1e999999"), 200),
    post("subscription_id 1e-999999", argument("subscription_id", "1e-999999"), 200),
    post("subscription_id 0e999999", argument("subscription_id", "0e999999"), 200),
    post("subscription_id 1e99999999999999999999",
         argument("subscription_id", "1e99999999999999999999"), 200),
    post("subscription_id of 10,000 digits",
         argument("subscription_id", "9" * 10_000), 200),
    post("subscription_id of 10,000 fractional digits",
         argument("subscription_id", "1." + "0" * 10_000), 200),
    post("subscription_id -9223372036854775808",
         argument("subscription_id", "-9223372036854775808"), 200),
    post("NaN", with_id("NaN"), 400),
    post("__proto__", argument("__proto__", '{"a":1}'), 200),
    post("empty key", argument("", "1"), 200),
    post("printf in a method", rpc("%n%s%s%s%s%1000000d"), 200),
    post("printf in a tool", rpc("tools/call", {"name": "%n%s%s%1000000d"}), 200),
    post("SQL", rpc("tools/call", {"name": "send_sms", "arguments": {
        "to_phone_number": "+36201234567'; DROP TABLE message; --",
        "sms_text": "x"}}), 200),
    post("number of 60,000 digits", rpc("tools/call", {"name": "send_sms", "arguments": {
        "to_phone_number": "+" + "1" * 60_000, "sms_text": "x"}}), 200),
    post("UTF-16", PING.decode().encode("utf-16-le"), 400),
    post("UTF-32", PING.decode().encode("utf-32"), 400),
    post("gzip without a word", gzip.compress(PING), 400),
    hostile("gzip", request(gzip.compress(PING), {"Content-Encoding": "gzip"}), 415),
    post("HTML form", b"jsonrpc=2.0&id=1&method=ping", 400),
    post("XML", b'<?xml version="1.0"?><methodCall/>', 400),
    post("a request in the body", request(PING), 400),
    post("batch of 10,000", b"[" + b",".join([b'{}'] * 10_000) + b"]", 400),
    post("notification with everything", rpc("notifications/cancelled",
                                             {"requestId": [LONG]}, id=ABSENT), 202),
]


# ---- framing ----------------------------------------------------------------------

def two_requests(first: bytes, name: str) -> Hostile:
    """A request hidden in the body of another one must not be answered as a second request."""
    return hostile(name, first, 400)


def chunked(name: str, *pieces: bytes) -> Hostile:
    return hostile(name, request(headers=CHUNKED) + b"".join(pieces), REFUSED)


FRAMING = [
    two_requests(head("Content-Length: 5"), "two lengths"),
    two_requests(head(f"Content-Length: {len(PING)}"), "two equal lengths"),
    two_requests(head("Transfer-Encoding: chunked", body=END + request(PING)),
                 "length and chunked"),
    two_requests(head("Transfer-Encoding: chunked", "Content-Length: 5", length=False),
                 "chunked and length"),
    hostile("chunked twice", head(*["Transfer-Encoding: chunked"] * 2, body=END,
                                  length=False), REFUSED),
    *(hostile(f"transfer coding {coding!r}",
              head(f"Transfer-Encoding: {coding}", body=END, length=False), REFUSED)
      for coding in ("gzip", "identity", "gzip, chunked", "chunked, gzip", "chunked;a=b",
                     "xchunked", "chunked\x0b", '"chunked"', "chunked, chunked", "")),
    hostile("chunked in HTTP/1.0",
            head("Transfer-Encoding: chunked", body=chunk(PING) + END, length=False,
                 line="POST /mcp HTTP/1.0"), REFUSED),
    *(hostile(f"length {length!r}",
              head(f"Content-Length: {length}", length=False), REFUSED)
      for length in ("-1", "+40", "4 0", "0x28", "40,40", "40.0", "4e1", "", "\xb2",
                     "99999999999999999999", "9" * 1000, "18446744073709551615",
                     "-9223372036854775808", "9223372036854775807")),
    hostile("length with a leading blank in its name",
            head(f" Content-Length: {len(PING)}", length=False), REFUSED),
    hostile("length with a blank before the colon",
            head(f"Content-Length : {len(PING)}", length=False), REFUSED),
    hostile("length too short", request(PING, {"Content-Length": "10"}), 400),
    hostile("length too long", request(PING, {"Content-Length": "1000"}), ANY,
            leaving=Leaving.ENDS),
    chunked("chunk of FFFFFFFFFFFFFFFF1", b"FFFFFFFFFFFFFFFF1\r\n", PING, b"\r\n", END),
    chunked("chunk of FFFFFFFFFFFFFFFF", b"FFFFFFFFFFFFFFFF\r\n", PING, b"\r\n", END),
    chunked("chunk of 80000000", b"80000000\r\n", PING, b"\r\n", END),
    chunked("chunk of -1", b"-1\r\n", PING, b"\r\n", END),
    chunked("chunk of 0x28", b"0x28\r\n", PING, b"\r\n", END),
    chunked("chunk of zz", b"zz\r\n", PING, b"\r\n", END),
    chunked("chunk without a size", b"\r\n", PING, b"\r\n", END),
    chunked("chunk with a blank before its size", b" %x\r\n" % len(PING), PING, b"\r\n",
            END),
    chunked("chunk shorter than said", b"100\r\n", PING, b"\r\n", END, b"x" * 300),
    chunked("chunk longer than said", b"5\r\n", PING, b"\r\n", END),
    chunked("chunk without its end", b"%x\r\n" % len(PING), PING, b"xx", END),
    chunked("chunk size of 100,000 zeros", b"0" * 100_000, b"5\r\n", b"12345\r\n", END),
    chunked("chunk extension of 100,000 octets", b"5;a=", b"x" * 100_000,
            b"\r\n12345\r\n", END),
    chunked("trailer of 100,000 octets", chunk(PING), b"0\r\nX: ", b"y" * 100_000,
            b"\r\n\r\n"),
    chunked("20,000 trailers", chunk(PING), b"0\r\n", b"X: y\r\n" * 20_000, b"\r\n"),
]


# ---- header lines -----------------------------------------------------------------

HEADERS = [
    hostile("blank before the colon", head("X-A : b"), 400),
    hostile("tab before the colon", head("X-A\t: b"), 400),
    hostile("host with a blank before the colon", head("Host : evil.com"), 400),
    hostile("no name", head(": b"), 400),
    hostile("no colon", head("nonsense"), 400),
    hostile("blank in the name", head("X A: b"), 400),
    hostile("control character in the name", head(b"X\x01A: b"), 400),
    hostile("NUL in the name", head(b"X\0A: b"), 400),
    hostile("octet above 7F in the name", head(b"X\xff: b"), 400),
    hostile("parentheses in the name", head("X(A): b"), 400),
    hostile("NUL in a value", head(b"X-A: b\0c"), 400),
    hostile("NUL in the host", head(b"Host: localhost\0.evil.com"), 400),
    hostile("control character in a value", head(b"X-A: b\x01c"), 400),
    hostile("DEL in a value", head(b"X-A: b\x7fc"), 400),
    hostile("bare CR in a value", head(b"X-A: b\rc"), 400),
    hostile("bare CR for a line's end", head(b"X-A: b\rX-B: c"), 400),
    hostile("bare LF for a line's end", head(b"X-A: b\nX-B: c"), 400),
    hostile("bare LF for every line's end",
            lines("POST /mcp HTTP/1.1", "Host: localhost",
                  "Content-Type: application/json", f"Content-Length: {len(PING)}",
                  body=PING, end=b"\n"), 400),
    hostile("folded line", head("X-A: b", " c"), 400),
    hostile("folded first line", head(line=b"POST /mcp HTTP/1.1\r\n X: y"), 400),
    hostile("folded length", head("Content-Len: 5", " gth: 7"), 400),
    hostile("folded with a tab", head("X-A: b", "\tc"), 400),
    hostile("65 header lines", head(*["X-A: b"] * 65), 431),
    hostile("500 header lines", head(*(f"X-{i}: b" for i in range(500))), 431),
    hostile("10,000 header lines", head(*["X: y"] * 10_000), 431),
    hostile("value of 100,000 octets", head("X-A: " + "b" * 100_000), 431),
    hostile("name of 100,000 octets", head("X" * 100_000 + ": b"), REFUSED),
    hostile("line of 100,000 blanks", head("X-A: " + " " * 100_000), REFUSED),
    hostile("no host", request(PING, {"Host": None}), 400),
    hostile("two hosts", request(PING, {"Host": ["localhost", "evil.com"]}), 400),
    hostile("host of control characters", head(b"Host: \x01\x02"), 400),
    hostile("value that is no text", head(b"X-A: \x80\xff\xfe"), 200),
    hostile("origin that is no text", head(b"Origin: http://\xff\xfe"), 403),
    hostile("version that is no text", head(b"MCP-Protocol-Version: \xff\xfe"), 400),
    hostile("session that is no text", head(b"Mcp-Session-Id: \xff\xfe"), 404),
    hostile("type that is no text",
            lines("POST /mcp HTTP/1.1", "Host: localhost", b"Content-Type: \xff",
                  "Content-Length: 0"), 415),
    hostile("unknown expectation", head("Expect: miracles"), 200, 417),
    hostile("upgrade to WebSocket", lines(
        "GET /mcp HTTP/1.1", "Host: localhost", "Connection: Upgrade",
        "Upgrade: websocket", "Sec-WebSocket-Version: 13", "Sec-WebSocket-Key: x",
        "Accept: text/html"), 406),
    hostile("upgrade to HTTP/2", head(
        "Connection: Upgrade, HTTP2-Settings", "Upgrade: h2c",
        "HTTP2-Settings: AAMAAABkAAQAAP__"), 200),
    hostile("method override", head("X-HTTP-Method-Override: DELETE"), 200),
    hostile("forwarded", head("X-Forwarded-Host: evil.com",
                              "X-Forwarded-For: 1.2.3.4"), 200),
    hostile("range", head("Range: bytes=0-99999999999999999999"), 200),
    hostile("cookies", head("Cookie: " + "a=b; " * 500), 200, REFUSED),
    hostile("connection of many words",
            head("Connection: close, keep-alive, x" * 50), 200),
]


# ---- request lines ----------------------------------------------------------------

def get(line: bytes | str, *statuses: int | frozenset[int]) -> Hostile:
    return hostile(f"line {line!r:.40}", lines(line, "Host: localhost"), *statuses)


LINES = [
    get("POST http://127.0.0.1/mcp HTTP/1.1", REFUSED),
    get("POST http://evil.com/mcp HTTP/1.1", REFUSED),
    get("CONNECT evil.com:443 HTTP/1.1", REFUSED),
    get("CONNECT /mcp HTTP/1.1", REFUSED),
    get("TRACE /mcp HTTP/1.1", REFUSED),
    get("TRACE / HTTP/1.1", REFUSED),
    get("OPTIONS * HTTP/1.1", REFUSED),
    get("PRI * HTTP/2.0", REFUSED),
    get("GET /mcp HTTP/9.9", REFUSED),
    get("GET /mcp HTTP/2.0", REFUSED),
    get("GET /mcp HTTP/0.9", REFUSED),
    get("GET /mcp HTTP/1.10", REFUSED),
    get("GET /mcp HTTP/11", REFUSED),
    get("GET /mcp http/1.1", REFUSED),
    get("GET /mcp ICY/1.1", REFUSED),
    get("GET /mcp HTTP/1.1 x", REFUSED),
    get("GET /mcp", REFUSED),
    get("GET", REFUSED),
    get(" GET /mcp HTTP/1.1", REFUSED),
    get("PUT  /mcp HTTP/1.1", REFUSED),
    get("GET /mcp  HTTP/1.1", REFUSED),
    get("GET\t/mcp\tHTTP/1.1", REFUSED),
    get("GET /m cp HTTP/1.1", REFUSED),
    get("G\x01T /mcp HTTP/1.1", REFUSED),
    get(b"G\0T /mcp HTTP/1.1", REFUSED),
    get(b"GET /healthz\0 HTTP/1.1", REFUSED),
    get(b"GET /\0 HTTP/1.1", REFUSED),
    get(b"GET /\xff\xfe HTTP/1.1", REFUSED),
    get("GET /healthz%00 HTTP/1.1", 404),
    get("GET /healthz%00/../mcp HTTP/1.1", 404),
    get("GET /%00 HTTP/1.1", 404),
    get("GET //healthz HTTP/1.1", 404),
    get("GET /mcp/../healthz HTTP/1.1", 404),
    get("GET /./healthz HTTP/1.1", 404),
    get("GET /%2e%2e/%2e%2e/etc/passwd HTTP/1.1", 404),
    get("GET /../../etc/passwd HTTP/1.1", 404),
    get("GET /healthz;a=b HTTP/1.1", 404),
    get("GET /healthz#a HTTP/1.1", REFUSED),
    get("GET /healthz\\ HTTP/1.1", 404),
    get("GET healthz HTTP/1.1", REFUSED),
    get("GET ? HTTP/1.1", REFUSED),
    get("GET /healthz?%00%ff%zz HTTP/1.1", 200),
    get("GET /healthz?" + "a=b&" * 500 + " HTTP/1.1", 200, REFUSED),
    get("GET /" + "x" * 100_000 + " HTTP/1.1", REFUSED),
    get("GET /healthz?" + "x" * 100_000 + " HTTP/1.1", REFUSED),
    get("X" * 100_000 + " /mcp HTTP/1.1", REFUSED),
    hostile("HTTP/2 preface", b"PRI * HTTP/2.0\r\n\r\nSM\r\n\r\n" + bytes(27), REFUSED),
    hostile("HTTP/0.9", b"GET /healthz\r\n\r\n", REFUSED, leaving=Leaving.ENDS),
    hostile("empty lines first", b"\r\n\r\n" + request(PING), 200, REFUSED),
    hostile("5,000 empty lines", b"\r\n" * 5000, ANY, leaving=Leaving.ENDS),
    hostile("100,000 octets without a line's end", b"x" * 100_000, REFUSED),
    hostile("100,000 NULs", bytes(100_000), ANY, leaving=Leaving.ENDS),
]


# ---- other protocols, noise, and clients that go ----------------------------------

TLS_HELLO = bytes.fromhex(
    "16030100710100006d0303") + bytes(range(32)) + bytes.fromhex(
    "00000813021303130100ff0100003c00000013001100000e6c6f63616c686f73742e636f6d"
    "000a00040002001d000d0006000404030804002b0003020304002d00020101") + bytes(40)
WHOLE = request(rpc("tools/list"))
NOISE = random.Random(2)


def noise(name: str, data: bytes) -> Hostile:
    return hostile(name, data, ANY, leaving=Leaving.ENDS)


def goes(name: str, data: bytes) -> list[Hostile]:
    return [hostile(f"{name}, then {leaving.name.lower()}", data, ANY, leaving=leaving)
            for leaving in (Leaving.ENDS, Leaving.CLOSES, Leaving.RESETS)]


OTHERS = [
    noise("TLS", TLS_HELLO),
    noise("SSH", b"SSH-2.0-OpenSSH_9.2p1 Debian-2\r\n"),
    noise("SMTP", b"EHLO localhost\r\nMAIL FROM:<a@localhost>\r\n"),
    noise("Redis", b"*1\r\n$4\r\nPING\r\n"),
    noise("FastCGI", bytes.fromhex("0101000100080000000100000000000001040001000000")),
    noise("bare JSON", PING + b"\n"),
    noise("D-Bus", b"\0AUTH EXTERNAL 30\r\nBEGIN\r\n"),
    *(noise(f"noise of {size} octets", NOISE.randbytes(size))
      for size in (1, 10, 100, 1000, 10_000, 100_000)),
    *(noise(f"noise behind a request line, {i}",
            b"POST /mcp HTTP/1.1\r\n" + NOISE.randbytes(500) + b"\r\n\r\n")
      for i in range(5)),
    *(noise(f"noise as body, {i}", request(NOISE.randbytes(500))) for i in range(5)),
    *goes("nothing", b""),
    *goes("one octet", b"P"),
    *goes("half a line", b"POST /m"),
    *goes("half the headers", WHOLE[:40]),
    *goes("headers without the body", request(headers={"Content-Length": "60000"})),
    *goes("half the body", WHOLE[:-10]),
    *goes("half a chunk", request(headers=CHUNKED) + b"100\r\nabc"),
    *goes("a whole request", WHOLE),
    *goes("a hundred requests", WHOLE * 100),
    *goes("a refused body", request(PING.ljust(70_000))),
]


# Each control character where a parser of lines could stumble over it.
CONTROLS = [*range(0x20), 0x7f]


def control(place: str, octet: int, data: bytes) -> Hostile:
    return hostile(f"control {octet:02x} {place}", data.replace(b"~", bytes([octet])), REFUSED)


EACH_CONTROL = [
    *(control("in a name", octet, head("X~Y: z")) for octet in CONTROLS),
    *(control("in a value", octet, head("X: y~z")) for octet in CONTROLS if octet != 0x09),
    *(control("behind a chunk's size", octet, head(
        "Transfer-Encoding: chunked", length=False, body=b"2d~\r\n" + PING + b"\r\n" + END))
      for octet in CONTROLS)]
HOSTILE = [*bad_texts(), *BODIES, *FRAMING, *HEADERS, *LINES, *OTHERS, *EACH_CONTROL]


# ---- mutations of a good request --------------------------------------------------

def mutations(count: int, seed: int) -> list[bytes]:
    """A good request with a few octets changed, removed or inserted."""
    source = random.Random(seed)
    good = request(send_sms(PLACES["text"]))

    def mutate() -> bytes:
        data = bytearray(good)
        for _ in range(source.randint(1, 4)):
            at = source.randrange(len(data))
            data[at:at + source.randint(0, 2)] = source.randbytes(source.randint(0, 2))
        return bytes(data)
    return [mutate() for _ in range(count)]


def describe(value: Any) -> str:
    return value.name if isinstance(value, Hostile) else str(value)
