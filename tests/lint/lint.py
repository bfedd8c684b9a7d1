#!/usr/bin/python3
# SPDX-License-Identifier: GPL-2.0-or-later
"""Everything that can be checked without running the program; prints TAP.

    tests/lint/lint.py [--quick] [--make MAKE] [--build FOLDER] [CHECK...]

--quick leaves out what takes long or needs a build: cycles, mandoc, cppcheck, clang-tidy.
"""

from __future__ import annotations

import argparse
import os
import re
import shlex
import subprocess
import sys
from collections.abc import Callable, Iterator
from concurrent.futures import ThreadPoolExecutor
from dataclasses import dataclass
from pathlib import Path

import cycles
import layers
import names

PROJECT = Path(__file__).resolve().parents[2]
NOT_OURS = {".git", "build", "__pycache__", ".pytest_cache"}
LICENCE = "SPDX-License-Identifier: GPL-2.0-or-later"
MANUAL = ("doc/ofono-mcp.1", "doc/ofono-mcp.8", "doc/ofono-mcp.conf.5")
ENVIRONMENT = {                         # variables that library calls read
    "sd_notify(": "NOTIFY_SOCKET", "sd_event_set_watchdog(": "WATCHDOG_USEC",
    "sd_listen_fds(": "LISTEN_FDS",
}
NOT_OUR_VARIABLES = {"PATH", "TERM"}
PLUGIN_LICENCE = "SPDX-License-Identifier: GPL-2.0-only"      # that of ofonod
CODE = {".c", ".h", ".S", ".py", ".js", ".mjs", ".css", ".sh", ".1", ".8", ".yml", ".yaml",
        ".mk"}
CODE_NAMES = {"Makefile", "layers", "list", ".clang-format", ".clang-tidy"}
FORBIDDEN = ("/work" + "/",)            # a folder that exists on one machine only
CLANG_FORMAT = "clang-format-19"        # Debian 12 and 13 have it; Makefile: format
CLANG_TIDY = "clang-tidy-19"            # so that both find the same
CPPCHECK = ["cppcheck", "--enable=warning,performance,portability", "--std=c11", "--quiet",
            "--inline-suppr", "--error-exitcode=1", "--suppress=missingIncludeSystem",
            "--suppress=normalCheckLevelMaxBranches",       # of 2.17: not a finding
            "--template={file}:{line}: {message} [{id}]", "-D_GNU_SOURCE", "-Iinclude", "-Isrc",
            *(f'-D{name}="x"' for name in (
                "OFONO_MCP_VERSION", "PROGRAM_NAME", "PROGRAM_PORT",
                "DBUS_SERVICE_DBUS", "DBUS_INTERFACE_DBUS", "DBUS_PATH_DBUS"))]

@dataclass(frozen=True)
class Finding:
    """`complaints` is empty if all is well; `looked_at` says how much was checked."""

    looked_at: str
    complaints: list[str]


@dataclass(frozen=True)
class Tools:
    make: str
    build: Path


def files() -> Iterator[Path]:
    for folder, folders, names in os.walk(PROJECT):
        folders[:] = sorted(set(folders) - NOT_OURS)
        yield from (Path(folder, name) for name in sorted(set(names) - NOT_OURS))


def c_files(*folders: str) -> list[str]:
    found = [file for folder in folders for file in (PROJECT / folder).rglob("*.[ch]")]
    return sorted(str(file.relative_to(PROJECT)) for file in found)


def command(*words: str) -> list[str]:
    """Its output if it fails, line by line."""
    try:
        done = subprocess.run(words, cwd=PROJECT, stdin=subprocess.DEVNULL, text=True,
                              stdout=subprocess.PIPE, stderr=subprocess.STDOUT)
    except FileNotFoundError:
        return [f"{words[0]} is not installed"]
    if done.returncode == 0:
        return []
    return done.stdout.splitlines() or [f"{words[0]} ended with {done.returncode}"]


