/* SPDX-License-Identifier: GPL-2.0-or-later */
#include <stdio.h>
#include <string.h>

#include "unit_test.h"
#include "base/utf8.h"
#include "phone/vcard.h"

static char found[4096]; /* "Anna=+3620,061;Bela=+36;" */
static struct vcard_skips skips;

static void on_card(void *data, const struct vcard *card)
{
	size_t length = strlen(found);

	assert_ptr_equal(data, found);
	assert_in_range(card->count, 1, VCARD_NUMBERS_MAX);
	assert_true(*card->name && utf8_valid(card->name, strlen(card->name)));
	length += (size_t)snprintf(found + length, sizeof(found) - length,
				   "%s=", card->name);
	for (unsigned i = 0; i < card->count; i++)
		length += (size_t)snprintf(found + length, sizeof(found) - length, "%s%s",
					   i ? "," : "", card->numbers[i]);
	snprintf(found + length, sizeof(found) - length, ";");
}

static void read_in_pieces(const char *text, size_t length, size_t piece)
{
	struct vcard_reader reader;

	*found = '\0';
	vcard_reader_init(&reader, on_card, found);
	for (size_t at = 0; at < length; at += piece)
		vcard_reader_feed(&reader, text + at,
				  length - at < piece ? length - at : piece);
	vcard_reader_finish(&reader);
	skips = reader.skips;
}

/* In pieces of every size. */
static void expect_bytes(const char *text, size_t length, const char *cards)
{
	read_in_pieces(text, length, length ? length : 1);
	assert_string_equal(found, cards);
	read_in_pieces(text, length, 1);
	assert_string_equal(found, cards);
}

static void expect(const char *text, const char *cards)
{
	expect_bytes(text, strlen(text), cards);
}

/* The text is the middle of a card of that version. */
static void expect_in(const char *version, const char *lines, const char *cards)
{
	char text[8192];

	snprintf(text, sizeof(text), "BEGIN:VCARD\r\nVERSION:%s\r\n%s\r\nEND:VCARD\r\n",
		 version, lines);
	expect(text, cards);
}

/* Like ofonod 1.31. */
TEST(test_cards_as_ofono_writes_them)
{
	expect("BEGIN:VCARD\r\nVERSION:3.0\r\nFN:Kov\xc3\xa1"
	       "cs Anna\r\nTEL;TYPE=CELL;TYPE=VOICE:+36201234567\r\n"
	       "CATEGORIES:friends\r\nEND:VCARD\r\n"
	       "BEGIN:VCARD\r\nVERSION:3.0\r\nFN:Bela\\, the smith\r\n"
	       "TEL;TYPE=HOME:0611112222\r\nTEL;TYPE=WORK:06301112222\r\nEND:VCARD\r\n",
	       "Kov\xc3\xa1"
	       "cs Anna=+36201234567;Bela, the smith=0611112222,06301112222;");
}

TEST(test_cards_of_old_phones)
{
	expect_in("2.1",
		  "N;CHARSET=UTF-8;ENCODING=QUOTED-PRINTABLE:Kov=C3=A1cs;An=\r\nna;;;\r\n"
		  "TEL;CELL;PREF:+36 (20) 123-4567\r\nTEL;HOME:06-1/111.2222",
		  "Anna Kov\xc3\xa1"
		  "cs=+36201234567,0611112222;");
	expect_in("2.1", "FN;QUOTED-PRINTABLE:=41nna=\nMari=\na=3d\r\nTEL:1",
		  "AnnaMaria==1;");
	expect_in("2.1", "FN:Anna\r\n Maria\r\nTEL:1", "Anna Maria=1;");
}

TEST(test_cards_of_version_4)
{
	expect_in("4.0",
		  "item1.FN;ALTID=1;X=\"a:b;c\":Anna\\;\\nMa\r\n ria\r\n"
		  "item1.tel;VALUE=uri;TYPE=\"voice,home\":tel:+36-20-123-4567;ext=5",
		  "Anna; Maria=+36201234567;");
}

