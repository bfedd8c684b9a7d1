/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * The last resort: no rule of code_search.c knows the sentence, but nothing in it explains the
 * number either. A number that stands beside a verb such as "enter" or "show", beside a door, or
 * alone in a short text, is masked. These are no codes:
 *
 *   claimed    "order X", "EUR X", "X minutes", and what its neighbours count
 *   round      4500, 12350: prices and quantities; one code in fifty ends so
 *   years      1998, 2026
 */
#include "text/code.h"

#include <string.h>

enum {
	SHORT_TEXT = 16,       /* words in which six digits alone are a code, */
	SHORTER_TEXT = 10,     /* and fewer digits */
	OTHER_NUMBER = 4,      /* digits of a number that may be meant instead */
	SURE_DIGITS = 6,       /* a length that codes have, and few other numbers */
	PHONE_DIGITS = 7,      /* of a phone or order number, at least */
	VERB_BEFORE = 8,       /* words from a verb to the code, */
	VERB_BEHIND = 2,       /* and from the code to a verb */
	ABBREVIATION_MOST = 4, /* bytes, of "No.", "Nr." */
};

static const uint64_t claims =
	CODE_SIGN_ADVERTISEMENT | CODE_SIGN_ELSE | CODE_SIGN_ELSE_OR_PHONE |
	CODE_SIGN_KEYWORD | CODE_SIGN_RECEIVER | CODE_SIGN_MONEY_BEFORE |
	CODE_SIGN_MONEY_BEHIND | CODE_SIGN_HEAD_CALL | CODE_SIGN_HEAD_THING |
	CODE_SIGN_BEFORE_THING | CODE_SIGN_BESIDE_BARGAIN;

static bool code_guess_is_round(const char *text, const struct code_token *token)
{
	const char *end = text + token->to - 2;

	return !code_token_letters(token) && (*end == '0' || *end == '5') &&
	       end[1] == '0';
}

/* "0930", "1745" */
static bool code_guess_is_time(const char *text, const struct code_token *token)
{
	const char *digits = text + token->from;

	return token->to - token->from == 4 && memcmp(digits, "24", 2) < 0 &&
	       digits[2] < '6' && (digits[3] == '0' || digits[3] == '5');
}

/* "BA2490", "INV-20418": letters and then digits are flights, seats, invoices */
static bool code_guess_is_label(const char *text, const struct code_token *token)
{
	size_t at = token->from;

	while (at < token->to && !code_text_is_digit(text[at]))
		at++;
	while (at < token->to && (code_text_is_digit(text[at]) || text[at] == '-'))
		at++;
	return at == token->to;
}

/* "R8-K2PM": letters and digits change places too often for the plate of a car */
static bool code_guess_changes_often(const char *text, const struct code_token *token)
{
	unsigned changes = 0;
	char last = text[token->from];

	for (size_t at = token->from + 1; at < token->to; at++) {
		if (!code_text_is_part(text[at]))
			continue;
		changes += code_text_is_digit(text[at]) != code_text_is_digit(last);
		last = text[at];
	}
	return changes > 2;
}

/* Letters with digits: "7Q2R", "AB4-71X" */
static bool code_guess_is_mixed(const struct code_context *context,
				const struct code_token *token)
{
	return token->shapes & (CODE_SHAPE_MADE_UP | CODE_SHAPE_MIXED_CASE) &&
	       token->digits > 1 && !token->lowers && !token->others &&
	       !code_guess_is_label(context->text, token);
}

/* "1998", "2026"; no text is from 2050. */
static bool code_guess_is_year(const char *text, const struct code_token *token)
{
	return token->to - token->from == 4 &&
	       memcmp(text + token->from, "1900", 4) >= 0 &&
	       memcmp(text + token->from, "2050", 4) < 0;
}

