/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "text/code.h"

#include <string.h>

#include "base/utf8.h"

bool code_context_shares_sentence(const struct code_context *context, size_t left,
				  size_t right)
{
	return right < context->count &&
	       context->words[left].sentence == context->words[right].sentence;
}

/* What a word in the sentence of another says; 0: it is in another sentence. */
uint32_t code_context_kinds(const struct code_context *context, size_t at, size_t beside)
{
	return code_context_shares_sentence(context, at, beside) ? context->kinds[beside]
								 : 0;
}

/* What so many words of the sentence say, before a word or behind it. */
uint32_t code_context_kinds_before(const struct code_context *context, size_t at,
				   size_t most)
{
	uint32_t kinds = 0;

	for (size_t i = 1; i <= most && code_context_shares_sentence(context, at, at - i);
	     i++)
		kinds |= context->kinds[at - i];
	return kinds;
}

uint32_t code_context_kinds_behind(const struct code_context *context, size_t at,
				   size_t behind, size_t most)
{
	uint32_t kinds = 0;

	for (size_t i = 0;
	     i < most && code_context_shares_sentence(context, at, behind + i); i++)
		kinds |= context->kinds[behind + i];
	return kinds;
}

uint32_t code_context_kinds_of_text(const struct code_context *context)
{
	uint32_t kinds = 0;

	for (size_t i = 0; i < context->count; i++)
		kinds |= context->kinds[i];
	return kinds;
}

/* ---- the whole text ------------------------------------------------------------------ */

void code_context_init(struct code_context *context, const char *text)
{
	size_t length = 0;
	const char *link = text_link_find(text, &length);

	context->text = text;
	context->count = text_word_split(text, context->words);
	context->is_read = false;
	context->signs = 0;
	for (size_t i = 0; i < context->count; i++) {
		const char *word = context->words[i].text;

		while (link && word >= link + length)
			link = text_link_find(link + length, &length);
		context->kinds[i] = link && word >= link ? CODE_WORD_ADDRESS : 0;
		if (context->kinds[i])
			context->words[i].type = TEXT_OTHER;
	}
}

/* The next word, skipping one small word, is about a bargain. */
static bool code_context_is_beside_bargain(const struct code_context *context, size_t at,
					   size_t step)
{
	size_t next = at + step; /* wraps below 0, which code_context_kinds() refuses */
	uint32_t kinds = code_context_kinds(context, at, next);

	if (kinds & CODE_WORD_BARGAIN || !code_context_shares_sentence(context, at, next))
		return kinds & CODE_WORD_BARGAIN;
	return (kinds & CODE_WORD_LINK ||
		strcmp(context->words[next].folded, "of") == 0) &&
	       code_context_kinds(context, at, next + step) & CODE_WORD_BARGAIN;
}

/* "secret number", "numero de acceso": together a name, which neither word is */
static void code_context_join_name(struct code_context *context, size_t at)
{
	uint32_t beside = code_context_kinds(context, at, at - 1) |
			  code_context_kinds(context, at, at + 1);

	if (code_context_kinds(context, at, at + 1) & CODE_WORD_LINK)
		beside |= code_context_kinds(context, at, at + 2);
	if (context->kinds[at] & CODE_WORD_NOUN && beside & CODE_WORD_HIDDEN)
		context->kinds[at] = (context->kinds[at] | CODE_WORD_NAME) &
				     ~(uint32_t)CODE_WORD_THING;
}

/* "code", but not "promo code" or "booking code", and not in an advertisement. */
static bool code_context_is_secret(const struct code_context *context, size_t at)
{
	const uint32_t kinds = context->kinds[at];

	if (kinds & CODE_WORD_NAME && kinds & CODE_WORD_KEEP)
		return true; /* no coupon is called a verification code */
	return kinds & CODE_WORD_NAME && !(context->signs & CODE_SIGN_ADVERTISEMENT) &&
	       !(kinds & CODE_WORD_BARGAIN) &&
	       !code_context_is_beside_bargain(context, at, 1) &&
	       !code_context_is_beside_bargain(context, at, (size_t)-1);
}

