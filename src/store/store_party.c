/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "store/store_party.h"

#include <errno.h>
#include <string.h>

#include "store/store_statement.h"

static bool has_country(const struct store_countries *countries,
			const struct country *country)
{
	for (size_t i = 0; i < countries->count; i++) {
		if (countries->items[i] == country)
			return true;
	}
	return false;
}

/* Those that are not in the table are passed over. */
static void countries_read(struct store *store)
{
	sqlite3_stmt *statement = store_use(store, PARTY_COUNTRIES);
	struct store_countries countries = { .known = true };
	int result;

	sqlite3_bind_int(statement, 1, STORE_COUNTRIES_MAX);
	while ((result = sqlite3_step(statement)) == SQLITE_ROW) {
		const struct country *country = country_of_mobile_code(
			(unsigned)sqlite3_column_int(statement, 0));

		if (country && !has_country(&countries, country))
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
		country = country_of_mobile_code(
			(unsigned)sqlite3_column_int(statement, 0));
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

static void party_add_form(struct store_party *party, const char *form,
			   const struct country *country)
{
	char spellings[NUMBER_SPELLINGS][NUMBER_FORM_BYTES];
	size_t count = number_spell(form, country, spellings);

	for (size_t i = 0; i < count; i++)
		party_add(party, spellings[i]);
}

/* The number as it is meant in one country, and how each card's country would spell that. */
static void party_add_meant(struct store *store, const char *number,
			    const struct country *meant, struct store_party *party)
{
	const struct store_countries *countries = countries_of(store);
	char form[NUMBER_FORM_BYTES];

	if (!number_form(number, meant, form))
		return;
	party_add_form(party, form, meant);
	for (size_t i = 0; *form == '+' && i < countries->count; i++)
		party_add_form(party, form, countries->items[i]);
}

static void spell(struct store *store, const struct country *home, const char *number,
		  struct store_party *party_out)
{
	party_out->count = 0;
	if (!number_is_number(number))
		return;
	if (strlen(number) < NUMBER_FORM_BYTES)
		party_add(party_out, number);
	party_add_meant(store, number, home, party_out);
}

static const struct country *home_of(struct store *store, int64_t sim_id)
{
	return sim_id ? country_of_sim(store, sim_id) : NULL;
}

void store_party_spell_at(struct store *store, int64_t sim_id, const char *number,
			  struct store_party *party_out)
{
	spell(store, home_of(store, sim_id), number, party_out);
}

void store_party_spell(struct store *store, int64_t sim_id, const char *number,
		       struct store_party *party_out)
{
	const struct store_countries *countries = countries_of(store);
	const struct country *home = home_of(store, sim_id);

	spell(store, home, number, party_out);
	if (home || !party_out->count || *number == '+')
		return;
	for (size_t i = 0; i < countries->count; i++)
		party_add_meant(store, number, countries->items[i], party_out);
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
	return number_form(number, country_of_sim(store, sim_id), form_out);
}

bool store_party_write(struct store *store, const char *number,
		       char form_out[NUMBER_FORM_BYTES])
{
	const struct store_countries *countries = countries_of(store);

	return number_form(number, countries->count ? countries->items[0] : NULL,
			   form_out);
}

bool store_party_is(struct store *store, const struct store_end *one,
		    const struct store_end *other)
{
	char form[NUMBER_FORM_BYTES], other_form[NUMBER_FORM_BYTES];

	if (strcmp(one->number, other->number) == 0)
		return true;
	return store_party_form(store, one->sim_id, one->number, form) &&
	       store_party_form(store, other->sim_id, other->number, other_form) &&
	       strcmp(form, other_form) == 0;
}

const struct store_countries *store_party_countries(struct store *store)
{
	return countries_of(store);
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
