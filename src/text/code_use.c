/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * What a text says is done with a token: it is typed, chosen, opens something or lets somebody in.
 * Most of these texts have no name such as "code", so verbs and small words are all there is.
 */
#include "text/code.h"

#include <string.h>

enum {
	SMALL_WORD = 4, /* characters of "into", "und" */
};

bool code_use_is_small(const struct text_word *word)
{
	unsigned count = 0;

	for (unsigned i = 0; i < word->length; i++)
		count += ((unsigned char)word->text[i] & 0xc0) != 0x80;
	return count <= SMALL_WORD;
}

/* "4000 words": a noun follows, not one of the small words that follow a code. */
bool code_use_is_count(const struct code_context *context, const struct code_token *token)
{
	const struct text_word *next = &context->words[token->behind];
	const uint32_t no_nouns = CODE_WORD_NAME | CODE_WORD_WEAK | CODE_WORD_LINK |
				  CODE_WORD_IS | CODE_WORD_ENTER | CODE_WORD_KEEP |
				  CODE_WORD_LOCK | CODE_WORD_OPEN | CODE_WORD_AFTER |
				  CODE_WORD_PICK | CODE_WORD_TELL | CODE_WORD_REACH;

	return context->text[token->to] == ' ' &&
	       code_context_shares_sentence(context, token->word, token->behind) &&
	       !(context->kinds[token->behind] & no_nouns) &&
	       (next->type != TEXT_WORD || !code_use_is_small(next));
}

static bool code_use_is_followed_by(const struct code_context *context,
				    const struct code_token *token, const char *word)
{
	return code_context_shares_sentence(context, token->word, token->behind) &&
	       strcmp(context->words[token->behind].folded, word) == 0;
}

/* "with X", and in some languages "X ile" or an ending: "X szammal" */
bool code_use_is_behind_with(const struct code_context *context,
			     const struct code_token *token)
{
	static const char *const endings[] = { "ile",	  "szammal",   "szamsorr",
					       "koddal",  "sayisiyla", "numarasiyla",
					       "bemutat", "megad",     "beir",
					       "で" };
	bool has_next = code_context_shares_sentence(context, token->word, token->behind);
	const struct text_word *before;

	for (size_t i = 0; has_next && i < sizeof(endings) / sizeof(*endings); i++) {
		if (strncmp(context->words[token->behind].folded, endings[i],
			    strlen(endings[i])) == 0)
			return true;
	}
	if (!(code_context_kinds(context, token->word, token->word - 1) & CODE_WORD_WITH))
		return false;
	before = &context->words[token->word - 1];
	return before->behind == ' ' || before->behind == ':' ||
	       before->text + before->length == context->text + token->from;
}

static bool code_use_is_year(const struct code_context *context,
			     const struct code_token *token)
{
	const char *text = context->text + token->from;

	return token->to - token->from == 4 && !code_token_letters(token) &&
	       (memcmp(text, "19", 2) == 0 || memcmp(text, "20", 2) == 0);
}

/* "The parcel box opens with X", "Sign with X", but not "opens with 4000 visitors" */
bool code_use_is_opening(const struct code_context *context,
			 const struct code_token *token)
{
	const size_t at = token->word;
	bool is_six = token->digits == 6 || strlen(token->code) == 6;
	uint32_t kinds =
		code_context_kinds_before(context, at,
					  is_six ? CODE_CLAUSE_WORDS : CODE_TOLD_BEFORE) |
		code_context_kinds_behind(context, at, token->behind, CODE_VERB_BEHIND);

	return (kinds & CODE_WORD_OPEN ||
		code_context_kinds_before(context, at, CODE_VERB_BEFORE) &
			CODE_WORD_LOCK) &&
	       !code_use_is_count(context, token) && !code_use_is_year(context, token);
}

/* "With X you are back in your account", but not "With 2026 we finish" */
bool code_use_is_good_for(const struct code_context *context,
			  const struct code_token *token)
{
	return !code_use_is_year(context, token) &&
	       (code_token_letters(token) || !code_use_is_count(context, token)) &&
	       code_context_kinds_behind(context, token->word, token->behind,
					 CODE_MEANS_BEHIND) &
		       CODE_WORD_REACH;
}

/* "Confirm with X", "With X you confirm" */
bool code_use_is_means(const struct code_context *context, const struct code_token *token)
{
	const size_t at = token->word;

	return (code_context_kinds_before(context, at, CODE_VERB_BEFORE) |
		code_context_kinds_behind(context, at, token->behind, CODE_VERB_BEHIND)) &
		       (CODE_WORD_WEAK | CODE_WORD_ENTER) ||
	       code_context_kinds_behind(context, at, token->behind, CODE_MEANS_BEHIND) &
		       CODE_WORD_WEAK ||
	       code_use_is_good_for(context, token) ||
	       code_use_is_opening(context, token) ||
	       (code_context_kinds_before(context, at, CODE_CLAUSE_WORDS) &
			CODE_WORD_WEAK &&
		!code_use_is_count(context, token));
}

