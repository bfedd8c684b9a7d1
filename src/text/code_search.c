/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * A number is a candidate for a code by its form and by what is glued to it. How likely it
 * is one is told by the words: right behind a name ("code is 1234"), with a name in its
 * sentence, or with a name or a hint anywhere. The likeliest wins, of equals the first.
 *
 * Sources: WICG, "Origin-bound one-time codes delivered via SMS"; the texts of
 * tests/unit/test_extract.c.
 */
#include "text/code_search.h"

#include <string.h>

#include "text/code_word.h"
#include "text/link.h"

enum {
	LINK_WORDS = 5,	 /* between the name and the code */
	NEAR_WORDS = 14, /* between a name and a number of one sentence */
};

/* how likely, and what one more of each counts */
enum {
	SCORE_BEHIND_NAME = 3000,
	SCORE_IN_SENTENCE = 2000,
	SCORE_HINT = CODE_POINTS_SURE,
	SCORE_STARTS = 100,
	SCORE_SIX_DIGITS = 50,
	SCORE_DOUBTFUL = 1,
};

struct search {
	struct text_word words[TEXT_WORDS_MAX];
	unsigned kinds[TEXT_WORDS_MAX]; /* enum code_word */
	size_t count;
};

static bool share_sentence(const struct search *search, size_t left, size_t right)
{
	return right < search->count &&
	       search->words[left].sentence == search->words[right].sentence;
}

/* Is the word beside this one, or behind one small word more, about a bargain? */
static bool is_beside_bargain(const struct search *search, size_t at, int step)
{
	size_t next =
		at + (size_t)step; /* wraps below 0, which share_sentence() refuses */

	if (!share_sentence(search, at, next))
		return false;
	if (search->kinds[next] & CODE_WORD_BARGAIN)
		return true;
	if (!(search->kinds[next] & CODE_WORD_LINK))
		return false;
	next += (size_t)step;
	return share_sentence(search, at, next) &&
	       search->kinds[next] & CODE_WORD_BARGAIN;
}

static bool is_name(const struct search *search, size_t at)
{
	return search->kinds[at] & CODE_WORD_NAME &&
	       !(search->kinds[at] & CODE_WORD_BARGAIN) &&
	       !is_beside_bargain(search, at, 1) && !is_beside_bargain(search, at, -1);
}

/* The word that a number belongs to: before it, small words left out. False: none. */
static bool find_head(const struct search *search, size_t at, size_t *head_out)
{
	for (unsigned i = 0; i <= LINK_WORDS && share_sentence(search, at, at - 1 - i);
	     i++) {
		size_t head = at - 1 - i;
		unsigned kinds = search->kinds[head];

		if (search->words[head].type != TEXT_WORD)
			return false;
		if (kinds & CODE_WORD_LINK &&
		    !(kinds & (CODE_WORD_NAME | CODE_WORD_THING | CODE_WORD_CALL)))
			continue;
		*head_out = head;
		return true;
	}
	return false;
}

static bool is_of_kind(const struct search *search, size_t at, size_t beside,
		       unsigned kinds)
{
	return share_sentence(search, at, beside) && search->kinds[beside] & kinds;
}

/* Words between this one and the nearest name of its sentence; NEAR_WORDS: none. */
static unsigned name_distance(const struct search *search, size_t at, size_t behind)
{
	for (unsigned i = 0; i < NEAR_WORDS; i++) {
		size_t before = at - 1 - i, after = behind + i;

		if ((share_sentence(search, at, before) && is_name(search, before)) ||
		    (share_sentence(search, at, after) && is_name(search, after)))
			return i;
	}
	return NEAR_WORDS;
}

static bool has_hint(const struct search *search, size_t at)
{
	for (size_t i = 0; i < search->count; i++) {
		if (is_name(search, i) ||
		    (search->kinds[i] & CODE_WORD_WEAK && share_sentence(search, at, i)))
			return true;
	}
	return false;
}

/* "code is", and not "code to" somebody's phone number. */
static bool is_called(const struct search *search, size_t head, size_t at)
{
	if (!is_name(search, head))
		return false;
	while (++head < at) {
		if (search->kinds[head] & CODE_WORD_TOWARDS)
			return false;
	}
	return true;
}

