/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * The rules. The table at the end is the order of checking: what is cheapest to check and
 * least likely to change comes first; limits, which the request would use up, come last.
 *
 * A request that repeats an earlier one sends nothing new. With an idempotency key (of the
 * client, or of the question its user was asked) the first message is the one that has this
 * client's key, whenever that was. Without a key it is the first one with the same number,
 * text and send_at within sms.duplicate_seconds that did not fail: a client that lost its
 * connection and asks again must not send twice, and one that got a failure must be able to
 * try again. The spelling of a number makes no difference.
 */
#include <string.h>

#include "base/clock.h"
#include "base/word_list.h"
#include "config/config.h"
#include "policy/local_time.h"
#include "policy/policy_private.h"
#include "text/replacement.h"
#include "sms/reply_loop.h"
#include "text/segments.h"
#include "store/store_edit.h"
#include "store/store_party.h"
#include "store/store_usage.h"

enum { MS_PER_SECOND = 1000 };

static const struct config_policy *policy_rules_config(const struct policy_case *about)
{
	return &about->parts->config->policy;
}

static struct arena *policy_rules_arena(const struct policy_case *about)
{
	return about->request->arena;
}

static const char *policy_rules_choose(const struct policy_case *about,
				       const char *for_message, const char *for_call)
{
	return policy_case_is_call(about) ? for_call : for_message;
}

/* ---- the client ---------------------------------------------------------------------- */

static int policy_rules_check_paused(struct policy_case *about)
{
	if (!policy_is_paused(about->policy))
		return 0;
	return policy_case_refuse(about, FAILURE_PAUSED,
				  "The owner has paused the gateway.");
}

static int policy_rules_check_scope(struct policy_case *about)
{
	unsigned scope = policy_case_is_call(about) ? CLIENT_CALL : CLIENT_SEND;

	if (about->request->client->scopes & scope)
		return 0;
	return policy_case_refuse(
		about, FAILURE_SCOPE,
		policy_rules_choose(about, "The owner does not let this client send.",
				    "The owner does not let this client call."));
}

/* ---- the number ---------------------------------------------------------------------- */

static int policy_rules_check_number(struct policy_case *about)
{
	enum phone_number_problem problem = about->recipient.problem;
	const char *text = phone_number_problem_text(problem);
	char suggestion[NUMBER_FORM_BYTES];

	if (problem == PHONE_NUMBER_OK)
		return 0;
	if (!number_suggest(about->request->number, about->recipient.home, suggestion))
		return policy_case_refuse(about, FAILURE_INVALID_NUMBER,
					  arena_printf(policy_rules_arena(about),
						       "to_phone_number %s.", text));
	return policy_case_refuse(about, FAILURE_INVALID_NUMBER,
				  arena_printf(policy_rules_arena(about),
					       "to_phone_number %s: write %s.", text,
					       suggestion));
}

/* Is it one in the country where the modem is registered, if that is not the SIM's? */
static bool policy_rules_is_emergency_abroad(const struct policy_case *about,
					     const char *mobile_code)
{
	const struct country *country = country_of_mobile_digits(mobile_code);
	struct recipient recipient;

	if (!country || country == about->recipient.home)
		return false;
	recipient_read(&recipient, about->request->number, country);
	return recipient_is_emergency(&recipient, "");
}

bool policy_rules_is_emergency(const struct policy_case *about)
{
	const struct modem_list *modems = ofono_modems(about->parts->ofono);
	const struct modem *modem;

	TAILQ_FOREACH (modem, modems, link) {
		if (recipient_is_emergency(&about->recipient, modem->emergency_numbers) ||
		    policy_rules_is_emergency_abroad(about,
						     modem->network.mobile_country_code))
			return true;
	}
	return recipient_is_emergency(&about->recipient, "");
}

