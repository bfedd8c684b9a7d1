/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Agent address: is a text written for AI agents, or does it ask to pass codes on?
 *
 * It is a warning for agents and proves nothing: who knows the words can avoid them, and a
 * person may use them without malice. tests/unit/test_agent_address.c measures both.
 */
#pragma once

#include <stdbool.h>

bool agent_address_is_in(const char *text); /* valid UTF-8 */
