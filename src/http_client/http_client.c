/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Life of a request:
 *
 *   start -> ORDERED -> (next turn of the loop) ACTIVE in libcurl -> done, freed
 *                          |  cancelled inside one of libcurl's callbacks
 *                          v
 *                       CANCELLED -> (libcurl returns) freed
 *
 * libcurl names the descriptors and the time that it waits for; each becomes a source of the
 * loop.  It must not be called from its own callbacks, so what they ask for (a start, a cancel, a
 * pause) waits for `settle`, a deferred source.
 */
#include "http_client/http_client.h"

#include <assert.h>
#include <errno.h>
#include <stdlib.h>
#include <string.h>
#include <sys/epoll.h>
#include <sys/queue.h>
#include <unistd.h>

#include "http_client/http_client_library.h"

enum {
	HTTP_CLIENT_CONNECT_TIMEOUT_MS = 300 * 1000,
	HTTP_CLIENT_HEADERS_MAX = 64 * 1024, /* bytes of an answer, with its trailers */
};

LIST_HEAD(http_client_requests, http_client_request);

struct http_client {
	sd_event *loop;
	struct http_client_library library;
	CURLM *multi; /* NULL if not loaded yet */
	sd_event_source *timer;
	sd_event_source *settle;
	struct http_client_requests requests;
	bool is_in_curl; /* one of its callbacks may be running */
};

enum http_client_state {
	HTTP_CLIENT_ORDERED,
	HTTP_CLIENT_ACTIVE,
	HTTP_CLIENT_CANCELLED,
};

struct http_client_request {
	struct http_client *client;
	struct http_client_order
		order; /* its texts are the caller's, and only used to start */
	enum http_client_state state;
	CURL *easy;
	struct curl_slist *headers;
	bool may_be_sent;
	bool is_refused; /* an address was */
	bool is_too_large;
	bool has_head;
	bool wants_pause;
	bool is_paused;
	uint64_t received; /* bytes of the body */
	uint64_t headers_received;
	char error[CURL_ERROR_SIZE];
	LIST_ENTRY(http_client_request) link;
};

/* Callbacks of a transfer */

static unsigned http_client_status(const struct http_client_request *request)
{
	long status = 0;

	request->client->library.curl_easy_getinfo(request->easy, CURLINFO_RESPONSE_CODE,
						   &status);
	return (unsigned)status;
}

/* Trailers end with an empty line too. libcurl keeps every one of them, however many come. */
static size_t http_client_on_header(char *line, size_t size, size_t count, void *data)
{
	struct http_client_request *request = data;
	size_t length = size * count;
	bool is_end = length && (line[0] == '\r' || line[0] == '\n');

	request->headers_received += length;
	if (request->headers_received > HTTP_CLIENT_HEADERS_MAX)
		return 0;
	if (!is_end || request->has_head || request->state == HTTP_CLIENT_CANCELLED ||
	    http_client_status(request) < 200)
		return length;
	request->has_head = true;
	if (request->order.head)
		request->order.head(request->order.data, http_client_status(request));
	return length;
}

static size_t http_client_on_piece(char *piece, size_t size, size_t count, void *data)
{
	struct http_client_request *request = data;
	size_t length = size * count;

	if (request->state == HTTP_CLIENT_CANCELLED)
		return 0;
	if (request->wants_pause) {
		request->is_paused = true;
		return CURL_WRITEFUNC_PAUSE;
	}
	request->received += length;
	if (request->order.answer_max && request->received > request->order.answer_max) {
		request->is_too_large = true;
		return 0;
	}
	if (!length || !request->order.piece ||
	    request->order.piece(request->order.data, piece, length))
		return length;
	return 0;
}

static curl_socket_t http_client_on_open(void *data, curlsocktype purpose,
					 struct curl_sockaddr *address)
{
	struct http_client_request *request = data;

	if (address->family != AF_UNIX && request->order.allow_address &&
	    !request->order.allow_address(request->order.data, &address->addr)) {
		request->is_refused = true;
		return CURL_SOCKET_BAD;
	}
	return socket(address->family, address->socktype | SOCK_CLOEXEC,
		      address->protocol);
}

