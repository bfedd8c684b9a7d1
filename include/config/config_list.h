/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Configuration list: the values of a key that may be repeated, in the order of the file. The
 * default paths are here, too, for help texts: this header does not change with a new key.
 */
#pragma once

#include <stddef.h>

#define CONFIG_DEFAULT_PATH   "/etc/" PROGRAM_NAME "/" PROGRAM_NAME ".conf"
#define CONFIG_DEFAULT_FOLDER "/etc/" PROGRAM_NAME "/conf.d"

enum {
	CONFIG_LIST_MAX = 8,
	CONFIG_TEXT_BYTES = 176, /* with its key it fits into inih's line of 200 bytes */
};

struct config_list {
	size_t count;
	char items[CONFIG_LIST_MAX][CONFIG_TEXT_BYTES]; /* unused bytes are zero */
};

void config_list_clear(struct config_list *list);
