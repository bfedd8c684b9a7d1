/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * The gateway itself: who is connected, what they are answered, and the ledger.
 */
#include <stdio.h>
#include <sys/stat.h>
#include <sys/statvfs.h>

#include "config/config.h"
#include "gateway/metric.h"

enum { LABELS_BYTES = 64 };

void metric_build(const struct metric_writer *writer)
{
	metric_put(writer, "version=\"" OFONO_MCP_VERSION "\"", 1);
}

void metric_connections(const struct metric_writer *writer)
{
	metric_put(writer, NULL, http_server_connections(writer->web->server));
}

void metric_connections_opened(const struct metric_writer *writer)
{
	metric_put(writer, NULL, http_server_counts(writer->web->server)->connections);
}

void metric_streams(const struct metric_writer *writer)
{
	metric_put(writer, NULL, http_server_streams(writer->web->server));
}

void metric_sessions(const struct metric_writer *writer)
{
	metric_put(writer, NULL, endpoint_session_count(writer->web->endpoint));
}

/* Those that were ever given. */
void metric_responses(const struct metric_writer *writer)
{
	const struct http_server_counts *counts = http_server_counts(writer->web->server);
	char labels[LABELS_BYTES];

	for (unsigned status = 0; status <= HTTP_SERVER_STATUS_MAX; status++) {
		if (!counts->answers[status])
			continue;
		snprintf(labels, sizeof(labels), "code=\"%u\"", status);
		metric_put(writer, labels, counts->answers[status]);
	}
}

void metric_auth_failures(const struct metric_writer *writer)
{
	metric_put(writer, NULL, audit_auth_failures(writer->web->services->audit));
}

void metric_commits(const struct metric_writer *writer)
{
	metric_put(writer, NULL, store_commits(writer->web->services->store));
}

void metric_ledger_size(const struct metric_writer *writer)
{
	static const char *const files[] = { "gateway.db", "gateway.db-wal" };
	const char *folder = writer->web->services->config->state_dir;
	char path[CONFIG_TEXT_BYTES + 16];
	struct stat status;
	uint64_t size = 0;

	for (size_t at = 0; at < sizeof(files) / sizeof(files[0]); at++) {
		snprintf(path, sizeof(path), "%s/%s", folder, files[at]);
		if (stat(path, &status) == 0)
			size += (uint64_t)status.st_size;
	}
	metric_put(writer, NULL, size);
}

/* Nothing where the file system does not say. */
void metric_storage_free(const struct metric_writer *writer)
{
	struct statvfs status;

	if (statvfs(writer->web->services->config->state_dir, &status) == 0)
		metric_put(writer, NULL, (uint64_t)status.f_bavail * status.f_frsize);
}

void metric_storage_reserve(const struct metric_writer *writer)
{
	uint64_t mib = (uint64_t)writer->web->services->config->reserve_mib;

	metric_put(writer, NULL, mib << 20);
}