/* The connection is made and trusted; what libcurl does next is to send. */
static int http_client_on_connected(void *data, char *peer, char *own, int peer_port,
				    int own_port)
{
	struct http_client_request *request = data;

	if (request->state == HTTP_CLIENT_CANCELLED)
		return CURL_PREREQFUNC_ABORT;
	request->may_be_sent = true;
	return CURL_PREREQFUNC_OK;
}

/* The end of a request */

static void http_client_release(struct http_client_request *request)
{
	const struct http_client *client = request->client;

	if (request->state != HTTP_CLIENT_ORDERED)
		client->library.curl_multi_remove_handle(client->multi, request->easy);
	LIST_REMOVE(request, link);
	client->library.curl_easy_cleanup(request->easy);
	client->library.curl_slist_free_all(request->headers);
	free(request);
}

static enum http_client_outcome http_client_judge(
	const struct http_client_request *request, CURLcode code)
{
	if (code == CURLE_OK)
		return HTTP_CLIENT_ANSWERED;
	if (request->is_too_large)
		return HTTP_CLIENT_TOO_LARGE;
	if (request->is_refused && !request->may_be_sent)
		return HTTP_CLIENT_ADDRESS_REFUSED;
	if (code == CURLE_OPERATION_TIMEDOUT)
		return HTTP_CLIENT_TIMED_OUT;
	return request->may_be_sent ? HTTP_CLIENT_BROKEN : HTTP_CLIENT_UNREACHABLE;
}

static bool http_client_is_tls_error(CURLcode code)
{
	static const CURLcode codes[] = {
		CURLE_SSL_CONNECT_ERROR,     CURLE_PEER_FAILED_VERIFICATION,
		CURLE_SSL_CERTPROBLEM,	     CURLE_SSL_CIPHER,
		CURLE_SSL_CACERT_BADFILE,    CURLE_SSL_ISSUER_ERROR,
		CURLE_SSL_INVALIDCERTSTATUS,
	};

	for (size_t at = 0; at < sizeof(codes) / sizeof(*codes); at++) {
		if (codes[at] == code)
			return true;
	}
	return false;
}

static void http_client_finish(struct http_client_request *request, CURLcode code)
{
	const struct http_client *client = request->client;
	const struct http_client_result result = {
		.outcome = http_client_judge(request, code),
		.may_be_sent = request->may_be_sent,
		.tls_failed = http_client_is_tls_error(code),
		.status = http_client_status(request),
		.error = code == CURLE_OK  ? ""
			 : *request->error ? request->error
					   : client->library.curl_easy_strerror(code),
	};

	request->order.done(request->order.data, &result);
	http_client_release(request);
}

/* `done` may cancel others, but not the request itself. */
static void http_client_finish_all(struct http_client *client)
{
	const CURLMsg *message;
	int left;

	while ((message = client->library.curl_multi_info_read(client->multi, &left))) {
		struct http_client_request *request = NULL;
		CURLcode code = message->data.result;

		if (message->msg != CURLMSG_DONE)
			continue;
		client->library.curl_easy_getinfo(message->easy_handle, CURLINFO_PRIVATE,
						  (char **)&request);
		if (request->state == HTTP_CLIENT_CANCELLED)
			http_client_release(request);
		else
			http_client_finish(request, code);
	}
}

/* Between libcurl and the loop */

static void http_client_wake(struct http_client *client)
{
	sd_event_source_set_enabled(client->settle, SD_EVENT_ONESHOT);
}

static void http_client_act(struct http_client *client, curl_socket_t fd, int events)
{
	int running;

	client->is_in_curl = true;
	client->library.curl_multi_socket_action(client->multi, fd, events, &running);
	client->is_in_curl = false;
	http_client_finish_all(client);
}

static int http_client_on_io(sd_event_source *source, int fd, uint32_t revents,
			     void *data)
{
	int events = 0;

	events |= revents & (EPOLLIN | EPOLLHUP) ? CURL_CSELECT_IN : 0;
	events |= revents & EPOLLOUT ? CURL_CSELECT_OUT : 0;
	events |= revents & EPOLLERR ? CURL_CSELECT_ERR : 0;
	http_client_act(data, fd, events);
	return 0;
}

