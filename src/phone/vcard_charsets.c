/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * The character sets that CHARSET declares for single values of a vCard in bytes.
 *
 * iconv converts them. Only names of a fixed list reach it, because vCard files are passed on:
 * its more exotic converters have had memory errors.
 */
#include <errno.h>
#include <string.h>
#include <strings.h>

#include "base/utf8.h"
#include "phone/vcard_private.h"

/* Names that begin so are known; the program's name for it, NULL for the same. */
static const struct vcard_charsets_known {
	const char *name, *iconv_name;
} vcard_charsets_known[] = {
	/* as browsers do: the larger sets, which programs that declare the smaller ones use */
	{ "ISO-8859-1$", "CP1252" },
	{ "ISO8859-1$", "CP1252" },
	{ "ISO_8859-1$", "CP1252" },
	{ "LATIN1$", "CP1252" },
	{ "GB2312", "GB18030" },
	{ "GBK", "GB18030" },
	{ "SHIFT_JIS", "CP932" },
	{ "SHIFT-JIS", "CP932" },
	{ "SJIS", "CP932" },
	{ "X-SJIS", "CP932" },
	{ "MS_KANJI", "CP932" },
	{ "WINDOWS-31J", "CP932" },
	{ "EUC-KR", "CP949" },
	{ "KS_C_5601", "CP949" },
	{ "WINDOWS-874", "CP874" },
	{ "WINDOWS-936", "GB18030" },
	{ "WINDOWS-949", "CP949" },
	{ "ISO-8859-", NULL },
	{ "ISO8859-", NULL },
	{ "ISO_8859-", NULL },
	{ "LATIN", NULL },
	{ "WINDOWS-125", NULL },
	{ "CP", NULL },
	{ "IBM", NULL },
	{ "GB18030", NULL },
	{ "BIG5", NULL },
	{ "EUC-", NULL },
	{ "ISO-2022-JP$", NULL },
	{ "ISO-2022-KR$", NULL },
	{ "KOI8-", NULL },
	{ "MACINTOSH$", NULL },
	{ "TIS-620$", NULL },
	{ "VISCII$", NULL },
};

/* Returns NULL if the name is unknown. */
static const char *vcard_charsets_iconv_name(const char *name)
{
	for (size_t i = 0;
	     i < sizeof(vcard_charsets_known) / sizeof(vcard_charsets_known[0]); i++) {
		const struct vcard_charsets_known *known = &vcard_charsets_known[i];
		size_t length = strcspn(known->name, "$");

		if (strncasecmp(name, known->name, length) == 0 &&
		    (!known->name[length] || !name[length]))
			return known->iconv_name ? known->iconv_name : name;
	}
	return NULL;
}

/* Returns (iconv_t)-1 if there is none. */
static iconv_t vcard_charsets_converter(struct vcard_charsets *charsets, const char *name)
{
	static const char characters[] =
		"abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ0123456789-_";
	struct vcard_charset *charset = charsets->all;
	const char *iconv_name;

	for (unsigned i = 0; i < charsets->count; i++, charset++) {
		if (strcasecmp(charset->name, name) == 0)
			return charset->converter;
	}
	if (charsets->count == VCARD_CHARSETS_MAX ||
	    strlen(name) >= VCARD_CHARSET_BYTES || name[strspn(name, characters)])
		return (iconv_t)-1;
	iconv_name = vcard_charsets_iconv_name(name);
	if (!iconv_name)
		return (iconv_t)-1;
	strcpy(charset->name, name);
	charset->converter = iconv_open("UTF-8", iconv_name);
	charsets->count++;
	return charset->converter;
}

/* Programs declare these and write UTF-8; no name in them looks like UTF-8 by chance. */
static bool vcard_charsets_may_be_utf8(const char *name)
{
	static const char *const names[] = {
		"", "UTF-8", "UTF8", "US-ASCII", "ASCII", "ISO-8859-1", "WINDOWS-1252"
	};

	for (size_t i = 0; i < sizeof(names) / sizeof(names[0]); i++) {
		if (strcasecmp(name, names[i]) == 0)
			return true;
	}
	return false;
}

const char *vcard_charsets_decode(struct vcard_charsets *charsets, const char *charset,
				  char *text, size_t length, char *out, size_t out_bytes)
{
	size_t left = out_bytes - 1;
	iconv_t converter;
	char *to = out;

	if (vcard_charsets_may_be_utf8(charset) && utf8_valid(text, strlen(text)))
		return text;
	converter = vcard_charsets_converter(charsets, charset);
	if (converter == (iconv_t)-1)
		return NULL;
	iconv(converter, NULL, NULL, NULL, NULL);
	if (iconv(converter, &text, &length, &to, &left) == (size_t)-1 && errno != E2BIG)
		return NULL;
	*to = '\0';
	return out;
}

void vcard_charsets_close(struct vcard_charsets *charsets)
{
	for (unsigned i = 0; i < charsets->count; i++) {
		if (charsets->all[i].converter != (iconv_t)-1)
			iconv_close(charsets->all[i].converter);
	}
	charsets->count = 0;
}
