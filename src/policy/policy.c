/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * A check opens a case: the request, the recipient as seen from the country of the SIM, and
 * what is known. It runs the rules on a snapshot of the store, and turns the refusal of a rule
 * into a verdict for the agent.
 *
 * The policy also keeps the owner's pause, on disk and in the outbox, and the balance of each
 * SIM. Its observers are notified whenever other requests may pass than before.
 */
#include "policy/policy.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>

#include "base/before_sleep.h"
#include "base/clock.h"
#include "base/log.h"
#include "base/word_list.h"
#include "config/config.h"
#include "config/config_policy.h"
#include "policy/policy_private.h"
#include "store/store.h"
#include "store/store_setting.h"
#include "store/store_usage.h"

enum {
	MOBILE_CODE_DIGITS = 3,
	MS_PER_SECOND = 1000,
	MS_PER_HOUR = 60 * 60 * 1000,
};

struct policy {
	struct policy_parts parts;
	bool paused;
	bool is_pause_unsaved; /* the disk has refused the pause */
	sd_event_source *clock_check;
	struct observers observers;
	struct config_policy seen; /* the configuration that the observers know */
};

/* ---- numbers and SIMs ---------------------------------------------------------------- */

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

/* The card need not be present: a message may be scheduled from it. */
static const struct country *policy_home_country(const struct policy *policy,
						 int64_t sim_id)
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
	char normal[NUMBER_FORM_BYTES];

	if (number_tidy(number, policy_home_country(policy, sim_id), normal) &&
	    strlen(normal) < PHONE_NUMBER_BYTES)
		strcpy(number, normal);
}

static bool policy_allows_number_from(const struct client *client, const char *number,
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

	if (!*client->allow || policy_allows_number_from(client, number, NULL))
		return true;
	TAILQ_FOREACH (sim, sims_list(policy->parts.sims), link) {
		if (policy_allows_number_from(client, number,
					      policy_home_country(policy, sim->id)))
			return true;
	}
	return false;
}

/* ---- checking a request -------------------------------------------------------------- */

static void policy_open_case(struct policy_case *about, const struct policy *policy,
			     const struct policy_request *request)
{
	int64_t now_ms = clock_wall_ms();

	*about = (struct policy_case){
		.policy = policy,
		.parts = &policy->parts,
		.request = request,
		.now_ms = now_ms,
		.at_ms = request->send_at_ms > now_ms ? request->send_at_ms : now_ms,
	};
	recipient_read(&about->recipient, request->number,
		       policy_home_country(policy, request->sim_id));
	if (request->number)
		about->known |= POLICY_NEEDS_WRITTEN;
	if (request->number && about->recipient.problem == PHONE_NUMBER_OK)
		about->known |= POLICY_NEEDS_NUMBER;
	if (request->text)
		about->known |= POLICY_NEEDS_TEXT;
	if (request->sim_id)
		about->known |= POLICY_NEEDS_SIM;
}

int policy_refuse(struct policy_case *about, enum failure failure, const char *message)
{
	about->refusal = (struct refusal){ failure, message };
	return POLICY_E_REFUSED;
}

int policy_refuse_unread(struct policy_case *about, const char *message)
{
	const char *trouble = store_trouble(about->parts->store);

	return policy_refuse(about, FAILURE_INTERNAL, trouble ? trouble : message);
}

void policy_set_retry(struct policy_case *about, int64_t wall_ms)
{
	int64_t left_ms = wall_ms - about->now_ms;

	about->refusal.retry_after_seconds =
		left_ms > 0 ? (left_ms + MS_PER_SECOND - 1) / MS_PER_SECOND : 1;
}

static struct policy_verdict policy_verdict(const struct policy_case *about, int outcome)
{
	const struct failure_words *words = failure_words(about->refusal.failure);

