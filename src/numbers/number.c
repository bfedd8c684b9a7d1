/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * What phonenumberutil.parse() of libphonenumber does, step for step, with digits alone: an
 * international prefix, else the country's own calling code without +, is taken off; then the
 * national prefix, unless what is left could be no number. The differences that are meant
 * stand in tests/numbers/differences.
 */
#include "numbers/number.h"

#include <stdio.h>
#include <string.h>

#include "numbers/number_plans.h"
#include "numbers/phone_number.h"
#include "numbers/prefix.h"

enum {
	DIGITS_MOST = 20,
	NATIONAL_LEAST = 2,
	NATIONAL_MOST = 17,
	COST_MASK = 3,
	COST_EXTRA = 2, /* set in NUMBER_PREMIUM and NUMBER_SHARED alone */
};

struct digits {
	bool plus;
	size_t count;
	char text[DIGITS_MOST + 1];
};

/* A national number, and whose plan it was read by. */
struct reading {
	const struct country *country;
	enum number_spelling spelling;
	char national[NUMBER_FORM_BYTES];
};

static bool read_digits(const char *text, struct digits *digits)
{
	*digits = (struct digits){ .plus = *text == '+' };
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
	struct digits digits;

	return read_digits(text, &digits);
}

static bool starts_with(const char *text, const char *start)
{
	return strncmp(text, start, strlen(start)) == 0;
}

/* ---- lengths and patterns */

static bool is_general(const struct country *country, const char *national)
{
	return plan_look(country->plan, national) & PLAN_GENERAL;
}

static enum number_cost cost_of(const struct country *country, const char *national)
{
	return (enum number_cost)(plan_look(country->plan, national) >> PLAN_COST_SHIFT &
				  COST_MASK);
}

static bool has_length(uint32_t lengths, size_t length)
{
	return length < 32 && lengths >> length & 1;
}

/* ... or too long, which is looked at elsewhere. */
static bool may_have_length(const struct country *country, size_t length)
{
	return has_length(country->lengths, length) ||
	       (length > 0 && length < 32 && country->lengths >> length == 0);
}

static bool is_too_long(const struct country *country, size_t length)
{
	return !has_length(country->local_lengths, length) && length < 32 &&
	       country->lengths >> length == 0;
}

/* ---- national prefixes */

/* The number without its prefix, or with another in its place. */
static void replace_prefix(const struct country *country,
			   const struct prefix_match *match,
			   char replaced_out[NUMBER_FORM_BYTES])
{
	size_t group = 2 * (size_t)(country->put_group - 1);
	const char *from = match->places[group], *to = match->places[group + 1];

	snprintf(replaced_out, NUMBER_FORM_BYTES, "%s%.*s%s", country->put,
		 (int)(to - from), from, match->end);
}

/* A country that replaces it does so where its last group is there. */
static bool has_last_group(const struct country *country,
			   const struct prefix_match *match)
{
	return country->groups && match->places[2 * country->groups - 1];
}

/* False: it has none. */
static bool strip_prefix(const struct country *country, char national[NUMBER_FORM_BYTES])
{
	char stripped[NUMBER_FORM_BYTES];
	struct prefix_match match;

	if (!*national || !prefix_match(country->prefix, national, &match))
		return false;
	if (country->put_group && has_last_group(country, &match))
		replace_prefix(country, &match, stripped);
	else
		strcpy(stripped, match.end);
	if (is_general(country, national) && !is_general(country, stripped))
		return false;
	if (strcmp(national, stripped) == 0)
		return false;
	strcpy(national, stripped);
	return true;
}

/* ---- from digits to a reading */

static bool has_calling_code(const struct country *country, const char *digits,
			     size_t *length_out)
{
	const struct country *main = country_of_digits(digits, length_out);

	return main && main->calling_code == country->calling_code;
}

/* Behind + or what stands for it. */
static bool read_international(const char *digits, struct reading *reading)
{
	size_t length;

	reading->country = country_of_digits(digits, &length);
	if (strlen(digits) <= NATIONAL_LEAST || !reading->country)
		return false;
	strcpy(reading->national, digits + length);
	return true;
}