/* "Choose X", "Select X on your other phone" */
bool code_use_is_picked(const struct code_context *context,
			const struct code_token *token)
{
	return !code_use_is_count(context, token) &&
	       (code_context_kinds_before(context, token->word, CODE_TOLD_BEFORE) |
		code_context_kinds(context, token->word, token->behind)) &
		       CODE_WORD_PICK;
}

/* "Your number: X", "Tell him X", whole sentences, but not "Class in Hall X" */
bool code_use_is_short(const struct code_context *context, const struct code_token *token)
{
	const size_t at = token->word;
	const struct text_word *last;
	uint32_t links = CODE_WORD_LINK, kinds = 0;
	size_t first = at, most;
	bool is_colon;

	if (!at)
		return false;
	last = &context->words[at - 1];
	is_colon = last->behind == ':' ||
		   (token->from > 1 && context->text[token->from - 2] == ':');
	most = is_colon ? CODE_VERB_BEFORE : CODE_TOLD_BEFORE;
	for (; at - first <= most && code_context_shares_sentence(context, at, first - 1);
	     first--) {
		kinds |= context->kinds[first - 1];
		links &= context->kinds[first - 1];
	}
	return at - first > 1 && at - first <= most && first > 0 &&
	       !code_context_shares_sentence(context, at, token->behind) &&
	       last->type == TEXT_WORD &&
	       (is_colon || context->kinds[at - 1] & CODE_WORD_LINK ||
		(code_use_is_small(last) && (unsigned char)*last->text >= 'a')) &&
	       (links || !(kinds & (CODE_WORD_THING | CODE_WORD_CALL)));
}

/* "X logs you in", "Then X finishes it", "X is the one to type", which begin a sentence */
bool code_use_is_letting(const struct code_context *context,
			 const struct code_token *token)
{
	const size_t at = token->word, behind = token->behind;
	bool is_hinted = context->signs & CODE_SIGN_TEXT_HINTS;

	if (code_context_shares_sentence(context, at, at - 2))
		return false;
	if (is_hinted &&
	    code_context_kinds_behind(context, at, behind, 2) & CODE_WORD_REACH)
		return true;
	if (code_context_shares_sentence(context, at, at - 1))
		return false;
	return code_context_kinds_behind(context, at, behind, 2) & CODE_WORD_WEAK ||
	       (!code_use_is_count(context, token) &&
		code_context_kinds_behind(context, at, behind, CODE_MEANS_BEHIND) &
			CODE_WORD_TYPE);
}

/* "X into the form", whatever the verb; "the screen wants X" */
static bool code_use_is_beside_place(const struct code_context *context,
				     const struct code_token *token)
{
	const size_t at = token->word;
	bool is_asked = false, has_comma = context->text[token->to] == ',';

	/* "You need X for the gate" */
	if (code_context_kinds_before(context, at, CODE_TOLD_BEFORE) & CODE_WORD_ASK &&
	    code_context_kinds_behind(context, at, token->behind, CODE_MEANS_BEHIND) &
		    CODE_WORD_LOCK)
		return true;
	for (size_t i = 1; i <= CODE_MEANS_BEHIND; i++) {
		size_t behind = token->behind + i;
		uint32_t before = code_context_kinds(context, at, at - i);

		has_comma |= code_context_shares_sentence(context, at, behind - 1) &&
			     context->words[behind - 1].behind == ',';
		if (!has_comma &&
		    code_context_kinds(context, at, behind) & CODE_WORD_PLACE)
			return code_context_shares_sentence(context, at, at - 1) ||
			       context->kinds[token->behind] & CODE_WORD_TYPE;
		if (is_asked && before & (CODE_WORD_PLACE | CODE_WORD_LOCK))
			return true;
		is_asked |= (before & CODE_WORD_ASK) != 0;
	}
	return false;
}

/* "Type X into the terminal", but not "type 4000 words": a number that is only typed. */
bool code_use_is_typed(const struct code_context *context, const struct code_token *token)
{
	uint32_t before;

	if (context->signs & CODE_SIGN_ADVERTISEMENT || code_use_is_count(context, token))
		return false;
	for (size_t i = 1; i <= CODE_CLOSE_WORDS; i++) {
		size_t at = token->word - i;

		if (!code_context_shares_sentence(context, token->word, at) ||
		    context->words[at].behind == ',')
			break;
		if (context->kinds[at] & CODE_WORD_TYPE)
			return i > 1 || !(context->kinds[at] & CODE_WORD_KEY) ||
			       code_use_is_followed_by(context, token, "into") ||
			       code_use_is_followed_by(context, token, "in");
		if (!(context->kinds[at] & (CODE_WORD_LINK | CODE_WORD_PLACE)) &&
		    !code_use_is_small(&context->words[at]))
			break;
	}
	before = code_context_kinds_before(context, token->word, CODE_TOLD_BEFORE);
	if (before & CODE_WORD_KEEP && before & CODE_WORD_TELL)
		return true; /* "Tell nobody X" */
	return code_context_kinds_behind(context, token->word, token->behind,
					 CODE_VERB_BEHIND) &
		       CODE_WORD_TYPE ||
	       code_use_is_beside_place(context, token);
}
