/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * What the words around a piece say about it. The patterns, strongest first:
 *
 *   called     "code is X", "code for the door: X", "X is your code", "enter X"
 *   near       a name of codes ("code", "PIN") among the nearest words of the sentence
 *   hinted     "authorise: X": a verb for confirming, but no name
 *
 * Words that claim the number for something else ("order X", "EUR X", "X minutes") override
 * all but the first. Examples stand above the functions; X is the piece.
 */
#include "text/code.h"

#include <string.h>

enum {
	/* from "enter" to the code, with small words between */
	CODE_PHRASE_CLOSE_WORDS = 5,
	CODE_PHRASE_VERB_BEFORE = 5,  /* words from a verb to the code, */
	CODE_PHRASE_VERB_BEHIND = 3,  /* and from the code to a verb */
	CODE_PHRASE_MEANS_BEHIND = 6, /* "With X you complete your registration" */
	CODE_PHRASE_SMALL_WORD = 4,   /* characters of "into", "und" */
};

/* A name in the sentence, so many words before this one at most. */
bool code_phrase_has_name_before(const struct code_context *context, size_t word,
				 unsigned most)
{

	for (unsigned i = 1; i <= most; i++) {
		if (!code_context_shares_sentence(context, word, word - i))
			return false;
		if (code_context_is_name(context, word - i))
			return true;
	}
	return false;
}

/* The last mark that is no blank and no quotation mark before it. */
static char code_phrase_mark_before(const struct code_context *context,
				    const struct code_piece *piece)
{
	size_t at = piece->from;

	while (at > 0 && strchr(" \"'([*_<\n", context->text[at - 1]))
		at--;
	return at > 0 ? context->text[at - 1] : '\0';
}

/* A colon of Chinese, too. */
bool code_phrase_is_behind_colon(const struct code_context *context,
				 const struct code_piece *piece)
{
	static const char wide[] = "\uff1a";
	char mark = code_phrase_mark_before(context, piece);
	size_t at = piece->from;

	return mark == ':' || mark == '=' ||
	       (at >= strlen(wide) &&
		memcmp(context->text + at - strlen(wide), wide, strlen(wide)) == 0);
}

bool code_phrase_is_clause_end(const struct code_context *context,
			       const struct code_piece *piece)
{
	const char *at = context->text + piece->to;

	while (*at && strchr("\"'*_)]", *at))
		at++;
	return !*at || *at == '\n' || *at == '\r' || *at == ',' || *at == ';' ||
	       (strchr(".!?", *at) && !code_piece_is_part(at[1]));
}

bool code_phrase_is_called_before(const struct code_context *context,
				  const struct code_piece *piece)
{
	size_t head;

	return code_context_find_head(context, piece->word, &head) &&
	       code_context_is_called(context, head, piece->word);
}

/* "code for the door: X", "the code of your card is X" */
bool code_phrase_names(const struct code_context *context, const struct code_piece *piece)
{
	if (!code_phrase_is_behind_colon(context, piece) &&
	    !code_context_is_of_kind(context, piece->word, piece->word - 1, CODE_WORD_IS))
		return false;
	return code_phrase_has_name_before(context, piece->word,
					   CODE_PHRASE_CLAUSE_WORDS);
}

/* "X kodunuzdur": verbs are endings in some languages. */
static bool code_phrase_is_ended_by_name(const struct code_context *context,
					 const struct code_piece *piece)
{
	size_t name = piece->behind;

	if (!context->words[piece->word].starts || context->text[piece->to] != ' ')
		return false;
	if (code_context_shares_sentence(context, piece->word, name) &&
	    !code_context_is_name(context, name))
		name++;
	return code_context_shares_sentence(context, piece->word, name) &&
	       code_context_is_name(context, name) &&
	       !code_context_shares_sentence(context, piece->word, name + 1);
}

