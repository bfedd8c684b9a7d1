# SPDX-License-Identifier: GPL-2.0-or-later
"""The first change that CONTRIBUTING.md shows compiles and works."""

from __future__ import annotations

import subprocess
import textwrap
from pathlib import Path

PROJECT = Path(__file__).resolve().parents[2]
LIBRARIES = ("dbus-1", "libmicrohttpd", "yajl", "libsystemd", "sqlite3", "gnutls")


def test_the_tool_of_the_walk_through_compiles_without_a_warning(tmp_path: Path) -> None:
    text = (PROJECT / "CONTRIBUTING.md").read_text()
    start = text.index("        /* SPDX-License-Identifier")
    code = textwrap.dedent(text[start:text.index("\n2. A row", start)])
    source = tmp_path / "get_gateway_time.c"
    source.write_text(code.replace("const struct tool tool_get_gateway_time",
                                   "extern const struct tool tool_get_gateway_time;\n"
                                   "const struct tool tool_get_gateway_time"))
    flags = subprocess.run(["pkg-config", "--cflags", *LIBRARIES], check=True, text=True,
                           stdout=subprocess.PIPE).stdout.split()
    compiled = subprocess.run(
        ["gcc", "-std=gnu11", "-D_GNU_SOURCE", "-Wall", "-Wextra", "-Wmissing-prototypes",
         "-Wno-missing-field-initializers",
         "-Iinclude", "-Isrc", *flags, "-fsyntax-only", source],
        cwd=PROJECT, text=True, capture_output=True)
    assert (compiled.returncode, compiled.stderr) == (0, "")