# ---- the checks

Check = Callable[[Tools], Finding]


def check_layers(_: Tools) -> Finding:
    count, complaints = layers.check(PROJECT)
    return Finding(f"{count} files", complaints)


def check_names(_: Tools) -> Finding:
    return Finding(*names.check(PROJECT))


def check_cycles(tools: Tools) -> Finding:
    """In what is built; "make lint" builds all of it before."""
    return Finding(*cycles.check(PROJECT, tools.build))


def is_code(file: Path, text: str) -> bool:
    return file.suffix in CODE or file.name in CODE_NAMES or text.startswith("#!")


def licence_of(file: Path) -> str:
    return PLUGIN_LICENCE if file.parent == PROJECT / "plugin" else LICENCE


def check_licence(_: Tools) -> Finding:
    """An SPDX line is among the first three of every file of code."""
    texts = {file: file.read_text(errors="replace") for file in files()}
    code = [file for file, text in texts.items() if is_code(file, text)]
    bare = [file for file in code
            if not any(licence_of(file) in line for line in texts[file].splitlines()[:3])]
    return Finding(f"{len(code)} files",
                   [f'{file.relative_to(PROJECT)}:1: no "{licence_of(file)}"'
                    for file in bare])


def check_paths(_: Tools) -> Finding:
    """No file names a folder of the machine it was written on."""
    complaints, count = [], 0
    for file in files():
        count += 1
        for number, line in enumerate(file.read_text(errors="replace").splitlines(), start=1):
            complaints += [f"{file.relative_to(PROJECT)}:{number}: names {word}"
                           for word in FORBIDDEN if word in line]
    return Finding(f"{count} files", complaints)


def check_references(_: Tools) -> Finding:
    """Tests that a text or a comment names exist, down to the function."""
    complaints, count = [], 0
    for file in files():
        if file.suffix not in {".md", ".c", ".h"}:
            continue
        for number, line in enumerate(file.read_text(errors="replace").splitlines(), start=1):
            for name, function in re.findall(r"\b(tests/[\w./-]*\w)(?:::(\w+))?", line):
                count += 1
                there = PROJECT / name
                if not there.exists():
                    complaints.append(f"{file.relative_to(PROJECT)}:{number}: no {name}")
                elif function and not re.search(rf"\b(?:def |TEST\(|TEST_WITH\(){function}\b",
                                                there.read_text()):
                    complaints.append(f"{file.relative_to(PROJECT)}:{number}: "
                                      f"no {function} in {name}")
    return Finding(f"{count} references", complaints)


def headings(text: str) -> set[str]:
    """The anchors of a Markdown text, as forges make them."""
    titles = re.findall(r"^#+ (.*)$", re.sub(r"^ {4}.*$", "", text, flags=re.MULTILINE),
                        re.MULTILINE)
    return {re.sub(r"[^\w -]", "", title.lower()).replace(" ", "-") for title in titles}


def check_links(_: Tools) -> Finding:
    """Links inside the tree lead somewhere, down to the heading; manual pages name pages of ours
    that exist."""
    complaints, count = [], 0
    for file in files():
        if file.suffix != ".md":
            continue
        for number, line in enumerate(file.read_text().splitlines(), start=1):
            for target in re.findall(r"\]\(([^)\s]+)\)", re.sub(r"`[^`]*`", "", line)):
                if re.match(r"\w+:", target):
                    continue
                count += 1
                name, _, anchor = target.partition("#")
                there = (file.parent / name).resolve() if name else file
                if not there.exists():
                    problem = f"no {name}"
                elif anchor and anchor not in headings(there.read_text()):
                    problem = f"no heading {target}"
                else:
                    continue
                complaints.append(f"{file.relative_to(PROJECT)}:{number}: {problem}")
    for page in sorted((PROJECT / "doc").glob("*.[1-8]")):
        for number, line in enumerate(page.read_text().splitlines(), start=1):
            for name, section in re.findall(r"\bXr (ofono-mcp[\w.-]*) (\d)", line):
                count += 1
                if not (page.parent / f"{name}.{section}").exists():
                    complaints.append(f"{page.relative_to(PROJECT)}:{number}: no {name}.{section}")
    return Finding(f"{count} links", complaints)


