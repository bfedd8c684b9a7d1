# SPDX-License-Identifier: GPL-2.0-or-later
"""Releases of Debian, and where this machine would get another one.

Other releases come from the mirror that this machine uses for its own.
"""

from __future__ import annotations

import re
import subprocess
from collections.abc import Iterator
from pathlib import Path

APT = Path("/etc/apt")
RELEASES = ("bookworm", "trixie")               # those that the project supports
POCKETS = ("", "-updates", "-security")
NO_POCKETS = ("sid",)
ARCHIVE = re.compile(r"\bdebian(-security)?\b")  # in the address of Debian's own archive
FIELDS = {"arch": "Architectures", "lang": "Languages", "target": "Targets"}
ONE_LINE = re.compile(r"(deb)\s+(?:\[([^]]*)\]\s+)?(\S+)\s+(\S+)\s+(.+)")
PASSED_ON = re.compile(r"Acquire::(Check-|http::Proxy|https::Proxy)")   # passed on to a fresh apt

Stanza = dict[str, str]


def own() -> str:
    """This machine's release."""
    text = Path("/etc/os-release").read_text()
    names = re.findall(r'^VERSION_CODENAME="?(\w+)', text, re.MULTILINE)
    assert names, "/etc/os-release has no VERSION_CODENAME; is this Debian?"
    return names[0]


def other() -> str:
    """The supported release that this machine does not run."""
    [name] = set(RELEASES) - {own()}
    return name


def from_line(line: str) -> Iterator[Stanza]:
    """A line of a .list file as a stanza of a .sources file."""
    if not (entry := ONE_LINE.fullmatch(line.partition("#")[0].strip())):
        return
    kind, options, uri, suite, components = entry.groups()
    stanza = {"Types": kind, "URIs": uri, "Suites": suite, "Components": components}
    for option in (options or "").split():
        name, _, value = option.partition("=")
        stanza[FIELDS.get(name, name.title())] = value.replace(",", " ")
    yield stanza


def from_stanzas(text: str) -> Iterator[Stanza]:
    text = re.sub(r"^#.*\n", "", text, flags=re.MULTILINE)
    for stanza in re.split(r"\n\s*\n", text):
        fields = re.findall(r"^([\w-]+):[ \t]*(.*(?:\n[ \t].*)*)", stanza, re.MULTILINE)
        if fields and "deb" in dict(fields).get("Types", "").split():
            yield {**dict(fields), "Types": "deb"}


def machine_stanzas(folder: Path = APT) -> list[Stanza]:
    """What apt reads, without disabled entries."""
    files = [folder / "sources.list", *sorted((folder / "sources.list.d").glob("*"))]
    found: list[Stanza] = []
    for file in files:
        if file.suffix == ".sources":
            found += from_stanzas(file.read_text())
        elif file.suffix == ".list" and file.exists():
            found += [stanza for line in file.read_text().splitlines()
                      for stanza in from_line(line)]
    return [stanza for stanza in found if stanza.get("Enabled", "yes") != "no"]


def renamed(stanza: Stanza, release: str) -> Stanza | None:
    """The same archive for another release; None if it is not Debian's own."""
    pockets = [suite.removeprefix(own()) for suite in stanza["Suites"].split()
               if suite.startswith(own()) and suite.removeprefix(own()) in POCKETS]
    if release in NO_POCKETS:
        pockets = [pocket for pocket in pockets if not pocket]
    is_archive = any(ARCHIVE.search(uri) for uri in stanza["URIs"].split())
    if not (pockets and is_archive and "main" in stanza.get("Components", "").split()):
        return None
    kept = {name: value for name, value in stanza.items() if name != "Architectures"}
    return kept | {"Suites": " ".join(release + pocket for pocket in pockets),
                   "Components": "main"}


def sources(release: str, *, as_released: bool = False, folder: Path = APT) -> str:
    """The text of a .sources file. `as_released`: without updates."""
    stanzas = [changed for stanza in machine_stanzas(folder)
               if (changed := renamed(stanza, release))]
    if as_released:
        stanzas = [stanza | {"Suites": release} for stanza in stanzas
                   if release in stanza["Suites"].split()]
    assert stanzas, f"the sources of apt name no archive of Debian with the suite {own()}"
    return "\n".join("".join(f"{name}: {value}".replace(": \n", ":\n") + "\n"
                             for name, value in stanza.items()) for stanza in stanzas)


def apt_options() -> list[str]:
    """How this machine's apt reaches the archive, for mmdebstrap."""
    said = subprocess.run(["apt-config", "dump"], capture_output=True, text=True, check=True)
    return [f"--aptopt={line}" for line in said.stdout.splitlines()
            if PASSED_ON.match(line) and not line.endswith('"";')]
