/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "sms/outgoing_file.h"

#include <string.h>

#include "base/json.h"
#include "sms/spool_file.h"

enum { UUID_DIGITS = 40, UUID_AT = 21, NUMBER_BYTES_MAX = 63, IMSI_BYTES_MAX = 15 };

/* 9999-12-31T23:59:59.999Z */
#define LAST_MS INT64_C(253402300799999)

static const struct {
	const char *word;
	enum outbox_record_type type;
} outgoing_file_outcomes[] = {
	{ "sent", OUTBOX_RECORD_SENT },
	{ "failed", OUTBOX_RECORD_FAILED },
	{ "cancelled", OUTBOX_RECORD_CANCELLED },
	{ "delivered", OUTBOX_RECORD_DELIVERED },
	{ "not_delivered", OUTBOX_RECORD_NOT_DELIVERED },
};

/* Returns NULL if it is missing, no string, or too long. */
static const char *outgoing_file_text(const struct json *root, const char *name,
				      size_t max_bytes)
{
	const struct json *member = json_member(root, name);
	const char *text = member ? json_string(member) : NULL;

	return text && strlen(text) <= max_bytes ? text : NULL;
}

static bool outgoing_file_take_outcome(const struct json *root,
				       struct outbox_record *record)
{
	const char *word = outgoing_file_text(root, "status", SPOOL_FILE_BYTES_MAX);

	for (size_t i = 0;
	     word && i < sizeof(outgoing_file_outcomes) / sizeof(*outgoing_file_outcomes);
	     i++) {
		if (strcmp(outgoing_file_outcomes[i].word, word) != 0)
			continue;
		record->type = outgoing_file_outcomes[i].type;
		return true;
	}
	return false;
}

static bool outgoing_file_take(const struct json *root, const char *name,
			       struct outbox_record *record)
{
	const char *modem = outgoing_file_text(root, "modem", 127);
	int64_t format;

	record->imsi = outgoing_file_text(root, "imsi", IMSI_BYTES_MAX);
	record->uuid = outgoing_file_text(root, "uuid", UUID_DIGITS);
	if (!json_integer(json_member(root, "format"), &format) || format != 1 ||
	    !json_integer(json_member(root, "recorded_ms"), &record->at_ms) ||
	    record->at_ms < 0 || record->at_ms > LAST_MS || !modem || modem[0] != '/' ||
	    !record->imsi || strspn(record->imsi, "0123456789") != strlen(record->imsi) ||
	    !record->uuid || strlen(record->uuid) != UUID_DIGITS ||
	    strncmp(record->uuid, name + UUID_AT, UUID_DIGITS) != 0)
		return false;
	if (spool_file_is_named(name, ".end"))
		return root->count == 6 && outgoing_file_take_outcome(root, record);
	record->type = OUTBOX_RECORD_ACCEPTED;
	record->number = outgoing_file_text(root, "recipient", NUMBER_BYTES_MAX);
	record->text = outgoing_file_text(root, "text", SPOOL_FILE_BYTES_MAX);
	return root->count == 7 && record->number && record->text;
}

int outgoing_file_read(int folder, const char *name, struct arena *arena,
		       struct outbox_record *record_out, const char **flaw_out)
{
	const struct json *root = NULL;
	int error = SPOOL_FILE_E_BAD;

	*flaw_out = "it is not a file of our oFono plugin";
	*record_out = (struct outbox_record){ .number = NULL };
	if (spool_file_is_named(name, ".out") || spool_file_is_named(name, ".end"))
		error = spool_file_read_json(folder, name, arena, &root, flaw_out);
	if (error)
		return error;
	*flaw_out = "its fields do not match the format";
	return outgoing_file_take(root, name, record_out) ? 0 : SPOOL_FILE_E_BAD;
}