def check_commands(_: Tools) -> Finding:
    """Commands and options in the guides are those of the manual page; commands have no former
    names. Targets of make exist."""
    page = (PROJECT / "doc" / "ofono-mcp.1").read_text()
    synopsis, _, _ = page.partition(".Sh DESCRIPTION\n")
    words = set(re.findall(r"[\w-]+", " ".join(
        re.findall(r"^\.Cm ((?:[\w-]+ \| )*[\w-]+)", synopsis, re.MULTILINE))))
    pairs = set(re.findall(r"^\.Cm ((?:client|sim) \w+)$", synopsis, re.MULTILINE))
    options = set(re.findall(r"Fl Fl ([\w-]+)", page))
    phony = re.findall(r"^\.PHONY: ((?:.*\\\n)*.*)", (PROJECT / "Makefile").read_text(), re.MULTILINE)
    targets = set(re.findall(r"[\w-]+", " ".join(phony)))
    complaints, count = [], 0
    for file in [PROJECT / "README.md", *sorted((PROJECT / "doc").glob("*.md"))]:
        for number, line in enumerate(file.read_text().splitlines(), start=1):
            for target in re.findall(r"(?:`|^    |sudo )make ([a-z][\w-]*)", line):
                count += 1
                if target not in targets:
                    complaints.append(f"{file.relative_to(PROJECT)}:{number}: no target {target}")
            for said in re.findall(r"\bofono-mcp ((?:--?)?[a-z][^`|#)]*)", line):
                if not line.startswith("    ") and f"`ofono-mcp {said}" not in line \
                        and f"`sudo ofono-mcp {said}" not in line:
                    continue
                count += 1
                word, *rest = said.split()
                word = word.rstrip(".,:;")
                if not word.startswith("-") and word not in words:
                    complaints.append(f"{file.relative_to(PROJECT)}:{number}: no command {word}")
                if word in ("client", "sim") and f"{word} {rest[0] if rest else ''}" not in pairs:
                    complaints.append(f"{file.relative_to(PROJECT)}:{number}: no command {said}")
                complaints += [f"{file.relative_to(PROJECT)}:{number}: no option --{name}"
                               for name in re.findall(r"--([a-z][\w-]*)", " ".join(rest))
                               if name not in options]
    return Finding(f"{count} commands", complaints)


def environment_read() -> set[str]:
    texts = [file.read_text() for file in PROJECT.glob("src/**/*.c")]
    named = {name for text in texts for name in re.findall(r'getenv\("(\w+)"\)', text)}
    called = {name for call, name in ENVIRONMENT.items()
              if any(call in text for text in texts)}
    return (named | called) - NOT_OUR_VARIABLES


def check_daemon_page() -> list[str]:
    """doc/ofono-mcp.8 lists every state of a message, and with the other pages every variable
    of the environment; each page of MANUAL names the two others."""
    pages = {name: (PROJECT / name).read_text() for name in MANUAL}
    states = re.findall(r'^\t\[STATE_\w+\] = \{ "(\w+)"',
                        (PROJECT / "src" / "store" / "message_state.c").read_text(),
                        re.MULTILINE)
    _, _, section = pages["doc/ofono-mcp.8"].partition(".Sh STATES OF A MESSAGE\n")
    section, _, _ = section.partition("\n.Sh ")
    complaints = [f"doc/ofono-mcp.8:1: no state {state}" for state in states or ["at all"]
                  if not re.search(rf"^\.It Cm .*\b{state}\b", section, re.MULTILINE)]
    all_pages = "".join(page.read_text() for page in (PROJECT / "doc").glob("ofono-mcp*.[158]"))
    complaints += [f"doc/ofono-mcp.8:1: no variable {name}" for name in environment_read()
                   if not re.search(rf"^\.It Ev .*\b{name}\b", all_pages, re.MULTILINE)]
    complaints += [f"{name}:1: does not name {other}" for name, text in pages.items()
                   for other in MANUAL if other != name
                   and f".Xr {Path(other).stem} {other[-1]}" not in text]
    return complaints