static int policy_rules_check_emergency(struct policy_case *about)
{
	if (!policy_rules_is_emergency(about) &&
	    !(policy_case_is_call(about) &&
	      recipient_begins_as_emergency(&about->recipient)))
		return 0;
	return policy_case_refuse(
		about, FAILURE_EMERGENCY_NUMBER,
		arena_printf(
			policy_rules_arena(about),
			"%s reaches an emergency service; the gateway never %s those.",
			about->recipient.number,
			policy_rules_choose(about, "texts", "calls")));
}

/* Otherwise the network would decide what is dialled, and not the number checked here. */
static int policy_rules_check_spelling(struct policy_case *about)
{
	const struct recipient *recipient = &about->recipient;
	struct arena *arena = policy_rules_arena(about);
	char suggestion[NUMBER_FORM_BYTES];
	const char *where, *instead;

	if (recipient_is_well_spelt(recipient, suggestion))
		return 0;
	if (policy_sim_check_unlocked(about))
		return POLICY_E_REFUSED;
	where = recipient->home
			? arena_printf(
				  arena,
				  "is not dialled like this in the SIM's country (%s)",
				  recipient->home->code)
			: "has no country code, and the SIM's country is not known";
	instead = *suggestion ? arena_printf(arena, "write %s", suggestion)
			      : "write + and its country code";
	if (!where || !instead)
		return policy_case_refuse(about, FAILURE_INVALID_NUMBER, NULL);
	return policy_case_refuse(about, FAILURE_INVALID_NUMBER,
				  arena_printf(arena, "to_phone_number %s %s: %s.",
					       recipient->number, where, instead));
}

static bool policy_rules_is_in_list(const struct policy_case *about,
				    const struct config_list *list,
				    bool (*is_in)(const struct recipient *recipient,
						  const char *words))
{
	for (size_t i = 0; i < list->count; i++) {
		if (is_in(&about->recipient, list->items[i]))
			return true;
	}
	return false;
}

static int policy_rules_check_premium(struct policy_case *about)
{
	const struct recipient *recipient = &about->recipient;

	if (policy_rules_config(about)->premium || !recipient_is_premium(recipient))
		return 0;
	/* A prefix does not count: the owner may not have thought of this number. */
	if (recipient_is_named_in(recipient, about->request->client->allow) ||
	    policy_rules_is_in_list(about, &policy_rules_config(about)->allow,
				    recipient_is_named_in))
		return 0;
	return policy_case_refuse(
		about, FAILURE_PREMIUM_NUMBER,
		arena_printf(policy_rules_arena(about),
			     "%s is %s, which may cost extra, and the owner "
			     "has not allowed it.",
			     recipient->number, recipient_premium_kind(recipient)));
}

/*
 * Is the number's country in the list, as "+43" (which also covers 0043), or "any"? Numbers of
 * no country are not in "any": they must be named by their prefix.
 */
static bool policy_rules_is_country_named(const struct policy_case *about,
					  const struct config_list *countries)
{
	for (size_t i = 0; i < countries->count; i++) {
		const char *at = countries->items[i];
		char word[CONFIG_POLICY_NUMBER_BYTES];

		while (word_list_next(&at, word, sizeof(word))) {
			if (strcmp(word, "any") == 0 &&
			    !recipient_has_no_country(&about->recipient))
				return true;
			if (*word == '+' &&
			    recipient_begins_with(&about->recipient, word + 1))
				return true;
		}
	}
	return false;
}

static int policy_rules_check_country(struct policy_case *about)
{
	const struct recipient *recipient = &about->recipient;
	const char *why = "an international number, and the SIM's country is not known";

	if (policy_rules_is_country_named(about,
					  &policy_rules_config(about)->countries) ||
	    recipient_is_at_home(recipient))
		return 0;
	if (!recipient_has_no_country(recipient) && policy_sim_check_unlocked(about))
		return POLICY_E_REFUSED;
	if (recipient_has_no_country(recipient))
		why = "a number of no country (a satellite phone, or "
		      "a service that costs more than any country), "
		      "and the owner has not allowed its prefix";
	else if (recipient->home)
		why = "a number of another country than the SIM's, and the owner has not allowed that";
	return policy_case_refuse(about, FAILURE_INTERNATIONAL,
				  arena_printf(policy_rules_arena(about), "%s is %s.",
					       recipient->number, why));
}

