/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * One table says what is a code: a token with one of the shapes, with all signs that it needs
 * and none that it forbids. The first row that fits counts. The less a shape looks like a code,
 * the more the signs have to say. The most likely number wins; of equals, the first.
 *
 * Sources: WICG, "Origin-bound one-time codes delivered via SMS"; the texts of
 * tests/unit/test_extract.c and tests/unit/code_corpus.
 */
#include "text/code.h"

#include <string.h>

/* points for likelihood */
enum {
	BEHIND_NAME = 3000,
	IN_SENTENCE = 2000,
	HINT = CODE_POINTS_SURE,
	STARTS = 100,
	SIX = 50,
	MASKED = CODE_POINTS_LEAST,
};

#define SHAPE(name) CODE_SHAPE_##name
#define SIGN(name)  CODE_SIGN_##name

enum {
	/* shapes */
	NUMBERS = SHAPE(NUMBER) | SHAPE(UNLIKELY) | SHAPE(DOUBTFUL) | SHAPE(ROW),
	PASSWORDS = SHAPE(PASSWORD) | SHAPE(PASSWORD_DIGITS) | SHAPE(PASSWORD_LETTERS) |
		    SHAPE(PASSWORD_STRONG),
	OPENING = SHAPE(PLAIN) | SHAPE(MADE_UP),
	CAPITALS = SHAPE(CAPITALS) | SHAPE(FEW_CAPITALS) | SHAPE(MANY_CAPITALS) |
		   SHAPE(CONSONANTS) | SHAPE(UNSPEAKABLE) | SHAPE(MADE_UP) | SHAPE(KEY) |
		   SHAPE(LONG) | SHAPE(GROUPED) | SHAPE(GROUPED_CAPITALS),
	/* signs */
	MONEY = SIGN(MONEY_BEFORE) | SIGN(MONEY_BEHIND),
	CALL = MONEY | SIGN(HEAD_CALL),
	THING = CALL | SIGN(HEAD_THING),
	PUBLIC = SIGN(ADVERTISEMENT) | SIGN(ELSE),
	PUBLIC_OR_SENT =
		SIGN(ADVERTISEMENT) | MONEY | SIGN(RECEIVER) | SIGN(BESIDE_BARGAIN),
	NOT_TYPED = SIGN(ADVERTISEMENT) | SIGN(ELSE_OR_PHONE) | SIGN(KEYWORD) |
		    SIGN(RECEIVER) | SIGN(BESIDE_BARGAIN),
};

