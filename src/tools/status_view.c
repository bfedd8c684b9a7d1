/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * The status answers "can I send now, and if not, why?". `why_not` is the first of these that
 * applies: a policy rule that refuses every message of this client (paused, no scope, a limit
 * used up), an obstacle for everybody (tools/obstacle.h), and last a reason for each SIM that
 * this client may use; one usable SIM is enough.
 */
#include "tools/status_view.h"

#include <stdio.h>
#include <string.h>
#include <unistd.h>

#include "base/buffer.h"
#include "base/clock.h"
#include "base/escape.h"
#include "config/config.h"
#include "tools/change_source.h"
#include "tools/cursor.h"
#include "tools/obstacle.h"
#include "tools/sim_view.h"
#include "tools/view.h"

#define STATUS_VIEW_GAPS_MS (7 * CLOCK_MS_PER_DAY)

enum { STATUS_VIEW_ALERT_OCTETS = 120 };

static const char *const status_view_limit_owners[] = {
	[USAGE_BY_CLIENT] = "client",
	[USAGE_BY_SIM] = "sim",
	[USAGE_BY_SHARE] = "sim", /* as much of it as the client may use */
	NULL,
};

static const struct schema_field status_view_limit_fields[] = {
	{ "of", SCHEMA_STRING, true, "client: yours; sim: of a SIM, for all clients",
	  .words = status_view_limit_owners },
	{ "subscription_id", SCHEMA_INTEGER, false, "The SIM" },
	{ "per", SCHEMA_STRING, true,
	  "minute, hour, day: messages in any such period; month: segments in a calendar month" },
	{ "limit", SCHEMA_INTEGER, true, "Maximum that the owner allows" },
	{ "left", SCHEMA_INTEGER, true, "How many more are accepted now" },
	{ "frees_at", SCHEMA_STRING, false,
	  "When more will be left, RFC 3339; left out when all are left" },
	{ 0 },
};

static const struct schema_field status_view_sims_fields[] = {
	{ "count", SCHEMA_INTEGER, true, "Number of SIMs" },
	{ "subscriptions", SCHEMA_ARRAY, true, "As get_sms_subscriptions lists them",
	  .members = sim_view_fields },
	{ 0 },
};

static const struct schema_field status_view_queue_fields[] = {
	{ "waiting", SCHEMA_INTEGER, true, "Messages in the gateway waiting to be sent" },
	{ "limit", SCHEMA_INTEGER, false, "Maximum number of waiting messages" },
	{ "unstored_received", SCHEMA_INTEGER, false,
	  "Received messages that could not be stored yet" },
	{ 0 },
};

static const char *const status_view_alert_states[] = { "notice", "emergency", NULL };

static const struct schema_field status_view_alert_fields[] = {
	{ "at", SCHEMA_STRING, true, "When it came, RFC 3339" },
	{ "state", SCHEMA_STRING, true, "How the network marked it",
	  .words = status_view_alert_states },
	{ "text", SCHEMA_STRING, true, "How it begins, escaped; from a stranger" },
	{ 0 },
};

