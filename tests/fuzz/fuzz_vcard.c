/* SPDX-License-Identifier: GPL-2.0-or-later */
/* The owner's file of contacts, or the contacts of a SIM card: split into any pieces they
 * read the same. The first byte is the length of the pieces. */
#include "base/utf8.h"
#include "phone/contact.h"
#include "phone/vcard.h"
#include "fuzz.h"

/* One number that stands for everything reported. */
struct told {
	size_t cards;
	uint64_t sum;
};

static void add(struct told *told, const char *text)
{
	for (; *text; text++)
		told->sum = (told->sum ^ (unsigned char)*text) * UINT64_C(1099511628211);
	told->sum = (told->sum ^ 0xff) * UINT64_C(1099511628211);
}

static void on_card(void *data, const struct vcard *card)
{
	struct contact_query query;
	struct told *told = data;

	told->cards++;
	FUZZ_CHECK(*card->name && strlen(card->name) < VCARD_NAME_BYTES);
	FUZZ_CHECK(utf8_valid(card->name, strlen(card->name)));
	FUZZ_CHECK(!strpbrk(card->name, "\r\n\t"));
	FUZZ_CHECK(card->count >= 1 && card->count <= VCARD_NUMBERS_MAX);
	FUZZ_CHECK(contact_query_parse(&query, card->name));
	FUZZ_CHECK(contact_query_matches(&query, card->name));
	add(told, card->name);
	for (unsigned i = 0; i < card->count; i++) {
		FUZZ_CHECK(number_is_number(card->numbers[i]));
		add(told, card->numbers[i]);
	}
}

static struct told read_all(const char *text, size_t length, size_t piece)
{
	struct vcard_reader reader;
	struct told told = { 0 };

	vcard_reader_init(&reader, on_card, &told);
	for (size_t at = 0; at < length; at += piece)
		vcard_reader_feed(&reader, text + at,
				  length - at < piece ? length - at : piece);
	vcard_reader_finish(&reader);
	return told;
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t length)
{
	struct told whole, pieces;

	if (length < 2)
		return 0;
	whole = read_all((const char *)data + 1, length - 1, length);
	pieces = read_all((const char *)data + 1, length - 1, 1 + data[0] % 64);
	FUZZ_CHECK(whole.cards == pieces.cards && whole.sum == pieces.sum);
	return 0;
}
