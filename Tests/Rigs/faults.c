// Loaded before libc by programs under test: their disk fails, to order.
//
// Calls on paths under FAULT_FOLDER are counted, by kind, and written to the file FAULT_LOG, a line each. Of the kinds
// FAULT_CALLS (openat, write, pwrite64, ftruncate, fsync, fdatasync, with commas between) the one with the number
// FAULT_FIRST fails, and with FAULT_OVER all that follow, until there is a file of that name. FAULT_ERROR says how: a
// number is what errno becomes; "short" writes half of the bytes, for real; "ignored" says that all is well and does
// nothing; "late" does it, 150 ms later than it was asked to.
//
// Everything else goes straight to the kernel.

#define _GNU_SOURCE
#include <errno.h>
#include <fcntl.h>
#include <stdarg.h>
#include <stdatomic.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/syscall.h>
#include <time.h>
#include <unistd.h>

enum kind { OPENAT, WRITE, PWRITE, FTRUNCATE, FSYNC, FDATASYNC, KINDS };
static const char *const names[KINDS] = {"openat", "write", "pwrite64", "ftruncate", "fsync", "fdatasync"};
enum fate { DONE, FAILS, IS_SHORT, IGNORED };

static atomic_long counts[KINDS];

static int fails_now(long number) {
    const char *first = getenv("FAULT_FIRST"), *over = getenv("FAULT_OVER");
    if (!first || number < atol(first)) return 0;
    return over ? syscall(SYS_faccessat, AT_FDCWD, over, F_OK) != 0 : number == atol(first);
}

static int is_one_of(const char *name, const char *list) {
    size_t length = strlen(name);
    for (const char *found = list; (found = strstr(found, name)); found++)
        if ((found == list || found[-1] == ',') && (found[length] == ',' || !found[length])) return 1;
    return 0;
}

// What is to become of a call, which is counted.
static enum fate fate(enum kind kind, const char *path) {
    const char *folder = getenv("FAULT_FOLDER"), *calls = getenv("FAULT_CALLS"), *error = getenv("FAULT_ERROR");
    if (!folder || strncmp(path, folder, strlen(folder)) != 0) return DONE;
    long number = atomic_fetch_add(&counts[kind], 1) + 1;
    int is_hit = calls && error && is_one_of(names[kind], calls) && fails_now(number);
    const char *log = getenv("FAULT_LOG");
    if (log) {
        char line[512];
        int length = snprintf(line, sizeof line, "%s %ld %s %s\n", names[kind], number, is_hit ? "hit" : "-", path);
        int file = syscall(SYS_openat, AT_FDCWD, log, O_WRONLY | O_CREAT | O_APPEND | O_CLOEXEC, 0600);
        if (file >= 0) {
            syscall(SYS_write, file, line, length);
            syscall(SYS_close, file);
        }
    }
    if (!is_hit) return DONE;
    if (strcmp(error, "short") == 0) return IS_SHORT;
    if (strcmp(error, "ignored") == 0) return IGNORED;
    if (strcmp(error, "late") == 0) {
        nanosleep(&(struct timespec){.tv_nsec = 150000000}, NULL);
        return DONE;
    }
    errno = atoi(error);
    return FAILS;
}

static enum fate fate_of_file(enum kind kind, int file) {
    char link[64], path[4096];
    snprintf(link, sizeof link, "/proc/self/fd/%d", file);
    ssize_t length = syscall(SYS_readlinkat, AT_FDCWD, link, path, sizeof path - 1);
    if (length < 0) return DONE;
    path[length] = 0;
    return fate(kind, path);
}

static int opened(const char *path, int flags, va_list rest) {
    mode_t mode = flags & (O_CREAT | O_TMPFILE) ? va_arg(rest, mode_t) : 0;
    return fate(OPENAT, path) == FAILS ? -1 : syscall(SYS_openat, AT_FDCWD, path, flags, mode);
}

int open(const char *path, int flags, ...) {
    va_list rest;
    va_start(rest, flags);
    int file = opened(path, flags, rest);
    va_end(rest);
    return file;
}

int open64(const char *path, int flags, ...) {
    va_list rest;
    va_start(rest, flags);
    int file = opened(path, flags, rest);
    va_end(rest);
    return file;
}

ssize_t write(int file, const void *bytes, size_t count) {
    enum fate fate = fate_of_file(WRITE, file);
    if (fate == FAILS) return -1;
    return fate == IGNORED ? (ssize_t)count : syscall(SYS_write, file, bytes, fate == IS_SHORT ? (count + 1) / 2 : count);
}

ssize_t pwrite64(int file, const void *bytes, size_t count, off64_t offset) {
    enum fate fate = fate_of_file(PWRITE, file);
    if (fate == FAILS) return -1;
    if (fate == IGNORED) return count;
    return syscall(SYS_pwrite64, file, bytes, fate == IS_SHORT ? (count + 1) / 2 : count, offset);
}

ssize_t pwrite(int file, const void *bytes, size_t count, off_t offset) { return pwrite64(file, bytes, count, offset); }

int ftruncate64(int file, off64_t length) {
    enum fate fate = fate_of_file(FTRUNCATE, file);
    if (fate != DONE) return fate == FAILS ? -1 : 0;
    return syscall(SYS_ftruncate, file, length);
}

int ftruncate(int file, off_t length) { return ftruncate64(file, length); }

int fsync(int file) {
    enum fate fate = fate_of_file(FSYNC, file);
    if (fate != DONE) return fate == FAILS ? -1 : 0;
    return syscall(SYS_fsync, file);
}

int fdatasync(int file) {
    enum fate fate = fate_of_file(FDATASYNC, file);
    if (fate != DONE) return fate == FAILS ? -1 : 0;
    return syscall(SYS_fdatasync, file);
}
