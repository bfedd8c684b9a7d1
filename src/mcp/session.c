/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 *   initialize -> session_begin(): stored -> used by every request that names it
 *                                              |
 *       DELETE, client revoked, 30 days unused, or room needed -> session_end()
 *
 * `list` is in order of use. A subscription records which event its client got last and
 * whether a change is still to be sent; session_stream.c sends it. While no session has a
 * stream or a subscription (`interest` is 0), changes are not observed at all.
 */
#include "mcp/session.h"

#include <errno.h>
#include <gnutls/crypto.h>
#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/buffer.h"
#include "base/clock.h"
#include "base/crypto.h"
#include "base/hash.h"
#include "base/log.h"
#include "http/exchange.h"
#include "mcp/resource.h"
#include "mcp/persistence.h"
#include "mcp/request.h"

#define SESSION_DAY_MS	    INT64_C(86400000)
#define SESSION_LIFETIME_MS (SESSION_DAYS * SESSION_DAY_MS)
/*
 * 2024-01-01T00:00:00Z. An earlier time comes from a phone that does not know the time
 * yet.
 */
#define SESSION_CLOCK_SANE_MS INT64_C(1704067200000)

/* Event IDs */

void session_event_id_write(struct session_event_id id, char text[SESSION_EVENT_ID_BYTES])
{
	snprintf(text, SESSION_EVENT_ID_BYTES, "%016" PRIx64 "-%" PRIu64, id.stream,
		 id.event);
}

bool session_event_id_read(const char *text, struct session_event_id *id_out)
{
	char again[SESSION_EVENT_ID_BYTES];
	struct session_event_id id;

	if (sscanf(text, "%16" SCNx64 "-%" SCNu64, &id.stream, &id.event) != 2)
		return false;
	session_event_id_write(id, again);
	if (strcmp(text, again) != 0)
		return false;
	*id_out = id;
	return true;
}

/* Subjects */

enum { SESSION_SUBJECT_BYTES = 48, SESSION_SUBJECT_PREFIX = 28 };

/*
 * A long subject is kept as its beginning, which tells its kind, and a hash: 512 sessions
 * with 32 long URIs each must fit the memory limit of the systemd unit. If two subjects
 * collide, a client reads one of them again for nothing.
 */
static const char *session_subject_key(const char *subject,
				       char key[SESSION_SUBJECT_BYTES])
{
	size_t length = strlen(subject);
	int prefix = SESSION_SUBJECT_PREFIX;

	if (length < SESSION_SUBJECT_BYTES)
		return subject;
	while (((unsigned char)subject[prefix] & 0xc0) ==
	       0x80) /* not inside a character */
		prefix--;
	snprintf(key, SESSION_SUBJECT_BYTES, "%.*s#%016" PRIx64, prefix, subject,
		 hash_add(HASH_START, subject, length));
	return key;
}

/* Storing */

/* URIs and subjects contain no line feed. */
static void session_write_subscriptions(const struct session *session,
					struct buffer *lines)
{
	const struct session_subscription *subscription;

	TAILQ_FOREACH (subscription, &session->subscriptions, link) {
		buffer_append_text(lines, subscription->uri);
		buffer_append_text(lines, "\n");
		buffer_append_text(lines, subscription->subject);
		buffer_append_text(lines, "\n");
	}
	buffer_append(lines, "", 1);
}

/* If it cannot be stored, the session lives as long as the process. */
static void session_save(struct session *session)
{
	const struct persistence *persistence = session->sessions->persistence;
	struct buffer lines = BUFFER_INIT;
	struct session_record record = {
		.id = session->id,
		.client_id = session->client_id,
		.revision = session->revision,
		.capabilities = session->capabilities,
		.used_ms = session->used_ms,
	};

	session->saved_ms = session->used_ms;
	if (!persistence)
		return;
	session_write_subscriptions(session, &lines);
	record.subscriptions = lines.data;
	if (lines.failed || persistence->save_session(persistence->store, &record))
		log_warning(
			"mcp: a session could not be stored: it will not survive a restart");
	buffer_deinit(&lines);
}

/* Changes */

static void session_on_change(void *data, const void *event_data)
{
	const struct resource_change *change = event_data;
	struct sessions *sessions = data;
	char key[SESSION_SUBJECT_BYTES];
	const char *subject =
		change->subject ? session_subject_key(change->subject, key) : NULL;
	struct session_subscription *subscription;
	struct session *session;

	TAILQ_FOREACH (session, &sessions->list, link) {
		if (change->type == CHANGE_TOOLS &&
		    resource_change_is_of(change, session->client_id))
			session_stream_send(session, &session->tools);
		if (change->type != CHANGE_RESOURCE || !subject)
			continue;
		TAILQ_FOREACH (subscription, &session->subscriptions, link) {
			if (strcmp(subscription->subject, subject) == 0)
				session_stream_send(session, subscription);
		}
	}
}

