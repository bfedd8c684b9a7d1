/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "config/ussd_code.h"

#include <errno.h>
#include <string.h>

#include "base/buffer.h"
#include "base/explanation.h"
#include "config/config_list.h"

#define DIGITS	   "0123456789"
#define SEPARATORS " \t,"

enum { DESCRIBED_MAX = 20 };

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

/* One code of the owner's list. */
struct ussd_code_entry {
	char code[USSD_CODE_BYTES]; /* "" if it is too long */
	/* in the list, between the parentheses; NULL if there is none */
	const char *purpose;
	size_t purpose_length;
	bool is_open; /* the purpose has no end */
};

/* Returns false if there is none after *at, which moves behind it. */
static bool ussd_code_next(const char **at, struct ussd_code_entry *entry_out)
{
	const char *code = *at + strspn(*at, SEPARATORS);
	size_t length = strcspn(code, SEPARATORS "(");
	const char *after = code + length + strspn(code + length, " \t");

	*entry_out = (struct ussd_code_entry){ .is_open = *after == '(' };
	if (!length && *after != '(')
		return false;
	if (length < USSD_CODE_BYTES)
		memcpy(entry_out->code, code, length);
	if (*after == '(') {
		entry_out->purpose = ++after;
		entry_out->purpose_length = strcspn(after, ")");
		after += entry_out->purpose_length;
		entry_out->is_open = *after != ')';
		after += *after == ')';
	}
	*at = after;
	return true;
}

bool ussd_code_is_in(const struct config_list *list, const char *code)
{
	struct ussd_code_entry entry;

	for (size_t i = 0; i < list->count; i++) {
		const char *at = list->items[i];

		while (ussd_code_next(&at, &entry)) {
			if (*entry.code && ussd_code_matches(code, entry.code))
				return true;
		}
	}
	return false;
}

static void ussd_code_append(struct buffer *buffer, const struct ussd_code_entry *entry)
{
	buffer_append_text(buffer, entry->code);
	if (!entry->purpose_length)
		return;
	buffer_append_text(buffer, " (");
	buffer_append(buffer, entry->purpose, entry->purpose_length);
	buffer_append_text(buffer, ")");
}

void ussd_code_describe(const struct config_list *list, struct buffer *buffer)
{
	struct ussd_code_entry entry;
	unsigned count = 0;

	for (size_t i = 0; i < list->count; i++) {
		const char *at = list->items[i];

		while (ussd_code_next(&at, &entry)) {
			if (count == DESCRIBED_MAX) {
				buffer_append_text(buffer, " and others");
				return;
			}
			buffer_append_text(buffer, count++ ? ", " : "");
			ussd_code_append(buffer, &entry);
		}
	}
}

static int ussd_code_refuse(struct explanation *error, const char *word, const char *flaw)
{
	return explanation_set(error, -EINVAL, "ussd.allow: \"%s\" is %s", word, flaw);
}

static int ussd_code_check_entry(const struct ussd_code_entry *entry,
				 struct explanation *error)
{
	if (entry->is_open)
		return explanation_set(error, -EINVAL,
				       "ussd.allow: the purpose of \"%s\" has no )",
				       entry->code);
	if (entry->purpose_length > USSD_CODE_PURPOSE_MAX)
		return explanation_set(error, -EINVAL,
				       "ussd.allow: the purpose of \"%s\" is too long; "
				       "the limit is %d bytes",
				       entry->code, USSD_CODE_PURPOSE_MAX);
	if (!*entry->code)
		return explanation_set(error, -EINVAL,
				       "ussd.allow: a code is too long or missing; the "
				       "limit is %d characters",
				       USSD_CODE_BYTES - 1);
	if (!ussd_code_pattern_is_valid(entry->code))
		return ussd_code_refuse(
			error, entry->code,
			"not a code such as *100#, in which ? may stand for any digit");
	if (ussd_code_is_mmi(entry->code))
		return ussd_code_refuse(error, entry->code,
					"a code that changes the phone or the "
					"subscription; the gateway never dials those");
	return 0;
}

int ussd_code_check_list(const struct config_list *list, struct explanation *error)
{
	struct ussd_code_entry entry;
	int flaw = 0;

	for (size_t i = 0; i < list->count && !flaw; i++) {
		const char *at = list->items[i];

		while (!flaw && ussd_code_next(&at, &entry))
			flaw = ussd_code_check_entry(&entry, error);
	}
	return flaw;
}
