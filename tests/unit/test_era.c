/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * The ladder: which revision serves a message, also in a session, and what no client sends in
 * tests/integration/test_ladder.py, which has every kind of body with every header.
 */
#include <stdio.h>
#include <string.h>
#include "unit_test.h"

#include "base/json_reader.h"
#include "mcp/era.h"

#define REQUEST(method, params) \
	"{\"jsonrpc\":\"2.0\",\"id\":1,\"method\":\"" method "\",\"params\":" params "}"
#define NOTIFICATION(params) \
	"{\"jsonrpc\":\"2.0\",\"method\":\"notifications/x\",\"params\":" params "}"
#define CLAIM(version) \
	"{\"_meta\":{\"io.modelcontextprotocol/protocolVersion\":" version "}}"

static const char ping[] = REQUEST("ping", "{}");
static const char modern[] = REQUEST("ping", CLAIM("\"2026-07-28\""));
static const char future[] = REQUEST("ping", CLAIM("\"v999.0.0\""));
static const char old[] = REQUEST("ping", CLAIM("\"2025-11-25\""));
static const char typed[] = REQUEST("ping", CLAIM("5"));
static const char empty[] = REQUEST("ping", CLAIM("\"\""));
static const char handshake[] = REQUEST("initialize", "{}");
static const char modern_handshake[] = REQUEST("initialize", CLAIM("\"2026-07-28\""));
static const char old_handshake[] = REQUEST("initialize", CLAIM("\"2025-06-18\""));
static const char note[] = NOTIFICATION("{}");
static const char modern_note[] = NOTIFICATION(CLAIM("\"2026-07-28\""));
static const char future_note[] = NOTIFICATION(CLAIM("\"v999.0.0\""));
static const char old_note[] = NOTIFICATION(CLAIM("\"2025-11-25\""));
static const char response[] = "{\"jsonrpc\":\"2.0\",\"id\":1,\"result\":{}}";

#define NONE	    ERA_SESSION_NONE
#define LIVE	    ERA_SESSION_LIVE
#define DEAD	    ERA_SESSION_DEAD
#define MISMATCH    RPC_HEADER_MISMATCH
#define UNSUPPORTED RPC_UNSUPPORTED_VERSION

/* A live session has negotiated 2025-06-18. */
static const struct {
	const char *body;
	const char *header; /* "!": two different values */
	enum era_session session;
	const char *revision; /* NULL: refused with `status` and `code` */
	unsigned status;
	enum rpc_code code;
} cells[] = {
	/* what no body and header of the table there shows */
	{ empty, NULL, NONE, NULL, 400, UNSUPPORTED },
	{ empty, "", NONE, NULL, 400, UNSUPPORTED },
	{ ping, "latest", NONE, "2026-07-28" },
	{ future, "v999.0.0", NONE, NULL, 400, UNSUPPORTED },
	{ ping, "2025-11-26", NONE, NULL, 400, UNSUPPORTED },
	{ note, "1.0", NONE, NULL, 400, UNSUPPORTED },
	{ old, "2025-06-18", NONE, NULL, 400, MISMATCH },
	{ ping, "!", NONE, NULL, 400, MISMATCH },
	/* which revision of the family serves it */
	{ ping, NULL, NONE, "2025-03-26" },
	{ response, NULL, NONE, "2025-03-26" },
	{ handshake, NULL, NONE, "2025-11-25" },
	{ modern, NULL, NONE, "2026-07-28" },
	{ future_note, NULL, NONE, "2026-07-28" },
	{ ping, "2025-11-25", NONE, "2025-11-25" },
	{ ping, "2024-11-05", NONE, "2024-11-05" },
	{ note, "2025-06-18", NONE, "2025-06-18" },
	{ handshake, "2025-06-18", NONE, "2025-11-25" },
	{ typed, "2025-11-25", NONE, "2026-07-28" },
	{ modern_note, "2025-11-25", NONE, "2026-07-28" },
	{ old_note, "2025-06-18", NONE, "2025-06-18" },
	{ ping, "2026-07-28", NONE, "2026-07-28" },
	{ response, "2026-07-28", NONE, "2025-03-26" },
	{ modern_handshake, "2026-07-28", NONE, "2026-07-28" },
	{ old_handshake, "2026-07-28", NONE, "2025-11-25" },
	{ note, "2099-01-01", NONE, "2026-07-28" },
	/* a live session has its negotiated revision */
	{ ping, NULL, LIVE, "2025-06-18" },
	{ ping, "2025-11-25", LIVE, "2025-06-18" },
	{ ping, "2026-07-28", LIVE, "2025-06-18" },
	{ ping, "1.0", LIVE, "2025-06-18" },
	{ ping, "!", LIVE, "2025-06-18" },
	{ note, "2026-07-28", LIVE, "2025-06-18" },
	{ response, "2026-07-28", LIVE, "2025-06-18" },
	{ handshake, NULL, LIVE, "2025-11-25" },
	{ modern, "2026-07-28", LIVE, "2026-07-28" },
	{ old, "2025-11-25", LIVE, NULL, 400, UNSUPPORTED },
	{ old, "2026-07-28", LIVE, NULL, 400, MISMATCH },
	/* a dead session is an error, except for initialize and for messages that need
	 * none */
	{ ping, NULL, DEAD, NULL, 404, RPC_SESSION_NOT_FOUND },
	{ ping, "2025-11-25", DEAD, NULL, 404, RPC_SESSION_NOT_FOUND },
	{ note, "2025-11-25", DEAD, NULL, 404, RPC_SESSION_NOT_FOUND },
	{ ping, "1.0", DEAD, NULL, 400, UNSUPPORTED },
	{ handshake, "2025-11-25", DEAD, "2025-11-25" },
	{ modern, "2026-07-28", DEAD, "2026-07-28" },
	{ ping, "2026-07-28", DEAD, "2026-07-28" },
};