def check_manual(_: Tools) -> Finding:
    """The manual pages list every option of the command line and every configuration key, and
    meet check_daemon_page(); doc/tools.md names every tool."""
    page = "".join((PROJECT / "doc" / name).read_text()
                   for name in ("ofono-mcp.1", "ofono-mcp-hub.8"))
    configuration = (PROJECT / "doc" / "ofono-mcp.conf.5").read_text()
    keys = re.findall(r'^\t\{ "\w+",\s*"(\w+)",\s',
                      (PROJECT / "src" / "config" / "config_key_table.c").read_text(),
                      re.MULTILINE)
    files = sorted(PROJECT.glob("src/cli/**/*.c")) + sorted(PROJECT.glob("include/cli/*.h"))
    options = [name for file in files for name in re.findall(
        r'\{ "([\w-]+)",\s+\.(?:flag|text|read) =|\{ \.name = "([\w-]+)"', file.read_text())
        for name in name if name]
    complaints = [f"doc/ofono-mcp.conf.5:1: no key {key}" for key in keys
                  if f".It Cm {key} " not in configuration]
    complaints += [f"doc/ofono-mcp.1:1: no option --{name}, nor in ofono-mcp-hub.8"
                   for name in options
                   if not re.search(rf"Fl Fl {name}\b", page)]
    table = (PROJECT / "doc" / "tools.md").read_text()
    tools = [name for file in sorted((PROJECT / "src" / "tools").glob("*.c"))
             for name in re.findall(r'^const struct tool \w+ = \{\s*\.name = "(\w+)"',
                                    file.read_text(), re.MULTILINE)]
    complaints += [f"doc/tools.md:1: no tool {name}" for name in tools
                   if f"\n| `{name}` | " not in table]
    complaints += check_daemon_page()
    return Finding(f"{len(keys)} keys, {len(options)} options, {len(tools)} tools",
                   complaints if keys and options and tools else ["found nothing to check"])


def table_rows(text: str, heading: str) -> list[tuple[str, str]]:
    """The first two cells of each row in the table below a heading; the first one without ``."""
    _, _, below = text.partition(f"\n## {heading}\n")
    section, _, _ = below.partition("\n## ")
    return re.findall(r"^\| `(\w+)` \| ([^|]*) \|", section, re.MULTILINE)


def check_errors(_: Tools) -> Finding:
    """doc/errors.md lists every code and every reason of the program, and no other."""
    page = (PROJECT / "doc" / "errors.md").read_text()
    base, tools = PROJECT / "src" / "base", PROJECT / "src" / "tools"
    codes = re.findall(r'\[FAILURE_\w+\] = \{\s*"(\w+)",(?:\s*(?:PROGRAM_NAME|"(?:[^"\\]|\\.)*"))*,'
                       r'(?:\s*true, (\d+),)?\s*\}', (base / "failure.c").read_text())
    reasons = re.findall(r'^\t\{ "(\w+)",\s*"',
                         (tools / "message_view.c").read_text(), re.MULTILINE)
    wanted = [(code, f"after {seconds} s" if seconds else "no") for code, seconds in codes]
    shown = table_rows(page, "Codes")
    complaints = [f"doc/errors.md:1: {code}: {retryable} stands in one place only"
                  for code, retryable in sorted(set(wanted) ^ set(shown))]
    explained = [reason for reason, _ in table_rows(page, "Reasons")]
    complaints += [f"doc/errors.md:1: the reason {reason} stands in one place only"
                   for reason in sorted(set(reasons) ^ set(explained))]
    return Finding(f"{len(codes)} codes, {len(reasons)} reasons",
                   complaints if codes and reasons else ["found no codes or no reasons"])


