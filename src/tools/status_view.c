/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "tools/status_view.h"

#include "base/clock.h"
#include "config/config.h"
#include "tools/balance_view.h"
#include "tools/change_source.h"
#include "tools/cursor.h"
#include "tools/gap_view.h"
#include "tools/message_view.h"
#include "tools/modem_facts.h"
#include "tools/obstacle.h"
#include "tools/policy_view.h"
#include "tools/sim_view.h"
#include "tools/voicemail_view.h"

#define GAPS_MS INT64_C(604800000) /* a week */

static const struct schema_field sims_fields[] = {
	{ "count", SCHEMA_INTEGER, true, "Number of SIMs" },
	{ "subscriptions", SCHEMA_ARRAY, true, "As get_sms_subscriptions lists them",
	  .members = sim_view_fields },
	{ 0 },
};

static const struct schema_field queue_fields[] = {
	{ "waiting", SCHEMA_INTEGER, true,
	  "Messages that wait in the gateway to be sent" },
	{ "limit", SCHEMA_INTEGER, true, "When so many wait no more is accepted" },
	{ "unstored_received", SCHEMA_INTEGER, true,
	  "Messages that came in and could not be stored yet" },
	{ 0 },
};

const struct schema_field status_view_fields[] = {
	{ "client", SCHEMA_STRING, true, "Your name in the gateway" },
	{ "scopes", SCHEMA_ARRAY, true, "What the owner lets you do",
	  .items = SCHEMA_STRING },
	{ "can_send", SCHEMA_BOOLEAN, true,
	  "Nothing stops a message of yours now; its recipient or text still may" },
	{ "why_not", SCHEMA_STRING, false, "What stops it; left out when nothing does" },
	{ "paused", SCHEMA_BOOLEAN, true, "The owner stopped all sending" },
	{ "ofono_available", SCHEMA_BOOLEAN, true,
	  "oFono, which knows the modems, answers" },
	{ "ofono", SCHEMA_STRING, true, "The same in words" },
	{ "modems_complete", SCHEMA_BOOLEAN, true,
	  "False: oFono says that it does not know all modems of the phone yet" },
	{ "sims", SCHEMA_OBJECT, true, "The SIM cards", .members = sims_fields },
	{ "voicemail", SCHEMA_ARRAY, true, "Whether any waits, for each SIM card",
	  .members = voicemail_view_fields },
	{ "balances", SCHEMA_ARRAY, true,
	  "Balances of SIM cards as send_ussd read them last; of others none is known",
	  .members = balance_view_fields },
	{ "modems", SCHEMA_ARRAY, true, "The modems, each with what stops it",
	  .members = modem_facts_fields },
	{ "queue", SCHEMA_OBJECT, true, "What is on its way", .members = queue_fields },
	{ "policy", SCHEMA_ARRAY, true, "What the owner lets you send, a sentence each",
	  .items = SCHEMA_STRING },
	{ "limits", SCHEMA_ARRAY, true, "What is left of each limit that there is",
	  .members = policy_view_limit_fields },
	{ "gaps", SCHEMA_ARRAY, true,
	  "Times of the last week in which the gateway could not hear: what came then "
	  "may be missing",
	  .members = gap_view_fields },
	{ "cursor", SCHEMA_STRING, true,
	  "Give it to get_gateway_status as after, with wait_seconds, to hear when "
	  "anything changes" },
	{ 0 },
};

static struct policy_request request_of(const struct status_view *view, int64_t sim_id)
{
	return (struct policy_request){
		.arena = view->arena,
		.client = view->client,
		.sim_id = sim_id,
	};
}

static const char *say_verdict(const struct status_view *view,
			       const struct verdict *verdict)
{
	if (!verdict->message)
		return NULL;
	return arena_printf(view->arena, "%s %s", verdict->message, verdict->fix);
}

static const char *why_not_ready(const struct status_view *view, const struct sim *sim)
{
	const char *told =
		obstacle_tell_of_modem(view->services, sim->modem, view->arena);

	return told ? arena_printf(view->arena,
				   "No SIM that you may use can send now: %s.", told)
		    : NULL;
}

