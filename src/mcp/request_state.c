/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * "v1." BASE64(JSON) "." HEX(HMAC-SHA256 of all before this dot)
 *
 * Reading is strict about base64 and hex, so that a state has exactly one spelling. The
 * lifetime counts twice: by the wall clock, which somebody may set, and, until the phone
 * reboots, by the time since boot, which nobody can.
 */
#include "mcp/elicitation_call.h"

#include <errno.h>
#include <gnutls/gnutls.h>
#include <string.h>

#include "base/clock.h"
#include "base/crypto.h"
#include "base/json.h"
#include "base/json_reader.h"

#define VERSION "v1."

enum { VERSION_LENGTH = sizeof(VERSION) - 1 };

static void request_state_write_members(const struct request_state *state,
					struct json_writer *writer)
{
	json_open_object(writer);
	json_put_string(writer, "order", state->order);
	json_put_integer(writer, "expires", clock_wall_ms() + REQUEST_STATE_LIFETIME_MS);
	json_put_integer(writer, "boot", clock_boot_number());
	json_put_integer(writer, "lived", clock_boot_ms() + REQUEST_STATE_LIFETIME_MS);
	json_put_string(writer, "call", state->call);
	json_put_string(writer, "question", state->question);
	json_put_string(writer, "seen", state->seen);
	if (state->is_repeated)
		json_put_boolean(writer, "repeated", true);
	if (state->answers) {
		json_key(writer, "answers");
		json_write_canonical(writer, state->answers);
	}
	json_close_object(writer);
}

/* Writes "v1." and the base64 part */
static char *request_state_write_signed_part(const struct request_state *state,
					     struct arena *arena)
{
	struct buffer members = BUFFER_INIT;
	struct json_writer *writer = json_writer_new(&members);
	size_t length;
	char *text = NULL;

	if (writer) {
		request_state_write_members(state, writer);
		json_writer_free(writer);
		length = crypto_base64_length(members.length);
		if (!members.failed)
			text = arena_alloc(arena, VERSION_LENGTH + length + 1);
	}
	if (text) {
		memcpy(text, VERSION, VERSION_LENGTH);
		if (!crypto_base64_encode(members.data, members.length,
					  text + VERSION_LENGTH))
			text = NULL;
	}
	buffer_deinit(&members);
	return text;
}

const char *request_state_write(const struct request_state *state,
				const struct crypto_key *key, struct arena *arena)
{
	const char *text = request_state_write_signed_part(state, arena);
	char mac[MAC_DIGEST_BYTES];

	if (!text || !crypto_hmac(key->bytes, text, strlen(text), mac))
		return NULL;
	return arena_printf(arena, "%s.%s", text, mac);
}

/* Returns where a correct MAC begins, or NULL if it was not made with this key. */
static const char *request_state_find_mac(const char *text, const struct crypto_key *key)
{
	const char *point = strrchr(text, '.');
	char mac[MAC_DIGEST_BYTES];

	if (strncmp(text, VERSION, VERSION_LENGTH) != 0 || point < text + VERSION_LENGTH)
		return NULL;
	if (strlen(point + 1) != sizeof(mac) - 1 ||
	    !crypto_hmac(key->bytes, text, (size_t)(point - text), mac) ||
	    gnutls_memcmp(mac, point + 1, sizeof(mac) - 1) != 0)
		return NULL;
	return point + 1;
}

static int request_state_read_json(const char *text, size_t length, struct arena *arena,
				   const struct json **root_out)
{
	char *data = arena_alloc(arena, length + 1);

	if (!data)
		return -ENOMEM;
	if (!crypto_base64_decode(text, length, data, &length))
		return REQUEST_STATE_E_FORGED;
	return json_reader_read(arena, data, length, root_out) ? -ENOMEM : 0;
}

/*
 * Measures the age by the time since boot, which cannot be set. Returns false if the phone was
 * booted since.
 */
static bool request_state_boot_age(const struct json *root, int64_t *age_ms_out)
{
	int64_t boot, until_ms;

	if (!json_integer(json_member(root, "boot"), &boot) || !boot ||
	    boot != clock_boot_number() ||
	    !json_integer(json_member(root, "lived"), &until_ms))
		return false;
	*age_ms_out = clock_boot_ms() - until_ms + REQUEST_STATE_LIFETIME_MS;
	return true;
}

/*
 * Returns false if it has expired. An expiry in the far future means that the wall clock was set
 * back since.
 */
static bool request_state_read_age(const struct json *root, int64_t *age_ms_out)
{
	int64_t expires_ms, left_ms;

	if (!json_integer(json_member(root, "expires"), &expires_ms))
		return false;
	left_ms = expires_ms - clock_wall_ms();
	if (!request_state_boot_age(root, age_ms_out))
		*age_ms_out = REQUEST_STATE_LIFETIME_MS - left_ms;
	return *age_ms_out < REQUEST_STATE_LIFETIME_MS && left_ms > 0 &&
	       left_ms <= REQUEST_STATE_LIFETIME_MS;
}

int request_state_read(const char *text, const struct crypto_key *key,
		       struct arena *arena, struct request_state *state_out)
{
	const char *mac = request_state_find_mac(text, key);
	const struct json *root;
	struct request_state state;
	int64_t age_ms;
	int error;

	if (!mac)
		return REQUEST_STATE_E_FORGED;
	text += VERSION_LENGTH;
	error = request_state_read_json(text, (size_t)(mac - 1 - text), arena, &root);
	if (error)
		return error;
	if (!request_state_read_age(root, &age_ms))
		return REQUEST_STATE_E_EXPIRED;
	state = (struct request_state){
		.order = json_string(json_member(root, "order")),
		.call = json_string(json_member(root, "call")),
		.question = json_string(json_member(root, "question")),
		.seen = json_string(json_member(root, "seen")),
		.answers = json_member(root, "answers"),
		.is_repeated = json_member(root, "repeated") != NULL,
		.age_ms = age_ms,
	};
	if (!state.order || !state.call || !state.question || !state.seen)
		return REQUEST_STATE_E_FORGED;
	*state_out = state;
	return 0;
}
