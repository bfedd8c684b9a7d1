/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * The table of rules, at the end, is the order. What costs least to tell and can least be
 * changed comes first; limits, which a try could use up, come last.
 */
#include <string.h>

#include "base/clock.h"
#include "base/word_list.h"
#include "config/config.h"
#include "policy/local_time.h"
#include "policy/policy_case.h"
#include "sms/loop.h"
#include "store/store_party.h"

static const struct config_policy *config_of(const struct policy_case *about)
{
	return &about->policy->parts.config->policy;
}

static struct arena *arena_of(const struct policy_case *about)
{
	return about->request->arena;
}

/* The words that fit what is asked for. */
static const char *say(const struct policy_case *about, const char *of_message,
		       const char *of_call)
{
	return policy_is_call(about) ? of_call : of_message;
}

static int check_paused(struct policy_case *about)
{
	if (!about->policy->paused)
		return 0;
	return policy_refuse(about, FAILURE_PAUSED,
			     say(about,
				 "The owner has paused the gateway: nothing is sent.",
				 "The owner has paused the gateway: nobody is called."));
}

static int check_scope(struct policy_case *about)
{
	unsigned scope = policy_is_call(about) ? CLIENT_CALL : CLIENT_SEND;

	if (about->request->client->scopes & scope)
		return 0;
	return policy_refuse(about, FAILURE_SCOPE,
			     say(about, "The owner does not let this client send.",
				 "The owner does not let this client call."));
}

static int check_sim(struct policy_case *about)
{
	int64_t sim_id = about->request->sim_id;

	if (policy_allows_sim(about->request->client, sim_id))
		return 0;
	return policy_refuse(
		about, FAILURE_SUBSCRIPTION_NOT_ALLOWED,
		arena_printf(arena_of(about),
			     "The owner does not let this client use the SIM "
			     "with subscription_id %lld.",
			     (long long)sim_id));
}

static int check_number(struct policy_case *about)
{
	enum phone_number_problem problem = about->recipient.problem;

	const char *text = phone_number_problem_text(problem);
	char suggestion[NUMBER_FORM_BYTES];

	if (problem == PHONE_NUMBER_OK)
		return 0;
	if (!number_suggest(about->request->number, about->recipient.home, suggestion))
		return policy_refuse(
			about, FAILURE_INVALID_NUMBER,
			arena_printf(arena_of(about), "to_phone_number %s.", text));
	return policy_refuse(about, FAILURE_INVALID_NUMBER,
			     arena_printf(arena_of(about),
					  "to_phone_number %s: write %s.", text,
					  suggestion));
}

/* Of the country that it is in, which need not be the card's. */
static bool is_emergency_there(const struct policy_case *about, const char *mobile_code)
{
	const struct country *country = country_of_mobile_digits(mobile_code);
	struct recipient recipient;

	if (!country || country == about->recipient.home)
		return false;
	recipient_read(&recipient, about->request->number, country);
	return recipient_is_emergency(&recipient, "");
}

static bool is_emergency(const struct policy_case *about)
{
	const struct modem_list *modems = ofono_modems(about->policy->parts.ofono);
	const struct modem *modem;

	TAILQ_FOREACH (modem, modems, link) {
		if (recipient_is_emergency(&about->recipient, modem->emergency_numbers) ||
		    is_emergency_there(about, modem->network.mobile_country_code))
			return true;
	}
	return recipient_is_emergency(&about->recipient, "");
}

static int check_emergency(struct policy_case *about)
{
	if (!is_emergency(about) &&
	    !(policy_is_call(about) && recipient_begins_as_emergency(&about->recipient)))
		return 0;
	return policy_refuse(
		about, FAILURE_EMERGENCY_NUMBER,
		arena_printf(arena_of(about),
			     "%s reaches an emergency service, and those are "
			     "never %s.",
			     about->recipient.number,
			     say(about, "written to", "called from here")));
}

static bool is_in_list(const struct policy_case *about, const struct config_list *list,
		       bool (*is_in)(const struct recipient *recipient,
				     const char *words))
{
	for (size_t i = 0; i < list->count; i++) {
		if (is_in(&about->recipient, list->items[i]))
			return true;
	}
	return false;
}

