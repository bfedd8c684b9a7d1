/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Pair page: how a computer on the network asks to be paired, from a browser or with curl.
 *
 *   GET  /pair       asks for a name
 *   POST /pair       begins a request: a cookie, and 303 to
 *   GET  /pair/wait  the code that the owner types on the phone; once approved, the token
 *
 * A waiting page reloads itself. The cookie is the only proof of whose request it is: without it
 * there is nothing to see, and nothing to guess in a URL.
 */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/escape.h"
#include "base/log.h"
#include "base/utf8.h"
#include "config/config.h"
#include "gateway/paired_client.h"
#include "gateway/web.h"

enum {
	PAIR_PAGE_FORM_MAX = 4 * 1024, /* bytes of the form; names are much shorter */
	PAIR_PAGE_COOKIE_BYTES = TOKEN_TEXT_BYTES + 96,
	PAIR_PAGE_MS_PER_MINUTE = 60 * 1000,
	PAIR_PAGE_GROUP_DIGITS = 3, /* of a code, as people read it */
};

/* With the prefix, browsers take the cookie over TLS only, and from this host only. */
#define PAIR_PAGE_COOKIE	"ofono-mcp-pair"
#define PAIR_PAGE_SECURE_COOKIE "__Host-" PAIR_PAGE_COOKIE

/* ---- whether there is a page */

static bool pair_page_is_on(const struct web *web, struct exchange *exchange)
{
	enum config_pair_page when = config_pair_page(web->services->config);

	return when == CONFIG_PAIR_PAGE_ASK ||
	       (when == CONFIG_PAIR_PAGE_AUTO &&
		(pairing_is_open(&web->pairing) || exchange_is_encrypted(exchange) ||
		 address_is_loopback(exchange_peer(exchange))));
}

static void pair_page_answer_off(const struct web *web, struct exchange *exchange)
{
	struct web_page page;

	web_page_open(&page, exchange, "Pairing from the network is off", false);
	web_page_state(&page, "off");
	if (config_pair_page(web->services->config) == CONFIG_PAIR_PAGE_NO)
		web_page_say(&page, "The owner of the phone pairs a program with "
				    "\"sudo " PROGRAM_NAME " pair NAME\".");
	else
		web_page_say(&page, "On the phone, run \"sudo " PROGRAM_NAME
				    " pair --wait\", then load this page again.");
	web_page_close(&page, 404, false);
}

/* ---- the name */

/* `problem` is NULL if there is none yet. */
static void pair_page_answer_form(struct exchange *exchange, unsigned status,
				  const char *problem)
{
	struct web_page page;

	web_page_open(&page, exchange, "Pair this computer with the phone", false);
	if (problem)
		web_page_say(&page, "This does not work as a name: %s.", problem);
	web_page_say(&page,
		     "A program on this computer gets access to the phone once its owner "
		     "has typed a code there. Which name shall the owner see?");
	if (page.is_html)
		web_page_append(
			&page,
			"<form method=\"post\" action=\"/pair\">\n"
			"<label for=\"name\">Name of this computer or program</label>\n"
			"<input id=\"name\" name=\"name\" maxlength=\"63\" required "
			"autocomplete=\"off\" placeholder=\"laptop\">\n"
			"<button>Show the code</button>\n</form>\n");
	else
		web_page_append(&page, "\ncurl -d name=NAME URL-OF-THIS-PAGE\n");
	web_page_close(&page, status, true);
}

/* Decodes a value of application/x-www-form-urlencoded in place. Returns false if it is none. */
static bool pair_page_decode(char *text)
{
	char *to = text;

	for (; *text; text++) {
		if (*text == '%') {
			int high = escape_hex_digit(text[1]);
			int low = high < 0 ? -1 : escape_hex_digit(text[2]);

			if (low < 0 || (high | low) == 0)
				return false;
			*to++ = (char)(high << 4 | low);
			text += 2;
		} else {
			*to++ = *text == '+' ? ' ' : *text;
		}
	}
	*to = '\0';
	return true;
}

/* Returns the value of "name", within `form`; NULL if there is none. */
static char *pair_page_find_name(char *form)
{
	char *rest = form, *pair;

	while ((pair = strsep(&rest, "&"))) {
		if (strncmp(pair, "name=", strlen("name=")) == 0)
			return pair + strlen("name=");
	}
	return NULL;
}

