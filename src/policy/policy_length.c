/* SPDX-License-Identifier: GPL-2.0-or-later */
/* The rule about the length of a text. */
#include "policy/policy_case.h"
#include "sms/segments.h"
#include "config/config.h"

static int64_t units_in(enum segments_encoding encoding, int64_t segments)
{
	if (segments == 1)
		return encoding == SEGMENTS_GSM7 ? 160 : 70;
	return segments * (encoding == SEGMENTS_GSM7 ? 153 : 67);
}

static const char *explain(const struct policy_case *about,
			   const struct segments *segments, int64_t most)
{
	struct arena *arena = about->request->arena;
	const char *cause = "";

	if (segments->culprit)
		cause = arena_printf(
			arena,
			" The character %s is not in the GSM alphabet; without "
			"such characters more than twice as much fits.",
			segments_name_character(arena, about->request->text,
						segments->culprit));
	return arena_printf(
		arena,
		"The text needs %u segments, and the owner allows %lld in one "
		"message: it has %u units in %s, and %lld fit.%s",
		segments->count, (long long)most, segments->units,
		segments_encoding_name(segments->encoding),
		(long long)units_in(segments->encoding, most), cause ? cause : "");
}

int policy_check_length(struct policy_case *about)
{
	int64_t most = about->policy->parts.config->max_segments;
	struct segments segments;

	if (about->request->segments <= most)
		return 0;
	segments_measure(about->request->text, &segments);
	return policy_refuse(about, FAILURE_TEXT_TOO_LONG,
			     explain(about, &segments, most));
}