void sessions_report_tools(struct sessions *sessions, int64_t client_id)
{
	struct session *session;

	if (sessions->interest)
		return;
	TAILQ_FOREACH (session, &sessions->list, link) {
		if (!client_id || session->client_id == client_id)
			session_stream_send(session, &session->tools);
	}
}

void session_add_interest(struct sessions *sessions)
{
	if (!sessions->interest++ && sessions->changes)
		observer_add(sessions->changes, &sessions->observer, session_on_change,
			     sessions);
}

void session_drop_interest(struct sessions *sessions)
{
	if (!--sessions->interest)
		observer_remove(&sessions->observer);
}

uint64_t session_next_stream_number(struct sessions *sessions)
{
	return (uint64_t)sessions->epoch << 32 | ++sessions->last_stream;
}

/* Subscriptions */

static void session_subscription_free(struct session *session,
				      struct session_subscription *subscription)
{
	TAILQ_REMOVE(&session->subscriptions, subscription, link);
	session->subscription_count--;
	session_drop_interest(session->sessions);
	free(subscription);
}

static struct session_subscription *session_find_subscription(
	const struct session *session, const char *uri)
{
	struct session_subscription *subscription;

	TAILQ_FOREACH (subscription, &session->subscriptions, link) {
		if (strcmp(subscription->uri, uri) == 0)
			return subscription;
	}
	return NULL;
}

/* Returns NULL if memory runs out. */
static struct session_subscription *session_add_subscription(struct session *session,
							     const char *uri,
							     const char *subject)
{
	char bytes[SESSION_SUBJECT_BYTES];
	const char *key = session_subject_key(subject, bytes);
	size_t uri_bytes = strlen(uri) + 1, key_bytes = strlen(key) + 1;
	struct session_subscription *subscription =
		calloc(1, sizeof(*subscription) + uri_bytes + key_bytes);

	if (!subscription)
		return NULL;
	subscription->uri = memcpy(subscription + 1, uri, uri_bytes);
	subscription->subject = memcpy(subscription->uri + uri_bytes, key, key_bytes);
	TAILQ_INSERT_TAIL(&session->subscriptions, subscription, link);
	session->subscription_count++;
	session_add_interest(session->sessions);
	return subscription;
}

int session_subscribe(struct session *session, const char *uri, const char *subject)
{
	if (session_find_subscription(session, uri))
		return 0;
	if (session->subscription_count == SESSION_URIS_MAX)
		return -ENOSPC;
	if (!session_add_subscription(session, uri, subject))
		return -ENOMEM;
	session_save(session);
	return 0;
}

void session_unsubscribe(struct session *session, const char *uri)
{
	struct session_subscription *subscription =
		session_find_subscription(session, uri);

	if (!subscription)
		return;
	session_subscription_free(session, subscription);
	session_save(session);
}

void session_filter_subscriptions(struct session *session,
				  const struct resource *const *resources,
				  unsigned scopes)
{
	unsigned before = session->subscription_count;
	struct session_subscription *subscription, *next;

	for (subscription = TAILQ_FIRST(&session->subscriptions); subscription;
	     subscription = next) {
		next = TAILQ_NEXT(subscription, link);
		if (!resource_is_readable(resources, subscription->subject, scopes))
			session_subscription_free(session, subscription);
	}
	if (session->subscription_count != before)
		session_save(session);
}

/* Life */

static struct session *session_new(struct sessions *sessions, int64_t client_id)
{
	struct session *session = calloc(1, sizeof(*session));

	if (!session)
		return NULL;
	session->sessions = sessions;
	session->client_id = client_id;
	TAILQ_INIT(&session->subscriptions);
	TAILQ_INIT(&session->streams);
	TAILQ_INSERT_TAIL(&sessions->list, session, link);
	sessions->count++;
	return session;
}

/* It remains stored. */
static void session_free(struct session *session)
{
	struct session_subscription *subscription;

	session_stream_end_all(session);
	reply_end_all(session->sessions, session);
	while ((subscription = TAILQ_FIRST(&session->subscriptions)))
		session_subscription_free(session, subscription);
	TAILQ_REMOVE(&session->sessions->list, session, link);
	session->sessions->count--;
	free(session);
}

void session_end(struct session *session)
{
	const struct persistence *persistence = session->sessions->persistence;

	if (persistence && persistence->remove_session(persistence->store, session->id))
		log_error("mcp: an ended session could not be removed from the store");
	session_free(session);
}

void session_end_client(struct sessions *sessions, int64_t client_id)
{
	struct session *session, *next;

	for (session = TAILQ_FIRST(&sessions->list); session; session = next) {
		next = TAILQ_NEXT(session, link);
		if (session->client_id == client_id)
			session_end(session);
	}
}

/* A time from a clock that was not set says nothing. */
static bool session_is_expired(int64_t used_ms)
{
	return used_ms >= SESSION_CLOCK_SANE_MS &&
	       clock_wall_ms() - used_ms > SESSION_LIFETIME_MS;
}

