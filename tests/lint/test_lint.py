# SPDX-License-Identifier: GPL-2.0-or-later
"""Each quick check of lint.py finds what it should."""

from __future__ import annotations

from pathlib import Path

import pytest

import lint

TOOLS = lint.Tools("make", Path("build"))
SPDX = "/* SPDX-License-Identifier: GPL-2.0-or-later */\n"


@pytest.fixture(autouse=True)
def project(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    monkeypatch.setattr(lint, "PROJECT", tmp_path)
    format_file = Path(__file__).resolve().parents[2] / ".clang-format"
    (tmp_path / ".clang-format").write_text(format_file.read_text())
    (tmp_path / "src").mkdir()
    (tmp_path / "src" / "good.c").write_text(SPDX + "int good(void);\n")
    return tmp_path


@pytest.mark.parametrize("check", [lint.check_licence, lint.check_paths, lint.check_format])
def test_a_good_tree_passes(check: lint.Check) -> None:
    finding = check(TOOLS)
    assert finding.complaints == []
    assert finding.looked_at in ("1 files", "2 files")


@pytest.mark.parametrize("name, text", [
    ("src/bad.c", "int bad(void);\n"),
    ("run", "#!/bin/sh\n"),
    ("Makefile", "all:\n\n\n# SPDX-License-Identifier: GPL-2.0-or-later\n"),
    ("other.py", "# SPDX-License-Identifier: MIT\n"),
])
def test_code_without_a_licence_is_reported(project: Path, name: str, text: str) -> None:
    (project / name).write_text(text)
    assert lint.check_licence(TOOLS).complaints == [
        f'{name}:1: no "SPDX-License-Identifier: GPL-2.0-or-later"']


def test_the_plugin_has_the_licence_of_ofonod(project: Path) -> None:
    (project / "plugin").mkdir()
    (project / "plugin" / "good.c").write_text("/* SPDX-License-Identifier: GPL-2.0-only */\n")
    (project / "plugin" / "bad.c").write_text(SPDX)
    assert lint.check_licence(TOOLS).complaints == [
        'plugin/bad.c:1: no "SPDX-License-Identifier: GPL-2.0-only"']


def test_a_build_folder_is_not_checked(project: Path) -> None:
    (project / "build").mkdir()
    (project / "build" / "bad.c").write_text("int bad(void);\n")
    assert lint.check_licence(TOOLS).complaints == []


def test_a_git_file_is_not_checked(project: Path) -> None:
    """As in a linked worktree."""
    (project / ".git").write_text(f"gitdir: {lint.FORBIDDEN[0]}main/.git/worktrees/one\n")
    assert lint.check_paths(TOOLS).complaints == []


def test_a_path_of_a_machine_is_reported(project: Path) -> None:
    (project / "notes.md").write_text(f"first\nsee {lint.FORBIDDEN[0]}notes\n")
    assert lint.check_paths(TOOLS).complaints == [f"notes.md:2: names {lint.FORBIDDEN[0]}"]


def test_another_format_is_reported(project: Path) -> None:
    (project / "src" / "bad.c").write_text("int  bad (void){return 1;}\n")
    complaints = lint.check_format(TOOLS).complaints
    assert complaints
    assert all(line.startswith("src/bad.c:1:") for line in complaints)


CODES = """static const struct row table[] = {
\t[FAILURE_ONE] = {
\t\t"one",
\t\t"Say \\"please\\"; "
\t\t"then wait.",
\t\ttrue, 30,
\t},
\t[FAILURE_TWO] = { "two", "Give up.", },
};
"""
REASONS = 'static const struct row reasons[] = {\n\t{ "why", "So." },\n};\n'
PAGE = """# Errors
## Codes
| `one` | after 30 s | First |
| `two` | no | Second |
## Reasons
| `why` | failed | So |
"""


@pytest.mark.parametrize("page, complaints", [
    (PAGE, []),
    (PAGE.replace("after 30 s", "no"), ["one: after 30 s", "one: no"]),
    (PAGE.replace("| `two` | no | Second |\n", ""), ["two: no"]),
    (PAGE.replace("## Reasons", "| `three` | no | Gone |\n## Reasons"), ["three: no"]),
    (PAGE.replace("`why`", "`because`"), ["the reason because", "the reason why"]),
])
def test_errors_that_the_document_lacks_are_reported(
        project: Path, page: str, complaints: list[str]) -> None:
    (project / "src" / "base").mkdir()
    (project / "src" / "tools").mkdir()
    (project / "src" / "base" / "failure.c").write_text(CODES)
    (project / "src" / "tools" / "message_view.c").write_text(REASONS)
    (project / "doc").mkdir()
    (project / "doc" / "errors.md").write_text(page)
    assert lint.check_errors(TOOLS).complaints == [
        f"doc/errors.md:1: {words} stands in one place only" for words in complaints]


STATES = 'static const struct row rows[] = {\n\t[STATE_SENT] = { "sent", true, 0 },\n};\n'
READS = 'void f(void)\n{\n\tgetenv("NO_COLOR");\n\tsd_notify(0, "READY=1");\n}\n'
PAGES = {
    "ofono-mcp.1": ".Xr ofono-mcp.conf 5\n.Xr ofono-mcp 8\n.It Ev NO_COLOR\n",
    "ofono-mcp.8": ".Xr ofono-mcp 1\n.Xr ofono-mcp.conf 5\n.It Ev NOTIFY_SOCKET , X\n"
                   ".Sh STATES OF A MESSAGE\n.It Cm queued , sent\n.Sh SIGNALS\n",
    "ofono-mcp.conf.5": ".Xr ofono-mcp 1\n.Xr ofono-mcp 8\n",
}


@pytest.mark.parametrize("name, words, complaints", [
    ("ofono-mcp.1", "", []),
    ("ofono-mcp.8", "sent", ["doc/ofono-mcp.8:1: no state sent"]),
    ("ofono-mcp.8", "NOTIFY_SOCKET", ["doc/ofono-mcp.8:1: no variable NOTIFY_SOCKET"]),
    ("ofono-mcp.1", ".It Ev NO_COLOR", ["doc/ofono-mcp.8:1: no variable NO_COLOR"]),
    ("ofono-mcp.conf.5", ".Xr ofono-mcp 8",
     ["doc/ofono-mcp.conf.5:1: does not name doc/ofono-mcp.8"]),
])
def test_a_daemon_page_with_gaps_is_reported(
        project: Path, name: str, words: str, complaints: list[str]) -> None:
    for folder in ("doc", "src/store", "src/cli"):
        (project / folder).mkdir(parents=True)
    for page, text in PAGES.items():
        (project / "doc" / page).write_text(text)
    (project / "src" / "store" / "message_state.c").write_text(STATES)
    (project / "src" / "cli" / "terminal.c").write_text(READS)
    (project / "doc" / name).write_text(PAGES[name].replace(words, ""))
    assert lint.check_daemon_page() == complaints


def test_a_link_to_nothing_is_reported(project: Path) -> None:
    (project / "doc").mkdir()
    (project / "doc" / "there.md").write_text("# One heading, two words\n")
    (project / "doc" / "page.md").write_text(
        "[a](there.md#one-heading-two-words) [b](https://example.com/x) [c](#here)\n"
        "[d](gone.md) [e](there.md#another)\n\n## Here\n")
    (project / "doc" / "ofono-mcp.1").write_text(".Xr ofono-mcp 1 ,\n.Xr ofonod 8\n.Xr ofono-mcp-gone 8\n")
    assert lint.check_links(TOOLS).complaints == [
        "doc/page.md:2: no gone.md", "doc/page.md:2: no heading there.md#another",
        "doc/ofono-mcp.1:3: no ofono-mcp-gone.8"]


def test_an_unknown_command_or_option_in_a_guide_is_reported(project: Path) -> None:
    (project / "doc").mkdir()
    (project / "doc" / "ofono-mcp.1").write_text(
        ".Sh SYNOPSIS\n.Cm pair | rotate\n.Sh DESCRIPTION\n.It Fl Fl scope Ar LIST\n")
    (project / "README.md").write_text(
        "    sudo ofono-mcp pair --scope read laptop\n"
        "With `ofono-mcp rotate`, and ofono-mcp serves you.\n"
        "    ofono-mcp pear --scop read laptop\n"
        "    make there PORT=1\nWith `make gone`, and make nothing of it.\n")
    (project / "Makefile").write_text(".PHONY: also \\\n\tthere\n")
    assert lint.check_commands(TOOLS).complaints == [
        "README.md:3: no command pear", "README.md:3: no option --scop",
        "README.md:5: no target gone"]
