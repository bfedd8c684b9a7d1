/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * A settable wall clock, and a machine that can sleep and boot, for the programs that preload
 * this.
 *
 * The file OFONO_MCP_CLOCK says by how many nanoseconds their wall clock is ahead of the
 * system's, how many they have slept, how many times the machine was booted anew and by how
 * many nanoseconds its CLOCK_BOOTTIME is behind the system's since (64 bits each, in native
 * byte order; the last two may be missing). Writing it sets
 * the clock of all of them at once, or wakes all of them: CLOCK_REALTIME and CLOCK_BOOTTIME
 * advanced, CLOCK_MONOTONIC did not. Running timers follow, as the kernel's do: a thread of ours
 * notices the write and sets them again. Programs that are started after a boot see another
 * boot ID.
 */
#include <dlfcn.h>
#include <fcntl.h>
#include <pthread.h>
#include <signal.h>
#include <stdbool.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/inotify.h>
#include <sys/mman.h>
#include <sys/time.h>
#include <sys/timerfd.h>
#include <time.h>
#include <unistd.h>

#define SECOND_NS INT64_C(1000000000)

enum { FILES_MAX = 8192 };

struct timer {
	int clock;
	struct itimerspec due; /* by the clock of the program */
};

static const volatile int64_t *offsets_ns; /* ahead, slept, boots (a number), behind */
static struct timer timers[FILES_MAX];	   /* by descriptor */
static pthread_mutex_t timers_lock = PTHREAD_MUTEX_INITIALIZER;

/* The C library's own. Other libraries ask for the time before our constructor has run. */
#define REAL(name) ((__typeof__(&(name)))dlsym(RTLD_NEXT, #name))

static struct timespec moved(struct timespec moment, int64_t by_ns)
{
	int64_t ns = moment.tv_sec * SECOND_NS + moment.tv_nsec + by_ns;

	if (ns < 1) /* long ago, but not "never" for a timer */
		ns = 1;
	return (struct timespec){ ns / SECOND_NS, ns % SECOND_NS };
}

static int64_t offset_of(int clock)
{
	if (!offsets_ns)
		return 0;
	if (clock == CLOCK_REALTIME || clock == CLOCK_REALTIME_COARSE)
		return offsets_ns[0] + offsets_ns[1];
	return clock == CLOCK_BOOTTIME ? offsets_ns[1] - offsets_ns[3] : 0;
}

int clock_gettime(clockid_t clock, struct timespec *moment)
{
	int result = REAL(clock_gettime)(clock, moment);

	if (result == 0 && offset_of(clock))
		*moment = moved(*moment, offset_of(clock));
	return result;
}

int gettimeofday(struct timeval *restrict moment, void *restrict zone)
{
	struct timespec now;

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

FILE *fopen(const char *restrict name, const char *restrict mode)
{
	static char boot_id[sizeof("00000000-0000-4000-8000-000000000000")];

	if (!offsets_ns || !offsets_ns[2] ||
	    strcmp(name, "/proc/sys/kernel/random/boot_id") != 0)
		return REAL(fopen)(name, mode);
	snprintf(boot_id, sizeof(boot_id), "00000000-0000-4000-8000-%012llx",
		 (unsigned long long)offsets_ns[2] & 0xffffffffffff);
	return fmemopen(boot_id, sizeof(boot_id) - 1, "r");
}

static bool is_set(const struct itimerspec *due)
{
	return due->it_value.tv_sec || due->it_value.tv_nsec;
}

static int set_timer(int fd, const struct timer *timer, struct itimerspec *before)
{
	struct itimerspec ours = timer->due;

	if (is_set(&ours))
		ours.it_value = moved(ours.it_value, -offset_of(timer->clock));
	return REAL(timerfd_settime)(fd, TFD_TIMER_ABSTIME, &ours, before);
}

int timerfd_create(int clock, int flags)
{
	int fd = REAL(timerfd_create)(clock, flags);

	if (fd >= 0 && fd < FILES_MAX)
		timers[fd] = (struct timer){ .clock = clock };
	return fd;
}

int timerfd_settime(int fd, int flags, const struct itimerspec *due,
		    struct itimerspec *before)
{
	int result;

	if (fd < 0 || fd >= FILES_MAX || !(flags & TFD_TIMER_ABSTIME))
		return REAL(timerfd_settime)(fd, flags, due, before);
	pthread_mutex_lock(&timers_lock);
	timers[fd].due = *due;
	result = set_timer(fd, &timers[fd], before);
	pthread_mutex_unlock(&timers_lock);
	return result;
}

/* A timer that already fired, or was closed, does no harm: it is checked once more. */
static void *follow(void *data)
{
	int notices = (int)(intptr_t)data;
	char notice[sizeof(struct inotify_event)];

	while (read(notices, notice, sizeof(notice)) > 0) {
		pthread_mutex_lock(&timers_lock);
		for (int fd = 0; fd < FILES_MAX; fd++) {
			if (is_set(&timers[fd].due))
				set_timer(fd, &timers[fd], NULL);
		}
		pthread_mutex_unlock(&timers_lock);
	}
	return NULL;
}

/* It must receive no signal of the program. */
static void start_following(const char *name)
{
	int notices = inotify_init1(IN_CLOEXEC);
	sigset_t all, before;
	pthread_t thread;

	if (notices < 0 || inotify_add_watch(notices, name, IN_MODIFY) < 0)
		return;
	sigfillset(&all);
	pthread_sigmask(SIG_SETMASK, &all, &before);
	pthread_create(&thread, NULL, follow, (void *)(intptr_t)notices);
	pthread_sigmask(SIG_SETMASK, &before, NULL);
}

static __attribute__((constructor)) void clock_open(void)
{
	const char *name = getenv("OFONO_MCP_CLOCK");
	int fd = name ? open(name, O_RDONLY | O_CLOEXEC) : -1;
	void *shared = MAP_FAILED;

	if (fd >= 0)
		shared = mmap(NULL, 4 * sizeof(int64_t), PROT_READ, MAP_SHARED, fd, 0);
	if (fd >= 0)
		close(fd);
	if (shared == MAP_FAILED)
		return;
	offsets_ns = shared;
	start_following(name);
}
