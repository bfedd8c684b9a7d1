# SPDX-License-Identifier: GPL-2.0-or-later
"""A pytest plugin that writes its counts to the file that COUNT_FILE names.

They are three numbers: tests in all, passed, failed.
"""

from __future__ import annotations

import os

import pytest

FILE = "COUNT_FILE"


class Counter:
    """Runs in the process that reports, not in those of xdist that run the tests."""

    def __init__(self, file: str) -> None:
        self._file, self._total = file, 0
        self._ended: set[str] = set()
        self._failed: set[str] = set()

    def pytest_collection_finish(self, session: pytest.Session) -> None:
        self._begin(len(session.items))

    @pytest.hookimpl(optionalhook=True)
    def pytest_xdist_node_collection_finished(self, node: object, ids: list[str]) -> None:
        self._begin(len(ids))

    def pytest_runtest_logreport(self, report: pytest.TestReport) -> None:
        if report.failed:
            self._failed.add(report.nodeid)
        if report.when == "teardown":
            self._ended.add(report.nodeid)
            self._write()

    def _begin(self, total: int) -> None:
        self._total = max(total, self._total)
        self._write()

    def _write(self) -> None:
        with open(self._file, "w") as file:
            file.write(f"{self._total} {len(self._ended - self._failed)} {len(self._failed)}")


def pytest_configure(config: pytest.Config) -> None:
    if FILE in os.environ and "PYTEST_XDIST_WORKER" not in os.environ:
        config.pluginmanager.register(Counter(os.environ[FILE]))
