/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Web: the HTTP side of the gateway: the MCP endpoint, the paths beside it, the ports, and which
 * clients are let in.  gateway/phone_services.h is the other half.
 *
 * No port is open to the network while no client is paired, unless the owner lets computers ask to
 * be (policy/pairing.h).  While none is, and a configured
 * address is not loopback, the store is checked every WEB_CLIENT_CHECK_MS, because `pair` may
 * run in another process.  After a revocation the ports close at once, or when a token is
 * refused (tests/integration/test_network.py::test_the_network_is_closed_before_the_first_client
 * and ::test_it_closes_with_the_last_client_and_opens_again).
 */
#pragma once

#include <systemd/sd-event.h>

#include "base/client.h"
#include "base/network_watch.h"
#include "http/http_server.h"
#include "mcp/endpoint.h"
#include "mcp/event.h"
#include "policy/limit.h"
#include "policy/pairing.h"
#include "store/store_client.h"
#include "tools/change_source.h"
#include "tools/services.h"

enum { WEB_ROUTES_MAX = 9, WEB_CLIENT_CHECK_MS = 2000 };

enum { METRIC_LIMITS_MS = 10 * 1000, METRIC_LIMITS_MAX = 64 };

/* What is left of each SIM's limits, as counted a moment ago. All are zero if never read. */
struct metric_limits {
	struct metric_limits_row {
		struct limit limit;
		int64_t left;
	} rows[METRIC_LIMITS_MAX];
	unsigned count;
	int64_t read_ms; /* by the monotonic clock; 0 for never */
};

/* All zero before web_open(). */
struct web {
	struct services *services; /* NULL if not opened */
	struct change_source changes;
	struct persistence persistence;
	/* Webhooks work with libcurl on the loop, the words of MCP, and news of the network. */
	struct http_client *http_client;
	struct event_subscribe_words words;
	struct network_watch network_watch;
	struct endpoint *endpoint;
	struct observer ussd_observer, dialler_observer, ofono_observer;
	enum ofono_line ofono_line; /* that the tools were written for */
	struct http_server_route routes[1 + WEB_ROUTES_MAX + 1];
	struct auth auth;
	struct http_server *server;
	sd_event_source *client_timer; /* NULL if there are only loopback addresses */
	bool has_clients;
	bool has_commands;			  /* the owner has numbers for them */
	struct message_counters message_counters; /* of inbox and outbox */
	struct metric_limits limits;
	struct pairing pairing;
};

/*
 * Opens the ports, without serving yet. `services` are those of phone_services_open(); web_open()
 * sets their `changes`. Call web_close() in either case. Returns 0 or -errno, with the error's text
 * where there is more to say.
 */
int web_open(struct web *web, struct services *services, struct explanation *error_out);
/* Starts to serve, and logs the addresses. Returns 0 or -errno. */
int web_serve(struct web *web);
void web_close(struct web *web);

/* Serves a connection of this user of the machine. Takes ownership of `fd`. */
void web_take_local(struct web *web, int fd, int64_t uid);

/* Lets computers of the network ask to be paired for this long; 0 ends that. */
void web_open_pairing(struct web *web, int64_t duration_ms);

/* Call when the set of tools or of event types may have changed. */
void web_review_tools(struct web *web);

/* Call when a client is new, is revoked, or has other permissions. */
void web_review_client(struct web *web, int64_t client_id);
/* Notifies the client of its new permissions, then ends its streams and connections. */
void web_cut_client(struct web *web, int64_t client_id);

/*
 * Copies the rows of the paths beside /mcp, with the NULL path that ends them, to `routes`,
 * which has room for WEB_ROUTES_MAX + 1.
 */
void web_put_routes(struct http_server_route *routes, struct web *web);

/*
 * Route: the HTTP handlers of the paths beside /mcp.
 *
 * The gates of /mcp protect these paths too (http/gate.h).  A public path answers anybody who
 * reaches the port, so it reveals nothing that a stranger may not know.
 */

