/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * What the words and marks around a token say about it, as signs. The strongest first:
 *
 *   called     "code is X", "code for the door: X", "X is your code", "enter X"
 *   near       a name of codes ("code", "PIN") among the nearest words of the sentence
 *   hinted     "authorise: X": a verb for confirming, but no name
 *
 * Words that claim the number for something else ("order X", "EUR X", "X minutes") override
 * all but the first. Examples stand beside the signs in code.h; X is the token.
 */
#include "text/code.h"

#include <string.h>

enum {
	LINK_WORDS = 5, /* between the name and the code */
};

/* ---- the words that name a code ------------------------------------------------------ */

/*
 * The word before the number that it belongs to, skipping small words. A comma ends the search
 * unless a name stands before it. False: none.
 */
static bool code_sign_find_head(const struct code_context *context, size_t at,
				size_t *head_out)
{
	size_t head = at - 1, verb = at, before;
	const uint32_t others = CODE_WORD_NAME | CODE_WORD_THING | CODE_WORD_CALL;

	for (unsigned i = 0;; i++, head--) {
		if (i > LINK_WORDS || !code_context_shares_sentence(context, at, head) ||
		    context->words[head].type != TEXT_WORD)
			return false;
		if (!(context->kinds[head] & CODE_WORD_LINK) ||
		    context->kinds[head] & others)
			break;
		if (context->kinds[head] & CODE_WORD_ENTER)
			verb = head;
	}
	*head_out = head;
	if (!(context->kinds[head] & CODE_WORD_NAME) &&
	    context->words[head].behind == ',')
		return false;
	if (!(context->kinds[head] & CODE_WORD_THING))
		return true;
	if (verb != at) {
		*head_out = verb; /* "on your account enter X" */
		return true;
	}
	/* "PIN pedido", "parola d'ordine": here a word for orders belongs to a code */
	before = head - 1;
	if (code_context_shares_sentence(context, head, before) &&
	    strcmp(context->words[before].folded, "d") == 0)
		before--;
	if (code_context_kinds(context, head, before) & CODE_WORD_SECRET)
		*head_out = before;
	return true;
}

unsigned code_sign_name_distance(const struct code_context *context,
				 const struct code_token *token)
{
	for (unsigned i = 0; i < CODE_NEAR_WORDS; i++) {
		if ((code_context_kinds(context, token->word, token->word - 1 - i) |
		     code_context_kinds(context, token->word, token->behind + i)) &
		    CODE_WORD_SECRET)
			return i;
	}
	return CODE_NEAR_WORDS;
}

/* Skips small words. */
static size_t code_sign_skip_links(const struct code_context *context, size_t at)
{
	while (at < context->count && context->kinds[at] & CODE_WORD_LINK &&
	       !(context->kinds[at] & CODE_WORD_NAME))
		at++;
	return at;
}

/* "771234 is your code", but not "Ref 771234 your code" with the code after it. */
static bool code_sign_is_called_behind(const struct code_context *context,
				       const struct code_token *token)
{
	size_t name = code_sign_skip_links(context, token->behind), next;

	if (context->words[token->behind - 1].behind != ' ' ||
	    !(code_context_kinds(context, token->word, name) & CODE_WORD_SECRET))
		return false;
	next = code_sign_skip_links(context, name + 1);
	return !code_context_shares_sentence(context, token->word, next) ||
	       context->words[next].type == TEXT_WORD;
}

/* "X kodunuzdur": verbs are endings in some languages. */
static bool code_sign_is_ended_by_name(const struct code_context *context,
				       const struct code_token *token)
{
	size_t name = token->behind;

	if (!context->words[token->word].starts || context->text[token->to] != ' ')
		return false;
	if (code_context_shares_sentence(context, token->word, name) &&
	    !(context->kinds[name] & CODE_WORD_SECRET))
		name++;
	return code_context_kinds(context, token->word, name) & CODE_WORD_SECRET &&
	       !code_context_shares_sentence(context, token->word, name + 1);
}

