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

#include "base/event_loop.h"
#include "base/clock.h"
#include "base/log.h"
#include "config/config.h"
#include "config/config_policy.h"
#include "policy/policy_private.h"
#include "store/store.h"
#include "store/store_client.h"
#include "store/store_setting.h"
#include "store/store_usage.h"

enum {
	MOBILE_CODE_DIGITS = 3,
	MS_PER_SECOND = 1000,
	MS_PER_HOUR = 60 * 60 * 1000,
	SLOT_STEPS_MAX = 64,
	POLICY_RETRY_MS = 60 * 1000,
};

struct policy {
	struct policy_parts parts;
	struct code_probes *probes;
	bool paused;
	bool is_pause_unsaved; /* the disk has refused the pause */
	sd_event_source *clock_check;
	struct observers observers;
	struct config_policy seen; /* the configuration that the observers know */
};

/* ---- numbers and SIMs ---------------------------------------------------------------- */

struct policy_sim_count {
	int64_t sim_id;
	int64_t clients;
};

static void policy_count_client(void *data, const struct store_client_row *row)
{
	struct policy_sim_count *count = data;

	count->clients += row->client.scopes & CLIENT_SEND &&
			  policy_sim_is_allowed(&row->client, count->sim_id);
}

int64_t policy_sim_clients(const struct policy *policy, int64_t sim_id)
{
	struct policy_sim_count count = { .sim_id = sim_id };

	if (sim_id && store_client_list(policy->parts.store, policy_count_client, &count))
		log_error("policy: the clients could not be read");
	return count.clients;
}

/* The card need not be present: a message may be scheduled from it. */
const struct country *policy_home_country(const struct policy *policy, int64_t sim_id)
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

const struct config_list *policy_segment_prices(const struct policy *policy)
{
	return &policy->parts.config->segment_price;
}

void policy_normalise_number(const struct policy *policy, int64_t sim_id,
			     char number[PHONE_NUMBER_BYTES])
{
	char normal[NUMBER_FORM_BYTES];

	if (number_tidy(number, policy_home_country(policy, sim_id), normal) &&
	    strlen(normal) < PHONE_NUMBER_BYTES)
		strcpy(number, normal);
}

bool policy_complete_number(const char *number, const struct country *home,
			    char number_inout[NUMBER_FORM_BYTES])
{
	char suggestion[NUMBER_FORM_BYTES];
	struct recipient recipient;

	recipient_read(&recipient, number, home);
	if (recipient.problem != PHONE_NUMBER_OK ||
	    recipient_is_well_spelt(&recipient, suggestion) || !*suggestion ||
	    (*number_inout && strcmp(number_inout, suggestion) != 0))
		return false;
	strcpy(number_inout, suggestion);
	return true;
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
		.probes = policy->probes,
		.request = request,
		.now_ms = now_ms,
		.at_ms = request->send_at_ms > now_ms ? request->send_at_ms : now_ms,
	};
	recipient_read(&about->recipient, request->number,
		       policy_home_country(policy, request->sim_id));
	if (request->edits_message_id &&
	    store_usage_find(policy->parts.store, request->edits_message_id,
			     &about->usage_id))
		log_error("policy: the usage of message %lld could not be read",
			  (long long)request->edits_message_id);
	if (request->number)
		about->known |= POLICY_NEEDS_WRITTEN;
	if (request->number && about->recipient.problem == PHONE_NUMBER_OK)
		about->known |= POLICY_NEEDS_NUMBER;
	if (request->text)
		about->known |= POLICY_NEEDS_TEXT;
	if (request->sim_id)
		about->known |= POLICY_NEEDS_SIM;
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
		.fix = failure_fix(&about->refusal),
		.retryable = words->retryable,
		.retry_after_seconds = about->refusal.retry_after_seconds
					       ? about->refusal.retry_after_seconds
					       : words->retry_after_seconds,
		.retry_at_ms = about->retry_at_ms,
		.fits = about->refusal.fits,
		.failure = about->refusal.failure,
		.needs_owner = outcome == POLICY_E_NEEDS_OWNER,
	};
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
	for (rule = policy_rules; rule->check; rule++) {
		int result = policy_check_rule(rule, &about);

		/* Later rules may refuse; the first reason to ask the owner counts. */
		if (!result || (result == POLICY_E_NEEDS_OWNER && outcome))
			continue;
		outcome = result;
		*verdict_out = policy_verdict(&about, outcome);
		if (outcome != POLICY_E_NEEDS_OWNER)
			break;
	}
	store_snapshot_end(policy->parts.store);
	return outcome;
}

