# SPDX-License-Identifier: GPL-2.0-or-later
"""The packages in a Debian that has nothing else of ours."""

from __future__ import annotations

from pathlib import Path

from fresh_debian import FreshDebian

LEFT = ["etc/ofono-mcp", "var/lib/ofono-mcp", "usr/bin/ofono-mcp", "etc/init.d/ofono-mcp",
        "etc/apparmor.d/ofono-mcp", "usr/lib/ofono/plugins/ofono-mcp-history.so"]


def test_works_as_its_user(fresh: FreshDebian) -> None:
    said = fresh.run("sh", "-c", "cd /source && debian/tests/private-bus")
    assert " passed" in said


def test_a_purge_leaves_nothing(fresh: FreshDebian) -> None:
    """Last: what the daemon and the owner made goes with it."""
    state = fresh.root / "var/lib/ofono-mcp"
    state.mkdir(mode=0o700, exist_ok=True)
    Path(state, "gateway.db").write_text("messages and tokens")
    Path(fresh.root, "etc/ofono-mcp/conf.d/50-mine.conf").write_text("[sms]\n")
    fresh.run("apt-get", "purge", "-y", "ofono-mcp", "ofono-plugin-sms-history")
    assert [path for path in LEFT if Path(fresh.root, path).exists()] == []
