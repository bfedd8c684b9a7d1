/* SPDX-License-Identifier: GPL-2.0-or-later */
/* What the vCard reader left out, in words. Neither names nor numbers are kept. */
#include "phone/vcard.h"

#include <stdio.h>
#include <string.h>

static const char *const vcard_skips_words[VCARD_SKIP_KINDS][2] = {
	[VCARD_SKIP_NAMELESS] = { "vCard without a name", "vCards without a name" },
	[VCARD_SKIP_CHARSET] = { "name in an unknown character set; save it as UTF-8",
				 "names in an unknown character set; save them as UTF-8" },
	[VCARD_SKIP_NUMBER] = { "TEL that is not a phone number",
				"TELs that are not phone numbers" },
	[VCARD_SKIP_CUT] = { "phone number beyond the 32 that are kept of a vCard",
			     "phone numbers beyond the 32 that are kept of a vCard" },
	[VCARD_SKIP_NUMBERLESS] = { "vCard without a phone number",
				    "vCards without a phone number" },
};

void vcard_skips_add(struct vcard_skips *skips, enum vcard_skip_kind kind, size_t line)
{
	struct vcard_skip *skip = &skips->kinds[kind];

	if (skip->count < VCARD_SKIP_LINES)
		skip->lines[skip->count] = line;
	skip->count++;
}

static void vcard_skips_describe_kind(FILE *text, const struct vcard_skip *skip,
				      const char *const words[2])
{
	bool many = skip->count > 1;

	fprintf(text, "%zu %s (line%s", skip->count, words[many], many ? "s" : "");
	for (size_t i = 0; i < skip->count && i < VCARD_SKIP_LINES; i++)
		fprintf(text, "%s %zu", i ? "," : "", skip->lines[i]);
	if (skip->count > VCARD_SKIP_LINES)
		fprintf(text, " and %zu more", skip->count - VCARD_SKIP_LINES);
	fputc(')', text);
}

void vcard_skips_describe(const struct vcard_skips *skips, enum vcard_skip_kind first,
			  enum vcard_skip_kind end, char text_out[VCARD_SKIPS_BYTES])
{
	FILE *text = fmemopen(text_out, VCARD_SKIPS_BYTES, "w");
	const char *between = "";

	*text_out = '\0';
	if (!text)
		return;
	for (unsigned kind = first; kind < end; kind++) {
		if (!skips->kinds[kind].count)
			continue;
		fputs(between, text);
		vcard_skips_describe_kind(text, &skips->kinds[kind],
					  vcard_skips_words[kind]);
		between = ", ";
	}
	fclose(text);
}