/* "X is your Bluebird confirmation code" */
static bool code_phrase_is_said_to_be_one(const struct code_context *context,
					  const struct code_piece *piece)
{

	size_t end = piece->to;

	end += strchr("\"')]*", context->text[end]) && context->text[end];
	if (context->text[end] != ' ' ||
	    !code_context_is_of_kind(context, piece->word, piece->behind, CODE_WORD_IS))
		return false;
	for (size_t at = piece->behind + 1; at < piece->behind + CODE_PHRASE_CLAUSE_WORDS;
	     at++) {
		if (!code_context_shares_sentence(context, piece->word, at))
			return false;
		if (code_context_is_name(context, at) ||
		    context->kinds[at] & CODE_WORD_ENTER)
			return !context->is_advertisement;
	}
	return false;
}

bool code_phrase_is_called_behind(const struct code_context *context,
				  const struct code_piece *piece)
{
	return code_context_is_called_behind(context, piece->word, piece->behind) ||
	       code_phrase_is_said_to_be_one(context, piece) ||
	       code_phrase_is_ended_by_name(context, piece);
}

/* "type the word X" */
static bool code_phrase_is_behind_enter_and_links(const struct code_context *context,
						  const struct code_piece *piece)
{

	for (size_t i = 1; i <= CODE_PHRASE_CLOSE_WORDS; i++) {
		size_t at = piece->word - i;

		if (code_context_is_of_kind(context, piece->word, at, CODE_WORD_ENTER))
			return !(context->kinds[at] & CODE_WORD_CALL);
		if (!code_context_is_of_kind(context, piece->word, at, CODE_WORD_LINK))
			return false;
	}
	return false;
}

/* What is letters and digits needs no hint: "enter JKQ4T". */
bool code_phrase_is_entered(const struct code_context *context,
			    const struct code_piece *piece)
{
	bool is_made_up = piece->digits && piece->uppers && piece->lowers == 0 &&
			  piece->digits + piece->uppers > CODE_PIECE_LEAST;

	if (code_context_is_of_kind(context, piece->word, piece->word - 2,
				    CODE_WORD_ENTER) &&
	    code_context_is_of_kind(context, piece->word, piece->word - 1,
				    CODE_WORD_LINK) &&
	    context->has_name)
		return true; /* "geben Sie X" */
	if (context->has_hint && !context->is_advertisement &&
	    code_phrase_is_behind_enter_and_links(context, piece))
		return true;
	return (context->has_hint || is_made_up) && !context->is_advertisement &&
	       (code_context_is_of_kind(context, piece->word, piece->word - 1,
					CODE_WORD_ENTER) ||
		code_context_is_of_kind(context, piece->word, piece->behind,
					CODE_WORD_ENTER));
}

/* "Password for your account at Northwind X." */
bool code_phrase_is_end_of_named_sentence(const struct code_context *context,
					  const struct code_piece *piece)
{
	size_t first = piece->word;

	while (piece->word - first <= CODE_PHRASE_CLAUSE_WORDS &&
	       code_context_shares_sentence(context, piece->word, first - 1) &&
	       context->words[first - 1].type == TEXT_WORD)
		first--;
	while (first < piece->word && context->kinds[first] & CODE_WORD_LINK &&
	       !code_context_is_name(context, first))
		first++;
	return first < piece->word && piece->word - first <= CODE_PHRASE_CLAUSE_WORDS &&
	       code_context_is_name(context, first) &&
	       code_phrase_is_clause_end(context, piece);
}

/* "We reset your password. The new one is X." */
bool code_phrase_is_named_before(const struct code_context *context,
				 const struct code_piece *piece)
{
	size_t at = piece->word;
	size_t head;

	if (!context->has_name ||
	    !code_context_is_of_kind(context, at, at - 1, CODE_WORD_IS) ||
	    code_context_is_of_kind(context, at, piece->behind, CODE_WORD_UNIT))
		return false;
	return !code_context_find_head(context, at, &head) ||
	       !(context->kinds[head] &
		 (CODE_WORD_THING | CODE_WORD_CALL | CODE_WORD_BARGAIN));
}