/* Digits that are no part of a price, date, link or phone number. */
static bool code_guess_is_number(const struct code_context *context,
				 const struct code_token *token)
{
	const char *text = context->text;
	struct code_token number;

	if (token->shapes & CODE_SHAPE_SPACED_PLAIN)
		return token->digits == SURE_DIGITS;
	if (!(token->shapes & CODE_SHAPE_PLAIN) || code_guess_is_round(text, token) ||
	    code_guess_is_year(text, token))
		return false;
	if (strchr("-'", text[token->to]) && text[token->to]) /* "X-re" */
		return token->from == 0 || text[token->from - 1] == ' ';
	return code_number_read(context, token->word, &number) &&
	       number.shapes & (CODE_SHAPE_NUMBER | CODE_SHAPE_UNLIKELY) &&
	       number.to == token->to;
}

/* "66-2078": also a score, so only beside a verb */
static bool code_guess_is_group(const struct code_token *token)
{
	return token->shapes & CODE_SHAPE_PLAIN && token->groups > 1 &&
	       (token->digits == SURE_DIGITS || token->groups > 2);
}

/* "Bestellnummer X", "szam: X", "No. X": how other things are numbered */
static bool code_guess_is_numbered(const struct code_context *context,
				   const struct code_token *token)
{
	static const char *const ends[] = { "nummer", "szam", "szama", "numer",
					    "nr",     "no",   "رقم" };
	const size_t before = token->word - 1;
	const char *word;
	size_t length;

	if (!code_context_shares_sentence(context, token->word, before))
		return token->word > 0 && context->words[before].behind == '.' &&
		       context->words[before].length < ABBREVIATION_MOST;
	if (code_context_kinds_before(context, token->word, CODE_VERB_BEFORE) &
	    CODE_WORD_NOUN)
		return true;
	word = context->words[before].folded;
	length = strlen(word);
	for (size_t i = 0; i < sizeof(ends) / sizeof(*ends); i++) {
		size_t size = strlen(ends[i]);

		/* the short ones are words, not the end of "piano" */
		if ((length == size || (length > size && size > 2)) &&
		    strcmp(word + length - size, ends[i]) == 0)
			return true;
	}
	return context->words[before].behind == '.';
}

/* Is no other number in the text, or only small ones such as those of times? */
static bool code_guess_is_only_number(const struct code_context *context,
				      const struct code_token *token)
{
	for (size_t at = 0; at < context->count; at++) {
		const struct text_word *word = &context->words[at];

		if ((at < token->word || at >= token->behind) &&
		    (word->type == TEXT_NUMBER || word->type == TEXT_MIXED) &&
		    word->length >= OTHER_NUMBER)
			return false;
	}
	return true;
}

/* Is a thing, a price or the like named, before the number or right behind it? */
static bool code_guess_is_explained(const struct code_context *context,
				    const struct code_token *token)
{
	const uint32_t words = CODE_WORD_MONEY | CODE_WORD_CALL | CODE_WORD_UNIT |
			       CODE_WORD_BARGAIN | CODE_WORD_NOUN;

	if (code_context_kinds_of_text(context) & words)
		return true;
	for (size_t at = 0; at < context->count && at < token->behind + VERB_BEHIND;
	     at++) {
		if (context->kinds[at] & CODE_WORD_THING)
			return true;
	}
	return false;
}

/*
 * What the verb before it says, with small words between: "Tell the driver X", but not
 * "Choose model X".
 */
static uint32_t code_guess_verb_before(const struct code_context *context,
				       const struct code_token *token, uint32_t verbs)
{
	const uint32_t between = CODE_WORD_LINK | CODE_WORD_COURIER | CODE_WORD_AFTER |
				 CODE_WORD_LOCK,
		       nouns = CODE_WORD_THING | CODE_WORD_PLACE;

	for (size_t i = 1; i <= VERB_BEFORE; i++) {
		size_t at = token->word - i;
		uint32_t kinds = code_context_kinds(context, token->word, at);
		uint32_t found = kinds & verbs;

		if (!code_context_shares_sentence(context, token->word, at) ||
		    (kinds & nouns && !(kinds & CODE_WORD_COURIER)))
			return 0;
		if (found)
			return found;
		if (!(kinds & between) && !code_use_is_small(&context->words[at]))
			return 0;
	}
	return 0;
}

static uint32_t code_guess_verb_behind(const struct code_context *context,
				       const struct code_token *token, uint32_t verbs)
{
	for (size_t i = 0; i < VERB_BEHIND; i++) {
		uint32_t kinds =
			code_context_kinds(context, token->word, token->behind + i);
		uint32_t found = kinds & verbs;

		if (found && !(kinds & CODE_WORD_THING))
			return found;
	}
	return 0;
}

