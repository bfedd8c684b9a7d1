/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "http/lockout.h"

#include <string.h>

#include "base/address.h"
#include "base/clock.h"
#include "base/log.h"

static void prefix_take(const struct address *address, struct lockout_source *source)
{
	const struct in6_addr *in6 = &address->in6.sin6_addr;
	const void *in = &address->in.sin_addr;

	memset(source, 0, sizeof(*source));
	source->family = AF_INET;
	if (address->any.sa_family == AF_INET6) {
		if (!IN6_IS_ADDR_V4MAPPED(in6)) {
			source->family = AF_INET6;
			memcpy(source->prefix, in6, 8);
			return;
		}
		in = &in6->s6_addr[12];
	}
	memcpy(source->prefix, in, 4);
}

static bool source_is(const struct lockout_source *source,
		      const struct lockout_source *wanted)
{
	return source->failed_ms && source->family == wanted->family &&
	       memcmp(source->prefix, wanted->prefix, sizeof(source->prefix)) == 0;
}

static struct lockout_source *source_find(struct lockout *lockout,
					  const struct lockout_source *wanted)
{
	for (int at = 0; at < LOCKOUT_SOURCES_MAX; at++)
		if (source_is(&lockout->sources[at], wanted))
			return &lockout->sources[at];
	return NULL;
}

static struct lockout_source *source_get(struct lockout *lockout,
					 const struct lockout_source *wanted)
{
	struct lockout_source *source = source_find(lockout, wanted);

	if (source)
		return source;
	source = &lockout->sources[0];
	for (int at = 1; at < LOCKOUT_SOURCES_MAX; at++)
		if (lockout->sources[at].failed_ms < source->failed_ms)
			source = &lockout->sources[at];
	*source = *wanted;
	return source;
}

/* How many came within the window before this one. */
static unsigned wrong_add(struct lockout_source *source, int64_t now_ms)
{
	unsigned count = 0;

	for (unsigned at = 0; at < LOCKOUT_TOKENS && at < source->wrong_count; at++)
		if (source->wrong_ms[at] > now_ms - LOCKOUT_WINDOW_MS)
			count++;
	source->wrong_ms[source->wrong_count++ % LOCKOUT_TOKENS] = now_ms;
	return count;
}

static void lock(struct lockout_source *source, int64_t now_ms)
{
	source->length_ms = source->length_ms ? 2 * source->length_ms : LOCKOUT_FIRST_MS;
	if (source->length_ms > LOCKOUT_MOST_MS)
		source->length_ms = LOCKOUT_MOST_MS;
	source->until_ms = now_ms + source->length_ms;
}

static struct lockout_verdict locked(const struct lockout_source *source, int64_t now_ms)
{
	return (struct lockout_verdict){
		.retry_after_seconds =
			(unsigned)((source->until_ms - now_ms + 999) / 1000),
	};
}

/* Who was locked out and fails again soon afterwards is locked out again, for longer. */
static struct lockout_verdict judge(struct lockout_source *source, int64_t now_ms)
{
	unsigned before;

	source->failed_ms = now_ms;
	if (now_ms < source->until_ms)
		return locked(source, now_ms);
	if (source->length_ms && now_ms < source->until_ms + LOCKOUT_MOST_MS) {
		lock(source, now_ms);
		return locked(source, now_ms);
	}
	source->length_ms = 0;
	before = wrong_add(source, now_ms);
	if (before + 1 >= LOCKOUT_TOKENS)
		lock(source, now_ms);
	return (struct lockout_verdict){ .delay_ms = (unsigned)LOCKOUT_DELAY_MS
						     << before };
}

struct lockout_verdict lockout_wrong(struct lockout *lockout, const struct sockaddr *peer)
{
	char text[ADDRESS_TEXT_BYTES], more[LOG_PACE_TEXT_BYTES];
	struct lockout_source wanted;
	struct address address;

	address_take(&address, peer);
	if (log_pace_passes(&lockout->pace, more)) {
		address_format_host(&address, text);
		/* doc/security.md has a rule of fail2ban for this line */
		log_warning("http: auth failure from %s%s", text, more);
	}
	if (address_is_loopback(&address))
		return (struct lockout_verdict){ 0 };
	prefix_take(&address, &wanted);
	return judge(source_get(lockout, &wanted), clock_monotonic_ms());
}

void lockout_right(struct lockout *lockout, const struct sockaddr *peer)
{
	struct lockout_source wanted, *source;
	struct address address;

	address_take(&address, peer);
	prefix_take(&address, &wanted);
	source = source_find(lockout, &wanted);
	if (source)
		memset(source, 0, sizeof(*source));
}