static bool policy_is_about_time(const struct policy_verdict *verdict)
{
	return verdict->retry_at_ms && (verdict->failure == FAILURE_RATE_LIMITED ||
					verdict->failure == FAILURE_BUDGET_EXHAUSTED ||
					verdict->failure == FAILURE_QUIET_HOURS);
}

/*
 * Returns a whole second after the refusal, and at least half a second if the refusal ends within a
 * second: then it may come from messages of the same call that go out at once. They count from the
 * moment at which they are stored, which is a little later than now.
 */
static int64_t policy_slot_after(int64_t end_ms)
{
	if (end_ms % MS_PER_SECOND == 0)
		return end_ms;
	return (end_ms + MS_PER_SECOND + MS_PER_SECOND / 2) / MS_PER_SECOND *
	       MS_PER_SECOND;
}

int policy_find_slot(struct policy *policy, struct policy_request *request,
		     struct policy_verdict *verdict_out)
{
	struct policy_request moved = *request;
	int64_t horizon_ms =
		clock_wall_ms() + POLICY_SLOT_DAYS * (int64_t)CLOCK_MS_PER_DAY;
	struct policy_verdict first, verdict;
	int outcome;

	moved.is_spread = true;
	moved.wished_ms = request->send_at_ms;
	outcome = policy_check(policy, &moved, &first);
	verdict = first;
	for (int step = 0; outcome == POLICY_E_REFUSED && policy_is_about_time(&verdict);
	     step++) {
		moved.send_at_ms = policy_slot_after(verdict.retry_at_ms);
		if (step == SLOT_STEPS_MAX || moved.send_at_ms > horizon_ms) {
			*verdict_out = first;
			verdict_out->fix =
				"No time in the next 30 days is free. Tell your user: "
				"only the owner can change the limits.";
			return POLICY_E_REFUSED;
		}
		outcome = policy_check(policy, &moved, &verdict);
	}
	if (outcome)
		*verdict_out = verdict;
	if (!outcome || outcome == POLICY_E_NEEDS_OWNER)
		request->send_at_ms = moved.send_at_ms;
	return outcome;
}

static struct client policy_client_of(const struct policy *policy, int64_t client_id)
{
	struct client client = { .id = client_id, .scopes = CLIENT_SCOPES_ALL };

	if (!client_id)
		return client_open;
	if (client_id > 0) /* else no limit of a client applies */
		store_client_find_id(policy->parts.store, client_id, &client);
	return client;
}

/*
 * When it fits: budget_exhausted or rate_limited says which limit is in the way. Returns 0 or
 * -errno.
 */
static int policy_find_place(const struct policy *policy, const struct limit *limits,
			     size_t count, const struct limit_wish *wish,
			     struct outbox_slot *slot)
{
	struct limit_place place;
	int error = limit_find_place(policy->parts.store, limits, count, wish, &place);

	if (!error && place.limit.most)
		*slot = (struct outbox_slot){ place.fits_ms, "rate_limited" };
	if (!error)
		error = limit_check_budgets(policy->parts.store, limits, count, wish,
					    &place);
	if (!error && place.limit.most && place.fits_ms > slot->send_at_ms)
		*slot = (struct outbox_slot){ place.fits_ms, "budget_exhausted" };
	return error;
}

/*
 * May the SIM send it now? Else messages that were moved before keep their times, so that each
 * is moved once and not whenever one of them has gone.
 */