static const struct {
	uint64_t shapes, needs, forbids;
	int points;
} rules[] = {
	/* numbers, which may be returned as a code */
	{ SHAPE(ROW), SIGN(CALLED_BEFORE), MONEY, MASKED },
	{ NUMBERS & ~SHAPE(ROW), SIGN(HEAD_NAME), MONEY, BEHIND_NAME },
	{ SHAPE(DOUBTFUL), SIGN(CALLED_BEHIND), CALL, MASKED },
	{ SHAPE(NUMBER) | SHAPE(UNLIKELY), SIGN(HEAD_THING) | SIGN(CALLED_BEHIND), CALL,
	  MASKED },
	{ SHAPE(NUMBER) | SHAPE(UNLIKELY), SIGN(SIX) | SIGN(NEAR_ENTER),
	  THING | SIGN(ADVERTISEMENT), HINT },
	{ SHAPE(NUMBER), SIGN(TYPED), THING | SIGN(ELSE_OR_PHONE) | SIGN(RECEIVER),
	  HINT },
	{ SHAPE(NUMBER), SIGN(NAME_IN_SENTENCE), THING, IN_SENTENCE },
	{ SHAPE(UNLIKELY), SIGN(NAME_IN_SENTENCE) | SIGN(STARTS), THING, IN_SENTENCE },
	{ SHAPE(NUMBER), SIGN(STARTS) | SIGN(HINTED), THING, HINT },
	{ SHAPE(NUMBER), SIGN(SIX) | SIGN(HINTED), THING, HINT },
	{ SHAPE(NUMBER), SIGN(RIGHT_ENTER) | SIGN(HINTED), THING, HINT },

	{ SHAPE(NUMBER), SIGN(SIX) | SIGN(REACHES) | SIGN(STARTS), THING, HINT },

	/* "778 30 1", which may also be a phone number */
	{ SHAPE(SPACED), SIGN(NAMED), SIGN(ELSE), MASKED },
	{ SHAPE(SPACED), SIGN(CALLED_BEFORE), SIGN(ELSE), MASKED },
	{ SHAPE(SPACED), SIGN(SENTENCE_END), SIGN(ELSE), MASKED },
	{ SHAPE(SPACED_PLAIN), SIGN(BESIDE_WEAK), NOT_TYPED | SIGN(ELSE), MASKED },

	/* passwords */
	{ SHAPE(PASSWORD), SIGN(NAMED), 0, MASKED },
	{ SHAPE(PASSWORD), SIGN(CALLED_BEFORE), 0, MASKED },
	{ SHAPE(PASSWORD_DIGITS), SIGN(NEW_ONE), 0, MASKED },
	{ SHAPE(PASSWORD_STRONG), SIGN(NAME_NEAR), 0, MASKED },
	{ SHAPE(PASSWORD_LETTERS), SIGN(NAME_BEFORE), SIGN(ELSE), MASKED },

	/* digits that are called a code */
	{ SHAPE(MARKED_DAY), SIGN(CALLED_BEFORE), 0, MASKED },
	{ SHAPE(MARKED), SIGN(CALLED), 0, MASKED },
	{ SHAPE(MARKED), SIGN(HINTED_BEFORE), 0, MASKED },
	{ SHAPE(MARKED_CLEARLY), SIGN(TEXT_NAMES), SIGN(ELSE), MASKED },
	{ SHAPE(DIGITS), SIGN(NAMED), SIGN(ELSE), MASKED },
	{ SHAPE(DIGITS), SIGN(ALONE_NO_PHONE), SIGN(ELSE), MASKED },
	{ SHAPE(DIGITS), SIGN(SENTENCE_END), SIGN(ELSE), MASKED },

	{ SHAPE(LISTED), SIGN(NAME_RIGHT_BEFORE) | SIGN(COLON_BEFORE), 0, MASKED },
	{ SHAPE(LISTED), SIGN(HEAD_NAME) | SIGN(CLAUSE_END), MONEY, MASKED },
	{ SHAPE(LISTED), SIGN(CALLED_BEHIND), MONEY, MASKED },

	/* letters */
	{ SHAPE(FEW_CAPITALS), SIGN(NAMED) | SIGN(CLAUSE_END), SIGN(OWN_KIND), MASKED },
	{ SHAPE(CAPITALS), SIGN(NAMED), SIGN(OWN_KIND), MASKED },
	{ SHAPE(CAPITALS), SIGN(SAID_TO_BE), SIGN(OWN_KIND), MASKED },
	{ SHAPE(CAPITALS), SIGN(ENTERED), SIGN(OWN_KIND) | SIGN(COLON_BEHIND), MASKED },
	{ SHAPE(MANY_CAPITALS), SIGN(NAME_RIGHT_BEFORE),
	  SIGN(OWN_KIND) | SIGN(COLON_BEHIND), MASKED },
	{ SHAPE(CAPITALS), SIGN(CALLED) | SIGN(CLAUSE_END), SIGN(OWN_KIND), MASKED },
	{ SHAPE(MIXED) | SHAPE(GROUPED), SIGN(CALLED), 0, MASKED },
	{ SHAPE(MIXED_CASE) | SHAPE(GROUPED_CAPITALS), SIGN(NAME_NEAR), 0, MASKED },
	{ SHAPE(RANDOM), SIGN(TEXT_NAMES), SIGN(ELSE), MASKED },
	{ SHAPE(GROUPED_KEY), SIGN(TEXT_NAMES_ANY), 0, MASKED },
	{ SHAPE(WHOLE), 0, 0, MASKED },

	/* what is only typed: "Type X to link the television" */
	{ SHAPE(UNSPEAKABLE), SIGN(TEXT_HINTS), NOT_TYPED, MASKED },
	{ SHAPE(LONG), SIGN(COLON_BEFORE) | SIGN(BESIDE_WEAK), NOT_TYPED, MASKED },
	{ SHAPE(LONG), SIGN(IS) | SIGN(BESIDE_WEAK), NOT_TYPED, MASKED },
	{ SHAPE(PLAIN) | SHAPE(ZIGZAG) | SHAPE(CONSONANTS), SIGN(TYPED), NOT_TYPED,
	  MASKED },
	{ SHAPE(ZIGZAG), SIGN(STARTS), NOT_TYPED | SIGN(BEFORE_THING), MASKED },
	{ SHAPE(ZIGZAG), SIGN(WITH), NOT_TYPED | SIGN(BEFORE_THING), MASKED },
	{ OPENING, SIGN(HINTED_BEFORE), NOT_TYPED, MASKED },
	{ OPENING, SIGN(MEANS), NOT_TYPED, MASKED },
	{ SHAPE(MADE_UP), SIGN(BESIDE_ENTER), NOT_TYPED, MASKED },
	{ SHAPE(PLAIN), SIGN(BESIDE_ENTER) | SIGN(TEXT_HINTS), NOT_TYPED, MASKED },
	{ SHAPE(PLAIN), SIGN(PICKED) | SIGN(TEXT_HINTS), NOT_TYPED, MASKED },
	{ SHAPE(PLAIN), SIGN(SHORT) | SIGN(TEXT_HINTS), PUBLIC_OR_SENT, MASKED },
	{ SHAPE(PLAIN), SIGN(ASKED), PUBLIC_OR_SENT, MASKED },
	{ SHAPE(PLAIN), SIGN(SENT_BACK), NOT_TYPED, MASKED },
	{ SHAPE(LONG), SIGN(LETS), NOT_TYPED, MASKED },
	{ SHAPE(MADE_UP) | SHAPE(ZIGZAG), SIGN(REACHES) | SIGN(STARTS), NOT_TYPED,
	  MASKED },
	{ OPENING | SHAPE(ZIGZAG) | SHAPE(SPACED_PLAIN), SIGN(REACHES) | SIGN(WITH),
	  NOT_TYPED, MASKED },
	{ SHAPE(MADE_UP) | SHAPE(ZIGZAG), SIGN(REACHES) | SIGN(CLAUSE_END), NOT_TYPED,
	  MASKED },
	{ SHAPE(PLAIN), SIGN(BESIDE_ENTER) | SIGN(TEXT_ASKS), NOT_TYPED, MASKED },
	{ SHAPE(SPACED_PLAIN) | SHAPE(SPACED_GROUPS), SIGN(TYPED), NOT_TYPED | SIGN(ELSE),
	  MASKED },
	{ SHAPE(SPACED_GROUPS), SIGN(STARTS), NOT_TYPED | SIGN(ELSE) | SIGN(BEFORE_THING),
	  MASKED },
	{ SHAPE(SPACED_GROUPS), SIGN(WITH), NOT_TYPED | SIGN(ELSE) | SIGN(BEFORE_THING),
	  MASKED },
	{ SHAPE(SPACED_PLAIN), SIGN(HINTED_BEFORE), NOT_TYPED | SIGN(ELSE), MASKED },
	{ SHAPE(SPACED_PLAIN), SIGN(MEANS), NOT_TYPED | SIGN(ELSE), MASKED },
	{ SHAPE(SPACED_PLAIN), SIGN(BESIDE_ENTER) | SIGN(TEXT_HINTS),
	  NOT_TYPED | SIGN(ELSE), MASKED },
	{ SHAPE(SPACED_PLAIN), SIGN(BESIDE_ENTER) | SIGN(TEXT_ASKS),
	  NOT_TYPED | SIGN(ELSE), MASKED },

	/* "Gate: X", "The gate opens with X", "Activation key: X", "Tell the courier X" */
	{ OPENING, SIGN(BEHIND_LOCK) | SIGN(COLON_BEFORE), PUBLIC, MASKED },
	{ OPENING, SIGN(BEHIND_LOCK) | SIGN(IS), PUBLIC, MASKED },
	{ OPENING, SIGN(TEXT_LOCKS) | SIGN(BESIDE_OPEN), PUBLIC | SIGN(OF_LOCK), MASKED },
	{ SHAPE(SPACED_PLAIN), SIGN(TEXT_LOCKS) | SIGN(BESIDE_OPEN),
	  PUBLIC | SIGN(OF_LOCK), MASKED },
	{ SHAPE(KEY), SIGN(BEHIND_KEY), PUBLIC, MASKED },
	{ SHAPE(PLAIN), SIGN(BEHIND_PADLOCK), PUBLIC, MASKED },
	{ OPENING, SIGN(BESIDE_COURIER) | SIGN(NEAR_TELL), SIGN(ADVERTISEMENT), MASKED },
	{ OPENING | SHAPE(NUMBER), SIGN(TEXT_COURIER) | SIGN(TOLD), NOT_TYPED, MASKED },
	{ OPENING, SIGN(TEXT_HINTS) | SIGN(TOLD) | SIGN(BESIDE_OPEN), NOT_TYPED, MASKED },

	/* spelled: groups of digits also look like phone numbers */
	{ SHAPE(LINES), SIGN(TEXT_HINTS), 0, MASKED },
	{ SHAPE(LINES), SIGN(TEXT_ENTERS), 0, MASKED },
	{ SHAPE(SPELLED), SIGN(TEXT_NAMES), SIGN(MONEY_BEHIND), MASKED },
	{ SHAPE(SPELLED_DIGITS), SIGN(TEXT_ENTERS), SIGN(MONEY_BEHIND), MASKED },
	{ SHAPE(SPELLED_DIGITS), SIGN(TEXT_LOCKS), SIGN(MONEY_BEHIND), MASKED },
};

