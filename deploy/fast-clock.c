// A clock that runs faster than the machine's, for one program: it is loaded before the program's other libraries (LD_PRELOAD).
// VITALS_SPEED says how many times faster, and VITALS_SPEED_SINCE since when, in nanoseconds of Unix time: then both clocks
// said the same. Programs that are told the same have the same time. What waits, waits for as much less.

#define _GNU_SOURCE
#include <dlfcn.h>
#include <poll.h>
#include <stdint.h>
#include <stdlib.h>
#include <sys/time.h>
#include <time.h>

static const int64_t second = 1000000000;
static int (*genuine_gettime)(clockid_t, struct timespec *);
static int (*genuine_poll)(struct pollfd *, nfds_t, int);
static double speed;
static int64_t since[CLOCK_BOOTTIME + 1];

static int64_t nanoseconds(clockid_t clock) {
    struct timespec time;
    if (genuine_gettime(clock, &time) != 0) abort();
    return time.tv_sec * second + time.tv_nsec;
}

__attribute__((constructor)) static void begin(void) {
    genuine_gettime = (int (*)(clockid_t, struct timespec *))dlsym(RTLD_NEXT, "clock_gettime");
    genuine_poll = (int (*)(struct pollfd *, nfds_t, int))dlsym(RTLD_NEXT, "poll");
    const char *factor = getenv("VITALS_SPEED"), *start = getenv("VITALS_SPEED_SINCE");
    if (genuine_gettime == NULL || genuine_poll == NULL || factor == NULL || start == NULL) abort();
    speed = atof(factor);
    if (!(speed >= 1)) abort();
    since[CLOCK_REALTIME] = atoll(start);
    int64_t elapsed = nanoseconds(CLOCK_REALTIME) - since[CLOCK_REALTIME];
    since[CLOCK_MONOTONIC] = nanoseconds(CLOCK_MONOTONIC) - elapsed;
    since[CLOCK_BOOTTIME] = nanoseconds(CLOCK_BOOTTIME) - elapsed;
}

int clock_gettime(clockid_t clock, struct timespec *result) {
    if (genuine_gettime == NULL) begin();
    if (clock != CLOCK_REALTIME && clock != CLOCK_MONOTONIC && clock != CLOCK_BOOTTIME) {
        return genuine_gettime(clock, result);
    }
    int64_t time = since[clock] + (int64_t)((double)(nanoseconds(clock) - since[clock]) * speed);
    result->tv_sec = time / second;
    result->tv_nsec = time % second;
    return 0;
}

time_t time(time_t *result) {
    struct timespec now;
    clock_gettime(CLOCK_REALTIME, &now);
    if (result != NULL) *result = now.tv_sec;
    return now.tv_sec;
}

int gettimeofday(struct timeval *result, void *zone) {
    (void)zone;
    struct timespec now;
    clock_gettime(CLOCK_REALTIME, &now);
    result->tv_sec = now.tv_sec;
    result->tv_usec = now.tv_nsec / 1000;
    return 0;
}

int poll(struct pollfd *descriptors, nfds_t count, int milliseconds) {
    if (genuine_poll == NULL) begin();
    // No wait becomes none: what is due in a moment is not asked for again and again.
    int wait = milliseconds <= 0 ? milliseconds : (int)(milliseconds / speed) + 1;
    return genuine_poll(descriptors, count, wait);
}
