/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Command text: what the owner texts to the phone for an agent, or to decide on an approval.
 *
 *   agent 482913 is the alarm on?        a command, with its code after the word
 *   Agent, is the alarm on? 482 913      the same, with the code at the end
 *   YES 4711 482913                      an approval: its number, then the code
 *
 * Upper and lower case, accents and the script of digits make no difference. A code is six
 * digits, perhaps in two groups as authenticator apps show them. Six digits right after the
 * word are the code, else the last six of the text, else two groups after the word
 * (tests/unit/test_command_text.c).
 */
#pragma once

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "base/buffer.h"

struct command_text_words {
	const char *word;    /* of commands */
	const char *approve; /* NULL if approvals are not answered by SMS */
	const char *reject;
	bool needs_word; /* else any text is a command, with or without the word */
	bool has_codes;	 /* else digits mean nothing */
};

enum command_text_kind {
	COMMAND_TEXT_NONE,
	COMMAND_TEXT_COMMAND,
	COMMAND_TEXT_ANSWER, /* to a question for approval */
};

enum { COMMAND_TEXT_CODE_BYTES = 7 };

/* A part of a text, in bytes; its length is 0 if there is none. */
struct command_text_part {
	size_t from;
	size_t length;
};

struct command_text {
	enum command_text_kind kind;
	char code[COMMAND_TEXT_CODE_BYTES]; /* in ASCII digits; "" if there is none */
	struct command_text_part code_at;
	struct command_text_part command; /* without word and code */
	bool approves;			  /* of an answer */
	int64_t number;			  /* of an answer: which approval */
	struct command_text_part number_at;
};

/* `text` is valid UTF-8. */
void command_text_read(const struct command_text_words *words, const char *text,
		       struct command_text *read_out);

/* Appends the text with CODE_MASK in place of the code and of the number of an approval. */
void command_text_mask(const struct command_text *read, const char *text,
		       struct buffer *masked);