/* "X is your Bluebird confirmation code" */
static bool code_sign_is_said_to_be_one(const struct code_context *context,
					const struct code_token *token)
{
	size_t end = token->to;

	end += strchr("\"')]*", context->text[end]) && context->text[end];
	return context->text[end] == ' ' && !(context->signs & CODE_SIGN_ADVERTISEMENT) &&
	       code_context_kinds(context, token->word, token->behind) & CODE_WORD_IS &&
	       code_context_kinds_behind(context, token->word, token->behind + 1,
					 CODE_CLAUSE_WORDS - 1) &
		       (CODE_WORD_SECRET | CODE_WORD_ENTER);
}

/* "enter X", "type the word X", "geben Sie X". Letters with digits need no hint. */
static bool code_sign_is_entered(const struct code_context *context,
				 const struct code_token *token)
{
	const size_t at = token->word;
	const uint32_t before = code_context_kinds(context, at, at - 1);
	bool is_made_up = token->digits && token->uppers && token->lowers == 0 &&
			  token->digits + token->uppers > CODE_TOKEN_LEAST;
	bool is_hinted = context->signs & CODE_SIGN_TEXT_HINTS;

	if (before & CODE_WORD_LINK && context->signs & CODE_SIGN_TEXT_NAMES &&
	    code_context_kinds(context, at, at - 2) & CODE_WORD_ENTER)
		return true;
	if (context->signs & CODE_SIGN_ADVERTISEMENT)
		return false;
	for (size_t i = 1; i <= CODE_CLOSE_WORDS && is_hinted; i++) {
		uint32_t kinds = code_context_kinds(context, at, at - i);

		if (kinds & CODE_WORD_ENTER && !(kinds & CODE_WORD_CALL))
			return true;
		if (kinds & CODE_WORD_ENTER || !(kinds & CODE_WORD_LINK))
			break;
	}
	return (is_hinted || is_made_up) &&
	       (before | code_context_kinds(context, at, token->behind)) &
		       CODE_WORD_ENTER;
}

/* "Password for your account at Northwind X." */
static bool code_sign_is_sentence_end(const struct code_context *context,
				      const struct code_token *token)
{
	size_t first = token->word;

	while (token->word - first <= CODE_CLAUSE_WORDS &&
	       code_context_shares_sentence(context, token->word, first - 1) &&
	       context->words[first - 1].type == TEXT_WORD)
		first--;
	while (first < token->word &&
	       (context->kinds[first] & (CODE_WORD_LINK | CODE_WORD_SECRET)) ==
		       CODE_WORD_LINK)
		first++;
	return first < token->word && token->word - first <= CODE_CLAUSE_WORDS &&
	       context->kinds[first] & CODE_WORD_SECRET;
}

/* ---- what else the number may be ----------------------------------------------------- */

static bool code_sign_is_one_of(const char *word, const char *const *words, size_t count)
{
	for (size_t i = 0; i < count; i++) {
		if (strcmp(word, words[i]) == 0)
			return true;
	}
	return false;
}

/* "opens 1930", "opens at 0930" */
static bool code_sign_is_hour(const struct code_context *context,
			      const struct code_token *token)
{
	const char *digits = context->text + token->from;
	size_t open = token->word - 1;

	if (strncmp(context->text + token->to, "-kor", strlen("-kor")) == 0)
		return true; /* Hungarian */
	if (token->to - token->from != CODE_TOKEN_LEAST || code_token_letters(token) ||
	    memcmp(digits, "24", 2) >= 0 || !strchr("0134", digits[2]) ||
	    !strchr("05", digits[3]))
		return false;
	open -= code_context_shares_sentence(context, token->word, open) &&
		code_use_is_small(&context->words[open]) &&
		!(context->kinds[open] & (CODE_WORD_OPEN | CODE_WORD_WITH));
	return code_context_kinds(context, token->word, open) & CODE_WORD_OPEN;
}