TEST(test_fn_precedes_n)
{
	expect_in("3.0", "N:Kovacs;Anna;Maria;Dr.;\nTEL:1", "Anna Maria Kovacs=1;");
	expect_in("3.0", "N:Kovacs;Anna;;;\nFN:Anni\nTEL:1", "Anni=1;");
	expect_in("3.0", "FN:Anni\nN:Kovacs;Anna;;;\nTEL:1", "Anni=1;");
	expect_in("3.0", "FN:\nN:Ko\\;vacs;;;;\nTEL:1", "Ko;vacs=1;");
	expect_in("3.0", "FN:  \x01 A\tb \x7f\nTEL:1", "A b=1;");
	expect_in("3.0", "FN: \nN:;;;;\nTEL:1", "");
	expect_in("3.0", "FN;ENCODING=b:QW5uYQ==\nN:Anna\nTEL:1", "Anna=1;");
	expect_in("3.0", "FN:Anna\\", "");
	expect_in("3.0", "FN:Anna\\\nTEL:1", "Anna\\=1;");
}

TEST(test_numbers_are_normalised_and_bounded)
{
	expect_in("3.0", "FN:A\nTEL:*100#\nTEL:1-800-FLOWERS\nTEL:\nTEL:+\nTEL:12p3", "");
	expect_in("3.0", "FN:A\nTEL: 1 2\nTEL:12\nTEL:+12", "A=12,+12;");
	expect_in("3.0", "FN:A\nTEL:123456789012345678901\nTEL:7", "A=7;");
	/* as address books write them */
	expect_in("3.0",
		  "FN:A\nTEL:\xe2\x80\xaa+33\xc2\xa0"
		  "6\xe2\x80\x91"
		  "12\xe2\x80\xac\nTEL:06\xc2\xa0"
		  "1\nTEL:\xd9\xa1",
		  "A=+33612,061,1;");
	expect_in("3.0", "FN:A\nTEL:+44 (0) 20 1\nTEL:(0)20 2\nTEL:+44(0",
		  "A=+44201,0202,+440;");
	expect_in("3.0", "FN:A\nTEL:+39 (0)6 1234 5678\nTEL:+44 ( 0 ) 20 1",
		  "A=+390612345678,+44201;");
	expect_in("3.0", "FN:A\nXTEL:1\nTE:2\nTEL.X:3", "");
}

static void expect_skip(enum vcard_skip_kind kind, size_t count, size_t first_line)
{
	assert_int_equal(skips.kinds[kind].count, count);
	if (count)
		assert_int_equal(skips.kinds[kind].lines[0], first_line);
}

TEST(test_a_card_without_a_name_has_that_of_its_organisation)
{
	static const char *const versions[] = { "2.1", "3.0", "4.0" };

	for (size_t i = 0; i < sizeof(versions) / sizeof(versions[0]); i++) {
		const char *version = versions[i];

		expect_in(version, "ORG:Acme\\, Inc.;Sales;\nTEL:1", "Acme, Inc.=1;");
		expect_in(version, "N:;;;;\nORG:Acme;\nTEL:1", "Acme=1;");
		expect_in(version, "N:;;;;\nFN:\nORG:;Sales\nTEL:1", "Sales=1;");
		expect_in(version, "NICKNAME:Nic,Nicky\nN:;;;;\nTEL:1", "Nic=1;");
		expect_in(version, "ORG:Acme\nNICKNAME:Nic\nTEL:1", "Nic=1;");
		expect_in(version, "NICKNAME:Nic\nORG:Acme\nN:;Anna;;;\nTEL:1",
			  "Anna=1;");
		expect_in(version, "FN:Anna\nNICKNAME:Nic\nORG:Acme\nTEL:1", "Anna=1;");
		expect_in(version, "TITLE:Boss\nTEL:1", "");
		expect_skip(VCARD_SKIP_NAMELESS, 1, 1);
	}
	expect_in("2.1", "ORG;QUOTED-PRINTABLE;CHARSET=GBK:=D2=BB;\nTEL:1",
		  "\xe4\xb8\x80=1;");
}