static int policy_rules_check_allowed(struct policy_case *about)
{
	const struct config_list *allow = &policy_rules_config(about)->allow;
	const char *own = about->request->client->allow, *whose = NULL;

	if (allow->count && !policy_rules_is_in_list(about, allow, recipient_is_in))
		whose = "the owner's allow list";
	else if (*own && !recipient_is_in(&about->recipient, own))
		whose = "this client's allow list";
	if (!whose)
		return 0;
	return policy_case_refuse(about, FAILURE_RECIPIENT_NOT_ALLOWED,
				  arena_printf(policy_rules_arena(about),
					       "%s is not on %s.",
					       about->recipient.number, whose));
}

/* The owner may have written the number as dialled in the country of any known SIM. */
static bool policy_rules_is_denied(const struct policy_case *about)
{
	const struct store_party_country_list *countries =
		store_party_countries(about->parts->store);
	const struct config_list *deny = &policy_rules_config(about)->deny;

	for (size_t i = 0; i < deny->count; i++) {
		if (recipient_is_in(&about->recipient, deny->items[i]))
			return true;
		for (size_t at = 0; at < countries->count; at++) {
			if (recipient_is_in_as_dialled_in(&about->recipient,
							  deny->items[i],
							  countries->items[at]))
				return true;
		}
	}
	return false;
}

static int policy_rules_check_denied(struct policy_case *about)
{
	if (!policy_rules_is_denied(about))
		return 0;
	return policy_case_refuse(about, FAILURE_RECIPIENT_NOT_ALLOWED,
				  arena_printf(policy_rules_arena(about),
					       "%s is on the owner's deny list.",
					       about->recipient.number));
}

static int policy_rules_check_opted_out(struct policy_case *about)
{
	int error = store_party_has_opted_out(about->parts->store, about->request->sim_id,
					      recipient_form(&about->recipient));

	if (error == STORE_E_NOT_FOUND)
		return 0;
	if (error)
		return policy_case_refuse_unread(about,
						 "The opt-outs could not be read.");
	return policy_case_refuse(
		about, FAILURE_RECIPIENT_OPTED_OUT,
		arena_printf(policy_rules_arena(about),
			     "%s has opted out (texted STOP) and wants no messages.",
			     about->recipient.number));
}

/* ---- the time ------------------------------------------------------------------------ */

static int policy_rules_check_quiet_hours(struct policy_case *about)
{
	const char *hours = policy_rules_config(about)->quiet_hours;
	int64_t end_ms = local_time_hours_end(hours, about->at_ms);
	char end[CLOCK_TEXT_BYTES];

	if (!end_ms)
		return 0;
	clock_format(clock_ceil_ms(end_ms), end);
	policy_case_refuse(
		about,
		policy_case_is_call(about) ? FAILURE_QUIET_FOR_CALLS
					   : FAILURE_QUIET_HOURS,
		arena_printf(policy_rules_arena(about),
			     "%s in the owner's quiet hours (%s by the phone's local "
			     "time), which end at %s.",
			     about->at_ms > about->now_ms ? "send_at is" : "It is", hours,
			     end));
	policy_case_set_retry(about, end_ms);
	return POLICY_E_REFUSED;
}

/* ---- the message --------------------------------------------------------------------- */

static bool policy_rules_is_to_another(const struct policy_case *about,
				       const struct message *message)
{
	const struct store_party_address one = { message->sim_id, message->number };
	const struct store_party_address other = { about->request->sim_id,
						   recipient_form(&about->recipient) };

	return !store_party_is(about->parts->store, &one, &other);
}

