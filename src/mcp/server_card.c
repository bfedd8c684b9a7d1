/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "mcp/server_card.h"

#include "mcp/era.h"
#include "mcp/introduction.h"

#define SCHEMA "https://static.modelcontextprotocol.io/schemas/v1/server-card.schema.json"

static void put_token(struct json_writer *writer)
{
	json_key(writer, "headers");
	json_open_array(writer);
	json_open_object(writer);
	json_put_string(writer, "name", "Authorization");
	json_put_string(writer, "description",
			"Bearer and the token that `ofono-mcp pair NAME` prints on the "
			"phone");
	json_put_boolean(writer, "isRequired", true);
	json_put_boolean(writer, "isSecret", true);
	json_close_object(writer);
	json_close_array(writer);
}

static void put_remote(struct json_writer *writer, const char *url)
{
	json_key(writer, "remotes");
	json_open_array(writer);
	json_open_object(writer);
	json_put_string(writer, "type", "streamable-http");
	json_put_string(writer, "url", url);
	put_token(writer);
	json_key(writer, "supportedProtocolVersions");
	era_write_all_revisions(writer);
	json_close_object(writer);
	json_close_array(writer);
}

void server_card_write(struct json_writer *writer, const char *url)
{
	json_open_object(writer);
	json_put_string(writer, "$schema", SCHEMA);
	json_put_string(writer, "name", introduction.qualified_name);
	json_put_string(writer, "title", introduction.title);
	json_put_string(writer, "version", introduction.version);
	json_put_string(writer, "description", introduction.description);
	if (url)
		put_remote(writer, url);
	json_close_object(writer);
}