/* "order X", "EUR X", "X minutes", and nothing calls it a code. */
static bool code_sign_is_else(const struct code_context *context,
			      const struct code_token *token, uint32_t head,
			      uint64_t signs)
{
	if (head & CODE_WORD_LOCK &&
	    code_context_kinds_before(context, token->word, CODE_CLAUSE_WORDS) &
		    CODE_WORD_SECRET)
		return false; /* "the code of the gate is X" */
	if (head & CODE_WORD_THING &&
	    ((signs & CODE_SIGN_COLON_BEFORE && signs & CODE_SIGN_NAME_BEFORE) ||
	     (signs & CODE_SIGN_IS && signs & CODE_SIGN_NAMED)) &&
	    context->words[token->word - 1].type == TEXT_WORD)
		return false; /* "TAN for your order: X" */
	if (head & CODE_WORD_CALL &&
	    ((head & CODE_WORD_OPEN && signs & CODE_SIGN_TEXT_LOCKS) ||
	     (head & CODE_WORD_ENTER && signs & CODE_SIGN_HINTED)))
		return false; /* "dial X at the gate", "to confirm answer X" */
	return head & (CODE_WORD_THING | CODE_WORD_CALL | CODE_WORD_BARGAIN) ||
	       code_sign_is_hour(context, token) ||
	       signs & (CODE_SIGN_MONEY_BEFORE | CODE_SIGN_MONEY_BEHIND);
}

/* "Send it to 36180": no code, but who gets it. */
static bool code_sign_is_receiver(const struct code_context *context, size_t at)
{
	static const char *const words[] = { "to", "au",   "al", "an", "na",
					     "на", "till", "at", "a" };
	static const char *const hungarian[] = { "be",	   "meg", "le",	   "fel",
						 "vissza", "ide", "nekunk" };
	const char *before;

	if (!code_context_shares_sentence(context, at, at - 1))
		return false;
	before = context->words[at - 1].folded;
	if (strcmp(before, "a") == 0 &&
	    code_context_shares_sentence(context, at, at - 2) &&
	    (context->kinds[at - 2] & CODE_WORD_TYPE ||
	     code_sign_is_one_of(context->words[at - 2].folded, hungarian,
				 sizeof(hungarian) / sizeof(hungarian[0]))))
		return false; /* "Ird be a X szamot" */
	return code_sign_is_one_of(before, words, sizeof(words) / sizeof(words[0]));
}

/* "text X to 80808": what everybody sends there */
static bool code_sign_is_keyword(const struct code_context *context,
				 const struct code_token *token)
{
	size_t receiver = token->behind + 1;

	return code_context_shares_sentence(context, token->word, receiver) &&
	       context->words[receiver].type == TEXT_NUMBER &&
	       context->words[receiver].length >= CODE_TOKEN_LEAST &&
	       code_sign_is_receiver(context, receiver);
}

/* "locker X opens with 7319" */
static bool code_sign_has_number_behind(const struct code_context *context,
					const struct code_token *token)
{
	for (size_t at = token->behind;
	     code_context_shares_sentence(context, token->word, at); at++) {
		if (context->words[at].type != TEXT_WORD)
			return true;
	}
	return false;
}

/* ---- signs --------------------------------------------------------------------------- */

