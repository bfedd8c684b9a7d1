/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "cli/ofono_program.h"

#include <fcntl.h>
#include <stdio.h>
#include <string.h>
#include <sys/stat.h>
#include <sys/wait.h>
#include <unistd.h>

enum { LINE_BYTES = 512 };

/* It is a file of root's that is called ofonod: safe to be run. */
static bool is_ofonod(const char *link)
{
	char path[LINE_BYTES];
	ssize_t length = readlink(link, path, sizeof(path) - 1);
	struct stat status;
	const char *name;

	if (length < 0 || stat(link, &status) < 0)
		return false;
	path[length] = '\0';
	name = strrchr(path, '/');
	return name && strcmp(name, "/ofonod") == 0 && status.st_uid == 0 &&
	       !(status.st_mode & (S_IWGRP | S_IWOTH));
}

static void run_version(const char *program, int out)
{
	dup2(out, STDOUT_FILENO);
	execl(program, "ofonod", "--version", (char *)NULL);
	_exit(127);
}

/* "" when it does not tell. */
static void read_version(const char *program,
			 char version_out[OFONO_PROGRAM_VERSION_BYTES])
{
	char text[OFONO_PROGRAM_VERSION_BYTES] = "";
	int ends[2];
	ssize_t length;
	pid_t child;

	if (pipe2(ends, O_CLOEXEC) < 0)
		return;
	child = fork();
	if (child == 0)
		run_version(program, ends[1]);
	close(ends[1]);
	length = child > 0 ? read(ends[0], text, sizeof(text) - 1) : 0;
	close(ends[0]);
	if (child > 0)
		waitpid(child, NULL, 0);
	text[length > 0 ? length : 0] = '\0';
	text[strspn(text, "0123456789.")] = '\0';
	strcpy(version_out, text);
}

static void look_into_process(struct ofono_program *program)
{
	char path[64], line[LINE_BYTES];
	FILE *maps;

	snprintf(path, sizeof(path), "/proc/%lld/exe", (long long)program->process);
	if (is_ofonod(path))
		read_version(path, program->version);
	snprintf(path, sizeof(path), "/proc/%lld/maps", (long long)program->process);
	maps = fopen(path, "re");
	if (!maps)
		return;
	while (fgets(line, sizeof(line), maps)) {
		program->shows_its_parts = true;
		program->has_plugin |= strstr(line, "/ofono-mcp-history.so") != NULL;
	}
	fclose(maps);
}

void ofono_program_look(struct ofono_probe *probe, struct ofono_program *program)
{
	program->process = ofono_probe_process(probe);
	if (!program->process)
		return;
	look_into_process(program);
	program->is_sailfish =
		ofono_probe_mentions(probe, "/", "org.nemomobile.ofono.ModemManager");
}

/* Before 1.28 upstream damaged no emoji either, but no system ships that any more. */
static bool is_before_forks(const char *version)
{
	unsigned major, minor;

	return sscanf(version, "%u.%u", &major, &minor) == 2 && major == 1 && minor < 28;
}

void ofono_program_look_at_modems(struct ofono_probe *probe,
				  struct ofono_program *program,
				  const struct ofono *ofono)
{
	const struct modem *modem;

	TAILQ_FOREACH (modem, ofono_modems(ofono), link)
		program->reports |=
			probe && ofono_probe_mentions(probe, modem->path, "StatusReport");
	program->is_old = !program->is_sailfish && !program->reports &&
			  (ofono_line(ofono) == OFONO_LINE_FORK ||
			   is_before_forks(program->version));
}

static void tell_of_old(struct doctor *doctor, const char *version)
{
	static const struct finding finding = {
		DOCTOR_WARNING, "oFono",
		"Where that matters use a system with a newer oFono; else all is well"
	};

	doctor_tell(doctor, &finding,
		    "it answers: %s, an old fork (that of UBports) that sends emoji; it "
		    "never "
		    "tells of delivery and loads no plugin of ours",
		    version);
}

static void tell_of_fork(struct doctor *doctor, const struct ofono_program *program,
			 const char *version)
{
	const struct finding finding = { DOCTOR_OK, "oFono" };

	doctor_tell(doctor, &finding,
		    "it answers: %s, a fork that tells of delivery and sends emoji (%s)",
		    version,
		    program->is_sailfish ? "that of Sailfish OS, Droidian and FuriOS"
					 : "that of UBports");
}

static void tell_of_upstream(struct doctor *doctor, bool has_plugin, const char *version)
{
	static const struct finding whole = { DOCTOR_OK, "oFono" };
	static const struct finding bare = {
		DOCTOR_WARNING, "oFono",
		"Where that matters install the package ofono-plugin-sms-history and "
		"restart oFono (systemctl restart ofono); else all is well"
	};

	doctor_tell(doctor, has_plugin ? &whole : &bare,
		    "it answers: %s, upstream, %s plugin that tells of delivery; emoji "
		    "cannot be sent",
		    version, has_plugin ? "with the" : "without a");
}

#define ADDRESS_OF_0XFD "an SMS whose sender's address has length 0xFD"
#define EMPTY_USSD	"an empty answer to a USSD code"
#define LONG_USSD	"a USSD answer of 1,500 characters"

/* Seen with emulated modems: doc/modems.md, "What crashes oFono". NULL: none is known. */
static const char *deadly_input(const struct ofono_program *program)
{
	if (program->is_old)
		return ADDRESS_OF_0XFD;
	if (program->is_sailfish || program->reports)
		return EMPTY_USSD;
	if (strcmp(program->version, "1.31") == 0)
		return ADDRESS_OF_0XFD " or " LONG_USSD;
	return NULL;
}

/* No warning: there is nothing that its owner could do. */
static void tell_of_crashes(struct doctor *doctor, const struct ofono_program *program)
{
	static const struct finding finding = { DOCTOR_OK, "oFono crashes" };
	const char *input = deadly_input(program);

	if (input)
		doctor_tell(
			doctor, &finding,
			"%s ends this ofonod: the gateway cannot prevent that, survives "
			"it, and goes on when oFono is started again",
			input);
}

static void tell_of_line(struct doctor *doctor, const struct ofono_program *program)
{
	static const struct finding hidden = { DOCTOR_WARNING, "oFono",
					       "Run it as root: sudo ofono-mcp doctor" };
	const char *version = *program->version ? program->version : "of some version";

	if (program->is_old)
		tell_of_old(doctor, version);
	else if (program->is_sailfish || program->reports)
		tell_of_fork(doctor, program, version);
	else if (program->has_plugin || program->shows_its_parts)
		tell_of_upstream(doctor, program->has_plugin, version);
	else
		doctor_tell(doctor, &hidden, "it answers; which it is only root can see");
}

void ofono_program_tell(struct doctor *doctor, const struct ofono_program *program)
{
	tell_of_line(doctor, program);
	tell_of_crashes(doctor, program);
}
