/* SPDX-License-Identifier: GPL-2.0-or-later */
#include <errno.h>
#include <inttypes.h>
#include <pwd.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/clock.h"
#include "base/crypto.h"
#include "base/escape.h"
#include "base/log.h"
#include "base/utf8.h"
#include "gateway/command.h"
#include "gateway/paired_client.h"
#include "numbers/phone_number.h"
#include "store/store_client.h"

static void paired_client_put_scopes(struct json_writer *writer, unsigned scopes)
{
	json_open_array_at(writer, "scopes");
	for (unsigned scope = 1; scope <= CLIENT_SCOPES_ALL; scope <<= 1) {
		if (scopes & scope)
			json_write_string(writer,
					  client_scope_name((enum client_scope)scope));
	}
	json_close_array(writer);
}

static void paired_client_write_number(struct json_writer *writer, const char *word,
				       size_t length)
{
	json_write_integer(writer, strtoll(word, NULL, 10));
}

/* Space-separated words become an array. */
static void paired_client_put_words(struct json_writer *writer, const char *key,
				    const char *words,
				    void (*write)(struct json_writer *writer,
						  const char *word, size_t length))
{
	json_open_array_at(writer, key);
	while (*(words += strspn(words, " "))) {
		size_t length = strcspn(words, " ");

		write(writer, words, length);
		words += length;
	}
	json_close_array(writer);
}

static void paired_client_put_limit(struct json_writer *writer, const char *key,
				    int64_t limit)
{
	json_key(writer, key);
	if (limit < 0)
		json_write_null(writer);
	else
		json_write_integer(writer, limit);
}

static void paired_client_put_limits(struct json_writer *writer,
				     const struct client_limits *limits)
{
	json_open_object_at(writer, "limits");
	paired_client_put_limit(writer, "per_minute", limits->per_minute);
	paired_client_put_limit(writer, "per_hour", limits->per_hour);
	paired_client_put_limit(writer, "per_day", limits->per_day);
	paired_client_put_limit(writer, "segments_per_month", limits->segments_per_month);
	json_close_object(writer);
}

void paired_client_put(struct json_writer *writer, const struct store_client_row *row)
{
	const struct client *client = &row->client;
	char paired[CLOCK_TEXT_BYTES];

	clock_format(row->created_ms, paired);
	json_put_string(writer, "name", client->name);
	paired_client_put_scopes(writer, client->scopes);
	paired_client_put_words(writer, "sims", client->sims, paired_client_write_number);
	paired_client_put_words(writer, "allow", client->allow, json_write_text);
	json_put_string(writer, "ask", client_ask_name(client->ask));
	paired_client_put_limits(writer, &client->limits);
	json_put_string(writer, "paired", paired);
}

void paired_client_put_member(struct json_writer *writer,
			      const struct store_client_row *row)
{
	json_open_object_at(writer, "client");
	paired_client_put(writer, row);
	json_close_object(writer);
}

enum { SHOWN_NAME_CHARACTERS = 63 };

static bool paired_client_is_printable(const char *text)
{
	while (*text) {
		uint32_t character = utf8_next(&text);

		if (character < ' ' || escape_is_needed(character))
			return false;
	}
	return true;
}

/* Approvals, messages and the audit log name others so, and people believe them. */
static bool paired_client_is_reserved(const char *name)
{
	return strcasecmp(name, CLIENT_OWNER_NAME) == 0 ||
	       strcasecmp(name, CLIENT_GATEWAY_NAME) == 0 ||
	       strcasecmp(name, CLIENT_PHONE_NAME) == 0;
}

const char *paired_client_name_error(const char *name)
{
	size_t length = strlen(name);

	if (!length)
		return "the name is empty";
	if (length >= CLIENT_NAME_BYTES)
		return "the name is longer than 63 bytes";
	if (!paired_client_is_printable(name))
		return "the name contains invisible characters";
	if (name[0] == ' ' || name[length - 1] == ' ')
		return "the name begins or ends with a space";
	if (paired_client_is_reserved(name))
		return "the names owner, gateway and phone are taken";
	return NULL;
}

bool paired_client_find(struct control_call *call, struct store_client_row *row_out)
{
	const char *name = control_call_argument(call, "name");
	int error = name ? store_client_get(call->control->store, name, row_out)
			 : STORE_E_NOT_FOUND;

	if (!name)
		control_call_fail(call, CONTROL_INVALID_ARGUMENT, "Give its name",
				  "the name of the agent is missing");
	else if (error == STORE_E_NOT_FOUND)
		control_call_fail(call, "not_found",
				  "To list the paired agents: " PROGRAM_NAME
				  " client list",
				  "there is no paired agent %.*s",
				  (int)utf8_cut(name, SHOWN_NAME_CHARACTERS), name);
	else if (error)
		control_call_fail_store(call, error);
	return !error;
}