/* Does the text name who takes codes: a courier, a guard, a machine, a lock? */
static bool code_guess_is_for_somebody(const struct code_context *context)
{
	const uint32_t somebody = CODE_WORD_COURIER | CODE_WORD_PLACE | CODE_WORD_LOCK;

	return code_context_kinds_of_text(context) & somebody;
}

/* "Enter X", "Show X at the counter", "you need X" */
static bool code_guess_is_beside_verb(const struct code_context *context,
				      const struct code_token *token, uint64_t signs)
{
	const uint32_t typed = CODE_WORD_ENTER | CODE_WORD_TYPE,
		       asked = CODE_WORD_ASK | CODE_WORD_TELL,
		       opened =
			       context->signs & CODE_SIGN_TEXT_LOCKS ? CODE_WORD_OPEN : 0,
		       before = code_guess_verb_before(
			       context, token, typed | asked | opened | CODE_WORD_PICK),
		       behind = code_guess_verb_behind(context, token,
						       typed | asked | opened);

	if (before & typed)
		return true;
	if (behind & typed &&
	    !(signs & CODE_SIGN_CLAUSE_END &&
	      code_context_kinds_before(context, token->word, TEXT_WORDS_MAX) &
		      CODE_WORD_THING))
		return true;
	if (token->digits >= PHONE_DIGITS || code_guess_is_time(context->text, token))
		return false;
	/* "Show X at the meeting", "Tell Anna X was a good year" */
	if (before && !(signs & CODE_SIGN_CLAUSE_END) && token->digits < SURE_DIGITS &&
	    !code_guess_is_for_somebody(context))
		return false;
	return before | (behind & opened);
}

/* "To complete your order please X type": the verb behind claims it, in some languages. */
static bool code_guess_is_before_verb(const struct code_context *context,
				      const struct code_token *token)
{
	return code_context_kinds(context, token->word, token->behind) & CODE_WORD_TYPE &&
	       !(code_context_kinds(context, token->word, token->word - 1) &
		 CODE_WORD_THING);
}

/* "The gate X, then the lift", "The gate in the yard is X", "The gate of the yard X, ring twice" */
static bool code_guess_is_of_lock(const struct code_context *context,
				  const struct code_token *token, uint64_t signs)
{
	const uint64_t near = CODE_SIGN_IS | CODE_SIGN_CLAUSE_END;

	return code_context_kinds_before(context, token->word,
					 signs & near ? CODE_VERB_BEFORE : 1) &
		       CODE_WORD_LOCK &&
	       (!code_guess_is_time(context->text, token) ||
		code_context_kinds(context, token->word, token->behind) & CODE_WORD_KEY);
}

/* "X opens the shed", "X gets you in" */
static bool code_guess_opens(const struct code_context *context,
			     const struct code_token *token)
{
	const size_t before = token->word - 1;

	return token->digits < PHONE_DIGITS &&
	       (!code_context_shares_sentence(context, token->word, before) ||
		(!code_context_shares_sentence(context, token->word, before - 1) &&
		 context->kinds[before] & CODE_WORD_LINK)) &&
	       code_context_kinds_behind(context, token->word, token->behind,
					 VERB_BEHIND) &
		       (CODE_WORD_OPEN | CODE_WORD_REACH);
}

/* "just got it: X", "here, X, quick": nothing else in its part of the sentence */
static bool code_guess_stands_alone(const struct code_context *context,
				    const struct code_token *token, uint64_t signs)
{
	const size_t at = token->word;

	if (signs & CODE_SIGN_IS && token->digits > CODE_TOKEN_LEAST)
		return signs & CODE_SIGN_CLAUSE_END; /* but "The answer is 1296" */
	return signs & CODE_SIGN_CLAUSE_END &&
	       (signs & (CODE_SIGN_STARTS | CODE_SIGN_COLON_BEFORE) ||
		(at && context->words[at - 1].behind == ','));
}

