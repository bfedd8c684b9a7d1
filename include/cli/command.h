/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Command: the subcommands of ofono-mcp. Each cmd_*.c has one, or several related ones.
 */
#pragma once

#include <stdbool.h>
#include <stdint.h>

#include "config/config_list.h"

struct config;
struct explanation;
struct json;
struct json_writer;
struct owner_command_call;

/* Exit codes, the same for every subcommand. */
enum {
	EXIT_CODE_OK = 0,
	EXIT_CODE_FAILED = 1, /* standard error says why */
	EXIT_CODE_USAGE = 2,  /* wrong options or configuration */
};

/*
 * Owner command: a subcommand that runs a command of the gateway (gateway/control.h) and prints
 * the answer.
 *
 * The options, the request and the exit code follow from a description.  Every such command
 * takes --config, --state-dir, --json and --help.  The gateway checks the values of options; an
 * "invalid_argument" ends like a wrong option.  With --json the lines of the answer are printed as
 * they are, instead of by print() and print_item().  On a terminal, a command that takes longer
 * than a second shows what it waits for (cli/terminal.h).
 */

enum { OWNER_COMMAND_OPTIONS_MAX = 16 };

#define OWNER_COMMAND_NUMBER_MAX INT64_C(999999999999999999)

/* An option takes a text, unless one of these says otherwise. */
struct owner_command_option {
	const char *name;	  /* "per-minute" becomes the argument per_minute */
	bool is_flag;		  /* true if given */
	bool is_number;		  /* a whole number */
	int64_t least, most;	  /* of the number; both are 0 for any */
	const char *const *words; /* the allowed words, ending with NULL; or NULL */
	bool may_be_empty;	  /* "" is a text, too */
	bool is_local;		  /* not sent: for print() and add() only */
	const char *argument;	  /* the argument's name, if it differs; or NULL */
};

struct owner_command {
	const char *help;
	const struct owner_command_option *options; /* ends with an empty row; or NULL */
	/* the argument that the operand becomes; NULL if it takes none */
	const char *operand;
	bool operand_is_optional;
	bool operand_is_number; /* an ID: from 1 to OWNER_COMMAND_NUMBER_MAX */
	bool takes_operands; /* one or more, or any number if optional; for add() only */
	/* Returns what is wrong with the command line, or NULL. */
	const char *(*check)(const struct owner_command_call *call);
	/* Adds arguments to the request. Returns 0, or an exit code after reporting an error. */
	int (*add)(const struct owner_command_call *call, struct json_writer *arguments);
	void (*print_item)(const struct owner_command_call *call,
			   const struct json *item);
	/* Returns the exit code. NULL if the command prints nothing. */
	int (*print)(const struct owner_command_call *call, const struct json *result);
	/* Returns the exit code with --json; NULL if that is always 0. */
	int (*judge)(const struct json *result);
	/* The gateway's command, if it is not the name; and the member of its result to show. */
	const char *request, *member;
	/* "waiting for a message"; NULL means "asking the gateway" */
	const char *waiting_for;
	/* What to do when the answer is lost, so that the outcome is unknown; or NULL. */
	const char *fix_if_lost;
	bool is_endless; /* no timeout; any command with this option is, too */
#define OWNER_COMMAND_FOLLOW "follow"
};

/* The overview (--help) shows the groups in this order. */
enum command_group {
	COMMAND_SETUP,
	COMMAND_AGENTS,
	COMMAND_MESSAGES,
	COMMAND_APPROVALS,
	COMMAND_SIMS,
	COMMAND_MAINTENANCE,
	COMMAND_GROUPS
};

struct command {
	const char *name; /* "change"; always accepted */
	const char
		*title; /* "client set", which help and documents use; NULL if the name */
	const char *verbs; /* "list|on|off", what its first argument may be; or NULL */
	enum command_group group;
	const char *summary;
	const char *example; /* a whole line for the shell, behind the program's name */
	/* argv[0] is the last word of the name or title; returns the exit code. NULL if `owner`
	 * describes the command. */
	int (*run)(int argc, char **argv);
	struct owner_command owner; /* if `run` is NULL */
};

/* Returns the title, or the name. */
const char *options_title(const struct command *command);

int owner_command_run(const struct command *command, int argc, char **argv);

/*
 * Command list: the subcommands, a row for each, in the order of the overview: row(NAME) is
 * "struct command cmd_NAME".
 */

