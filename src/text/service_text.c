/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * A service text is a start, which the table has, and then `name=value` pairs: separated by
 * semicolons (visual voicemail, registration), by ampersands (its oldest form), or in quotes
 * (settings in XML). A value ends with its quote, or else with a semicolon: where ampersands
 * separate, more is masked than needed, because showing a password cannot be undone.
 */
#include "text/service_text.h"

#include <string.h>
#include <strings.h>

#include "text/code_mask.h"

#define SERVICE_TEXT_CAPITALS "ABCDEFGHIJKLMNOPQRSTUVWXYZ"
#define SERVICE_TEXT_DIGITS   "0123456789"
#define SERVICE_TEXT_LETTERS  SERVICE_TEXT_CAPITALS "abcdefghijklmnopqrstuvwxyz"
#define SERVICE_TEXT_NAME     SERVICE_TEXT_LETTERS SERVICE_TEXT_DIGITS "_-"

static const char service_text_voicemail[] = "voicemail";
static const char service_text_settings[] = "settings";
static const char service_text_registration[] = "registration";

/*
 * In `start`: @ capitals and digits, # digits, % a name, $ a host name, each one or more; * what
 * comes before the rest, which is plain. Upper and lower case differ, as they do for the programs
 * that read these texts.
 */
static const struct {
	const char *kind;
	const char *start;
	const char *secrets[4]; /* of this format alone */
} service_text_forms[] = {
	/* OMTP and GSMA TS.46, with the client prefix of the operator */
	{ service_text_voicemail, "//VVM:", { NULL } },
	{ service_text_voicemail, "//ANDROID:", { NULL } },
	{ service_text_voicemail, "//@:@:%=", { NULL } },
	/* AT&T, T-Mobile */
	{ service_text_voicemail, "MBOXUPDATE?%=", { NULL } },
	{ service_text_voicemail, "STATUS?%=", { NULL } },
	{ service_text_voicemail, "STATE?%=", { NULL } },
	{ service_text_voicemail, "UNRECOGNIZED?cmd=", { NULL } },
	/* the first iPhones; m: the mailbox, t: has it, too */
	{ service_text_voicemail, "$:#?f=#&v=#&m=", { "m", "t" } },
	/* OMA client provisioning, WAP push and Nokia smart messaging, as text */
	{ service_text_settings, "<wap-provisioningdoc", { "value" } },
	{ service_text_settings, "<?xml*<wap-provisioningdoc", { "value" } },
	{ service_text_settings, "<?xml*<!DOCTYPE si", { NULL } },
	{ service_text_settings, "<?xml*<!DOCTYPE sl", { NULL } },
	{ service_text_settings, "<!DOCTYPE si PUBLIC", { NULL } },
	{ service_text_settings, "<!DOCTYPE sl PUBLIC", { NULL } },
	{ service_text_settings, "<si><indication", { NULL } },
	{ service_text_settings, "<sl href=", { NULL } },
	{ service_text_settings, "//SCKL@", { NULL } },
	/* Qualcomm, to an application on the phone */
	{ service_text_settings, "//BREW:", { NULL } },
	/* GSMA RCC.14 and TS.43: fetch the configuration of IMS and RCS */
	{ service_text_registration, "#-rcscfg", { NULL } },
	{ service_text_registration, "+#-rcscfg", { NULL } },
	{ service_text_registration, "#-aescfg", { NULL } },
	{ service_text_registration, "+#-aescfg", { NULL } },
	/* Apple; t: the push token, s: the signature that proves the number */
	{ service_text_registration, "REG-REQ?v=#", { "t", "s" } },
	{ service_text_registration, "REG-RESP?v=#", { "t", "s" } },
};

enum {
	SERVICE_TEXT_FORMS = sizeof(service_text_forms) / sizeof(*service_text_forms),
	SERVICE_TEXT_SECRETS = sizeof(service_text_forms->secrets) /
			       sizeof(*service_text_forms->secrets),
};

/* Of any format, in any case. */
static const char *const service_text_secrets[] = {
	"pw",	"p",	"pin", "pwd",	"pass",	    "passwd", "password", "smtp_pw", "u",
	"user", "name", "uid", "login", "username", "smtp_u", "token",	  "secret",
};

/* Returns of which characters the placeholder stands for one or more; NULL if it is plain. */
static const char *service_text_class(char placeholder)
{
	switch (placeholder) {
	case '@':
		return SERVICE_TEXT_CAPITALS SERVICE_TEXT_DIGITS;
	case '#':
		return SERVICE_TEXT_DIGITS;
	case '%':
		return SERVICE_TEXT_NAME;
	case '$':
		return SERVICE_TEXT_LETTERS SERVICE_TEXT_DIGITS ".-";
	default:
		return NULL;
	}
}

static bool service_text_begins(const char *text, const char *start)
{
	for (; *start; start++) {
		const char *class = service_text_class(*start);
		size_t length = class ? strspn(text, class) : *text == *start;

		if (*start == '*')
			return strstr(text, start + 1);
		if (!length)
			return false;
		text += length;
	}
	return true;
}

/* Returns SERVICE_TEXT_FORMS if it is for people. */
static size_t service_text_find_form(const char *text)
{
	size_t form = 0;

	while (form < SERVICE_TEXT_FORMS &&
	       !service_text_begins(text, service_text_forms[form].start))
		form++;
	return form;
}

const char *service_text_kind(const char *text)
{
	size_t form = service_text_find_form(text);

	return form < SERVICE_TEXT_FORMS ? service_text_forms[form].kind : NULL;
}

static bool service_text_is_word(const char *name, size_t length, const char *word)
{
	return word && strlen(word) == length && strncasecmp(name, word, length) == 0;
}

static bool service_text_is_secret(size_t form, const char *name, size_t length)
{
	bool found = false;

	for (size_t i = 0; i < SERVICE_TEXT_SECRETS; i++)
		found |= service_text_is_word(name, length,
					      service_text_forms[form].secrets[i]);
	for (size_t i = 0;
	     i < sizeof(service_text_secrets) / sizeof(*service_text_secrets); i++)
		found |= service_text_is_word(name, length, service_text_secrets[i]);
	return found;
}

/* Returns the length of the name that ends right before `end`. */
static size_t service_text_measure_name(const char *text, const char *end)
{
	size_t length = 0;

	while (end - length > text &&
	       strchr(SERVICE_TEXT_NAME, end[-1 - (ptrdiff_t)length]))
		length++;
	return length;
}

/* *value moves behind an opening quote. */
static size_t service_text_measure_value(const char **value)
{
	char quote[] = { **value, '\0' };

	if (*quote != '"' && *quote != '\'')
		return strcspn(*value, ";");
	++*value;
	return strcspn(*value, quote);
}

bool service_text_mask(const char *text, struct buffer *masked)
{
	size_t form = service_text_find_form(text);
	const char *done = text, *next = text;

	if (form == SERVICE_TEXT_FORMS)
		return false;
	while ((next = strchr(next, '='))) {
		size_t length = service_text_measure_name(text, next);
		const char *value = next + 1;

		if (service_text_is_secret(form, next - length, length)) {
			length = service_text_measure_value(&value);
			if (length) {
				buffer_append(masked, done, (size_t)(value - done));
				buffer_append_text(masked, CODE_MASK);
			}
			done = length ? value + length : done;
			value += length;
		}
		next = value;
	}
	if (done == text)
		return false;
	buffer_append_text(masked, done);
	return true;
}
