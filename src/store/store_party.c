/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "store/store_party.h"

#include <errno.h>
#include <string.h>

#include "store/store_statement.h"

/* Those that are not in the table are passed over. */
static void countries_read(struct store *store)
{
	sqlite3_stmt *statement = store_use(store, PARTY_COUNTRIES);
	struct store_countries countries = { .known = true };
	int result;

	sqlite3_bind_int(statement, 1, STORE_COUNTRIES_MAX);
	while ((result = sqlite3_step(statement)) == SQLITE_ROW) {
		const struct country *country =
			country_find((unsigned)sqlite3_column_int(statement, 0));

		if (country)
			countries.items[countries.count++] = country;
	}
	if (!store_done(store, statement, result))
		store->countries = countries;
}

static const struct store_countries *countries_of(struct store *store)
{
	if (!store->countries.known)
		countries_read(store);
	return &store->countries;
}

static const struct country *country_of_sim(struct store *store, int64_t sim_id)
{
	sqlite3_stmt *statement = store_use(store, PARTY_COUNTRY);
	const struct country *country = NULL;
	int result;

	sqlite3_bind_int64(statement, 1, sim_id);
	result = sqlite3_step(statement);
	if (result == SQLITE_ROW)
		country = country_find((unsigned)sqlite3_column_int(statement, 0));
	store_done(store, statement, result);
	return country;
}

static void party_add(struct store_party *party, const char *spelling)
{
	for (size_t i = 0; i < party->count; i++) {
		if (strcmp(party->spellings[i], spelling) == 0)
			return;
	}
	if (party->count < STORE_SPELLINGS_MAX)
		strcpy(party->spellings[party->count++], spelling);
}

static void party_add_in(struct store_party *party, const char *number,
			 const struct country *country)
{
	char form[NUMBER_FORM_BYTES], spellings[NUMBER_SPELLINGS][NUMBER_FORM_BYTES];
	size_t count;

	if (!number_form_write(number, country, form))
		return;
	count = number_form_spell(form, country, spellings);
	for (size_t i = 0; i < count; i++)
		party_add(party, spellings[i]);
}

void store_party_spell(struct store *store, const char *number,
		       struct store_party *party_out)
{
	const struct store_countries *countries = countries_of(store);

	party_out->count = 0;
	if (!number_form_is_number(number))
		return;
	if (strlen(number) < NUMBER_FORM_BYTES)
		party_add(party_out, number);
	party_add_in(party_out, number, NULL);
	for (size_t i = 0; i < countries->count; i++)
		party_add_in(party_out, number, countries->items[i]);
}

void store_party_spell_at(struct store *store, int64_t sim_id, const char *number,
			  struct store_party *party_out)
{
	party_out->count = 0;
	if (!number_form_is_number(number))
		return;
	if (strlen(number) < NUMBER_FORM_BYTES)
		party_add(party_out, number);
	party_add_in(party_out, number, country_of_sim(store, sim_id));
}

/* A spelling has digits and separators, and nothing that JSON would escape. */
void store_party_list(const struct store_party *party,
		      char list_out[STORE_PARTY_LIST_BYTES])
{
	char *end = stpcpy(list_out, "[");

	for (size_t i = 0; i < party->count; i++)
		end = stpcpy(stpcpy(stpcpy(end, i ? ",\"" : "\""), party->spellings[i]),
			     "\"");
	strcpy(end, "]");
}

bool store_party_form(struct store *store, int64_t sim_id, const char *number,
		      char form_out[NUMBER_FORM_BYTES])
{
	return number_form_write(number, country_of_sim(store, sim_id), form_out);
}

bool store_party_write(struct store *store, const char *number,
		       char form_out[NUMBER_FORM_BYTES])
{
	const struct store_countries *countries = countries_of(store);

	return number_form_write(number, countries->count ? countries->items[0] : NULL,
				 form_out);
}

bool store_party_is(struct store *store, const char *one, const char *other)
{
	struct store_party party;

	if (strcmp(one, other) == 0)
		return true;
	store_party_spell(store, one, &party);
	for (size_t i = 0; i < party.count; i++) {
		if (strcmp(party.spellings[i], other) == 0)
			return true;
	}
	return false;
}

/* SQLITE_ROW: the statement has one for a spelling; SQLITE_DONE: for none; or an error. */
static int ask_each(struct store *store, enum store_statement which,
		    const struct store_party *party)
{
	int result = SQLITE_DONE;

	for (size_t i = 0; i < party->count && result == SQLITE_DONE; i++) {
		sqlite3_stmt *statement = store_use(store, which);

		statement_bind_text(statement, 1, party->spellings[i]);
		result = sqlite3_step(statement);
		store_done(store, statement, result);
	}
	return result;
}

bool store_party_was_sent_to(struct store *store, const struct store_party *party)
{
	return ask_each(store, PARTY_SENT_TO, party) == SQLITE_ROW;
}

bool store_party_ever_wrote(struct store *store, const struct store_party *party)
{
	return ask_each(store, PARTY_WROTE, party) != SQLITE_DONE;
}

/* Into its place in the order; the oldest falls out when there is no room. */
static int recent_insert(struct store_recent *recent, const struct message *message)
{
	unsigned at = recent->count;
	struct message kept = *message;

	while (at > 0 && recent->messages[at - 1].id < message->id)
		at--;
	if (at == recent->limit)
		return 0;
	kept.text = arena_copy(recent->arena, message->text, strlen(message->text));
	kept.number = kept.reason = kept.uuid = kept.sent_time = "";
	kept.idempotency_key = "";
	if (!kept.text)
		return -ENOMEM;
	if (recent->count < recent->limit)
		recent->count++;
	memmove(&recent->messages[at + 1], &recent->messages[at],
		(recent->count - 1 - at) * sizeof(kept));
	recent->messages[at] = kept;
	return 0;
}

static int recent_read(struct store *store, const char *spelling,
		       struct store_recent *recent)
{
	sqlite3_stmt *statement = store_use(store, PARTY_RECENT);
	struct message message;
	int result, error = 0;

	statement_bind_text(statement, 1, spelling);
	sqlite3_bind_int64(statement, 2, recent->since_ms);
	sqlite3_bind_int64(statement, 3, recent->limit);
	while (!error && (result = sqlite3_step(statement)) == SQLITE_ROW) {
		statement_read_message(statement, &message);
		error = recent_insert(recent, &message);
	}
	if (error) {
		store_done(store, statement, SQLITE_DONE);
		return error;
	}
	return store_done(store, statement, result);
}

int store_party_recent(struct store *store, const struct store_party *party,
		       struct store_recent *recent)
{
	int error = 0;

	recent->count = 0;
	for (size_t i = 0; !error && i < party->count; i++)
		error = recent_read(store, party->spellings[i], recent);
	return error;
}
