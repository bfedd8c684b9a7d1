/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "config/ussd_code.h"

#include <errno.h>
#include <string.h>

#include "base/explanation.h"
#include "base/word_list.h"
#include "config/config_list.h"

#define DIGITS "0123456789"

/* Between the first * or # and the next: annex B, and 6.5.4, 6.6.2, 6.6.3, 6.7. */
static const char *const ussd_code_services[] = {
	"002", "004", "21",  "61",  "62",  "67",  "66",	 "214", /* forwarding */
	"33",  "330", "331", "332", "333", "35",  "351", "353", /* barring */
	"43",  "37",  "88",  "96",	   /* waiting, completion, multicall, transfer */
	"30",  "31",  "300", "76",  "77",  /* presentation of numbers */
	"03",  "04",  "042", "05",  "052", /* password, PIN, PIN2, PUK, PUK2 */
	"06",				   /* IMEI */
	"360", "361", "362", "363",	   /* user-to-user signalling */
	"59",  "591", "592", "593", "594", /* profiles */
	"75",  "750", "751", "752", "753", "754", /* precedence */
};

static bool ussd_code_has_form(const char *code, const char *digits)
{
	size_t length = strlen(code);
	bool any = false;

	for (size_t i = 0; i < length; i++) {
		if (strchr(digits, code[i]))
			any = true;
		else if (code[i] != '*' && code[i] != '#')
			return false;
	}
	return any && length < USSD_CODE_BYTES && (code[0] == '*' || code[0] == '#') &&
	       code[length - 1] == '#';
}

bool ussd_code_is_valid(const char *code)
{
	return ussd_code_has_form(code, DIGITS);
}

bool ussd_code_pattern_is_valid(const char *pattern)
{
	return ussd_code_has_form(pattern, DIGITS "?");
}

bool ussd_code_is_mmi(const char *code)
{
	const char *service = code + strspn(code, "*#");
	size_t length = strcspn(service, "*#");
	size_t count = sizeof(ussd_code_services) / sizeof(ussd_code_services[0]);

	for (size_t i = 0; i < count; i++) {
		if (strlen(ussd_code_services[i]) == length &&
		    memcmp(ussd_code_services[i], service, length) == 0)
			return true;
	}
	return false;
}

bool ussd_code_reply_is_valid(const char *reply)
{
	static const char allowed[] = "abcdefghijklmnopqrstuvwxyz"
				      "ABCDEFGHIJKLMNOPQRSTUVWXYZ" DIGITS " *#+-.,:/()?!";

	return strspn(reply, allowed) == strlen(reply);
}

bool ussd_code_reply_is_code(const char *reply)
{
	const char *first = reply + strspn(reply, " ");
	const char *digit = strpbrk(first, DIGITS);

	return (*first == '*' || *first == '#') && digit && strchr(digit, '#');
}

static bool ussd_code_matches(const char *code, const char *pattern)
{
	for (; *pattern && *code; pattern++, code++) {
		if (*pattern == '?' ? !strchr(DIGITS, *code) : *pattern != *code)
			return false;
	}
	return *pattern == *code;
}

bool ussd_code_is_in(const struct config_list *list, const char *code)
{
	char pattern[USSD_CODE_BYTES];

	for (size_t i = 0; i < list->count; i++) {
		const char *at = list->items[i];

		while (word_list_next(&at, pattern, sizeof(pattern))) {
			if (*pattern && ussd_code_matches(code, pattern))
				return true;
		}
	}
	return false;
}

static int ussd_code_refuse(struct explanation *error, const char *word, const char *flaw)
{
	return explanation_set(error, -EINVAL, "ussd.allow: \"%s\" is %s", word, flaw);
}

int ussd_code_check_list(const struct config_list *list, struct explanation *error)
{
	char word[USSD_CODE_BYTES];

	for (size_t i = 0; i < list->count; i++) {
		const char *at = list->items[i];

		while (word_list_next(&at, word, sizeof(word))) {
			if (!*word)
				return explanation_set(
					error, -EINVAL,
					"ussd.allow: a code is too long; the limit is %d "
					"characters",
					USSD_CODE_BYTES - 1);
			if (!ussd_code_pattern_is_valid(word))
				return ussd_code_refuse(
					error, word,
					"not a code such as *100#, in which ? may stand "
					"for any digit");
			if (ussd_code_is_mmi(word))
				return ussd_code_refuse(
					error, word,
					"a code that changes the phone or the "
					"subscription; the gateway never dials those");
		}
	}
	return 0;
}
