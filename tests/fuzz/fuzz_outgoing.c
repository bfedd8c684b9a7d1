/* SPDX-License-Identifier: GPL-2.0-or-later */
/* A record of an outgoing message: written by a program in place of ofonod, or a damaged one.
 * The name precedes the first line feed. */
#include <fcntl.h>
#include <unistd.h>

#include "base/utf8.h"
#include "fuzz.h"
#include "sms/spool_file.h"

static int folder = -1;

int LLVMFuzzerInitialize(int *argc, char ***argv)
{
	char path[256];

	fuzz_folder(path, sizeof(path));
	folder = open(path, O_RDONLY | O_DIRECTORY | O_CLOEXEC);
	FUZZ_CHECK(folder >= 0);
	return 0;
}

static void write_file(const char *name, const char *data, size_t length)
{
	int file = openat(folder, name, O_WRONLY | O_CREAT | O_TRUNC | O_CLOEXEC, 0600);

	FUZZ_CHECK(file >= 0);
	FUZZ_CHECK(write(file, data, length) == (ssize_t)length);
	close(file);
}

static void check_record(const struct outbox_record *record, bool is_outcome)
{
	FUZZ_CHECK(strlen(record->uuid) == 40 && strlen(record->imsi) < 16);
	FUZZ_CHECK(record->at_ms >= 0 && record->at_ms <= INT64_C(253402300799999));
	FUZZ_CHECK(is_outcome == (record->type != OUTBOX_RECORD_ACCEPTED));
	FUZZ_CHECK(is_outcome == !record->number && is_outcome == !record->text);
	if (is_outcome)
		return;
	FUZZ_CHECK(strlen(record->number) < 64);
	FUZZ_CHECK(utf8_valid(record->number, strlen(record->number)));
	FUZZ_CHECK(utf8_valid(record->text, strlen(record->text)));
}

/* Only with these names is a file opened. */
static bool is_record(const char *name)
{
	return spool_file_is_named(name, ".out") || spool_file_is_named(name, ".end");
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t length)
{
	struct arena *arena = arena_new(4 << 20);
	char *text = fuzz_text(data, length);
	char *behind = memchr(text, '\n', length);
	struct outbox_record record;
	const char *flaw = NULL;
	int error;

	if (behind) {
		*behind++ = '\0';
		if (is_record(text))
			write_file(text, behind, length - (size_t)(behind - text));
		error = spool_file_read_record(folder, text, arena, &record, &flaw);
		if (error == 0)
			check_record(&record, spool_file_is_named(text, ".end"));
		else
			FUZZ_CHECK(error == SPOOL_FILE_E_BAD && flaw);
		if (is_record(text))
			unlinkat(folder, text, 0);
	}
	free(text);
	arena_free(arena);
	return 0;
}
