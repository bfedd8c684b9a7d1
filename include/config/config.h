/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Configuration: sections and keys of an INI file, every key declared in one table.
 *
 * The table (name, type, default, limits, help) is the only description: the reader, the
 * checks, `--check-config`, `--print-config` and the sample in etc/ come from it. An
 * unknown section or key, a value of the wrong type or out of range is an error that
 * names file, line and key. Options of the command line override the file: config_set().
 *
 * Include this header only where members of struct config are used; elsewhere declare
 * `struct config;`, or take the part that is needed (config_list.h, config_policy.h).
 */
#pragma once

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>

#include "config/config_agent.h"
#include "config/config_list.h"
#include "config/config_policy.h"

struct buffer;
struct explanation;
struct json;
struct json_writer;

struct config {
	/* [server] */
	struct config_list listen;     /* ADDRESS:PORT; default 127.0.0.1:9531 */
	struct config_list interfaces; /* network interfaces; if empty, all but tunnels */
	char tls_certificate[CONFIG_TEXT_BYTES]; /* "" means tls/cert.pem in state_dir */
	char tls_key[CONFIG_TEXT_BYTES];
	bool tls_loopback;		   /* also use HTTPS on loopback addresses */
	struct config_list allowed_host;   /* besides IP addresses and this machine's */
	struct config_list allowed_origin; /* besides this machine's */
	struct config_list hidden_tools;   /* tools that agents do not see */
	bool open;			   /* no token; loopback only */
	bool advertise;			   /* by multicast DNS */
	char pair_page[CONFIG_TEXT_BYTES]; /* see config_pair_page() */
	bool metrics_on_loopback;	   /* loopback reads /metrics without a token */
	char control_socket[CONFIG_TEXT_BYTES]; /* "" means control in state_dir */
	int64_t max_connections;
	int64_t max_connections_per_address;
	int64_t request_timeout_seconds; /* to receive a whole request */
	int64_t idle_timeout_seconds;	 /* between requests of one connection */
	/* [store] */
	char state_dir[CONFIG_TEXT_BYTES];
	int64_t keep_days;     /* older messages are deleted; 0 for never */
	int64_t keep_messages; /* beyond it the oldest are deleted; 0 for never */
	/* with less free disk space nothing is sent; 0 for no limit */
	int64_t reserve_mib;
	char spool_dir[CONFIG_TEXT_BYTES]; /* "" means spool in state_dir */
	/* [sim] */
	char pin_file[CONFIG_TEXT_BYTES]; /* "" if there is none */
	bool power_modems;		  /* switch modems on when they appear */
	bool phone_default; /* use the SIM of the phone's settings when none is given */
	/* [sms] */
	int64_t max_segments;
	int64_t send_wait_seconds; /* how long send_sms waits for the network */
	int64_t queue_limit;	   /* messages that wait to be submitted to oFono */
	int64_t duplicate_seconds; /* a repetition within this time is suppressed */
	/* a modem with a message this long is stuck; 0 for never */
	int64_t stuck_seconds;
	/* how long a waiting call waits for the user; 0 if it does not wait */
	int64_t elicitation_seconds;
	bool delivery_reports;		  /* request them from the network */
	struct config_list segment_price; /* see config/segment_price.h */
	/* [policy], [call] */
	bool approve_through_agent; /* the agent's user may approve */
	int64_t approval_hours;	    /* how long a message waits for approval */
	struct config_policy policy;
	/* [ussd] */
	/* codes, see config/ussd_code.h; if empty, there is no tool */
	struct config_list ussd_allow;
	int64_t ussd_per_hour;
	bool ussd_replies; /* agents may answer the network's questions */
	struct config_list ussd_balance_pattern; /* see config/balance_pattern.h */
	/* [incoming] */
	struct config_list owner_numbers;	   /* see sms/sender.h */
	struct config_list blocked_senders;	   /* see sms/sender.h */
	char stop_confirmation[CONFIG_TEXT_BYTES]; /* "" if none is sent */
	int64_t loop_exchanges; /* see sms/reply_loop.h; with 0 nothing is a loop */
	int64_t loop_minutes;
	struct config_agent agent; /* [agent] */
	/* [events] */
	struct config_list event_receivers; /* URL prefixes, see config/webhook_url.h */
	/* [contacts] */
	char contacts_file[CONFIG_TEXT_BYTES]; /* vCards, or their folder; "": none */
	bool contacts_of_desktop;
	bool contacts_of_sims;
	/* [log] */
	bool verbose;
	/* [broker], of the hub alone */
	char broker_address[CONFIG_TEXT_BYTES]; /* HOST:PORT; "" if there is none */
	bool broker_tls;
	char broker_ca_file[CONFIG_TEXT_BYTES]; /* "" means the system's certificates */
	char broker_user[CONFIG_TEXT_BYTES];
	char broker_password_file[CONFIG_TEXT_BYTES]; /* "" if there is none */
	char broker_prefix[CONFIG_TEXT_BYTES];
	char broker_phones_address
		[CONFIG_TEXT_BYTES]; /* as phones reach it; "" if it is the same */
	bool broker_phones_tls;
};

