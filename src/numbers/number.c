/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Follows phonenumberutil.parse() of libphonenumber step by step, with digits alone: strips an
 * international prefix, else the country's own calling code without +; then the national
 * prefix, unless the rest could not be a number. Intended differences are listed in
 * tests/numbers/differences.
 *
 *     text -> digits -> a reading (country and national number) -> number
 *
 * Beyond the library, 00 is understood in every country, + may be missing, and the form of a
 * form is itself.
 */
#include "numbers/number.h"

#include <stdio.h>
#include <string.h>

#include "numbers/phone_number.h"
#include "numbers/plan.h"

enum {
	DIGITS_MOST = 20,
	NATIONAL_LEAST = 2,
	NATIONAL_MOST = 17,
	COST_MASK = 3,
	COST_EXTRA = 2, /* set in NUMBER_PREMIUM and NUMBER_SHARED alone */
};

struct number_digits {
	bool plus;
	size_t count;
	char text[DIGITS_MOST + 1];
};

/* A national number, and the country whose plan was used to read it. */
struct number_reading {
	const struct country *country;
	enum number_spelling spelling;
	char national[NUMBER_FORM_BYTES];
};

static bool number_read_digits(const char *text, struct number_digits *digits)
{
	*digits = (struct number_digits){ .plus = *text == '+' };
	for (text += digits->plus; *text; text++) {
		if (strchr(" -./()", *text))
			continue;
		if (*text < '0' || *text > '9' || digits->count == DIGITS_MOST)
			return false;
		digits->text[digits->count++] = *text;
	}
	return digits->count > 0;
}

bool number_is_number(const char *text)
{
	struct number_digits digits;

	return number_read_digits(text, &digits);
}

static bool number_starts_with(const char *text, const char *start)
{
	return strncmp(text, start, strlen(start)) == 0;
}

/* ---- lengths and patterns */

static bool number_is_general(const struct country *country, const char *national)
{
	return plan_lookup(country->plan, national) & PLAN_GENERAL;
}

static enum number_cost number_cost_of(const struct country *country,
				       const char *national)
{
	return (enum number_cost)(
		plan_lookup(country->plan, national) >> PLAN_COST_SHIFT & COST_MASK);
}

static bool number_has_length(uint32_t lengths, size_t length)
{
	return length < 32 && lengths >> length & 1;
}

/* Returns true also for lengths above the maximum, which number_is_too_long() handles. */
static bool number_may_have_length(const struct country *country, size_t length)
{
	return number_has_length(country->lengths, length) ||
	       (length > 0 && length < 32 && country->lengths >> length == 0);
}

static bool number_is_too_long(const struct country *country, size_t length)
{
	return !number_has_length(country->local_lengths, length) && length < 32 &&
	       country->lengths >> length == 0;
}

/* ---- national prefixes */

/* Replaces the prefix of the number by another one. */
static void number_replace_prefix(const struct country *country,
				  const struct plan_prefix *match,
				  char replaced_out[NUMBER_FORM_BYTES])
{
	size_t group = 2 * (size_t)(country->put_group - 1);
	const char *from = match->places[group], *to = match->places[group + 1];

	snprintf(replaced_out, NUMBER_FORM_BYTES, "%s%.*s%s", country->put,
		 (int)(to - from), from, match->end);
}

/* The prefix is replaced only if its last group matched. */
static bool number_has_last_group(const struct country *country,
				  const struct plan_prefix *match)
{
	return country->groups && match->places[2 * country->groups - 1];
}

/* Returns false if there is no prefix to strip. */
static bool number_strip_prefix(const struct country *country,
				char national[NUMBER_FORM_BYTES])
{
	char stripped[NUMBER_FORM_BYTES];
	struct plan_prefix match;

	if (!*national || !plan_match_prefix(country->prefix, national, &match))
		return false;
	if (country->put_group && number_has_last_group(country, &match))
		number_replace_prefix(country, &match, stripped);
	else
		strcpy(stripped, match.end);
	if (number_is_general(country, national) && !number_is_general(country, stripped))
		return false;
	if (strcmp(national, stripped) == 0)
		return false;
	strcpy(national, stripped);
	return true;
}