struct code_search {
	struct code_context context;
	const struct code_search_visit *visit;
};

static int code_search_points(const struct code_search *search,
			      const struct code_token *token, int points, uint64_t signs)
{
	if (points == IN_SENTENCE)
		points -= (int)code_sign_name_distance(&search->context, token);
	if (token->shapes & NUMBERS && signs & SIGN(STARTS))
		points += STARTS;
	return signs & SIGN(SIX) ? points + SIX : points;
}

/* False: it is no code. */
static bool code_search_judge(struct code_search *search, struct code_token *token)
{
	const char *text = search->context.text;
	uint64_t shapes = token->shapes, signs;

	if (!shapes)
		return false;
	signs = code_sign_read(&search->context, token);
	if (signs & SIGN(TEXT_SHOUTS) && !token->digits)
		shapes &= ~CAPITALS;
	for (size_t i = 0; i < sizeof(rules) / sizeof(*rules); i++) {
		if (!(shapes & rules[i].shapes) || signs & rules[i].forbids ||
		    (signs & rules[i].needs) != rules[i].needs)
			continue;
		while (rules[i].shapes & PASSWORDS && text[token->to] &&
		       strchr("!?#$%&*+=~@^", text[token->to]))
			token->to++;
		search->visit->visit(
			search->visit->data, token,
			code_search_points(search, token, rules[i].points, signs));
		return true;
	}
	if (!(shapes & NUMBERS) && code_guess_is_code(&search->context, token, signs)) {
		search->visit->visit(search->visit->data, token, MASKED);
		return true;
	}
	return false;
}

static void code_search_judge_spelled(void *data, struct code_token *token)
{
	code_search_judge(data, token);
}

static void code_search_pieces(struct code_search *search)
{
	struct code_token_position position = { 0 };
	struct code_token token;

	while (code_token_next(&search->context, &position, &token)) {
		struct code_token row = token;

		if (code_token_join(&search->context, &row) &&
		    code_search_judge(search, &row))
			position.at = row.to;
		else if (!code_search_judge(search, &token) &&
			 code_token_cut_ending(&search->context, &token))
			code_search_judge(search, &token);
	}
}

void code_search(const char *text, const struct code_search_visit *visit)
{
	struct code_search search;
	struct code_token token;

	if (visit->least >= CODE_POINTS_SURE && !text[strcspn(text, "0123456789")])
		return;
	search.visit = visit;
	code_context_init(&search.context, text);
	for (size_t i = 0; i < search.context.count; i++) {
		if (code_number_read(&search.context, i, &token))
			code_search_judge(&search, &token);
	}
	if (visit->least >= CODE_POINTS_SURE)
		return;
	code_search_pieces(&search);
	code_context_read(&search.context);
	code_token_spelled(&search.context, &(struct code_token_visit){
						    code_search_judge_spelled, &search });
}
