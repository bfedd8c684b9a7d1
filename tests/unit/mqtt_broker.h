/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Debian's mosquitto, in a network and a folder of the test's own, and certificates for it.
 */
#pragma once

#include <errno.h>
#include <fcntl.h>
#include <ftw.h>
#include <signal.h>
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/prctl.h>
#include <sys/stat.h>
#include <sys/wait.h>
#include <time.h>
#include <unistd.h>

#include "own_network.h"
#include "patience.h"
#include "scratch.h"

enum { MQTT_BROKER_PORT = 1883, MQTT_BROKER_TLS_PORT = 8883 };

struct mqtt_broker {
	char folder[256];
	pid_t pid; /* 0: does not run */
};

static inline bool mqtt_broker_write(const struct mqtt_broker *broker, const char *name,
				     const char *text)
{
	char path[320];
	FILE *file;

	snprintf(path, sizeof(path), "%s/%s", broker->folder, name);
	file = fopen(path, "we");
	if (!file)
		return false;
	fputs(text, file);
	return fclose(file) == 0;
}

static inline bool mqtt_broker_accepts(unsigned port)
{
	struct sockaddr_in address = { .sin_family = AF_INET,
				       .sin_port = htons((uint16_t)port),
				       .sin_addr.s_addr = htonl(INADDR_LOOPBACK) };
	int fd = socket(AF_INET, SOCK_STREAM | SOCK_CLOEXEC, 0);
	bool accepts = connect(fd, (struct sockaddr *)&address, sizeof(address)) == 0;

	close(fd);
	return accepts;
}

/* Starts the broker with mosquitto.conf in its folder, and waits until it listens. */
static inline bool mqtt_broker_start(struct mqtt_broker *broker, unsigned port)
{
	struct timespec pause = { .tv_nsec = 5 * 1000 * 1000 };

	broker->pid = fork();
	if (broker->pid == 0) {
		prctl(PR_SET_PDEATHSIG, SIGKILL);
		if (chdir(broker->folder) == 0)
			execl("/usr/sbin/mosquitto", "mosquitto", "-c", "mosquitto.conf",
			      NULL);
		_exit(127);
	}
	for (int64_t round = patience_ms(20000) / 5; round > 0; round--) {
		if (mqtt_broker_accepts(port))
			return true;
		if (waitpid(broker->pid, NULL, WNOHANG) == broker->pid) {
			broker->pid = 0;
			return false;
		}
		nanosleep(&pause, NULL);
	}
	return false;
}

static inline void mqtt_broker_kill(struct mqtt_broker *broker)
{
	if (!broker->pid)
		return;
	kill(broker->pid, SIGKILL);
	waitpid(broker->pid, NULL, 0);
	broker->pid = 0;
}

/* A CA and a server certificate of the name "localhost": ca.pem, server.pem, server.key. */
static inline bool mqtt_broker_make_certificates(const struct mqtt_broker *broker)
{
	char command[2048];

	snprintf(command, sizeof(command),
		 "cd '%s' && exec 2>/dev/null && for name in ca other; do openssl "
		 "req -x509 -newkey ec -pkeyopt ec_paramgen_curve:P-256 -nodes "
		 "-keyout $name.key -out $name.pem -days 10 -subj /CN=$name; done "
		 "&& openssl req -newkey ec -pkeyopt ec_paramgen_curve:P-256 "
		 "-nodes -keyout server.key -out server.csr -subj /CN=localhost "
		 "&& echo subjectAltName=DNS:localhost >names && openssl x509 "
		 "-req -in server.csr -CA ca.pem -CAkey ca.key -CAcreateserial "
		 "-days 10 -extfile names -out server.pem && chmod 644 server.key",
		 broker->folder);
	return system(command) == 0;
}

static inline bool mqtt_broker_make_folder(struct mqtt_broker *broker)
{
	return mkdtemp(scratch_template(broker->folder, sizeof(broker->folder),
					"broker")) &&
	       chmod(broker->folder, 0755) == 0;
}

static inline int mqtt_broker_remove_file(const char *path, const struct stat *facts,
					  int type, struct FTW *walk)
{
	return remove(path);
}

static inline void mqtt_broker_remove_folder(struct mqtt_broker *broker)
{
	mqtt_broker_kill(broker);
	nftw(broker->folder, mqtt_broker_remove_file, 8, FTW_DEPTH | FTW_PHYS);
}
