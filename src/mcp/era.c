/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Deciding the era of a message: a ladder, whose first step that fits decides.
 *
 * The body counts before the header, since proxies drop headers and clients stamp the
 * newest one they know on everything. What has an envelope is of 2026, `initialize` opens
 * the 2025 family whatever its headers say, a session is what it negotiated, and only then
 * does MCP-Protocol-Version speak. A message without any of these is served as the oldest
 * revision asks (tests/integration/test_ladder.py).
 *
 * Source: MCP 2026-07-28, basic/versioning; 2025-11-25, basic/transports.
 */
#include "mcp/era.h"

#include <string.h>

#include "base/utf8.h"
#include "mcp/envelope.h"

enum { REQUESTED_MAX = 64 }; /* characters of it are told */

#define FIRST_MODERN "2026-07-28"
#define ASSUMED	     "2025-03-26" /* 2025-11-25, basic/transports, "Protocol Version Header" */

const struct revision *era_find_revision(const struct era *era, const char *name)
{
	for (const struct revision *served = era->revisions; served->name; served++) {
		if (strcmp(served->name, name) == 0)
			return served;
	}
	return NULL;
}

static void write_names(const struct era *era, struct json_writer *writer)
{
	for (const struct revision *served = era->revisions; served->name; served++)
		json_write_string(writer, served->name);
}

void era_write_revisions(const struct era *era, struct json_writer *writer)
{
	json_open_array(writer);
	write_names(era, writer);
	json_close_array(writer);
}

void era_write_all_revisions(struct json_writer *writer)
{
	json_open_array(writer);
	write_names(&era_2026, writer);
	write_names(&era_2025, writer);
	json_close_array(writer);
}

/* What may be asked on a step */

static bool is_request(const struct era_question *question)
{
	return question->message->kind == RPC_REQUEST;
}

/* The version that the body claims, when it is one that a header can equal. */
static const char *claim(const struct era_question *question)
{
	return json_string(envelope_version(question->message));
}

static bool claims_2025(const struct era_question *question)
{
	return claim(question) && era_find_revision(&era_2025, claim(question));
}

static bool claims_2026(const struct era_question *question)
{
	return envelope_version(question->message) && !claims_2025(question);
}

static bool header_is_2026(const struct era_question *question)
{
	return question->header && strcmp(question->header, FIRST_MODERN) >= 0;
}

/* The steps */

static bool is_response(const struct era_question *question)
{
	return question->message->kind == RPC_RESPONSE;
}

static bool is_handshake(const struct era_question *question)
{
	return is_request(question) && !claims_2026(question) &&
	       strcmp(question->message->method, "initialize") == 0;
}

static bool is_enveloped_2025(const struct era_question *question)
{
	return is_request(question) && claims_2025(question);
}

static bool header_contradicts(const struct era_question *question)
{
	if (!is_request(question) || !claim(question))
		return false;
	return question->header_conflict ||
	       (question->header && strcmp(question->header, claim(question)) != 0);
}

static bool claims_unserved(const struct era_question *question)
{
	return is_request(question) && claims_2026(question) && claim(question) &&
	       !era_find_revision(&era_2026, claim(question));
}

static bool has_session(const struct era_question *question)
{
	return question->session == ERA_SESSION_LIVE;
}

static bool header_conflicts(const struct era_question *question)
{
	return question->header_conflict;
}

static bool header_is_unserved(const struct era_question *question)
{
	return question->header && !era_find_revision(&era_2025, question->header);
}

static bool session_is_dead(const struct era_question *question)
{
	return question->session == ERA_SESSION_DEAD;
}

static bool always(const struct era_question *question)
{
	(void)question;
	return true;
}

static const char unserved[] =
	"Unsupported protocol version: send requests with the envelope of 2026-07-28 in "
	"_meta, or begin with initialize for 2025-11-25, 2025-06-18, 2025-03-26 or "
	"2024-11-05";

/* An era serves it, or it is refused with the rest of the row. */
static const struct {
	bool (*fits)(const struct era_question *question);
	const struct era *era;
	unsigned status;
	enum rpc_code code;
	const char *text;
} ladder[] = {
	{ is_response, &era_2025 },
	{ is_handshake, &era_2025 },
	{ header_contradicts, NULL, 400, RPC_HEADER_MISMATCH,
	  "MCP-Protocol-Version is not the protocolVersion of _meta" },
	{ is_enveloped_2025, NULL, 400, RPC_UNSUPPORTED_VERSION, unserved },
	{ claims_unserved, NULL, 400, RPC_UNSUPPORTED_VERSION, unserved },
	{ claims_2026, &era_2026 },
	{ has_session, &era_2025 },
	{ header_conflicts, NULL, 400, RPC_HEADER_MISMATCH,
	  "MCP-Protocol-Version stands twice with different values" },
	{ header_is_2026, &era_2026 },
	{ header_is_unserved, NULL, 400, RPC_UNSUPPORTED_VERSION, unserved },
	{ session_is_dead, NULL, 404, RPC_SESSION_NOT_FOUND,
	  "There is no such session: begin again with initialize" },
	{ always, &era_2025 },
};

/* error.data of an unsupported version. Only what `supported` names gets an envelope. */
static void write_unsupported(struct json_writer *writer, const void *data)
{
	const char *requested = data;

	json_open_object(writer);
	json_key(writer, "supported");
	era_write_revisions(&era_2026, writer);
	json_key(writer, "requested");
	json_write_text(writer, requested, utf8_cut(requested, REQUESTED_MAX));
	json_close_object(writer);
}

/* Of the 2026 family there is one. */
static const struct revision *choose_revision(const struct era_question *question,
					      const struct era *era)
{
	const struct revision *revision = NULL;

	if (era == &era_2026 || is_handshake(question))
		return era->revisions;
	if (has_session(question))
		return question->session_revision;
	if (question->header)
		revision = era_find_revision(era, question->header);
	return revision ? revision : era_find_revision(era, ASSUMED);
}

struct era_verdict era_decide(const struct era_question *question)
{
	struct era_verdict verdict = { 0 };
	size_t step = 0;

	while (!ladder[step].fits(question))
		step++;
	verdict.era = ladder[step].era;
	if (verdict.era) {
		verdict.revision = choose_revision(question, verdict.era);
		return verdict;
	}
	verdict.status = ladder[step].status;
	verdict.error = (struct rpc_error){ ladder[step].code, ladder[step].text };
	if (ladder[step].code == RPC_UNSUPPORTED_VERSION) {
		verdict.error.write_data = write_unsupported;
		verdict.error.data = claim(question) ? claim(question) : question->header;
	}
	return verdict;
}