/* Returns why the form has no name that a client may have; NULL if *name_out is one. */
static const char *pair_page_read_name(struct buffer *form, const char **name_out)
{
	char *name;

	if (form->failed || form->length > PAIR_PAGE_FORM_MAX)
		return "it is longer than 63 bytes";
	buffer_append(form, "", 1);
	if (form->failed || strlen(form->data) != form->length - 1)
		return "it contains invisible characters";
	name = pair_page_find_name(form->data);
	if (!name)
		return "it is missing";
	if (!pair_page_decode(name) || !utf8_valid(name, strlen(name)))
		return "it is not text in UTF-8";
	*name_out = name;
	return paired_client_name_error(name);
}

/* ---- the request */

static const char *pair_page_cookie_name(const struct exchange *exchange)
{
	return exchange_is_encrypted(exchange) ? PAIR_PAGE_SECURE_COOKIE
					       : PAIR_PAGE_COOKIE;
}

/* Returns the value of the next cookie with this name; NULL if there is none. */
static const char *pair_page_find_cookie(const char *at, const char *name)
{
	size_t length = strlen(name);

	while (at && (strncmp(at, name, length) != 0 || at[length] != '=')) {
		at = strchr(at, ';');
		at = at ? at + 1 + strspn(at + 1, " ") : NULL;
	}
	return at ? at + length + 1 : NULL;
}

/*
 * Returns NULL if the client has no cookie of ours, or an unknown one. Other servers on this host may
 * set one of the same name for a longer path, and browsers send that first: with a second one it is
 * not known whose code the page would show.
 */
static struct pairing_request *pair_page_find_request(struct web *web,
						      struct exchange *exchange)
{
	const char *name = pair_page_cookie_name(exchange);
	const char *value =
		pair_page_find_cookie(exchange_header(exchange, "Cookie", NULL), name);
	char key[TOKEN_TEXT_BYTES];
	struct pairing_request *request;

	if (!value || strcspn(value, "; ") != sizeof(key) - 1 ||
	    pair_page_find_cookie(value, name))
		return NULL;
	memcpy(key, value, sizeof(key) - 1);
	key[sizeof(key) - 1] = '\0';
	request = pairing_find(&web->pairing, key);
	explicit_bzero(key, sizeof(key));
	return request;
}

static void pair_page_add_cookie(struct exchange *exchange, const char *key)
{
	bool encrypted = exchange_is_encrypted(exchange);
	char cookie[PAIR_PAGE_COOKIE_BYTES];

	snprintf(cookie, sizeof(cookie), "%s=%s; Path=/; HttpOnly; SameSite=Strict; %s",
		 pair_page_cookie_name(exchange), key,
		 encrypted ? "Secure; Max-Age=600" : "Max-Age=600");
	exchange_add_header(exchange, "Set-Cookie", cookie);
	explicit_bzero(cookie, sizeof(cookie));
}

/* Browsers follow the redirect; a program reads the code here, and how to go on. */
static void pair_page_answer_begun(struct exchange *exchange,
				   const struct pairing_request *request)
{
	const char *url = route_own_url(exchange, "/pair/wait");
	struct buffer body = { .secret = true };

	buffer_append_text(&body, "state: waiting\ncode: ");
	buffer_append_text(&body, request->code);
	buffer_append_text(&body, "\n\nOn the phone, run \"sudo " PROGRAM_NAME
				  " pair\" and type this code. "
				  "Then get the token, once:\n\ncurl -H 'Cookie: ");
	buffer_append_text(&body, pair_page_cookie_name(exchange));
	buffer_append_text(&body, "=");
	buffer_append_text(&body, request->key);
	buffer_append_text(&body, "' ");
	buffer_append_text(&body, url ? url : "");
	buffer_append_text(&body, "\n");
	pair_page_add_cookie(exchange, request->key);
	exchange_add_fixed_header(exchange, "Location", "/pair/wait");
	exchange_add_fixed_header(exchange, "Cache-Control", "no-store");
	route_isolate(exchange);
	exchange_answer(exchange, 303, "text/plain; charset=utf-8", &body);
}

static void pair_page_begin_request(struct web *web, struct exchange *exchange,
				    const char *name)
{
	const struct pairing_request *request =
		pairing_begin(&web->pairing, name, exchange_peer(exchange));
	struct web_page page;

	if (request) {
		log_debug("pair: a computer at %s asks to be paired", request->address);
		change_source_report_status(&web->changes);
		pair_page_answer_begun(exchange, request);
		return;
	}
	web_page_open(&page, exchange, "Try again", false);
	web_page_say(
		&page,
		"The gateway cannot take a request now. Load /pair again in a minute.");
	web_page_close(&page, 503, false);
}