/* "just got X", "X arrived, is it yours?": friends send codes on that came to the wrong phone. */
static bool code_guess_is_received(const struct code_context *context)
{
	static const char *const words[] = {
		"got",	    "received", "arrived",  "bekommen", "gekriegt",  "gekommen",
		"recu",	    "arrive",	"llego",    "llegado",	"recibi",    "arrivato",
		"ricevuto", "dostalem", "dostalam", "przyszlo", "przyszedl", "kaptam",
		"jott",	    "erkezett", "kuldtek",  "пришло",	"пришел",    "прислали",
		"geldi",    "gekregen", "chegou",   "recebi",	"fick",
	};

	if (context->count > SHORTER_TEXT)
		return false;
	for (size_t at = 0; at < context->count; at++) {
		for (size_t i = 0; i < sizeof(words) / sizeof(*words); i++) {
			if (strcmp(context->words[at].folded, words[i]) == 0)
				return true;
		}
	}
	return false;
}

/* "X, but tell nobody" */
static bool code_guess_is_kept_secret(const struct code_context *context)
{
	return code_context_kinds_of_text(context) & CODE_WORD_KEEP;
}

/* "Bank: X to pay 20 euros" */
static bool code_guess_begins(const struct code_context *context,
			      const struct code_token *token, uint64_t signs)
{
	return signs & CODE_SIGN_STARTS && token->digits == SURE_DIGITS &&
	       !code_token_letters(token) && context->count <= SHORT_TEXT;
}

/* Of a text without another number and without a verb beside this one. */
static bool code_guess_is_left_over(const struct code_context *context,
				    const struct code_token *token, uint64_t signs)
{
	if (code_guess_is_explained(context, token) || context->count > SHORT_TEXT ||
	    token->digits >= PHONE_DIGITS || code_guess_is_time(context->text, token))
		return false;
	if (code_token_letters(token))
		return code_guess_changes_often(context->text, token);
	return token->digits == SURE_DIGITS ||
	       (signs & CODE_SIGN_CLAUSE_END &&
		(signs & CODE_SIGN_WITH || code_guess_is_kept_secret(context))) ||
	       code_guess_is_received(context) ||
	       (context->count <= SHORTER_TEXT &&
		code_guess_stands_alone(context, token, signs));
}

bool code_guess_is_code(const struct code_context *context,
			const struct code_token *token, uint64_t signs)
{
	bool is_group = code_guess_is_group(token),
	     is_mixed = code_guess_is_mixed(context, token),
	     is_number = code_guess_is_number(context, token);
	const uint64_t with = CODE_SIGN_WITH | CODE_SIGN_CLAUSE_END;

	if (token->word == token->behind || !(is_group || is_mixed || is_number))
		return false;
	if (code_guess_is_before_verb(context, token) ||
	    ((is_group || is_mixed) && signs & CODE_SIGN_WITH))
		signs &= ~(uint64_t)(CODE_SIGN_ELSE | CODE_SIGN_ELSE_OR_PHONE |
				     CODE_SIGN_HEAD_THING);
	if (signs & CODE_SIGN_CLAUSE_END ||
	    (code_context_shares_sentence(context, token->word, token->behind) &&
	     code_use_is_small(&context->words[token->behind])))
		signs &= ~(uint64_t)CODE_SIGN_BEFORE_THING;
	if (code_guess_is_numbered(context, token))
		return false;
	if (signs & CODE_SIGN_COLON_BEFORE && token->digits == SURE_DIGITS &&
	    !(signs & (CODE_SIGN_ADVERTISEMENT | CODE_SIGN_BESIDE_BARGAIN)) &&
	    code_guess_is_kept_secret(context))
		return true; /* "Your account: X. Valid for 5 minutes." */
	if (signs & claims || code_use_is_count(context, token))
		return false;
	if (code_guess_is_beside_verb(context, token, signs) ||
	    code_guess_begins(context, token, signs) ||
	    ((is_group || is_mixed) && (signs & with) == with))
		return true;
	return (is_mixed || is_number) && code_guess_is_only_number(context, token) &&
	       (code_guess_is_of_lock(context, token, signs) ||
		code_guess_opens(context, token) ||
		code_guess_is_left_over(context, token, signs));
}
