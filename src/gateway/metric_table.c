/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "gateway/metric.h"
#include "gateway/route.h"

#define COUNTER "counter"
#define GAUGE	"gauge"

const struct metric metric_table[] = {
	{ "ofono_mcp_build_info", GAUGE, "1, with the version as a label.",
	  metric_build },
	{ "ofono_mcp_ready", GAUGE,
	  "1 while a message could be sent now, as in /healthz/ready.", metric_ready },
	{ "ofono_mcp_not_ready", GAUGE,
	  "1 for each reason why no message can be sent now.", metric_not_ready },
	{ "ofono_mcp_messages_accepted_total", COUNTER, "Messages accepted for sending.",
	  metric_accepted },
	{ "ofono_mcp_messages_received_total", COUNTER,
	  "Incoming messages that were stored; repeats do not count.", metric_received },
	{ "ofono_mcp_messages_became_total", COUNTER,
	  "How often an outgoing message entered a state after it was accepted.",
	  metric_became },
	{ "ofono_mcp_refusals_total", COUNTER,
	  "Messages refused before they were accepted, by error code.", metric_refusals },
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
	  metric_limit },
	{ "ofono_mcp_limit_left", GAUGE, "What is left of them, at most 10 seconds old.",
	  metric_limit_left },
	{ "ofono_mcp_deaf_seconds_total", COUNTER,
	  "Time in which the gateway could not receive; a start adds the time before it.",
	  metric_offline },
	{ "ofono_mcp_modems", GAUGE, "Modems that oFono reports.", metric_modems },
	{ "ofono_mcp_modems_powered", GAUGE, "Modems that are powered.",
	  metric_modems_powered },
	{ "ofono_mcp_modems_online", GAUGE, "Modems whose radio is on.",
	  metric_modems_online },
	{ "ofono_mcp_sims", GAUGE, "SIM cards by state.", metric_sims },
	{ "ofono_mcp_sim_ready", GAUGE, "1 while this SIM can send.", metric_sim_ready },
	{ "ofono_mcp_sim_roaming", GAUGE, "1 while it is roaming.", metric_sim_roaming },
	{ "ofono_mcp_sim_signal_ratio", GAUGE,
	  "Signal strength from 0 (none or unknown) to 1.", metric_sim_signal },
	{ "ofono_mcp_dbus_calls_total", COUNTER, "D-Bus calls sent.", metric_dbus_calls },
	{ "ofono_mcp_http_connections_open", GAUGE, "Open connections.",
	  metric_connections },
	{ "ofono_mcp_http_connections_total", COUNTER, "Connections opened.",
	  metric_connections_opened },
	{ "ofono_mcp_http_streams_open", GAUGE, "Open event streams.", metric_streams },
	{ "ofono_mcp_http_responses_total", COUNTER, "Responses by HTTP status.",
	  metric_responses },
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

/* GET /metrics, for clients with the scope "metrics". */

static void metric_table_write(struct metric_writer *writer, const struct metric *metric)
{
	const char *const head[] = { "# HELP ",	   metric->name, " ",
				     metric->help, "\n# TYPE ",	 metric->name,
				     " ",	   metric->type, "\n" };

	for (size_t at = 0; at < sizeof(head) / sizeof(head[0]); at++)
		buffer_append_text(writer->text, head[at]);
	writer->name = metric->name;
	metric->write(writer);
}

static void metric_table_on_request(void *data, struct exchange *exchange)
{
	struct buffer body = BUFFER_INIT;
	struct metric_writer writer = { .text = &body, .web = data };

	for (const struct metric *metric = metric_table; metric->name; metric++)
		metric_table_write(&writer, metric);
	route_isolate(exchange);
	exchange_add_header(exchange, "Cache-Control", "no-store");
	exchange_answer(exchange, 200, "text/plain; version=0.0.4; charset=utf-8", &body);
}

const struct exchange_handler metric_table_handler = { .complete =
							       metric_table_on_request };