extern const struct exchange_handler route_console_handler;
extern const struct exchange_handler route_health_handler, route_live_handler,
	route_ready_handler;
extern const struct exchange_handler route_card_handler;
extern const struct exchange_handler metric_handler;
extern const struct exchange_handler pair_page_handler, pair_page_wait_handler;

/*
 * Adds headers, before the answer, that keep other sites from embedding it: a page could
 * otherwise learn whether it loaded, and so that there is a gateway and its state
 * (tests/integration/test_browser.py::test_a_page_cannot_detect_the_gateway).
 */
void route_isolate(struct exchange *exchange);

/*
 * Adds the headers of a page for people: nothing but `policy` allows may run, and nobody may frame
 * or keep it. Both texts outlive the exchange.
 */
void route_protect_page(struct exchange *exchange, const char *policy,
			const char *referrer_policy);

/*
 * Returns the URL of a path of this server, as the client reaches it; NULL if it is unknown, or
 * memory runs out.
 */
const char *route_own_url(struct exchange *exchange, const char *path);

enum { ROUTE_HASH_BYTES = sizeof("sha256-") + (32 + 2) / 3 * 4 };

/*
 * Writes a script's or style's hash for a Content-Security-Policy. Returns false if memory runs
 * out.
 */
bool route_write_hash(const char *part, size_t part_length, char text[ROUTE_HASH_BYTES]);

/*
 * Web page: a small page that is written once, for two readers: HTML for clients that accept it,
 * and plain text for programs. It needs no script; a script only shows buttons that copy.
 */

/* A page that is being written. */
struct web_page {
	struct exchange *exchange;
	bool is_html;
	bool reloads;
	struct buffer body;
};

/* With `reloads` a browser loads the page again every three seconds. */
void web_page_open(struct web_page *page, struct exchange *exchange, const char *title,
		   bool reloads);

/* A paragraph of text, of any origin. */
__attribute__((format(printf, 2, 3))) void web_page_say(struct web_page *page,
							const char *format, ...);
/* The line "state: ..." of a text page, for scripts; nothing in HTML. */
void web_page_state(struct web_page *page, const char *state);
void web_page_heading(struct web_page *page, const char *text);
/* Appends what is to be copied. */
void web_page_block(struct web_page *page, const char *text);

/* As it is: markup, or a part of a text page. */
void web_page_append(struct web_page *page, const char *text);

/*
 * Answers the exchange. `has_form` says that the page has a form, which may be sent to this server
 * only.
 */
void web_page_close(struct web_page *page, unsigned status, bool has_form);

/*
 * Metric: the gateway's figures in Prometheus' text format, one row of a table each.
 *
 * A row has the name, the type and the help text, and a function that finds the samples in what
 * the gateway already knows.  Labels are numbers and words from our own tables, never a phone
 * number, card, operator, client or text from outside.  So no label needs escaping.
 *
 * Source: Prometheus, "Exposition formats", text format version 0.0.4.
 */

struct message_counters_row;
struct metric_writer;
struct modem;
struct sim;

/*
 * Counts again, unless the figures are younger than METRIC_LIMITS_MS: counting reads the message
 * store, however often /metrics is read (tests/unit/test_metric_limits.c).
 */
void metric_limits_refresh(struct metric_limits *limits, const struct services *services);

/* One of the functions is set. */
struct metric {
	const char *name; /* with the unit; a counter's ends with _total */
	const char *type; /* "counter", "gauge" */
	const char *help;
	double (*value)(const struct web *web);	   /* the only sample; NAN: left out */
	bool (*counts)(const struct modem *modem); /* the sample: how many modems */
	double (*of_sim)(const struct sim *sim);   /* a sample for each present SIM */
	double (*of_messages)(const struct message_counters_row *row);
	double (*of_limit)(const struct metric_limits_row *row);
	void (*write)(const struct metric_writer *writer); /* any samples */
};

extern const struct metric metric_table[]; /* ends with a NULL name */
