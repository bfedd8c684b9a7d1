# SPDX-License-Identifier: GPL-2.0-or-later
"""The Debian packages, built from a copy of the tree as somebody else would."""

from __future__ import annotations

import os
import subprocess
from dataclasses import dataclass
from pathlib import Path

PROJECT = Path(__file__).resolve().parents[2]
NAMES = ("ofono-mcp", "ofono-plugin-sms-history")
COPY = ["tar", "-c", "--exclude-vcs", "--exclude=./build", "--exclude=__pycache__", "."]


@dataclass(frozen=True)
class Builder:
    """Where, and in which circumstances: none of it may show in what is built."""

    folder: Path
    umask: int = 0o022
    timezone: str = "UTC"
    language: str = "C.UTF-8"

    def build(self) -> Build:
        source = self.folder / "source"
        source.mkdir(parents=True)
        with subprocess.Popen(COPY, cwd=PROJECT, stdout=subprocess.PIPE) as copy:
            subprocess.run(["tar", "-x", "-C", source], stdin=copy.stdout, check=True)
        assert copy.returncode == 0
        environment = {"PATH": os.environ["PATH"], "HOME": str(self.folder),
                       "TZ": self.timezone, "LC_ALL": self.language,
                       "DEB_BUILD_OPTIONS": "parallel=2"}
        ended = subprocess.run(
            ["dpkg-buildpackage", "-us", "-uc", "-b"], cwd=source, env=environment,
            umask=self.umask, capture_output=True, text=True)
        assert ended.returncode == 0, ended.stdout + ended.stderr
        return Build(self.folder)


@dataclass(frozen=True)
class Build:
    folder: Path

    @property
    def packages(self) -> dict[str, Path]:
        """By name, without those of debugging symbols."""
        return {name: next(self.folder.glob(f"{name}_*.deb")) for name in NAMES}

    @property
    def all_packages(self) -> list[Path]:
        return sorted(self.folder.glob("*.deb"))

    @property
    def changes(self) -> Path:
        return next(self.folder.glob("*.changes"))
