/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * A day of a gateway: requests with their headers and bodies, one connection each, and events at
 * the phone meanwhile. "%%" begins a part:
 *
 *   %% POST CLIENT    headers, an empty line, a body     CLIENT: all, reader, asker
 *   %% GET CLIENT, %% DELETE CLIENT, %% HEAD CLIENT      headers
 *   %% BARE                                              a POST without headers of ours
 *   %% IN SENDER      an incoming message: the text
 *   %% SENT, %% REFUSED, %% LOST                         the outcome of the oldest SendMessage
 *   %% DONE, %% FAILED, %% DELIVERED, %% UNDELIVERED     signals about the message that was sent
 *   %% OUT, %% BACK                                      the modem disappears, and returns
 *   %% OWNER          an owner's command, as the control socket receives it
 *   %% CLOSE          the oldest connection ends
 */
#include "base/utf8.h"
#include "fuzz_owner.h"
#include "fuzz_peer.h"

enum { PARTS_MOST = 12 };

struct part {
	char *verb;
	char *word; /* after the method, "" if none */
	char *rest; /* the lines below */
	size_t rest_length;
};

static void on_received(const struct part *part)
{
	if (utf8_valid(part->word, strlen(part->word)) && strlen(part->word) < 64 &&
	    utf8_valid(part->rest, strlen(part->rest)))
		gateway_receive(part->word, part->rest);
}

static void on_sent(const struct part *part)
{
	gateway_answer(SEND_ACCEPTED);
}

static void on_refused(const struct part *part)
{
	gateway_answer(SEND_REFUSED);
}

static void on_lost(const struct part *part)
{
	gateway_answer(SEND_UNKNOWN);
}

static void on_done(const struct part *part)
{
	gateway_tell_state(MESSAGE_SENT);
}

static void on_failed(const struct part *part)
{
	gateway_tell_state(MESSAGE_FAILED);
}

static void on_delivered(const struct part *part)
{
	fake_report(GATEWAY_UUID, true);
}

static void on_undelivered(const struct part *part)
{
	fake_report(GATEWAY_UUID, false);
}

static void on_out(const struct part *part)
{
	if (!TAILQ_EMPTY(&fake_ofono.modems))
		fake_modem_remove(TAILQ_FIRST(&fake_ofono.modems));
}

static void on_back(const struct part *part)
{
	if (TAILQ_EMPTY(&fake_ofono.modems))
		gateway_add_modem();
}

static void on_owner(const struct part *part)
{
	owner_ask(part->rest, part->rest_length);
}

static void on_close(const struct part *part)
{
	for (struct peer *peer = peers; peer < peers + PEERS_MOST; peer++) {
		if (peer->fd < 0)
			continue;
		peer_check(peer);
		peer_close(peer);
		return;
	}
}

static void on_bare(const struct part *part)
{
	struct peer *peer = peer_open();

	if (peer)
		peer_send(peer, part->rest, part->rest_length);
}

/* Its headers, each ended by a line feed. */
static void write_headers(struct buffer *out, const char *lines, size_t length)
{
	while (length) {
		size_t line = strcspn(lines, "\n");

		line = line < length ? line : length;
		souvenirs_write(out, lines, line);
		buffer_append_text(out, "\r\n");
		line += line < length;
		lines += line;
		length -= line;
	}
}

/* A request line, what every client sends, its own headers, and the right length. */
static void request(const char *method, const struct part *part)
{
	const char *blank = strstr(part->rest, "\n\n");
	size_t head = blank ? (size_t)(blank - part->rest) : part->rest_length;
	size_t gap = blank ? strlen("\n\n") : 0;
	struct buffer sent = BUFFER_INIT, out = BUFFER_INIT;
	struct peer *peer = peer_open();
	char line[512];

	if (!peer)
		return;
	souvenirs_write(&sent, part->rest + head + gap, part->rest_length - head - gap);
	snprintf(line, sizeof(line),
		 "%s /mcp HTTP/1.1\r\nHost: localhost\r\nAuthorization: Bearer %.40s\r\n"
		 "Accept: application/json, text/event-stream\r\n",
		 method, part->word);
	buffer_append_text(&out, line);
	write_headers(&out, part->rest, head);
	if (strcmp(method, "POST") == 0) {
		snprintf(line, sizeof(line),
			 "Content-Type: application/json\r\nContent-Length: %zu\r\n",
			 sent.length);
		buffer_append_text(&out, line);
	}
	buffer_append_text(&out, "\r\n");
	buffer_append(&out, sent.data, sent.length);
	peer_send(peer, out.data, out.length);
	buffer_deinit(&sent);
	buffer_deinit(&out);
}

static void on_post(const struct part *part)
{
	request("POST", part);
}

static void on_get(const struct part *part)
{
	request("GET", part);
}

static void on_delete(const struct part *part)
{
	request("DELETE", part);
}

static const struct {
	const char *verb;
	void (*happen)(const struct part *part);
} verbs[] = {
	{ "POST", on_post },
	{ "GET", on_get },
	{ "DELETE", on_delete },
	{ "BARE", on_bare },
	{ "IN", on_received },
	{ "SENT", on_sent },
	{ "REFUSED", on_refused },
	{ "LOST", on_lost },
	{ "DONE", on_done },
	{ "FAILED", on_failed },
	{ "DELIVERED", on_delivered },
	{ "UNDELIVERED", on_undelivered },
	{ "OUT", on_out },
	{ "BACK", on_back },
	{ "OWNER", on_owner },
	{ "CLOSE", on_close },
};

static void happen(char *text, size_t length)
{
	struct part part = { .rest = text };
	char *line = strsep(&part.rest, "\n");

	if (!part.rest)
		part.rest = text + length;
	part.rest_length = (size_t)(text + length - part.rest);
	part.verb = strsep(&line, " ");
	part.word = line ? line : (char *)"";
	for (size_t at = 0; at < sizeof(verbs) / sizeof(verbs[0]); at++) {
		if (strcmp(part.verb, verbs[at].verb) == 0)
			verbs[at].happen(&part);
	}
	peers_turn();
}

void fuzz_probe(void)
{
	peers_probe();
}

int LLVMFuzzerInitialize(int *argc, char ***argv)
{
	peers_init();
	gateway_open();
	return 0;
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t length)
{
	static const char mark[] = "%% ";
	char *text = fuzz_text(data, length), *end = text + length;
	char *at = strstr(text, mark), *next;

	for (unsigned count = 0; at && count < PARTS_MOST; count++, at = next) {
		at += strlen(mark);
		next = strstr(at, "\n%% ");
		if (next)
			*next++ = '\0';
		happen(at, (size_t)((next ? next - 1 : end) - at));
	}
	peers_end();
	owner_end();
	on_back(NULL);
	gateway_rest();
	free(text);
	return 0;
}
