# SPDX-License-Identifier: GPL-2.0-or-later
"""A connection to a gateway: plain, or with TLS if that gateway uses TLS.

Clients need not know which: a gateway with TLS registers its port with trust().
"""

from __future__ import annotations

import os
import socket
import ssl
import subprocess
from pathlib import Path

_trusted: dict[int, ssl.SSLContext] = {}
SUBJECT = ("-subj", "/CN=lab", "-addext", "subjectAltName=DNS:localhost,IP:127.0.0.1")


def make_certificate(folder: Path, *more: str) -> None:
    """cert.pem and key.pem, in the form that the gateway expects; `more` goes to openssl."""
    folder.mkdir(mode=0o700, parents=True, exist_ok=True)
    key, certificate = folder / "key.pem", folder / "cert.pem"
    subprocess.run(
        ["openssl", "req", "-x509", "-newkey", "ec", "-pkeyopt",
         "ec_paramgen_curve:prime256v1", "-nodes", "-days", "2", *SUBJECT, *more,
         "-keyout", str(key), "-out", str(certificate)], check=True, capture_output=True)
    key.chmod(0o600)


def trust(port: int, certificate: Path) -> None:
    """This port of 127.0.0.1 uses TLS, with this certificate and no other."""
    _trusted[port] = ssl.create_default_context(cafile=certificate)


def forget(port: int) -> None:
    _trusted.pop(port, None)


def context_of(port: int) -> ssl.SSLContext | None:
    """None: plain HTTP."""
    return _trusted.get(port)


def dial(port: int, timeout: float, *, host: str = "127.0.0.1", source: str = "",
         receive_buffer: int = 0) -> socket.socket:
    family, _, _, _, place = socket.getaddrinfo(host, port, type=socket.SOCK_STREAM)[0]
    plain = socket.socket(family)
    try:
        if receive_buffer:
            plain.setsockopt(socket.SOL_SOCKET, socket.SO_RCVBUF, receive_buffer)
        plain.settimeout(timeout)
        if source:
            plain.bind((source, 0))
        plain.connect(place)
        plain.setsockopt(socket.IPPROTO_TCP, socket.TCP_NODELAY, 1)
        if context := context_of(port):
            return context.wrap_socket(plain, server_hostname="localhost")
    except BaseException:
        plain.close()
        raise
    return plain


def has_pending(connection: socket.socket) -> bool:
    """Octets that were received, but select() does not report."""
    return isinstance(connection, ssl.SSLSocket) and connection.pending() > 0


def say_end(connection: socket.socket, last: bytes = b"") -> None:
    """Sends FIN, in the same segment as `last` if possible; reading goes on."""
    if isinstance(connection, ssl.SSLSocket):
        connection.sendall(last)
        with socket.socket(fileno=os.dup(connection.fileno())) as below:
            below.shutdown(socket.SHUT_WR)
        return
    connection.sendall(last, socket.MSG_MORE)
    connection.shutdown(socket.SHUT_WR)