/* "Authorise: X" */
bool code_phrase_is_behind_hint(const struct code_context *context,
				const struct code_piece *piece)
{
	return code_phrase_is_behind_colon(context, piece) &&
	       !context->is_advertisement &&
	       code_context_is_of_kind(context, piece->word, piece->word - 1,
				       CODE_WORD_WEAK | CODE_WORD_ENTER);
}

static bool code_phrase_is_alone_on_line(const struct code_context *context,
					 const struct code_piece *piece)
{
	const char *text = context->text;
	char behind = text[piece->to];

	return (piece->from == 0 || text[piece->from - 1] == '\n') &&
	       (!behind || behind == '\n' || behind == '\r');
}

bool code_phrase_is_alone_below_name(const struct code_context *context,
				     const struct code_piece *piece)
{
	return context->has_name && context->text[piece->from] != '0' &&
	       code_phrase_is_alone_on_line(context, piece);
}

bool code_phrase_is_called(const struct code_context *context,
			   const struct code_piece *piece)
{
	return code_phrase_names(context, piece) ||
	       code_phrase_is_called_before(context, piece) ||
	       code_phrase_is_called_behind(context, piece) ||
	       code_phrase_is_entered(context, piece) ||
	       code_phrase_is_named_before(context, piece) ||
	       code_phrase_is_end_of_named_sentence(context, piece) ||
	       (context->has_name && code_phrase_is_alone_on_line(context, piece));
}

/* "order X", "EUR X", "X minutes", and nothing calls it a code. */
bool code_phrase_is_of_something_else(const struct code_context *context,
				      const struct code_piece *piece)
{
	size_t head;
	unsigned kinds = code_context_find_head(context, piece->word, &head)
				 ? context->kinds[head]
				 : 0;

	if (kinds & CODE_WORD_LOCK &&
	    code_phrase_has_name_before(context, piece->word, CODE_PHRASE_CLAUSE_WORDS))
		return false; /* "the code of the gate is X" */
	if (kinds & CODE_WORD_THING && code_phrase_is_behind_colon(context, piece) &&
	    code_phrase_has_name_before(context, piece->word, CODE_PHRASE_CLOSE_WORDS) &&
	    context->words[piece->word - 1].type == TEXT_WORD)
		return false; /* "TAN for your order: X" */
	if (kinds & CODE_WORD_CALL &&
	    ((kinds & CODE_WORD_OPEN && context->has_lock) ||
	     (kinds & CODE_WORD_ENTER && code_context_has_hint(context, piece->word))))
		return false; /* "dial X at the gate", "to confirm answer X" */
	return kinds & (CODE_WORD_THING | CODE_WORD_CALL | CODE_WORD_BARGAIN) ||
	       code_context_is_of_kind(context, piece->word, piece->word - 1,
				       CODE_WORD_MONEY) ||
	       code_context_is_of_kind(context, piece->word, piece->behind,
				       CODE_WORD_MONEY | CODE_WORD_UNIT);
}

bool code_phrase_is_near(const struct code_context *context,
			 const struct code_piece *piece, unsigned most)
{
	return code_context_name_distance(context, piece->word, piece->behind) < most &&
	       !code_phrase_is_of_something_else(context, piece);
}

/* A word of these kinds in the sentence, so many words before the piece or behind it. */
bool code_phrase_has_beside(const struct code_context *context,
			    const struct code_piece *piece, unsigned kinds)
{

	for (size_t i = 1; i <= CODE_PHRASE_VERB_BEFORE; i++) {
		if (code_context_is_of_kind(context, piece->word, piece->word - i, kinds))
			return true;
	}
	for (size_t i = 0; i < CODE_PHRASE_VERB_BEHIND; i++) {
		if (code_context_is_of_kind(context, piece->word, piece->behind + i,
					    kinds))
			return true;
	}
	return false;
}