/* 36201234567: only where a national number cannot be meant. */
static bool read_own_code(const char *digits, const struct country *home,
			  struct reading *reading)
{
	size_t length;
	char national[NUMBER_FORM_BYTES];

	if (!has_calling_code(home, digits, &length))
		return false;
	strcpy(national, digits + length);
	strip_prefix(home, national);
	if ((is_general(home, digits) || !is_general(home, national)) &&
	    !is_too_long(home, strlen(digits)))
		return false;
	reading->country = home->order ? country_of_digits(digits, &length) : home;
	strcpy(reading->national, national);
	return true;
}

/* 0: none; and none where a 0 follows, for no calling code begins with that. */
static size_t abroad_length(const char *digits, const struct country *home)
{
	struct prefix_match match;

	if (!prefix_match(home->abroad, digits, &match) || *match.end == '0')
		return 0;
	return (size_t)(match.end - digits);
}

/* In North America 1 is both. */
static bool is_trunk_and(const char *national, const char *digits,
			 const struct country *home)
{
	return starts_with(digits, home->trunk) &&
	       strcmp(digits + strlen(home->trunk), national) == 0;
}

/* False: no number that could be placed. */
static bool read_places(const struct digits *digits, const struct country *home,
			struct reading *reading)
{
	size_t abroad = !digits->plus && home ? abroad_length(digits->text, home) : 0;

	if (digits->plus || abroad) {
		reading->spelling = digits->plus ? NUMBER_PLUS : NUMBER_ABROAD;
		return read_international(digits->text + abroad, reading);
	}
	if (!home)
		return false;
	if (read_own_code(digits->text, home, reading)) {
		reading->spelling = is_trunk_and(reading->national, digits->text, home)
					    ? NUMBER_NATIONAL
					    : NUMBER_BARE;
		return true;
	}
	reading->spelling = NUMBER_NATIONAL;
	reading->country = home;
	strcpy(reading->national, digits->text);
	return true;
}

/* Of several countries with one calling code the one whose number it is; NULL: nobody's. */
static const struct country *owner_of(const struct reading *reading)
{
	const struct country *country = reading->country;
	struct prefix_match match;

	while (country->order)
		country--;
	if (!country_next(country))
		return country;
	for (; country; country = country_next(country)) {
		if (country->leading
			    ? prefix_match(country->leading, reading->national, &match)
			    : cost_of(country, reading->national) != NUMBER_INVALID)
			return country;
	}
	return NULL;
}

static bool is_valid(const struct reading *reading)
{
	const struct country *country = owner_of(reading);

	return country && cost_of(country, reading->national) != NUMBER_INVALID;
}

/*
 * National numbers are dialled with the trunk prefix, except where nobody needs it. Behind it
 * a number may also be one that the metadata does not know yet.
 */
static bool is_dialled_so(const struct reading *reading, bool had_prefix)
{
	const struct country *country = reading->country;
	const char *national = reading->national;

	if (had_prefix)
		return is_valid(reading) ||
		       (is_general(country, national) &&
			has_length(country->lengths, strlen(national)));
	return is_valid(reading) &&
	       !(plan_look(country->plan, national) & PLAN_NEEDS_TRUNK);
}

static bool read_reading(const struct digits *digits, const struct country *home,
			 struct reading *reading)
{
	char national[NUMBER_FORM_BYTES];
	bool had_prefix;

	*reading = (struct reading){ 0 };
	if (!read_places(digits, home, reading) ||
	    strlen(reading->national) < NATIONAL_LEAST)
		return false;
	strcpy(national, reading->national);
	had_prefix = strip_prefix(reading->country, national) &&
		     may_have_length(reading->country, strlen(national));
	if (had_prefix)
		strcpy(reading->national, national);
	had_prefix |= strlen(digits->text) > strlen(reading->national);
	if (reading->spelling == NUMBER_NATIONAL && !is_dialled_so(reading, had_prefix))
		reading->spelling = NUMBER_BARE;
	return strlen(reading->national) >= NATIONAL_LEAST &&
	       strlen(reading->national) <= NATIONAL_MOST;
}

/* ---- what is not the library's: 00 everywhere, no +, and one form however often it is read */

/*
 * "+36 06 06 20 ...": what is no number is read again with its calling code, until that
 * changes nothing: the form of a form is itself.
 */