/* send_at may be in the past by now; it was not when the first request came. */
static int policy_rules_find_same(const struct policy_case *about,
				  struct message *message_out)
{
	const struct policy_request *request = about->request;
	const struct store_message_draft draft = {
		.client_id = request->client->id,
		.sim_id = request->sim_id,
		.number = recipient_form(&about->recipient),
		.text = request->text,
		.send_at_ms =
			request->is_spread ? request->wished_ms : request->send_at_ms,
		.may_be_later = request->is_spread,
	};
	int64_t seconds = about->parts->config->duplicate_seconds;

	if (seconds == 0)
		return STORE_E_NOT_FOUND;
	return store_message_find_same(about->parts->store, &draft,
				       seconds * MS_PER_SECOND, request->arena,
				       message_out);
}

static bool policy_rules_is_of_request(const struct policy_case *about,
				       const struct message *message)
{
	return !policy_rules_is_to_another(about, message) &&
	       strcmp(message->text, about->request->text) == 0;
}

/* An edited message is also meant by the request that the key was used for first. */
static bool policy_rules_is_of_key(const struct policy_case *about,
				   const struct message *message)
{
	struct message first = *message;

	return policy_rules_is_of_request(about, message) ||
	       (!store_edit_first(about->parts->store, message->id,
				  policy_rules_arena(about), &first) &&
		policy_rules_is_of_request(about, &first));
}

/*
 * Was the caller's key used with other recipients? A call to one recipient has the key itself,
 * a call to several a key for each that begins with it.
 */
static int policy_rules_find_other_list(const struct policy_case *about,
					struct message *message_out)
{
	const struct policy_request *request = about->request;
	const struct store_message_list_key list = {
		.client_id = request->client->id,
		.key = request->list_key ? request->list_key : request->idempotency_key,
		.prefix = request->list_prefix,
		.text = request->text,
	};
	struct store *store = about->parts->store;
	int error = STORE_E_NOT_FOUND;

	if (request->list_key)
		error = store_message_by_key(store, list.client_id, list.key,
					     request->arena, message_out);
	return error == STORE_E_NOT_FOUND
		       ? store_message_by_list_key(store, &list, request->arena,
						   message_out)
		       : error;
}

/* Was the key closed (cancel_sms) before a message had it? */
static int policy_rules_check_closed(struct policy_case *about)
{
	const struct policy_request *request = about->request;
	int error;

	error = store_usage_find_closed_key(about->parts->store, request->client->id,
					    request->list_key ? request->list_key
							      : request->idempotency_key);
	if (error == STORE_E_NOT_FOUND)
		return 0;
	if (error)
		return policy_case_refuse_unread(about,
						 "The closed keys could not be read.");
	return policy_case_refuse(
		about, FAILURE_KEY_CLOSED,
		"This idempotency_key is closed: nothing is sent with it.");
}

static int policy_rules_check_list(struct policy_case *about)
{
	int error;

	if (!about->request->idempotency_key)
		return 0;
	error = policy_rules_check_closed(about);
	if (error)
		return error;
	error = policy_rules_find_other_list(about, &about->first);
	if (error == STORE_E_NOT_FOUND)
		return 0;
	if (error)
		return policy_case_refuse_unread(about,
						 "The messages could not be read.");
	return policy_case_refuse(
		about, FAILURE_KEY_TAKEN,
		arena_printf(
			about->request->arena,
			"This idempotency_key belongs to message %lld of a call with "
			"other recipients or another text.",
			(long long)about->first.id));
}

static int policy_rules_check_repeat(struct policy_case *about)
{
	const struct policy_request *request = about->request;
	const char *key = request->idempotency_key;
	struct message *first = &about->first;
	int error = STORE_E_NOT_FOUND;
	bool has_key;

	if (request->edits_message_id)
		return 0;
	if (key)
		error = store_message_by_key(about->parts->store, request->client->id,
					     key, request->arena, first);
	has_key = key && !error;
	if (error == STORE_E_NOT_FOUND && (!key || request->key_is_ours))
		error = policy_rules_find_same(about, first);
	if (error == STORE_E_NOT_FOUND)
		return 0;
	if (error)
		return policy_case_refuse_unread(about,
						 "The messages could not be read.");
	if (has_key && !policy_rules_is_of_key(about, first))
		return policy_case_refuse(
			about, FAILURE_KEY_TAKEN,
			arena_printf(request->arena,
				     "This idempotency_key belongs to message %lld, "
				     "which has another %s.",
				     (long long)first->id,
				     policy_rules_is_to_another(about, first) ? "number"
									      : "text"));
	about->repeat = has_key ? POLICY_REPEAT_KEY : POLICY_REPEAT_SAME;
	return POLICY_E_REPEAT;
}