static bool code_phrase_is_one_of(const char *word, const char *const *words,
				  size_t count)
{
	for (size_t i = 0; i < count; i++) {
		if (strcmp(word, words[i]) == 0)
			return true;
	}
	return false;
}

static unsigned code_phrase_characters(const struct text_word *word)
{
	unsigned count = 0;

	for (unsigned i = 0; i < word->length; i++)
		count += ((unsigned char)word->text[i] & 0xc0) != 0x80;
	return count;
}

/* "4000 words": a noun follows, not one of the small words that follow a code. */
static bool code_phrase_is_count(const struct code_context *context,
				 const struct code_piece *piece)
{
	const struct text_word *next = &context->words[piece->behind];
	const unsigned no_nouns = CODE_WORD_NAME | CODE_WORD_WEAK | CODE_WORD_LINK |
				  CODE_WORD_IS | CODE_WORD_ENTER | CODE_WORD_KEEP |
				  CODE_WORD_LOCK | CODE_WORD_OPEN | CODE_WORD_AFTER;

	return context->text[piece->to] == ' ' &&
	       code_context_shares_sentence(context, piece->word, piece->behind) &&
	       !(context->kinds[piece->behind] & no_nouns) &&
	       (next->type != TEXT_WORD ||
		code_phrase_characters(next) > CODE_PHRASE_SMALL_WORD);
}

static bool code_phrase_is_followed_by(const struct code_context *context,
				       const struct code_piece *piece, const char *word)
{
	return code_context_shares_sentence(context, piece->word, piece->behind) &&
	       strcmp(context->words[piece->behind].folded, word) == 0;
}

bool code_phrase_is_behind_with(const struct code_context *context,
				const struct code_piece *piece)
{
	static const char *const words[] = {
		"with",	   "mit",     "avec",  "con",	  "com",    "met",
		"med",	   "z",	      "s",     "с",	  "by",	    "using",
		"per",	   "via",     "cu",    "pomoci",  "pomoca", "cislem",
		"numerem", "помощью", "кодом", "through", "durch",  "dank",
		"dzieki",  "diky",    "ezzel", "przez",	  "用",	    "凭"
	};
	size_t before = piece->word - 1;

	if (code_phrase_is_followed_by(context, piece, "ile"))
		return true;
	return code_context_shares_sentence(context, piece->word, before) &&
	       (context->words[before].behind == ' ' ||
		context->words[before].behind == ':' ||
		context->words[before].text + context->words[before].length ==
			context->text + piece->from) &&
	       code_phrase_is_one_of(context->words[before].folded, words,
				     sizeof(words) / sizeof(words[0]));
}

/* "Confirm with X", "With X you confirm" */
bool code_phrase_is_means(const struct code_context *context,
			  const struct code_piece *piece)
{
	if (!code_phrase_is_behind_with(context, piece))
		return false;
	if (code_phrase_has_beside(context, piece, CODE_WORD_WEAK | CODE_WORD_ENTER))
		return true;
	for (size_t i = 0; i < CODE_PHRASE_MEANS_BEHIND; i++) {
		if (code_context_is_of_kind(context, piece->word, piece->behind + i,
					    CODE_WORD_WEAK))
			return true;
	}
	for (size_t i = 1; i <= CODE_PHRASE_CLAUSE_WORDS; i++) {
		if (code_context_is_of_kind(context, piece->word, piece->word - i,
					    CODE_WORD_WEAK))
			return !code_phrase_is_count(context, piece);
	}
	return false;
}

