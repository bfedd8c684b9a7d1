/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "text/code.h"

#include <string.h>

#include "base/utf8.h"
#include "text/text.h"

enum { LINK_WORDS = 5 }; /* between the name and the code */

bool code_context_shares_sentence(const struct code_context *context, size_t left,
				  size_t right)
{
	return right < context->count &&
	       context->words[left].sentence == context->words[right].sentence;
}

/* The next word, skipping one small word, is about a bargain. */
static bool code_context_is_beside_bargain(const struct code_context *context, size_t at,
					   int step)
{
	size_t next =
		at +
		(size_t)step; /* wraps below 0, which code_context_shares_sentence() refuses */

	if (!code_context_shares_sentence(context, at, next))
		return false;
	if (context->kinds[next] & CODE_WORD_BARGAIN)
		return true;
	if (!(context->kinds[next] & CODE_WORD_LINK) &&
	    strcmp(context->words[next].folded, "of") != 0)
		return false;
	next += (size_t)step;
	return code_context_shares_sentence(context, at, next) &&
	       context->kinds[next] & CODE_WORD_BARGAIN;
}

bool code_context_is_name(const struct code_context *context, size_t at)
{
	const unsigned kinds = context->kinds[at];

	if (kinds & CODE_WORD_NAME && kinds & CODE_WORD_KEEP)
		return true; /* no coupon is called a verification code */
	return kinds & CODE_WORD_NAME && !context->is_advertisement &&
	       !(kinds & CODE_WORD_BARGAIN) &&
	       !code_context_is_beside_bargain(context, at, 1) &&
	       !code_context_is_beside_bargain(context, at, -1);
}

/* "PIN pedido", "parola d'ordine": here a word for orders belongs to a code. */
static size_t code_context_named_head(const struct code_context *context, size_t head)
{
	size_t before = head - 1;

	if (!(context->kinds[head] & CODE_WORD_THING))
		return head;
	if (code_context_shares_sentence(context, head, before) &&
	    strcmp(context->words[before].folded, "d") == 0)
		before--;
	return code_context_shares_sentence(context, head, before) &&
			       code_context_is_name(context, before)
		       ? before
		       : head;
}

/* A comma ends the search unless a name stands before it. */
bool code_context_find_head(const struct code_context *context, size_t at,
			    size_t *head_out)
{
	for (unsigned i = 0;
	     i <= LINK_WORDS && code_context_shares_sentence(context, at, at - 1 - i);
	     i++) {
		size_t head = at - 1 - i;
		unsigned kinds = context->kinds[head];

		if (context->words[head].type != TEXT_WORD)
			return false;
		if (kinds & CODE_WORD_LINK &&
		    !(kinds & (CODE_WORD_NAME | CODE_WORD_THING | CODE_WORD_CALL)))
			continue;
		if (kinds & CODE_WORD_NAME || context->words[head].behind != ',')
			*head_out = code_context_named_head(context, head);
		return kinds & CODE_WORD_NAME || context->words[head].behind != ',';
	}
	return false;
}

bool code_context_is_of_kind(const struct code_context *context, size_t at, size_t beside,
			     unsigned kinds)
{
	return code_context_shares_sentence(context, at, beside) &&
	       context->kinds[beside] & kinds;
}

unsigned code_context_name_distance(const struct code_context *context, size_t at,
				    size_t behind)
{
	for (unsigned i = 0; i < NEAR_WORDS; i++) {
		size_t before = at - 1 - i, after = behind + i;

		if ((code_context_shares_sentence(context, at, before) &&
		     code_context_is_name(context, before)) ||
		    (code_context_shares_sentence(context, at, after) &&
		     code_context_is_name(context, after)))
			return i;
	}
	return NEAR_WORDS;
}

bool code_context_has_hint(const struct code_context *context, size_t at)
{
	for (size_t i = 0; i < context->count; i++) {
		if (code_context_is_name(context, i) ||
		    context->kinds[i] & CODE_WORD_KEEP ||
		    (context->kinds[i] & CODE_WORD_WEAK &&
		     code_context_shares_sentence(context, at, i)))
			return true;
	}
	return false;
}

