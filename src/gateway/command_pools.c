/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * pools: the pools of a hub, with their SIMs and rules; or sets or removes one.
 *   {}                      ->  an item for each; {"pools": 2}
 *   {"set": "alerts", "sims": "1,2", "sticky", "country", "recipients_per_month", "failover"}
 *                           ->  the pool; what is not given stays as it was
 *   {"remove": "alerts"}    ->  {"removed": "alerts"}
 */
#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/word_list.h"
#include "gateway/command.h"
#include "gateway/running.h"
#include "phone/sim.h"
#include "policy/routing.h"
#include "tools/services.h"

enum { COMMAND_POOLS_ID_BYTES = 20 };

struct command_pools_sims {
	int64_t *ids; /* NULL if they are not given */
	size_t count;
};

struct command_pools_members {
	struct json_writer *writer;
	int64_t pool_id;
};

static void command_pools_put_sim(void *data, int64_t pool_id, int64_t sim_id)
{
	const struct command_pools_members *members = data;

	if (pool_id == members->pool_id)
		json_write_integer(members->writer, sim_id);
}

/* Also the SIMs that are away. */
static void command_pools_put(struct control_call *call, struct json_writer *writer,
			      const struct store_pool *pool)
{
	struct command_pools_members members = { .writer = writer, .pool_id = pool->id };

	json_put_string(writer, "name", pool->name);
	json_open_array_at(writer, "subscription_ids");
	store_pool_list_sims(call->control->store, command_pools_put_sim, &members);
	json_close_array(writer);
	json_put_string(writer, "sticky", store_pool_rule_name(pool->sticky));
	json_put_string(writer, "country", store_pool_rule_name(pool->country));
	if (pool->recipients_per_month)
		json_put_integer(writer, "recipients_per_month",
				 pool->recipients_per_month);
	json_put_boolean(writer, "failover", pool->fails_over);
}

static void command_pools_list(struct control_call *call)
{
	const struct routing *routing = call->control->services->routing;
	const struct store_pool *pool;
	struct json_writer *writer;
	size_t count = 0;

	for (; (pool = routing_pool_at(routing, count)); count++) {
		writer = control_call_open_item(call);
		if (!writer)
			return;
		command_pools_put(call, writer, pool);
		control_call_close(call);
	}
	writer = control_call_open_result(call);
	if (!writer)
		return;
	json_put_integer(writer, "pools", (int64_t)count);
	control_call_close(call);
}

/* ---- changes */

/* The change is on disk: routing and agents follow. Returns 0, or the error. */
static int command_pools_follow(const struct control *control)
{
	int error = routing_reload(control->services->routing);

	if (!error)
		running_review_tools(control->running);
	return error;
}

/* These functions return false if the call has been answered. */

static bool command_pools_read_rule(struct control_call *call, const char *name,
				    enum store_pool_rule *rule)
{
	const char *word = control_call_argument(call, name);

	if (!word)
		return true;
	for (int at = 0; at < POOL_RULES; at++) {
		if (strcmp(word, store_pool_rule_name((enum store_pool_rule)at)) == 0) {
			*rule = (enum store_pool_rule)at;
			return true;
		}
	}
	control_call_fail(call, CONTROL_INVALID_ARGUMENT, "Choose one of these",
			  "%s is prefer, require or off", name);
	return false;
}

static bool command_pools_read_rules(struct control_call *call, struct store_pool *pool)
{
	const struct json *recipients =
		json_member(call->arguments, "recipients_per_month");
	const char *failover = control_call_argument(call, "failover");

	if (recipients && (!json_integer(recipients, &pool->recipients_per_month) ||
			   pool->recipients_per_month < 0)) {
		control_call_fail(call, CONTROL_INVALID_ARGUMENT, "0 means any number",
				  "recipients_per_month is a whole number");
		return false;
	}
	if (failover && strcmp(failover, "yes") != 0 && strcmp(failover, "no") != 0) {
		control_call_fail(call, CONTROL_INVALID_ARGUMENT, "Choose one of these",
				  "failover is yes or no");
		return false;
	}
	if (failover)
		pool->fails_over = strcmp(failover, "yes") == 0;
	return command_pools_read_rule(call, "sticky", &pool->sticky) &&
	       command_pools_read_rule(call, "country", &pool->country);
}

int64_t command_pools_read_id(const char *text)
{
	return strspn(text, "0123456789") == strlen(text) ? strtoll(text, NULL, 10) : 0;
}