/* clang-format off */
#define COMMAND_LIST_ROWS(row) \
	row(demo) \
	row(serve) \
	row(doctor) \
	row(reload) \
	row(pair) \
	row(clients) \
	row(change) \
	row(rotate) \
	row(revoke) \
	row(stdio) \
	row(webhooks) \
	row(events) \
	row(tools) \
	row(send) \
	row(list) \
	row(show) \
	row(wait) \
	row(tail) \
	row(contacts) \
	row(approvals) \
	row(approve) \
	row(reject) \
	row(opt_outs) \
	row(agent) \
	row(sims) \
	row(unlock) \
	row(balance) \
	row(modem) \
	row(status) \
	row(pause) \
	row(resume) \
	row(audit) \
	row(backup) \
	row(restore) \
	row(join) \
	row(leave)
#define COMMAND_LIST_HUB_ROWS(row) row(enrol) row(phones) row(expel) row(pools) row(drain) row(routes) row(resend)
/* clang-format on */

#define COMMAND_LIST_DECLARATION(name) extern const struct command cmd_##name;
#define COMMAND_LIST_ADDRESS(name)     &cmd_##name,

COMMAND_LIST_ROWS(COMMAND_LIST_DECLARATION)
COMMAND_LIST_HUB_ROWS(COMMAND_LIST_DECLARATION)

/* What differs between the two programs. */
extern const struct command *const command_list_rows[]; /* ends with NULL */
extern const char command_list_subject[];		/* "oFono's modems" */
struct doctor;
/* What the doctor checks of the radio; NULL for nothing. */
extern void (*const command_list_check_radio)(struct doctor *doctor);

/*
 * Options: reads a subcommand's options, and reports what is wrong, with the options or later:
 * in the same form everywhere, on standard error, and with --json as
 * {"error":{"code","message","fix"}} on standard output too (tests/integration/test_usage.py).
 */

/* The help text of the options that nearly every command takes. */
#define OPTIONS_CONFIG_HELP                                                        \
	"  --config FILE    the gateway's configuration (default, if it exists:\n" \
	"                   " CONFIG_DEFAULT_PATH ")\n"
#define OPTIONS_STORE_HELP \
	OPTIONS_CONFIG_HELP "  --state-dir DIR  folder of the message store\n"
#define OPTIONS_HELP_HELP "  --help           show this help\n"

/* One option and where its value goes: exactly one of flag, text and read. */
struct options_row {
	const char *name;
	bool *flag; /* becomes true; such an option takes no value */
	const char **text;
	/* Returns what is wrong with the value, or NULL. */
	const char *(*read)(void *data, const char *value);
	void *data;
	bool may_be_empty; /* otherwise "" is refused */
};

struct options_table {
	const char *help;
	const struct options_row *rows; /* ends with an empty row; --help is not in it */
	int operands_least, operands_most;
};

/*
 * Call it before anything else, without a command, and again when that is known; its options begin
 * at argv[1].
 */
void options_begin(const struct command *command, int argc, char **argv);

/*
 * Reads the options; the operands begin at argv[optind]. Returns false if help or an error has been
 * printed; exit with *code_out.
 */
bool options_read(const struct options_table *table, int argc, char **argv,
		  int *code_out);

/* What commands that work on a message store have in common. */
struct options_store {
	const char *file, *state_dir; /* NULL for the default */
	bool json;
};

/* Stores the absolute path of a folder in a const char *. */
const char *options_read_folder(void *data, const char *value);

#define OPTIONS_STATE_DIR_ROW(store) \
	{ "state-dir", .read = options_read_folder, .data = &(store)->state_dir }

#define OPTIONS_STORE_ROWS(store)                                           \
	{ "config", .text = &(store)->file }, OPTIONS_STATE_DIR_ROW(store), \
	{                                                                   \
		"json", .flag = &(store)->json                              \
	}

/* Loads the configuration of these options. Returns 0, or an exit code after reporting an error. */
int options_load(const struct options_store *store, struct config *config_out);
/* Reports what is wrong with the configuration. Returns EXIT_CODE_USAGE. */
int options_fail_configuration(const struct explanation *problem);

/* Reports a wrong command; both are printed as they are. Returns EXIT_CODE_USAGE. */
int options_fail_command(const char *message, const char *fix);
/* `format` says what is wrong, as a sentence without its full stop. Returns EXIT_CODE_USAGE. */
__attribute__((format(printf, 1, 2))) int options_fail(const char *format, ...);

/*
 * Reports that the command failed at its work. `fix` (or "") and `format`: sentences without their
 * full stops. Returns EXIT_CODE_FAILED.
 */
__attribute__((format(printf, 3, 4))) int options_report_failure(const char *code,
								 const char *fix,
								 const char *format, ...);

/* Prints what that reports, but nothing for --json, which has the answer already. */
void options_print_failure(const char *message, const char *fix);

/* Begins a line of standard error: "ofono-mcp wait: ". */
void options_print_name(void);

/*
 * Returns the end of a sentence: "" after one of our commands that ends with the path of a modem,
 * so that it can be pasted; else ".".
 */
const char *options_full_stop(const char *sentence);
