/* SPDX-License-Identifier: GPL-2.0-or-later */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <string.h>

#include <cmocka.h>

#include "base/utf8.h"
#include "phone/vcard.h"

static char found[4096]; /* "Anna=+3620,061;Bela=+36;" */

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
static void test_cards_as_ofono_writes_them(void **state)
{
	(void)state;
	expect("BEGIN:VCARD\r\nVERSION:3.0\r\nFN:Kov\xc3\xa1"
	       "cs Anna\r\nTEL;TYPE=CELL;TYPE=VOICE:+36201234567\r\n"
	       "CATEGORIES:friends\r\nEND:VCARD\r\n"
	       "BEGIN:VCARD\r\nVERSION:3.0\r\nFN:Bela\\, the smith\r\n"
	       "TEL;TYPE=HOME:0611112222\r\nTEL;TYPE=WORK:06301112222\r\nEND:VCARD\r\n",
	       "Kov\xc3\xa1"
	       "cs Anna=+36201234567;Bela, the smith=0611112222,06301112222;");
}

static void test_cards_of_old_phones(void **state)
{
	(void)state;
	expect_in("2.1",
		  "N;CHARSET=UTF-8;ENCODING=QUOTED-PRINTABLE:Kov=C3=A1cs;An=\r\nna;;;\r\n"
		  "TEL;CELL;PREF:+36 (20) 123-4567\r\nTEL;HOME:06-1/111.2222",
		  "Anna Kov\xc3\xa1"
		  "cs=+36201234567,0611112222;");
	expect_in("2.1", "FN;QUOTED-PRINTABLE:=41nna=\nMari=\na=3d\r\nTEL:1",
		  "AnnaMaria==1;");
	expect_in("2.1",
		  "FN:Kov\xe1"
		  "cs\nTEL:1", /* ISO 8859-1 */
		  "Kov\xc3\xa1"
		  "cs=1;");
	expect_in("2.1", "FN:Anna\r\n Maria\r\nTEL:1", "Anna Maria=1;");
}

static void test_cards_of_version_4(void **state)
{
	(void)state;
	expect_in("4.0",
		  "item1.FN;ALTID=1;X=\"a:b;c\":Anna\\;\\nMa\r\n ria\r\n"
		  "item1.tel;VALUE=uri;TYPE=\"voice,home\":tel:+36-20-123-4567;ext=5",
		  "Anna; Maria=+36201234567;");
}

static void test_fn_precedes_n(void **state)
{
	(void)state;
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

static void test_numbers_are_normalised_and_bounded(void **state)
{
	(void)state;
	expect_in("3.0", "FN:A\nTEL:*100#\nTEL:1-800-FLOWERS\nTEL:\nTEL:+\nTEL:12p3", "");
	expect_in("3.0", "FN:A\nTEL: 1 2\nTEL:12\nTEL:+12", "A=12,+12;");
	expect_in("3.0", "FN:A\nTEL:123456789012345678901\nTEL:7", "A=7;");
	expect_in("3.0",
		  "FN:A\nTEL:1\nTEL:2\nTEL:3\nTEL:4\nTEL:5\nTEL:6\nTEL:7\nTEL:8\nTEL:9",
		  "A=1,2,3,4,5,6,7,8;");
	/* as address books write them */
	expect_in("3.0",
		  "FN:A\nTEL:\xe2\x80\xaa+33\xc2\xa0"
		  "6\xe2\x80\x91"
		  "12\xe2\x80\xac\nTEL:06\xc2\xa0"
		  "1\nTEL:\xd9\xa1",
		  "A=+33612,061;");
	expect_in("3.0", "FN:A\nTEL:+44 (0) 20 1\nTEL:(0)20 2\nTEL:+44(0",
		  "A=+44201,0202,+440;");
	expect_in("3.0", "FN:A\nXTEL:1\nTE:2\nTEL.X:3", "");
}

static void test_missing_ends_and_nested_cards(void **state)
{
	(void)state;
	expect("", "");
	expect("FN:A\nTEL:1\nEND:VCARD\nEND:VCARD\n", "");
	expect("\xef\xbb\xbf"
	       "begin:vcard\rFN:A\rTEL:1\rend:vcard\r",
	       "A=1;");
	expect("BEGIN:VCARD\nFN:A\nTEL:1\n\nBEGIN:VCARD\nFN:B\nTEL:2", "A=1;B=2;");
	expect("BEGIN:VCARD\nFN:A\nAGENT:\nBEGIN:VCARD\nFN:B\nTEL:2\nEND:VCARD\nTEL:1\n"
	       "END:VCARD\n",
	       "A=1;");
	expect("BEGIN:VCALENDAR\nFN:A\nTEL:1\nEND:VCALENDAR\n", "");
}

/* What is wrong in one line does not spoil the others. */
static void test_a_bad_line_costs_only_itself(void **state)
{
	static const char nul[] = "BEGIN:VCARD\nFN:A\0B\nFN:C\nTEL:1\0\nTEL:2\nEND:VCARD";

	(void)state;
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

static void test_lines_names_and_numbers_are_bounded(void **state)
{
	char lines[8000], expected[VCARD_NAME_BYTES + 8];

	(void)state;
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

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_cards_as_ofono_writes_them),
		cmocka_unit_test(test_cards_of_old_phones),
		cmocka_unit_test(test_cards_of_version_4),
		cmocka_unit_test(test_fn_precedes_n),
		cmocka_unit_test(test_numbers_are_normalised_and_bounded),
		cmocka_unit_test(test_missing_ends_and_nested_cards),
		cmocka_unit_test(test_a_bad_line_costs_only_itself),
		cmocka_unit_test(test_lines_names_and_numbers_are_bounded),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
