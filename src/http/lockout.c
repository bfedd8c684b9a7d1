/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "http/connection.h"

#include <string.h>

#include "base/clock.h"
#include "base/log.h"

static struct lockout_source *lockout_find(struct lockout *lockout,
					   const struct address_source *address)
{
	struct lockout_source *source;

	for (int at = 0; at < LOCKOUT_SOURCES_MAX; at++) {
		source = &lockout->sources[at];
		if (source->last_failed_ms &&
		    address_source_is(&source->address, address))
			return source;
	}
	return NULL;
}

static struct lockout_source *lockout_find_or_add(struct lockout *lockout,
						  const struct address_source *address)
{
	struct lockout_source *source = lockout_find(lockout, address);

	if (source)
		return source;
	source = &lockout->sources[0];
	for (int at = 1; at < LOCKOUT_SOURCES_MAX; at++)
		if (lockout->sources[at].last_failed_ms < source->last_failed_ms)
			source = &lockout->sources[at];
	*source = (struct lockout_source){ .address = *address };
	return source;
}

/* Records a failure and returns how many there were before within the window. */
static unsigned lockout_record(struct lockout_source *source, int64_t now_ms)
{
	unsigned count = 0;

	for (unsigned at = 0; at < LOCKOUT_TOKENS && at < source->failure_count; at++)
		if (source->failed_at_ms[at] > now_ms - LOCKOUT_WINDOW_MS)
			count++;
	source->failed_at_ms[source->failure_count++ % LOCKOUT_TOKENS] = now_ms;
	return count;
}

static void lockout_begin(struct lockout_source *source, int64_t now_ms)
{
	source->length_ms = source->length_ms ? 2 * source->length_ms : LOCKOUT_FIRST_MS;
	if (source->length_ms > LOCKOUT_MAX_MS)
		source->length_ms = LOCKOUT_MAX_MS;
	source->until_ms = now_ms + source->length_ms;
}

/* A source that fails again soon after a lockout is locked out again, for longer. */
static struct lockout_verdict lockout_judge(struct lockout_source *source, int64_t now_ms)
{
	struct lockout_verdict verdict = { 0 };
	unsigned before;

	source->last_failed_ms = now_ms;
	if (now_ms >= source->until_ms && source->length_ms &&
	    now_ms < source->until_ms + LOCKOUT_MAX_MS)
		lockout_begin(source, now_ms);
	if (now_ms < source->until_ms) {
		verdict.retry_after_seconds =
			(unsigned)((source->until_ms - now_ms + 999) / 1000);
		return verdict;
	}
	source->length_ms = 0;
	before = lockout_record(source, now_ms);
	if (before + 1 >= LOCKOUT_TOKENS)
		lockout_begin(source, now_ms);
	verdict.delay_ms = (unsigned)LOCKOUT_DELAY_MS << before;
	return verdict;
}

struct lockout_verdict lockout_add_failure(struct lockout *lockout,
					   const struct address *peer)
{
	char text[ADDRESS_TEXT_BYTES], more[LOG_PACE_TEXT_BYTES];
	struct address_source source = address_source(peer);

	if (log_pace_passes(&lockout->pace, more)) {
		address_format_host(peer, text);
		/* doc/security.md has a fail2ban rule for this line */
		log_warning("http: auth failure from %s%s", text, more);
	}
	if (address_is_loopback(peer))
		return (struct lockout_verdict){ 0 };
	lockout->has_failures = true;
	return lockout_judge(lockout_find_or_add(lockout, &source), clock_monotonic_ms());
}

void lockout_clear(struct lockout *lockout, const struct address *peer)
{
	struct address_source key = address_source(peer);
	struct lockout_source *source =
		lockout->has_failures ? lockout_find(lockout, &key) : NULL;

	if (source)
		memset(source, 0, sizeof(*source));
}