/* The signs of the marks around a token. */
static uint64_t code_sign_read_marks(const struct code_context *context,
				     const struct code_token *token)
{
	static const char wide[] = "\uff1a"; /* a colon of Chinese */
	const char *text = context->text, *behind = text + token->to;
	size_t at = token->from;
	uint64_t signs = 0;

	if (at >= strlen(wide) &&
	    memcmp(text + at - strlen(wide), wide, strlen(wide)) == 0)
		signs |= CODE_SIGN_COLON_BEFORE;
	while (at > 0 && strchr(" \"'([*_<\n", text[at - 1]))
		at--;
	if (at > 0 && (text[at - 1] == ':' || text[at - 1] == '='))
		signs |= CODE_SIGN_COLON_BEFORE;
	if (context->signs & CODE_SIGN_TEXT_NAMES && strchr("\r\n", *behind) &&
	    (token->from == 0 || text[token->from - 1] == '\n'))
		signs |= text[token->from] == '0'
				 ? CODE_SIGN_ALONE
				 : CODE_SIGN_ALONE | CODE_SIGN_ALONE_NO_PHONE;
	if (*behind == ':')
		signs |= CODE_SIGN_COLON_BEHIND;
	while (*behind && strchr("\"'*_)]", *behind))
		behind++;
	if (strchr("\n\r,;", *behind) ||
	    (strchr(".!?", *behind) && !code_text_is_part(behind[1])))
		signs |= CODE_SIGN_CLAUSE_END;
	return signs;
}

