/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Phone numbers are compared by their spellings. The spellings of a number are computed
 * from the country at which it is meant and from the countries of all SIM cards, and
 * then looked up one by one. The list of countries is read once and again when a SIM
 * card is new.
 *
 * An opt-out is stored in the canonical spelling at the SIM that received it, and found
 * in every spelling.
 */
#include "store/store_party.h"

#include <errno.h>
#include <string.h>

#include "store/store_audit.h"
#include "store/store_internal.h"

static bool store_party_has_country(const struct store_party_country_list *countries,
				    const struct country *country)
{
	for (size_t i = 0; i < countries->count; i++) {
		if (countries->items[i] == country)
			return true;
	}
	return false;
}

/* Mobile country codes that are not in the table are skipped. */
static void store_party_read_countries(struct store *store)
{
	sqlite3_stmt *statement = store_use(store, PARTY_COUNTRIES);
	struct store_party_country_list countries = { .known = true };
	int result;

	sqlite3_bind_int(statement, 1, STORE_COUNTRIES_MAX);
	while ((result = sqlite3_step(statement)) == SQLITE_ROW) {
		const struct country *country = country_of_mobile_code(
			(unsigned)sqlite3_column_int(statement, 0));

		if (country && !store_party_has_country(&countries, country))
			countries.items[countries.count++] = country;
	}
	if (!store_finish(store, statement, result))
		store->countries = countries;
}

const struct store_party_country_list *store_party_countries(struct store *store)
{
	if (!store->countries.known)
		store_party_read_countries(store);
	return &store->countries;
}

static const struct country *store_party_sim_country(struct store *store, int64_t sim_id)
{
	sqlite3_stmt *statement = store_use(store, PARTY_COUNTRY);
	int64_t mobile_code = 0; /* of no country */

	sqlite3_bind_int64(statement, 1, sim_id);
	store_read_integer(store, statement, &mobile_code);
	return country_of_mobile_code((unsigned)mobile_code);
}

static void store_party_add_spelling(struct store_party *party, const char *spelling)
{
	for (size_t i = 0; i < party->count; i++) {
		if (strcmp(party->spellings[i], spelling) == 0)
			return;
	}
	if (party->count < STORE_SPELLINGS_MAX)
		strcpy(party->spellings[party->count++], spelling);
}

static void store_party_add_form(struct store_party *party, const char *form,
				 const struct country *country)
{
	char spellings[NUMBER_SPELLINGS][NUMBER_FORM_BYTES];
	size_t count = number_spell(form, country, spellings);

	for (size_t i = 0; i < count; i++)
		store_party_add_spelling(party, spellings[i]);
}

/*
 * Adds the number as meant in one country, and its spellings in the country of each
 * card.
 */
static void store_party_add_number(struct store *store, const char *number,
				   const struct country *meant, struct store_party *party)
{
	const struct store_party_country_list *countries = store_party_countries(store);
	char form[NUMBER_FORM_BYTES];

	if (!number_form(number, meant, form))
		return;
	store_party_add_form(party, form, meant);
	for (size_t i = 0; *form == '+' && i < countries->count; i++)
		store_party_add_form(party, form, countries->items[i]);
}

static void store_party_spell_from(struct store *store, const struct country *home,
				   const char *number, struct store_party *party_out)
{
	party_out->count = 0;
	if (!number_is_number(number))
		return;
	if (strlen(number) < NUMBER_FORM_BYTES)
		store_party_add_spelling(party_out, number);
	store_party_add_number(store, number, home, party_out);
}

static const struct country *store_party_home(struct store *store, int64_t sim_id)
{
	return sim_id ? store_party_sim_country(store, sim_id) : NULL;
}

/* Without trying other countries: for callers that must not match a stranger. */
static void store_party_spell_at(struct store *store, int64_t sim_id, const char *number,
				 struct store_party *party_out)
{
	store_party_spell_from(store, store_party_home(store, sim_id), number, party_out);
}

void store_party_spell(struct store *store, int64_t sim_id, const char *number,
		       struct store_party *party_out)
{
	const struct store_party_country_list *countries = store_party_countries(store);
	const struct country *home = store_party_home(store, sim_id);

	store_party_spell_from(store, home, number, party_out);
	if (home || !party_out->count || *number == '+')
		return;
	for (size_t i = 0; i < countries->count; i++)
		store_party_add_number(store, number, countries->items[i], party_out);
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
	return number_form(number, store_party_sim_country(store, sim_id), form_out);
}

bool store_party_write(struct store *store, const char *number,
		       char form_out[NUMBER_FORM_BYTES])
{
	const struct store_party_country_list *countries = store_party_countries(store);

	return number_form(number, countries->count ? countries->items[0] : NULL,
			   form_out);
}

bool store_party_is(struct store *store, const struct store_party_address *one,
		    const struct store_party_address *other)
{
	char form[NUMBER_FORM_BYTES], other_form[NUMBER_FORM_BYTES];

	if (strcmp(one->number, other->number) == 0)
		return true;
	return store_party_form(store, one->sim_id, one->number, form) &&
	       store_party_form(store, other->sim_id, other->number, other_form) &&
	       strcmp(form, other_form) == 0;
}

