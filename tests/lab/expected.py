# SPDX-License-Identifier: GPL-2.0-or-later
"""What another ofonod than Debian's does otherwise: the tests that show it, by name.

Each of them must fail where its row says so: one that passes there is an error, too.  What
needs the plugin runs where that was built for the ofonod: OFONO_PLUGIN names another one.
"""

from __future__ import annotations

import re
from collections.abc import Callable

import pytest

from .ofono_line import Line, line
from .ofonod import PLUGIN

# The end of a test's name, for which ofonod, and why.
EXPECTED: list[tuple[str, Callable[[Line], bool], str]] = [
    (r"test_doctor\.py::test_all_is_well_but_what_upstream_lacks",
     lambda line: line.is_fork, "other things are missing, or none"),
    (r"test_doctor\.py::test_for_a_person", lambda line: line.tells_of_delivery,
     "nothing is missing, so there is no warning"),
    (r"test_doctor\.py::test_our_plugin", lambda line: line.tells_of_delivery,
     "it tells of delivery itself, whatever it has loaded"),
    (r"test_crash\.py::(test_killed_while_handing_it_is_unknown_and_never_handed_again"
     r"|test_told_to_end_while_ofonod_is_stopped)",
     lambda line: line.has_access_control, "it drops calls of those who have left the bus"),
    (r"test_doctor\.py::test_the_version_of_ofono", lambda line: line.is_fork,
     "it is no upstream oFono"),
    (r"test_doctor\.py::test_who_may_not_look", lambda line: line.is_fork,
     "a fork shows to everybody which it is"),
    (r"test_daemon\.py::test_no_text_and_no_token_in_the_log\[.*\]",
     lambda line: line.sends_emoji, "it sends emoji"),
    (r"test_send_sms\.py::test_a_text_that_cannot_be_sent\[(?!-empty).*\]",
     lambda line: line.sends_emoji, "it sends emoji, and noncharacters"),
    (r"(test_owner_tools\.py::(test_dry_run|test_the_text_comes_from_standard_input\[.*U0001f600.*\])"
     r"|test_cancel_and_dry_run\.py::test_a_dry_run_names_what_ofono_may_not_encode)",
     lambda line: line.sends_emoji, "it sends emoji, so nothing warns of them"),
    (r"test_receive\.py::test_emoji_arrive_mended\[emoji\]",
     lambda line: not line.damages_emoji, "they arrive as sent: nothing is put back"),
    (r"test_receive\.py::test_what_ofono_cannot_decode", lambda line: line.is_fork,
     "it can decode noncharacters"),
    (r"test_plugin\.py::(test_both_ways_tell_of_one_message"
     r"|test_a_message_for_a_dead_gateway\[emoji\])",
     lambda line: not line.damages_emoji, "they arrive as sent: nothing is put back"),
    (r"(test_lab\.py::test_incoming\[1400--cmti?\]|test_reading_tools\.py::test_flags_in_words"
     r"|test_owner_tools\.py::test_no_line_of_a_text_passes_for_one_of_ours\[\])",
     lambda line: line.is_old, "it drops empty messages"),
    (r"test_strangers\.py::test_nothing_gets_out_unescaped\[5[123]\]",
     lambda line: line.is_old, "it drops messages with half a surrogate pair"),
    (r"test_sims\.py::(test_carrier_is_the_network_then_the_card_then_its_code"
     r"|test_roaming_shows_the_visited_network)",
     lambda line: not line.reads_provider_name, "it has no ServiceProviderName"),
]

# These would take what comes after them along.
NOT_RUN = [
    (r"test_send_ussd\.py::test_an_empty_answer_is_told_as_one",
     lambda line: line.version == (1, 29), "an empty USSD answer ends it"),
    (r"test_tasks\.py::.*", lambda line: line.is_old,
     "they wait for delivery reports, which it never tells"),
]


def plugin_fits() -> bool:
    """ofonod loads a plugin of its own version alone."""
    version = ".".join(map(str, line().version)).encode()
    return PLUGIN.exists() and b"\0" + version + b"\0" in PLUGIN.read_bytes()


def expect(items: list[pytest.Item]) -> None:
    for item in items:
        name = item.nodeid.split("@")[0]
        for pattern, holds, why in EXPECTED + NOT_RUN:
            if re.search(f"(^|/){pattern}$", name) and holds(line()):
                runs = (pattern, holds, why) in EXPECTED
                item.add_marker(pytest.mark.xfail(reason=why, strict=True, run=runs))
        if re.search(r"test_plugin\.py::|::test_our_plugin$", name) and not plugin_fits():
            item.add_marker(pytest.mark.skip(reason="the plugin is for another ofonod"))
