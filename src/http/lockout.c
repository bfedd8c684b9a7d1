/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "http/lockout.h"

#include <string.h>

#include "base/address.h"
#include "base/clock.h"
#include "base/log.h"

static struct lockout_source *source_find(struct lockout *lockout,
					  const struct address_source *who)
{
	struct lockout_source *source;

	for (int at = 0; at < LOCKOUT_SOURCES_MAX; at++) {
		source = &lockout->sources[at];
		if (source->failed_ms && address_source_is(&source->who, who))
			return source;
	}
	return NULL;
}

static struct lockout_source *source_get(struct lockout *lockout,
					 const struct address_source *who)
{
	struct lockout_source *source = source_find(lockout, who);

	if (source)
		return source;
	source = &lockout->sources[0];
	for (int at = 1; at < LOCKOUT_SOURCES_MAX; at++)
		if (lockout->sources[at].failed_ms < source->failed_ms)
			source = &lockout->sources[at];
	*source = (struct lockout_source){ .who = *who };
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
	struct address_source who;
	struct address address;

	address_take(&address, peer);
	if (log_pace_passes(&lockout->pace, more)) {
		address_format_host(&address, text);
		/* doc/security.md has a rule of fail2ban for this line */
		log_warning("http: auth failure from %s%s", text, more);
	}
	if (address_is_loopback(&address))
		return (struct lockout_verdict){ 0 };
	who = address_source(&address);
	lockout->has_failed = true;
	return judge(source_get(lockout, &who), clock_monotonic_ms());
}

void lockout_right(struct lockout *lockout, const struct sockaddr *peer)
{
	struct lockout_source *source;
	struct address_source who;
	struct address address;

	if (!lockout->has_failed)
		return;
	address_take(&address, peer);
	who = address_source(&address);
	source = source_find(lockout, &who);
	if (source)
		memset(source, 0, sizeof(*source));
}
