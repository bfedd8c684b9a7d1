/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * A wall clock that can be set, for the programs that this is preloaded into.
 *
 * The file OFONO_MCP_CLOCK holds by how many nanoseconds they are ahead of the system (64
 * bits, as this machine writes them); whoever writes it sets the clock of all of them at once.
 * The monotonic clocks stay as they are. A timer of the wall clock is set by it, but one
 * that runs already is not told of a change, as the kernel would.
 */
#include <dlfcn.h>
#include <fcntl.h>
#include <stdbool.h>
#include <stdint.h>
#include <stdlib.h>
#include <sys/mman.h>
#include <sys/time.h>
#include <sys/timerfd.h>
#include <time.h>
#include <unistd.h>

#define SECOND_NS INT64_C(1000000000)

enum { FILES_MAX = 8192 };

static const volatile int64_t *ahead_ns;
static bool is_wall[FILES_MAX]; /* by descriptor: a timer of the wall clock */

/* Of the C library. Other libraries ask for the time before our constructor ran. */
#define REAL(name) ((__typeof__(&(name)))dlsym(RTLD_NEXT, #name))

static __attribute__((constructor)) void clock_open(void)
{
	const char *name = getenv("OFONO_MCP_CLOCK");
	int fd = name ? open(name, O_RDONLY | O_CLOEXEC) : -1;
	void *shared = fd < 0 ? MAP_FAILED
			      : mmap(NULL, sizeof(int64_t), PROT_READ, MAP_SHARED, fd, 0);

	if (fd >= 0)
		close(fd);
	ahead_ns = shared == MAP_FAILED ? NULL : shared;
}

static struct timespec moved(struct timespec moment, int64_t by_ns)
{
	int64_t ns = moment.tv_sec * SECOND_NS + moment.tv_nsec + by_ns;

	if (ns < 1) /* long ago, but for a timer not "never" */
		ns = 1;
	return (struct timespec){ ns / SECOND_NS, ns % SECOND_NS };
}

static int64_t ahead(void)
{
	return ahead_ns ? *ahead_ns : 0;
}

int clock_gettime(clockid_t clock, struct timespec *moment)
{
	int result = REAL(clock_gettime)(clock, moment);

	if (result == 0 && (clock == CLOCK_REALTIME || clock == CLOCK_REALTIME_COARSE))
		*moment = moved(*moment, ahead());
	return result;
}

int gettimeofday(struct timeval *restrict moment, void *restrict zone)
{
	struct timespec now;

	(void)zone;
	clock_gettime(CLOCK_REALTIME, &now);
	*moment = (struct timeval){ now.tv_sec, now.tv_nsec / 1000 };
	return 0;
}

time_t time(time_t *moment)
{
	struct timespec now;

	clock_gettime(CLOCK_REALTIME, &now);
	if (moment)
		*moment = now.tv_sec;
	return now.tv_sec;
}

int timerfd_create(int clock, int flags)
{
	int fd = REAL(timerfd_create)(clock, flags);

	if (fd >= 0 && fd < FILES_MAX)
		is_wall[fd] = clock == CLOCK_REALTIME;
	return fd;
}

int timerfd_settime(int fd, int flags, const struct itimerspec *due,
		    struct itimerspec *before)
{
	struct itimerspec ours = *due;

	if (fd >= 0 && fd < FILES_MAX && is_wall[fd] && (flags & TFD_TIMER_ABSTIME) &&
	    (due->it_value.tv_sec || due->it_value.tv_nsec))
		ours.it_value = moved(due->it_value, -ahead());
	return REAL(timerfd_settime)(fd, flags, &ours, before);
}