/* Users of this machine */

void paired_client_local_name(int64_t uid, char name[CLIENT_NAME_BYTES])
{
	const struct passwd *user = getpwuid((uid_t)uid);
	int length = user ? snprintf(name, CLIENT_NAME_BYTES, CLIENT_LOCAL_PREFIX "%s",
				     user->pw_name)
			  : CLIENT_NAME_BYTES;

	if (length >= CLIENT_NAME_BYTES || !utf8_valid(name, strlen(name)) ||
	    paired_client_name_error(name))
		snprintf(name, CLIENT_NAME_BYTES, CLIENT_LOCAL_PREFIX "%" PRId64, uid);
}

/* The client gets the hash of a token that nobody has. */
int paired_client_add_local(struct store *store, struct client *client)
{
	uint8_t hash[CLIENT_HASH_BYTES];
	char token[TOKEN_TEXT_BYTES];

	if (!crypto_make_random(token, TOKEN_TEXT_BYTES))
		return -EIO;
	crypto_hash_token(token, TOKEN_TEXT_BYTES - 1, hash);
	explicit_bzero(token, sizeof(token));
	return store_client_add(store, client, hash, &client->id);
}

bool paired_client_find_local(struct store *store, const char *name,
			      struct client *client_out)
{
	struct client client = client_paired;
	struct store_client_row row;
	int error = store_client_get(store, name, &row);

	/* by its ID: one whose revocation is not on disk yet is not found */
	if (!error)
		return row.client.scopes &&
		       store_client_find_id(store, row.client.id, client_out);
	snprintf(client.name, sizeof(client.name), "%s", name);
	if (error == STORE_E_NOT_FOUND)
		error = paired_client_add_local(store, &client);
	if (error) {
		log_warning("control: %s cannot be noted as an agent: error %d", name,
			    error);
		return false;
	}
	log_info("control: %s is an agent from now on; \"" PROGRAM_NAME
		 " clients\" lists it",
		 name);
	*client_out = client;
	return true;
}

/*
 * Permissions, as typed. Each argument has a function that checks it and writes it into the client,
 * or answers the call with an error. Lists are comma-separated; the client keeps them
 * space-separated.
 */

enum {
	SHOWN_CHARACTERS = 40,
	LIMIT_MOST = 1000000,
	WORD_BYTES = 64,
};

static int paired_client_shown_length(const char *text)
{
	return (int)utf8_cut(text, SHOWN_CHARACTERS);
}

/* Lists */

/* Adds one word of a list to the client. Returns false if the call has been answered. */
typedef bool paired_client_word(struct control_call *call, const char *word,
				struct client *client);

/* Reads the next word, without spaces around it. Returns NULL if the list has ended. */
static const char *paired_client_next_word(const char *list, char word[WORD_BYTES])
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

static bool paired_client_read_list(struct control_call *call, const char *list,
				    struct client *client, paired_client_word *take)
{
	char word[WORD_BYTES];
	unsigned count = 0;

