# SPDX-License-Identifier: GPL-2.0-or-later
"""A real browser, and a web site that reports what its pages found out.

Every name resolves to this machine, so nothing reaches the network.
"""

from __future__ import annotations

import json
import os
import queue
import shutil
import signal
import socket
import subprocess
import tempfile
import threading
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from typing import Any

from lab import wait_until
from modem.patience import patience

BROWSER = "chromium"
OPTIONS = ["--headless=new", "--no-sandbox", "--disable-gpu", "--disable-dev-shm-usage",
           "--no-first-run", "--disable-background-networking", "--disable-sync",
           "--disable-component-update", "--disable-breakpad", "--disable-extensions"]


class Browser:
    """Opens one page, in its own profile."""

    def __init__(self, url: str, host: str = "127.0.0.1") -> None:
        self._profile = tempfile.mkdtemp(prefix="ofono-mcp-browser-")
        self._child = subprocess.Popen(
            [BROWSER, *OPTIONS, f"--user-data-dir={self._profile}",
             f"--host-resolver-rules=MAP *.test {host}", url],
            env=os.environ | {"HOME": self._profile, "XDG_CONFIG_HOME": self._profile},
            stdin=subprocess.DEVNULL, stdout=subprocess.DEVNULL,
            stderr=subprocess.DEVNULL, start_new_session=True)

    def __enter__(self) -> Browser:
        return self

    def __exit__(self, *_: object) -> None:
        os.killpg(self._child.pid, signal.SIGKILL)
        self._child.wait()
        wait_until(self._is_gone, what="the last process of the browser has gone")
        shutil.rmtree(self._profile, ignore_errors=True)


    def _is_gone(self) -> bool:
        try:
            os.killpg(self._child.pid, 0)
        except ProcessLookupError:
            return True
        return False


class Site:
    """Serves `page` at /; reports() returns what the page posts to /report.

    With `behind`, everything else is relayed to that port of 127.0.0.1, as if the site's name
    had been pointed there since the page was loaded: DNS rebinding.
    """

    def __init__(self, page: str, host: str = "127.0.0.1", port: int = 0,
                 behind: int = 0) -> None:
        self._reports: queue.Queue[Any] = queue.Queue()
        self._server = ThreadingHTTPServer(
            (host, port), make_handler(page.encode(), self._reports, behind))
        self._server.daemon_threads = True
        self.port: int = self._server.server_port
        self._thread = threading.Thread(target=self._server.serve_forever, args=[0.05])

    def __enter__(self) -> Site:
        self._thread.start()
        return self

    def __exit__(self, *_: object) -> None:
        self._server.shutdown()
        self._thread.join()
        self._server.server_close()

    def report(self) -> Any:
        """The next report that a page posts."""
        return self._reports.get(timeout=patience(60))


def relay(one: socket.socket, other: socket.socket) -> None:
    """Relays until one side ends."""
    def copy(source: socket.socket, target: socket.socket) -> None:
        try:
            while data := source.recv(1 << 16):
                target.sendall(data)
        except OSError:
            pass
        for end in (source, target):
            try:
                end.shutdown(socket.SHUT_RDWR)
            except OSError:
                pass

    back = threading.Thread(target=copy, args=(other, one), daemon=True)
    back.start()
    copy(one, other)
    back.join()


def make_handler(page: bytes, reports: queue.Queue[Any],
                 behind: int) -> type[BaseHTTPRequestHandler]:
    class Handler(BaseHTTPRequestHandler):
        """Closes after each answer, so the next request may go elsewhere."""

        def handle(self) -> None:
            first = self.request.recv(4096, socket.MSG_PEEK)
            if behind and not first.startswith((b"GET / ", b"POST /report ")):
                with socket.create_connection(("127.0.0.1", behind)) as other:
                    relay(self.request, other)
                return
            super().handle()

        def do_GET(self) -> None:
            found = self.path == "/"
            self.send_response(200 if found else 404)
            self.send_header("Content-Type", "text/html; charset=utf-8")
            self.end_headers()
            if found:
                self.wfile.write(page)

        def do_POST(self) -> None:
            length = int(self.headers["Content-Length"])
            reports.put(json.loads(self.rfile.read(length)))
            self.send_response(204)
            self.end_headers()

        def log_message(self, *_: object) -> None:
            pass

    return Handler
