/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "webhook/webhook_private.h"

#include <arpa/inet.h>
#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/timex.h>
#include <unistd.h>

#include "base/clock.h"
#include "config/config.h"
#include "http_client/http_client.h"

#define TIMESYNC_FOLDER	 "/run/systemd/timesync"
#define TIMESYNC_WITNESS TIMESYNC_FOLDER "/synchronized"

enum {
	HEADER_BYTES = 192,
	WAIT_MAX_S = 3600,
	CLOCK_WAIT_MS = 10 * 60 * 1000,
	MS_PER_SECOND = 1000,
};

/*
 * The clock whose time is signed. It is wrong for certain while it is before the time at which
 * this program was built (OFONO_MCP_BUILT, from the Makefile). It may be wrong while a time
 * service runs that has not synchronised it since the phone started. That counts for
 * CLOCK_WAIT_MS only: many phones get the time from the mobile network or keep it in a clock
 * chip, where no time service ever says so.
 */

static bool webhook_post_clock_is_unsynchronised(void)
{
	struct timex state = { .modes = 0 };

	return access(TIMESYNC_FOLDER, F_OK) == 0 && access(TIMESYNC_WITNESS, F_OK) < 0 &&
	       adjtimex(&state) == TIME_ERROR;
}

static bool webhook_post_clock_is_before_build(void)
{
	return clock_wall_ms() / MS_PER_SECOND < OFONO_MCP_BUILT;
}

const char *webhook_post_clock_flaw(void)
{
	if (webhook_post_clock_is_before_build())
		return "the phone's clock is wrong: it is set to a time before this program was built";
	if (clock_boot_ms() < CLOCK_WAIT_MS && webhook_post_clock_is_unsynchronised())
		return "the phone's clock is not synchronised yet";
	return NULL;
}

/*
 * Which addresses are public. IPv4: everything but the registry's special blocks. IPv6: nothing
 * but global unicast (2000::/3) without its special blocks, so that a block that is registered
 * tomorrow outside of it is refused today.
 *
 * An address with an IPv4 address inside counts as that one: mapped (::ffff:0:0/96), and
 * NAT64 (64:ff9b::/96), through which phones on IPv6-only mobile networks reach IPv4 servers.
 * 6to4, Teredo and the network-specific NAT64 block are refused as a whole.
 */
struct webhook_post_block {
	uint8_t prefix[16];
	uint8_t bits;
};

static const struct webhook_post_block webhook_post_address_special_4[] = {
	{ { 0 }, 8 },		  /* this network */
	{ { 10 }, 8 },		  /* private */
	{ { 100, 64 }, 10 },	  /* shared, carrier-grade NAT */
	{ { 127 }, 8 },		  /* loopback */
	{ { 169, 254 }, 16 },	  /* link-local, and clouds' metadata */
	{ { 172, 16 }, 12 },	  /* private */
	{ { 192, 0, 0 }, 24 },	  /* protocol assignments */
	{ { 192, 0, 2 }, 24 },	  /* documentation */
	{ { 192, 31, 196 }, 24 }, /* AS112 */
	{ { 192, 52, 193 }, 24 }, /* AMT */
	{ { 192, 88, 99 }, 24 },  /* 6to4 relays */
	{ { 192, 168 }, 16 },	  /* private */
	{ { 192, 175, 48 }, 24 }, /* AS112 */
	{ { 198, 18 }, 15 },	  /* benchmarks */
	{ { 198, 51, 100 }, 24 }, /* documentation */
	{ { 203, 0, 113 }, 24 },  /* documentation */
	{ { 224 }, 4 },		  /* multicast */
	{ { 240 }, 4 },		  /* reserved, broadcast */
};

static const struct webhook_post_block webhook_post_address_special_6[] = {
	{ { 0x20, 0x01, 0x00 }, 23 },		  /* protocols, Teredo, ORCHID */
	{ { 0x20, 0x01, 0x0d, 0xb8 }, 32 },	  /* documentation */
	{ { 0x20, 0x02 }, 16 },			  /* 6to4 */
	{ { 0x26, 0x20, 0x00, 0x4f, 0x80 }, 48 }, /* AS112 */
	{ { 0x3f, 0xff }, 20 },			  /* documentation */
};

