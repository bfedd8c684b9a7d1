/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "gateway/permission_order.h"

#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/utf8.h"
#include "numbers/phone_number.h"

enum {
	SHOWN_CHARACTERS = 40,
	LIMIT_MOST = 1000000,
	WORD_BYTES = 64,
};

static int shown(const char *text)
{
	return (int)utf8_cut(text, SHOWN_CHARACTERS);
}

/* Lists: words with commas between them */

/* Something of one word; false: answered. */
typedef bool word_taker(struct control_call *call, const char *word,
			struct client *client);

/* The next word without blanks around it; NULL: that was all. */
static const char *next_word(const char *list, char word[WORD_BYTES])
{
	size_t length;

	list += strspn(list, ", ");
	if (!*list)
		return NULL;
	length = strcspn(list, ",");
	snprintf(word, WORD_BYTES, "%.*s", (int)length, list);
	for (size_t end = strlen(word); end && word[end - 1] == ' ';)
		word[--end] = '\0';
	return list + length;
}

static bool take_words(struct control_call *call, const char *list, struct client *client,
		       word_taker *take)
{
	char word[WORD_BYTES];
	unsigned count = 0;

	while ((list = next_word(list, word))) {
		/* a word that was cut may end in half a character */
		if (!utf8_valid(word, strlen(word)))
			word[0] = '\0';
		if (!take(call, word, client))
			return false;
		count++;
	}
	if (!count)
		control_fail(call, CONTROL_INVALID_ARGUMENT,
			     "Write the words with commas between them",
			     "a list is empty");
	return count;
}

/* Appends to what a client keeps, blanks between the words. */
static bool append_word(struct control_call *call, char *words, size_t size,
			const char *word)
{
	size_t length = strlen(words);
	int added =
		snprintf(words + length, size - length, "%s%s", length ? " " : "", word);

	if (added >= 0 && (size_t)added < size - length)
		return true;
	control_fail(call, CONTROL_INVALID_ARGUMENT,
		     "Give fewer; prefixes that end with * stand for many numbers",
		     "the list is too long: it takes %zu bytes", size - 1);
	return false;
}

static bool is_any(const char *list)
{
	return strcmp(list, "any") == 0;
}

/* Scopes */

static bool take_scope(struct control_call *call, const char *word, struct client *client)
{
	enum client_scope scope = client_scope_find(word);

	client->scopes |= scope;
	if (!scope)
		control_fail(call, CONTROL_INVALID_ARGUMENT,
			     "Give some of read, send, codes, ussd, admin, metrics, "
			     "call, with commas between them",
			     "there is no scope \"%.*s\"", shown(word), word);
	return scope;
}

static bool apply_scope(struct control_call *call, const char *value,
			struct client *client)
{
	client->scopes = 0;
	return take_words(call, value, client, take_scope);
}

/* SIMs */

struct sim_text {
	char text[256];
	size_t length;
};

static void name_sim(void *data, int64_t sim_id)
{
	struct sim_text *list = data;
	size_t room = sizeof(list->text) - list->length;
	int added = snprintf(list->text + list->length, room, "%s%" PRId64,
			     list->length ? ", " : "", sim_id);

	if (added > 0 && (size_t)added < room)
		list->length += (size_t)added;
	else
		list->text[list->length] = '\0';
}

static void refuse_sim(struct control_call *call, const char *word)
{
	struct sim_text known = { "" };
	char fix[sizeof(known.text) + 80];

	store_sim_list(call->control->store, name_sim, &known);
	if (known.length)
		snprintf(fix, sizeof(fix), "Known are %s; or give \"any\"", known.text);
	else
		snprintf(fix, sizeof(fix),
			 "None was seen yet; give \"any\", and change it later");
	control_fail(call, CONTROL_INVALID_ARGUMENT, fix,
		     "there is no SIM \"%.*s\"; it takes subscription ids", shown(word),
		     word);
}

static bool take_sim(struct control_call *call, const char *word, struct client *client)
{
	char *end;
	long long id = strtoll(word, &end, 10);
	char number[24];

	if (*end || id <= 0 || store_sim_known(call->control->store, id) != 0) {
		refuse_sim(call, word);
		return false;
	}
	snprintf(number, sizeof(number), "%lld", id);
	return append_word(call, client->sims, sizeof(client->sims), number);
}

static bool apply_sim(struct control_call *call, const char *value, struct client *client)
{
	client->sims[0] = '\0';
	return is_any(value) || take_words(call, value, client, take_sim);
}

/* Numbers */

/* "+3620" of "+3620*": digits, with or without a plus sign. */
static bool is_prefix(const char *word, size_t length)
{
	size_t at = *word == '+';

	if (at == length || length >= PHONE_NUMBER_BYTES)
		return false;
	return strspn(word + at, "0123456789") == length - at;
}