TEST(test_declared_character_sets_are_converted)
{
	expect_in("2.1",
		  "FN;CHARSET=ISO-8859-1:Kov\xe1"
		  "cs\nTEL:1",
		  "Kov\xc3\xa1"
		  "cs=1;");
	expect_in("3.0", "FN;CHARSET=\"iso-8859-2\":\xf8\nTEL:1", "\xc5\x99=1;");
	expect_in("2.1",
		  "N;CHARSET=WINDOWS-1251;ENCODING=QUOTED-PRINTABLE:;=C8=E2=\n=E0=ED\n"
		  "TEL:1",
		  "\xd0\x98\xd0\xb2\xd0\xb0\xd0\xbd=1;");
	expect_in("2.1", "FN;CHARSET=windows-1252:\x80\nTEL:1", "\xe2\x82\xac=1;");
	expect_in("2.1",
		  "N;CHARSET=GBK:\xd2\xbb\x81\x5c;;\nTEL:1", /* a "\" in the second */
		  "\xe4\xb8\x80\xe4\xb9\x97=1;");
	expect_in("2.1", "FN;CHARSET=SHIFT_JIS:\x83\x5c\nTEL:1", "\xe3\x82\xbd=1;");
	expect_in("2.1", "FN;CHARSET=BIG5:\xa4\x40\nTEL:1", "\xe4\xb8\x80=1;");
	expect_in("2.1", "FN;CHARSET=KOI8-R:\xe9\nTEL:1", "\xd0\x98=1;");
	/* declared wrongly, as many programs do */
	expect_in("2.1", "FN;CHARSET=ISO-8859-1:\xc3\xa1\nTEL:1", "\xc3\xa1=1;");
	expect_skip(VCARD_SKIP_CHARSET, 0, 0);
}

TEST(test_an_unknown_character_set_is_refused_rather_than_guessed)
{
	static const char *const names[] = {
		"FN:Kov\xe1"
		"cs",
		"FN;CHARSET=UTF-8:Kov\xe1"
		"cs",
		"FN;CHARSET=US-ASCII:Kov\xe1"
		"cs",
		"FN;CHARSET=X-NONE:Anna\xe1",
		"FN;CHARSET=ISO-2022-CN-EXT:Anna",
		"FN;CHARSET=../../x:Anna",
		"FN;CHARSET=GBK:\xff\xff",
		"FN;CHARSET=GBK:\xd2",
		"FN;CHARSET=UTF-16;QUOTED-PRINTABLE:=00A",
	};
	char lines[128];

	for (size_t i = 0; i < sizeof(names) / sizeof(names[0]); i++) {
		snprintf(lines, sizeof(lines), "%s\nTEL:1", names[i]);
		expect_in("2.1", lines, "");
		expect_skip(VCARD_SKIP_CHARSET, 1, 3);
		expect_skip(VCARD_SKIP_NAMELESS, 0, 0);
	}
	/* a worse name is used, and the better one counted */
	expect_in("2.1", "ORG:Acme\nFN:\xe1\nTEL:1", "Acme=1;");
	expect_skip(VCARD_SKIP_CHARSET, 1, 4);
	expect_in("2.1", "ORG:\xe1\nFN:Anna\nTEL:1", "Anna=1;");
	expect_skip(VCARD_SKIP_CHARSET, 0, 0);
}

