/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * sms://status, sms://subscriptions and sms://voicemail: the state of gateway and SIM cards;
 * and ui://ofono-mcp/console, the page that shows it in hosts that know MCP Apps.
 */
#include "console/console.h"
#include "tools/services.h"
#include "tools/sim_view.h"
#include "tools/status_view.h"
#include "tools/tool_table.h"

static int resource_status_write(const struct resource_call *call,
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
	.write = resource_status_write,
};

static int resource_status_write_sims(const struct resource_call *call,
				      struct json_writer *writer)
{
	sim_view_write(writer, call->services->sims, SIM_VIEW_FULL);
	return 0;
}

const struct resource resource_subscriptions = {
	.uri = "sms://subscriptions",
	.name = "subscriptions",
	.title = "SIM cards",
	.description = "The SIM cards in this phone and whether they can send. Subscribe "
		       "to learn when one comes, goes or changes its state; changes of "
		       "the signal alone are not reported.",
	.scopes = CLIENT_READ,
	.write = resource_status_write_sims,
};

static int resource_status_write_voicemail(const struct resource_call *call,
					   struct json_writer *writer)
{
	const struct sims *sims = call->services->sims;

	json_open_object(writer);
	json_put_integer(writer, "count", sims_count(sims));
	json_key(writer, "subscriptions");
	sim_view_write_voicemail(writer, sims, false);
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
	.write = resource_status_write_voicemail,
};

/* The page talks to its host only: it needs no domain and no permission. */
static void resource_status_write_console_meta(struct json_writer *writer)
{
	static const char *const domains[] = { "connectDomains", "resourceDomains",
					       "frameDomains", "baseUriDomains" };

	json_open_object(writer);
	json_key(writer, "ui");
	json_open_object(writer);
	json_key(writer, "csp");
	json_open_object(writer);
	for (size_t i = 0; i < sizeof(domains) / sizeof(*domains); i++) {
		json_key(writer, domains[i]);
		json_open_array(writer);
		json_close_array(writer);
	}
	json_close_object(writer);
	json_put_boolean(writer, "prefersBorder", true);
	json_close_object(writer);
	json_close_object(writer);
}

static struct resource_document resource_status_console_document(void)
{
	struct console_part page = console_document();

	return (struct resource_document){
		.type = CONSOLE_TYPE,
		.text = page.text,
		.length = page.length,
		.write_meta = resource_status_write_console_meta,
	};
}

const struct resource resource_console = {
	.uri = CONSOLE_URI,
	.name = "console",
	.title = "Console",
	.description =
		"The page that shows conversations, SIM cards, limits and messages "
		"waiting for approval, in hosts that know MCP Apps.",
	.document = resource_status_console_document,
};
