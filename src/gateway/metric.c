/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * GET /metrics, for clients with the scope "metrics": the samples, in the order of the table at
 * the end. They come from what the gateway already has in memory; only the sizes of files, the
 * limits and the facts in /proc are read when asked. A figure that the system does not give is
 * left out.
 */
#include <dirent.h>
#include <inttypes.h>
#include <math.h>
#include <stdio.h>
#include <string.h>
#include <sys/resource.h>
#include <sys/stat.h>
#include <sys/statvfs.h>
#include <unistd.h>

#include "base/clock.h"
#include "config/config.h"
#include "gateway/web.h"
#include "tools/obstacle.h"
#include "webhook/webhook.h"

enum { LABELS_BYTES = 80 };

struct metric_writer {
	struct buffer *text;
	struct web *web;
	const char *name; /* of the metric that is being written */
};

/* Writes one sample; `labels` is for example 'sim="1",state="sent"', or NULL. */
static void metric_put(const struct metric_writer *writer, const char *labels,
		       double value)
{
	char text[32];

	snprintf(text, sizeof(text), " %.15g\n", value);
	buffer_append_text(writer->text, writer->name);
	if (labels) {
		buffer_append_text(writer->text, "{");
		buffer_append_text(writer->text, labels);
		buffer_append_text(writer->text, "}");
	}
	buffer_append_text(writer->text, text);
}

/* Messages */

static double metric_accepted(const struct message_counters_row *row)
{
	return (double)row->accepted;
}

static double metric_received(const struct message_counters_row *row)
{
	return (double)row->received;
}

/* A SIM that is present has a row, with zeroes, from the first time on. */
static const struct message_counters *metric_counters(const struct metric_writer *writer)
{
	const struct sim *sim;

	TAILQ_FOREACH (sim, sims_list(writer->web->services->sims), link)
		message_counters_row(&writer->web->message_counters, sim->id);
	return &writer->web->message_counters;
}

static void metric_write_messages(const struct metric_writer *writer,
				  double (*value)(const struct message_counters_row *row))
{
	const struct message_counters *counters = metric_counters(writer);
	char labels[LABELS_BYTES];

	for (unsigned at = 0; at <= counters->count; at++) {
		snprintf(labels, sizeof(labels), "sim=\"%" PRId64 "\"",
			 counters->rows[at].sim_id);
		metric_put(writer, labels, value(&counters->rows[at]));
	}
}

static void metric_write_became(const struct metric_writer *writer)
{
	const struct message_counters *counters = metric_counters(writer);
	char labels[LABELS_BYTES];

	for (unsigned at = 0; at <= counters->count; at++) {
		const struct message_counters_row *row = &counters->rows[at];

		for (int state = STATE_QUEUED; state <= STATE_LAST; state++) {
			if (state == STATE_RECEIVED)
				continue;
			snprintf(labels, sizeof(labels),
				 "sim=\"%" PRId64 "\",state=\"%s\"", row->sim_id,
				 message_state_name((enum message_state)state));
			metric_put(writer, labels, (double)row->became[state]);
		}
	}
}

/* Several failures may share a code: the first of them has the count. */
static void metric_write_refusals(const struct metric_writer *writer)
{
	const struct audit *audit = writer->web->services->audit;
	char labels[LABELS_BYTES];

	for (unsigned at = 0; at < FAILURE_COUNT; at++) {
		const char *code = failure_words(at)->code;

		if (failure_of_code(code) != at)
			continue;
		snprintf(labels, sizeof(labels), "code=\"%s\"", code);
		metric_put(writer, labels, (double)audit_refusals(audit, at));
	}
}

static double metric_queue(const struct web *web)
{
	return (double)outbox_waiting(web->services->outbox);
}

static double metric_queue_limit(const struct web *web)
{
	return (double)web->services->config->queue_limit;
}

static double metric_approvals(const struct web *web)
{
	return (double)outbox_waiting_for_approval(web->services->outbox);
}

static double metric_unstored(const struct web *web)
{
	return (double)inbox_unstored(web->services->inbox);
}