/* "20% off", "-15 %", "%20 indirim" */
static bool code_context_has_percentage(const char *text)
{
	for (const char *at = text; (at = strchr(at, '%')); at++) {
		const char *before = at;

		while (before > text && before[-1] == ' ')
			before--;
		if ((before > text && code_text_is_digit(before[-1])) ||
		    (before == text || (at > before && code_text_is_digit(at[1]))))
			return true;
	}
	return false;
}

static bool code_context_shouts(const struct code_context *context)
{
	size_t capitals = 0, words = 0;

	for (size_t i = 0; i < context->count; i++) {
		const struct text_word *word = &context->words[i];
		const char *at = word->text, *end = at + word->length;

		if (word->type != TEXT_WORD || word->length < 2)
			continue;
		words++;
		capitals++;
		while (at < end) {
			if (text_word_is_capital(utf8_next(&at)))
				continue;
			capitals--;
			break;
		}
	}
	return words > 2 && 2 * capitals > words;
}

/* "20 euros off at checkout", but not "Check-in at 3, checkout at 11" */
static bool code_context_is_sale(const struct code_context *context, size_t at)
{
	return context->kinds[at] & CODE_WORD_SALE &&
	       (strcmp(context->words[at].folded, "checkout") != 0 ||
		(code_context_shares_sentence(context, at, at - 1) &&
		 strcmp(context->words[at - 1].folded, "at") == 0));
}

void code_context_read(struct code_context *context)
{
	static const struct {
		uint32_t kinds;
		uint64_t signs;
	} says[] = {
		{ CODE_WORD_SECRET,
		  CODE_SIGN_TEXT_NAMES | CODE_SIGN_TEXT_HINTS | CODE_SIGN_HINTED },
		{ CODE_WORD_KEEP, CODE_SIGN_TEXT_HINTS | CODE_SIGN_HINTED },
		{ CODE_WORD_WEAK, CODE_SIGN_TEXT_HINTS },
		{ CODE_WORD_ENTER, CODE_SIGN_TEXT_ENTERS },
		{ CODE_WORD_ASK, CODE_SIGN_TEXT_ASKS },
		{ CODE_WORD_LOCK, CODE_SIGN_TEXT_LOCKS },
		{ CODE_WORD_COURIER, CODE_SIGN_TEXT_COURIER },
	};
	uint32_t kinds = 0;

	if (context->is_read)
		return;
	context->is_read = true;
	for (size_t i = 0; i < context->count; i++) {
		if (!context->kinds[i])
			context->kinds[i] = code_word_kinds(&context->words[i]);
	}
	for (size_t i = 0; i < context->count; i++) {
		code_context_join_name(context, i);
		if (!code_context_is_sale(context, i))
			context->kinds[i] &= ~(uint32_t)CODE_WORD_SALE;
		kinds |= context->kinds[i];
	}
	/* nobody asks to keep a public code secret, or says what it confirms */
	if (!(kinds & CODE_WORD_KEEP) &&
	    (kinds & CODE_WORD_SALE ||
	     (!(kinds & CODE_WORD_WEAK) && code_context_has_percentage(context->text))))
		context->signs |= CODE_SIGN_ADVERTISEMENT;
	else if (kinds & CODE_WORD_NAME)
		context->signs |= CODE_SIGN_TEXT_NAMES_ANY;
	for (size_t i = 0; i < context->count; i++) {
		if (code_context_is_secret(context, i))
			kinds |= context->kinds[i] |= CODE_WORD_SECRET;
	}
	for (size_t i = 0; i < sizeof(says) / sizeof(*says); i++)
		context->signs |= kinds & says[i].kinds ? says[i].signs : 0;
	if (code_context_shouts(context))
		context->signs |= CODE_SIGN_TEXT_SHOUTS;
}
