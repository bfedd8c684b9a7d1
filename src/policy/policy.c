/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "policy/policy.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>

#include "base/before_sleep.h"
#include "base/clock.h"
#include "base/log.h"
#include "base/word_list.h"
#include "config/config.h"
#include "policy/policy_case.h"
#include "store/store.h"
#include "store/store_setting.h"
#include "store/store_usage.h"

enum { MOBILE_CODE_DIGITS = 3, MS_PER_SECOND = 1000 };

bool policy_allows_sim(const struct client *client, int64_t sim_id)
{
	const char *at = client->sims;
	char word[24];

	if (!*at)
		return true;
	while (word_list_next(&at, word, sizeof(word))) {
		if (strtoll(word, NULL, 10) == sim_id)
			return true;
	}
	return false;
}

/* Also of a card that is not there now: a message may be scheduled from it. */
static const struct country *home_of(const struct policy *policy, int64_t sim_id)
{
	const struct sim *sim = sim_id ? sims_find(policy->parts.sims, sim_id) : NULL;
	char identity[STORE_IMSI_BYTES] = "";

	if (sim && *sim->modem->sim.mobile_country_code)
		return country_of_mobile_digits(sim->modem->sim.mobile_country_code);
	if (sim_id)
		store_sim_imsi(policy->parts.store, sim_id, identity);
	if (strlen(identity) < MOBILE_CODE_DIGITS)
		return NULL;
	identity[MOBILE_CODE_DIGITS] = '\0';
	return country_of_mobile_digits(identity);
}

void policy_normalise_number(const struct policy *policy, int64_t sim_id,
			     char number[PHONE_NUMBER_BYTES])
{
	char tidy[NUMBER_FORM_BYTES];

	if (number_tidy(number, home_of(policy, sim_id), tidy) &&
	    strlen(tidy) < PHONE_NUMBER_BYTES)
		strcpy(number, tidy);
}

static bool is_allowed_from(const struct client *client, const char *number,
			    const struct country *home)
{
	struct recipient recipient;

	recipient_read(&recipient, number, home);
	return recipient_is_in(&recipient, client->allow);
}

bool policy_allows_number(const struct policy *policy, const struct client *client,
			  const char *number)
{
	const struct sim *sim;

	if (!*client->allow || is_allowed_from(client, number, NULL))
		return true;
	TAILQ_FOREACH (sim, sims_list(policy->parts.sims), link) {
		if (is_allowed_from(client, number, home_of(policy, sim->id)))
			return true;
	}
	return false;
}

static unsigned known_of(const struct policy_case *about)
{
	const struct policy_request *request = about->request;
	unsigned known = 0;

	if (request->number)
		known |= NEEDS_WRITTEN;
	if (request->number && about->recipient.problem == PHONE_NUMBER_OK)
		known |= NEEDS_NUMBER;
	if (request->text)
		known |= NEEDS_TEXT;
	if (request->sim_id)
		known |= NEEDS_SIM;
	return known;
}

static void open_case(struct policy_case *about, const struct policy *policy,
		      const struct policy_request *request)
{
	*about = (struct policy_case){
		.policy = policy,
		.request = request,
		.now_ms = clock_wall_ms(),
	};
	about->at_ms =
		request->send_at_ms > about->now_ms ? request->send_at_ms : about->now_ms;
	recipient_read(&about->recipient, request->number,
		       home_of(policy, request->sim_id));
	about->known = known_of(about);
}

int policy_refuse(struct policy_case *about, enum failure failure, const char *message)
{
	about->refusal = (struct refusal){ failure, message };
	return POLICY_E_REFUSED;
}

int policy_refuse_unread(struct policy_case *about, const char *message)
{
	const char *trouble = store_trouble(about->policy->parts.store);

	return policy_refuse(about, FAILURE_INTERNAL, trouble ? trouble : message);
}

void policy_retry_at(struct policy_case *about, int64_t wall_ms)
{
	int64_t left_ms = wall_ms - about->now_ms;

	about->refusal.retry_after_seconds =
		left_ms > 0 ? (left_ms + MS_PER_SECOND - 1) / MS_PER_SECOND : 1;
}

static struct verdict verdict_of(const struct policy_case *about, int outcome)
{
	const struct failure_words *words = failure_words(about->refusal.failure);

	if (outcome == POLICY_E_REPEAT)
		return (struct verdict){ .repeat = about->repeat, .first = about->first };
	return (struct verdict){
		.code = words->code,
		.message = about->refusal.message,
		.fix = words->fix,
		.retryable = words->retryable,
		.retry_after_seconds = about->refusal.retry_after_seconds
					       ? about->refusal.retry_after_seconds
					       : words->retry_after_seconds,
		.failure = about->refusal.failure,
	};
}

bool policy_is_call(const struct policy_case *about)
{
	return about->request->act == POLICY_CALL;
}

static bool speaks_of(const struct policy_rule *rule, enum policy_act act)
{
	return rule->acts & (act ? act : POLICY_MESSAGE);
}

static int ask_rule(const struct policy_rule *rule, struct policy_case *about)
{
	if (!speaks_of(rule, about->request->act))
		return 0;
	if ((rule->needs & about->known) != rule->needs)
		return 0;
	return rule->check(about);
}