static void read_again(struct reading *reading)
{
	struct digits digits = { .plus = true };
	struct reading next;

	for (unsigned times = 0; times < DIGITS_MOST && !is_valid(reading); times++) {
		int length = snprintf(digits.text, sizeof(digits.text), "%u%s",
				      reading->country->calling_code, reading->national);

		if (length > DIGITS_MOST || !read_reading(&digits, NULL, &next) ||
		    strcmp(next.national, reading->national) == 0)
			return;
		strcpy(reading->national, next.national);
		reading->country = next.country;
	}
}

/* Networks understand 00 everywhere; a number of the country itself may begin like that. */
static bool read_zeros(const struct digits *digits, struct reading *reading)
{
	struct digits international = { .plus = true, .count = digits->count - 2 };

	if (digits->plus || !starts_with(digits->text, "00"))
		return false;
	strcpy(international.text, digits->text + 2);
	if (!read_reading(&international, NULL, reading))
		return false;
	reading->spelling = NUMBER_ABROAD;
	return true;
}

/* Networks leave the + out, also where a national number could begin so. */
static bool read_without_plus(const struct digits *digits, const struct country *home,
			      struct reading *reading)
{
	struct digits international = *digits;
	size_t length;

	if (!home || digits->plus || !has_calling_code(home, digits->text, &length))
		return false;
	international.plus = true;
	if (!read_reading(&international, home, reading) || !is_valid(reading))
		return false;
	reading->spelling = NUMBER_BARE;
	return true;
}

static bool place(const struct digits *digits, const struct country *home,
		  struct reading *reading)
{
	struct reading other;
	bool is_placed = read_reading(digits, home, reading);

	if ((!is_placed || (reading->spelling != NUMBER_ABROAD && !is_valid(reading))) &&
	    (read_zeros(digits, &other) || read_without_plus(digits, home, &other))) {
		*reading = other;
		is_placed = true;
	}
	if (is_placed)
		read_again(reading);
	return is_placed;
}

/* ---- from a reading to a number */

/* An invalid number may be a premium one with digits behind it, or without its last. */
static bool begins_costly(const struct country *country, const char *national)
{
	unsigned along = plan_look_along(country->plan, national);

	return along >> PLAN_COST_SHIFT & COST_EXTRA || along & PLAN_ONLY_COSTLY;
}

static void tell(const struct reading *reading, struct number *number)
{
	const struct country *owner = owner_of(reading);
	const struct country *plan = owner ? owner : reading->country;

	number->spelling = reading->spelling;
	number->country = owner;
	number->cost = owner ? cost_of(owner, reading->national) : NUMBER_INVALID;
	number->costs_extra = number->cost == NUMBER_INVALID
				      ? begins_costly(plan, reading->national)
				      : number->cost != NUMBER_USUAL;
	number->national_at = (size_t)snprintf(number->form, NUMBER_FORM_BYTES, "+%u",
					       reading->country->calling_code);
	strcpy(number->form + number->national_at, reading->national);
}

