/* SPDX-License-Identifier: GPL-2.0-or-later */
/* The owner's commands as the control socket delivers them: one on each line, all sent
 * before the first finishes. */
#include "fuzz_owner.h"

int LLVMFuzzerInitialize(int *argc, char ***argv)
{
	gateway_open();
	return 0;
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t length)
{
	char *text = fuzz_text(data, length), *at = text, *end = text + length;

	while (at < end) {
		char *feed = memchr(at, '\n', (size_t)(end - at));

		owner_ask(at, (size_t)((feed ? feed : end) - at));
		gateway_turn();
		at = feed ? feed + 1 : end;
	}
	owner_end();
	gateway_rest();
	free(text);
	return 0;
}