static double metric_offline(const struct web *web)
{
	return (double)inbox_gaps_ms(web->services->inbox) / 1000;
}

/* Limits */

static double metric_limit(const struct metric_limits_row *row)
{
	return (double)row->limit.most;
}

static double metric_limit_left(const struct metric_limits_row *row)
{
	return (double)row->left;
}

static void metric_write_limits(const struct metric_writer *writer,
				double (*value)(const struct metric_limits_row *row))
{
	struct metric_limits *limits = &writer->web->limits;
	char labels[LABELS_BYTES];

	metric_limits_refresh(limits, writer->web->services);
	for (unsigned at = 0; at < limits->count; at++) {
		const struct metric_limits_row *row = &limits->rows[at];

		snprintf(labels, sizeof(labels), "sim=\"%" PRId64 "\",per=\"%s\"",
			 row->limit.id, limit_unit_name(row->limit.unit));
		metric_put(writer, labels, value(row));
	}
}

/* oFono, modems and SIM cards */

static double metric_ready(const struct web *web)
{
	return obstacle_is_none(web->services);
}

static void metric_write_not_ready(const struct metric_writer *writer)
{
	char labels[LABELS_BYTES];

	for (const struct obstacle *at = obstacle_table; at->name; at++) {
		snprintf(labels, sizeof(labels), "reason=\"%s\"", at->name);
		metric_put(writer, labels, at->holds(writer->web->services));
	}
}

static double metric_dbus_calls(const struct web *web)
{
	return (double)ofono_calls_sent(web->services->ofono);
}

static bool metric_any_modem(const struct modem *modem)
{
	return true;
}

static bool metric_powered_modem(const struct modem *modem)
{
	return modem->powered;
}

static bool metric_online_modem(const struct modem *modem)
{
	return modem->online;
}

static double metric_count_modems(const struct web *web,
				  bool (*counts)(const struct modem *modem))
{
	const struct modem *modem;
	unsigned count = 0;

	TAILQ_FOREACH (modem, ofono_modems(web->services->ofono), link)
		count += !modem_is_foreign(modem) && counts(modem);
	return count;
}

/* SIM_ABSENT is the last state, and no SIM in the list has it. */
static void metric_write_sim_states(const struct metric_writer *writer)
{
	unsigned counts[SIM_ABSENT] = { 0 };
	char labels[LABELS_BYTES];
	const struct sim *sim;

	TAILQ_FOREACH (sim, sims_list(writer->web->services->sims), link) {
		if (sim->state < SIM_ABSENT)
			counts[sim->state]++;
	}
	for (int state = 0; state < SIM_ABSENT; state++) {
		snprintf(labels, sizeof(labels), "state=\"%s\"",
			 sim_state_name((enum sim_state)state));
		metric_put(writer, labels, counts[state]);
	}
}

static double metric_sim_ready(const struct sim *sim)
{
	return sim->state == SIM_READY;
}

static double metric_sim_roaming(const struct sim *sim)
{
	return sim->roaming;
}

static double metric_sim_signal(const struct sim *sim)
{
	return sim->modem->network.strength / 100.0;
}

static void metric_write_sims(const struct metric_writer *writer,
			      double (*value)(const struct sim *sim))
{
	char labels[LABELS_BYTES];
	const struct sim *sim;

	TAILQ_FOREACH (sim, sims_list(writer->web->services->sims), link) {
		snprintf(labels, sizeof(labels), "sim=\"%" PRId64 "\"", sim->id);
		metric_put(writer, labels, value(sim));
	}
}

/* HTTP and storage */

static void metric_write_build(const struct metric_writer *writer)
{
	metric_put(writer, "version=\"" OFONO_MCP_VERSION "\"", 1);
}

static double metric_connections(const struct web *web)
{
	return http_server_connections(web->server);
}

static double metric_connections_opened(const struct web *web)
{
	return (double)http_server_counts(web->server)->connections;
}

static double metric_streams(const struct web *web)
{
	return http_server_streams(web->server);
}

static double metric_sessions(const struct web *web)
{
	return endpoint_session_count(web->endpoint);
}