/* Nobody's: with + it is one all the same. */
static void tell_digits(const struct digits *digits, struct number *number)
{
	bool zeros = !digits->plus && starts_with(digits->text, "00") &&
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

/* "00112" is 112 with an international prefix. */
static bool is_short(const struct digits *digits, const struct country *home)
{
	if (digits->plus || (starts_with(digits->text, "00") && digits->count > 2))
		return false;
	return digits->count <= NUMBER_SHORT_MOST ||
	       number_is_short_code(digits->text, home);
}

bool number_read(const char *text, const struct country *home, struct number *number_out)
{
	struct number number = { 0 };
	struct reading reading;
	struct digits digits;

	if (!read_digits(text, &digits))
		return false;
	if (is_short(&digits, home)) {
		number.spelling = NUMBER_SHORT;
		strcpy(number.form, digits.text);
		number.national_at = digits.count;
		number.costs_extra = number_is_short_premium(digits.text, home);
	} else if (place(&digits, home, &reading)) {
		tell(&reading, &number);
	} else {
		tell_digits(&digits, &number);
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

	return *form == '+' && has_calling_code(country, form + 1, &length) &&
	       cost_of(country, form + 1 + length) != NUMBER_INVALID;
}

/* ---- beginnings */

/* What no number begins with: "+44 0" is "+44". */
static void drop_trunk(char form[NUMBER_FORM_BYTES])
{
	size_t length;
	const struct country *country = country_of_digits(form + 1, &length);
	size_t trunk = country ? strlen(country->trunk) : 0;
	char *national;

	if (!trunk || *country->trunk != '0')
		return;
	national = form + 1 + length;
	while (starts_with(national, country->trunk) && national[trunk])
		memmove(national, national + trunk, strlen(national + trunk) + 1);
}

static void write_national_beginning(const char *digits, const struct country *home,
				     char form_out[NUMBER_FORM_BYTES])
{
	size_t trunk = strlen(home->trunk);

	if (!trunk || !starts_with(digits, home->trunk))
		trunk = 0;
	snprintf(form_out, NUMBER_FORM_BYTES, "+%u%s", home->calling_code,
		 digits + trunk);
}

bool number_form_beginning(const char *text, const struct country *home,
			   char form_out[NUMBER_FORM_BYTES])
{
	struct digits digits;
	size_t abroad;

	if (!read_digits(text, &digits) && strcmp(text, "+") != 0)
		return false;
	abroad = home && !digits.plus ? abroad_length(digits.text, home) : 0;
	if (!digits.plus && !abroad && starts_with(digits.text, "00"))
		abroad = 2;
	if (digits.plus || abroad)
		snprintf(form_out, NUMBER_FORM_BYTES, "+%s", digits.text + abroad);
	else if (home)
		write_national_beginning(digits.text, home, form_out);
	else
		strcpy(form_out, digits.text);
	if (*form_out == '+')
		drop_trunk(form_out);
	return true;
}

/* ---- short numbers */

bool number_is_emergency(const char *digits, const struct country *country)
{
	return country && *digits &&
	       plan_look(country->short_plan, digits) & PLAN_EMERGENCY;
}

bool number_begins_as_emergency(const char *digits, const struct country *country)
{
	if (!country || country->emergency_is_exact)
		return number_is_emergency(digits, country);
	return plan_look_along(country->short_plan, digits) & PLAN_EMERGENCY;
}

bool number_is_short_premium(const char *digits, const struct country *country)
{
	return country && plan_look(country->short_plan, digits) & PLAN_SHORT_PREMIUM;
}

bool number_is_short_code(const char *digits, const struct country *country)
{
	return country &&
	       plan_look(country->short_plan, digits) &
		       (PLAN_SHORT_VALID | PLAN_SHORT_PREMIUM) &&
	       cost_of(country, digits) == NUMBER_INVALID;
}

/* ---- spellings */

/* A code or a prefix, and digits: with each message some twenty times. */
static void join(char *out, const char *before, const char *digits)
{
	stpcpy(stpcpy(out, before), digits);
}

static bool is_dialled_bare(const struct country *country, const char *national)
{
	unsigned output = plan_look(country->plan, national);

	return !*country->trunk ||
	       (output >> PLAN_COST_SHIFT & COST_MASK && !(output & PLAN_NEEDS_TRUNK));
}

size_t number_spell(const char *form, const struct country *home,
		    char spellings_out[NUMBER_SPELLINGS][NUMBER_FORM_BYTES])
{
	size_t count = 0, length;

	join(spellings_out[count++], "", form);
	if (*form != '+')
		return count;
	join(spellings_out[count++], "00", form + 1);
	join(spellings_out[count++], "", form + 1);
	if (!home || !has_calling_code(home, form + 1, &length))
		return count;
	if (*home->trunk)
		join(spellings_out[count++], home->trunk, form + 1 + length);
	if (is_dialled_bare(home, form + 1 + length))
		join(spellings_out[count++], "", form + 1 + length);
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

static bool suggest(const char *text, const struct country *home,
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
	struct digits digits;
	char with_plus[DIGITS_MOST + 2] = "+";

	if (!read_digits(text, &digits))
		return false;
	strcat(with_plus, digits.text);
	return suggest(digits.text, home, number_out) ||
	       suggest(with_plus, NULL, number_out);
}