/* With and without the byte order mark. */
static void expect_wide(unsigned width, bool is_big_endian)
{
	static const unsigned points[] = { 0xfeff, 'B', 'E', 'G',  'I',	   'N',	    ':',
					   'V',	   'C', 'A', 'R',  'D',	   '\r',    '\n',
					   'F',	   'N', ':', 0xe1, 0x4e00, 0x1f600, '\r',
					   '\n',   'T', 'E', 'L',  ':',	   '1' };
	char bytes[4 * 32] = "";
	size_t length = 0;

	for (size_t i = 0; i < sizeof(points) / sizeof(points[0]); i++) {
		unsigned units[2] = { points[i] };
		unsigned count = 1;

		if (width == 2 && points[i] > 0xffff) {
			units[0] = 0xd800 + ((points[i] - 0x10000) >> 10);
			units[1] = 0xdc00 + (points[i] & 0x3ff);
			count = 2;
		}
		for (unsigned at = 0; at < count * width; at++) {
			unsigned place = at % width;

			place = is_big_endian ? width - 1 - place : place;
			bytes[length++] = (char)(units[at / width] >> 8 * place);
		}
	}
	expect_bytes(bytes, length, "\xc3\xa1\xe4\xb8\x80\xf0\x9f\x98\x80=1;");
	expect_bytes(bytes + width, length - width,
		     "\xc3\xa1\xe4\xb8\x80\xf0\x9f\x98\x80=1;");
}

TEST(test_wide_texts_are_read_in_either_byte_order)
{
	expect_wide(2, false);
	expect_wide(2, true);
	expect_wide(4, false);
	expect_wide(4, true);
	/* unpaired surrogates */
	expect_bytes("F\0\0\xd8\n\0\0\xdc\n", 9, "");
}

TEST(test_pauses_and_extensions_are_dropped)
{
	static const char *const values[] = {
		"+36201234567,,12#",
		"+36201234567;12",
		"+36201234567p12w3",
		"+36201234567P12",
		"+36201234567 x12",
		"+36201234567x12",
		"+36201234567 ext. 12",
		"+36201234567 (ext 12)",
		"+36201234567EXT12",
		"+36201234567\\,\\,12",
		"+36201234567\\;ext=12",
		"+36201234567,1234567",
		"tel:+36201234567;ext=5",
		"+36201234567,",
		"+36 20/123-4567,,123,,456#",
		"+36201234567 extension 12",
		"+36201234567,0611234567#",
		"+36201234567 #12",
		"+36201234567w",
	};
	char lines[128];

	for (size_t i = 0; i < sizeof(values) / sizeof(values[0]); i++) {
		snprintf(lines, sizeof(lines), "FN:A\nTEL:%s", values[i]);
		expect_in("3.0", lines, "A=+36201234567;");
		expect_skip(VCARD_SKIP_NUMBER, 0, 0);
	}
	expect_in("3.0", "FN:A\nTEL:1-800-PIZZA\nTEL:*100#\nTEL:123#\nTEL:x12\nTEL:,12",
		  "");
	expect_skip(VCARD_SKIP_NUMBER, 5, 4);
}

TEST(test_two_numbers_in_one_property_are_two)
{
	static const char *const values[] = {
		"+36201234567, +36301112222",	    "+36201234567,+36301112222",
		"+36201234567 / +36301112222",	    "+36201234567/+36301112222",
		"+36201234567;+36301112222",	    "+36201234567\\;+36301112222",
		"+36201234567\\n+36301112222",	    "+36201234567 | +36301112222",
		"+36201234567 ext 1, +36301112222",
	};
	char lines[128];

	for (size_t i = 0; i < sizeof(values) / sizeof(values[0]); i++) {
		snprintf(lines, sizeof(lines), "FN:A\nTEL:%s", values[i]);
		expect_in("3.0", lines, "A=+36201234567,+36301112222;");
	}
	expect_in("3.0", "FN:A\nTEL:2025550123;2025550124", "A=2025550123,2025550124;");
	expect_in("3.0", "FN:A\nTEL:0611112222 / 0622223333 / 06-3/333.4444",
		  "A=0611112222,0622223333,0633334444;");
	expect_in("3.0", "FN:A\nTEL:06-1/111.2222", "A=0611112222;");
}

TEST(test_numbers_beyond_the_limit_are_counted)
{
	char lines[1024] = "FN:A", expected[256] = "A=", *to = expected + 2;

	for (unsigned i = 0; i < VCARD_NUMBERS_MAX + 2; i++)
		sprintf(lines + strlen(lines), "\nTEL:%u", i + 10);
	for (unsigned i = 0; i < VCARD_NUMBERS_MAX; i++)
		to += sprintf(to, "%s%u", i ? "," : "", i + 10);
	strcpy(to, ";");
	expect_in("3.0", lines, expected);
	expect_skip(VCARD_SKIP_CUT, 2, 4 + VCARD_NUMBERS_MAX);
}