/* Only statuses that were used. */
static void metric_write_responses(const struct metric_writer *writer)
{
	const struct http_server_counts *counts = http_server_counts(writer->web->server);
	char labels[LABELS_BYTES];

	for (unsigned status = 0; status <= HTTP_SERVER_STATUS_MAX; status++) {
		if (!counts->answers[status])
			continue;
		snprintf(labels, sizeof(labels), "code=\"%u\"", status);
		metric_put(writer, labels, (double)counts->answers[status]);
	}
}

static double metric_auth_failures(const struct web *web)
{
	return (double)audit_auth_failures(web->services->audit);
}

static double metric_commits(const struct web *web)
{
	return (double)store_commits(web->services->store);
}

static double metric_store_size(const struct web *web)
{
	static const char *const files[] = { "gateway.db", "gateway.db-wal" };
	char path[CONFIG_TEXT_BYTES + 16];
	struct stat status;
	double size = 0;

	for (size_t at = 0; at < sizeof(files) / sizeof(files[0]); at++) {
		snprintf(path, sizeof(path), "%s/%s", web->services->config->state_dir,
			 files[at]);
		if (stat(path, &status) == 0)
			size += (double)status.st_size;
	}
	return size;
}

static double metric_storage_free(const struct web *web)
{
	struct statvfs status;

	if (statvfs(web->services->config->state_dir, &status) < 0)
		return NAN;
	return (double)status.f_bavail * (double)status.f_frsize;
}

static double metric_storage_reserve(const struct web *web)
{
	return (double)web->services->config->reserve_mib * (1 << 20);
}

/* The process, under the names that all programs use */

enum metric_field { /* of /proc/PID/stat, from 1 */
		    FIELD_STATE = 3,
		    FIELD_USER_TICKS = 14,
		    FIELD_SYSTEM_TICKS = 15,
		    FIELD_START_TICKS = 22,
		    FIELD_VIRTUAL_BYTES = 23,
		    FIELD_RESIDENT_PAGES = 24,
};

/*
 * Returns NAN if it is unknown. The fields begin behind the program's name, which may contain
 * spaces.
 */
static double metric_read_field(enum metric_field wanted)
{
	FILE *file = fopen("/proc/self/stat", "re");
	char line[1024] = "";
	const char *at = NULL;
	double value;

	if (file && fgets(line, sizeof(line), file))
		at = strrchr(line, ')');
	if (file)
		fclose(file);
	for (int field = FIELD_STATE; at && field <= (int)wanted; field++)
		at = strchr(at + 1, ' ');
	return at && sscanf(at, "%lf", &value) == 1 ? value : NAN;
}

static double metric_process_cpu(const struct web *web)
{
	return (metric_read_field(FIELD_USER_TICKS) +
		metric_read_field(FIELD_SYSTEM_TICKS)) /
	       (double)sysconf(_SC_CLK_TCK);
}

static double metric_process_started(const struct web *web)
{
	int64_t booted_s = (clock_epoch_ms() + 500) / 1000;

	return (double)booted_s +
	       metric_read_field(FIELD_START_TICKS) / (double)sysconf(_SC_CLK_TCK);
}

static double metric_process_resident(const struct web *web)
{
	return metric_read_field(FIELD_RESIDENT_PAGES) * (double)sysconf(_SC_PAGESIZE);
}

static double metric_process_virtual(const struct web *web)
{
	return metric_read_field(FIELD_VIRTUAL_BYTES);
}

static double metric_process_fds(const struct web *web)
{
	DIR *folder = opendir("/proc/self/fd");
	const struct dirent *entry;
	int count = -1; /* without the descriptor of the folder itself */

	if (!folder)
		return NAN;
	while ((entry = readdir(folder)))
		count += entry->d_name[0] != '.';
	closedir(folder);
	return count;
}

static double metric_process_fds_max(const struct web *web)
{
	struct rlimit limit;

	return getrlimit(RLIMIT_NOFILE, &limit) == 0 ? (double)limit.rlim_cur : NAN;
}

/* The table */

#define COUNTER "counter"
#define GAUGE	"gauge"