/* A prefix allows no number of which the owner may not have thought. */
static bool is_named(const struct policy_case *about)
{
	return recipient_is_named_in(&about->recipient, about->request->client->allow) ||
	       is_in_list(about, &config_of(about)->allow, recipient_is_named_in);
}

/* What would be sent otherwise is what the network makes of it, not what was judged here. */
static int check_spelling(struct policy_case *about)
{
	const struct recipient *recipient = &about->recipient;
	char suggestion[NUMBER_FORM_BYTES];
	const char *where, *instead;

	if (recipient_is_well_spelt(recipient, suggestion))
		return 0;
	where = recipient->home
			? arena_printf(arena_of(about),
				       "is not dialled so in the SIM's country (%s)",
				       recipient->home->code)
			: "has no country code, and the SIM's country is not known";
	instead = *suggestion ? arena_printf(arena_of(about), "write %s", suggestion)
			      : "write + and its country code";
	if (!where || !instead)
		return policy_refuse(about, FAILURE_INVALID_NUMBER, NULL);
	return policy_refuse(about, FAILURE_INVALID_NUMBER,
			     arena_printf(arena_of(about), "to_phone_number %s %s: %s.",
					  recipient->number, where, instead));
}

static int check_premium(struct policy_case *about)
{
	const struct recipient *recipient = &about->recipient;

	if (config_of(about)->premium || !recipient_is_premium(recipient) ||
	    is_named(about))
		return 0;
	return policy_refuse(about, FAILURE_PREMIUM_NUMBER,
			     arena_printf(arena_of(about),
					  "%s is %s, which may cost extra, and the owner "
					  "has not allowed it.",
					  recipient->number,
					  recipient_premium_kind(recipient)));
}

/*
 * Named besides home, as "+43", which also stands for numbers written 0043. What is of no
 * country is not of any, so it is named by its prefix.
 */