static int http_client_on_timer(sd_event_source *source, uint64_t due_us, void *data)
{
	http_client_act(data, CURL_SOCKET_TIMEOUT, 0);
	return 0;
}

static int http_client_on_wanted_time(CURLM *multi, long timeout_ms, void *data)
{
	struct http_client *client = data;

	if (timeout_ms < 0)
		return sd_event_source_set_enabled(client->timer, SD_EVENT_OFF) < 0;
	sd_event_source_set_time_relative(client->timer, (uint64_t)timeout_ms * 1000);
	return sd_event_source_set_enabled(client->timer, SD_EVENT_ONESHOT) < 0;
}

static int http_client_on_wanted_io(CURL *easy, curl_socket_t fd, int what, void *data,
				    void *socket_data)
{
	struct http_client *client = data;
	sd_event_source *source = socket_data;
	uint32_t events = 0;

	if (what == CURL_POLL_REMOVE) {
		sd_event_source_disable_unref(source);
		client->library.curl_multi_assign(client->multi, fd, NULL);
		return 0;
	}
	events |= what & CURL_POLL_IN ? EPOLLIN : 0;
	events |= what & CURL_POLL_OUT ? EPOLLOUT : 0;
	if (source)
		return sd_event_source_set_io_events(source, events) < 0 ? -1 : 0;
	if (sd_event_add_io(client->loop, &source, fd, events, http_client_on_io,
			    client) < 0)
		return -1;
	client->library.curl_multi_assign(client->multi, fd, source);
	return 0;
}

/* libcurl passes on at once what it kept, and leaves it to us to end it if that fails. */
static void http_client_resume(struct http_client_request *request)
{
	struct http_client *client = request->client;
	CURLcode code;

	request->is_paused = false;
	client->is_in_curl = true;
	code = client->library.curl_easy_pause(request->easy, CURLPAUSE_CONT);
	client->is_in_curl = false;
	if (code && request->state == HTTP_CLIENT_ACTIVE)
		http_client_finish(request, code);
}

/* Does for the request what waited until libcurl may be called. */
static void http_client_settle(struct http_client_request *request)
{
	struct http_client *client = request->client;

	if (request->state == HTTP_CLIENT_CANCELLED) {
		http_client_release(request);
	} else if (request->state == HTTP_CLIENT_ORDERED) {
		request->state = HTTP_CLIENT_ACTIVE;
		if (client->library.curl_multi_add_handle(client->multi, request->easy) !=
		    CURLM_OK) {
			request->state = HTTP_CLIENT_ORDERED; /* not in libcurl */
			http_client_finish(request, CURLE_OUT_OF_MEMORY);
		}
	} else if (request->is_paused && !request->wants_pause) {
		http_client_resume(request);
	}
}

static bool http_client_is_settled(const struct http_client_request *request)
{
	return request->state == HTTP_CLIENT_ACTIVE &&
	       (!request->is_paused || request->wants_pause);
}

/* Every step may change the list, so it begins anew after each. */
static int http_client_on_settle(sd_event_source *source, void *data)
{
	struct http_client *client = data;
	struct http_client_request *request = LIST_FIRST(&client->requests);

	while (request) {
		if (http_client_is_settled(request)) {
			request = LIST_NEXT(request, link);
			continue;
		}
		http_client_settle(request);
		request = LIST_FIRST(&client->requests);
	}
	if (client->multi)
		http_client_finish_all(client);
	return 0;
}

int http_client_load(struct http_client *client)
{
	const struct http_client_library *library = &client->library;

	if (client->multi)
		return 0;
	if (!http_client_library_load(&client->library))
		return -ELIBACC;
	client->multi = library->curl_multi_init();
	if (!client->multi)
		return -ENOMEM;
	library->curl_multi_setopt(client->multi, CURLMOPT_SOCKETFUNCTION,
				   http_client_on_wanted_io);
	library->curl_multi_setopt(client->multi, CURLMOPT_SOCKETDATA, client);
	library->curl_multi_setopt(client->multi, CURLMOPT_TIMERFUNCTION,
				   http_client_on_wanted_time);
	library->curl_multi_setopt(client->multi, CURLMOPT_TIMERDATA, client);
	return 0;
}

/* Orders */