/* ---- from digits to a reading */

static bool number_has_calling_code(const struct country *country, const char *digits,
				    size_t *length_out)
{
	const struct country *main = country_of_digits(digits, length_out);

	return main && main->calling_code == country->calling_code;
}

/* Reads digits that follow + or an international prefix. */
static bool number_read_international(const char *digits, struct number_reading *reading)
{
	size_t length;

	reading->country = country_of_digits(digits, &length);
	if (strlen(digits) <= NATIONAL_LEAST || !reading->country)
		return false;
	strcpy(reading->national, digits + length);
	return true;
}

/* Reads 36201234567 so only if it cannot be a national number. */
static bool number_read_own_code(const char *digits, const struct country *home,
				 struct number_reading *reading)
{
	size_t length;
	char national[NUMBER_FORM_BYTES];

	if (!number_has_calling_code(home, digits, &length))
		return false;
	strcpy(national, digits + length);
	number_strip_prefix(home, national);
	if ((number_is_general(home, digits) || !number_is_general(home, national)) &&
	    !number_is_too_long(home, strlen(digits)))
		return false;
	reading->country = home->order ? country_of_digits(digits, &length) : home;
	strcpy(reading->national, national);
	return true;
}

/*
 * Returns the length of the international prefix; 0 if there is none, or a 0 follows, which no
 * calling code has.
 */
static size_t number_abroad_length(const char *digits, const struct country *home)
{
	struct plan_prefix match;

	if (!plan_match_prefix(home->abroad, digits, &match) || *match.end == '0')
		return 0;
	return (size_t)(match.end - digits);
}

/* In North America 1 is both trunk prefix and calling code. */
static bool number_is_trunk_and(const char *national, const char *digits,
				const struct country *home)
{
	return number_starts_with(digits, home->trunk) &&
	       strcmp(digits + strlen(home->trunk), national) == 0;
}

/* Decides whether the digits are international or national. Returns false if they are neither. */
static bool number_place_digits(const struct number_digits *digits,
				const struct country *home,
				struct number_reading *reading)
{
	size_t abroad =
		!digits->plus && home ? number_abroad_length(digits->text, home) : 0;

	if (digits->plus || abroad) {
		reading->spelling = digits->plus ? NUMBER_PLUS : NUMBER_ABROAD;
		return number_read_international(digits->text + abroad, reading);
	}
	if (!home)
		return false;
	if (number_read_own_code(digits->text, home, reading)) {
		reading->spelling =
			number_is_trunk_and(reading->national, digits->text, home)
				? NUMBER_NATIONAL
				: NUMBER_BARE;
		return true;
	}
	reading->spelling = NUMBER_NATIONAL;
	reading->country = home;
	strcpy(reading->national, digits->text);
	return true;
}

/*
 * Among countries that share a calling code, the one that has this number; NULL if there is none.
 */
static const struct country *number_owner(const struct number_reading *reading)
{
	const struct country *country = reading->country;
	struct plan_prefix match;

	while (country->order)
		country--;
	if (!country_next(country))
		return country;
	for (; country; country = country_next(country)) {
		if (country->leading ? plan_match_prefix(country->leading,
							 reading->national, &match)
				     : number_cost_of(country, reading->national) !=
					       NUMBER_INVALID)
			return country;
	}
	return NULL;
}

static bool number_is_valid(const struct number_reading *reading)
{
	const struct country *country = number_owner(reading);

	return country && number_cost_of(country, reading->national) != NUMBER_INVALID;
}

/*
 * National numbers are dialled with the trunk prefix, except where it is not needed. With a prefix,
 * numbers that the metadata does not know yet also count.
 */
static bool number_is_dialled_so(const struct number_reading *reading, bool had_prefix)
{
	const struct country *country = reading->country;
	const char *national = reading->national;

	if (had_prefix)
		return number_is_valid(reading) ||
		       (number_is_general(country, national) &&
			number_has_length(country->lengths, strlen(national)));
	return number_is_valid(reading) &&
	       !(plan_lookup(country->plan, national) & PLAN_NEEDS_TRUNK);
}