	while ((list = paired_client_next_word(list, word))) {
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
static bool paired_client_append_word(struct control_call *call, char *words, size_t size,
				      const char *word)
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

static bool paired_client_add_scope(struct control_call *call, const char *word,
				    struct client *client)
{
	enum client_scope scope = client_scope_find(word);

	client->scopes |= scope;
	if (!scope)
		control_call_fail(call, CONTROL_INVALID_ARGUMENT,
				  "Use read, send, codes, ussd, admin, "
				  "metrics, call, events, hub; comma-separated",
				  "there is no scope \"%.*s\"",
				  paired_client_shown_length(word), word);
	return scope;
}

static bool paired_client_apply_scope(struct control_call *call, const char *value,
				      struct client *client, size_t offset)
{
	client->scopes = 0;
	return paired_client_read_list(call, value, client, paired_client_add_scope);
}

/* SIMs */

struct paired_client_sims {
	char text[256];
	size_t length;
};

static void paired_client_list_sim(void *data, int64_t sim_id)
{
	struct paired_client_sims *list = data;
	size_t room = sizeof(list->text) - list->length;
	int added = snprintf(list->text + list->length, room, "%s%" PRId64,
			     list->length ? ", " : "", sim_id);

	if (added > 0 && (size_t)added < room)
		list->length += (size_t)added;
	else
		list->text[list->length] = '\0';
}

static void paired_client_refuse_sim(struct control_call *call, const char *word)
{
	struct paired_client_sims known = { "" };
	char fix[sizeof(known.text) + 80];

	store_sim_list(call->control->store, paired_client_list_sim, &known);
	if (known.length)
		snprintf(fix, sizeof(fix), "Known SIM IDs: %s; or use \"any\"",
			 known.text);
	else
		snprintf(fix, sizeof(fix),
			 "No SIM has been seen yet; use \"any\", and change it later");
	control_call_fail(call, CONTROL_INVALID_ARGUMENT, fix,
			  "there is no SIM \"%.*s\"; give subscription IDs",
			  paired_client_shown_length(word), word);
}

static bool paired_client_add_sim(struct control_call *call, const char *word,
				  struct client *client)
{
	char *end;
	long long id = strtoll(word, &end, 10);
	char number[24];

	if (*end || id <= 0 || store_sim_known(call->control->store, id) != 0) {
		paired_client_refuse_sim(call, word);
		return false;
	}
	snprintf(number, sizeof(number), "%lld", id);
	return paired_client_append_word(call, client->sims, sizeof(client->sims),
					 number);
}

static bool paired_client_apply_sim(struct control_call *call, const char *value,
				    struct client *client, size_t offset)
{
	client->sims[0] = '\0';
	return strcmp(value, "any") == 0 ||
	       paired_client_read_list(call, value, client, paired_client_add_sim);
}

/* Phone numbers */

static bool paired_client_add_number(struct control_call *call, const char *word,
				     struct client *client)
{
	char number[PHONE_NUMBER_BYTES + 1];

	if (phone_number_parse_beginning(word, number) && *number) {
		strcat(number, "*");
		return paired_client_append_word(call, client->allow,
						 sizeof(client->allow), number);
	}
	if (phone_number_parse(word, number) == PHONE_NUMBER_OK)
		return paired_client_append_word(call, client->allow,
						 sizeof(client->allow), number);
	control_call_fail(call, CONTROL_INVALID_ARGUMENT,
			  "Write a comma-separated list of numbers such as +36201234567 "
			  "and prefixes such as +3620*; or \"any\"",
			  "\"%.*s\" is not a phone number",
			  paired_client_shown_length(word), word);
	return false;
}

static bool paired_client_apply_allow(struct control_call *call, const char *value,
				      struct client *client, size_t offset)
{
	client->allow[0] = '\0';
	return strcmp(value, "any") == 0 ||
	       paired_client_read_list(call, value, client, paired_client_add_number);
}

/* Approval */

static bool paired_client_apply_ask(struct control_call *call, const char *value,
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
			  paired_client_shown_length(value), value);
	return false;
}

/* Limits */

static bool paired_client_read_limit(const char *value, int64_t *limit_out)
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

static bool paired_client_apply_limit(struct control_call *call, const char *value,
				      struct client *client, size_t offset)
{
	void *limit = (char *)client + offset;

	if (paired_client_read_limit(value, limit))
		return true;
	control_call_fail(call, CONTROL_INVALID_ARGUMENT,
			  "Give a number from 1 to 1000000, \"none\" for no limit, or "
			  "\"default\" for the configured limit",
			  "\"%.*s\" is not a limit", paired_client_shown_length(value),
			  value);
	return false;
}

/* All arguments */

static const struct {
	const char *name;
	bool (*apply)(struct control_call *call, const char *value, struct client *client,
		      size_t offset);
	size_t offset; /* of a limit in struct client */
} paired_client_rows[] = {
	{ "scope", paired_client_apply_scope },
	{ "sim", paired_client_apply_sim },
	{ "allow", paired_client_apply_allow },
	{ "ask", paired_client_apply_ask },
#define LIMIT(name) \
	{ #name, paired_client_apply_limit, offsetof(struct client, limits.name) }
	LIMIT(per_minute),
	LIMIT(per_hour),
	LIMIT(per_day),
	LIMIT(segments_per_month),
};

enum { ROWS = sizeof(paired_client_rows) / sizeof(paired_client_rows[0]) };

bool paired_client_apply_permissions(struct control_call *call, struct client *client)
{
	for (size_t at = 0; at < ROWS; at++) {
		const char *value =
			control_call_argument(call, paired_client_rows[at].name);

		if (value && !paired_client_rows[at].apply(call, value, client,
							   paired_client_rows[at].offset))
			return false;
	}
	return true;
}

bool paired_client_permissions_are_given(const struct control_call *call)
{
	for (size_t at = 0; at < ROWS; at++) {
		if (control_call_argument(call, paired_client_rows[at].name))
			return true;
	}
	return false;
}

bool paired_client_permissions_narrow(const struct client *before,
				      const struct client *after)
{
	return (before->scopes & ~after->scopes) ||
	       (*after->sims && strcmp(before->sims, after->sims) != 0);
}
