# SPDX-License-Identifier: GPL-2.0-or-later
""""make check" runs what it says: no test is lost, and none needs a package that is missing.

dpkg knows which programs and modules a package brings, so this belongs to "make check-all".
"""

from __future__ import annotations

import ast
import functools
import re
import shutil
import subprocess
from collections.abc import Iterator
from pathlib import Path

import pytest

import check
import only_in_check_all
from one_test import PROJECT, files, has_function
from only_in_check_all import TIME, concerns, rows

LIST = PROJECT / "tests" / "packages" / "list"
# Folders of which "make check" runs every test that no row leaves out.
FOLDERS = ("integration", "deb", "lab", "modem")
# not programs: a client's name, a module of ours, what test_postinst.py replaces, quoted advice,
# methods of HTTP, and other arguments
JUST_WORDS = {"node", "systemd", "systemd-sysusers", "busctl", "systemctl", "GET", "HEAD",
              "POST", "route", "kill", "w"}
REPLACED = {"tests/lab/test_as_root.py": {"nft"}}       # by a script of the test
# What the README asks for.
GIVEN = ("git", "make")


def group(name: str) -> list[str]:
    return re.findall(rf"^{name} +([^\s|]+)", LIST.read_text(), re.MULTILINE)


ONLY_THERE = sorted(set(group("check-all")) - set(group("build") + group("demo")
                                                   + group("check")))


def left_out(test: str) -> bool:
    return any(concerns(row, test) for row, _ in rows() if "::" not in row)


@pytest.mark.parametrize("row, why", rows())
def test_each_row_names_tests_and_packages_that_exist(row: str, why: list[str]) -> None:
    name, _, function = row.partition("::")
    assert (PROJECT / name).exists()
    assert not function or has_function(PROJECT / name, function)
    assert why == [TIME] or why and set(why) <= set(ONLY_THERE)


def test_check_all_runs_every_test_file() -> None:
    """For each test file, some part runs its whole folder."""
    parts = set(sum(check.SETS["check-all"], check.ALONE["check-all"]))
    folders = {"modem": "lab", "deb": "package", "lint": "house", "check": "house",
               "packages": "house"}
    for file in files():
        folder = file.parent.name
        if folder != "installed":               # debian/tests runs that
            assert folders.get(folder, folder) in parts, file


def test_check_runs_every_folder_without_a_row() -> None:
    assert {"san", "lab", "integration-fast", "package-contents",
            "matrix-short"} <= set(sum(check.SETS["check"], []))
    options = only_in_check_all.options("tests/integration/")
    assert options and all("tests/integration/" in option for option in options)


@functools.cache
def brought_by(package: str) -> frozenset[str]:
    """The names of its programs and Python modules."""
    if package == "npm":                        # perhaps installed from elsewhere
        return frozenset({"npm", "npx"})
    listed = subprocess.run(["dpkg", "-L", package], capture_output=True, text=True)
    assert listed.returncode == 0, f"{package} is not installed"
    return frozenset(re.findall(
        r"^/(?:usr/)?(?:s?bin|lib/python3/dist-packages)/([\w.+-]+?)(?:\.py)?$", listed.stdout,
        re.MULTILINE))


@functools.cache
def imported(file: Path) -> tuple[ast.Module, ...]:
    """A Python program, and the neighbours that it imports: not the tests of another one."""
    trees = [ast.parse(file.read_text())]
    for node in ast.walk(trees[0]):
        if isinstance(node, ast.ImportFrom) and node.module and not node.level:
            if node.module.startswith("test_"):
                continue
            for place in (file.parent, PROJECT / "tests"):
                if (other := place / f"{node.module.replace('.', '/')}.py").exists():
                    trees += imported(other)
    return tuple(trees)


@functools.cache
def words(file: Path) -> frozenset[str]:
    """Its strings and modules."""
    found: set[str] = set()
    for node in (node for tree in imported(file) for node in ast.walk(tree)):
        if isinstance(node, ast.Constant) and isinstance(node.value, str):
            found.update({node.value, *node.value.split()[:1]})     # "faketime -f '+1d'"
        elif isinstance(node, ast.Import):
            found.update(name.name.partition(".")[0] for name in node.names)
        elif isinstance(node, ast.ImportFrom) and node.module and not node.level:
            found.add(node.module.partition(".")[0])
    return frozenset(found)


def test_the_search_finds_programs_and_modules() -> None:
    tests = PROJECT / "tests" / "integration"
    assert "chromium" in words(tests / "test_browser.py") & brought_by("chromium")
    assert "yaml" in words(tests / "test_examples.py") & brought_by("python3-yaml")
    assert "avahi-daemon" in words(tests / "test_mdns.py") & brought_by("avahi-daemon")