static bool number_read_national(const struct number_digits *digits,
				 const struct country *home,
				 struct number_reading *reading)
{
	char national[NUMBER_FORM_BYTES];
	bool had_prefix;

	*reading = (struct number_reading){ 0 };
	if (!number_place_digits(digits, home, reading) ||
	    strlen(reading->national) < NATIONAL_LEAST)
		return false;
	strcpy(national, reading->national);
	had_prefix = number_strip_prefix(reading->country, national) &&
		     number_may_have_length(reading->country, strlen(national));
	if (had_prefix)
		strcpy(reading->national, national);
	had_prefix |= strlen(digits->text) > strlen(reading->national);
	if (reading->spelling == NUMBER_NATIONAL &&
	    !number_is_dialled_so(reading, had_prefix))
		reading->spelling = NUMBER_BARE;
	return strlen(reading->national) >= NATIONAL_LEAST &&
	       strlen(reading->national) <= NATIONAL_MOST;
}

/* ---- beyond the library */

/*
 * "+36 06 06 20 ...": reads an invalid number again with its calling code until that changes
 * nothing, so that the form of a form is itself.
 */
static void number_reread(struct number_reading *reading)
{
	struct number_digits digits = { .plus = true };
	struct number_reading next;

	for (unsigned times = 0; times < DIGITS_MOST && !number_is_valid(reading);
	     times++) {
		int length = snprintf(digits.text, sizeof(digits.text), "%u%s",
				      reading->country->calling_code, reading->national);

		if (length > DIGITS_MOST || !number_read_national(&digits, NULL, &next) ||
		    strcmp(next.national, reading->national) == 0)
			return;
		strcpy(reading->national, next.national);
		reading->country = next.country;
	}
}

/* Networks understand 00 everywhere, although a national number may begin with it. */
static bool number_read_zeros(const struct number_digits *digits,
			      struct number_reading *reading)
{
	struct number_digits international = { .plus = true, .count = digits->count - 2 };

	if (digits->plus || !number_starts_with(digits->text, "00"))
		return false;
	strcpy(international.text, digits->text + 2);
	if (!number_read_national(&international, NULL, reading))
		return false;
	reading->spelling = NUMBER_ABROAD;
	return true;
}

/* Networks omit the +, even if a national number could begin so. */
static bool number_read_without_plus(const struct number_digits *digits,
				     const struct country *home,
				     struct number_reading *reading)
{
	struct number_digits international = *digits;
	size_t length;

	if (!home || digits->plus ||
	    !number_has_calling_code(home, digits->text, &length))
		return false;
	international.plus = true;
	if (!number_read_national(&international, home, reading) ||
	    !number_is_valid(reading))
		return false;
	reading->spelling = NUMBER_BARE;
	return true;
}

static bool number_interpret(const struct number_digits *digits,
			     const struct country *home, struct number_reading *reading)
{
	struct number_reading other;
	bool is_placed = number_read_national(digits, home, reading);

	if ((!is_placed ||
	     (reading->spelling != NUMBER_ABROAD && !number_is_valid(reading))) &&
	    (number_read_zeros(digits, &other) ||
	     number_read_without_plus(digits, home, &other))) {
		*reading = other;
		is_placed = true;
	}
	if (is_placed)
		number_reread(reading);
	return is_placed;
}

/* ---- from a reading to a number */

/* An invalid number may be a premium number with extra or missing digits. */
static bool number_begins_costly(const struct country *country, const char *national)
{
	unsigned along = plan_lookup_along(country->plan, national);

	return along >> PLAN_COST_SHIFT & COST_EXTRA || along & PLAN_ONLY_COSTLY;
}