/* ---- waiting */

/* Writes the code, for people in two groups. */
static void pair_page_put_code(struct web_page *page, const char *code)
{
	char groups[PAIRING_CODE_BYTES + 1];

	if (!page->is_html) {
		web_page_append(page, "code: ");
		web_page_append(page, code);
		web_page_append(page, "\n");
		return;
	}
	snprintf(groups, sizeof(groups), "%.*s %s", PAIR_PAGE_GROUP_DIGITS, code,
		 code + PAIR_PAGE_GROUP_DIGITS);
	web_page_append(page, "<p class=\"code\">");
	web_page_append(page, groups);
	web_page_append(page, "</p>\n");
}

static void pair_page_answer_waiting(struct exchange *exchange,
				     const struct pairing_request *request)
{
	int64_t minutes = (pairing_left_ms(request) + PAIR_PAGE_MS_PER_MINUTE - 1) /
			  PAIR_PAGE_MS_PER_MINUTE;
	struct web_page page;

	web_page_open(&page, exchange, "Type this code on the phone", true);
	web_page_state(&page, "waiting");
	pair_page_put_code(&page, request->code);
	web_page_say(&page,
		     "A computer at %s, which calls itself \"%s\", asks to use the "
		     "phone. Its owner runs this there, and types the code:",
		     request->address, request->name);
	web_page_block(&page, "sudo " PROGRAM_NAME " pair");
	web_page_say(&page, "Do so only if you asked for this just now. %lld %s left.",
		     (long long)minutes, minutes == 1 ? "minute" : "minutes");
	web_page_close(&page, 202, false);
}

static const struct pair_page_ending {
	enum pairing_state state;
	const char *name, *title, *text;
} pair_page_endings[] = {
	{ PAIRING_FETCHED, "fetched", "The token was shown before",
	  "It is shown only once. If it was lost, the owner runs \"sudo " PROGRAM_NAME
	  " client rotate NAME\" on the phone." },
	{ PAIRING_REJECTED, "rejected", "The owner has rejected the request", "" },
	{ PAIRING_EXPIRED, "expired", "The code is too old",
	  "Codes are valid for ten minutes. Load /pair to get another." },
	{ PAIRING_PUSHED_OUT, "pushed_out", "Newer requests took this one's place",
	  "Load /pair to get another code, and type it soon." },
	{ PAIRING_APPROVED, "revoked",
	  "The owner has revoked the access, or made another token", "" },
	{ PAIRING_FREE, "unknown", "This request is not known",
	  "Perhaps the gateway was restarted, or this is another browser. Load /pair to begin." },
};

static void pair_page_answer_ended(struct exchange *exchange, enum pairing_state state)
{
	const struct pair_page_ending *ending = pair_page_endings;
	struct web_page page;

	while (ending->state != state)
		ending++;
	web_page_open(&page, exchange, ending->title, false);
	web_page_state(&page, ending->name);
	if (!page.is_html)
		web_page_say(&page, "%s", ending->title);
	if (*ending->text)
		web_page_say(&page, "%s", ending->text);
	web_page_close(&page, state == PAIRING_FREE ? 404 : 410, false);
}

/* ---- the token */

/* Writes a paragraph of a snippet: lines to copy are indented. */
static void pair_page_put_paragraph(struct web_page *page, char *text)
{
	char *to = text;

	if (strncmp(text, "  ", 2) != 0) {
		web_page_say(page, "%s", text);
		return;
	}
	for (const char *from = text + 2; *from; from++) {
		*to++ = *from;
		if (*from == '\n')
			from += strspn(from + 1, " ") >= 2 ? 2 : 0;
	}
	*to = '\0';
	web_page_block(page, text);
}

static void pair_page_put_snippet(struct web_page *page, const char *client,
				  const char *url, const char *token)
{
	struct buffer snippet = { .secret = true };
	char *at, *end;

	client_snippet_write(&snippet, client, url, token,
			     exchange_is_encrypted(page->exchange));
	buffer_append(&snippet, "", 1);
	web_page_heading(page, client);
	for (at = snippet.failed ? NULL : snippet.data; at && *at; at = end) {
		end = strstr(at, "\n\n");
		if (!end)
			end = at + strlen(at) - 1; /* its last line feed */
		*end = '\0';
		end += end[1] ? 2 : 1;
		pair_page_put_paragraph(page, at);
	}
	buffer_wipe(&snippet);
}