/* `error` is sticky, so that the caller checks once. */
struct http_client_setup {
	const struct http_client_request *request;
	CURLcode error;
};

static void http_client_set_long(struct http_client_setup *setup, CURLoption option,
				 long value)
{
	if (!setup->error)
		setup->error = setup->request->client->library.curl_easy_setopt(
			setup->request->easy, option, value);
}

/* Texts are copied by libcurl. */
static void http_client_set_pointer(struct http_client_setup *setup, CURLoption option,
				    const void *value)
{
	if (!setup->error && value)
		setup->error = setup->request->client->library.curl_easy_setopt(
			setup->request->easy, option, value);
}

#define HTTP_CLIENT_SET_FUNCTION(setup, option, function)                               \
	((setup)->error = (setup)->error                                                \
				  ? (setup)->error                                      \
				  : (setup)->request->client->library.curl_easy_setopt( \
					    (setup)->request->easy, option, function))

static void http_client_set_functions(struct http_client_setup *setup)
{
	const struct http_client_request *request = setup->request;

	HTTP_CLIENT_SET_FUNCTION(setup, CURLOPT_HEADERFUNCTION, http_client_on_header);
	HTTP_CLIENT_SET_FUNCTION(setup, CURLOPT_WRITEFUNCTION, http_client_on_piece);
	HTTP_CLIENT_SET_FUNCTION(setup, CURLOPT_OPENSOCKETFUNCTION, http_client_on_open);
	HTTP_CLIENT_SET_FUNCTION(setup, CURLOPT_PREREQFUNCTION, http_client_on_connected);
	http_client_set_pointer(setup, CURLOPT_HEADERDATA, request);
	http_client_set_pointer(setup, CURLOPT_WRITEDATA, request);
	http_client_set_pointer(setup, CURLOPT_OPENSOCKETDATA, request);
	http_client_set_pointer(setup, CURLOPT_PREREQDATA, request);
	http_client_set_pointer(setup, CURLOPT_PRIVATE, request);
	http_client_set_pointer(setup, CURLOPT_ERRORBUFFER, request->error);
}

/*
 * Without QUICK_EXIT cancelling would wait for the thread that resolves a name. Names are not
 * cached: after a change of network they may have other addresses.
 */
static void http_client_set_rules(struct http_client_setup *setup)
{
	http_client_set_long(setup, CURLOPT_NOSIGNAL, 1);
	http_client_set_long(setup, CURLOPT_QUICK_EXIT, 1);
	http_client_set_long(setup, CURLOPT_DNS_CACHE_TIMEOUT, 0);
	http_client_set_long(setup, CURLOPT_FRESH_CONNECT, 1);
	http_client_set_long(setup, CURLOPT_FORBID_REUSE, 1);
	http_client_set_long(setup, CURLOPT_FOLLOWLOCATION, 0);
	http_client_set_long(setup, CURLOPT_TCP_KEEPALIVE, 1);
	http_client_set_long(setup, CURLOPT_HTTP_VERSION, CURL_HTTP_VERSION_1_1);
	http_client_set_long(setup, CURLOPT_SSLVERSION, CURL_SSLVERSION_TLSv1_2);
	http_client_set_pointer(setup, CURLOPT_PROTOCOLS_STR, "http,https");
	http_client_set_pointer(setup, CURLOPT_PROXY, "");
}

static void http_client_set_request(struct http_client_setup *setup,
				    const struct http_client_order *order)
{
	http_client_set_pointer(setup, CURLOPT_URL, order->url);
	http_client_set_pointer(setup, CURLOPT_HTTPHEADER, setup->request->headers);
	http_client_set_pointer(setup, CURLOPT_UNIX_SOCKET_PATH, order->socket_path);
	http_client_set_pointer(setup, CURLOPT_CAINFO, order->ca_file);
	if (order->body) {
		http_client_set_long(setup, CURLOPT_POSTFIELDSIZE,
				     (long)order->body_length);
		http_client_set_pointer(setup, CURLOPT_COPYPOSTFIELDS, order->body);
	}
	http_client_set_pointer(setup, CURLOPT_CUSTOMREQUEST, order->method);
	http_client_set_long(setup, CURLOPT_CONNECTTIMEOUT_MS,
			     order->connect_timeout_ms ? (long)order->connect_timeout_ms
						       : HTTP_CLIENT_CONNECT_TIMEOUT_MS);
	http_client_set_long(setup, CURLOPT_TIMEOUT_MS, (long)order->timeout_ms);
	if (order->silence_timeout_s) {
		http_client_set_long(setup, CURLOPT_LOW_SPEED_LIMIT, 1);
		http_client_set_long(setup, CURLOPT_LOW_SPEED_TIME,
				     (long)order->silence_timeout_s);
	}
}