/* The first word from here that is more than a small one. */
static size_t skip_links(const struct search *search, size_t at)
{
	while (at < search->count && search->kinds[at] & CODE_WORD_LINK &&
	       !(search->kinds[at] & CODE_WORD_NAME))
		at++;
	return at;
}

/* "Ref 771234 your code", and the code does not follow. */
static bool is_called_behind(const struct search *search, size_t at, size_t behind)
{
	size_t name = skip_links(search, behind), next;

	if (search->words[behind - 1].behind != ' ' ||
	    !share_sentence(search, at, name) || !is_name(search, name))
		return false;
	next = skip_links(search, name + 1);
	return !share_sentence(search, at, next) || search->words[next].type == TEXT_WORD;
}

/* 0: it is none. */
static int score_words(const struct search *search, size_t at,
		       const struct code_candidate *candidate)
{
	const struct text_word *word = &search->words[at];
	size_t behind = at + candidate->words, head;
	bool has_head = find_head(search, at, &head);
	unsigned distance = name_distance(search, at, behind);
	unsigned kinds = has_head ? search->kinds[head] : 0;

	if (candidate->trust == CODE_TRUST_NONE)
		return has_head && is_called(search, head, at) ? SCORE_DOUBTFUL : 0;
	if (has_head && is_name(search, head))
		return SCORE_BEHIND_NAME;
	if (candidate->trust == CODE_TRUST_LITTLE || kinds & CODE_WORD_CALL)
		return 0;
	if (kinds & CODE_WORD_THING)
		return is_called_behind(search, at, behind) ? SCORE_DOUBTFUL : 0;
	if (distance < NEAR_WORDS &&
	    (candidate->trust != CODE_TRUST_SOME || word->starts))
		return SCORE_IN_SENTENCE - (int)distance;
	if (candidate->trust == CODE_TRUST_USUAL &&
	    (word->starts || candidate->length == 6 ||
	     is_of_kind(search, at, at - 1, CODE_WORD_ENTER)) &&
	    has_hint(search, at))
		return SCORE_HINT;
	return 0;
}

static int score(const struct search *search, size_t at,
		 const struct code_candidate *candidate)
{
	size_t behind = at + candidate->words;
	int points;

	if (is_of_kind(search, at, at - 1, CODE_WORD_MONEY) ||
	    is_of_kind(search, at, behind, CODE_WORD_MONEY | CODE_WORD_UNIT))
		return 0;
	points = score_words(search, at, candidate);
	if (points && search->words[at].starts)
		points += SCORE_STARTS;
	if (points && candidate->length == 6)
		points += SCORE_SIX_DIGITS;
	return points;
}

static void classify(struct search *search, const char *text)
{
	size_t length = 0;
	const char *link = link_find(text, &length);

	for (size_t i = 0; i < search->count; i++) {
		const char *word = search->words[i].text;

		while (link && word >= link + length)
			link = link_find(link + length, &length);
		if (link && word >= link) {
			search->words[i].type = TEXT_OTHER;
			search->kinds[i] = 0;
		} else {
			search->kinds[i] = code_word_kinds(&search->words[i]);
		}
	}
}

static bool has_candidate(const struct search *search, const char *text)
{
	struct code_candidate candidate;

	for (size_t i = 0; i < search->count; i++) {
		if (code_candidate_read(text, &search->words[i], search->count - i,
					&candidate))
			return true;
	}
	return false;
}

void code_search(const char *text,
		 void (*visit)(void *data, const struct code_found *found), void *data)
{
	struct code_found found;
	struct search search;

	if (!text[strcspn(text, "0123456789")])
		return;
	search.count = text_words_split(text, search.words);
	if (!has_candidate(&search, text)) /* most texts: the words need no look */
		return;
	classify(&search, text);
	for (size_t i = 0; i < search.count; i++) {
		const struct text_word *word = &search.words[i], *last;

		if (!code_candidate_read(text, word, search.count - i, &found.candidate))
			continue;
		found.points = score(&search, i, &found.candidate);
		last = word + found.candidate.words - 1;
		found.from = (size_t)(word->text - text);
		found.to = (size_t)(last->text + last->length - text);
		if (found.points > 0)
			visit(data, &found);
	}
}