/* Webhooks */

static struct webhook_counts metric_webhooks(const struct web *web)
{
	struct webhook_counts counts = { 0 };

	if (web->services->webhooks)
		webhook_count(web->services->webhooks, &counts);
	return counts;
}

static double metric_webhook_subscriptions(const struct web *web)
{
	return metric_webhooks(web).subscriptions;
}

static double metric_webhook_suspended(const struct web *web)
{
	return metric_webhooks(web).suspended;
}

static double metric_webhook_waiting(const struct web *web)
{
	return metric_webhooks(web).waiting;
}

static double metric_webhook_delivered(const struct web *web)
{
	return (double)metric_webhooks(web).delivered;
}

static double metric_webhook_failed(const struct web *web)
{
	return (double)metric_webhooks(web).failed;
}

const struct metric metric_table[] = {
	{ "ofono_mcp_build_info", GAUGE, "1, with the version as a label.",
	  .write = metric_write_build },
	{ "ofono_mcp_ready", GAUGE,
	  "1 while a message could be sent now, as in /healthz/ready.", metric_ready },
	{ "ofono_mcp_not_ready", GAUGE,
	  "1 for each reason why no message can be sent now.",
	  .write = metric_write_not_ready },
	{ "ofono_mcp_messages_accepted_total", COUNTER, "Messages accepted for sending.",
	  .of_messages = metric_accepted },
	{ "ofono_mcp_messages_received_total", COUNTER,
	  "Incoming messages that were stored; repeats do not count.",
	  .of_messages = metric_received },
	{ "ofono_mcp_messages_became_total", COUNTER,
	  "How often an outgoing message entered a state after it was accepted.",
	  .write = metric_write_became },
	{ "ofono_mcp_refusals_total", COUNTER,
	  "Messages refused before they were accepted, by error code.",
	  .write = metric_write_refusals },
	{ "ofono_mcp_queue_messages", GAUGE, "Messages waiting to be sent.",
	  metric_queue },
	{ "ofono_mcp_queue_limit_messages", GAUGE,
	  "With this many waiting messages, no more are accepted.", metric_queue_limit },
	{ "ofono_mcp_approvals_waiting", GAUGE,
	  "Messages waiting for the owner's approval.", metric_approvals },
	{ "ofono_mcp_unstored_messages", GAUGE,
	  "Incoming messages that could not be stored yet.", metric_unstored },
	{ "ofono_mcp_limit", GAUGE,
	  "Limits of a SIM: messages per minute, hour or day, segments per month.",
	  .of_limit = metric_limit },
	{ "ofono_mcp_limit_left", GAUGE, "What is left of them, at most 10 seconds old.",
	  .of_limit = metric_limit_left },
	{ "ofono_mcp_offline_seconds_total", COUNTER,
	  "Time in which the gateway could not receive; a start adds the time before it.",
	  metric_offline },
	{ "ofono_mcp_modems", GAUGE, "Modems that oFono reports.",
	  .counts = metric_any_modem },
	{ "ofono_mcp_modems_powered", GAUGE, "Modems that are powered.",
	  .counts = metric_powered_modem },
	{ "ofono_mcp_modems_online", GAUGE, "Modems whose radio is on.",
	  .counts = metric_online_modem },
	{ "ofono_mcp_sims", GAUGE, "SIM cards by state.",
	  .write = metric_write_sim_states },
	{ "ofono_mcp_sim_ready", GAUGE, "1 while this SIM can send.",
	  .of_sim = metric_sim_ready },
	{ "ofono_mcp_sim_roaming", GAUGE, "1 while it is roaming.",
	  .of_sim = metric_sim_roaming },
	{ "ofono_mcp_sim_signal_ratio", GAUGE,
	  "Signal strength from 0 (none or unknown) to 1.", .of_sim = metric_sim_signal },
	{ "ofono_mcp_dbus_calls_total", COUNTER, "D-Bus calls sent.", metric_dbus_calls },
	{ "ofono_mcp_http_connections_open", GAUGE, "Open connections.",
	  metric_connections },
	{ "ofono_mcp_http_connections_total", COUNTER, "Connections opened.",
	  metric_connections_opened },
	{ "ofono_mcp_http_streams_open", GAUGE, "Open event streams.", metric_streams },
	{ "ofono_mcp_http_responses_total", COUNTER, "Responses by HTTP status.",
	  .write = metric_write_responses },
	{ "ofono_mcp_auth_failures_total", COUNTER,
	  "Requests without a token, or with an unknown one.", metric_auth_failures },
	{ "ofono_mcp_sessions", GAUGE, "MCP sessions.", metric_sessions },
	{ "ofono_mcp_ledger_commits_total", COUNTER,
	  "Commits to the message store, each of which waited for the disk.",
	  metric_commits },
	{ "ofono_mcp_ledger_size_bytes", GAUGE,
	  "Size of the message store with its write-ahead log.", metric_store_size },
	{ "ofono_mcp_storage_free_bytes", GAUGE,
	  "Free space on the disk of the message store.", metric_storage_free },
	{ "ofono_mcp_storage_reserve_bytes", GAUGE,
	  "With less free space than this, no message is accepted.",
	  metric_storage_reserve },
	{ "ofono_mcp_webhook_subscriptions", GAUGE, "Webhooks of agents.",
	  metric_webhook_subscriptions },
	{ "ofono_mcp_webhook_suspended", GAUGE,
	  "Webhooks whose receiver could not be reached five times.",
	  metric_webhook_suspended },
	{ "ofono_mcp_webhook_queue_length", GAUGE,
	  "Webhooks with an event that is not delivered yet.", metric_webhook_waiting },
	{ "ofono_mcp_webhook_deliveries_total", COUNTER,
	  "Events that receivers accepted.", metric_webhook_delivered },
	{ "ofono_mcp_webhook_failures_total", COUNTER,
	  "Attempts to deliver an event that failed.", metric_webhook_failed },
	{ "process_cpu_seconds_total", COUNTER, "User and system CPU time.",
	  metric_process_cpu },
	{ "process_start_time_seconds", GAUGE,
	  "Start time of the process, in seconds since 1970.", metric_process_started },
	{ "process_resident_memory_bytes", GAUGE, "Resident memory.",
	  metric_process_resident },
	{ "process_virtual_memory_bytes", GAUGE, "Virtual memory.",
	  metric_process_virtual },
	{ "process_open_fds", GAUGE, "Open file descriptors.", metric_process_fds },
	{ "process_max_fds", GAUGE, "Maximum number of open file descriptors.",
	  metric_process_fds_max },
	{ NULL },
};