/* Without tokens all clients are one, and only the total is limited. */
static void session_make_room(struct sessions *sessions, int64_t client_id)
{
	struct session *session, *oldest = NULL;
	unsigned count = 0;

	TAILQ_FOREACH (session, &sessions->list, link) {
		if (session->client_id != client_id)
			continue;
		oldest = oldest ?: session;
		count++;
	}
	if (client_id && count >= SESSIONS_PER_CLIENT)
		session_end(oldest);
	if (sessions->count >= SESSIONS_MAX)
		session_end(TAILQ_FIRST(&sessions->list));
}

struct session *session_begin(struct sessions *sessions, const struct client *client,
			      const char *revision, unsigned capabilities)
{
	char id[SESSION_ID_BYTES];
	struct session *session = NULL;

	session_make_room(sessions, client->id);
	if (crypto_make_random(id, sizeof(id)))
		session = session_new(sessions, client->id);
	if (!session)
		return NULL;
	memcpy(session->id, id, sizeof(id));
	snprintf(session->revision, sizeof(session->revision), "%s", revision);
	session->scopes = client->scopes;
	session->capabilities = capabilities;
	session->used_ms = clock_wall_ms();
	session_save(session);
	return session;
}

static struct session *session_find_id(const struct sessions *sessions, const char *id)
{
	struct session *session;

	TAILQ_FOREACH_REVERSE(session, &sessions->list, session_list, link)
	{
		if (strcmp(session->id, id) == 0)
			return session;
	}
	return NULL;
}

/* The use is stored once a day at most, so that requests do not wait for the disk. */
static void session_mark_used(struct session *session)
{
	struct sessions *sessions = session->sessions;

	TAILQ_REMOVE(&sessions->list, session, link);
	TAILQ_INSERT_TAIL(&sessions->list, session, link);
	session->used_ms = clock_wall_ms();
	if (llabs(session->used_ms - session->saved_ms) > SESSION_DAY_MS)
		session_save(session);
}

struct session *session_find(struct sessions *sessions, const struct client *client,
			     const char *id)
{
	struct session *session = session_find_id(sessions, id);

	if (!session || session->client_id != client->id)
		return NULL;
	if (session_is_expired(session->used_ms)) {
		session_end(session);
		return NULL;
	}
	session->scopes = client->scopes;
	session_mark_used(session);
	return session;
}

struct session *session_of_request(const struct request *request)
{
	if (!request->session_id)
		return NULL;
	return session_find(request->context->sessions,
			    exchange_client(request->exchange), request->session_id);
}

/* Loading */

/* Copies a line without its line feed. Returns what follows, or NULL. */
static const char *session_read_line(const char *text, char *line, size_t size)
{
	size_t length = strcspn(text, "\n");

	if (!text[length] || length >= size)
		return NULL;
	memcpy(line, text, length);
	line[length] = '\0';
	return text + length + 1;
}

/* Changes may have been missed while the gateway was down, so each counts as changed. */
static void session_load_subscriptions(struct session *session, const char *lines)
{
	char uri[1024], subject[1024];

	while ((lines = session_read_line(lines, uri, sizeof(uri))) &&
	       (lines = session_read_line(lines, subject, sizeof(subject)))) {
		struct session_subscription *subscription =
			session_add_subscription(session, uri, subject);

		if (subscription)
			subscription->pending = true;
	}
}

static void session_load(void *data, const struct session_record *record)
{
	struct sessions *sessions = data;
	struct session *session;

	if (strlen(record->id) != SESSION_ID_BYTES - 1 || sessions->count == SESSIONS_MAX)
		return;
	session = session_new(sessions, record->client_id);
	if (!session)
		return;
	strcpy(session->id, record->id);
	snprintf(session->revision, sizeof(session->revision), "%s", record->revision);
	session->capabilities = (unsigned)record->capabilities;
	session->used_ms = session->saved_ms = record->used_ms;
	session_load_subscriptions(session, record->subscriptions);
}

int sessions_init(struct sessions *sessions, const struct persistence *persistence,
		  struct observers *changes)
{
	*sessions = (struct sessions){
		.persistence = persistence,
		.changes = changes,
		.reply_timeout_ms = REPLY_TIMEOUT_MS,
	};
	TAILQ_INIT(&sessions->list);
	TAILQ_INIT(&sessions->replies);
	if (gnutls_rnd(GNUTLS_RND_NONCE, &sessions->epoch, sizeof(sessions->epoch)) != 0)
		return -EIO;
	return persistence ? persistence->list_sessions(persistence->store, session_load,
							sessions)
			   : 0;
}

void sessions_deinit(struct sessions *sessions)
{
	struct session *session;

	reply_end_all(sessions, NULL);
	while ((session = TAILQ_FIRST(&sessions->list)))
		session_free(session);
}
