#include "TestThreads.h"

#include <errno.h>
#include <unistd.h>

// Most tests wait: for a broker, a program, a file. They do that in the threads of Swift's pool, which has as many as the machine has
// processors; on two, all tests together wait two at a time. libdispatch asks the C library how many there are and how many of them it
// may use, and here it hears of eight, within the program that runs tests and nowhere else. So tests have more threads to wait in.

enum { THREADS = 8 };

long sysconf(int name) {
    long value = __sysconf(name);
    return name == _SC_NPROCESSORS_CONF && value > 0 && value < THREADS ? THREADS : value;
}

int pthread_getaffinity_np(pthread_t thread, size_t size, cpu_set_t *set) {
    (void)thread;
    if (sched_getaffinity(0, size, set) != 0) return errno;
    for (int processor = 0; processor < THREADS && CPU_COUNT_S(size, set) < THREADS; processor++) {
        CPU_SET_S(processor, size, set);
    }
    return 0;
}