int policy_check(struct policy *policy, const struct policy_request *request,
		 struct verdict *verdict_out)
{
	const struct policy_rule *rule;
	struct policy_case about;
	int outcome = 0;

	store_snapshot_begin(policy->parts.store);
	open_case(&about, policy, request);
	for (rule = policy_rules; rule->check && !outcome; rule++)
		outcome = ask_rule(rule, &about);
	store_snapshot_end(policy->parts.store);
	if (outcome)
		*verdict_out = verdict_of(&about, outcome);
	return outcome;
}

void policy_check_all(struct policy *policy, const struct policy_request *request,
		      void (*hear)(void *data, const struct verdict *verdict), void *data)
{
	const struct policy_rule *rule;
	struct policy_case about;

	store_snapshot_begin(policy->parts.store);
	open_case(&about, policy, request);
	for (rule = policy_rules; rule->check; rule++) {
		int outcome = ask_rule(rule, &about);
		struct verdict verdict;

		if (!outcome)
			continue;
		verdict = verdict_of(&about, outcome);
		hear(data, &verdict);
		if (verdict.failure == FAILURE_RECIPIENT_NOT_ALLOWED)
			about.known &=
				~NEEDS_NUMBER; /* nothing of it is to be found out */
	}
	store_snapshot_end(policy->parts.store);
}

void policy_list_limits(struct policy *policy, const struct client *client,
			int64_t sim_id, struct policy_limit_visit *visit)
{
	struct limit limits[LIMITS_MAX];
	size_t count = limit_list(&policy->parts.config->policy, client, sim_id, limits);

	for (size_t i = 0; i < count && !visit->error; i++) {
		int64_t left = 0, frees_ms = 0;

		visit->error =
			limit_left(policy->parts.store, &limits[i], &left, &frees_ms);
		if (!visit->error)
			visit->visit(visit->data, &limits[i], left, frees_ms);
	}
}

static void put_paused(struct policy *policy, bool paused)
{
	if (policy->paused == paused)
		return;
	log_info("policy: %s", paused ? "paused by the owner" : "the pause is over");
	policy->paused = paused;
	outbox_set_paused(policy->parts.outbox, paused);
	observers_notify(&policy->observers, NULL);
}

/* A pause that the disk refuses is one all the same, until the program ends. */
int policy_set_paused(struct policy *policy, bool paused)
{
	int error = store_setting_set(policy->parts.store, STORE_SETTING_PAUSED,
				      paused ? "yes" : NULL);

	policy->is_unkept = error && paused;
	if (!error || paused)
		put_paused(policy, paused);
	return error;
}

bool policy_is_paused(const struct policy *policy)
{
	return policy && policy->paused;
}

static int read_paused(struct policy *policy)
{
	char value[STORE_SETTING_BYTES];
	int error = store_setting_get(policy->parts.store, STORE_SETTING_PAUSED, value);

	if (policy->is_unkept)
		return 0;
	if (error && error != STORE_E_NOT_FOUND)
		return error;
	put_paused(policy, error == 0);
	return 0;
}

void policy_review(struct policy *policy)
{
	const struct config_policy *config = &policy->parts.config->policy;

	if (read_paused(policy))
		log_error("policy: whether it is paused could not be read");
	/* config_adopt() writes fields, and leaves what may be between them as it was */
	if (memcmp((const char *)&policy->seen, (const char *)config,
		   sizeof(policy->seen)) == 0)
		return;
	memcpy(&policy->seen, config, sizeof(policy->seen));
	observers_notify(&policy->observers, NULL);
}

struct observers *policy_observers(struct policy *policy)
{
	return &policy->observers;
}

/*
 * Whatever wakes the loop: that somebody set the clock has to be seen before the machine is
 * switched off, for after that it could not be told from the time that it was off.
 */
static int on_look(sd_event_source *source, void *data)
{
	struct policy *policy = data;
	int64_t now_ms, ahead_ms;

	(void)source;
	store_usage_now(policy->parts.store, &now_ms, &ahead_ms);
	return 0;
}

void policy_free(struct policy *policy)
{
	if (!policy)
		return;
	sd_event_source_disable_unref(policy->look);
	observers_deinit(&policy->observers);
	free(policy);
}

int policy_new(const struct policy_parts *parts, struct policy **policy_out)
{
	struct policy *policy = calloc(1, sizeof(*policy));
	int64_t now_ms, ahead_ms;
	int error;

	if (!policy)
		return -ENOMEM;
	policy->parts = *parts;
	observers_init(&policy->observers);
	memcpy(&policy->seen, &parts->config->policy, sizeof(policy->seen));
	error = read_paused(policy);
	if (!error)
		error = before_sleep_add(parts->loop, &policy->look, on_look, policy);
	if (error < 0) {
		policy_free(policy);
		return error;
	}
	/* The clock of the limits begins now; else it would with the first message. */
	if (store_usage_now(parts->store, &now_ms, &ahead_ms))
		log_warning("policy: the clock of the limits could not be stored");
	*policy_out = policy;
	return 0;
}