/* Returns SQLITE_ROW if one spelling has a row, SQLITE_DONE if none has, or an error. */
static int store_party_query_each(struct store *store, enum store_sql_id which,
				  const struct store_party *party)
{
	int result = SQLITE_DONE;

	for (size_t i = 0; i < party->count && result == SQLITE_DONE; i++) {
		sqlite3_stmt *statement = store_use(store, which);

		store_bind_text(statement, 1, party->spellings[i]);
		result = sqlite3_step(statement);
		store_finish(store, statement, result);
	}
	return result;
}

bool store_party_was_sent_to(struct store *store, const struct store_party *party)
{
	return store_party_query_each(store, PARTY_SENT_TO, party) == SQLITE_ROW;
}

bool store_party_ever_wrote(struct store *store, const struct store_party *party)
{
	return store_party_query_each(store, PARTY_WROTE, party) != SQLITE_DONE;
}

/* Inserts in order; the oldest is dropped when there is no room. */
static int store_party_insert_recent(struct store_party_recent_query *recent,
				     const struct message *message)
{
	unsigned at = recent->count;
	struct message kept = *message;

	while (at > 0 && recent->messages[at - 1].id < message->id)
		at--;
	if (at == recent->limit)
		return 0;
	kept.text = arena_copy(recent->arena, message->text, strlen(message->text));
	kept.reason = arena_copy(recent->arena, message->reason, strlen(message->reason));
	kept.number = kept.uuid = kept.sent_time = "";
	kept.idempotency_key = "";
	if (!kept.text || !kept.reason)
		return -ENOMEM;
	if (recent->count < recent->limit)
		recent->count++;
	memmove(&recent->messages[at + 1], &recent->messages[at],
		(recent->count - 1 - at) * sizeof(kept));
	recent->messages[at] = kept;
	return 0;
}

static int store_party_read_recent(struct store *store, const char *spelling,
				   struct store_party_recent_query *recent)
{
	sqlite3_stmt *statement = store_use(store, PARTY_RECENT);
	struct message message;
	int result, error = 0;

	store_bind_text(statement, 1, spelling);
	store_bind_integers(statement, 2, recent->since_ms, recent->limit);
	while (!error && (result = sqlite3_step(statement)) == SQLITE_ROW) {
		store_read_message(statement, &message);
		error = store_party_insert_recent(recent, &message);
	}
	if (error) {
		store_finish(store, statement, SQLITE_DONE);
		return error;
	}
	return store_finish(store, statement, result);
}

int store_party_recent(struct store *store, const struct store_party *party,
		       struct store_party_recent_query *recent)
{
	int error = 0;

	recent->count = 0;
	for (size_t i = 0; !error && i < party->count; i++)
		error = store_party_read_recent(store, party->spellings[i], recent);
	return error;
}

int store_party_has_exchanged(struct store *store, int64_t sim_id, const char *number)
{
	int result = STORE_E_NOT_FOUND;
	struct store_party party;

	store_party_spell_at(store, sim_id, number, &party);
	for (size_t i = 0; i < party.count && result == STORE_E_NOT_FOUND; i++) {
		sqlite3_stmt *statement = store_use(store, NUMBER_EXCHANGED);

		store_bind_text(statement, 1, party.spellings[i]);
		result = store_find_row(store, statement);
	}
	return result;
}

/* Returns 1 if it is found, 0 if not, or -errno. */
static int store_party_read_opt_out(struct store *store, const char *form,
				    struct store_party_opt_out *found)
{
	sqlite3_stmt *statement = store_use(store, OPT_OUT_KNOWN);
	int result, error;

	store_bind_text(statement, 1, form);
	result = sqlite3_step(statement);
	if (result == SQLITE_ROW) {
		found->at_ms = sqlite3_column_int64(statement, 0);
		found->message_id = sqlite3_column_int64(statement, 1);
	}
	error = store_finish(store, statement, result);
	return error ? error : result == SQLITE_ROW;
}

/* Returns 1 if it is found in one of its spellings, 0 if not, or -errno. */
static int store_party_find_opt_out(struct store *store, int64_t sim_id,
				    const char *number, struct store_party_opt_out *found)
{
	struct store_party party;
	int kept = 0;

	store_party_spell(store, sim_id, number, &party);
	for (size_t i = 0; !kept && i < party.count; i++)
		kept = store_party_read_opt_out(store, party.spellings[i], found);
	return kept;
}

int store_party_has_opted_out(struct store *store, int64_t sim_id, const char *number)
{
	struct store_party_opt_out found;
	int kept = store_party_find_opt_out(store, sim_id, number, &found);

	if (kept < 0)
		return kept;
	return kept ? 0 : STORE_E_NOT_FOUND;
}

