/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Control: what the owner's commands work on.
 *
 * A command runs in the gateway, which receives it over the control socket.  While no gateway
 * runs, the ofono-mcp program runs those commands itself that need only the message store
 * (tests/integration/test_control.py).
 */
#pragma once

#include <stdbool.h>
#include <stdint.h>
#include <sys/un.h>
#include <systemd/sd-event.h>

#include "base/arena.h"
#include "base/json.h"
#include "store/store.h"

struct config;
struct explanation;
struct control_call;
struct running;
struct services;
struct tls;
struct tool;

/* A row of the table of the owner's commands. */
struct control_command {
	const char *name;
	bool needs_gateway; /* needs more than the message store */
	bool may_be_first;  /* useful even if no gateway has ever run with this store */
	bool needs_ofono;   /* waits while the bus may still admit the gateway */
	/* One of both: */
	const struct tool *tool; /* the command is this tool */
	void (*run)(struct control_call *call);
};

struct control {
	const struct config *config;
	struct store *store;
	const struct control_command *const *commands; /* ends with NULL */
	struct tls *tls; /* the certificate that the gateway uses, or would use */
	/* NULL while no gateway runs: */
	struct running *running;
	struct services *services;
};

/*
 * Control call: one command of the owner, from the request to the last line of its answer.
 *
 *   request   {"command":"revoke","arguments":{"name":"laptop"}}
 *   answer    {"item":{...}}                      any number, for commands that list items
 *             {"progress":{"message":"..."}}      any number, shown to the person who waits
 *             {"result":{...}}                    the last line; or, as the last line:
 *             {"error":{"code":"...","message":"...","fix":"..."}}
 *
 * Each is one line.  A command answers from its `run`, or later from the loop: then it sets
 * `abandoned` before `run` returns.  It answers exactly once, and never after `abandoned`
 * ran.
 */

enum {
	CONTROL_REQUEST_MAX = 64 * 1024, /* bytes of the line */
	CONTROL_ARENA_MAX = 1024 * 1024,
	/* Bytes that the peer has not read yet. A command with many items answers in pages. */
	CONTROL_ANSWER_MAX = 1024 * 1024,
};

/* The one error code that ofono-mcp treats specially: it exits as after a wrong option. */
#define CONTROL_INVALID_ARGUMENT "invalid_argument"

/* Receives one line of the answer, without its line feed. `is_last` says that the call is over. */
typedef void control_call_line(void *data, const char *line, size_t length, bool is_last);

struct control_call {
	const struct control *control;
	const struct control_command *command;
	struct arena *arena;	      /* freed with the call */
	const struct json *arguments; /* an object */
	int64_t peer_uid;	      /* the user who runs the command */
	/* For a command that answers later: */
	void *state;
	/* The peer left, or the gateway stops: the command must forget the call. */
	void (*abandoned)(struct control_call *call);
	/* private */
	control_call_line *send_line;
	void *send_line_data;
	struct buffer line;
	struct json_writer *writer;
	bool is_last; /* of the line that is being written */
	bool is_over;
	bool is_cut; /* memory ran out midway: the call is over, but the command goes on */
};

/* For commands */

/* Returns the text of an argument; NULL if it is missing or not a string. */
const char *control_call_argument(const struct control_call *call, const char *name);
/* Returns false if an argument is missing, or not true. */
bool control_call_flag(const struct control_call *call, const char *name);

/* Returns "owner (uid 1000)", as the store records who decided; NULL if memory runs out. */
const char *control_call_who(const struct control_call *call);

/*
 * Open the object of the result, or of an item; control_call_close() ends it. They return NULL if
 * memory runs out, which has been answered; whatever the command answers after that is dropped.
 */
struct json_writer *control_call_open_result(struct control_call *call);
struct json_writer *control_call_open_item(struct control_call *call);
void control_call_close(struct control_call *call);

/*
 * Answers with the object whose members `write` writes, which returns 0, -errno or STORE_E_FULL.
 * Nothing is sent before it is whole: a truncated list would look like a complete one.
 */
