/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Code probes: a dry run that reports contains_received_code confirms a guess. An agent that may
 * not read codes could find one with enough dry runs, so it learns this for a few texts an hour;
 * after that its dry runs say only that the owner's approval is needed, whatever the text is.
 *
 * Kept in memory, for the clients that were last to learn something. Private to src/policy.
 */
#pragma once

#include <stdbool.h>
#include <stdint.h>

enum { CODE_PROBES_PER_HOUR = 3 };

struct code_probes;

struct code_probes *code_probes_new(void); /* Returns NULL if memory runs out */
void code_probes_free(struct code_probes *probes);

/* Has the client learnt enough? Then until when (monotonic clock); else 0. */
int64_t code_probes_end_ms(const struct code_probes *probes, int64_t client_id,
			   int64_t now_ms);
/* A dry run says of this text that it holds a code. The same text again does not count. */
void code_probes_count(struct code_probes *probes, int64_t client_id, const char *text,
		       int64_t now_ms);
