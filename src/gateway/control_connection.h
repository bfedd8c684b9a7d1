/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Control connection: one asker on the control socket. Only control_server.c uses this.
 */
#ifndef GATEWAY_CONTROL_CONNECTION_H
#define GATEWAY_CONTROL_CONNECTION_H

#include <sys/queue.h>
#include <systemd/sd-event.h>

#include "gateway/control_call.h"

LIST_HEAD(control_connection_list, control_connection);

struct control_connection {
	int fd;
	sd_event_source *source;
	sd_event_source *timer;
	struct control_call call;
	struct buffer request; /* until its line feed */
	int64_t begun_ms;      /* clock_monotonic_ms() */
	bool is_admitted;      /* it may command */
	bool is_asked;	       /* the request was whole */
	bool is_answered;
	struct buffer answer;
	size_t written;		   /* bytes of the answer */
	void (*ended)(void *data); /* it is gone */
	void *ended_data;
	LIST_ENTRY(control_connection) link;
};

struct control_asker {
	int fd; /* taken when it becomes a connection */
	int64_t uid;
	bool is_admitted;
	void (*ended)(void *data);
	void *data;
};

/* Lives until its asker leaves, is served, or takes too long. -errno */
int control_connection_begin(sd_event *loop, struct control_connection_list *list,
			     const struct control *control,
			     const struct control_asker *asker);
/*
 * Closes the oldest connection whose request has not arrived within `patience_ms`. In how
 * many milliseconds it is to be asked again; 0: no request is awaited.
 */
uint64_t control_connection_hurry(const struct control_connection_list *list,
				  int64_t patience_ms);
void control_connection_free(struct control_connection *connection);

#endif