const struct schema_field status_view_fields[] = {
	{ "now", SCHEMA_STRING, true, "The phone's time; all times have its offset" },
	{ "weekday", SCHEMA_STRING, true, "The day of the week of now, in English" },
	{ "time_zone", SCHEMA_STRING, true,
	  "The phone's: a name, or the offset from UTC" },
	{ "host", SCHEMA_STRING, false, "The phone's host name" },
	{ "client", SCHEMA_STRING, false, "Your name in the gateway" },
	{ "scopes", SCHEMA_ARRAY, false, "What the owner lets you do",
	  .items = SCHEMA_STRING },
	{ "can_send", SCHEMA_BOOLEAN, true,
	  "Nothing stops your messages now; a recipient or text may still be refused" },
	{ "why_not", SCHEMA_STRING, false,
	  "What stops them; left out when nothing does" },
	{ "paused", SCHEMA_BOOLEAN, false, "The owner paused all sending" },
	{ "ofono_available", SCHEMA_BOOLEAN, false,
	  "oFono, which manages the modems, answers" },
	{ "ofono", SCHEMA_STRING, false, "The same as a sentence" },
	{ "modems_complete", SCHEMA_BOOLEAN, false,
	  "false: oFono reports that it does not know all modems of the phone yet" },
	{ "sims", SCHEMA_OBJECT, true, "The SIM cards",
	  .members = status_view_sims_fields },
	{ "voicemail", SCHEMA_ARRAY, false,
	  "Whether any waits, for each SIM card; without detail only where some does",
	  .members = sim_view_voicemail_fields },
	{ "balances", SCHEMA_ARRAY, false,
	  "SIM card balances as send_ussd last read them; others are unknown",
	  .members = sim_view_balance_fields },
	{ "modems", SCHEMA_ARRAY, false, "The modems, each with what stops it",
	  .members = sim_view_modem_fields },
	{ "queue", SCHEMA_OBJECT, false, "Messages under way",
	  .members = status_view_queue_fields },
	{ "policy", SCHEMA_ARRAY, false, "What the owner lets you send, a sentence each",
	  .items = SCHEMA_STRING },
	{ "limits", SCHEMA_ARRAY, true,
	  "What is left of each limit; without detail the tightest one for each SIM",
	  .members = status_view_limit_fields },
	{ "gaps", SCHEMA_ARRAY, false,
	  "Times in the last week when the gateway could not receive: messages may be "
	  "missing. Without detail the latest",
	  .members = view_gap_fields },
	{ "alert", SCHEMA_OBJECT, false, "The last cell broadcast of the last day",
	  .members = status_view_alert_fields },
	VIEW_RECORDS_FIELD,
	{ "cursor", SCHEMA_STRING, true,
	  "Pass it to get_gateway_status as after, with wait_seconds, to wait for changes" },
	{ 0 },
};

static struct policy_request status_view_request(const struct status_view *view,
						 int64_t sim_id)
{
	return (struct policy_request){
		.arena = view->arena,
		.client = view->client,
		.sim_id = sim_id,
	};
}

/* The short form says what is wrong; what to do follows when a message is refused. */
static const char *status_view_format_verdict(const struct status_view *view,
					      const struct policy_verdict *verdict)
{
	if (!verdict->message || view->is_brief)
		return verdict->message;
	return arena_printf(view->arena, "%s %s", verdict->message, verdict->fix);
}

/* Returns "" if a SIM can send; NULL if memory runs out. */
static const char *status_view_why_no_sim(const struct status_view *view)
{
	const struct services *services = view->services;
	const char *why = "No SIM that you may use is in the phone.";
	const struct sim *sim;

	TAILQ_FOREACH (sim, sims_list(services->sims), link) {
		struct policy_request request = status_view_request(view, sim->id);
		struct policy_verdict verdict;

		if (sim->state == SIM_READY) {
			if (!policy_check(services->policy, &request, &verdict))
				return "";
			if (verdict.failure != FAILURE_SUBSCRIPTION_NOT_ALLOWED)
				why = status_view_format_verdict(view, &verdict);
		} else if (policy_sim_is_allowed(view->client, sim->id)) {
			why = obstacle_describe_modem(services, sim->modem, view->arena);
			if (why)
				why = arena_printf(
					view->arena,
					"No SIM that you may use can send now: %s.", why);
		}
	}
	return why;
}

/* Returns "" if nothing stops the client's messages, and NULL if memory runs out. */
static const char *status_view_why_not(const struct status_view *view)
{
	const struct services *services = view->services;
	const struct obstacle *obstacle = obstacle_find(services);
	struct policy_request request = status_view_request(view, 0);
	struct policy_verdict verdict;

	if (policy_check(services->policy, &request, &verdict))
		return status_view_format_verdict(view, &verdict);
	if (obstacle)
		return obstacle_details(obstacle, services, view->arena);
	return status_view_why_no_sim(view);
}

static void status_view_put_host(struct json_writer *writer)
{
	char name[256]; /* longer than any on Linux */

	if (gethostname(name, sizeof(name)) == 0 && *name)
		view_put_line(writer, "host", name);
}

static void status_view_write_client(struct json_writer *writer,
				     const struct client *client)
{
	view_put_line(writer, "client", client->name);
	json_open_array_at(writer, "scopes");
	for (unsigned scope = 1; scope & CLIENT_SCOPES_ALL; scope <<= 1) {
		if (client->scopes & scope)
			json_write_string(writer, client_scope_name(scope));
	}
	json_close_array(writer);
}

static void status_view_write_queue(struct json_writer *writer,
				    const struct services *services)
{
	json_open_object_at(writer, "queue");
	json_put_integer(writer, "waiting", outbox_waiting(services->outbox));
	json_put_integer(writer, "limit", services->config->queue_limit);
	json_put_integer(writer, "unstored_received", inbox_unstored(services->inbox));
	json_close_object(writer);
}

