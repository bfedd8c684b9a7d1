/* SPDX-License-Identifier: GPL-2.0-only */
#include "record.h"

#include <stdio.h>
#include <stdlib.h>

/*
 * JSON of its own, for a library would have to be loaded into ofonod. Only what RFC 8259
 * requires is escaped; text is UTF-8 already, since ofonod put it into a D-Bus signal.
 */
static void write_string(FILE *out, const char *text)
{
	fputc('"', out);
	for (; *text; text++) {
		unsigned char byte = (unsigned char)*text;

		if (byte == '"' || byte == '\\')
			fprintf(out, "\\%c", byte);
		else if (byte < 0x20)
			fprintf(out, "\\u%04x", byte);
		else
			fputc(byte, out);
	}
	fputc('"', out);
}

static void write_member(FILE *out, const char *name, const char *text)
{
	fprintf(out, ",\n\"%s\": ", name);
	write_string(out, text);
}

static void write_record(FILE *out, const struct record *record)
{
	long long received_ms = (long long)record->received.tv_sec * 1000 +
				record->received.tv_nsec / 1000000;

	fprintf(out, "{\n\"format\": 1,\n\"received_ms\": %lld", received_ms);
	write_member(out, "modem", record->modem);
	write_member(out, "imsi", record->imsi);
	write_member(out, "uuid", record->uuid);
	write_member(out, "sender", record->sender);
	write_member(out, "sent_time", record->sent_time);
	write_member(out, "text", record->text);
	write_member(out, "ofono", record->ofono);
	fputs("\n}\n", out);
}

char *record_text(const struct record *record, size_t *length_out)
{
	char *text = NULL;
	FILE *out = open_memstream(&text, length_out);
	int failed;

	if (!out)
		return NULL;
	write_record(out, record);
	failed = ferror(out);
	if (fclose(out) == 0 && !failed)
		return text;
	free(text);
	return NULL;
}