static const struct webhook_post_block webhook_post_address_global_6 = { { 0x20 }, 3 };

static const struct webhook_post_block webhook_post_address_embedding[] = {
	{ { [10] = 0xff, [11] = 0xff }, 96 }, /* mapped */
	{ { 0x00, 0x64, 0xff, 0x9b }, 96 },   /* NAT64 */
};

enum { BITS_PER_BYTE = 8, EMBEDDED_AT = 12 };

static bool webhook_post_address_is_in(const uint8_t *address,
				       const struct webhook_post_block *block)
{
	size_t whole = block->bits / BITS_PER_BYTE;
	unsigned rest = block->bits % BITS_PER_BYTE;
	unsigned mask = 0xff00U >> rest & 0xffU;

	if (memcmp(address, block->prefix, whole) != 0)
		return false;
	return !rest || (address[whole] & mask) == block->prefix[whole];
}

static bool webhook_post_address_is_in_any(const uint8_t *address,
					   const struct webhook_post_block *blocks,
					   size_t count)
{
	for (size_t at = 0; at < count; at++) {
		if (webhook_post_address_is_in(address, &blocks[at]))
			return true;
	}
	return false;
}

#define WEBHOOK_POST_ADDRESS_IN(address, blocks)        \
	webhook_post_address_is_in_any(address, blocks, \
				       sizeof(blocks) / sizeof(*(blocks)))

/* Returns the IPv4 address that it is or contains; NULL if it is neither. */
static const uint8_t *webhook_post_address_find_4(const struct sockaddr *address)
{
	const struct sockaddr_in6 *in6 = (const void *)address;

	if (address->sa_family == AF_INET)
		return (const void *)&((const struct sockaddr_in *)(const void *)address)
			->sin_addr;
	if (address->sa_family == AF_INET6 &&
	    WEBHOOK_POST_ADDRESS_IN(in6->sin6_addr.s6_addr,
				    webhook_post_address_embedding))
		return in6->sin6_addr.s6_addr + EMBEDDED_AT;
	return NULL;
}

bool webhook_post_address_is_public(const struct sockaddr *address)
{
	const struct sockaddr_in6 *in6 = (const void *)address;
	const uint8_t *ipv4 = webhook_post_address_find_4(address);

	if (ipv4)
		return !WEBHOOK_POST_ADDRESS_IN(ipv4, webhook_post_address_special_4);
	return address->sa_family == AF_INET6 &&
	       webhook_post_address_is_in(in6->sin6_addr.s6_addr,
					  &webhook_post_address_global_6) &&
	       !WEBHOOK_POST_ADDRESS_IN(in6->sin6_addr.s6_addr,
					webhook_post_address_special_6);
}

bool webhook_post_address_is_host(const struct sockaddr *address)
{
	const struct sockaddr_in6 *in6 = (const void *)address;
	const uint8_t *ipv4 = webhook_post_address_find_4(address);

	if (ipv4)
		return ipv4[0] != 0 && ipv4[0] < 224;
	return address->sa_family == AF_INET6 &&
	       !IN6_IS_ADDR_UNSPECIFIED(&in6->sin6_addr) &&
	       !IN6_IS_ADDR_MULTICAST(&in6->sin6_addr);
}

/* Called inside libcurl for each address that is about to be dialled. */
static bool webhook_post_allows(void *data, const struct sockaddr *address)
{
	const struct webhook_post *post = data;
	struct webhook_url url;

	if (!webhook_url_parse(post->url, &url) &&
	    webhook_url_is_listed(&url, &post->config->event_receivers))
		return webhook_post_address_is_host(address);
	return webhook_post_address_is_public(address);
}