static void pair_page_put_console(struct web_page *page, const char *token)
{
	web_page_heading(page, "The console");
	if (page->is_html) {
		web_page_append(page, "<p><a href=\"/#token=");
		web_page_append(page, token);
		web_page_append(page, "\">Open the console</a>, which shows what this "
				      "client may see.</p>\n");
	} else {
		const char *url = route_own_url(page->exchange, "/");

		web_page_append(page, url ? url : "/");
		web_page_append(page, "#token=");
		web_page_append(page, token);
		web_page_append(page, "\n");
	}
}

static void pair_page_answer_token(struct exchange *exchange,
				   struct pairing_request *request)
{
	const char *url = route_own_url(exchange, "/mcp");
	const char *token = request->token;
	struct web_page page;

	web_page_open(&page, exchange, "Paired: keep this token", false);
	web_page_state(&page, "paired");
	if (!page.is_html) {
		web_page_append(&page, "url: ");
		web_page_append(&page, url ? url : "");
		web_page_append(&page, "\ntoken: ");
		web_page_append(&page, token);
		web_page_append(&page, "\n");
	}
	web_page_say(&page,
		     "\"%s\" may now use the phone. The token is shown only now, and not "
		     "when this page is loaded again.",
		     request->client_name);
	if (page.is_html)
		web_page_block(&page, token);
	for (const char *const *client = client_snippet_names; *client; client++)
		pair_page_put_snippet(&page, *client, url ? url : "", token);
	pair_page_put_console(&page, token);
	web_page_heading(&page, "What to try first");
	web_page_say(&page, "Ask your agent: \"Which SIM cards does my phone "
			    "have?\", \"What did I get by SMS today?\" or "
			    "\"Wait for the next code and tell me\".");
	if (!page.body.failed)
		pairing_set_fetched(request);
	web_page_close(&page, 200, false);
}

/* ---- handlers */

static void pair_page_on_begin(void *data, struct exchange *exchange)
{
	struct buffer *form = arena_alloc(exchange_arena(exchange), sizeof(*form));

	if (form)
		*form = (struct buffer){ .secret = false };
	exchange_set_context(exchange, form);
}

static void pair_page_on_body(void *data, struct exchange *exchange, const char *piece,
			      size_t length)
{
	struct buffer *form = exchange_context(exchange);

	if (form && form->length <= PAIR_PAGE_FORM_MAX)
		buffer_append(form, piece, length);
}

static void pair_page_on_complete(void *data, struct exchange *exchange)
{
	struct buffer *form = exchange_context(exchange);
	struct web *web = data;
	const char *name, *problem;

	if (!pair_page_is_on(web, exchange)) {
		pair_page_answer_off(web, exchange);
	} else if (strcmp(exchange_method(exchange), "POST") != 0) {
		pair_page_answer_form(exchange, 200, NULL);
	} else {
		problem = form ? pair_page_read_name(form, &name) : "there is no memory";
		if (problem)
			pair_page_answer_form(exchange, 400, problem);
		else
			pair_page_begin_request(web, exchange, name);
	}
}

static void pair_page_on_ended(void *data, struct exchange *exchange)
{
	struct buffer *form = exchange_context(exchange);

	if (form)
		buffer_deinit(form);
}

/* The owner may have revoked it since, or replaced it by another. */
static bool pair_page_has_valid_token(const struct web *web,
				      const struct pairing_request *request)
{
	uint8_t hash[CLIENT_HASH_BYTES];
	struct client client;

	crypto_hash_token(request->token, strlen(request->token), hash);
	return store_client_find(web->services->store, hash, &client);
}

static void pair_page_on_wait(void *data, struct exchange *exchange)
{
	struct web *web = data;
	struct pairing_request *request = pair_page_find_request(web, exchange);

	if (!request)
		pair_page_answer_ended(exchange, PAIRING_FREE);
	else if (request->state == PAIRING_WAITING)
		pair_page_answer_waiting(exchange, request);
	else if (request->state != PAIRING_APPROVED ||
		 !pair_page_has_valid_token(web, request))
		pair_page_answer_ended(exchange, request->state);
	else if (strcmp(exchange_method(exchange), "HEAD") == 0)
		pair_page_answer_waiting(exchange, request); /* HEAD shows no token */
	else
		pair_page_answer_token(exchange, request);
}

const struct exchange_handler pair_page_handler = {
	.begin = pair_page_on_begin,
	.body = pair_page_on_body,
	.complete = pair_page_on_complete,
	.ended = pair_page_on_ended,
};
const struct exchange_handler pair_page_wait_handler = { .complete = pair_page_on_wait };