static void number_fill(const struct number_reading *reading, struct number *number)
{
	const struct country *owner = number_owner(reading);
	const struct country *plan = owner ? owner : reading->country;

	number->spelling = reading->spelling;
	number->country = owner;
	number->cost = owner ? number_cost_of(owner, reading->national) : NUMBER_INVALID;
	number->costs_extra = number->cost == NUMBER_INVALID
				      ? number_begins_costly(plan, reading->national)
				      : number->cost != NUMBER_USUAL;
	number->national_at = (size_t)snprintf(number->form, NUMBER_FORM_BYTES, "+%u",
					       reading->country->calling_code);
	strcpy(number->form + number->national_at, reading->national);
}

/* There is no known country; with + it is international all the same. */
static void number_fill_digits(const struct number_digits *digits, struct number *number)
{
	bool zeros = !digits->plus && number_starts_with(digits->text, "00") &&
		     strchr("123456789", digits->text[2]) && digits->text[2];

	number->spelling = digits->plus ? NUMBER_PLUS
			   : zeros	? NUMBER_ABROAD
					: NUMBER_UNPLACED;
	snprintf(number->form, NUMBER_FORM_BYTES, "%s%s",
		 digits->plus || zeros ? "+" : "", digits->text + (zeros ? 2 : 0));
	number->national_at = strlen(number->form);
}

bool number_is_short(const char *form)
{
	return *form != '+' && strlen(form) <= NUMBER_SHORT_MOST;
}

/* It may have any length: Italy has short codes with seven digits. */
static bool number_is_short_code(const char *digits, const struct country *country)
{
	return country &&
	       plan_lookup(country->short_plan, digits) &
		       (PLAN_SHORT_VALID | PLAN_SHORT_PREMIUM) &&
	       number_cost_of(country, digits) == NUMBER_INVALID;
}

/* "00112" is 112 with an international prefix. */
static bool number_digits_are_short(const struct number_digits *digits,
				    const struct country *home)
{
	if (digits->plus || (number_starts_with(digits->text, "00") && digits->count > 2))
		return false;
	return digits->count <= NUMBER_SHORT_MOST ||
	       number_is_short_code(digits->text, home);
}

bool number_read(const char *text, const struct country *home, struct number *number_out)
{
	struct number number = { 0 };
	struct number_reading reading;
	struct number_digits digits;

	if (!number_read_digits(text, &digits))
		return false;
	if (number_digits_are_short(&digits, home)) {
		number.spelling = NUMBER_SHORT;
		strcpy(number.form, digits.text);
		number.national_at = digits.count;
		number.costs_extra = number_is_short_premium(digits.text, home);
	} else if (number_interpret(&digits, home, &reading)) {
		number_fill(&reading, &number);
	} else {
		number_fill_digits(&digits, &number);
	}
	*number_out = number;
	return true;
}

bool number_form(const char *text, const struct country *home,
		 char form_out[NUMBER_FORM_BYTES])
{
	struct number number;

	if (!number_read(text, home, &number))
		return false;
	strcpy(form_out, number.form);
	return true;
}

bool number_is_of(const char *form, const struct country *country)
{
	size_t length;

	return *form == '+' && number_has_calling_code(country, form + 1, &length) &&
	       number_cost_of(country, form + 1 + length) != NUMBER_INVALID;
}

/* ---- beginnings */

/* No number has the trunk prefix after its calling code: "+44 0" is "+44". */
static void number_drop_trunk(char form[NUMBER_FORM_BYTES])
{
	size_t length;
	const struct country *country = country_of_digits(form + 1, &length);
	size_t trunk = country ? strlen(country->trunk) : 0;
	char *national;

	if (!trunk || *country->trunk != '0')
		return;
	national = form + 1 + length;
	while (number_starts_with(national, country->trunk) && national[trunk])
		memmove(national, national + trunk, strlen(national + trunk) + 1);
}

static void number_write_beginning(const char *digits, const struct country *home,
				   char form_out[NUMBER_FORM_BYTES])
{
	size_t trunk = strlen(home->trunk);

	if (!trunk || !number_starts_with(digits, home->trunk))
		trunk = 0;
	snprintf(form_out, NUMBER_FORM_BYTES, "+%u%s", home->calling_code,
		 digits + trunk);
}