static bool take_number(struct control_call *call, const char *word,
			struct client *client)
{
	size_t length = strlen(word);
	char number[PHONE_NUMBER_BYTES];
	enum phone_number_problem problem;

	if (length && word[length - 1] == '*' && is_prefix(word, length - 1))
		return append_word(call, client->allow, sizeof(client->allow), word);
	problem = phone_number_parse(word, number);
	if (problem == PHONE_NUMBER_OK)
		return append_word(call, client->allow, sizeof(client->allow), number);
	control_fail(
		call, CONTROL_INVALID_ARGUMENT,
		"Write numbers such as +36201234567, prefixes such as +3620*, commas "
		"between them; or \"any\"",
		"\"%.*s\" is no phone number", shown(word), word);
	return false;
}

static bool apply_allow(struct control_call *call, const char *value,
			struct client *client)
{
	client->allow[0] = '\0';
	return is_any(value) || take_words(call, value, client, take_number);
}

/* Asking */

static bool apply_ask(struct control_call *call, const char *value, struct client *client)
{
	static const enum client_ask asks[] = { CLIENT_ASK_NEVER,
						CLIENT_ASK_NEW_RECIPIENTS,
						CLIENT_ASK_ALWAYS };

	for (size_t at = 0; at < sizeof(asks) / sizeof(asks[0]); at++) {
		if (strcmp(client_ask_name(asks[at]), value) == 0) {
			client->ask = asks[at];
			return true;
		}
	}
	control_fail(call, CONTROL_INVALID_ARGUMENT,
		     "Give always, new-recipients or never",
		     "nobody can be asked \"%.*s\"", shown(value), value);
	return false;
}

/* Limits */

static bool read_limit(const char *value, int64_t *limit_out)
{
	char *end;
	long long number = strtoll(value, &end, 10);

	if (strcmp(value, "default") == 0)
		*limit_out = -1;
	else if (strcmp(value, "none") == 0)
		*limit_out = 0;
	else if (*value >= '0' && *value <= '9' && !*end && number > 0 &&
		 number <= LIMIT_MOST)
		*limit_out = number;
	else
		return false;
	return true;
}

static const struct limit_argument {
	const char *name;
	size_t offset; /* in struct client_limits */
} limit_arguments[] = {
	{ "per_minute", offsetof(struct client_limits, per_minute) },
	{ "per_hour", offsetof(struct client_limits, per_hour) },
	{ "per_day", offsetof(struct client_limits, per_day) },
	{ "segments_per_month", offsetof(struct client_limits, segments_per_month) },
};

enum { LIMITS = sizeof(limit_arguments) / sizeof(limit_arguments[0]) };

static bool apply_limit(struct control_call *call, const struct limit_argument *argument,
			struct client *client)
{
	const char *value = control_argument(call, argument->name);
	void *limit = (char *)&client->limits + argument->offset;

	if (!value || read_limit(value, limit))
		return true;
	control_fail(call, CONTROL_INVALID_ARGUMENT,
		     "Give a number from 1 to 1000000, \"none\" for no limit, or "
		     "\"default\" for that of the configuration",
		     "\"%.*s\" is no limit", shown(value), value);
	return false;
}

/* All of them */

static const struct order_argument {
	const char *name;
	bool (*apply)(struct control_call *call, const char *value,
		      struct client *client);
} order_arguments[] = {
	{ "scope", apply_scope },
	{ "sim", apply_sim },
	{ "allow", apply_allow },
	{ "ask", apply_ask },
};

enum { ORDERS = sizeof(order_arguments) / sizeof(order_arguments[0]) };

bool permission_order_apply(struct control_call *call, struct client *client)
{
	for (size_t at = 0; at < ORDERS; at++) {
		const char *value = control_argument(call, order_arguments[at].name);

		if (value && !order_arguments[at].apply(call, value, client))
			return false;
	}
	for (size_t at = 0; at < LIMITS; at++) {
		if (!apply_limit(call, &limit_arguments[at], client))
			return false;
	}
	return true;
}

bool permission_order_is_given(const struct control_call *call)
{
	for (size_t at = 0; at < ORDERS; at++) {
		if (control_argument(call, order_arguments[at].name))
			return true;
	}
	for (size_t at = 0; at < LIMITS; at++) {
		if (control_argument(call, limit_arguments[at].name))
			return true;
	}
	return false;
}

bool permission_order_narrows(const struct client *before, const struct client *after)
{
	return (before->scopes & ~after->scopes) ||
	       (*after->sims && strcmp(before->sims, after->sims) != 0);
}
