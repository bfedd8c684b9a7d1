/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Agent word: what a word says in a text that may be written for AI agents, in the languages
 * of the table.
 *
 * Private to agent_address.c.
 */
#pragma once

#include <stddef.h>
#include <stdint.h>

#include "text/text.h"

/* bits; a word may have several */
enum agent_word /* unsigned */ {
	AGENT_WORD_AI = 1 << 0,	    /* "AI", "language model", "ChatGPT" */
	AGENT_WORD_HELPER = 1 << 1, /* "assistant", "agent", "bot": also of other kinds */
	AGENT_WORD_ORDER = 1 << 2,  /* "tell", "reply", "delete": an imperative */
	AGENT_WORD_FORWARD = 1 << 3,   /* "forward", "send", "reply": something leaves */
	AGENT_WORD_IGNORE = 1 << 4,    /* "ignore", "forget" */
	AGENT_WORD_RULES = 1 << 5,     /* "instructions", "system prompt" */
	AGENT_WORD_CODE = 1 << 6,      /* "code", "PIN" */
	AGENT_WORD_ONE_TIME = 1 << 7,  /* "verification", "OTP", "six-digit" */
	AGENT_WORD_CAME_IN = 1 << 8,   /* "received", "you got" */
	AGENT_WORD_MESSAGES = 1 << 9,  /* "messages", "inbox", "contacts" */
	AGENT_WORD_ALL = 1 << 10,      /* "all", "every", "last" */
	AGENT_WORD_NOT = 1 << 11,      /* "never", "nobody" */
	AGENT_WORD_MUST = 1 << 12,     /* "must", "should", "is required" */
	AGENT_WORD_USER = 1 << 13,     /* "user", "owner" */
	AGENT_WORD_INFORM = 1 << 14,   /* "inform", "ask", "approval" */
	AGENT_WORD_SYSTEM = 1 << 15,   /* "system", "developer", "admin" */
	AGENT_WORD_MODE = 1 << 16,     /* "override", "mode", "message" after SYSTEM */
	AGENT_WORD_GREETING = 1 << 17, /* "hey", "attention", "dear", "to the" */
	AGENT_WORD_YOU_ARE = 1 << 18,  /* "you are", "act as", "if you are" */
	AGENT_WORD_READS = 1 << 19,    /* "reading", "processing" */
	AGENT_WORD_TOOL = 1 << 20,     /* "send_sms", "tool call" */
	AGENT_WORD_OTHER_LOCK = 1
				<< 21, /* "wifi", "door", "discount": no one-time code */
	AGENT_WORD_NEW = 1 << 22,      /* "new", "updated", before RULES */
	AGENT_WORD_ME = 1 << 23,       /* "me", "this number", "back" */
	/* "without": what follows is denied, no order before it */
	AGENT_WORD_WITHOUT = 1 << 25,
	AGENT_WORD_CONJUNCTION = 1 << 26, /* "and": another clause may follow */
	AGENT_WORD_SUBJECT = 1 << 24,	  /* "we will", "to": no imperative follows */
	AGENT_WORD_TASK = 1 << 27,	  /* "task", "mission" */
	AGENT_WORD_LABEL = 1 << 28,	  /* "system message" */
	AGENT_WORD_UNBOUND = 1 << 29,	  /* "without restrictions" */
	AGENT_WORD_TELL = 1 << 30,	  /* "read", "provide": of a code */
	AGENT_WORD_VERBATIM = 1u << 31,	  /* "word for word" */
};

/* ---- build/text/agent_table.c, by agent_table.py */

/* Phrases in the order of their bytes without "^"; those that begin with "*" come last. */
struct agent_word_table {
	const char *text;	 /* phrases, each with a NUL */
	const uint16_t *offsets; /* of each phrase in `text` */
	const unsigned char *kinds;
	const unsigned *meanings; /* of each kind */
	size_t count;
	size_t ends; /* the last ones of them begin with "*" */
};

/* agent_lexicon.txt: words and phrases */
extern const struct agent_word_table agent_lexicon;
/* agent_script.txt: parts of words */
extern const struct agent_word_table agent_script;

/* ---- agent_word.c */

/* Writes the meanings of each word; words of a phrase have them all. Returns those of all. */
unsigned agent_word_read(const struct text_word *words, size_t count,
			 unsigned *meanings_out);

/*
 * Returns the meanings in so many bytes of a text without spaces between words, and of languages
 * that write them together: Chinese and Japanese, also Arabic and Hindi. `folded` comes from
 * glyph_write().
 */
unsigned agent_word_find_anywhere(const char *folded, size_t length);
