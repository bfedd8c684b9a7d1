/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * ui://ofono-mcp/console: the page of the tools in hosts that know MCP Apps. It asks for
 * nothing but its host: no domain and no permission is named.
 */
#include "console/console.h"
#include "tools/resource_table.h"

static void write_empty_list(struct json_writer *writer, const char *key)
{
	json_key(writer, key);
	json_open_array(writer);
	json_close_array(writer);
}

static void write_meta(struct json_writer *writer)
{
	json_open_object(writer);
	json_key(writer, "ui");
	json_open_object(writer);
	json_key(writer, "csp");
	json_open_object(writer);
	write_empty_list(writer, "connectDomains");
	write_empty_list(writer, "resourceDomains");
	write_empty_list(writer, "frameDomains");
	write_empty_list(writer, "baseUriDomains");
	json_close_object(writer);
	json_put_boolean(writer, "prefersBorder", true);
	json_close_object(writer);
	json_close_object(writer);
}

static struct resource_document document(void)
{
	struct console_part page = console_document();

	return (struct resource_document){
		.type = CONSOLE_TYPE,
		.text = page.text,
		.length = page.length,
		.write_meta = write_meta,
	};
}

const struct resource resource_console = {
	.uri = CONSOLE_URI,
	.name = "console",
	.title = "Console",
	.description = "The page that shows conversations, SIM cards, limits and what "
		       "waits for a yes, in hosts that know MCP Apps.",
	.document = document,
};