/* The signs of the words beside a token, and of the one that it belongs to. */
static uint64_t code_sign_read_words(const struct code_context *context,
				     const struct code_token *token, uint32_t head)
{
	const size_t at = token->word, behind = token->behind;
	const uint32_t before_1 = code_context_kinds(context, at, at - 1),
		       behind_1 = code_context_kinds(context, at, behind),
		       right = before_1 | behind_1,
		       near = code_context_kinds_before(context, at, 2) |
			      code_context_kinds_behind(context, at, behind, 2),
		       before_5 =
			       code_context_kinds_before(context, at, CODE_VERB_BEFORE),
		       beside = before_5 | code_context_kinds_behind(context, at, behind,
								     CODE_VERB_BEHIND),
		       clause =
			       code_context_kinds_before(context, at, CODE_CLAUSE_WORDS) |
			       code_context_kinds_behind(context, at, behind,
							 CODE_CLAUSE_WORDS),
		       sentence =
			       context->signs & CODE_SIGN_HINTED
				       ? 0
				       : code_context_kinds_before(context, at,
								   TEXT_WORDS_MAX) |
						 code_context_kinds_behind(
							 context, at, at, TEXT_WORDS_MAX),
		       meaningless = CODE_WORD_LINK | CODE_WORD_LOCK | CODE_WORD_OPEN |
				     CODE_WORD_KEY | CODE_WORD_COURIER | CODE_WORD_TELL;
	/* "your invitation opens with X" */
	const bool is_with = code_use_is_behind_with(context, token),
		   is_opening = is_with && code_use_is_opening(context, token);
	const struct {
		uint32_t kinds;
		uint64_t sign;
	} says[] = {
		{ context->words[at].starts, CODE_SIGN_STARTS },
		{ strlen(token->code) == 6, CODE_SIGN_SIX },
		{ head & CODE_WORD_SECRET, CODE_SIGN_HEAD_NAME },
		{ head & CODE_WORD_CALL, CODE_SIGN_HEAD_CALL },
		{ head & CODE_WORD_THING, CODE_SIGN_HEAD_THING },
		{ before_1 & CODE_WORD_MONEY, CODE_SIGN_MONEY_BEFORE },
		{ behind_1 & (CODE_WORD_MONEY | CODE_WORD_UNIT), CODE_SIGN_MONEY_BEHIND },
		{ before_1 & CODE_WORD_SECRET, CODE_SIGN_NAME_RIGHT_BEFORE },
		{ before_5 & CODE_WORD_SECRET, CODE_SIGN_NAME_BEFORE },
		{ before_1 & CODE_WORD_LOCK, CODE_SIGN_BEHIND_LOCK },
		{ before_1 & CODE_WORD_IS, CODE_SIGN_IS },
		{ behind_1 & CODE_WORD_THING, CODE_SIGN_BEFORE_THING },
		{ context->kinds[at] & ~meaningless, CODE_SIGN_OWN_KIND },
		{ right & CODE_WORD_ENTER, CODE_SIGN_RIGHT_ENTER },
		{ near & CODE_WORD_ENTER, CODE_SIGN_NEAR_ENTER },
		{ beside & CODE_WORD_BARGAIN && !is_opening, CODE_SIGN_BESIDE_BARGAIN },
		{ beside & CODE_WORD_WEAK, CODE_SIGN_BESIDE_WEAK },
		{ beside & CODE_WORD_ENTER,
		  CODE_SIGN_BESIDE_ENTER | CODE_SIGN_BESIDE_OPEN },
		{ beside & CODE_WORD_OPEN && !code_use_is_count(context, token),
		  CODE_SIGN_BESIDE_OPEN },
		{ beside & CODE_WORD_COURIER && !(head & CODE_WORD_THING),
		  CODE_SIGN_BESIDE_COURIER },
		{ behind_1 & CODE_WORD_ASK ||
			  ((clause & CODE_WORD_TELL || before_5 & CODE_WORD_ASK) &&
			   !code_use_is_count(context, token)),
		  CODE_SIGN_NEAR_TELL },
		{ (code_context_kinds_before(context, at, CODE_TOLD_BEFORE) | behind_1) &
				  CODE_WORD_TELL &&
			  !code_use_is_count(context, token),
		  CODE_SIGN_TOLD },
		{ clause & CODE_WORD_ACCOUNT && ((before_5 & CODE_WORD_REACH &&
						  !code_use_is_count(context, token)) ||
						 code_use_is_good_for(context, token)),
		  CODE_SIGN_REACHES },
		{ code_use_is_picked(context, token), CODE_SIGN_PICKED },
		{ code_use_is_short(context, token), CODE_SIGN_SHORT },
		{ code_use_is_picked(context, token) && near & CODE_WORD_REACH,
		  CODE_SIGN_SENT_BACK },
		{ code_use_is_letting(context, token), CODE_SIGN_LETS },
		{ sentence & CODE_WORD_WEAK, CODE_SIGN_HINTED },
		{ code_sign_is_called_behind(context, token),
		  CODE_SIGN_CALLED_BEHIND | CODE_SIGN_SAID_TO_BE },
		{ code_sign_is_said_to_be_one(context, token), CODE_SIGN_SAID_TO_BE },
		{ code_sign_is_ended_by_name(context, token), CODE_SIGN_SAID_TO_BE },
		{ code_sign_is_entered(context, token), CODE_SIGN_ENTERED },
		{ is_with, CODE_SIGN_WITH },
		{ code_sign_is_keyword(context, token), CODE_SIGN_KEYWORD },
		{ code_use_is_typed(context, token), CODE_SIGN_TYPED },
	};
	uint64_t signs = 0;

	for (size_t i = 0; i < sizeof(says) / sizeof(*says); i++)
		signs |= says[i].kinds ? says[i].sign : 0;
	for (size_t i = 1; i <= CODE_MEANS_BEHIND; i++) {
		uint32_t kinds = code_context_kinds(context, at, at - i);

		if (kinds & CODE_WORD_KEY)
			return signs | CODE_SIGN_BEHIND_KEY |
			       (kinds & CODE_WORD_LOCK ? CODE_SIGN_BEHIND_PADLOCK : 0);
	}
	return signs;
}

/* "code is X", but not "code to" somebody's phone number. */
static bool code_sign_is_called_before(const struct code_context *context, size_t head,
				       size_t at)
{
	uint32_t between = 0;

	for (size_t i = head + 1; i < at; i++)
		between |= context->kinds[i];
	return context->kinds[head] & CODE_WORD_SECRET && !(between & CODE_WORD_TOWARDS);
}