static bool is_country_named(const struct policy_case *about,
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

static const char *why_not_at_home(const struct recipient *recipient)
{
	if (recipient_has_no_country(recipient))
		return "a number of no country (a satellite phone, or a service that "
		       "costs more than any country), and the owner has not allowed its "
		       "prefix";
	if (recipient->home)
		return "a number of another country than the SIM's, and the owner has "
		       "not allowed that";
	return "an international number, and it is not known of which country the SIM is";
}

static int check_country(struct policy_case *about)
{
	const struct recipient *recipient = &about->recipient;

	if (is_country_named(about, &config_of(about)->countries) ||
	    recipient_is_at_home(recipient))
		return 0;
	return policy_refuse(about, FAILURE_INTERNATIONAL,
			     arena_printf(arena_of(about), "%s is %s.", recipient->number,
					  why_not_at_home(recipient)));
}

static int check_allowed(struct policy_case *about)
{
	const struct config_list *allow = &config_of(about)->allow;
	const char *own = about->request->client->allow;

	if (allow->count && !is_in_list(about, allow, recipient_is_in))
		return policy_refuse(
			about, FAILURE_RECIPIENT_NOT_ALLOWED,
			arena_printf(arena_of(about),
				     "%s is not among the numbers that the owner lets be "
				     "%s.",
				     about->recipient.number,
				     say(about, "written to", "called")));
	if (*own && !recipient_is_in(&about->recipient, own))
		return policy_refuse(
			about, FAILURE_RECIPIENT_NOT_ALLOWED,
			arena_printf(arena_of(about),
				     "%s is not among the numbers that the owner lets "
				     "this client %s.",
				     about->recipient.number,
				     say(about, "write to", "call")));
	return 0;
}

/* However the owner dials it: as in the country of any SIM there was. */
static bool is_denied(const struct policy_case *about)
{
	const struct store_party_country_list *countries =
		store_party_countries(about->policy->parts.store);
	const struct config_list *deny = &config_of(about)->deny;

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

static int check_denied(struct policy_case *about)
{
	if (!is_denied(about))
		return 0;
	return policy_refuse(about, FAILURE_RECIPIENT_NOT_ALLOWED,
			     arena_printf(arena_of(about),
					  "%s is among the numbers that the owner lets "
					  "nobody %s.",
					  about->recipient.number,
					  say(about, "write to", "call")));
}

static int check_opted_out(struct policy_case *about)
{
	int error = store_party_has_opted_out(about->policy->parts.store,
					      about->request->sim_id,
					      recipient_form(&about->recipient));

	if (error == STORE_E_NOT_FOUND)
		return 0;
	if (error)
		return policy_refuse_unread(about,
					    "Who wants no messages could not be read, so "
					    "nothing is sent.");
	return policy_refuse(about, FAILURE_RECIPIENT_OPTED_OUT,
			     arena_printf(arena_of(about),
					  "From %s came STOP: whoever has that number "
					  "wants no messages.",
					  about->recipient.number));
}

static int check_quiet_hours(struct policy_case *about)
{
	const char *hours = config_of(about)->quiet_hours;
	int64_t end_ms = local_time_hours_end(hours, about->at_ms);
	char end[CLOCK_TEXT_BYTES];

	if (!end_ms)
		return 0;
	clock_format(end_ms, end);
	policy_refuse(
		about,
		policy_is_call(about) ? FAILURE_QUIET_FOR_CALLS : FAILURE_QUIET_HOURS,
		arena_printf(arena_of(about),
			     "%s in the owner's quiet hours (%s by the phone's local "
			     "time), which end at %s.",
			     about->at_ms > about->now_ms ? "send_at is" : "It is", hours,
			     end));
	policy_retry_at(about, end_ms);
	return POLICY_E_REFUSED;
}

static int check_loop(struct policy_case *about)
{
	const struct policy_parts *parts = &about->policy->parts;
	const struct loop_question question = {
		.config = parts->config,
		.store = parts->store,
		.end = { about->request->sim_id, recipient_form(&about->recipient) },
		.now_ms = about->now_ms,
	};
	int64_t until_ms;

	if (!loop_suspected(&question, &until_ms))
		return 0;
	policy_refuse(about, FAILURE_LOOP,
		      arena_printf(arena_of(about),
				   "So many messages went to and fro with %s in so short "
				   "a time that two machines seem to answer each other.",
				   about->recipient.number));
	policy_retry_at(about, until_ms);
	return POLICY_E_REFUSED;
}

static int check_queue(struct policy_case *about)
{
	const struct outbox *outbox = about->policy->parts.outbox;
	int64_t client_id = about->request->client->id;

	if (outbox_has_room(outbox, client_id))
		return 0;
	return policy_refuse(
		about, FAILURE_QUEUE_FULL,
		arena_printf(arena_of(about),
			     "%lld messages of this client are waiting to be sent or "
			     "approved, which is its share of the queue.",
			     (long long)outbox_client_limit(outbox, client_id)));
}

#define BOTH (POLICY_MESSAGE | POLICY_CALL)

const struct policy_rule policy_rules[] = {
	{ 0, BOTH, check_paused },
	{ 0, BOTH, check_scope },
	{ NEEDS_SIM, BOTH, check_sim },
	{ NEEDS_WRITTEN, BOTH, check_number },
	{ NEEDS_NUMBER, BOTH, check_emergency },
	{ NEEDS_NUMBER | NEEDS_SIM, BOTH, check_spelling },
	{ NEEDS_NUMBER, BOTH, check_premium },
	{ NEEDS_NUMBER | NEEDS_SIM, BOTH, check_country },
	{ NEEDS_NUMBER, BOTH, check_allowed },
	{ NEEDS_NUMBER, BOTH, check_denied },
	{ NEEDS_NUMBER, BOTH, check_opted_out },
	{ 0, BOTH, check_quiet_hours },
	{ NEEDS_NUMBER | NEEDS_TEXT, POLICY_MESSAGE, policy_check_repeat },
	{ NEEDS_NUMBER, POLICY_MESSAGE, check_loop },
	{ NEEDS_TEXT, POLICY_MESSAGE, policy_check_length },
	{ 0, POLICY_CALL, policy_check_calls },
	{ 0, BOTH, policy_check_rates },
	{ 0, BOTH, policy_check_budgets },
	{ NEEDS_SIM, BOTH, policy_check_balance },
	{ 0, POLICY_MESSAGE, check_queue },
	{ 0 },
};
