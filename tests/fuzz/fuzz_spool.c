/* SPDX-License-Identifier: GPL-2.0-or-later */
/* A file of the spool: written by a program in place of ofonod, or a damaged one. The
 * name precedes the first line feed. */
#include <fcntl.h>
#include <unistd.h>

#include "base/utf8.h"
#include "fuzz.h"
#include "sms/spool_file.h"

#define NAME "01790000000000000000-0123456789ABCDEF0123456789ABCDEF01234567.sms"

static int folder = -1;

int LLVMFuzzerInitialize(int *argc, char ***argv)
{
	char path[256];

	fuzz_folder(path, sizeof(path));
	folder = open(path, O_RDONLY | O_DIRECTORY | O_CLOEXEC);
	FUZZ_CHECK(folder >= 0);
	return 0;
}

static void write_file(const char *data, size_t length)
{
	int file = openat(folder, NAME, O_WRONLY | O_CREAT | O_TRUNC | O_CLOEXEC, 0600);

	FUZZ_CHECK(file >= 0);
	FUZZ_CHECK(write(file, data, length) == (ssize_t)length);
	close(file);
}

static void check_message(const struct inbox_spooled *spooled)
{
	FUZZ_CHECK(utf8_valid(spooled->text, strlen(spooled->text)));
	FUZZ_CHECK(utf8_valid(spooled->sender, strlen(spooled->sender)));
	FUZZ_CHECK(spooled->modem[0] == '/' && strlen(spooled->modem) < 128);
	FUZZ_CHECK(strlen(spooled->imsi) < 16 && strlen(spooled->sender) < 64);
	FUZZ_CHECK(spooled->received_ms >= 0);
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t length)
{
	struct arena *arena = arena_new(4 << 20);
	char *text = fuzz_text(data, length);
	char *behind = memchr(text, '\n', length);
	struct inbox_spooled spooled;
	const char *flaw = NULL;
	int error;

	if (behind) {
		*behind++ = '\0';
		spool_file_is_named(text, ".sms");
		write_file(behind, length - (size_t)(behind - text));
		error = spool_file_read(folder, NAME, arena, &spooled, &flaw);
		if (error == 0)
			check_message(&spooled);
		else
			FUZZ_CHECK(error == SPOOL_FILE_E_BAD && flaw);
	}
	free(text);
	arena_free(arena);
	return 0;
}
