/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Deciding the era of a message: the first test of era_decide() that matches decides.
 *
 * The body counts before the header, because proxies drop headers and clients put the
 * newest version they know into every request. A message with a protocolVersion in _meta
 * belongs to 2026. `initialize` belongs to 2025 whatever its headers say. A session has
 * the revision it negotiated. Only then does MCP-Protocol-Version count. A message
 * without any of these is served as the oldest revision demands
 * (tests/integration/test_ladder.py).
 *
 * Source: MCP 2026-07-28, basic/versioning; 2025-11-25, basic/transports.
 */
#include "mcp/era.h"

#include <string.h>

#include "base/utf8.h"

enum { ERA_REQUESTED_MAX = 64 }; /* characters of it that an error repeats */

#define ERA_FIRST_2026 "2026-07-28"
#define ERA_ASSUMED_REVISION \
	"2025-03-26" /* 2025-11-25, basic/transports, "Protocol Version Header" */

/*
 * error.data of an unsupported version. `supported` lists only revisions that use _meta.
 */
static void era_write_unsupported(struct json_writer *writer, const void *data)
{
	const char *requested = data;

	json_open_object(writer);
	json_key(writer, "supported");
	revision_write_names(revision_family_2026, writer);
	json_key(writer, "requested");
	json_write_text(writer, requested, utf8_cut(requested, ERA_REQUESTED_MAX));
	json_close_object(writer);
}

static struct era_verdict era_refuse(unsigned status, enum rpc_code code,
				     const char *text)
{
	return (struct era_verdict){ .status = status, .error = { code, text } };
}

static struct era_verdict era_refuse_version(const char *requested)
{
	return (struct era_verdict){
		.status = 400,
		.error = {
			.code = RPC_UNSUPPORTED_VERSION,
			.text = "Unsupported protocol version: send the _meta of 2026-07-28 with every request, "
				"or begin with initialize for 2025-11-25, 2025-06-18, 2025-03-26 or 2024-11-05",
			.write_data = era_write_unsupported,
			.data = requested,
		},
	};
}

/* The family has one revision. */
static struct era_verdict era_take_2026(void)
{
	return (struct era_verdict){ .era = &era_2026, .revision = revision_family_2026 };
}

static struct era_verdict era_take_2025(const struct era_input *input)
{
	const struct revision *revision = NULL;

	if (input->session == ERA_SESSION_LIVE)
		revision = input->session_revision;
	else if (input->header)
		revision = revision_find(revision_family_2025, input->header);
	if (!revision)
		revision = revision_find(revision_family_2025, ERA_ASSUMED_REVISION);
	return (struct era_verdict){ .era = &era_2025, .revision = revision };
}

struct era_verdict era_decide(const struct era_input *input)
{
	const struct rpc_message *message = input->message;
	const char *header = input->header;
	bool is_request = message->kind == RPC_REQUEST;
	const struct json *claim = rpc_meta(message, RPC_META_PREFIX "protocolVersion");
	/* NULL if it is absent, or not a string, which no header can equal. */
	const char *version = json_string(claim);
	bool is_2026 =
		claim && !(version && revision_find(revision_family_2025, version));

	if (message->kind == RPC_RESPONSE)
		return era_take_2025(input);
	if (is_request && !is_2026 && strcmp(message->method, "initialize") == 0)
		return (struct era_verdict){ .era = &era_2025,
					     .revision = revision_family_2025 };
	if (is_request && version &&
	    (input->header_conflict || (header && strcmp(header, version) != 0)))
		return era_refuse(
			400, RPC_HEADER_MISMATCH,
			"MCP-Protocol-Version differs from the protocolVersion of _meta");
	if (is_request && version && !revision_find(revision_family_2026, version))
		return era_refuse_version(version);
	if (is_2026)
		return era_take_2026();
	if (input->session == ERA_SESSION_LIVE)
		return era_take_2025(input);
	if (input->header_conflict)
		return era_refuse(
			400, RPC_HEADER_MISMATCH,
			"MCP-Protocol-Version is given twice, with different values");
	if (header && strcmp(header, ERA_FIRST_2026) >= 0)
		return era_take_2026();
	if (header && !revision_find(revision_family_2025, header))
		return era_refuse_version(version ? version : header);
	if (input->session == ERA_SESSION_DEAD)
		return era_refuse(404, RPC_SESSION_NOT_FOUND,
				  "Session not found: begin again with initialize");
	return era_take_2025(input);
}