static void webhook_post_on_head(void *data, unsigned status)
{
	struct webhook_post *post = data;
	const char *wait = http_client_header(post->request, "Retry-After");

	post->status = status;
	post->wait_ms = 0;
	if (wait && *wait >= '0' && *wait <= '9') {
		long seconds = strtol(wait, NULL, 10);

		post->wait_ms = (int64_t)(seconds < WAIT_MAX_S ? seconds : WAIT_MAX_S) *
				MS_PER_SECOND;
	}
}

static bool webhook_post_on_piece(void *data, const char *piece, size_t length)
{
	struct webhook_post *post = data;

	if (length > WEBHOOK_ANSWER_MAX - post->answer.length)
		return false;
	buffer_append(&post->answer, piece, length);
	return true;
}

static const char *webhook_post_error(const struct http_client_result *result)
{
	if (result->outcome == HTTP_CLIENT_TIMED_OUT)
		return "timeout";
	return result->tls_failed ? "tls_error" : "connection_refused";
}

/* With a status the receiver has decided, whatever became of the rest of its answer. */
static void webhook_post_on_done(void *data, const struct http_client_result *result)
{
	struct webhook_post *post = data;
	struct buffer answer = post->answer;
	char words[32];
	struct webhook_post_result outcome = {
		.status = post->status,
		.error = "",
		.reason = words,
		.wait_ms = post->wait_ms,
		.answer = &answer,
	};

	post->request = NULL;
	post->answer = (struct buffer)BUFFER_INIT;
	snprintf(words, sizeof(words), "HTTP status %u", post->status);
	if (!post->status) {
		outcome.error = webhook_post_error(result);
		outcome.reason = result->error;
	} else if (post->status / 100 != 2) {
		outcome.error = post->status >= 500 ? "http_5xx" : "http_4xx";
	}
	post->done(post->data, &outcome);
	buffer_deinit(&answer);
}

int webhook_post_start(struct webhook_post *post, const struct webhook_parts *parts,
		       const struct webhook_post_order *order,
		       void (*done)(void *data, const struct webhook_post_result *result),
		       void *data)
{
	const struct webhook_signature_subject subject = {
		.message_id = order->message_id,
		.timestamp = clock_wall_ms() / MS_PER_SECOND,
		.body = order->body,
		.length = order->length,
	};
	char headers[4][HEADER_BYTES], signatures[WEBHOOK_SIGNATURES_BYTES];
	const char *const list[] = { "Content-Type: application/json",
				     "User-Agent: ofono-mcp",
				     headers[0],
				     headers[1],
				     headers[2],
				     headers[3],
				     NULL };
	const struct http_client_order request = {
		.method = "POST",
		.url = order->url,
		.headers = list,
		.body = order->body,
		.body_length = order->length,
		.connect_timeout_ms = WEBHOOK_TIMEOUT_MS,
		.timeout_ms = WEBHOOK_TIMEOUT_MS,
		.allow_address = webhook_post_allows,
		.head = webhook_post_on_head,
		.piece = webhook_post_on_piece,
		.done = webhook_post_on_done,
		.data = post,
	};

	if (!webhook_signature_write(&subject, order->secrets, 2, signatures))
		return -ENOMEM;
	snprintf(headers[0], HEADER_BYTES, "webhook-id: %s", order->message_id);
	snprintf(headers[1], HEADER_BYTES, "webhook-timestamp: %lld",
		 (long long)subject.timestamp);
	snprintf(headers[2], HEADER_BYTES, "webhook-signature: %s", signatures);
	snprintf(headers[3], HEADER_BYTES, "X-MCP-Subscription-Id: %s",
		 order->subscription_id);
	*post = (struct webhook_post){
		.config = parts->config,
		.url = order->url,
		.done = done,
		.data = data,
	};
	return http_client_start(parts->http, &request, &post->request);
}

void webhook_post_cancel(struct webhook_post *post)
{
	if (post->request)
		http_client_cancel(post->request);
	post->request = NULL;
	buffer_deinit(&post->answer);
}