	if (outcome == POLICY_E_REPEAT)
		return (struct policy_verdict){ .repeat = about->repeat,
						.first = about->first };
	return (struct policy_verdict){
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

static int policy_check_rule(const struct policy_rule *rule, struct policy_case *about)
{
	enum policy_act act = about->request->act ? about->request->act : POLICY_MESSAGE;

	if (!(rule->acts & act) || (rule->needs & about->known) != rule->needs)
		return 0;
	return rule->check(about);
}

int policy_check(struct policy *policy, const struct policy_request *request,
		 struct policy_verdict *verdict_out)
{
	const struct policy_rule *rule;
	struct policy_case about;
	int outcome = 0;

	store_snapshot_begin(policy->parts.store);
	policy_open_case(&about, policy, request);
	for (rule = policy_rules; rule->check && !outcome; rule++)
		outcome = policy_check_rule(rule, &about);
	store_snapshot_end(policy->parts.store);
	if (outcome)
		*verdict_out = policy_verdict(&about, outcome);
	return outcome;
}

void policy_check_all(struct policy *policy, const struct policy_request *request,
		      void (*visit)(void *data, const struct policy_verdict *verdict),
		      void *data)
{
	const struct policy_rule *rule;
	struct policy_case about;

	store_snapshot_begin(policy->parts.store);
	policy_open_case(&about, policy, request);
	for (rule = policy_rules; rule->check; rule++) {
		int outcome = policy_check_rule(rule, &about);
		struct policy_verdict verdict;

		if (!outcome)
			continue;
		verdict = policy_verdict(&about, outcome);
		visit(data, &verdict);
		/* reveal nothing more about a number that is not allowed */
		if (verdict.failure == FAILURE_RECIPIENT_NOT_ALLOWED)
			about.known &= ~POLICY_NEEDS_NUMBER;
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

/* ---- balance ------------------------------------------------------------------------- */

int policy_get_balance(const struct policy *policy, int64_t sim_id,
		       struct policy_balance_state *balance_out)
{
	const struct config_policy *config = &policy->parts.config->policy;
	int64_t max_age_ms = config->balance_hours * MS_PER_HOUR;
	struct policy_balance_state balance = { 0 };
	int error = store_sim_balance_get(policy->parts.store, sim_id, &balance.last);

	if (error)
		return error;
	balance.has_minimum = config_policy_find_minimum(&config->minimum_balance, sim_id,
							 &balance.minimum);
	balance.counts_until_ms = balance.last.read_ms + max_age_ms;
	balance.is_low =
		balance.has_minimum && balance.last.age_ms < max_age_ms &&
		balance.last.balance.amount.thousandths < balance.minimum.thousandths;
	*balance_out = balance;
	return 0;
}

int policy_put_balance(struct policy *policy, int64_t sim_id, const char *code,
		       const struct balance *balance)
{
	int error = store_sim_balance_put(policy->parts.store, sim_id, code, balance);

	if (!error)
		observers_notify(&policy->observers, NULL);
	return error;
}

int policy_forget_balance(struct policy *policy, int64_t sim_id)
{
	int error = store_sim_balance_forget(policy->parts.store, sim_id);

	if (!error)
		observers_notify(&policy->observers, NULL);
	return error;
}

/* ---- the pause ----------------------------------------------------------------------- */

static void policy_apply_pause(struct policy *policy, bool paused)
{
	if (policy->paused == paused)
		return;
	log_info("policy: %s by the owner", paused ? "paused" : "resumed");
	policy->paused = paused;
	outbox_set_paused(policy->parts.outbox, paused);
	observers_notify(&policy->observers, NULL);
}

/* If the disk refuses a pause, it holds in memory. */
int policy_set_paused(struct policy *policy, bool paused)
{
	int error = store_setting_set(policy->parts.store, STORE_SETTING_PAUSED,
				      paused ? "yes" : NULL);

	policy->is_pause_unsaved = error && paused;
	if (!error || paused)
		policy_apply_pause(policy, paused);
	return error;
}

bool policy_is_paused(const struct policy *policy)
{
	return policy && policy->paused;
}

static int policy_read_pause(struct policy *policy)
{
	char value[STORE_SETTING_BYTES];
	int error = store_setting_get(policy->parts.store, STORE_SETTING_PAUSED, value);

	if (policy->is_pause_unsaved)
		return 0;
	if (error && error != STORE_E_NOT_FOUND)
		return error;
	policy_apply_pause(policy, error == 0);
	return 0;
}

/* ---- life ---------------------------------------------------------------------------- */

void policy_review(struct policy *policy)
{
	const struct config_policy *config = &policy->parts.config->policy;

	if (policy_read_pause(policy))
		log_error("policy: the pause setting could not be read");
	/* config_adopt() writes fields and leaves the padding between them unchanged */
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
 * Called whenever something else has woken the loop. A clock that was set must be noticed
 * before the machine is switched off: afterwards nobody could tell it from the time that the
 * machine was off.
 */
static int policy_on_clock_check(sd_event_source *source, void *data)
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
	sd_event_source_disable_unref(policy->clock_check);
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
	error = policy_read_pause(policy);
	if (!error)
		error = before_sleep_add(parts->loop, &policy->clock_check,
					 policy_on_clock_check, policy);
	if (error < 0) {
		policy_free(policy);
		return error;
	}
	/* The clock of the limits begins now, and not with the first message. */
	if (store_usage_now(parts->store, &now_ms, &ahead_ms))
		log_warning("policy: the clock of the limits could not be stored");
	*policy_out = policy;
	return 0;
}
