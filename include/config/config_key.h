/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Configuration key: one entry of the table that describes every key, for config.c alone.
 *
 * What may be set, printed and said about a key comes from its entry.
 */
#ifndef CONFIG_CONFIG_KEY_H
#define CONFIG_CONFIG_KEY_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>

#include "config/config.h"

enum config_key_type {
	CONFIG_KEY_TEXT,
	CONFIG_KEY_LIST,
	CONFIG_KEY_ADDRESS_LIST,
	CONFIG_KEY_BOOLEAN,
	CONFIG_KEY_INTEGER,
};

struct config_key {
	const char *section;
	const char *name;
	enum config_key_type type;
	size_t offset; /* in struct config */
	bool live; /* it may change while the program runs: all look at it each time */
	int64_t least; /* CONFIG_KEY_INTEGER */
	int64_t most;
	const char *initial; /* the default; NULL: none, */
	const char *example; /* and this is printed in its place */
	const char *help;    /* a sentence without its full stop; may have lines */
};

enum { CONFIG_KEY_COUNT = 65 };

extern const struct config_key config_key_table[CONFIG_KEY_COUNT]; /* by section */

/* Where something stands, and who is told about it. */
struct config_place {
	const char *origin; /* file or option */
	int line;	    /* 0: none */
	struct explanation *error;
};

/* Each of these writes the error's text and returns -EINVAL. */
__attribute__((format(printf, 2, 3))) int config_fail(const struct config_place *place,
						      const char *format, ...);
int config_section_fail(const struct config_place *place, const char *section);
int config_key_fail(const struct config_place *place, const char *section,
		    const char *name);
int config_value_fail(const struct config_place *place, const struct config_key *key,
		      const char *flaw);

bool config_section_known(const char *section);
const struct config_key *config_key_find(const char *section, const char *name);
bool config_key_is_list(const struct config_key *key);
/* Bytes of its field. */
size_t config_key_size(const struct config_key *key);
void *config_key_field(const struct config_key *key, struct config *config);

/* NULL: the value is set, or appended to a list. Else what is wrong with it. */
const char *config_key_set(const struct config_key *key, struct config *config,
			   const char *value);

/* See config_write_value(). */
void config_key_write(const struct config_key *key, const struct config *config,
		      struct buffer *text_out);

/* The key with its help, as lines of a file; commented out when it has that of `defaults`. */
void config_key_print(const struct config_key *key, const struct config *config,
		      const struct config *defaults, FILE *out);

#endif
