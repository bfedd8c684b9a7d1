/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Clients of the gateway in fuzz_gateway.h, and values from its answers that later
 * requests repeat: @S in an input stands for the session's ID, and so on. */
#pragma once

#include <arpa/inet.h>
#include <errno.h>
#include <netinet/tcp.h>
#include <signal.h>
#include <sys/socket.h>
#include <unistd.h>

#include "base/buffer.h"
#include "fuzz_gateway.h"

enum { PEERS_MOST = 8, PEER_BYTES = 512 * 1024, SOUVENIR_BYTES = 2048 };

struct peer {
	int fd; /* -1: not open */
	size_t length;
	bool is_closed;
	char in[PEER_BYTES]; /* NUL at the end */
};

static struct peer peers[PEERS_MOST];

/* the text in an answer before the value */
static struct souvenir {
	char letter;
	const char *before;
	const char *behind; /* any of these ends it */
	char value[SOUVENIR_BYTES];
} souvenirs[] = {
	{ 'S', "Mcp-Session-Id: ", "\r", "" }, { 'R', "\"requestState\":\"", "\"", "" },
	{ 'C', "next_cursor\":\"", "\"", "" }, { 'W', "\"cursor\":\"", "\"", "" },
	{ 'T', "\"taskId\":\"", "\"", "" },    { 'E', "\nid: ", "\r\n", "" },
	{ 'Q', "\"id\":\"ask-", "\"", "" },
};

#define SOUVENIRS_END (souvenirs + sizeof(souvenirs) / sizeof(souvenirs[0]))

static inline void souvenirs_forget(void)
{
	for (struct souvenir *souvenir = souvenirs; souvenir < SOUVENIRS_END; souvenir++)
		souvenir->value[0] = '\0';
}

static inline void souvenirs_look(const char *text)
{
	for (struct souvenir *souvenir = souvenirs; souvenir < SOUVENIRS_END;
	     souvenir++) {
		const char *at = strstr(text, souvenir->before);
		size_t length;

		if (!at)
			continue;
		at += strlen(souvenir->before);
		length = strcspn(at, souvenir->behind);
		if (length >= SOUVENIR_BYTES)
			continue;
		memcpy(souvenir->value, at, length);
		souvenir->value[length] = '\0';
	}
}

static inline const struct souvenir *souvenir_find(const char *text, size_t length)
{
	for (const struct souvenir *souvenir = souvenirs; souvenir < SOUVENIRS_END;
	     souvenir++) {
		if (length >= 2 && text[0] == '@' && text[1] == souvenir->letter)
			return souvenir;
	}
	return NULL;
}

/* The bytes as a client would send them. */
static inline void souvenirs_write(struct buffer *out, const char *text, size_t length)
{
	for (size_t at = 0; at < length; at++) {
		const struct souvenir *souvenir = souvenir_find(text + at, length - at);

		if (souvenir) {
			buffer_append_text(out, souvenir->value);
			at++;
		} else {
			buffer_append(out, text + at, 1);
		}
	}
}

/* ---- connections */

/* Each connection has its own address: a closed one occupies its pair of ports for a
 * minute, and one address has too few ports. */
static inline void peer_bind(const struct peer *peer)
{
	static uint32_t count;
	const struct sockaddr_in address = {
		.sin_family = AF_INET,
		.sin_addr.s_addr = htonl(0x7F010001 + count++ % 0xF0000),
	};
	const int late = 1;

	setsockopt(peer->fd, IPPROTO_IP, IP_BIND_ADDRESS_NO_PORT, &late, sizeof(late));
	FUZZ_CHECK(bind(peer->fd, (const struct sockaddr *)&address, sizeof(address)) ==
		   0);
}

/* On a slow machine libFuzzer's alarm interrupts it. */
static inline void peer_connect(const struct peer *peer,
				const struct sockaddr_in *address)
{
	sigset_t alarm, before;

	sigemptyset(&alarm);
	sigaddset(&alarm, SIGALRM);
	sigprocmask(SIG_BLOCK, &alarm, &before);
	FUZZ_CHECK(connect(peer->fd, (const struct sockaddr *)address,
			   sizeof(*address)) == 0);
	sigprocmask(SIG_SETMASK, &before, NULL);
}

static inline struct peer *peer_open(void)
{
	struct http_server_listener listener = { .port = 0 };
	struct sockaddr_in address = {
		.sin_family = AF_INET,
		.sin_addr.s_addr = htonl(INADDR_LOOPBACK),
	};
	const struct linger at_once = { 1, 0 }; /* a reset: no port remains in use */
	struct peer *peer = peers;

	http_server_listener(gateway.server, 0, &listener);
	address.sin_port = htons(listener.port);
	while (peer < peers + PEERS_MOST && peer->fd >= 0)
		peer++;
	if (peer == peers + PEERS_MOST)
		return NULL;
	peer->fd = socket(AF_INET, SOCK_STREAM | SOCK_CLOEXEC, 0);
	FUZZ_CHECK(peer->fd >= 0);
	peer_bind(peer);
	setsockopt(peer->fd, SOL_SOCKET, SO_LINGER, &at_once, sizeof(at_once));
	peer_connect(peer, &address);
	peer->length = 0;
	peer->is_closed = false;
	return peer;
}

