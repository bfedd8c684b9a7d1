/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "tools/policy_view.h"

#include <stdio.h>
#include <string.h>

#include "base/buffer.h"
#include "tools/message_view.h"
#include "config/config.h"

static const char *const owners[] = {
	[USAGE_BY_CLIENT] = "client",
	[USAGE_BY_SIM] = "sim",
	NULL,
};

const struct schema_field policy_view_limit_fields[] = {
	{ "of", SCHEMA_STRING, true, "client: yours; sim: of a SIM, for all clients",
	  .words = owners },
	{ "subscription_id", SCHEMA_INTEGER, false, "The SIM" },
	{ "per", SCHEMA_STRING, true,
	  "minute, hour, day: messages in any such time; month: segments in one of the "
	  "calendar" },
	{ "limit", SCHEMA_INTEGER, true, "As many as the owner allows" },
	{ "left", SCHEMA_INTEGER, true, "How many more are accepted now" },
	{ "frees_at", SCHEMA_STRING, false,
	  "When there will be more, RFC 3339; left out when all are left" },
	{ 0 },
};

struct writing {
	struct json_writer *writer;
	int64_t frees_ms; /* the earliest; 0: none */
};

static void write_limit(void *data, const struct limit *limit, int64_t left,
			int64_t frees_ms)
{
	struct writing *writing = data;
	struct json_writer *writer = writing->writer;

	json_open_object(writer);
	json_put_string(writer, "of", owners[limit->by]);
	if (limit->by == USAGE_BY_SIM)
		json_put_integer(writer, "subscription_id", limit->id);
	json_put_string(writer, "per", limit_unit_name(limit->unit));
	json_put_integer(writer, "limit", limit->most);
	json_put_integer(writer, "left", left);
	if (frees_ms)
		message_view_put_time(writer, "frees_at", frees_ms);
	json_close_object(writer);
	if (frees_ms && (!writing->frees_ms || frees_ms < writing->frees_ms))
		writing->frees_ms = frees_ms;
}

int policy_view_write_limits(struct json_writer *writer, const struct services *services,
			     const struct client *client, int64_t *frees_ms_out)
{
	struct writing writing = { writer, 0 };
	struct policy_limit_visit visit = { write_limit, &writing, 0 };
	const struct sim *sim;

	json_key(writer, "limits");
	json_open_array(writer);
	policy_list_limits(services->policy, client, 0, &visit);
	TAILQ_FOREACH (sim, sims_list(services->sims), link) {
		if (policy_allows_sim(client, sim->id))
			policy_list_limits(services->policy, NULL, sim->id, &visit);
	}
	json_close_array(writer);
	*frees_ms_out = writing.frees_ms;
	return visit.error;
}

static void say(struct json_writer *writer, const char *before, const char *words,
		const char *after)
{
	struct buffer text = BUFFER_INIT;

	buffer_append_text(&text, before);
	buffer_append_text(&text, words);
	buffer_append_text(&text, after);
	if (!text.failed)
		json_write_text(writer, text.data, text.length);
	buffer_deinit(&text);
}

static void say_calls(struct json_writer *writer, const struct config_policy_calls *calls)
{
	char text[160];

	if (!calls->place) {
		json_write_string(writer, "The owner lets nobody place calls.");
		return;
	}
	snprintf(text, sizeof(text),
		 "You may call whom you may write to; a call is hung up after %lld "
		 "seconds, and all agents place %lld in an hour and %lld in a day at "
		 "most.",
		 (long long)calls->max_seconds, (long long)calls->per_hour,
		 (long long)calls->per_day);
	json_write_string(writer, text);
}

static void say_length(struct json_writer *writer, int64_t segments)
{
	char text[48];

	snprintf(text, sizeof(text), "%lld", (long long)segments);
	say(writer, "A message has so many segments at most: ", text, ".");
}

/* One sentence for each item of a list that says the same. */
static void say_list(struct json_writer *writer, const char *before,
		     const struct config_list *list)
{
	for (size_t i = 0; i < list->count; i++)
		say(writer, before, list->items[i], ".");
}

static bool allows_every_country(const struct config_list *countries)
{
	for (size_t i = 0; i < countries->count; i++) {
		if (strstr(countries->items[i], "any"))
			return true;
	}
	return false;
}

static void say_countries(struct json_writer *writer, const struct config_list *countries)
{
	if (allows_every_country(countries))
		json_write_string(writer, "Numbers of all countries are allowed.");
	else
		json_write_string(writer, "Numbers of another country than the SIM's are "
					  "refused, but for those named here.");
	for (size_t i = 0; i < countries->count; i++) {
		if (strchr(countries->items[i], '+'))
			say(writer, "Countries that are allowed: ", countries->items[i],
			    ".");
	}
}

void policy_view_write_words(struct json_writer *writer, const struct services *services,
			     const struct client *client)
{
	const struct config_policy *policy = &services->config->policy;

	json_key(writer, "policy");
	json_open_array(writer);
	if (!(client->scopes & CLIENT_SEND))
		json_write_string(writer, "You may not send.");
	if (*client->sims)
		say(writer, "You may use these subscription_ids: ", client->sims, ".");
	json_write_string(writer, "Emergency numbers are never written to, nor called.");
	json_write_string(
		writer, policy->premium ? "Short codes and premium numbers are allowed."
					: "Short codes and premium numbers are refused, "
					  "but for those that the owner named in full.");
	say_countries(writer, &policy->countries);
	say_list(writer, "Only these are written to: ", &policy->allow);
	if (*client->allow)
		say(writer, "You may only write to these: ", client->allow, ".");
	if (policy->deny.count)
		json_write_string(writer, "Some numbers are never written to.");
	say_length(writer, services->config->max_segments);
	if (*policy->quiet_hours)
		say(writer, "Nothing is accepted in the quiet hours, ",
		    policy->quiet_hours,
		    " by the phone's local time, nor with a send_at in them.");
	say_list(writer, "A SIM whose known balance is below this sends nothing: ",
		 &policy->minimum_balance);
	if (client->scopes & CLIENT_CALL)
		say_calls(writer, &policy->calls);
	json_close_array(writer);
}