bool number_form_beginning(const char *text, const struct country *home,
			   char form_out[NUMBER_FORM_BYTES])
{
	struct number_digits digits;
	size_t abroad;

	if (!number_read_digits(text, &digits) && strcmp(text, "+") != 0)
		return false;
	abroad = home && !digits.plus ? number_abroad_length(digits.text, home) : 0;
	if (!digits.plus && !abroad && number_starts_with(digits.text, "00"))
		abroad = 2;
	if (digits.plus || abroad)
		snprintf(form_out, NUMBER_FORM_BYTES, "+%s", digits.text + abroad);
	else if (home)
		number_write_beginning(digits.text, home, form_out);
	else
		strcpy(form_out, digits.text);
	if (*form_out == '+')
		number_drop_trunk(form_out);
	return true;
}

/* ---- short numbers */

bool number_is_emergency(const char *digits, const struct country *country)
{
	return country && *digits &&
	       plan_lookup(country->short_plan, digits) & PLAN_EMERGENCY;
}

bool number_begins_as_emergency(const char *digits, const struct country *country)
{
	if (!country || country->emergency_is_exact)
		return number_is_emergency(digits, country);
	return plan_lookup_along(country->short_plan, digits) & PLAN_EMERGENCY;
}

bool number_is_short_premium(const char *digits, const struct country *country)
{
	return country && plan_lookup(country->short_plan, digits) & PLAN_SHORT_PREMIUM;
}

/* ---- spellings */

/* Not snprintf(): each message needs some twenty of these. */
static void number_join(char *out, const char *before, const char *digits)
{
	stpcpy(stpcpy(out, before), digits);
}

static bool number_is_dialled_bare(const struct country *country, const char *national)
{
	unsigned output = plan_lookup(country->plan, national);

	return !*country->trunk ||
	       (output >> PLAN_COST_SHIFT & COST_MASK && !(output & PLAN_NEEDS_TRUNK));
}

size_t number_spell(const char *form, const struct country *home,
		    char spellings_out[NUMBER_SPELLINGS][NUMBER_FORM_BYTES])
{
	size_t count = 0, length;

	number_join(spellings_out[count++], "", form);
	if (*form != '+')
		return count;
	number_join(spellings_out[count++], "00", form + 1);
	number_join(spellings_out[count++], "", form + 1);
	if (!home || !number_has_calling_code(home, form + 1, &length))
		return count;
	if (*home->trunk)
		number_join(spellings_out[count++], home->trunk, form + 1 + length);
	if (number_is_dialled_bare(home, form + 1 + length))
		number_join(spellings_out[count++], "", form + 1 + length);
	return count;
}

bool number_tidy(const char *text, const struct country *home,
		 char number_out[NUMBER_FORM_BYTES])
{
	char spellings[NUMBER_SPELLINGS][NUMBER_FORM_BYTES], form[NUMBER_FORM_BYTES];
	size_t count;

	if (!number_form(text, home, form))
		return false;
	count = number_spell(form, home, spellings);
	for (size_t i = 1; i < count; i++) {
		if (strcmp(spellings[i], text) == 0)
			strcpy(form, text);
	}
	strcpy(number_out, form);
	return true;
}

static bool number_suggest_form(const char *text, const struct country *home,
				char number_out[NUMBER_FORM_BYTES])
{
	char parsed[PHONE_NUMBER_BYTES];
	struct number number;

	if (!number_read(text, home, &number) || number.cost == NUMBER_INVALID ||
	    phone_number_parse(number.form, parsed) != PHONE_NUMBER_OK)
		return false;
	strcpy(number_out, number.form);
	return true;
}

bool number_suggest(const char *text, const struct country *home,
		    char number_out[NUMBER_FORM_BYTES])
{
	struct number_digits digits;
	char with_plus[DIGITS_MOST + 2] = "+";

	if (!number_read_digits(text, &digits))
		return false;
	strcat(with_plus, digits.text);
	return number_suggest_form(digits.text, home, number_out) ||
	       number_suggest_form(with_plus, NULL, number_out);
}