uint64_t code_sign_read(struct code_context *context, const struct code_token *token)
{
	const uint64_t names = CODE_SIGN_COLON_BEFORE | CODE_SIGN_IS,
		       called = CODE_SIGN_NAMED | CODE_SIGN_CALLED_BEFORE |
				CODE_SIGN_SAID_TO_BE | CODE_SIGN_ENTERED |
				CODE_SIGN_NEW_ONE | CODE_SIGN_SENTENCE_END |
				CODE_SIGN_ALONE;
	const size_t at = token->word;
	size_t place = 0;
	bool has_head;
	uint32_t head;
	uint64_t signs;
	unsigned distance;

	code_context_read(context);
	if (token->word == token->behind)
		return context->signs;
	has_head = code_sign_find_head(context, at, &place);
	head = has_head ? context->kinds[place] : 0;
	signs = context->signs | code_sign_read_marks(context, token) |
		code_sign_read_words(context, token, head);
	distance = code_sign_name_distance(context, token);
	if (signs & names &&
	    code_context_kinds_before(context, at, CODE_CLAUSE_WORDS) & CODE_WORD_SECRET)
		signs |= CODE_SIGN_NAMED;
	if (has_head && code_sign_is_called_before(context, place, at))
		signs |= CODE_SIGN_CALLED_BEFORE;
	if (signs & CODE_SIGN_TEXT_NAMES && signs & CODE_SIGN_IS &&
	    !(code_context_kinds(context, at, token->behind) & CODE_WORD_UNIT) &&
	    !(head & (CODE_WORD_THING | CODE_WORD_CALL | CODE_WORD_BARGAIN)))
		signs |= CODE_SIGN_NEW_ONE;
	if (signs & CODE_SIGN_CLAUSE_END && code_sign_is_sentence_end(context, token))
		signs |= CODE_SIGN_SENTENCE_END;
	if (signs & called)
		signs |= CODE_SIGN_CALLED;
	if (signs & CODE_SIGN_COLON_BEFORE && !(signs & CODE_SIGN_ADVERTISEMENT) &&
	    code_context_kinds(context, at, at - 1) & (CODE_WORD_WEAK | CODE_WORD_ENTER))
		signs |= CODE_SIGN_HINTED_BEFORE;
	/* "number" also belongs to orders */
	if (signs & CODE_SIGN_COLON_BEFORE && !code_use_is_count(context, token) &&
	    code_context_kinds_before(context, at, CODE_VERB_BEFORE) & CODE_WORD_ASK &&
	    (!(head & CODE_WORD_THING) ||
	     (head & CODE_WORD_LINK &&
	      !(code_context_kinds(context, at, place - 1) & CODE_WORD_THING))))
		signs |= CODE_SIGN_ASKED;
	if (signs & CODE_SIGN_WITH && code_use_is_opening(context, token))
		head &= ~(uint32_t)CODE_WORD_THING; /* "the parcel opens with X" */
	if (code_sign_is_else(context, token, head, signs))
		signs |= CODE_SIGN_ELSE;
	if (distance < CODE_CLOSE_WORDS && !(signs & CODE_SIGN_ELSE))
		signs |= CODE_SIGN_NAME_NEAR;
	if (distance < CODE_NEAR_WORDS)
		signs |= CODE_SIGN_NAME_IN_SENTENCE;
	if (signs & CODE_SIGN_WITH && code_use_is_means(context, token))
		signs |= CODE_SIGN_MEANS;
	if (signs & CODE_SIGN_ELSE &&
	    ((!code_token_letters(token) && !(signs & CODE_SIGN_MEANS)) || !has_head ||
	     head & (CODE_WORD_THING | CODE_WORD_BARGAIN)))
		signs |= CODE_SIGN_ELSE_OR_PHONE;
	if (!code_token_letters(token) && code_sign_is_receiver(context, at))
		signs |= CODE_SIGN_RECEIVER;
	if (signs & CODE_SIGN_BEHIND_LOCK && code_sign_has_number_behind(context, token))
		signs |= CODE_SIGN_OF_LOCK;
	return signs;
}