enum {
	CONFIG_KEY_COUNT = 85,
	CONFIG_FOLDER_FILES_MAX = 64,
};

void config_defaults(struct config *config);

/* Reads `path` over `config`. Returns 0, or -errno with the error's text. */
int config_read(struct config *config, const char *path, struct explanation *error);

/*
 * Reads every FOLDER/NAME.conf in the order of the names' bytes, except names that begin with a
 * dot, so that packages, scripts and people each have a file of their own. A later file wins, and
 * its list replaces an earlier one. Returns 0, also when there is no such folder; else -errno or
 * -EINVAL with the error's text, and `config` is unchanged.
 */
int config_read_folder(struct config *config, const char *folder,
		       struct explanation *error);

/*
 * What a program starts with: the defaults, and `path` over them. If `path` is NULL, the default
 * path is read, then the default folder; either may be missing, but what exists must be readable.
 */
int config_load(struct config *config, const char *path, struct explanation *error);
/*
 * The same with `state_dir` (which may be NULL) over it, as if read from "--state-dir". Another
 * folder belongs to another gateway: then the default files' control socket is ignored, unless
 * `path` is given.
 */
int config_load_for(struct config *config, const char *path, const char *state_dir,
		    struct explanation *error);

/* Calls `found` with a sentence about each entry of a list that matches nothing. */
void config_find_useless(const struct config *config,
			 void (*found)(void *data, const char *text), void *data);

/*
 * Sets "section.key" as if read from `origin` ("--listen"). Lists grow; the caller clears
 * a list first when the command line replaces the file's.
 */
int config_set(struct config *config, const char *key, const char *value,
	       const char *origin, struct explanation *error);

/*
 * Copies from `next` what may change while the program runs, and calls `changed` for each
 * key that differs; those that were not `adopted` need a restart.
 */
void config_adopt(struct config *config, const struct config *next,
		  void (*changed)(void *data, const char *section, const char *name,
				  bool adopted),
		  void *data);

/*
 * Appends a key's value as the file would have it; spaces separate the values of a list.
 * No key holds a secret: the audit log records values.
 */
void config_write_value(const struct config *config, const char *section,
			const char *name, struct buffer *text_out);

/* Checks what concerns several keys. Returns 0, or -EINVAL with the error's text. */
int config_check(const struct config *config, struct explanation *error);

/* When computers may ask to be paired (gateway/pair_page.c). A wrong word is refused when read. */
enum config_pair_page {
	CONFIG_PAIR_PAGE_AUTO,
	CONFIG_PAIR_PAGE_ASK,
	CONFIG_PAIR_PAGE_NO,
	CONFIG_PAIR_PAGE_WRONG,
};

enum config_pair_page config_pair_page(const struct config *config);

/*
 * Writes the path of the control socket to path[size], which is as long as a socket's may be.
 * Returns 0, or -EINVAL with the error's text.
 */
int config_control_path(const struct config *config, char *path, size_t size,
			struct explanation *error);

/* Writes every key with its help and value, as a file that config_read() takes. */
void config_print(const struct config *config, FILE *out);

/*
 * Writes {"server.listen":["127.0.0.1:9531"],"server.open":"no",...}: every key that has a value.
 * So the doctor learns what the gateway runs with, whatever its file says by now.
 */
void config_write_json(const struct config *config, struct json_writer *writer);
/* Returns false, and writes nothing, if it is not an object of this version's keys. */
bool config_read_json(const struct json *object, struct config *config_out);
