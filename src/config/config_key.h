/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Configuration key: one entry of the table that describes every key.
 *
 * Private to src/config: what may be set, printed and said about a key comes from here.
 */
#pragma once

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

/* Which program has a key. Any other refuses it, because there it would change nothing. */
enum config_key_program {
	CONFIG_KEY_OF_ALL,
	CONFIG_KEY_OF_GATEWAY, /* what concerns the modems, the cards and the desktop of one phone */
	CONFIG_KEY_OF_HUB,
};

struct config_key {
	const char *section;
	const char *name;
	enum config_key_type type;
	size_t offset; /* in struct config */
	int64_t least; /* CONFIG_KEY_INTEGER */
	int64_t most;
	enum config_key_program program;
	const char *old_name; /* still read, with a warning; NULL if there is none */
	bool live;	      /* a reload applies it: all users read it each time */
	const char *initial;  /* the default; NULL if there is none */
	const char *example;  /* printed where there is no default */
	const char *help;     /* sentences without the last full stop; may have lines */
};

extern const struct config_key config_key_table[CONFIG_KEY_COUNT]; /* by section */
/* Returns the key of this program after `key`, or the first one if it is NULL; NULL at the end. */
const struct config_key *config_key_table_next(const struct config_key *key);

/* Where a key or value was found, and where its error goes. */
struct config_key_place {
	const char *origin; /* file or option; "" if no person wrote it, so do not warn */
	int line;	    /* 0 if there is none */
	struct explanation *error;
};

/* Logs a warning about this place, unless no person wrote it, or `place` is NULL. */
__attribute__((format(printf, 2, 3))) void config_key_warn(
	const struct config_key_place *place, const char *format, ...);

/* Each of these writes the error's text and returns -EINVAL. */
__attribute__((format(printf, 2, 3))) int config_key_fail(
	const struct config_key_place *place, const char *format, ...);
int config_key_fail_section(const struct config_key_place *place, const char *section);
int config_key_fail_name(const struct config_key_place *place, const char *section,
			 const char *name);
int config_key_fail_value(const struct config_key_place *place,
			  const struct config_key *key, const char *flaw);

/* Returns whether any program has this section. */
bool config_key_section_exists(const char *section);

/*
 * Returns the key with this name. Logs a warning for an old name unless `place` is NULL. Returns
 * NULL if it is unknown.
 */
const struct config_key *config_key_find(const struct config_key_place *place,
					 const char *section, const char *name);

/*
 * Says which entry in a value of this key matches nothing, and continues behind it. It is no error,
 * because a file of an earlier version may have it. Returns false if there is none.
 */
bool config_key_next_useless(const struct config_key *key, const char **at_inout,
			     struct explanation *text_out);

bool config_key_is_list(const struct config_key *key);
size_t config_key_size(const struct config_key *key); /* bytes of its field */
void *config_key_field(const struct config_key *key, struct config *config);
const void *config_key_read_field(const struct config_key *key,
				  const struct config *config);

/* Sets the value or appends it to a list. Returns NULL, or what is wrong with the value. */
const char *config_key_set(const struct config_key *key, struct config *config,
			   const char *value);

/* See config_write_value(). */
void config_key_write(const struct config_key *key, const struct config *config,
		      struct buffer *text_out);

/* Prints help and value as lines of a file; commented out where it is the default. */
void config_key_print(const struct config_key *key, const struct config *config,
		      const struct config *defaults, FILE *out);
