/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "webhook/webhook_private.h"

#include <stdio.h>
#include <string.h>

#include "base/buffer.h"

#define SECRET_PREFIX	 "whsec_"
#define SIGNATURE_PREFIX "v1,"

enum {
	SECRET_TEXT_MAX = (WEBHOOK_SECRET_MOST + 2) / 3 * 4,
	MAC_TEXT = (MAC_BYTES + 2) / 3 * 4,
	ID_DIGITS = 32,
};

bool webhook_signature_read_secret(const char *text, struct webhook_secret *secret_out)
{
	static const size_t prefix = sizeof(SECRET_PREFIX) - 1;
	char bytes[SECRET_TEXT_MAX];
	size_t length = 0;
	bool is_valid;

	if (strncmp(text, SECRET_PREFIX, prefix) != 0 ||
	    strlen(text + prefix) > SECRET_TEXT_MAX)
		return false;
	text += prefix;
	is_valid = crypto_base64_decode(text, strlen(text), bytes, &length) &&
		   length >= WEBHOOK_SECRET_LEAST && length <= WEBHOOK_SECRET_MOST;
	if (is_valid) {
		*secret_out = (struct webhook_secret){ .length = length };
		memcpy(secret_out->bytes, bytes, length);
	}
	explicit_bzero(bytes, sizeof(bytes));
	return is_valid;
}

bool webhook_signature_write(const struct webhook_signature_subject *subject,
			     const struct webhook_secret *secrets, size_t count,
			     char text_out[WEBHOOK_SIGNATURES_BYTES])
{
	struct buffer signed_text = BUFFER_INIT;
	char timestamp[32];
	uint8_t mac[MAC_BYTES];
	size_t used = 0;
	bool done = true;

	snprintf(timestamp, sizeof(timestamp), ".%lld.", (long long)subject->timestamp);
	buffer_append_text(&signed_text, subject->message_id);
	buffer_append_text(&signed_text, timestamp);
	buffer_append(&signed_text, subject->body, subject->length);
	for (size_t at = 0; done && at < count; at++) {
		if (!secrets[at].length)
			continue;
		used += (size_t)snprintf(text_out + used, WEBHOOK_SIGNATURES_BYTES - used,
					 "%s%s", used ? " " : "", SIGNATURE_PREFIX);
		done = !signed_text.failed &&
		       used + MAC_TEXT < WEBHOOK_SIGNATURES_BYTES &&
		       crypto_hmac_bytes(secrets[at].bytes, secrets[at].length,
					 signed_text.data, signed_text.length, mac) &&
		       crypto_base64_encode((const char *)mac, sizeof(mac),
					    text_out + used);
		used += MAC_TEXT;
	}
	if (done)
		text_out[used] = '\0';
	buffer_deinit(&signed_text);
	return done;
}

bool webhook_signature_write_id(int64_t client_id, const char *url, const char *name,
				const char *arguments_json, char id_out[WEBHOOK_ID_BYTES])
{
	struct buffer key = BUFFER_INIT;
	struct json_writer *writer = json_writer_new(&key);
	char principal[32], digest[MAC_DIGEST_BYTES];
	bool done;

	if (!writer)
		return false;
	snprintf(principal, sizeof(principal), "client:%lld", (long long)client_id);
	json_open_array(writer);
	json_write_string(writer, principal);
	json_write_string(writer, url);
	json_write_string(writer, name);
	json_write_raw(writer, arguments_json, strlen(arguments_json));
	json_close_array(writer);
	json_writer_free(writer);
	done = !key.failed && crypto_digest(key.data, key.length, digest);
	if (done)
		snprintf(id_out, WEBHOOK_ID_BYTES, "sub_%.*s", ID_DIGITS, digest);
	buffer_deinit(&key);
	return done;
}
