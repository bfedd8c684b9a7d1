/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Configuration: sections and keys of an INI file, every key declared in one table.
 *
 * The table (name, type, default, limits, help) is the only description: the reader, the
 * checks, `--check-config`, `--print-config` and the sample in etc/ come from it. An
 * unknown section or key, a value of the wrong type or out of range is an error that
 * names file, line and key. Options of the command line are applied over the file with
 * config_set().
 */
#ifndef CONFIG_CONFIG_H
#define CONFIG_CONFIG_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>

#include "base/buffer.h"
#include "base/client.h"
#include "base/explanation.h"

enum {
	CONFIG_LIST_MAX = 8,
	CONFIG_TEXT_BYTES = 176, /* with its key it fits into a line of inih, 200 */
};

/* keys that may stand several times */
struct config_list {
	size_t count;
	char items[CONFIG_LIST_MAX][CONFIG_TEXT_BYTES];
};

/* calls that agents may place; see phone/dialler.h */
struct config_policy_calls {
	bool place;
	int64_t most_seconds; /* each is hung up then */
	int64_t per_hour;     /* for all clients and SIMs */
	int64_t per_day;
	bool hang_up_any; /* a client may end those of another */
};

/* what may be sent; see policy/policy.h */
struct config_policy {
	struct client_limits client; /* of a client that has none of its own; 0 none */
	struct client_limits sim;
	struct config_list allow; /* numbers and prefixes with *; empty: all */
	struct config_list deny;
	struct config_list countries; /* "home", "any", or prefixes */
	bool premium;
	char quiet_hours[CONFIG_TEXT_BYTES]; /* "22:00-07:00"; "" none */
	struct config_list minimum_balance;  /* "500", "2=10.50"; none: any will do */
	int64_t balance_hours;		     /* one that was read before does not count */
	struct config_policy_calls calls;    /* [call] */
};

struct config {
	/* [server] */
	struct config_list listen;     /* ADDRESS:PORT; default 127.0.0.1:9531 */
	struct config_list interfaces; /* names that are served; none: all that may */
	char tls_certificate[CONFIG_TEXT_BYTES]; /* "": tls/cert.pem in state_dir */
	char tls_key[CONFIG_TEXT_BYTES];
	bool tls_loopback;		   /* loopback addresses speak TLS, too */
	struct config_list allowed_host;   /* besides IP literals, localhost, ours */
	struct config_list allowed_origin; /* besides those of this machine */
	struct config_list hidden_tools;   /* names of tools that are not offered */
	bool open;			   /* no token; loopback only */
	bool advertise;			   /* by multicast DNS */
	bool metrics_on_loopback; /* /metrics asks programs of this machine for no token */
	/* "": control in state_dir */
	char control_socket[CONFIG_TEXT_BYTES];
	int64_t max_connections;
	int64_t max_connections_per_address;
	int64_t request_timeout_seconds; /* for a request to arrive whole */
	int64_t idle_timeout_seconds;	 /* for a kept connection to ask again */
	/* [store] */
	char state_dir[CONFIG_TEXT_BYTES];
	int64_t keep_days;     /* messages older than that go; 0 none */
	int64_t keep_messages; /* the oldest go when there are more; 0 never */
	int64_t reserve_mib;   /* with less left on the disk nothing is sent; 0: any */
	char spool_dir[CONFIG_TEXT_BYTES]; /* "": spool in state_dir */
	char pin_file[CONFIG_TEXT_BYTES];  /* "": none */
	bool power_modems;		   /* switch them on when they appear */
	bool phone_default; /* the SIM that the phone's settings name, when none is given */
	/* [sms] */
	int64_t max_segments;
	int64_t send_wait_seconds; /* send_sms waits this long for the network */
	int64_t queue_limit;	   /* messages waiting to be handed to oFono */
	int64_t duplicate_seconds; /* the same again within this counts as asked twice */
	int64_t stuck_seconds;	   /* a modem may have a message so long; 0: for ever */
	int64_t ask_seconds;	   /* a person may think while a call waits; 0: none */
	bool delivery_reports;	   /* ask the network for them */
	/* [policy] */
	bool approve_through_client; /* the yes of the person before the client counts */
	int64_t approval_hours;	     /* a message waits so long for a yes */
	struct config_policy policy;
	/* [ussd] */
	struct config_list ussd_allow; /* codes, see config/ussd_code.h; none: no tool */
	int64_t ussd_per_hour;
	bool ussd_replies; /* what the network asks then may be answered */
	struct config_list ussd_balance_pattern; /* see config/balance_pattern.h */
	/* [incoming] */
	struct config_list owner_numbers;	   /* see sms/sender.h */
	struct config_list blocked_senders;	   /* see sms/sender.h */
	char stop_confirmation[CONFIG_TEXT_BYTES]; /* "": none is sent */
	int64_t loop_exchanges;			   /* see sms/loop.h; 0: none is one */
	int64_t loop_minutes;
	/* [contacts] */
	char contacts_file[CONFIG_TEXT_BYTES]; /* vCards; "": none */
	bool contacts_of_sims;
	/* [log] */
	bool verbose;
};

#define CONFIG_DEFAULT_PATH   "/etc/ofono-mcp/ofono-mcp.conf"
#define CONFIG_DEFAULT_FOLDER "/etc/ofono-mcp/conf.d"

void config_defaults(struct config *config);

/* Reads `path` over what is there. -errno or -EINVAL with the error's text. */
int config_read(struct config *config, const char *path, struct explanation *error);

/*
 * What a program starts with: the defaults, and over them `path`. NULL is the default
 * path and then the files of the default folder (config/config_folder.h): neither need be
 * there, and what is there must be readable.
 */
int config_load(struct config *config, const char *path, struct explanation *error);
/*
 * The same, and `state_dir`, unless it is NULL, over it, as if read from "--state-dir". Another
 * folder is another gateway's: of the control socket only a `path` speaks for that one.
 */
int config_load_for(struct config *config, const char *path, const char *state_dir,
		    struct explanation *error);

/*
 * One value for "section.key", as if read from `origin` ("--listen"). Lists grow; the
 * caller clears one first when the command line is to replace what the file had.
 */
int config_set(struct config *config, const char *key, const char *value,
	       const char *origin, struct explanation *error);
void config_list_clear(struct config_list *list);

/*
 * Takes over what may change while the program runs from `next`, and tells of each key that
 * differs whether it was `adopted`; those that were not need a restart.
 */
void config_adopt(struct config *config, const struct config *next,
		  void (*changed)(void *data, const char *section, const char *name,
				  bool adopted),
		  void *data);

/*
 * The value of a key that is there, as the file would have it; those of a list with blanks
 * between. No key holds a secret: the audit keeps what a value was.
 */
void config_write_value(const struct config *config, const char *section,
			const char *name, struct buffer *text_out);

/* What no single key can tell: open only on loopback, ports, ... */
int config_check(const struct config *config, struct explanation *error);

/*
 * The path of the control socket into path[size], which is as long as a socket's may be.
 * -EINVAL with the error's text.
 */
int config_control_path(const struct config *config, char *path, size_t size,
			struct explanation *error);

/* Every key with its help and its present value, as a file that config_read() takes. */
void config_print(const struct config *config, FILE *out);

#endif