static int policy_rules_check_loop(struct policy_case *about)
{
	const struct reply_loop_question question = {
		.config = about->parts->config,
		.store = about->parts->store,
		.end = { about->request->sim_id, recipient_form(&about->recipient) },
		.now_ms = about->now_ms,
	};
	struct arena *arena = policy_rules_arena(about);
	char until[CLOCK_TEXT_BYTES];
	struct reply_loop loop;
	const char *lifts;

	if (about->request->client->id == CLIENT_OWNER ||
	    !reply_loop_suspected(&question, &loop))
		return 0;
	clock_format(clock_ceil_ms(loop.until_ms), until);
	if (loop.waiting_id == about->request->edits_message_id)
		loop.waiting_id = 0; /* it goes on waiting, changed */
	if (!loop.waiting_id && !loop.rejected_id)
		return policy_case_ask_owner(
			about, FAILURE_LOOP,
			arena_printf(arena,
				     "%s and this phone seem to be two machines that "
				     "answer each other. The owner's approval lifts "
				     "that, and so does time: it ends at %s if nothing "
				     "is exchanged until then.",
				     about->recipient.number, until));
	if (loop.waiting_id)
		lifts = arena_printf(arena,
				     "the owner approves message %lld, which waits for "
				     "that (" PROGRAM_NAME " approve %lld), or",
				     (long long)loop.waiting_id,
				     (long long)loop.waiting_id);
	else
		lifts = arena_printf(
			arena,
			"the owner, who rejected message %lld, writes to that number, or",
			(long long)loop.rejected_id);
	policy_case_refuse(about, FAILURE_LOOP,
			   arena_printf(arena,
					"%s and this phone seem to be two machines "
					"that answer each other. What lifts this: "
					"%s nothing is exchanged until %s.",
					about->recipient.number, lifts ? lifts : "",
					until));
	policy_case_set_retry(about, loop.until_ms);
	return POLICY_E_REFUSED;
}

/*
 * Upstream oFono refuses these for certain; forks send them. While it is unknown which of them
 * runs, oFono itself decides, and what it refuses uses up no limit.
 */
static int policy_rules_check_characters(struct policy_case *about)
{
	struct arena *arena = policy_rules_arena(about);
	struct replacement_advice advice;
	struct segments segments;

	segments_measure(about->request->text, &segments);
	if (!segments.unsendable ||
	    ofono_line(about->parts->ofono) != OFONO_LINE_UPSTREAM)
		return 0;
	advice = replacement_advise(arena, about->request->text);
	policy_case_refuse(
		about, FAILURE_INVALID_TEXT,
		advice.characters
			? arena_printf(arena, "The oFono of this phone cannot send %s.",
				       advice.characters)
			: NULL);
	about->refusal.fix = advice.fix;
	return POLICY_E_REFUSED;
}

/* Returns the characters that fit into as many segments. */
static int64_t policy_rules_units_in(enum segments_encoding encoding, int64_t segments)
{
	if (segments == 1)
		return encoding == SEGMENTS_GSM7 ? 160 : 70;
	return segments * (encoding == SEGMENTS_GSM7 ? 153 : 67);
}

