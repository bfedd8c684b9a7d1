# SPDX-License-Identifier: GPL-2.0-or-later
"""The Debian packages, built from a copy of the tree as another developer would."""

from __future__ import annotations

import os
import re
import shutil
import subprocess
import tempfile
from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Protocol


PROJECT = Path(__file__).resolve().parents[2]
NAMES = ("ofono-mcp", "ofono-mcp-hub", "ofono-mcp-link", "ofono-mcp-session",
         "ofono-plugin-sms-history")
# By name, not ".": another part may make the folder build meanwhile, which tar calls an error.
COPY = ["tar", "-c", "--exclude-vcs", "--exclude=__pycache__",
        *sorted({path.name for path in PROJECT.iterdir()} - {"build", ".git"})]
LIBRARY = re.compile(r"lib[^ ]+-dev")
PREVIOUS = Path(__file__).with_name("previous")


class Elsewhere(Protocol):
    """Another Debian, made by fresh_debian.py."""

    root: Path

    def run(self, *command: str) -> str: ...

    def try_to(self, *command: str) -> subprocess.CompletedProcess[str]: ...


@dataclass(frozen=True)
class Build:
    """`folder` holds the packages, and `log` the build's output. `fresh` is the Debian in
    which they were built, if it was not this machine."""

    folder: Path
    log: str = ""
    fresh: Elsewhere | None = None

    @property
    def packages(self) -> dict[str, Path]:
        """By name, without those of debugging symbols; an older version has fewer."""
        return {name: file for name in NAMES for file in self.folder.glob(f"{name}_*.deb")}

    @property
    def all_packages(self) -> list[Path]:
        return sorted(self.folder.glob("*.deb"))

    @property
    def changes(self) -> Path:
        return next(self.folder.glob("*.changes"))

    def try_to(self, *command: str) -> subprocess.CompletedProcess[str]:
        """Runs where the packages were built, in their folder."""
        if self.fresh:
            return self.fresh.try_to("sh", "-c", 'cd "$0" && exec "$@"',
                                     f"/{self.folder.relative_to(self.fresh.root)}", *command)
        return subprocess.run(command, cwd=self.folder, capture_output=True, text=True)

    def say(self, *command: str) -> str:
        """Returns its output; it must succeed."""
        ended = self.try_to(*command)
        assert ended.returncode == 0, f"{command}\n{ended.stdout}{ended.stderr}"
        return ended.stdout


def unpack(folder: Path, copy: Sequence[str]) -> Path:
    """Unpacks the tar that `copy` writes."""
    source = folder / "source"
    source.mkdir(parents=True)
    with subprocess.Popen(copy, cwd=PROJECT, stdout=subprocess.PIPE) as copying:
        subprocess.run(["tar", "-x", "-C", source], stdin=copying.stdout, check=True)
    assert copying.returncode == 0
    return source


def build_dependencies(architecture: str = "") -> list[str]:
    """As debian/control names them; libraries may be those of another architecture."""
    control = (PROJECT / "debian" / "control").read_text()
    field = control.partition("Build-Depends:")[2].partition("Standards-Version:")[0]
    names = [name for name in re.findall(r"^ ([a-z0-9.+-]+)", field, re.MULTILINE)
             if name != "debhelper-compat" and not name.startswith("dh-sequence")]
    return ["debhelper", *(f"{name}:{architecture}" if architecture and LIBRARY.fullmatch(name)
                           else name for name in names)]


@dataclass(frozen=True)
class Builder:
    """Where, and in which environment: none of it may show in the result."""

    folder: Path
    umask: int = 0o022
    timezone: str = "UTC"
    language: str = "C.UTF-8"
    user: str = "root"
    home: str = "/nonexistent"
    options: str = "parallel=2"

    def build(self, copy: Sequence[str] = COPY, kind: str = "--build=binary",
              mark: str = "") -> Build:
        """Builds the tar that `copy` writes; `mark` is appended to the version."""
        source = unpack(self.folder, copy)
        changelog = source / "debian" / "changelog"
        changelog.write_text(changelog.read_text().replace(")", f"{mark})", 1))
        environment = {"PATH": os.environ["PATH"], "HOME": self.home, "USER": self.user,
                       "LOGNAME": self.user, "TZ": self.timezone, "LC_ALL": self.language,
                       "DEB_BUILD_OPTIONS": self.options}
        ended = subprocess.run(
            ["dpkg-buildpackage", "-us", "-uc", kind], cwd=source, env=environment,
            umask=self.umask, capture_output=True, text=True)
        assert ended.returncode == 0, ended.stdout + ended.stderr
        return Build(self.folder, ended.stdout + ended.stderr)


def build_in(fresh: Elsewhere) -> Build:
    """In another release, with the source package."""
    unpack(fresh.root / "build", COPY)
    log = fresh.run("sh", "-c", "cd /build/source && exec dpkg-buildpackage -us -uc -F 2>&1")
    return Build(fresh.root / "build", log, fresh)


def known(commit: str) -> bool:
    return subprocess.run(["git", "cat-file", "-e", f"{commit}^{{commit}}"], cwd=PROJECT,
                          stderr=subprocess.DEVNULL).returncode == 0


def fetched(commit: str) -> bool:
    """A shallow clone lacks it."""
    subprocess.run(["git", "fetch", "--quiet", "--depth=1", "origin", commit], cwd=PROJECT)
    return known(commit)


def previous() -> Build | None:
    """The version before this one; cached in build/. None: a shallow clone lacks it, and so does
    where it came from, or that cannot be reached."""
    commit = PREVIOUS.read_text().split()[-1]
    kept = PROJECT / "build" / "previous" / commit
    if kept.exists():
        return Build(kept)
    if not known(commit) and not fetched(commit):
        return None
    kept.parent.mkdir(parents=True, exist_ok=True)
    folder = Path(tempfile.mkdtemp(dir=kept.parent))
    Builder(folder / "here", options="parallel=2 noopt").build(["git", "archive", commit],
                                                               mark="~previous")
    shutil.rmtree(folder / "here" / "source")
    (folder / "here").rename(kept)
    folder.rmdir()
    return Build(kept)


def later(package: Path, folder: Path) -> Path:
    """The same package with a higher version."""
    content = folder / "content"
    subprocess.run(["dpkg-deb", "--raw-extract", package, content], check=True)
    control = content / "DEBIAN" / "control"
    lines = control.read_text().splitlines(keepends=True)
    control.write_text("".join(line.rstrip("\n") + "+later\n" if line.startswith("Version:")
                               else line for line in lines))
    made = folder / f"later-{package.name}"
    subprocess.run(["dpkg-deb", "--root-owner-group", "--build", content, made], check=True,
                   capture_output=True)
    return made
