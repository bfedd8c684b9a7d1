/* SPDX-License-Identifier: GPL-2.0-or-later */
/* What every fuzz target has: its entry, which libFuzzer or replay.c calls, and a check.
 *
 * A target looks for more than memory errors: FUZZ_CHECK() states what must be true for
 * every input. */
#pragma once

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t length);
/* Optional; called before the first input. */
int LLVMFuzzerInitialize(int *argc, char ***argv) __attribute__((weak));

#define FUZZ_CHECK(condition)                                                      \
	do {                                                                       \
		if (!(condition)) {                                                \
			fprintf(stderr, "%s:%d: not so: %s\n", __FILE__, __LINE__, \
				#condition);                                       \
			abort();                                                   \
		}                                                                  \
	} while (0)

/* tests/faults/starve.c defines it: the code in FUZZ_TRY() is the gateway's own, and may
 * run out of memory and disk space. */
void fuzz_starve(bool is_hungry) __attribute__((weak));
/* Optional: called after each input, when resources are available again. */
void fuzz_probe(void) __attribute__((weak));

#define FUZZ_TRY(statement)                 \
	do {                                \
		if (fuzz_starve)            \
			fuzz_starve(true);  \
		statement;                  \
		if (fuzz_starve)            \
			fuzz_starve(false); \
	} while (0)

/* A copy with a NUL after it, so that reading one byte too far is found. The caller frees
 * it. */
static inline char *fuzz_text(const uint8_t *data, size_t length)
{
	char *text = malloc(length + 1);

	FUZZ_CHECK(text);
	if (length)
		memcpy(text, data, length);
	text[length] = '\0';
	return text;
}

/* A folder for one process in TMPDIR; the caller of the run removes it. */
static inline void fuzz_folder(char *path, size_t size)
{
	const char *scratch = getenv("TMPDIR");

	snprintf(path, size, "%s/ofono-mcp-fuzz-XXXXXX", scratch ? scratch : "/tmp");
	FUZZ_CHECK(mkdtemp(path));
}
