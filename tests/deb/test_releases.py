# SPDX-License-Identifier: GPL-2.0-or-later
"""Where a fresh Debian of either release comes from, for every form of this machine's sources."""

from __future__ import annotations

from pathlib import Path

import pytest

import releases

STANZAS = """\
Types: deb deb-src
# a comment
URIs: http://mirror.example/debian
Suites: OWN OWN-updates OWN-backports
Components: main contrib
Signed-By: /usr/share/keyrings/debian-archive-keyring.gpg

Types: deb
URIs: http://mirror.example/debian-security
Suites: OWN-security
Components: main
Signed-By:
 -----BEGIN PGP PUBLIC KEY BLOCK-----
 .
 -----END PGP PUBLIC KEY BLOCK-----

Enabled: no
Types: deb
URIs: http://off.example/debian
Suites: OWN
Components: main
"""
LINES = """\
deb [arch=amd64 signed-by=/etc/a.gpg] http://mirror.example/debian OWN main  # comment
deb-src http://mirror.example/debian OWN main
deb http://security.example/debian-security/ OWN-security main contrib
# deb http://off.example/debian OWN main
"""
STRANGERS = """\
deb https://vendor.example/linux/debian OWN stable
deb https://vendor.example/node_20.x OWN main
deb https://vendor.example/debian nodistro main
"""


@pytest.fixture
def apt(tmp_path: Path) -> Path:
    (tmp_path / "sources.list.d").mkdir()
    return tmp_path


def write(apt: Path, name: str, text: str) -> None:
    (apt / name).write_text(text.replace("OWN", releases.own()))


@pytest.mark.parametrize("release", releases.RELEASES)
def test_stanzas_of_sources_are_read(apt: Path, release: str) -> None:
    write(apt, "sources.list.d/debian.sources", STANZAS)
    assert releases.sources(release, folder=apt) == f"""\
Types: deb
URIs: http://mirror.example/debian
Suites: {release} {release}-updates
Components: main
Signed-By: /usr/share/keyrings/debian-archive-keyring.gpg

Types: deb
URIs: http://mirror.example/debian-security
Suites: {release}-security
Components: main
Signed-By:
 -----BEGIN PGP PUBLIC KEY BLOCK-----
 .
 -----END PGP PUBLIC KEY BLOCK-----
"""


@pytest.mark.parametrize("release", releases.RELEASES)
def test_lines_of_sources_are_read(apt: Path, release: str) -> None:
    write(apt, "sources.list", LINES)
    assert releases.sources(release, folder=apt) == f"""\
Types: deb
URIs: http://mirror.example/debian
Suites: {release}
Components: main
Signed-By: /etc/a.gpg

Types: deb
URIs: http://security.example/debian-security/
Suites: {release}-security
Components: main
"""


def test_as_released_and_sid_have_no_updates(apt: Path) -> None:
    write(apt, "sources.list.d/debian.sources", STANZAS)
    for text in (releases.sources("sid", folder=apt),
                 releases.sources("sid", as_released=True, folder=apt)):
        assert "\nSuites: sid\n" in text and text.count("Suites:") == 1


def test_archives_of_others_are_left_out(apt: Path) -> None:
    write(apt, "sources.list.d/strangers.list", STRANGERS)
    with pytest.raises(AssertionError, match="no archive of Debian"):
        releases.sources(releases.other(), folder=apt)
    write(apt, "sources.list", LINES)
    assert "vendor" not in releases.sources(releases.other(), folder=apt)


def test_this_machines_release_is_known() -> None:
    assert f"Suites: {releases.other()}" in releases.sources(releases.other())
