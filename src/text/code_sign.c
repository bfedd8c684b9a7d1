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
	LINK_WORDS = 5,	   /* between the name and the code */
	CLAUSE_WORDS = 12, /* between a name and the colon before its code */
	CLOSE_WORDS = 5,   /* from "enter" to the code, with small words between */
	VERB_BEFORE = 5,   /* words from a verb to the code, */
	VERB_BEHIND = 3,   /* and from the code to a verb */
	MEANS_BEHIND = 6,  /* "With X you complete your registration" */
	SMALL_WORD = 4,	   /* characters of "into", "und" */
	TOLD_BEFORE = 3,   /* "Tell her X", "Your number: X" */
};

/* ---- the words that name a code ------------------------------------------------------ */

/*
 * The word before the number that it belongs to, skipping small words. A comma ends the search
 * unless a name stands before it. False: none.
 */
static bool code_sign_find_head(const struct code_context *context, size_t at,
				size_t *head_out)
{
	size_t head = at - 1, before;
	const uint32_t others = CODE_WORD_NAME | CODE_WORD_THING | CODE_WORD_CALL;

	for (unsigned i = 0;; i++, head--) {
		if (i > LINK_WORDS || !code_context_shares_sentence(context, at, head) ||
		    context->words[head].type != TEXT_WORD)
			return false;
		if (!(context->kinds[head] & CODE_WORD_LINK) ||
		    context->kinds[head] & others)
			break;
	}
	*head_out = head;
	if (!(context->kinds[head] & CODE_WORD_NAME) &&
	    context->words[head].behind == ',')
		return false;
	if (!(context->kinds[head] & CODE_WORD_THING))
		return true;
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
					 CLAUSE_WORDS - 1) &
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
	for (size_t i = 1; i <= CLOSE_WORDS && is_hinted; i++) {
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

	while (token->word - first <= CLAUSE_WORDS &&
	       code_context_shares_sentence(context, token->word, first - 1) &&
	       context->words[first - 1].type == TEXT_WORD)
		first--;
	while (first < token->word &&
	       (context->kinds[first] & (CODE_WORD_LINK | CODE_WORD_SECRET)) ==
		       CODE_WORD_LINK)
		first++;
	return first < token->word && token->word - first <= CLAUSE_WORDS &&
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

/* "order X", "EUR X", "X minutes", and nothing calls it a code. */
static bool code_sign_is_else(const struct code_context *context,
			      const struct code_token *token, uint32_t head,
			      uint64_t signs)
{
	if (head & CODE_WORD_LOCK &&
	    code_context_kinds_before(context, token->word, CLAUSE_WORDS) &
		    CODE_WORD_SECRET)
		return false; /* "the code of the gate is X" */
	if (head & CODE_WORD_THING && signs & CODE_SIGN_COLON_BEFORE &&
	    signs & CODE_SIGN_NAME_BEFORE &&
	    context->words[token->word - 1].type == TEXT_WORD)
		return false; /* "TAN for your order: X" */
	if (head & CODE_WORD_CALL &&
	    ((head & CODE_WORD_OPEN && signs & CODE_SIGN_TEXT_LOCKS) ||
	     (head & CODE_WORD_ENTER && signs & CODE_SIGN_HINTED)))
		return false; /* "dial X at the gate", "to confirm answer X" */
	return head & (CODE_WORD_THING | CODE_WORD_CALL | CODE_WORD_BARGAIN) ||
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

/* ---- what is done with the number ---------------------------------------------------- */

static bool code_sign_is_small(const struct text_word *word)
{
	unsigned count = 0;

	for (unsigned i = 0; i < word->length; i++)
		count += ((unsigned char)word->text[i] & 0xc0) != 0x80;
	return count <= SMALL_WORD;
}

/* "4000 words": a noun follows, not one of the small words that follow a code. */
static bool code_sign_is_count(const struct code_context *context,
			       const struct code_token *token)
{
	const struct text_word *next = &context->words[token->behind];
	const uint32_t no_nouns = CODE_WORD_NAME | CODE_WORD_WEAK | CODE_WORD_LINK |
				  CODE_WORD_IS | CODE_WORD_ENTER | CODE_WORD_KEEP |
				  CODE_WORD_LOCK | CODE_WORD_OPEN | CODE_WORD_AFTER |
				  CODE_WORD_PICK | CODE_WORD_TELL | CODE_WORD_REACH;

	return context->text[token->to] == ' ' &&
	       code_context_shares_sentence(context, token->word, token->behind) &&
	       !(context->kinds[token->behind] & no_nouns) &&
	       (next->type != TEXT_WORD || !code_sign_is_small(next));
}

static bool code_sign_is_followed_by(const struct code_context *context,
				     const struct code_token *token, const char *word)
{
	return code_context_shares_sentence(context, token->word, token->behind) &&
	       strcmp(context->words[token->behind].folded, word) == 0;
}

static bool code_sign_is_behind_with(const struct code_context *context,
				     const struct code_token *token)
{
	static const char *const words[] = {
		"with",	   "mit",     "avec",  "con",	  "com",    "met",
		"med",	   "z",	      "s",     "с",	  "by",	    "using",
		"per",	   "via",     "cu",    "pomoci",  "pomoca", "cislem",
		"numerem", "помощью", "кодом", "through", "durch",  "dank",
		"dzieki",  "diky",    "ezzel", "przez",	  "用",	    "凭"
	};
	const struct text_word *before;

	if (code_sign_is_followed_by(context, token, "ile"))
		return true;
	if (!code_context_shares_sentence(context, token->word, token->word - 1))
		return false;
	before = &context->words[token->word - 1];
	return (before->behind == ' ' || before->behind == ':' ||
		before->text + before->length == context->text + token->from) &&
	       code_sign_is_one_of(before->folded, words,
				   sizeof(words) / sizeof(words[0]));
}

/* "With X you are back in your account", but not "With 2026 we finish" */
static bool code_sign_is_good_for(const struct code_context *context,
				  const struct code_token *token)
{
	const size_t length = token->to - token->from;
	const char *text = context->text + token->from;
	bool is_year = length == 4 && !code_token_letters(token) &&
		       (memcmp(text, "19", 2) == 0 || memcmp(text, "20", 2) == 0);

	return !is_year &&
	       (code_token_letters(token) || !code_sign_is_count(context, token)) &&
	       code_context_kinds_behind(context, token->word, token->behind,
					 MEANS_BEHIND) &
		       CODE_WORD_REACH;
}

/* "Confirm with X", "With X you confirm" */
static bool code_sign_is_means(const struct code_context *context,
			       const struct code_token *token)
{
	const size_t at = token->word;

	return (code_context_kinds_before(context, at, VERB_BEFORE) |
		code_context_kinds_behind(context, at, token->behind, VERB_BEHIND)) &
		       (CODE_WORD_WEAK | CODE_WORD_ENTER) ||
	       code_context_kinds_behind(context, at, token->behind, MEANS_BEHIND) &
		       CODE_WORD_WEAK ||
	       code_sign_is_good_for(context, token) ||
	       (code_context_kinds_before(context, at, CLAUSE_WORDS) & CODE_WORD_WEAK &&
		!code_sign_is_count(context, token));
}

/* "Choose X", "Select X on your other phone" */
static bool code_sign_is_picked(const struct code_context *context,
				const struct code_token *token)
{
	return !code_sign_is_count(context, token) &&
	       (code_context_kinds_before(context, token->word, TOLD_BEFORE) |
		code_context_kinds(context, token->word, token->behind)) &
		       CODE_WORD_PICK;
}

/* "Your number: X", "Tell him X", whole sentences, but not "Class in Hall X" */
static bool code_sign_is_short(const struct code_context *context,
			       const struct code_token *token)
{
	const size_t at = token->word;
	const struct text_word *last;
	uint32_t links = CODE_WORD_LINK, kinds = 0;
	size_t first = at;

	if (!at)
		return false;
	last = &context->words[at - 1];
	for (; at - first <= TOLD_BEFORE &&
	       code_context_shares_sentence(context, at, first - 1);
	     first--) {
		kinds |= context->kinds[first - 1];
		links &= context->kinds[first - 1];
	}
	return at - first > 1 && at - first <= TOLD_BEFORE && first > 0 &&
	       !code_context_shares_sentence(context, at, token->behind) &&
	       last->type == TEXT_WORD &&
	       (last->behind == ':' || context->kinds[at - 1] & CODE_WORD_LINK ||
		(code_sign_is_small(last) && (unsigned char)*last->text >= 'a')) &&
	       (links || !(kinds & (CODE_WORD_THING | CODE_WORD_CALL)));
}

/* "X into the form", whatever the verb; "the screen wants X" */
static bool code_sign_is_beside_place(const struct code_context *context,
				      const struct code_token *token)
{
	const size_t at = token->word;
	bool is_asked = false, has_comma = context->text[token->to] == ',';

	for (size_t i = 1; i <= MEANS_BEHIND; i++) {
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
static bool code_sign_is_typed(const struct code_context *context,
			       const struct code_token *token)
{
	if (context->signs & CODE_SIGN_ADVERTISEMENT ||
	    code_sign_is_count(context, token))
		return false;
	for (size_t i = 1; i <= CLOSE_WORDS; i++) {
		size_t at = token->word - i;

		if (!code_context_shares_sentence(context, token->word, at) ||
		    context->words[at].behind == ',')
			break;
		if (context->kinds[at] & CODE_WORD_TYPE)
			return i > 1 || !(context->kinds[at] & CODE_WORD_KEY) ||
			       code_sign_is_followed_by(context, token, "into") ||
			       code_sign_is_followed_by(context, token, "in");
		if (!(context->kinds[at] & (CODE_WORD_LINK | CODE_WORD_PLACE)) &&
		    !code_sign_is_small(&context->words[at]))
			break;
	}
	return code_context_kinds_behind(context, token->word, token->behind,
					 VERB_BEHIND) &
		       CODE_WORD_TYPE ||
	       code_sign_is_beside_place(context, token);
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
		       before_5 = code_context_kinds_before(context, at, VERB_BEFORE),
		       beside = before_5 | code_context_kinds_behind(context, at, behind,
								     VERB_BEHIND),
		       clause = code_context_kinds_before(context, at, CLAUSE_WORDS) |
				code_context_kinds_behind(context, at, behind,
							  CLAUSE_WORDS),
		       sentence =
			       context->signs & CODE_SIGN_HINTED
				       ? 0
				       : code_context_kinds_before(context, at,
								   TEXT_WORDS_MAX) |
						 code_context_kinds_behind(
							 context, at, at, TEXT_WORDS_MAX),
		       meaningless = CODE_WORD_LINK | CODE_WORD_LOCK | CODE_WORD_OPEN |
				     CODE_WORD_KEY | CODE_WORD_COURIER | CODE_WORD_TELL;
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
		{ beside & CODE_WORD_BARGAIN, CODE_SIGN_BESIDE_BARGAIN },
		{ beside & CODE_WORD_WEAK, CODE_SIGN_BESIDE_WEAK },
		{ beside & CODE_WORD_ENTER,
		  CODE_SIGN_BESIDE_ENTER | CODE_SIGN_BESIDE_OPEN },
		{ beside & CODE_WORD_OPEN, CODE_SIGN_BESIDE_OPEN },
		{ beside & CODE_WORD_COURIER, CODE_SIGN_BESIDE_COURIER },
		{ clause & CODE_WORD_TELL, CODE_SIGN_NEAR_TELL },
		{ (code_context_kinds_before(context, at, TOLD_BEFORE) | behind_1) &
			  CODE_WORD_TELL,
		  CODE_SIGN_TOLD },
		{ clause & CODE_WORD_ACCOUNT && code_sign_is_good_for(context, token),
		  CODE_SIGN_REACHES },
		{ code_sign_is_picked(context, token), CODE_SIGN_PICKED },
		{ code_sign_is_short(context, token), CODE_SIGN_SHORT },
		{ code_sign_is_picked(context, token) && near & CODE_WORD_REACH,
		  CODE_SIGN_SENT_BACK },
		{ !code_context_shares_sentence(context, at, at - 1) &&
			  code_context_kinds_behind(context, at, behind, 2) &
				  CODE_WORD_WEAK,
		  CODE_SIGN_LETS },
		{ sentence & CODE_WORD_WEAK, CODE_SIGN_HINTED },
		{ code_sign_is_called_behind(context, token),
		  CODE_SIGN_CALLED_BEHIND | CODE_SIGN_SAID_TO_BE },
		{ code_sign_is_said_to_be_one(context, token), CODE_SIGN_SAID_TO_BE },
		{ code_sign_is_ended_by_name(context, token), CODE_SIGN_SAID_TO_BE },
		{ code_sign_is_entered(context, token), CODE_SIGN_ENTERED },
		{ code_sign_is_behind_with(context, token), CODE_SIGN_WITH },
		{ code_sign_is_keyword(context, token), CODE_SIGN_KEYWORD },
		{ code_sign_is_typed(context, token), CODE_SIGN_TYPED },
	};
	uint64_t signs = 0;

	for (size_t i = 0; i < sizeof(says) / sizeof(*says); i++)
		signs |= says[i].kinds ? says[i].sign : 0;
	for (size_t i = 1; i <= VERB_BEFORE; i++) {
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
	    code_context_kinds_before(context, at, CLAUSE_WORDS) & CODE_WORD_SECRET)
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
	if (signs & CODE_SIGN_COLON_BEFORE && !code_sign_is_count(context, token) &&
	    code_context_kinds_before(context, at, VERB_BEFORE) & CODE_WORD_ASK &&
	    (!(head & CODE_WORD_THING) ||
	     (head & CODE_WORD_LINK &&
	      !(code_context_kinds(context, at, place - 1) & CODE_WORD_THING))))
		signs |= CODE_SIGN_ASKED;
	if (code_sign_is_else(context, token, head, signs))
		signs |= CODE_SIGN_ELSE;
	if (distance < CLOSE_WORDS && !(signs & CODE_SIGN_ELSE))
		signs |= CODE_SIGN_NAME_NEAR;
	if (distance < CODE_NEAR_WORDS)
		signs |= CODE_SIGN_NAME_IN_SENTENCE;
	if (signs & CODE_SIGN_WITH && code_sign_is_means(context, token))
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