static void status_view_say(struct json_writer *writer, const char *before,
			    const char *words, const char *after)
{
	struct buffer text = BUFFER_INIT;

	buffer_append_text(&text, before);
	buffer_append_text(&text, words);
	buffer_append_text(&text, after);
	if (!text.failed)
		json_write_text(writer, text.data, text.length);
	buffer_deinit(&text);
}

/* One sentence for each item. */
static void status_view_say_list(struct json_writer *writer, const char *before,
				 const struct config_list *list)
{
	for (size_t i = 0; i < list->count; i++)
		status_view_say(writer, before, list->items[i], ".");
}

static void status_view_say_countries(struct json_writer *writer,
				      const struct config_list *countries)
{
	bool any = false, named = false;

	for (size_t i = 0; i < countries->count; i++) {
		any |= strstr(countries->items[i], "any") != NULL;
		named |= strchr(countries->items[i], '+') != NULL;
	}
	json_write_string(
		writer,
		any	? "Numbers of all countries are allowed."
		: named ? "Numbers of countries other than the SIM's are refused, "
			  "except the allowed countries."
			: "Numbers of countries other than the SIM's are refused.");
	for (size_t i = 0; i < countries->count; i++) {
		if (strchr(countries->items[i], '+'))
			status_view_say(writer,
					"Allowed countries: ", countries->items[i], ".");
	}
}

static void status_view_say_calls(struct json_writer *writer,
				  const struct config_policy_calls *calls)
{
	char text[160];

	if (!calls->place) {
		json_write_string(writer, "The owner does not allow calls.");
		return;
	}
	snprintf(text, sizeof(text),
		 "You may call the numbers that you may text; maximum %lld seconds per "
		 "call, %lld calls per hour and %lld per day, all agents together.",
		 (long long)calls->max_seconds, (long long)calls->per_hour,
		 (long long)calls->per_day);
	json_write_string(writer, text);
}

static void status_view_write_policy(struct json_writer *writer,
				     const struct services *services,
				     const struct client *client)
{
	const struct config_policy *policy = &services->config->policy;
	char segments[48];

	json_open_array_at(writer, "policy");
	if (!(client->scopes & CLIENT_SEND))
		json_write_string(writer, "You may not send.");
	if (*client->sims)
		status_view_say(writer,
				"You may use these subscription_ids: ", client->sims,
				".");
	json_write_string(writer, "Emergency numbers are never texted or called.");
	json_write_string(
		writer, policy->premium ? "Short codes and premium numbers are allowed."
					: "Short codes and premium numbers are refused, "
					  "except those that the owner listed in full.");
	status_view_say_countries(writer, &policy->countries);
	status_view_say_list(writer, "Only these may be texted: ", &policy->allow);
	if (*client->allow)
		status_view_say(writer, "You may only text these: ", client->allow, ".");
	if (policy->deny.count)
		json_write_string(writer, "Some numbers are never texted.");
	snprintf(segments, sizeof(segments), "%lld",
		 (long long)services->config->max_segments);
	status_view_say(writer, "Maximum segments per message: ", segments, ".");
	if (*policy->quiet_hours)
		status_view_say(
			writer, "Nothing is accepted during quiet hours, ",
			policy->quiet_hours,
			" by the phone's local time, nor with a send_at in them.");
	status_view_say_list(writer,
			     "A SIM whose known balance is below this sends nothing: ",
			     &policy->minimum_balance);
	if (client->scopes & CLIENT_CALL)
		status_view_say_calls(writer, &policy->calls);
	json_close_array(writer);
}

/* Writes what is left of a limit. If `sim_id` is 0, it counts for all SIMs. */
struct status_view_rest {
	struct limit limit;
	int64_t sim_id, left, frees_ms; /* 0 if nothing is used */
};

static void status_view_put_rest(struct json_writer *writer,
				 const struct status_view_rest *rest)
{
	json_open_object(writer);
	json_put_string(writer, "of", status_view_limit_owners[rest->limit.by]);
	if (rest->sim_id)
		json_put_integer(writer, "subscription_id", rest->sim_id);
	json_put_string(writer, "per", limit_unit_name(rest->limit.unit));
	json_put_integer(writer, "limit", rest->limit.most);
	json_put_integer(writer, "left", rest->left);
	if (rest->frees_ms)
		view_put_time(writer, "frees_at", clock_ceil_ms(rest->frees_ms));
	json_close_object(writer);
}