TEST(test_what_is_left_out_is_described_with_line_numbers)
{
	char text[VCARD_SKIPS_BYTES];

	expect("BEGIN:VCARD\r\nFN:A\r\nEMAIL:a@example.org\r\nEND:VCARD\r\n"
	       "BEGIN:VCARD\r\nNOTE:a\r\n b\r\nTEL:1\r\nEND:VCARD\r\n\r\n"
	       "BEGIN:VCARD\r\nTEL:1\r\nTEL:none\r\nEND:VCARD\r\n",
	       "");
	expect_skip(VCARD_SKIP_NUMBERLESS, 1, 1);
	expect_skip(VCARD_SKIP_NAMELESS, 2, 5);
	expect_skip(VCARD_SKIP_NUMBER, 1, 13);
	vcard_skips_describe(&skips, 0, VCARD_SKIP_DEFECTS, text);
	assert_non_null(strstr(text, "(lines 5, 11)"));
	assert_non_null(strstr(text, "(line 13)"));
	assert_null(strstr(text, "line 1)"));
	for (size_t line = 14; line < 30; line++)
		vcard_skips_add(&skips, VCARD_SKIP_NUMBER, line);
	vcard_skips_describe(&skips, 0, VCARD_SKIP_KINDS, text);
	assert_non_null(strstr(text, "(lines 13, 14, 15, 16, 17 and 12 more)"));
	memset(&skips, 0xff, sizeof(skips));
	vcard_skips_describe(&skips, 0, VCARD_SKIP_KINDS, text);
	assert_in_range(strlen(text), 1, sizeof(text) - 1);
	memset(&skips, 0, sizeof(skips));
	vcard_skips_describe(&skips, 0, VCARD_SKIP_KINDS, text);
	assert_string_equal(text, "");
}

TEST(test_a_card_that_is_marked_private_is_left_out)
{
	static const char *const lines[] = { "CLASS:PRIVATE", "class:confidential",
					     "item1.Class;X=y: Private ",
					     "CLASS;QUOTED-PRINTABLE:=50RIVATE",
					     "CLASS:PRIV\n ATE" };
	char text[VCARD_SKIPS_BYTES];

	for (size_t i = 0; i < sizeof(lines) / sizeof(lines[0]); i++) {
		snprintf(text, sizeof(text), "TEL:none\nFN:\xff\n%s\nTEL:1\nFN:A",
			 lines[i]);
		expect_in("3.0", text, "");
		expect_skip(VCARD_SKIP_PRIVATE, 1, 1);
		expect_skip(VCARD_SKIP_NUMBER, 0, 0);
		expect_skip(VCARD_SKIP_CHARSET, 0, 0);
	}
	expect_in("2.1", "FN:A\nTEL:1\nCLASS:PRIVATE", "");
	expect_in("3.0", "FN:A\nTEL:1\nCLASS:PUBLIC", "A=1;");
	expect_in("3.0", "FN:A\nTEL:1\nX-CLASS:PRIVATE\nCLASS:PRIVATELY", "A=1;");
	expect("BEGIN:VCARD\nFN:A\nTEL:1\nCLASS:PRIVATE\n"
	       "BEGIN:VCARD\nFN:B\nTEL:none\nTEL:2\nEND:VCARD\n"
	       "BEGIN:VCARD\nCLASS:PRIVATE\nFN:C\nTEL:3",
	       "B=2;");
	expect_skip(VCARD_SKIP_PRIVATE, 2, 1);
	expect_skip(VCARD_SKIP_NUMBER, 1, 7);
	vcard_skips_describe(&skips, VCARD_SKIP_DEFECTS, VCARD_SKIP_KINDS, text);
	assert_string_equal(text, "2 vCards marked private (lines 1, 10)");
}

