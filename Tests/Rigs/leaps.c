// Clocks that leap, for one program, loaded before its other libraries (LD_PRELOAD). The file that VITALS_LEAPS names holds two
// numbers of eight bytes: by how many milliseconds all of the program's clocks are ahead of the machine's, and by how many its wall
// clock is wrong besides. It is mapped, so that setting it takes effect at once. What waits in poll notices within 10 ms that time
// has passed.

#define _GNU_SOURCE
#include <dlfcn.h>
#include <errno.h>
#include <fcntl.h>
#include <poll.h>
#include <stdint.h>
#include <stdlib.h>
#include <sys/mman.h>
#include <sys/time.h>
#include <time.h>

static const int64_t million = 1000000, billion = 1000000000;
static const volatile int64_t *told;
static int (*genuine_gettime)(clockid_t, struct timespec *);
static int (*genuine_poll)(struct pollfd *, nfds_t, int);

__attribute__((constructor)) static void begin(void) {
    if (told != NULL) return;
    genuine_gettime = (int (*)(clockid_t, struct timespec *))dlsym(RTLD_NEXT, "clock_gettime");
    genuine_poll = (int (*)(struct pollfd *, nfds_t, int))dlsym(RTLD_NEXT, "poll");
    const char *path = getenv("VITALS_LEAPS");
    int file = path == NULL ? -1 : open(path, O_RDONLY | O_CLOEXEC);
    if (genuine_gettime == NULL || genuine_poll == NULL || file < 0) abort();
    void *bytes = mmap(NULL, 2 * sizeof(int64_t), PROT_READ, MAP_SHARED, file, 0);
    if (bytes == MAP_FAILED) abort();
    told = bytes;
}

int clock_gettime(clockid_t clock, struct timespec *result) {
    begin();
    int code = genuine_gettime(clock, result);
    if (code != 0 || (clock != CLOCK_REALTIME && clock != CLOCK_MONOTONIC && clock != CLOCK_BOOTTIME)) return code;
    int64_t milliseconds = told[0] + (clock == CLOCK_REALTIME ? told[1] : 0);
    int64_t nanoseconds = result->tv_nsec + milliseconds % 1000 * million;
    result->tv_sec += milliseconds / 1000 + (nanoseconds >= billion) - (nanoseconds < 0);
    result->tv_nsec = (nanoseconds + billion) % billion;
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

static int64_t monotonic_milliseconds(void) {
    struct timespec now;
    clock_gettime(CLOCK_MONOTONIC, &now);
    return now.tv_sec * 1000 + now.tv_nsec / million;
}

int poll(struct pollfd *descriptors, nfds_t count, int milliseconds) {
    begin();
    if (milliseconds <= 0) return genuine_poll(descriptors, count, milliseconds);
    int64_t end = monotonic_milliseconds() + milliseconds;
    for (int64_t left = milliseconds; left > 0; left = end - monotonic_milliseconds()) {
        int found = genuine_poll(descriptors, count, left < 10 ? (int)left : 10);
        if (found != 0) return found;
    }
    return 0;
}
