/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * get_gateway_status: the gateway's state, the limits that are left and what stops a message,
 * at once or when anything changes.
 *
 *   cursor is not the newest -> answer at once
 *   cursor is the newest     -> wait for a change -> wait SETTLE_US more -> answer
 *
 * So nothing is missed between two calls. A cursor from before a restart may be ahead of the
 * newest if the clock was set back; it counts as not the newest. Changes come in groups (a
 * message is queued, submitted, sent), so the answer waits a moment for the rest.
 *
 * The resources sms://status and sms://voicemail show the same, and ui://ofono-mcp/console is the
 * page that shows it in hosts that know MCP Apps.
 */
#include "console/console.h"
#include "tools/argument.h"
#include "tools/change_source.h"
#include "tools/cursor.h"
#include "tools/sim_view.h"
#include "tools/status_view.h"
#include "tools/tool_failure.h"
#include "tools/tool_table.h"
#include "tools/tool_wait.h"

enum {
	GET_GATEWAY_STATUS_WAIT_MAX_SECONDS = 120,
	GET_GATEWAY_STATUS_SETTLE_US = 100 * 1000,
};

static const struct schema_field get_gateway_status_input[] = {
	{ "detail", SCHEMA_BOOLEAN, false,
	  "true: also modems, balances, voicemail, every "
	  "limit, your scopes, and what the owner lets you send" },
	{ "after", SCHEMA_STRING, false,
	  "cursor from the previous answer: wait until anything has changed since" },
	{ "wait_seconds", SCHEMA_INTEGER, false, "Maximum wait for a change", 0,
	  GET_GATEWAY_STATUS_WAIT_MAX_SECONDS },
	{ 0 },
};

/* One waiting call; lives in the call's arena. */
struct get_gateway_status {
	struct tool_wait wait;
	bool settling;
};

static void get_gateway_status_answer(struct tool_call *call)
{
	const struct status_view view = {
		.services = call->services,
		.client = call->client,
		.arena = call->arena,
	};
	struct buffer structured = BUFFER_INIT;
	struct json_writer *writer = json_writer_new(&structured);
	int error = 0;

	if (writer)
		error = argument_boolean(call, "detail")
				? status_view_write(writer, &view)
				: status_view_write_brief(writer, &view);
	json_writer_free(writer);
	if (!error) {
		tool_call_succeed_with_json(call, &structured);
		return;
	}
	buffer_deinit(&structured);
	tool_failure_answer(call, FAILURE_INTERNAL,
			    "Recently sent messages or offline gaps could not be read.");
}

static void get_gateway_status_finish(void *data)
{
	struct get_gateway_status *status = data;

	get_gateway_status_answer(status->wait.call);
}

static void get_gateway_status_on_change(void *data, const void *event)
{
	struct get_gateway_status *status = data;

	if (status->settling)
		return;
	status->settling = true;
	tool_wait_finish_after(&status->wait, GET_GATEWAY_STATUS_SETTLE_US);
}

/* Returns false if the call is to be answered now, true if it waits or has been refused. */
static bool get_gateway_status_wait(struct tool_call *call, int64_t after,
				    int64_t seconds)
{
	struct change_source *changes = call->services->changes;
	struct get_gateway_status *status;

	if (!seconds || !after || after != change_source_count(changes))
		return false;
	if (tool_wait_is_refused(call))
		return true;
	status = arena_alloc(call->arena, sizeof(*status));
	if (!status)
		return false;
	*status = (struct get_gateway_status){
		.wait = { .answer = get_gateway_status_finish, .data = status },
	};
	observer_add(&changes->observers, &status->wait.observer,
		     get_gateway_status_on_change, status);
	return tool_wait_start(&status->wait, call, (uint64_t)seconds);
}

static void get_gateway_status_run(struct tool_call *call)
{
	int64_t seconds = argument_integer(call, "wait_seconds", 0), after;

	if (cursor_argument(call, "after", CURSOR_CHANGES, &after) &&
	    !get_gateway_status_wait(call, after, seconds))
		get_gateway_status_answer(call);
}

const struct tool tool_get_gateway_status = {
	.name = "get_gateway_status",
	.title = "Show the gateway's state",
	.description =
		"Say whether a message could be sent now, what stops it, the phone's "
		"time, and the tightest limit of each SIM. Call it when a send was "
		"refused or before many messages; with after and wait_seconds it "
		"waits for a change. To check one message, call send_sms with dry_run.",
	.input = get_gateway_status_input,
	.output = status_view_fields,
	.listed = (const char *const[]){ "can_send", "cursor", NULL },
	.flags = TOOL_READ_ONLY | TOOL_IDEMPOTENT,
	.scopes = CLIENT_READ,
	.page = CONSOLE_URI,
	.run = get_gateway_status_run,
};

/* ---- resources */

static int get_gateway_status_write(const struct resource_call *call,
				    struct json_writer *writer)
{
	const struct status_view view = {
		.services = call->services,
		.client = call->client,
		.arena = call->arena,
	};

	return status_view_write(writer, &view);
}

const struct resource resource_status = {
	.uri = "sms://status",
	.name = "status",
	.title = "State of the gateway",
	.description = "Whether a message could be sent now and what stops it, whether "
		       "oFono answers, the SIM cards, the modems, the number of waiting "
		       "messages, what the owner lets you send, what is left of the "
		       "limits, and the times in the last week when the gateway could "
		       "not receive, so that messages may be missing.",
	.scopes = CLIENT_READ,
	.write = get_gateway_status_write,
};

static int get_gateway_status_write_voicemail(const struct resource_call *call,
					      struct json_writer *writer)
{
	const struct sims *sims = call->services->sims;

	json_open_object(writer);
	json_put_integer(writer, "count", sims_count(sims));
	sim_view_put_voicemail(writer, "subscriptions", sims, false);
	json_close_object(writer);
	return 0;
}

const struct resource resource_voicemail = {
	.uri = "sms://voicemail",
	.name = "voicemail",
	.title = "Voicemail",
	.description = "Whether voicemail waits for each SIM card, how many messages if "
		       "the network says so, and the number to call. Nothing here plays "
		       "or deletes it. Subscribe to learn when that changes.",
	.scopes = CLIENT_READ,
	.write = get_gateway_status_write_voicemail,
};

/* The page talks to its host only: it needs no domain and no permission. */
static void get_gateway_status_write_console_meta(struct json_writer *writer)
{
	static const char *const domains[] = { "connectDomains", "resourceDomains",
					       "frameDomains", "baseUriDomains" };

	json_open_object(writer);
	json_open_object_at(writer, "ui");
	json_open_object_at(writer, "csp");
	for (size_t i = 0; i < sizeof(domains) / sizeof(*domains); i++) {
		json_open_array_at(writer, domains[i]);
		json_close_array(writer);
	}
	json_close_object(writer);
	json_put_boolean(writer, "prefersBorder", true);
	json_close_object(writer);
	json_close_object(writer);
}

static struct resource_document get_gateway_status_console_document(void)
{
	struct console_part page = console_document();

	return (struct resource_document){
		.type = CONSOLE_TYPE,
		.text = page.text,
		.length = page.length,
		.write_meta = get_gateway_status_write_console_meta,
	};
}

const struct resource resource_console = {
	.uri = CONSOLE_URI,
	.name = "console",
	.title = "Console",
	.description =
		"The page that shows conversations, SIM cards, limits and messages "
		"waiting for approval, in hosts that know MCP Apps.",
	.document = get_gateway_status_console_document,
};
