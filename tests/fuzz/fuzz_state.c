/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Values that clients return to the gateway: requestState, event IDs, cursors, task IDs,
 * times. A line feed separates them. A requestState of "!" and JSON is signed here first,
 * so that the code behind its MAC is reached, too. */
#include "base/clock.h"
#include "base/crypto.h"
#include "base/utf8.h"
#include "fuzz.h"
#include "mcp/elicitation_call.h"
#include "mcp/session.h"
#include "tools/cursor.h"

/* 2026-11-21T12:00:00Z: an input has the same outcome on any day */
#define NOON_MS INT64_C(1795262400000)

static const struct crypto_key key = { { 1, 2, 3 } };

static int64_t noon_ms(void)
{
	return NOON_MS;
}

static const char *no_boot_id(void)
{
	return "";
}

int LLVMFuzzerInitialize(int *argc, char ***argv)
{
	static const struct clock_source noon = { noon_ms, noon_ms, noon_ms, no_boot_id };

	clock_set_source(&noon);
	return 0;
}

/* Only the holder of the key can make one. */
static void check_foreign(const char *text, struct arena *arena)
{
	struct elicitation_2026_state state;

	FUZZ_CHECK(elicitation_2026_state_read(text, &key, arena, &state) != 0);
}

static char *sign(const char *members, struct arena *arena)
{
	size_t length = crypto_base64_length(strlen(members));
	char *text = arena_alloc(arena, 3 + length + 1);
	char mac[MAC_DIGEST_BYTES];

	FUZZ_CHECK(text);
	memcpy(text, "v1.", 3);
	crypto_base64_encode(members, strlen(members), text + 3);
	FUZZ_CHECK(crypto_hmac(key.bytes, text, strlen(text), mac));
	return arena_printf(arena, "%s.%s", text, mac);
}

/* A change anywhere makes it invalid. */
static void check_changed(const char *written, size_t place, struct arena *arena)
{
	char *changed = arena_copy(arena, written, strlen(written));
	struct elicitation_2026_state state;

	changed[place % strlen(written)] ^= 1;
	FUZZ_CHECK(elicitation_2026_state_read(changed, &key, arena, &state) ==
		   REQUEST_STATE_E_FORGED);
}

static void check_signed(const char *members, struct arena *arena)
{
	struct elicitation_2026_state state, again;
	const char *written;

	if (elicitation_2026_state_read(sign(members, arena), &key, arena, &state) != 0)
		return;
	written = elicitation_2026_state_write(&state, &key, arena);
	FUZZ_CHECK(written);
	FUZZ_CHECK(elicitation_2026_state_read(written, &key, arena, &again) == 0);
	FUZZ_CHECK(strcmp(state.order, again.order) == 0);
	FUZZ_CHECK(strcmp(state.seen, again.seen) == 0);
	FUZZ_CHECK(!state.answers == !again.answers);
	check_changed(written, strlen(members), arena);
}

static void check_event_id(const char *text)
{
	char again[SESSION_EVENT_ID_BYTES];
	struct session_event_id id;

	if (!session_event_id_read(text, &id))
		return;
	session_event_id_write(id, again);
	FUZZ_CHECK(strcmp(text, again) == 0);
}

static void check_cursor(const char *text)
{
	static const enum cursor_kind kinds[] = { CURSOR_MESSAGES, CURSOR_CONVERSATIONS,
						  CURSOR_ARRIVALS };
	char again[CURSOR_BYTES];
	unsigned fitting = 0;
	int64_t id;

	for (size_t at = 0; at < sizeof(kinds) / sizeof(kinds[0]); at++) {
		if (!cursor_read(kinds[at], text, &id))
			continue;
		fitting++;
		cursor_write(kinds[at], id, again);
		FUZZ_CHECK(strcmp(text, again) == 0);
	}
	FUZZ_CHECK(fitting <= 1);
}

static void check_line(const char *text)
{
	struct arena *arena = arena_new(1 << 20);
	int64_t wall_ms;

	if (*text == '!')
		check_signed(text + 1, arena);
	else
		check_foreign(text, arena);
	check_event_id(text);
	check_cursor(text);
	clock_parse(text, &wall_ms);
	arena_free(arena);
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t length)
{
	char *text = fuzz_text(data, length);
	char *rest = text, *line;

	if (utf8_valid(text, strlen(text))) {
		while ((line = strsep(&rest, "\n")))
			check_line(line);
	}
	free(text);
	return 0;
}
