# SPDX-License-Identifier: GPL-2.0-or-later
"""The modem's serial line, over TCP: one thread, one connection at a time.

Everything that happens to a modem happens in this thread: incoming lines, timers, and the
knobs, which other threads pass in with call(). So nothing of a modem needs a lock.
"""

from __future__ import annotations

import heapq
import itertools
import queue
import re
import selectors
import socket
import threading
import time
from collections.abc import Callable
from typing import Protocol, TypeVar

T = TypeVar("T")
CTRL_Z, ESC = 0x1A, 0x1B
END_OF_DATA = re.compile(rb"[\x1a\x1b]")
END_OF_LINE = re.compile(rb"\r")
QUIET_S = 0.05


class LinkUser(Protocol):
    def connected(self) -> None: ...
    def disconnected(self) -> None: ...
    def line(self, text: str) -> None: ...


class Link:
    def __init__(self, user: LinkUser, port: int = 0) -> None:
        self._user = user
        self._listener = socket.create_server(("127.0.0.1", port))
        self.port: int = self._listener.getsockname()[1]
        self._wake_in, self._wake_out = socket.socketpair()
        self._selector = selectors.DefaultSelector()
        self._selector.register(self._listener, selectors.EVENT_READ, self._accept)
        self._selector.register(self._wake_in, selectors.EVENT_READ, self._woken)
        self._calls: queue.SimpleQueue[Callable[[], None]] = queue.SimpleQueue()
        self._timers: list[tuple[float, int, Callable[[], None]]] = []
        self._timer_order = itertools.count()
        self._connection: socket.socket | None = None
        self._received = b""
        self._take_data: Callable[[str | None], None] | None = None
        self._held_back: list[str] = []
        self._for_quiet: list[str] = []
        self._received_at = 0.0
        self._running = True
        self._thread = threading.Thread(target=self._run, daemon=True)

    # ---- from any thread

    def start(self) -> None:
        self._thread.start()

    def stop(self) -> None:
        if self._thread.is_alive():
            self.call(self._finish)
            self._thread.join()
        for end in (self._wake_in, self._wake_out, self._listener):
            end.close()
        self._selector.close()

    def call(self, function: Callable[[], T]) -> T:
        """Run `function` in the modem's thread and return its result."""
        if threading.current_thread() is self._thread or not self._thread.is_alive():
            return function()
        done: queue.SimpleQueue[tuple[T | None, Exception | None]] = queue.SimpleQueue()

        def run() -> None:
            try:
                done.put((function(), None))
            except Exception as failure:    # passed to the caller and raised there
                done.put((None, failure))

        self._calls.put(run)
        self._wake_out.send(b"!")
        result, failure = done.get()
        if failure:
            raise failure
        return result

    # ---- from the modem's thread

    @property
    def is_connected(self) -> bool:
        return self._connection is not None

    def send(self, *lines: str) -> None:
        """Each line between CR LF and CR LF, as V.250 frames responses."""
        if self._connection:
            try:
                self._connection.sendall("".join(f"\r\n{x}\r\n" for x in lines).encode())
            except OSError:
                self.drop()

    def send_unsolicited(self, line: str) -> None:
        """Like send(), but not into the middle of an open `> ` prompt."""
        if self._take_data:
            self._held_back.append(line)
        else:
            self.send(line)

    def send_when_quiet(self, line: str) -> None:
        """Send it when no command has arrived for a moment.

        ofonod takes any line for the answer to AT+CGMM, AT+CIMI and the like, so a line that
        it must not miss during start-up cannot simply be sent. Without a connection the line
        is dropped; a new connection queries the state anyway.
        """
        if self._connection:
            self._for_quiet.append(line)
            self._send_if_quiet()

    def prompt(self, take_data: Callable[[str | None], None]) -> None:
        """Ask for data with `> `; it goes to `take_data`, or None when ESC ended it."""
        self._take_data = take_data
        if self._connection:
            self._connection.sendall(b"\r\n> ")

    def later(self, seconds: float, function: Callable[[], None]) -> None:
        due = time.monotonic() + seconds
        heapq.heappush(self._timers, (due, next(self._timer_order), function))

    def drop(self) -> None:
        """Close the connection, keep listening."""
        if self._connection is None:
            return
        self._selector.unregister(self._connection)
        self._connection.close()
        self._connection = None
        self._received, self._take_data = b"", None
        self._held_back, self._for_quiet = [], []
        self._user.disconnected()

    def _send_if_quiet(self) -> None:
        quiet_at = self._received_at + QUIET_S
        if time.monotonic() < quiet_at:
            self.later(quiet_at - time.monotonic(), self._send_if_quiet)
            return
        lines, self._for_quiet = self._for_quiet, []
        for line in lines:
            self.send_unsolicited(line)

    # ---- the loop

    def _run(self) -> None:
        while self._running:
            for key, _ in self._selector.select(self._seconds_to_timer()):
                key.data()
            self._run_timers()

    def _seconds_to_timer(self) -> float | None:
        return max(0.0, self._timers[0][0] - time.monotonic()) if self._timers else None

    def _run_timers(self) -> None:
        while self._timers and self._timers[0][0] <= time.monotonic():
            heapq.heappop(self._timers)[2]()

    def _woken(self) -> None:
        self._wake_in.recv(4096)
        while not self._calls.empty():
            self._calls.get()()

    def _finish(self) -> None:
        self.drop()
        self._running = False

    def _accept(self) -> None:
        connection, _ = self._listener.accept()
        self.drop()
        connection.setsockopt(socket.IPPROTO_TCP, socket.TCP_NODELAY, 1)
        self._connection = connection
        self._selector.register(connection, selectors.EVENT_READ, self._receive)
        self._user.connected()

    def _receive(self) -> None:
        try:
            octets = self._connection.recv(65536) if self._connection else b""
        except OSError:
            octets = b""
        if not octets:
            self.drop()
            return
        self._received += octets
        self._received_at = time.monotonic()
        while self._take_one():
            pass

    def _take_one(self) -> bool:
        """Handle one line, or the data after a prompt; False if it is incomplete."""
        end = (END_OF_DATA if self._take_data else END_OF_LINE).search(self._received)
        if end is None:
            return False
        text = self._received[:end.start()].decode("latin-1").strip()
        self._received = self._received[end.end():]
        if self._take_data is None:
            if text:
                self._user.line(text)
            return True
        take_data, self._take_data = self._take_data, None
        take_data(text if end.group()[0] == CTRL_Z else None)
        for line in self._held_back:
            self.send(line)
        self._held_back = []
        return True
