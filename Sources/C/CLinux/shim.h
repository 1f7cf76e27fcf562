#include <fcntl.h>
#include <grp.h>
#include <linux/magic.h>
#include <malloc.h>
#include <signal.h>
#include <spawn.h>
#include <stddef.h>
#include <sys/fsuid.h>
#include <sys/prctl.h>
#include <sys/resource.h>
#include <sys/syscall.h>
#include <sys/vfs.h>
#include <unistd.h>

// What the kernel has and Swift's module of glibc does not: variadic functions, and those whose headers it leaves out.

// No core dump, whatever the kernel's pattern; and no /proc/PID/mem, ptrace or environ for programs of the same user.
static inline int vitals_forbid_dumps(void) { return prctl(PR_SET_DUMPABLE, 0, 0, 0, 0); }
// No file of a core dump, in programs that this one starts, too.
static inline int vitals_forbid_core_files(void) {
    struct rlimit none = {0, 0};
    return setrlimit(RLIMIT_CORE, &none);
}

// glibc has functions for these since 2.36 only.
static inline int vitals_pidfd_open(pid_t process) { return (int)syscall(SYS_pidfd_open, process, 0); }
static inline int vitals_pidfd_send_signal(int process, int number) {
    return (int)syscall(SYS_pidfd_send_signal, process, number, NULL, 0);
}

// A lock of this process on a whole file (fcntl(2)), which the kernel knows the process of. -1 and errno where another has it.
static inline int vitals_lock(int file) {
    struct flock lock = {.l_type = F_WRLCK, .l_whence = SEEK_SET};
    return fcntl(file, F_SETLK, &lock);
}
// The process that has such a lock; 0 where none has, less where that cannot be told.
static inline pid_t vitals_lock_holder(int file) {
    struct flock lock = {.l_type = F_WRLCK, .l_whence = SEEK_SET};
    if (fcntl(file, F_GETLK, &lock) != 0) return -1;
    return lock.l_type == F_UNLCK ? 0 : lock.l_pid > 0 ? lock.l_pid : -1;
}

// Whether a file lies in the machine's memory (tmpfs), so that writing to it never waits for a disk.
static inline int vitals_is_in_memory(int file) {
    struct statfs status;
    return fstatfs(file, &status) == 0 && status.f_type == TMPFS_MAGIC;
}

// In a program that is started: every descriptor from this number on is closed, also those that another thread opens meanwhile.
static inline int vitals_close_from(posix_spawn_file_actions_t *actions, int first) {
    return posix_spawn_file_actions_addclosefrom_np(actions, first);
}

static inline int vitals_drop_groups(void) { return setgroups(0, NULL); }

// As whom this thread touches files. The calls return what was, and never say whether they worked: so they are asked again.
static inline uid_t vitals_file_user(void) { return (uid_t)setfsuid((uid_t)-1); }
static inline gid_t vitals_file_group(void) { return (gid_t)setfsgid((gid_t)-1); }
static inline int vitals_set_file_user(uid_t user) {
    setfsuid(user);
    return vitals_file_user() == user;
}
static inline int vitals_set_file_group(gid_t group) {
    setfsgid(group);
    return vitals_file_group() == group;
}

// Two arenas instead of eight for each processor, each of which keeps the memory of its greatest moment; and pieces of 1 MiB come from the
// kernel and go back to it. glibc would otherwise raise both limits by itself, up to 32 MiB and twice that.
static inline void vitals_bound_heap(void) {
    mallopt(M_ARENA_MAX, 2);
    mallopt(M_MMAP_THRESHOLD, 1 << 20);
    mallopt(M_TRIM_THRESHOLD, 4 << 20);
}
// 1 if something went back to the kernel.
static inline int vitals_trim_heap(void) { return malloc_trim(0); }
