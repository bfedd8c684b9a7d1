/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Colour: of words on a terminal, or anywhere with CLICOLOR_FORCE in the environment; with
 * NO_COLOR none (tests/integration/test_owner_tools.py::test_colours_are_for_terminals).
 */
#ifndef CLI_COLOUR_H
#define CLI_COLOUR_H

enum colour { COLOUR_NONE, COLOUR_GOOD, COLOUR_WARNING, COLOUR_BAD, COLOUR_STRONG };

/* What stands before and behind words on standard output. */
const char *colour_on(enum colour colour);
const char *colour_off(void);

#endif