bool code_context_is_called(const struct code_context *context, size_t head, size_t at)
{
	if (!code_context_is_name(context, head))
		return false;
	while (++head < at) {
		if (context->kinds[head] & CODE_WORD_TOWARDS)
			return false;
	}
	return true;
}

/* Skips small words. */
static size_t code_context_skip_links(const struct code_context *context, size_t at)
{
	while (at < context->count && context->kinds[at] & CODE_WORD_LINK &&
	       !(context->kinds[at] & CODE_WORD_NAME))
		at++;
	return at;
}

bool code_context_is_called_behind(const struct code_context *context, size_t at,
				   size_t behind)
{
	size_t name = code_context_skip_links(context, behind), next;

	if (context->words[behind - 1].behind != ' ' ||
	    !code_context_shares_sentence(context, at, name) ||
	    !code_context_is_name(context, name))
		return false;
	next = code_context_skip_links(context, name + 1);
	return !code_context_shares_sentence(context, at, next) ||
	       context->words[next].type == TEXT_WORD;
}

static void code_context_classify(struct code_context *context, const char *text)
{
	size_t length = 0;
	const char *link = text_link_find(text, &length);

	for (size_t i = 0; i < context->count; i++) {
		const char *word = context->words[i].text;

		while (link && word >= link + length)
			link = text_link_find(link + length, &length);
		if (link && word >= link) {
			context->words[i].type = TEXT_OTHER;
			context->kinds[i] = 0;
		} else {
			context->kinds[i] = code_word_kinds(&context->words[i]);
		}
	}
}

/* "20% off", "-15 %", "%20 indirim" */
static bool code_context_has_percentage(const char *text)
{
	for (const char *at = text; (at = strchr(at, '%')); at++) {
		const char *before = at;

		while (before > text && before[-1] == ' ')
			before--;
		if ((before > text && before[-1] >= '0' && before[-1] <= '9') ||
		    (before == text || (at > before && at[1] >= '0' && at[1] <= '9')))
			return true;
	}
	return false;
}

/* Nobody asks to keep a public code secret, or says what it confirms. */
static bool code_context_find_advertisement(const struct code_context *context,
					    const char *text)
{
	unsigned kinds = 0;

	for (size_t i = 0; i < context->count; i++)
		kinds |= context->kinds[i];
	if (kinds & CODE_WORD_KEEP)
		return false;
	return kinds & CODE_WORD_SALE ||
	       (!(kinds & CODE_WORD_WEAK) && code_context_has_percentage(text));
}

static bool code_context_is_in_capitals(const struct text_word *word)
{
	const char *at = word->text;

	while (at < word->text + word->length) {
		if (!text_word_is_capital(utf8_next(&at)))
			return false;
	}
	return true;
}

/* What the words say about the whole text. */
static void code_context_summarise(struct code_context *context)
{
	size_t capitals = 0, words = 0;

	for (size_t at = 0; at < context->count; at++) {
		const struct text_word *word = &context->words[at];
		unsigned kinds = context->kinds[at];

		context->has_name |= code_context_is_name(context, at);
		context->has_any_name |=
			(kinds & CODE_WORD_NAME) && !context->is_advertisement;
		context->has_hint |= (kinds & (CODE_WORD_WEAK | CODE_WORD_KEEP)) != 0;
		context->is_typed_in |= (kinds & CODE_WORD_ENTER) != 0;
		context->is_asked |= (kinds & CODE_WORD_ASK) != 0;
		context->has_lock |= (kinds & CODE_WORD_LOCK) != 0;
		if (word->type == TEXT_WORD && word->length > 1) {
			words++;
			capitals += code_context_is_in_capitals(word);
		}
	}
	context->has_hint |= context->has_name;
	context->shouts = words > 2 && 2 * capitals > words;
}

void code_context_init(struct code_context *context, const char *text)
{
	*context = (struct code_context){ .text = text };
	context->count = text_word_split(text, context->words);
	code_context_classify(context, text);
	context->is_advertisement = code_context_find_advertisement(context, text);
	code_context_summarise(context);
}