static int policy_find_sim_slot(const struct policy *policy,
				const struct message *message,
				const struct limit_plan *plan,
				struct outbox_slot *slot_out)
{
	struct limit_wish wish = { .segments = message->segments, .plan = plan };
	struct outbox_slot slot = { 0 }, later = { 0 };
	struct limit limits[LIMITS_MAX];
	size_t count = limit_list_submitting(
		&policy->parts.config->policy, message->client_id, message->sim_id,
		policy_sim_clients(policy, message->sim_id), limits);
	int64_t usage_id = 0;
	int error = 0;

	if (!count)
		return 0;
	if (message->id)
		error = store_usage_find(policy->parts.store, message->id, &usage_id);
	for (size_t i = 0; i < count; i++) {
		limits[i].except_usage_id = usage_id;
		limits[i].ignores_later = true;
	}
	if (!error)
		error = policy_find_place(policy, limits, count, &wish, &slot);
	if (error || !slot.send_at_ms)
		return error;
	for (size_t i = 0; i < count; i++) {
		limits[i].with_planned = limits[i].by == USAGE_BY_SHARE;
		limits[i].ignores_later = false;
	}
	wish.at_ms = slot.send_at_ms;
	error = policy_find_place(policy, limits, count, &wish, &later);
	if (later.send_at_ms > slot.send_at_ms)
		slot.send_at_ms = later.send_at_ms;
	slot.send_at_ms = policy_slot_after(slot.send_at_ms);
	*slot_out = slot;
	return error;
}

int policy_find_new_slot(struct policy *policy, const struct message *message,
			 const struct limit_plan *plan, struct outbox_slot *slot_out)
{
	*slot_out = (struct outbox_slot){ 0 };
	return policy_find_sim_slot(policy, message, plan, slot_out);
}

int policy_find_due_slot(void *data, const struct message *message, struct arena *arena,
			 struct outbox_slot *slot_out)
{
	struct policy *policy = data;
	const struct client client = policy_client_of(policy, message->client_id);
	struct policy_request request = {
		.arena = arena,
		.client = &client,
		.number = message->number,
		.text = message->text,
		.segments = message->segments,
		.sim_id = message->sim_id,
		.is_due = true,
	};
	struct policy_verdict verdict, later;
	int64_t soonest_ms = clock_wall_ms() + POLICY_RETRY_MS;
	struct policy_case about;
	int outcome;

	*slot_out = (struct outbox_slot){ 0 };
	policy_open_case(&about, policy, &request);
	/* a row may have been changed by others, and the modem may be abroad by now */
	if (policy_rules_is_emergency(&about)) {
		slot_out->reason = failure_words(FAILURE_EMERGENCY_NUMBER)->code;
		slot_out->is_never = true;
		return 0;
	}
	if (!(message->flags & MESSAGE_SPREAD))
		return policy_find_sim_slot(policy, message, NULL, slot_out);
	request.edits_message_id = message->id;
	outcome = policy_check(policy, &request, &verdict);
	if (outcome == POLICY_E_REFUSED && verdict.failure == FAILURE_INTERNAL)
		return -EIO;
	if (outcome != POLICY_E_REFUSED || !policy_is_about_time(&verdict))
		return policy_find_sim_slot(policy, message, NULL, slot_out);
	request.is_due = false;
	outcome = policy_find_slot(policy, &request, &later);
	if (outcome == POLICY_E_REFUSED || !request.send_at_ms)
		request.send_at_ms = verdict.retry_at_ms > soonest_ms
					     ? verdict.retry_at_ms
					     : soonest_ms;
	*slot_out = (struct outbox_slot){ request.send_at_ms, verdict.code };
	return 0;
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
	size_t count = limit_list(&policy->parts.config->policy, client, sim_id,
				  policy_sim_clients(policy, sim_id), limits);

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

	store_usage_now(policy->parts.store, &now_ms, &ahead_ms);
	return 0;
}

void policy_free(struct policy *policy)
{
	if (!policy)
		return;
	sd_event_source_disable_unref(policy->clock_check);
	observers_deinit(&policy->observers);
	code_probes_free(policy->probes);
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
	policy->probes = code_probes_new();
	error = policy->probes ? policy_read_pause(policy) : -ENOMEM;
	if (!error)
		error = event_loop_add_before_sleep(parts->loop, &policy->clock_check,
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