static void status_view_write_limit(void *data, const struct limit *limit, int64_t left,
				    int64_t frees_ms)
{
	const struct status_view_rest rest = {
		.limit = *limit,
		.sim_id = limit->sim_id,
		.left = left,
		.frees_ms = frees_ms,
	};

	status_view_put_rest(data, &rest);
}

static void status_view_write_sim_limit(void *data, const struct limit *limit,
					int64_t left, int64_t frees_ms)
{
	if (limit->by != USAGE_BY_CLIENT)
		status_view_write_limit(data, limit, left, frees_ms);
}

static void status_view_keep_tightest(void *data, const struct limit *limit, int64_t left,
				      int64_t frees_ms)
{
	struct status_view_rest *tightest = data;

	if (tightest->limit.most && left >= tightest->left)
		return;
	tightest->limit = *limit;
	tightest->left = left;
	tightest->frees_ms = left ? 0 : frees_ms;
}

/*
 * Writes for each SIM that the client may use the limit that leaves the fewest. With `has_reason`
 * why_not says when more will be left. Returns 0 or -errno.
 */
static int status_view_write_tightest(struct json_writer *writer,
				      const struct services *services,
				      const struct client *client, bool has_reason)
{
	const struct sim *sim;
	int error = 0;

	json_open_array_at(writer, "limits");
	TAILQ_FOREACH (sim, sims_list(services->sims), link) {
		struct status_view_rest tightest = { .sim_id = sim->id };
		struct policy_limit_visit visit = { status_view_keep_tightest, &tightest,
						    0 };

		if (!policy_sim_is_allowed(client, sim->id))
			continue;
		policy_list_limits(services->policy, client, sim->id, &visit);
		if (has_reason)
			tightest.frees_ms = 0;
		if (tightest.limit.most)
			status_view_put_rest(writer, &tightest);
		if (visit.error)
			error = visit.error;
	}
	json_close_array(writer);
	return error;
}

/* Writes the client's own limits, then those of each SIM that it may use. Returns 0 or -errno. */
static int status_view_write_limits(struct json_writer *writer,
				    const struct services *services,
				    const struct client *client)
{
	struct policy_limit_visit visit = { status_view_write_limit, writer, 0 };
	const struct sim *sim;

	json_open_array_at(writer, "limits");
	policy_list_limits(services->policy, client, 0, &visit);
	visit.visit = status_view_write_sim_limit;
	TAILQ_FOREACH (sim, sims_list(services->sims), link) {
		if (policy_sim_is_allowed(client, sim->id))
			policy_list_limits(services->policy, client, sim->id, &visit);
	}
	json_close_array(writer);
	return visit.error;
}

static void status_view_put_clock(struct json_writer *writer)
{
	char zone[CLOCK_ZONE_BYTES];

	view_put_time(writer, "now", clock_wall_ms());
	json_put_string(writer, "weekday", clock_weekday(clock_wall_ms()));
	clock_zone(zone);
	json_put_string(writer, "time_zone", zone);
}

static void status_view_put_verdict(struct json_writer *writer, const char *why_not)
{
	json_put_boolean(writer, "can_send", why_not && !*why_not);
	if (why_not && *why_not)
		view_put_line(writer, "why_not", why_not);
}

static bool status_view_has_voicemail(const struct sims *sims)
{
	const struct sim *sim;

	TAILQ_FOREACH (sim, sims_list(sims), link) {
		if (sim->voicemail.waiting)
			return true;
	}
	return false;
}

/* The latest gap; its reason is one of a few constant words. */
struct status_view_last_gap {
	int64_t from_ms, until_ms;
	char reason[32];
};

static void status_view_keep_gap(void *data, const struct gap *gap)
{
	struct status_view_last_gap *last = data;

	if (*last->reason && gap->from_ms < last->from_ms)
		return;
	last->from_ms = gap->from_ms;
	last->until_ms = gap->until_ms;
	snprintf(last->reason, sizeof(last->reason), "%s", gap->reason);
}

static int status_view_put_last_gap(struct json_writer *writer, struct store *store)
{
	struct status_view_last_gap last = { .reason = "" };
	int error = store_receive_gaps_list(store, clock_wall_ms() - STATUS_VIEW_GAPS_MS,
					    INT64_MAX, status_view_keep_gap, &last);

	if (!*last.reason)
		return error;
	json_open_array_at(writer, "gaps");
	view_write_gap(writer, &(struct gap){ last.from_ms, last.until_ms, last.reason });
	json_close_array(writer);
	return error;
}