/* A rule is asked of each SIM that could send: one that lets it pass is enough. */
static const char *why_no_sim(const struct status_view *view)
{
	const struct services *services = view->services;
	const char *why = "No SIM that you may use is in the phone.";
	const struct sim *sim;

	TAILQ_FOREACH (sim, sims_list(services->sims), link) {
		struct policy_request request = request_of(view, sim->id);
		struct verdict verdict;

		if (sim->state != SIM_READY) {
			if (policy_allows_sim(view->client, sim->id))
				why = why_not_ready(view, sim);
			continue;
		}
		if (!policy_check(services->policy, &request, &verdict))
			return "";
		if (verdict.failure != FAILURE_SUBSCRIPTION_NOT_ALLOWED)
			why = say_verdict(view, &verdict);
	}
	return why;
}

/*
 * What stops a message of this client now, whoever it is for, in one sentence or two. "":
 * nothing does. NULL: out of memory.
 */
static const char *why_not_now(const struct status_view *view)
{
	const struct services *services = view->services;
	const struct obstacle *obstacle = obstacle_find(services);
	struct policy_request request = request_of(view, 0);
	struct verdict verdict;

	if (policy_check(services->policy, &request, &verdict))
		return say_verdict(view, &verdict);
	if (obstacle)
		return obstacle_in_detail(obstacle, services, view->arena);
	return why_no_sim(view);
}

static void write_queue(struct json_writer *writer, const struct services *services)
{
	json_key(writer, "queue");
	json_open_object(writer);
	json_put_integer(writer, "waiting", outbox_waiting(services->outbox));
	json_put_integer(writer, "limit", services->config->queue_limit);
	json_put_integer(writer, "unstored_received", inbox_unstored(services->inbox));
	json_close_object(writer);
}

static void write_client(struct json_writer *writer, const struct client *client)
{
	message_view_put_line(writer, "client", client->name);
	json_key(writer, "scopes");
	json_open_array(writer);
	for (unsigned scope = 1; scope & CLIENT_SCOPES_ALL; scope <<= 1) {
		if (client->scopes & scope)
			json_write_string(writer, client_scope_name(scope));
	}
	json_close_array(writer);
}

/* The same all second long: see tools/kept_answer.h. */
static int64_t a_week_ago(void)
{
	int64_t now_ms = clock_wall_ms();

	return now_ms - now_ms % 1000 - GAPS_MS;
}

int status_view_put(struct json_writer *writer, const struct status_view *view)
{
	const struct services *services = view->services;
	const char *why_not = why_not_now(view);
	int64_t frees_ms = 0;
	int balances_error, limits_error, gaps_error;

	ofono_retry(services->ofono);
	write_client(writer, view->client);
	json_put_boolean(writer, "can_send", why_not && !*why_not);
	if (why_not && *why_not)
		message_view_put_line(writer, "why_not", why_not);
	json_put_boolean(writer, "paused", policy_is_paused(services->policy));
	json_put_boolean(writer, "ofono_available", ofono_is_available(services->ofono));
	json_put_string(writer, "ofono", ofono_condition(services->ofono));
	json_put_boolean(writer, "modems_complete", ofono_is_complete(services->ofono));
	json_key(writer, "sims");
	sim_view_write(writer, services->sims, SIM_VIEW_FULL);
	json_key(writer, "voicemail");
	voicemail_view_write(writer, services->sims);
	json_key(writer, "balances");
	balances_error = balance_view_write(writer, services, view->client);
	modem_facts_write(writer, services);
	write_queue(writer, services);
	policy_view_write_words(writer, services, view->client);
	limits_error =
		policy_view_write_limits(writer, services, view->client, &frees_ms);
	gaps_error = gap_view_put(writer, services->store, a_week_ago());
	cursor_put(writer, "cursor", CURSOR_CHANGES,
		   change_source_count(services->changes));
	if (view->frees_ms)
		*view->frees_ms = frees_ms;
	if (balances_error)
		return balances_error;
	return limits_error ? limits_error : gaps_error;
}

int status_view_write(struct json_writer *writer, const struct status_view *view)
{
	int error;

	json_open_object(writer);
	error = status_view_put(writer, view);
	json_close_object(writer);
	return error;
}
