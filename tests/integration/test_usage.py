# SPDX-License-Identifier: GPL-2.0-or-later
"""Wrong arguments: every command says what is wrong and where help is, in the same words."""

from __future__ import annotations

import json

import pytest

from owner import USAGE, run
from test_commands import COMMANDS, HAS_LOG, options_of


def refuse(*arguments: str) -> str:
    """Returns its standard error; it does nothing else."""
    done = run(*arguments)
    assert (done.returncode, done.stdout) == (USAGE, ""), done
    return done.stderr


@pytest.mark.parametrize("name", COMMANDS)
def test_a_usage_error_names_the_command_and_its_help(name: str) -> None:
    value = next((option for option, value in options_of(name) if value), None)
    wrong = [["--zzzzzzzz"], ["-z"], ["--help=x"], *([[value]] if value else [])]
    for arguments in wrong:
        first, second = refuse(*name.split(), *arguments).splitlines()
        assert first.startswith(f"ofono-mcp {name}: ") and arguments[0].split("=")[0] in first
        assert second == f"Try: ofono-mcp {name} --help"


@pytest.mark.parametrize("name", sorted(set(COMMANDS) - HAS_LOG))
def test_a_usage_error_is_printed_as_json(name: str) -> None:
    for json_option in ("--json", "--js"):
        done = run(*name.split(), json_option, "--zzzzzzzz")
        error = json.loads(done.stdout)["error"]
        assert (done.returncode, error["code"]) == (USAGE, "invalid_argument")
        assert error["message"] in done.stderr and error["fix"] in done.stderr
    assert run(*name.split(), "--zzzzzzzz", "--", "--json").stdout == ""


@pytest.mark.parametrize("arguments", [
    ["statsu", "--json"], ["--json", "status"], ["client", "lst", "--json"], ["help", "statsu", "--json"],
])
def test_an_unknown_command_is_reported_as_json_too(arguments: list[str]) -> None:
    done = run(*arguments)
    error = json.loads(done.stdout)["error"]
    assert (done.returncode, error["code"]) == (USAGE, "invalid_argument")
    assert done.stderr == f"ofono-mcp: {error['message']}\n{error['fix']}\n"


@pytest.mark.parametrize("name", ["status", "backup", "pair"])
def test_a_configuration_error_is_printed_as_json(name: str) -> None:
    words = [] if name == "status" else ["x"]
    done = run(name, "--json", "--config", "/no/such/file", *words)
    error = json.loads(done.stdout)["error"]
    assert (done.returncode, error["code"]) == (USAGE, "invalid_configuration")
    assert error["message"] in done.stderr and "/no/such/file" in error["message"]


@pytest.mark.parametrize("arguments, words", [
    (["stauts"], 'no command "stauts"; did you mean status?\nTry: ofono-mcp status --help'),
    (["doctr"], "did you mean doctor?"),
    (["client", "lst"], 'did you mean client list?\nTry: ofono-mcp client list --help'),
    (["client", "sett"], 'no command "client sett"; did you mean client set?\n'),
    (["sim", "xyz"], 'no command "sim xyz"\nTry: ofono-mcp sim --help'),
    (["\x1b[31m\u202ex"], 'no command "?[31m\\u{202E}x"\n'),
    (["client", "set", "--ask", "never"], "ofono-mcp client set: NAME is missing"),
    (["send"], "NUMBER is missing"),
    (["reject"], "ID is missing"),
    (["backup"], "FILE is missing"),
    (["restore"], "FILE is missing"),
    (["show"], "ID is missing"),
    (["agent", "remove"], "NUMBER is missing"),
    (["agent", "xyz"], "the argument is list, enrol or remove"),
    (["webhook", "revoke"], "ID is missing"),
    (["webhook", "xyz"], "the argument is list or revoke"),
    (["xyz"], 'no command "xyz"\nTry: ofono-mcp --help'),
    (["list", "--serach", "x"], "there is no option --serach; did you mean --search?"),
    (["pair", "--s", "x"], "--s can mean --scope or --sim or --segments-per-month or --state-dir"),
    (["show", "-1"], "there is no option -1"),
    (["show", "--", "-1"], "is not a whole number"),
    (["list", "--limit", "0"], "--limit takes a whole number from 1 to 100"),
    (["list", "--limit", "99999999999999999999"], "--limit takes a whole number from 1 to 100"),
    (["contacts", "--limit", "101"], "--limit takes a whole number from 1 to 100"),
    (["wait", "--timeout", "121"], "--timeout takes a whole number from 1 to 120"),
    (["send", "--wait", "long", "1", "x"], "--wait takes none, sent or delivered"),
    (["approvals", "--after", "x"], "--after takes a whole number"),
    (["send", ""], "an argument is empty"),
    (["send", "+36301234567", "a", "b"], "in quotes"),
    (["send", "--sim", "one", "1", "x"], "--sim takes a whole number"),
    (["list", "--in", "--out"], "exclude each other"),
    (["show", "9" * 30], "not a whole number"),
    (["show", "0"], "from 1 to"),
    (["send", "--sim", "0", "1", "x"], "--sim takes a whole number from 1"),
    (["send", "--at", "", "1", "x"], "--at needs a value"),
    (["list", "--search", ""], "--search needs a value"),
    (["wait", "--from="], "--from needs a value"),
    (["client", "set", "--allow", "", "x"], "--allow needs a value"),
    (["status", "--config", ""], "--config needs a value"),
    (["serve", "--state-dir", ""], "--state-dir needs a value"),
    (["audit", "--since", ""], "--since needs a value"),
    (["wait", "--timeout", "0"], "from 1 to 120"),
    (["tail", "x"], 'unexpected argument "x"'),
    (["status", "x"], "unexpected"),
    (["tools", "x"], "unexpected"),
    (["doctor", "x"], "unexpected"),
    (["backup", "a", "b"], "unexpected"),
    (["audit", "verify", "--head", "1:abc"], "--head"),
    (["audit", "--head", "1:" + 64 * "0"], "--head"),
    (["audit", "verify", "--last", "1"], "do not go with it"),
    (["audit", "verify", "twice"], 'unexpected argument "twice"'),
    (["audit", "--since", "yesterday"], "--since takes a time"),
    (["audit", "--last", "0"], "--last takes a whole number from 1"),
    (["audit", "prove"], 'the only argument is "verify"'),
    (["approve", "7", "x"], "not a message ID"),
    (["reject", "7", "two", "reasons"], "quotes"),
    (["modem", "up"], "list, on or off"),
    (["modem", "list", "sim0"], "sim0"),
    (["modem", "off", "--registered"], "--registered needs on"),
    (["modem", "on", "--timeout", "601"], "--timeout takes 1 to 600 seconds"),
    (["opt-outs", "fly"], "list, add or remove"),
    (["opt-outs", "add"], "NUMBER is missing"),
    (["opt-outs", "list", "x"], "list takes no NUMBER"),
    (["opt-outs", "add", "+36201234567", "+36201234568"], "one NUMBER at a time"),
])
def test_a_usage_error_suggests_what_is_right(arguments: list[str], words: str) -> None:
    assert words in refuse(*arguments)