struct status_view_alert {
	const struct status_view *view;
	struct json_writer *writer;
};

static void status_view_write_alert(void *data, const struct event *alert)
{
	const struct status_view_alert *row = data;
	size_t characters = 2 * STATUS_VIEW_ALERT_OCTETS;
	const char *text;

	if (alert->at_ms < clock_wall_ms() - CLOCK_MS_PER_DAY)
		return;
	do
		text = escape_quote(row->view->arena, alert->text, characters /= 2);
	while (strlen(text) > STATUS_VIEW_ALERT_OCTETS);
	json_open_object_at(row->writer, "alert");
	view_put_time(row->writer, "at", alert->at_ms);
	json_put_string(row->writer, "state",
			status_view_alert_states[alert->state ? 1 : 0]);
	json_put_string(row->writer, "text", text);
	json_close_object(row->writer);
}

static int status_view_put_last_alert(struct json_writer *writer,
				      const struct status_view *view)
{
	struct status_view_alert row = { view, writer };
	const struct store_event_query look = {
		.kind = EVENT_ALERT,
		.state = -1,
		.limit = 1,
		.visit = status_view_write_alert,
		.data = &row,
	};

	return store_event_list(view->services->store, &look);
}

/* Writes what an agent needs before it sends, in a few hundred octets. */
int status_view_write_brief(struct json_writer *writer, const struct status_view *view)
{
	const struct services *services = view->services;
	struct status_view brief = *view;
	const char *why_not;
	int64_t waiting = outbox_waiting(services->outbox);
	int limits_error, gaps_error, alert_error;

	brief.is_brief = true;
	why_not = status_view_why_not(&brief);
	ofono_retry(services->ofono);
	json_open_object(writer);
	status_view_put_clock(writer);
	status_view_put_verdict(writer, why_not);
	if (!ofono_is_complete(services->ofono))
		json_put_boolean(writer, "modems_complete", false);
	json_key(writer, "sims");
	sim_view_write(writer, services->sims, SIM_VIEW_STATE);
	if (status_view_has_voicemail(services->sims))
		sim_view_put_voicemail(writer, "voicemail", services->sims, true);
	if (waiting) {
		json_open_object_at(writer, "queue");
		json_put_integer(writer, "waiting", waiting);
		json_close_object(writer);
	}
	limits_error = status_view_write_tightest(writer, services, view->client,
						  why_not && *why_not);
	gaps_error = status_view_put_last_gap(writer, services->store);
	alert_error = status_view_put_last_alert(writer, view);
	cursor_put(writer, "cursor", CURSOR_CHANGES,
		   change_source_count(services->changes));
	json_close_object(writer);
	if (alert_error)
		return alert_error;
	return limits_error ? limits_error : gaps_error;
}

int status_view_put(struct json_writer *writer, const struct status_view *view)
{
	const struct services *services = view->services;
	const char *why_not = status_view_why_not(view);
	int balances_error, limits_error, gaps_error, alert_error;

	ofono_retry(services->ofono);
	status_view_put_clock(writer);
	status_view_put_host(writer);
	status_view_write_client(writer, view->client);
	status_view_put_verdict(writer, why_not);
	json_put_boolean(writer, "paused", policy_is_paused(services->policy));
	json_put_boolean(writer, "ofono_available", ofono_is_available(services->ofono));
	json_put_string(writer, "ofono", ofono_condition(services->ofono));
	json_put_boolean(writer, "modems_complete", ofono_is_complete(services->ofono));
	json_key(writer, "sims");
	sim_view_write(writer, services->sims, SIM_VIEW_FULL);
	sim_view_put_voicemail(writer, "voicemail", services->sims, false);
	json_key(writer, "balances");
	balances_error = sim_view_write_balances(writer, services, view->client);
	sim_view_put_modems(writer, services);
	status_view_write_queue(writer, services);
	status_view_write_policy(writer, services, view->client);
	limits_error = status_view_write_limits(writer, services, view->client);
	gaps_error = view_put_gaps(writer, services->store,
				   clock_wall_ms() - STATUS_VIEW_GAPS_MS, INT64_MAX);
	alert_error = status_view_put_last_alert(writer, view);
	view_put_records_since(writer, services->store, 0);
	cursor_put(writer, "cursor", CURSOR_CHANGES,
		   change_source_count(services->changes));
	if (balances_error || alert_error)
		return balances_error ? balances_error : alert_error;
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
