/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Each argument has a function that checks it and writes it into the client, or
 * answers the call with an error. Lists are comma-separated, as typed; the client
 * keeps them space-separated.
 */
#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/utf8.h"
#include "gateway/command.h"
#include "numbers/phone_number.h"

enum {
	SHOWN_CHARACTERS = 40,
	LIMIT_MOST = 1000000,
	WORD_BYTES = 64,
};

static int permission_arguments_shown_length(const char *text)
{
	return (int)utf8_cut(text, SHOWN_CHARACTERS);
}

/* Lists */

/* Adds one word of a list to the client. Returns false if the call has been answered. */
typedef bool permission_arguments_word(struct control_call *call, const char *word,
				       struct client *client);

/* Reads the next word, without spaces around it. Returns NULL if the list has ended. */
static const char *permission_arguments_next_word(const char *list, char word[WORD_BYTES])
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

static bool permission_arguments_read_list(struct control_call *call, const char *list,
					   struct client *client,
					   permission_arguments_word *take)
{
	char word[WORD_BYTES];
	unsigned count = 0;

	while ((list = permission_arguments_next_word(list, word))) {
		/* truncation may have left half a character */
		if (!utf8_valid(word, strlen(word)))
			word[0] = '\0';
		if (!take(call, word, client))
			return false;
		count++;
	}
	if (!count)
		control_call_fail(call, CONTROL_INVALID_ARGUMENT,
				  "Write a comma-separated list", "a list is empty");
	return count;
}

/* Appends a word to a space-separated list. */
static bool permission_arguments_append_word(struct control_call *call, char *words,
					     size_t size, const char *word)
{
	size_t length = strlen(words);
	int added =
		snprintf(words + length, size - length, "%s%s", length ? " " : "", word);

	if (added >= 0 && (size_t)added < size - length)
		return true;
	control_call_fail(call, CONTROL_INVALID_ARGUMENT,
			  "Give fewer; a prefix that ends with * stands for many numbers",
			  "the list is too long; the maximum is %zu bytes", size - 1);
	return false;
}

/* Scopes */

static bool permission_arguments_add_scope(struct control_call *call, const char *word,
					   struct client *client)
{
	enum client_scope scope = client_scope_find(word);

	client->scopes |= scope;
	if (!scope)
		control_call_fail(call, CONTROL_INVALID_ARGUMENT,
				  "Use read, send, codes, ussd, admin, "
				  "metrics, call, events, hub; comma-separated",
				  "there is no scope \"%.*s\"",
				  permission_arguments_shown_length(word), word);
	return scope;
}

static bool permission_arguments_apply_scope(struct control_call *call, const char *value,
					     struct client *client, size_t offset)
{
	client->scopes = 0;
	return permission_arguments_read_list(call, value, client,
					      permission_arguments_add_scope);
}

/* SIMs */

struct permission_arguments_sims {
	char text[256];
	size_t length;
};

static void permission_arguments_list_sim(void *data, int64_t sim_id)
{
	struct permission_arguments_sims *list = data;
	size_t room = sizeof(list->text) - list->length;
	int added = snprintf(list->text + list->length, room, "%s%" PRId64,
			     list->length ? ", " : "", sim_id);

	if (added > 0 && (size_t)added < room)
		list->length += (size_t)added;
	else
		list->text[list->length] = '\0';
}

static void permission_arguments_refuse_sim(struct control_call *call, const char *word)
{
	struct permission_arguments_sims known = { "" };
	char fix[sizeof(known.text) + 80];

	store_sim_list(call->control->store, permission_arguments_list_sim, &known);
	if (known.length)
		snprintf(fix, sizeof(fix), "Known SIM IDs: %s; or use \"any\"",
			 known.text);
	else
		snprintf(fix, sizeof(fix),
			 "No SIM has been seen yet; use \"any\", and change it later");
	control_call_fail(call, CONTROL_INVALID_ARGUMENT, fix,
			  "there is no SIM \"%.*s\"; give subscription IDs",
			  permission_arguments_shown_length(word), word);
}

static bool permission_arguments_add_sim(struct control_call *call, const char *word,
					 struct client *client)
{
	char *end;
	long long id = strtoll(word, &end, 10);
	char number[24];

