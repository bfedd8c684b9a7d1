/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "mcp/permission.h"

bool permission_covers(unsigned scopes, unsigned needed)
{
	return (scopes & needed) == needed;
}

static const char *challenge(struct arena *arena, unsigned needed)
{
	char names[CLIENT_SCOPES_BYTES];

	client_write_scopes(needed, ' ', names);
	return arena_printf(arena,
			    "Bearer realm=\"ofono-mcp\", error=\"insufficient_scope\", "
			    "scope=\"%s\"",
			    names);
}

/* NULL: no memory. */
static const char *explain(struct arena *arena, const struct client *client,
			   unsigned needed, const char *what)
{
	char missing[CLIENT_SCOPES_BYTES], all[CLIENT_SCOPES_BYTES];

	client_write_scopes(needed & ~client->scopes, ',', missing);
	client_write_scopes(needed | client->scopes, ',', all);
	return arena_printf(arena,
			    "%s needs the scope %s, which the client %s does not have. "
			    "Trying again does not help; the owner of the phone grants "
			    "it there with: ofono-mcp change %s --scope %s",
			    what, missing, client->name, client->name, all);
}

/* Also for who sees no header: one message of several. */
static void write_needed(struct json_writer *writer, const void *data)
{
	char names[CLIENT_SCOPES_BYTES];

	client_write_scopes(*(const unsigned *)data, ' ', names);
	json_open_object(writer);
	json_put_string(writer, "error", "insufficient_scope");
	json_put_string(writer, "scope", names);
	json_close_object(writer);
}

bool permission_admit(struct request *request, unsigned needed, const char *what)
{
	const struct client *client = exchange_client(request->exchange);

	if (permission_covers(client->scopes, needed))
		return true;
	request_forbid(request, challenge(request->arena, needed),
		       &(struct rpc_error){
			       .code = RPC_REFUSED,
			       .text = explain(request->arena, client, needed, what),
			       .write_data = write_needed,
			       .data = &needed,
		       });
	return false;
}
