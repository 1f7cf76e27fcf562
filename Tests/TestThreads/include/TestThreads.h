#pragma once

#ifndef _GNU_SOURCE
#define _GNU_SOURCE
#endif
#include <pthread.h>
#include <sched.h>

/// The C library's own `sysconf`, which it exports by this name, too.
long __sysconf(int name);

/// As the C library's, but there are at least eight processors: see threads.c.
long sysconf(int name);

/// As the C library's, but at least eight processors may be used: see threads.c.
int pthread_getaffinity_np(pthread_t thread, size_t size, cpu_set_t *set);
