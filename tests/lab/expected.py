# SPDX-License-Identifier: GPL-2.0-or-later
"""How another ofonod than Debian's differs: the tests that show it, by name.

Each of them must fail where its row says so: one that passes there is an error, too. Tests
that need the plugin run if it was built for that ofonod: OFONO_PLUGIN names another one.
"""

from __future__ import annotations

import re
from collections.abc import Callable

import pytest

from .ofono_line import Line, line
from .ofonod import PLUGIN

# The end of a test's name, for which ofonod, and why.
EXPECTED: list[tuple[str, Callable[[Line], bool], str]] = [
    (r"test_doctor\.py::test_a_healthy_gateway_has_only_upstream_warnings",
     lambda line: line.is_fork, "other things are missing, or none"),
    (r"test_doctor\.py::test_doctor_prints_coloured_findings_on_a_terminal", lambda line: line.tells_of_delivery,
     "nothing is missing, so there is no warning"),
    (r"test_doctor\.py::test_doctor_recognises_our_plugin", lambda line: line.tells_of_delivery,
     "it tells of delivery itself, whatever it has loaded"),
    (r"test_crash\.py::(test_an_interrupted_submission_is_never_repeated"
     r"|test_a_stop_during_a_submission_leaves_it_unknown)",
     lambda line: line.has_access_control, "it drops calls of those who have left the bus"),
    (r"test_doctor\.py::test_doctor_shows_the_ofono_version", lambda line: line.is_fork,
     "it is no upstream oFono"),
    (r"test_doctor\.py::test_doctor_says_what_only_root_can_see", lambda line: line.is_fork,
     "a fork shows to everybody which it is"),
    (r"test_daemon\.py::test_the_log_contains_no_text_and_no_token\[.*\]",
     lambda line: line.sends_emoji, "it sends emoji"),
    (r"test_send_sms\.py::test_a_refusal_names_the_character_that_cannot_be_sent\[(?!-empty).*\]",
     lambda line: line.sends_emoji, "it sends emoji, and noncharacters"),
    (r"(test_owner_tools\.py::test_a_dry_run_reports_the_outcome_without_sending"
     r"|test_policy\.py::test_what_cannot_be_sent_uses_up_no_limit|test_agent_faults\.py::test_5_.*"
     r"|test_cancel_and_dry_run\.py::test_a_dry_run_refuses_characters_ofono_cannot_encode)",
     lambda line: line.sends_emoji, "it sends emoji, so nothing refuses them"),
    (r"test_receive\.py::test_emoji_arrive_repaired\[emoji\]",
     lambda line: not line.damages_emoji, "they arrive as sent: nothing is put back"),
    (r"test_receive\.py::test_an_undecodable_message_is_kept_as_empty", lambda line: line.is_fork,
     "it can decode noncharacters"),
    (r"test_plugin\.py::(test_signal_and_file_store_one_message"
     r"|test_a_message_is_spooled_while_the_gateway_is_down\[emoji\])",
     lambda line: not line.damages_emoji, "they arrive as sent: nothing is put back"),
    (r"(test_reading_tools\.py::test_flags_are_shown_in_words"
     r"|test_owner_tools\.py::test_every_line_of_a_text_starts_with_a_bar\[\])",
     lambda line: line.is_old, "it drops empty messages"),
    (r"test_strangers\.py::test_every_view_escapes_invisible_characters_of_texts\[5[123]\]",
     lambda line: line.is_old, "it drops messages with half a surrogate pair"),
    (r"test_sims\.py::test_roaming_shows_the_visited_network",
     lambda line: not line.reads_provider_name, "it has no ServiceProviderName"),
]

# These would make later tests fail, too.
NOT_RUN = [
    (r"test_send_ussd\.py::test_an_empty_answer_is_reported_as_empty",
     lambda line: line.version == (1, 29), "an empty USSD answer ends it"),
    (r"test_tasks\.py::.*", lambda line: line.is_old,
     "they wait for delivery reports, which it never tells"),
]


def plugin_fits() -> bool:
    """ofonod loads only a plugin of its own version."""
    version = ".".join(map(str, line().version)).encode()
    return PLUGIN.exists() and b"\0" + version + b"\0" in PLUGIN.read_bytes()


def expect(items: list[pytest.Item]) -> None:
    for item in items:
        name = item.nodeid.split("@")[0]
        for pattern, holds, why in EXPECTED + NOT_RUN:
            if re.search(f"(^|/){pattern}$", name) and holds(line()):
                runs = (pattern, holds, why) in EXPECTED
                item.add_marker(pytest.mark.xfail(reason=why, strict=True, run=runs))
        if re.search(r"test_plugin\.py::|::test_doctor_recognises_our_plugin$", name) and not plugin_fits():
            item.add_marker(pytest.mark.skip(reason="the plugin is for another ofonod"))
