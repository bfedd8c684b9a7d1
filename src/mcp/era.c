/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Deciding the era of a message: a ladder of tests; the first that matches decides.
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

/* What the tests look at */

static bool era_is_request(const struct era_input *input)
{
	return input->message->kind == RPC_REQUEST;
}

static const struct json *era_meta_version(const struct era_input *input)
{
	return rpc_meta(input->message, RPC_META_PREFIX "protocolVersion");
}

/*
 * The protocolVersion of _meta; NULL: absent, or not a string, which no header can equal.
 */
static const char *era_body_version(const struct era_input *input)
{
	return json_string(era_meta_version(input));
}

static bool era_body_is_2025(const struct era_input *input)
{
	return era_body_version(input) &&
	       revision_find(revision_family_2025, era_body_version(input));
}

static bool era_body_is_2026(const struct era_input *input)
{
	return era_meta_version(input) && !era_body_is_2025(input);
}

static bool era_header_is_2026(const struct era_input *input)
{
	return input->header && strcmp(input->header, ERA_FIRST_2026) >= 0;
}

/* The tests */

static bool era_is_response(const struct era_input *input)
{
	return input->message->kind == RPC_RESPONSE;
}

static bool era_is_handshake(const struct era_input *input)
{
	return era_is_request(input) && !era_body_is_2026(input) &&
	       strcmp(input->message->method, "initialize") == 0;
}

static bool era_is_2025_envelope(const struct era_input *input)
{
	return era_is_request(input) && era_body_is_2025(input);
}

static bool era_header_differs_from_body(const struct era_input *input)
{
	if (!era_is_request(input) || !era_body_version(input))
		return false;
	return input->header_conflict ||
	       (input->header && strcmp(input->header, era_body_version(input)) != 0);
}

static bool era_body_is_unsupported(const struct era_input *input)
{
	return era_is_request(input) && era_body_is_2026(input) &&
	       era_body_version(input) &&
	       !revision_find(revision_family_2026, era_body_version(input));
}

static bool era_has_session(const struct era_input *input)
{
	return input->session == ERA_SESSION_LIVE;
}

static bool era_headers_conflict(const struct era_input *input)
{
	return input->header_conflict;
}

static bool era_header_is_unsupported(const struct era_input *input)
{
	return input->header && !revision_find(revision_family_2025, input->header);
}

static bool era_session_is_dead(const struct era_input *input)
{
	return input->session == ERA_SESSION_DEAD;
}

static bool era_always(const struct era_input *input)
{
	return true;
}

static const char era_unsupported[] =
	"Unsupported protocol version: send the _meta of 2026-07-28 with every request, "
	"or begin with initialize for 2025-11-25, 2025-06-18, 2025-03-26 or 2024-11-05";

/* A row without an era refuses the message with the rest of the row. */
static const struct {
	bool (*fits)(const struct era_input *input);
	const struct era *era;
	unsigned status;
	enum rpc_code code;
	const char *text;
} era_ladder[] = {
	{ era_is_response, &era_2025 },
	{ era_is_handshake, &era_2025 },
	{ era_header_differs_from_body, NULL, 400, RPC_HEADER_MISMATCH,
	  "MCP-Protocol-Version differs from the protocolVersion of _meta" },
	{ era_is_2025_envelope, NULL, 400, RPC_UNSUPPORTED_VERSION, era_unsupported },
	{ era_body_is_unsupported, NULL, 400, RPC_UNSUPPORTED_VERSION, era_unsupported },
	{ era_body_is_2026, &era_2026 },
	{ era_has_session, &era_2025 },
	{ era_headers_conflict, NULL, 400, RPC_HEADER_MISMATCH,
	  "MCP-Protocol-Version is given twice, with different values" },
	{ era_header_is_2026, &era_2026 },
	{ era_header_is_unsupported, NULL, 400, RPC_UNSUPPORTED_VERSION,
	  era_unsupported },
	{ era_session_is_dead, NULL, 404, RPC_SESSION_NOT_FOUND,
	  "Session not found: begin again with initialize" },
	{ era_always, &era_2025 },
};

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

/* The 2026 family has one revision. */
static const struct revision *era_choose_revision(const struct era_input *input,
						  const struct era *era)
{
	const struct revision *revision = NULL;

	if (era == &era_2026 || era_is_handshake(input))
		return era->revisions;
	if (era_has_session(input))
		return input->session_revision;
	if (input->header)
		revision = revision_find(era->revisions, input->header);
	return revision ? revision : revision_find(era->revisions, ERA_ASSUMED_REVISION);
}

struct era_verdict era_decide(const struct era_input *input)
{
	struct era_verdict verdict = { 0 };
	size_t step = 0;

	while (!era_ladder[step].fits(input))
		step++;
	verdict.era = era_ladder[step].era;
	if (verdict.era) {
		verdict.revision = era_choose_revision(input, verdict.era);
		return verdict;
	}
	verdict.status = era_ladder[step].status;
	verdict.error =
		(struct rpc_error){ era_ladder[step].code, era_ladder[step].text };
	if (era_ladder[step].code == RPC_UNSUPPORTED_VERSION) {
		verdict.error.write_data = era_write_unsupported;
		verdict.error.data =
			era_body_version(input) ? era_body_version(input) : input->header;
	}
	return verdict;
}
