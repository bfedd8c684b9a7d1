/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * What every fuzz target has: its entry, which libFuzzer or replay.c calls, and a check.
 *
 * A target looks for more than memory errors: FUZZ_CHECK() says what must be true of
 * whatever comes in.
 */
#ifndef TESTS_FUZZ_H
#define TESTS_FUZZ_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t length);
/* Optional; before the first input. */
int LLVMFuzzerInitialize(int *argc, char ***argv) __attribute__((weak));

#define FUZZ_CHECK(condition)                                                      \
	do {                                                                       \
		if (!(condition)) {                                                \
			fprintf(stderr, "%s:%d: not so: %s\n", __FILE__, __LINE__, \
				#condition);                                       \
			abort();                                                   \
		}                                                                  \
	} while (0)

/*
 * tests/faults/starve.c has it: what stands in FUZZ_TRY() is the gateway's own doing, and may
 * find no memory and no room on the disk.
 */
void fuzz_starve(bool is_hungry) __attribute__((weak));
/* Optional: called by it after each input, when there is plenty again. */
void fuzz_probe(void) __attribute__((weak));

#define FUZZ_TRY(statement)                 \
	do {                                \
		if (fuzz_starve)            \
			fuzz_starve(true);  \
		statement;                  \
		if (fuzz_starve)            \
			fuzz_starve(false); \
	} while (0)

/* A copy with a NUL behind it, so that a byte read too far is found. The caller frees it. */
static inline char *fuzz_text(const uint8_t *data, size_t length)
{
	char *text = malloc(length + 1);

	FUZZ_CHECK(text);
	if (length)
		memcpy(text, data, length);
	text[length] = '\0';
	return text;
}

/*
 * A folder for one process, which whoever runs it takes away: it lies in TMPDIR, and that goes
 * after the run.
 */
static inline void fuzz_folder(char *path, size_t size)
{
	const char *scratch = getenv("TMPDIR");

	snprintf(path, size, "%s/ofono-mcp-fuzz-XXXXXX", scratch ? scratch : "/tmp");
	FUZZ_CHECK(mkdtemp(path));
}

#endif