static bool http_client_add_header(struct http_client_request *request,
				   const char *header)
{
	struct curl_slist *longer =
		request->client->library.curl_slist_append(request->headers, header);

	if (longer)
		request->headers = longer;
	return longer;
}

/* Returns 0 or -errno. */
static int http_client_prepare(struct http_client_request *request)
{
	const struct http_client_order *order = &request->order;
	struct http_client_setup setup = { request };

	/* Without it libcurl asks before it sends a long body, and waits a second. */
	if (!http_client_add_header(request, "Expect:"))
		return -ENOMEM;
	for (size_t at = 0; order->headers && order->headers[at]; at++) {
		if (!http_client_add_header(request, order->headers[at]))
			return -ENOMEM;
	}
	http_client_set_functions(&setup);
	http_client_set_rules(&setup);
	http_client_set_request(&setup, order);
	if (setup.error == CURLE_OUT_OF_MEMORY)
		return -ENOMEM;
	return setup.error ? -EINVAL : 0;
}

/* The interface */

int http_client_start(struct http_client *client, const struct http_client_order *order,
		      struct http_client_request **request_out)
{
	struct http_client_request *request;
	int error = http_client_load(client);

	if (error)
		return error;
	request = calloc(1, sizeof(*request));
	if (!request)
		return -ENOMEM;
	request->client = client;
	request->order = *order;
	LIST_INSERT_HEAD(&client->requests, request, link);
	request->easy = client->library.curl_easy_init();
	error = request->easy ? http_client_prepare(request) : -ENOMEM;
	if (error) {
		http_client_release(request);
		return error;
	}
	http_client_wake(client);
	*request_out = request;
	return 0;
}

void http_client_cancel(struct http_client_request *request)
{
	if (request->client->is_in_curl && request->state == HTTP_CLIENT_ACTIVE) {
		request->state = HTTP_CLIENT_CANCELLED;
		http_client_wake(request->client);
	} else {
		http_client_release(request);
	}
}

const char *http_client_header(const struct http_client_request *request,
			       const char *name)
{
	struct curl_header *header;

	if (request->state != HTTP_CLIENT_ACTIVE ||
	    request->client->library.curl_easy_header(
		    request->easy, name, 0, CURLH_HEADER, -1, &header) != CURLHE_OK)
		return NULL;
	return header->value;
}

void http_client_pause(struct http_client_request *request, bool paused)
{
	request->wants_pause = paused;
	if (!paused && request->is_paused)
		http_client_wake(request->client);
}

struct http_client *http_client_new(sd_event *loop)
{
	struct http_client *client = calloc(1, sizeof(*client));

	if (!client)
		return NULL;
	client->loop = sd_event_ref(loop);
	LIST_INIT(&client->requests);
	if (sd_event_add_defer(loop, &client->settle, http_client_on_settle, client) <
		    0 ||
	    sd_event_source_set_enabled(client->settle, SD_EVENT_OFF) < 0 ||
	    sd_event_add_time(loop, &client->timer, CLOCK_MONOTONIC, 0, 1000,
			      http_client_on_timer, client) < 0 ||
	    sd_event_source_set_enabled(client->timer, SD_EVENT_OFF) < 0) {
		http_client_free(client);
		return NULL;
	}
	return client;
}

void http_client_free(struct http_client *client)
{
	if (!client)
		return;
	assert(!client->is_in_curl);
	while (!LIST_EMPTY(&client->requests))
		http_client_release(LIST_FIRST(&client->requests));
	if (client->multi)
		client->library.curl_multi_cleanup(client->multi);
	sd_event_source_disable_unref(client->timer);
	sd_event_source_disable_unref(client->settle);
	sd_event_unref(client->loop);
	free(client);
}