	if (*end || id <= 0 || store_sim_known(call->control->store, id) != 0) {
		permission_arguments_refuse_sim(call, word);
		return false;
	}
	snprintf(number, sizeof(number), "%lld", id);
	return permission_arguments_append_word(call, client->sims, sizeof(client->sims),
						number);
}

static bool permission_arguments_apply_sim(struct control_call *call, const char *value,
					   struct client *client, size_t offset)
{
	client->sims[0] = '\0';
	return strcmp(value, "any") == 0 ||
	       permission_arguments_read_list(call, value, client,
					      permission_arguments_add_sim);
}

/* Phone numbers */

static bool permission_arguments_add_number(struct control_call *call, const char *word,
					    struct client *client)
{
	char number[PHONE_NUMBER_BYTES + 1];

	if (phone_number_parse_beginning(word, number) && *number) {
		strcat(number, "*");
		return permission_arguments_append_word(call, client->allow,
							sizeof(client->allow), number);
	}
	if (phone_number_parse(word, number) == PHONE_NUMBER_OK)
		return permission_arguments_append_word(call, client->allow,
							sizeof(client->allow), number);
	control_call_fail(call, CONTROL_INVALID_ARGUMENT,
			  "Write a comma-separated list of numbers such as +36201234567 "
			  "and prefixes such as +3620*; or \"any\"",
			  "\"%.*s\" is not a phone number",
			  permission_arguments_shown_length(word), word);
	return false;
}

static bool permission_arguments_apply_allow(struct control_call *call, const char *value,
					     struct client *client, size_t offset)
{
	client->allow[0] = '\0';
	return strcmp(value, "any") == 0 ||
	       permission_arguments_read_list(call, value, client,
					      permission_arguments_add_number);
}

/* Approval */

static bool permission_arguments_apply_ask(struct control_call *call, const char *value,
					   struct client *client, size_t offset)
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
	control_call_fail(call, CONTROL_INVALID_ARGUMENT,
			  "Use always, new-recipients or never",
			  "\"%.*s\" is not a value of --ask",
			  permission_arguments_shown_length(value), value);
	return false;
}

/* Limits */

static bool permission_arguments_read_limit(const char *value, int64_t *limit_out)
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

static bool permission_arguments_apply_limit(struct control_call *call, const char *value,
					     struct client *client, size_t offset)
{
	void *limit = (char *)client + offset;

	if (permission_arguments_read_limit(value, limit))
		return true;
	control_call_fail(call, CONTROL_INVALID_ARGUMENT,
			  "Give a number from 1 to 1000000, \"none\" for no limit, or "
			  "\"default\" for the configured limit",
			  "\"%.*s\" is not a limit",
			  permission_arguments_shown_length(value), value);
	return false;
}

/* All arguments */

static const struct {
	const char *name;
	bool (*apply)(struct control_call *call, const char *value, struct client *client,
		      size_t offset);
	size_t offset; /* of a limit in struct client */
} permission_arguments_rows[] = {
	{ "scope", permission_arguments_apply_scope },
	{ "sim", permission_arguments_apply_sim },
	{ "allow", permission_arguments_apply_allow },
	{ "ask", permission_arguments_apply_ask },
#define LIMIT(name) \
	{ #name, permission_arguments_apply_limit, offsetof(struct client, limits.name) }
	LIMIT(per_minute),
	LIMIT(per_hour),
	LIMIT(per_day),
	LIMIT(segments_per_month),
};

enum { ROWS = sizeof(permission_arguments_rows) / sizeof(permission_arguments_rows[0]) };

bool permission_arguments_apply(struct control_call *call, struct client *client)
{
	for (size_t at = 0; at < ROWS; at++) {
		const char *value =
			control_call_argument(call, permission_arguments_rows[at].name);

		if (value &&
		    !permission_arguments_rows[at].apply(
			    call, value, client, permission_arguments_rows[at].offset))
			return false;
	}
	return true;
}

bool permission_arguments_are_given(const struct control_call *call)
{
	for (size_t at = 0; at < ROWS; at++) {
		if (control_call_argument(call, permission_arguments_rows[at].name))
			return true;
	}
	return false;
}

bool permission_arguments_narrow(const struct client *before, const struct client *after)
{
	return (before->scopes & ~after->scopes) ||
	       (*after->sims && strcmp(before->sims, after->sims) != 0);
}