@pytest.mark.parametrize("package", ONLY_THERE)
def test_tests_that_need_more_packages_have_a_row(package: str) -> None:
    needed = brought_by(package) - JUST_WORDS
    wrong = []
    for file in files():
        name = str(file.relative_to(PROJECT))
        if file.suffix == ".py" and file.parent.name in FOLDERS and not left_out(name):
            rest = words(file) & needed - REPLACED.get(name, set())
            tests = [row for row, why in rows() if row.startswith(f"{name}::")
                     and package in why]
            if rest and not tests:
                wrong.append(f"{name}: {', '.join(rest)}")
    assert wrong == []


# ---- programs of packages that no group names ---------------------------------------

def started(file: Path) -> frozenset[str]:
    """Words with which a command begins: of a list, a tuple, arguments, or "NAME -OPTION"."""
    found: set[str] = set()
    for tree in imported(file):
        for node in ast.walk(tree):
            if isinstance(node, (ast.List, ast.Tuple)):
                found.update(first_word(node.elts))
            elif isinstance(node, ast.Call) and len(node.args) > 1:
                found.update(first_word(node.args))
            elif isinstance(node, ast.Constant) and isinstance(node.value, str):
                found.update(re.findall(r"\A([\w.+-]+) -", node.value))
    return frozenset(found)


def first_word(values: list[ast.expr]) -> Iterator[str]:
    """Of the first constant: [*prefix, "ip", "link"]."""
    for value in values:
        if isinstance(value, ast.Constant):
            if isinstance(value.value, str):
                yield value.value
            return


@functools.cache
def there() -> frozenset[str]:
    """The packages that "make check" may count on: those of its groups, what every Debian
    has, and what these depend on."""
    said = subprocess.run(
        ["dpkg-query", "-W", "-f", "${Package};${Essential};${Priority};${Provides};"
         "${Pre-Depends}, ${Depends}\n"], capture_output=True, text=True, check=True).stdout
    fields = {line.partition(";")[0]: line.split(";")[1:] for line in said.splitlines()}
    providers: dict[str, list[str]] = {}
    for name, (_, _, provides, _) in fields.items():
        for other in re.findall(r"(?:^|, )([\w.+-]+)", provides):
            providers.setdefault(other, []).append(name)
    waiting = [*group("build"), *group("demo"), *group("check"), *GIVEN,
               *(name for name, (essential, priority, _, _) in fields.items()
                 if essential == "yes" or priority == "required")]
    found: set[str] = set()
    while waiting:
        if (name := waiting.pop()) in found:
            continue
        found.add(name)
        waiting += providers.get(name, [])
        if name in fields:
            for clause in fields[name][3].split(", "):      # of alternatives the first here
                names = re.findall(r"(?:^|\| )([\w.+-]+)", clause)
                waiting += [other for other in names
                            if other in fields or other in providers][:1]
    return frozenset(found)


@functools.cache
def brings(program: str) -> frozenset[str]:
    """The packages that have this program; none if no package of this machine does."""
    if not (file := shutil.which(program, path="/usr/sbin:/usr/bin:/sbin:/bin")):
        return frozenset()
    name = Path(file).name
    said = subprocess.run(["dpkg-query", "-S", *(f"{folder}/{name}" for folder in
                                                 ("/usr/bin", "/usr/sbin", "/bin", "/sbin"))],
                          capture_output=True, text=True).stdout
    return frozenset(owner.partition(":")[0] for line in said.splitlines()
                     if not line.startswith("diversion ")
                     for owner in line.partition(": ")[0].split(", "))


def test_the_search_finds_what_is_started() -> None:
    tests = PROJECT / "tests"
    assert "strace" in started(tests / "integration" / "test_daemon.py")
    assert "dpkg-deb" in started(tests / "deb" / "test_package.py")
    assert brings("strace") == {"strace"} <= there()
    assert not {"valgrind", "chromium"} & there()


def test_programs_that_tests_start_are_in_the_list() -> None:
    """Also those of packages that the list does not name, and this machine happens to have."""
    wrong = []
    for file in files():
        name = str(file.relative_to(PROJECT))
        if file.suffix == ".py" and file.parent.name in FOLDERS and not left_out(name):
            allowed = there() | {package for row, why in rows()
                                 if row.startswith(f"{name}::") for package in why}
            wrong += [f"{name}: {program}" for program in started(file) - JUST_WORDS
                      if (owners := brings(program)) and not owners & allowed]
    assert wrong == []
