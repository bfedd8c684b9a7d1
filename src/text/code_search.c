/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * A number is a candidate if its form and its neighbouring characters allow it. The words say
 * how likely it is a code: right after a name ("code is 1234"), with a name in its
 * sentence, or with a name or a hint anywhere. The most likely candidate wins; of equals, the
 * first.
 *
 * Sources: WICG, "Origin-bound one-time codes delivered via SMS"; the texts of
 * tests/unit/test_extract.c.
 */
#include "text/code.h"

#include <string.h>

/* points for likelihood */
enum {
	SCORE_BEHIND_NAME = 3000,
	SCORE_IN_SENTENCE = 2000,
	SCORE_HINT = CODE_POINTS_SURE,
	SCORE_STARTS = 100,
	SCORE_SIX_DIGITS = 50,
	SCORE_DOUBTFUL = 1,
};

/* "type 482 913", "482913 eingeben", with at most one small word between */
static bool code_search_is_typed_in(const struct code_context *context, size_t at,
				    size_t behind)
{
	for (size_t i = 1; i <= 2; i++) {
		if (code_context_is_of_kind(context, at, at - i, CODE_WORD_ENTER) ||
		    code_context_is_of_kind(context, at, behind + i - 1, CODE_WORD_ENTER))
			return !context->is_advertisement;
	}
	return false;
}

/* 0: it is not a code. */
static int code_search_score_words(const struct code_context *context, size_t at,
				   const struct code_candidate *candidate)
{
	const struct text_word *word = &context->words[at];
	size_t behind = at + candidate->words, head;
	bool has_head = code_context_find_head(context, at, &head);
	unsigned distance = code_context_name_distance(context, at, behind);
	unsigned kinds = has_head ? context->kinds[head] : 0;
	const struct text_word *last = &context->words[behind - 1];
	const struct code_piece piece = {
		.from = (size_t)(word->text - context->text),
		.to = (size_t)(last->text + last->length - context->text),
		.word = at,
		.behind = behind,
	};

	if (candidate->trust == CODE_TRUST_NONE)
		return has_head && code_context_is_called(context, head, at)
			       ? SCORE_DOUBTFUL
			       : 0;
	if (has_head && code_context_is_name(context, head))
		return SCORE_BEHIND_NAME;
	if (kinds & CODE_WORD_CALL)
		return 0;
	if (candidate->trust == CODE_TRUST_LITTLE || kinds & CODE_WORD_THING)
		return code_context_is_called_behind(context, at, behind) ? SCORE_DOUBTFUL
									  : 0;
	if (candidate->length == 6 && code_search_is_typed_in(context, at, behind))
		return SCORE_HINT;
	if (candidate->trust == CODE_TRUST_USUAL &&
	    !code_phrase_is_other_number(context, &piece) &&
	    !code_phrase_is_receiver(context, &piece) &&
	    code_phrase_is_typed(context, &piece))
		return SCORE_HINT;
	if (distance < NEAR_WORDS &&
	    (candidate->trust != CODE_TRUST_SOME || word->starts))
		return SCORE_IN_SENTENCE - (int)distance;
	if (candidate->trust == CODE_TRUST_USUAL &&
	    (word->starts || candidate->length == 6 ||
	     code_context_is_of_kind(context, at, at - 1, CODE_WORD_ENTER) ||
	     code_context_is_of_kind(context, at, behind, CODE_WORD_ENTER)) &&
	    code_context_has_hint(context, at))
		return SCORE_HINT;
	return 0;
}

static int code_search_score(const struct code_context *context, size_t at,
			     const struct code_candidate *candidate)
{
	size_t behind = at + candidate->words;
	int points;

	if (code_context_is_of_kind(context, at, at - 1, CODE_WORD_MONEY) ||
	    code_context_is_of_kind(context, at, behind,
				    CODE_WORD_MONEY | CODE_WORD_UNIT))
		return 0;
	points = code_search_score_words(context, at, candidate);
	if (points && context->words[at].starts)
		points += SCORE_STARTS;
	if (points && candidate->length == 6)
		points += SCORE_SIX_DIGITS;
	return points;
}

static bool code_search_has_candidate(const struct code_context *context,
				      const char *text)
{
	struct code_candidate candidate;

	for (size_t i = 0; i < context->count; i++) {
		if (code_candidate_read(text, &context->words[i], context->count - i,
					&candidate))
			return true;
	}
	return false;
}

void code_search(const char *text,
		 void (*visit)(void *data, const struct code_search_found *found),
		 void *data)
{
	struct code_search_found found;
	struct code_context context;

	if (!text[strcspn(text, "0123456789")])
		return;
	context.count = text_word_split(text, context.words);
	if (!code_search_has_candidate(
		    &context, text)) /* true for most texts, which saves splitting them */
		return;
	code_context_init(&context, text);
	for (size_t i = 0; i < context.count; i++) {
		const struct text_word *word = &context.words[i], *last;

		if (!code_candidate_read(text, word, context.count - i, &found.candidate))
			continue;
		found.points = code_search_score(&context, i, &found.candidate);
		last = word + found.candidate.words - 1;
		found.from = (size_t)(word->text - text);
		found.to = (size_t)(last->text + last->length - text);
		if (found.points > 0)
			visit(data, &found);
	}
}