static inline void peer_close(struct peer *peer)
{
	if (peer->fd >= 0)
		close(peer->fd);
	peer->fd = -1;
}

static inline bool peer_read(struct peer *peer)
{
	ssize_t length = 0;
	size_t before = peer->length;

	while (peer->fd >= 0 && !peer->is_closed && peer->length < PEER_BYTES - 1) {
		length = recv(peer->fd, peer->in + peer->length,
			      PEER_BYTES - 1 - peer->length, MSG_DONTWAIT);
		if (length < 0 && errno == EAGAIN)
			break;
		if (length <= 0)
			peer->is_closed = true;
		else
			peer->length += (size_t)length;
	}
	peer->in[peer->length] = '\0';
	return peer->length > before;
}

/* The body of one complete answer; one that was cut off or continues is skipped. */
static inline void peer_check_body(const char *body)
{
	static const char told[] = "\"message_id\":";

	fuzz_check_json(body, strlen(body));
	if (!fuzz_starve) {
		FUZZ_CHECK(!strstr(body,
				   "\"error\":{\"code\":-32603"));  /* our own mistake */
		FUZZ_CHECK(!strstr(body, "\"code\":\"internal\"")); /* likewise */
		return;
	}
	for (const char *at = body; (at = strstr(at, told)); at++) {
		int64_t id = strtoll(at + strlen(told), NULL, 10);

		if (id) /* not in a schema */
			gateway_check_message(id);
	}
}

/* Whatever the request was: the answer is HTTP, not a 500, and JSON if it says so. */
static inline void peer_check(const struct peer *peer)
{
	static const char head[] = "HTTP/1.1 ",
			  json[] = "Content-Type: application/json\r\n";
	const char *body = strstr(peer->in, "\r\n\r\n"), *length, *type;

	if (!peer->length)
		return;
	FUZZ_CHECK(strncmp(peer->in, head, strlen(head)) == 0);
	FUZZ_CHECK(fuzz_starve || strncmp(peer->in + strlen(head), "500", 3) != 0);
	if (!body)
		return;
	length = strstr(peer->in, "Content-Length: ");
	type = strstr(peer->in, json);
	if (length && length < body && type && type < body &&
	    strtoul(length + strlen("Content-Length: "), NULL, 10) == strlen(body + 4) &&
	    body[4])
		peer_check_body(body + 4);
}

/* Runs the loop until nothing is left to do. */
static inline void peers_turn(void)
{
	bool more;

	do {
		more = gateway_turn();
		for (struct peer *peer = peers; peer < peers + PEERS_MOST; peer++) {
			if (!peer_read(peer))
				continue;
			more = true;
			souvenirs_look(peer->in);
		}
	} while (more);
}

static inline void peer_send(struct peer *peer, const char *data, size_t length)
{
	while (length) {
		ssize_t sent = send(peer->fd, data, length, MSG_DONTWAIT | MSG_NOSIGNAL);

		if (sent < 0 && errno != EAGAIN)
			return; /* the gateway closed it: that may be right */
		if (sent > 0) {
			data += sent;
			length -= (size_t)sent;
		} else if (!gateway_turn()) {
			return;
		}
	}
}

static inline void peers_init(void)
{
	for (struct peer *peer = peers; peer < peers + PEERS_MOST; peer++)
		peer->fd = -1;
}

/* A target's fuzz_probe(): the gateway works as before. */
static inline void peers_probe(void)
{
	static const char ping[] =
		"POST /mcp HTTP/1.1\r\nHost: localhost\r\nAuthorization: Bearer "
		"reader\r\n"
		"Content-Type: application/json\r\nContent-Length: 40\r\n\r\n"
		"{\"jsonrpc\":\"2.0\",\"id\":1,\"method\":\"ping\"}";
	struct peer *peer = peer_open();

	peer_send(peer, ping, strlen(ping));
	peers_turn();
	FUZZ_CHECK(strncmp(peer->in, "HTTP/1.1 200", 12) == 0);
	peer_close(peer);
}

/* All have been answered, or disconnect. */
static inline void peers_end(void)
{
	for (struct peer *peer = peers; peer < peers + PEERS_MOST; peer++) {
		if (peer->fd < 0)
			continue;
		peer_check(peer);
		peer_close(peer);
	}
	souvenirs_forget();
}