def check_format(_: Tools) -> Finding:
    names = c_files("src", "include", "plugin", "tests")
    complaints = command(CLANG_FORMAT, "--dry-run", "-Werror", *names)
    places = [line for line in complaints if re.match(r"\S+:\d+:\d+: ", line)]
    return Finding(f"{len(names)} files", places or complaints)


def check_mandoc(_: Tools) -> Finding:
    pages = [str(page.relative_to(PROJECT)) for page in sorted(PROJECT.glob("doc/*.[158]"))]
    return Finding(", ".join(pages), command("mandoc", "-Tlint", "-Wwarning", *pages))


def check_cppcheck(_: Tools) -> Finding:
    names = [name for name in c_files("src", "plugin") if name.endswith(".c")]
    queues = [f"--include={header}" for header in Path("/usr/include").glob("*/sys/queue.h")]
    return Finding(f"{len(names)} files",
                   command(*CPPCHECK, *queues, f"-j{os.cpu_count()}", *names))


def compiler_flags(tools: Tools) -> dict[str, list[str]]:
    """The compiler's flags for files of each folder."""
    def ask(target: str) -> list[str]:
        asked = subprocess.run([tools.make, "-s", "--no-print-directory", target],
                               cwd=PROJECT, stdout=subprocess.PIPE, text=True, check=True)
        return shlex.split(asked.stdout)

    return {"src": ask("flags"), "plugin": ask("plugin-flags")}


def check_clang_tidy(tools: Tools) -> Finding:
    """Every C file of the product, as many at a time as there are processors."""
    names = [name for name in c_files("src", "plugin") if name.endswith(".c")]
    flags = compiler_flags(tools)

    def tidy(name: str) -> list[str]:
        said = command(CLANG_TIDY, "--quiet", "--warnings-as-errors=*", name, "--",
                       *flags[name.partition("/")[0]])
        return [line for line in said if re.search(r"\[[\w.,-]+\]$", line)] or said

    with ThreadPoolExecutor(os.cpu_count()) as pool:
        return Finding(f"{len(names)} files", sum(pool.map(tidy, names), []))


QUICK: dict[str, Check] = {
    "layers": check_layers,
    "names": check_names,
    "licence": check_licence,
    "paths": check_paths,
    "references": check_references,
    "links": check_links,
    "commands": check_commands,
    "manual": check_manual,
    "errors": check_errors,
    "format": check_format,
}
SLOW: dict[str, Check] = {
    "cycles": check_cycles,
    "mandoc": check_mandoc,
    "cppcheck": check_cppcheck,
    "clang-tidy": check_clang_tidy,
}


def main() -> int:
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--quick", action="store_true")
    parser.add_argument("--make", default="make")
    parser.add_argument("--build", type=Path, default=Path("build"))
    parser.add_argument("checks", nargs="*", metavar="CHECK", help=", ".join(QUICK | SLOW))
    options = parser.parse_args()
    chosen = options.checks or list(QUICK if options.quick else QUICK | SLOW)
    print(f"1..{len(chosen)}", flush=True)
    bad = 0
    for number, name in enumerate(chosen, start=1):
        finding = (QUICK | SLOW)[name](Tools(options.make, options.build))
        bad += bool(finding.complaints)
        verdict = "not ok" if finding.complaints else "ok"
        print(f"{verdict} {number} - {name}: {finding.looked_at}")
        print(*(f"# {line}\n" for line in finding.complaints), sep="", end="", flush=True)
    return 1 if bad else 0


if __name__ == "__main__":
    sys.exit(main())