static const struct json *parse(struct arena *arena, const char *text)
{
	const struct json *root = NULL;

	assert_int_equal(json_reader_read(arena, text, strlen(text), &root), 0);
	return root;
}

static struct era_verdict ask(struct arena *arena, size_t cell)
{
	const char *header = cells[cell].header;
	bool conflict = header && strcmp(header, "!") == 0;
	struct rpc_message message;
	struct era_input question = {
		.message = &message,
		.header = conflict ? "2026-07-28" : header,
		.header_conflict = conflict,
		.session = cells[cell].session,
	};

	if (cells[cell].session == ERA_SESSION_LIVE)
		question.session_revision =
			revision_find(revision_family_2025, "2025-06-18");
	assert_int_equal(rpc_read(parse(arena, cells[cell].body), &message).code, 0);
	return era_decide(&question);
}

static void check(size_t cell)
{
	struct arena *arena = arena_new(64 * 1024);
	struct era_verdict verdict = ask(arena, cell);
	const char *revision = verdict.era ? verdict.revision->name : "none";
	const char *expected = cells[cell].revision ? cells[cell].revision : "none";

	if (strcmp(revision, expected) != 0 || verdict.status != cells[cell].status ||
	    verdict.error.code != cells[cell].code)
		fail_msg("%s with header %s: %s, %u, %d", cells[cell].body,
			 cells[cell].header ? cells[cell].header : "none", revision,
			 verdict.status, verdict.error.code);
	assert_int_equal(!verdict.era, verdict.error.text != NULL);
	assert_int_equal(verdict.error.code == UNSUPPORTED, !!verdict.error.write_data);
	arena_free(arena);
}

TEST(test_each_message_is_served_by_its_revision)
{
	for (size_t cell = 0; cell < sizeof(cells) / sizeof(cells[0]); cell++)
		check(cell);
}

/* Clients choose from this list. */
TEST(test_unsupported_version_names_the_supported_ones)
{
	struct arena *arena = arena_new(64 * 1024);
	struct rpc_message message;
	struct era_input question = { .message = &message };
	struct era_verdict verdict;
	struct buffer body = BUFFER_INIT;

	rpc_read(parse(arena, future), &message);
	verdict = era_decide(&question);
	rpc_write_error(&body, message.id, &verdict.error);
	buffer_append(&body, "", 1);
	assert_non_null(strstr(body.data, "\"data\":{\"supported\":[\"2026-07-28\"],"
					  "\"requested\":\"v999.0.0\"}"));
	buffer_deinit(&body);
	arena_free(arena);
}

/* initialize offers the first one. */
TEST(test_revisions_are_listed_newest_first)
{
	const struct revision *const families[] = { revision_family_2025,
						    revision_family_2026 };

	for (size_t i = 0; i < 2; i++)
		for (const struct revision *at = families[i]; at[1].name; at++)
			assert_true(strcmp(at[0].name, at[1].name) > 0);
}