/* "X into the form", whatever the verb; "the screen wants X" */
static bool code_phrase_is_beside_place(const struct code_context *context,
					const struct code_piece *piece)
{
	bool is_asked = false, has_comma = context->text[piece->to] == ',';

	for (size_t i = 1; i <= CODE_PHRASE_MEANS_BEHIND; i++) {
		size_t before = piece->word - i, behind = piece->behind + i;

		has_comma |=
			code_context_shares_sentence(context, piece->word, behind - 1) &&
			context->words[behind - 1].behind == ',';
		if (!has_comma && code_context_is_of_kind(context, piece->word, behind,
							  CODE_WORD_PLACE))
			return code_context_shares_sentence(context, piece->word,
							    piece->word - 1) ||
			       context->kinds[piece->behind] & CODE_WORD_TYPE;
		if (is_asked && code_context_is_of_kind(context, piece->word, before,
							CODE_WORD_PLACE | CODE_WORD_LOCK))
			return true;
		is_asked |= code_context_is_of_kind(context, piece->word, before,
						    CODE_WORD_ASK);
	}
	return false;
}

bool code_phrase_is_typed(const struct code_context *context,
			  const struct code_piece *piece)
{
	if (context->is_advertisement || code_phrase_is_count(context, piece))
		return false;
	for (size_t i = 1; i <= CODE_PHRASE_CLOSE_WORDS; i++) {
		size_t at = piece->word - i;

		if (!code_context_shares_sentence(context, piece->word, at) ||
		    context->words[at].behind == ',')
			break;
		if (context->kinds[at] & CODE_WORD_TYPE)
			return i > 1 || !(context->kinds[at] & CODE_WORD_KEY) ||
			       code_phrase_is_followed_by(context, piece, "into");
		if (!(context->kinds[at] & (CODE_WORD_LINK | CODE_WORD_PLACE)) &&
		    code_phrase_characters(&context->words[at]) > CODE_PHRASE_SMALL_WORD)
			break;
	}
	for (size_t i = 0; i < CODE_PHRASE_VERB_BEHIND; i++) {
		if (code_context_is_of_kind(context, piece->word, piece->behind + i,
					    CODE_WORD_TYPE))
			return true;
	}
	return code_phrase_is_beside_place(context, piece);
}

/* "Send it to 36180": no code, but who gets it. */
bool code_phrase_is_receiver(const struct code_context *context,
			     const struct code_piece *piece)
{
	static const char *const words[] = { "to", "au",   "al", "an", "na",
					     "на", "till", "at", "a" };

	if (code_piece_letters(piece) ||
	    !code_context_shares_sentence(context, piece->word, piece->word - 1))
		return false;
	if (code_context_shares_sentence(context, piece->word, piece->word - 2) &&
	    (context->kinds[piece->word - 2] & CODE_WORD_TYPE ||
	     strcmp(context->words[piece->word - 2].folded, "be") == 0) &&
	    strcmp(context->words[piece->word - 1].folded, "a") == 0)
		return false; /* "Ird be a X szamot" */
	return code_phrase_is_one_of(context->words[piece->word - 1].folded, words,
				     sizeof(words) / sizeof(words[0]));
}

/* Who is called or answered has a number without letters. */
bool code_phrase_is_other_number(const struct code_context *context,
				 const struct code_piece *piece)
{
	size_t head;

	if (!code_phrase_is_of_something_else(context, piece))
		return false;
	return (!code_piece_letters(piece) && !code_phrase_is_means(context, piece)) ||
	       !code_context_find_head(context, piece->word, &head) ||
	       context->kinds[head] & (CODE_WORD_THING | CODE_WORD_BARGAIN);
}

/* "text X to 80808": what everybody sends there */
bool code_phrase_is_keyword(const struct code_context *context,
			    const struct code_piece *piece)
{
	struct code_piece receiver = { .word = piece->behind + 1 };

	return code_context_shares_sentence(context, piece->word, receiver.word) &&
	       context->words[receiver.word].type == TEXT_NUMBER &&
	       context->words[receiver.word].length >= CODE_PIECE_LEAST &&
	       code_phrase_is_receiver(context, &receiver);
}

bool code_phrase_has_number_behind(const struct code_context *context,
				   const struct code_piece *piece)
{

	for (size_t at = piece->behind;
	     code_context_shares_sentence(context, piece->word, at); at++) {
		if (context->words[at].type != TEXT_WORD)
			return true;
	}
	return false;
}