static bool command_pools_read_sims(struct control_call *call,
				    struct command_pools_sims *sims_out)
{
	const struct sims *sims = call->control->services->sims;
	const char *text = control_call_argument(call, "sims"), *at = text;
	char word[COMMAND_POOLS_ID_BYTES];

	if (!text)
		return true;
	sims_out->ids = arena_alloc(call->arena, (strlen(text) + 1) * sizeof(int64_t));
	if (!sims_out->ids) {
		control_call_fail_store(call, -ENOMEM);
		return false;
	}
	while (word_list_next(&at, word, sizeof(word))) {
		int64_t sim_id = command_pools_read_id(word);

		if (!sim_id || !sims_knows(sims, sim_id)) {
			control_call_fail(call, "not_found",
					  "To list them: " PROGRAM_NAME " phones",
					  "there is no SIM \"%s\"", word);
			return false;
		}
		sims_out->ids[sims_out->count++] = sim_id;
	}
	if (!sims_out->count)
		control_call_fail(call, CONTROL_INVALID_ARGUMENT,
				  "To remove it: " PROGRAM_NAME " pools remove NAME",
				  "a pool has at least one SIM");
	return sims_out->count;
}

static bool command_pools_may_add(struct control_call *call, const char *name,
				  const struct command_pools_sims *sims)
{
	if (!store_pool_name_is_valid(name))
		control_call_fail(call, CONTROL_INVALID_ARGUMENT, "Choose another name",
				  "the name of a pool is a letter, then at most %d "
				  "letters, digits, \"-\" and \"_\"",
				  STORE_POOL_NAME_BYTES - 2);
	else if (!sims->count)
		control_call_fail(call, CONTROL_INVALID_ARGUMENT,
				  "Say which SIMs, for example --sims 1,2",
				  "there is no pool \"%s\", and a new one needs SIMs",
				  name);
	else if (routing_pool_at(call->control->services->routing, STORE_POOLS_MAX - 1))
		control_call_fail(call, "too_many",
				  "Remove one: " PROGRAM_NAME " pools remove NAME",
				  "there are %d pools already", STORE_POOLS_MAX);
	else
		return true;
	return false;
}

static void command_pools_set(struct control_call *call, const char *name)
{
	const struct control *control = call->control;
	const struct store_pool *former =
		routing_pool_named(control->services->routing, name);
	struct store_pool pool = { .fails_over = true };
	const char *who = control_call_who(call);
	struct command_pools_sims sims = { 0 };
	struct json_writer *writer;
	int error = who ? 0 : -ENOMEM;

	if (former)
		pool = *former;
	if (!command_pools_read_sims(call, &sims) ||
	    !command_pools_read_rules(call, &pool) ||
	    (!former && !command_pools_may_add(call, name, &sims)))
		return;
	snprintf(pool.name, sizeof(pool.name), "%s", name);
	if (!error)
		error = store_pool_put(control->store, &pool, sims.ids, sims.count, who);
	if (!error)
		error = command_pools_follow(control);
	if (error) {
		control_call_fail_store(call, error);
	} else if ((writer = control_call_open_result(call))) {
		command_pools_put(call, writer, &pool);
		control_call_close(call);
	}
}

static void command_pools_remove(struct control_call *call, const char *name)
{
	const struct control *control = call->control;
	const struct store_pool *pool =
		routing_pool_named(control->services->routing, name);
	const char *who = control_call_who(call);
	struct json_writer *writer;
	int error = who ? 0 : -ENOMEM;

	if (!pool) {
		control_call_fail(call, "not_found",
				  "To list them: " PROGRAM_NAME " pools",
				  "there is no pool with this name");
		return;
	}
	if (!error)
		error = store_pool_remove(control->store, pool, who);
	if (!error)
		error = command_pools_follow(control);
	if (error) {
		control_call_fail_store(call, error);
	} else if ((writer = control_call_open_result(call))) {
		json_put_string(writer, "removed", name);
		control_call_close(call);
	}
}

static void command_pools_run(struct control_call *call)
{
	const char *set = control_call_argument(call, "set");
	const char *removed = control_call_argument(call, "remove");

	if (set)
		command_pools_set(call, set);
	else if (removed)
		command_pools_remove(call, removed);
	else
		command_pools_list(call);
}

const struct control_command command_pools = {
	.name = "pools",
	.needs_gateway = true,
	.run = command_pools_run,
};