static void metric_write(const struct metric_writer *writer, const struct metric *metric)
{
	double value = NAN;

	if (metric->write)
		metric->write(writer);
	else if (metric->of_messages)
		metric_write_messages(writer, metric->of_messages);
	else if (metric->of_limit)
		metric_write_limits(writer, metric->of_limit);
	else if (metric->of_sim)
		metric_write_sims(writer, metric->of_sim);
	else if (metric->counts)
		value = metric_count_modems(writer->web, metric->counts);
	else
		value = metric->value(writer->web);
	if (!isnan(value))
		metric_put(writer, NULL, value);
}

static void metric_on_request(void *data, struct exchange *exchange)
{
	struct buffer body = BUFFER_INIT;
	struct metric_writer writer = { .text = &body, .web = data };

	for (const struct metric *metric = metric_table; metric->name; metric++) {
		const char *const head[] = { "# HELP ",	   metric->name, " ",
					     metric->help, "\n# TYPE ",	 metric->name,
					     " ",	   metric->type, "\n" };

		for (size_t at = 0; at < sizeof(head) / sizeof(head[0]); at++)
			buffer_append_text(&body, head[at]);
		writer.name = metric->name;
		metric_write(&writer, metric);
	}
	route_isolate(exchange);
	exchange_add_header(exchange, "Cache-Control", "no-store");
	exchange_answer(exchange, 200, "text/plain; version=0.0.4; charset=utf-8", &body);
}

const struct exchange_handler metric_handler = { .complete = metric_on_request };