static int policy_rules_check_length(struct policy_case *about)
{
	int64_t max = about->parts->config->max_segments;
	struct arena *arena = policy_rules_arena(about);
	struct segments segments;
	const char *cause = "";

	if (about->request->segments <= max)
		return 0;
	segments_measure(about->request->text, &segments);
	if (segments.culprit)
		cause = arena_printf(
			arena,
			" The character %s is not in the GSM alphabet; without such "
			"characters more than twice as much fits.",
			segments_name_character(arena, about->request->text,
						segments.culprit));
	return policy_case_refuse(
		about, FAILURE_TEXT_TOO_LONG,
		arena_printf(
			arena,
			"The text needs %u segments, and the owner allows %lld for one "
			"message: it has %u units in %s, and %lld fit.%s",
			segments.count, (long long)max, segments.units,
			segments_encoding_name(segments.encoding),
			(long long)policy_rules_units_in(segments.encoding, max),
			cause ? cause : ""));
}

static int policy_rules_check_queue(struct policy_case *about)
{
	const struct outbox *outbox = about->parts->outbox;
	const struct limit_plan *plan = about->request->plan;
	int64_t client_id = about->request->client->id;

	if (about->request->edits_message_id ||
	    outbox_has_room(outbox, client_id, 1 + (plan ? plan->count : 0)))
		return 0;
	return policy_case_refuse(
		about, FAILURE_QUEUE_FULL,
		arena_printf(policy_rules_arena(about),
			     "%lld messages of this client are waiting to be sent or "
			     "approved; no more may wait at a time.",
			     (long long)outbox_client_limit(outbox, client_id)));
}

#define BOTH	 (POLICY_MESSAGE | POLICY_CALL)
#define WRITTEN	 POLICY_NEEDS_WRITTEN
#define NUMBER	 POLICY_NEEDS_NUMBER
#define NUM_SIM	 (POLICY_NEEDS_NUMBER | POLICY_NEEDS_SIM)
#define NUM_TEXT (POLICY_NEEDS_NUMBER | POLICY_NEEDS_TEXT)

static int policy_rules_check_codes(struct policy_case *about)
{
	enum failure failure = FAILURE_RECEIVED_CODE;
	const char *message = policy_codes_check(about, &failure);

	return message ? policy_case_ask_owner(about, failure, message) : 0;
}

const struct policy_rule policy_rules[] = {
	{ 0, BOTH, policy_rules_check_paused },
	{ 0, BOTH, policy_rules_check_scope },
	{ POLICY_NEEDS_SIM, BOTH, policy_sim_check_allowed },
	{ WRITTEN, BOTH, policy_rules_check_number },
	{ NUMBER, BOTH, policy_rules_check_emergency },
	{ NUM_SIM, BOTH, policy_rules_check_spelling },
	{ NUMBER, BOTH, policy_rules_check_premium },
	{ NUM_SIM, BOTH, policy_rules_check_country },
	{ NUMBER, BOTH, policy_rules_check_allowed },
	{ NUMBER, BOTH, policy_rules_check_denied },
	{ NUMBER, BOTH, policy_rules_check_opted_out },
	{ 0, BOTH, policy_rules_check_quiet_hours },
	{ POLICY_NEEDS_TEXT, POLICY_MESSAGE, policy_rules_check_list },
	{ NUM_TEXT, POLICY_MESSAGE, policy_rules_check_repeat },
	{ POLICY_NEEDS_TEXT, POLICY_MESSAGE, policy_rules_check_codes },
	{ NUMBER, POLICY_MESSAGE, policy_rules_check_loop },
	{ POLICY_NEEDS_TEXT, POLICY_MESSAGE, policy_rules_check_length },
	{ POLICY_NEEDS_TEXT, POLICY_MESSAGE, policy_rules_check_characters },
	{ 0, POLICY_CALL, policy_limits_check_calls },
	{ 0, BOTH, policy_limits_check_rates },
	{ 0, BOTH, policy_limits_check_budgets },
	{ POLICY_NEEDS_SIM, BOTH, policy_limits_check_balance },
	{ 0, POLICY_MESSAGE, policy_rules_check_queue },
	{ 0 },
};