TEST(test_what_several_texts_leave_out_is_counted_without_line_numbers)
{
	struct vcard_skips sum = { 0 };
	char text[VCARD_SKIPS_BYTES];

	expect_in("3.0", "FN:A\nTEL:none", "");
	vcard_skips_merge(&sum, &skips);
	vcard_skips_merge(&sum, &skips);
	vcard_skips_describe(&sum, 0, VCARD_SKIP_KINDS, text);
	assert_string_equal(text, "2 TELs that are not phone numbers");
}

TEST(test_missing_ends_and_nested_cards)
{
	expect("", "");
	expect("FN:A\nTEL:1\nEND:VCARD\nEND:VCARD\n", "");
	expect("\xef\xbb\xbf"
	       "begin:vcard\rFN:A\rTEL:1\rend:vcard\r",
	       "A=1;");
	expect("BEGIN:VCARD\nFN:A\nTEL:1\n\nBEGIN:VCARD\nFN:B\nTEL:2", "A=1;B=2;");
	expect("BEGIN:VCARD\nFN:A\nAGENT:\nBEGIN:VCARD\nFN:B\nTEL:2\nEND:VCARD\nTEL:1\n"
	       "END:VCARD\n",
	       "A=1;");
	expect("BEGIN:VCARD\nFN:A\nAGENT:\nBEGIN:VCARD\nFN:B\nCLASS:PRIVATE\nEND:VCARD\n"
	       "TEL:1\nEND:VCARD\n",
	       "A=1;");
	expect("BEGIN:VCALENDAR\nFN:A\nTEL:1\nEND:VCALENDAR\n", "");
}

/* What is wrong in one line does not spoil the others. */
TEST(test_a_bad_line_costs_only_itself)
{
	static const char nul[] = "BEGIN:VCARD\nFN:A\0B\nFN:C\nTEL:1\0\nTEL:2\nEND:VCARD";

	expect_bytes(nul, sizeof(nul) - 1, "C=2;");
	expect_in("3.0", "FN:\xc3\x28\nFN:\xed\xa0\x80\nN:B\nTEL:1", "B=1;");
	expect_in("3.0", "FN;QUOTED-PRINTABLE:=C3=28\nN:B\nTEL:1", "B=1;");
	expect_in("3.0", "FN;QUOTED-PRINTABLE:A=00B=4\nTEL:1", "A=1;");
	expect_in("3.0", "FN;X=\"unclosed:A\n\"\"\"\n:\n;:;\n.:\n...;=;=:=\nTEL:1\nN:B",
		  "B=1;");
	expect_in("3.0", "FN:A\n \n\t\n  b\nTEL:1", "A b=1;");
	expect("=\n=\n=\n\n\n\r\r\n", "");
}

static char *repeat(char *to, const char *text, size_t times)
{
	while (times--)
		to = stpcpy(to, text);
	return to;
}

TEST(test_lines_names_and_numbers_are_bounded)
{
	char lines[8000], expected[VCARD_NAME_BYTES + 8];

	/* a photograph, folded or not */
	strcpy(repeat(stpcpy(lines, "FN:A\nPHOTO;BASE64:"), "QUJD\n ", 1000),
	       "=\n\nTEL:1");
	expect_in("2.1", lines, "A=1;");
	strcpy(repeat(stpcpy(lines, "FN:A\nPHOTO:"), "TEL:2", 1000), "\nTEL:1");
	expect_in("3.0", lines, "A=1;");
	strcpy(repeat(stpcpy(lines, "N;QUOTED-PRINTABLE:"), "=41=\n", 1200),
	       "\nFN:B\nTEL:1");
	expect_in("2.1", lines, "B=1;");
	/* cut at a character */
	strcpy(repeat(stpcpy(lines, "FN:A"), "\xc3\xa1", 100), "\nTEL:1");
	strcpy(repeat(stpcpy(expected, "A"), "\xc3\xa1", (VCARD_NAME_BYTES - 2) / 2),
	       "=1;");
	expect_in("3.0", lines, expected);
	/* nested cards */
	repeat(lines, "BEGIN:VCARD\nAGENT:\n", 400);
	expect(lines, "");
}