void control_call_write_result(struct control_call *call,
			       int (*write)(struct control_call *call,
					    struct json_writer *writer));

/* Answers with a result that is already JSON. */
void control_call_answer(struct control_call *call, const struct buffer *result);

void control_call_progress(struct control_call *call, const char *message);

/* `message` says what went wrong, `fix` what to do. Both are sentences without their full stops. */
__attribute__((format(printf, 4, 5))) void control_call_fail(struct control_call *call,
							     const char *code,
							     const char *fix,
							     const char *message, ...);
/* Answers with an error of the store: -errno or STORE_E_FULL. */
void control_call_fail_store(struct control_call *call, int error);

/* For callers */

/* Returns NULL if there is no such command. */
const struct control_command *control_call_find_command(
	const struct control_command *const *commands, const char *name);

/* Returns false if memory runs out. */
bool control_call_init(struct control_call *call, const struct control *control,
		       control_call_line *send_line, void *data);
/* Runs the command that the line asks for. Call it once. */
void control_call_run(struct control_call *call, const char *request, size_t length);
/* Abandons the call if it is not over. Fine after a failed init. */
void control_call_deinit(struct control_call *call);

/*
 * Command table: the owner's commands, a row for each: row(NAME) is "struct control_command
 * command_NAME". A program's table holds the rows that all have, and its own.
 */

/* clang-format off */
#define COMMAND_ROWS(row) \
	row(pair) \
	row(pairings) \
	row(pair_check) \
	row(pair_reject) \
	row(clients) \
	row(change) \
	row(revoke) \
	row(rotate) \
	row(pause) \
	row(resume) \
	row(reload) \
	row(approvals) \
	row(approve) \
	row(reject) \
	row(status) \
	row(send) \
	row(list) \
	row(show) \
	row(contacts) \
	row(wait) \
	row(tail) \
	row(balance) \
	row(agent) \
	row(webhooks) \
	row(events) \
	row(opt_outs)
#define COMMAND_PHONE_ROWS(row) row(unlock) row(session_contacts)
#define COMMAND_HUB_ROWS(row) row(enrol) row(phones) row(expel) row(pools) row(drain) row(sims) row(resend)
/* clang-format on */

#define COMMAND_DECLARATION(name) extern const struct control_command command_##name;
#define COMMAND_ADDRESS(name)	  &command_##name,

COMMAND_ROWS(COMMAND_DECLARATION)
COMMAND_PHONE_ROWS(COMMAND_DECLARATION)
COMMAND_HUB_ROWS(COMMAND_DECLARATION)

extern const struct control_command *const command_table[]; /* ends with NULL */

/*
 * Control socket: the socket file through which the owner's programs reach the gateway.
 *
 * Root, the gateway's own user, and members of the file's group may use it.
 */

/* Returns false, with the error's text, if the path is too long for a socket. */
bool control_socket_address(const struct config *config, struct sockaddr_un *address_out,
			    struct explanation *error);

/*
 * Control server: runs the owner's commands from the control socket, one per connection.
 *
 * Bounds: CONTROL_CONNECTIONS_MAX connections at a time, the others wait in the kernel's queue;
 * a request of CONTROL_REQUEST_MAX bytes; CONTROL_TIMEOUT_MS for the whole request to arrive,
 * and for the peer to read more of the answer.  When others have waited CONTROL_QUEUE_MS in the
 * queue, a request gets only CONTROL_SHORT_TIMEOUT_MS: idle connections, however many the
 * kernel queues, delay the owner by less than a second.  A command may run as long as it needs
 * (tests/integration/test_control.py).
 */

enum {
	CONTROL_CONNECTIONS_MAX = 8,
	CONTROL_TIMEOUT_MS = 10 * 1000,
	CONTROL_QUEUE_MS = 600,
	CONTROL_SHORT_TIMEOUT_MS = 10,
};

struct control_server;

/* `control` outlives it. Returns 0, or -errno with the error's text. */
int control_server_new(sd_event *loop, const struct control *control,
		       struct control_server **server_out, struct explanation *error);
/* Abandons calls that are not answered. NULL is fine. */
void control_server_free(struct control_server *server);