bool store_party_opted_out_since(struct store *store, const struct message *message)
{
	struct store_party_opt_out found = { 0 };

	if (store_party_find_opt_out(store, message->sim_id, message->number, &found) !=
	    1)
		return false;
	return found.message_id ? message->id < found.message_id
				: message->created_ms < found.at_ms;
}

bool store_party_confirm_opt_out(struct store *store, int64_t sim_id, const char *number)
{
	char form[NUMBER_FORM_BYTES];
	sqlite3_stmt *statement;

	if (!store_party_form(store, sim_id, number, form))
		return false;
	statement = store_use(store, OPT_OUT_CONFIRM);
	store_bind_text(statement, 1, form);
	return !store_run(store, statement) && sqlite3_changes(store->database);
}

static int store_party_set_opt_out(struct store *store,
				   const struct store_party_opt_out *opt_out)
{
	sqlite3_stmt *statement = store_use(store, OPT_OUT_SET);

	store_bind_text(statement, 1, opt_out->number);
	sqlite3_bind_int64(statement, 2, opt_out->at_ms);
	store_bind_text(statement, 3, opt_out->word);
	store_bind_integers(statement, 4, opt_out->message_id, opt_out->asks ? 2 : 0);
	return store_run(store, statement);
}

/* Clears it in any spelling, from any SIM. */
static int store_party_clear_opt_out(struct store *store, int64_t sim_id,
				     const char *number, int *changes_out)
{
	struct store_party party;
	int error = 0, changes = 0;

	store_party_spell(store, sim_id, number, &party);
	for (size_t i = 0; !error && i < party.count; i++) {
		sqlite3_stmt *statement = store_use(store, OPT_OUT_CLEAR);

		store_bind_text(statement, 1, party.spellings[i]);
		error = store_run(store, statement);
		changes += error ? 0 : sqlite3_changes(store->database);
	}
	*changes_out = changes;
	return error;
}

int store_party_record_opt(struct store *store, const struct store_incoming_draft *draft,
			   int64_t message_id)
{
	static const enum audit_event events[] = { [OPT_OUT] = AUDIT_OPTED_OUT,
						   [OPT_IN] = AUDIT_OPTED_IN,
						   [OPT_ASKS] = AUDIT_OPT_OUT_ASKED };
	char form[NUMBER_FORM_BYTES];
	const struct store_party_opt_out opt_out = { form, draft->opt_word,
						     draft->reported_ms, message_id,
						     draft->opt == OPT_ASKS };
	int error, changes = 0;

	if (draft->opt == OPT_NONE ||
	    !store_party_form(store, draft->sim_id, draft->number, form))
		return 0;
	if (draft->opt == OPT_IN) {
		error = store_party_clear_opt_out(store, draft->sim_id, draft->number,
						  &changes);
	} else {
		error = store_party_set_opt_out(store, &opt_out);
		changes = error ? 0 : sqlite3_changes(store->database);
	}
	if (error || !changes) /* a repeated STOP or START adds no audit line */
		return error;
	return store_audit_record(
		store, events[draft->opt],
		(struct audit_event_fact[]){ { "number", form }, { NULL } });
}

/* ---- the owner's list */

int store_party_list_opt_outs(struct store *store,
			      void (*visit)(void *data,
					    const struct store_party_opt_out *found),
			      void *data)
{
	sqlite3_stmt *statement = store_use(store, OPT_OUT_ALL);
	int result;

	while ((result = sqlite3_step(statement)) == SQLITE_ROW) {
		const struct store_party_opt_out found = {
			.number = store_column_text(statement, 0),
			.word = store_column_text(statement, 1),
			.at_ms = sqlite3_column_int64(statement, 2),
			.message_id = sqlite3_column_int64(statement, 3),
			.asks = sqlite3_column_int(statement, 4),
		};

		visit(data, &found);
	}
	return store_finish(store, statement, result);
}

/* Stores what the owner decided: the change and its audit line, or neither. */
static int store_party_decide(struct store *store, const char *number, const char *who,
			      bool out)
{
	char form[NUMBER_FORM_BYTES];
	const struct store_party_opt_out opt_out = { .number = form,
						     .word = "",
						     .at_ms = clock_wall_ms() };
	int error, changes = 0;

	if (!store_party_write(store, number, form))
		return -EINVAL;
	error = store_begin(store);
	if (error)
		return error;
	if (out)
		error = store_party_set_opt_out(store, &opt_out);
	else
		error = store_party_clear_opt_out(store, 0, number, &changes);
	if (!error && out)
		changes = sqlite3_changes(store->database);
	if (!error && !changes)
		error = STORE_E_NOT_FOUND;
	if (!error)
		error = store_audit_record(
			store, out ? AUDIT_OPTED_OUT : AUDIT_OPTED_IN,
			(struct audit_event_fact[]){
				{ "number", form }, { "by", who }, { NULL } });
	return store_end(store, error);
}

int store_party_add_opt_out(struct store *store, const char *number, const char *who)
{
	return store_party_decide(store, number, who, true);
}

int store_party_remove_opt_out(struct store *store, const char *number, const char *who)
{
	return store_party_decide(store, number, who, false);
}
