#include <errno.h>
#include <fcntl.h>
#include <sqlite3.h>
#include <sys/stat.h>
#include <unistd.h>

// Variadic, which Swift does not import. Good only before the library's first use.
static inline int vitals_sqlite_without_memory_statistics(void) { return sqlite3_config(SQLITE_CONFIG_MEMSTATUS, 0); }

// Variadic, too. For a file of somebody else's: what its schema brings along is not run, and nothing of SQLite's own can be changed
// through it.
static inline int vitals_sqlite_distrust(sqlite3 *database) {
    static const int off[] = {SQLITE_DBCONFIG_TRUSTED_SCHEMA, SQLITE_DBCONFIG_ENABLE_VIEW, SQLITE_DBCONFIG_ENABLE_TRIGGER,
                              SQLITE_DBCONFIG_ENABLE_LOAD_EXTENSION};
    int code = sqlite3_db_config(database, SQLITE_DBCONFIG_DEFENSIVE, 1, (int *)0);
    for (unsigned i = 0; code == SQLITE_OK && i < sizeof off / sizeof *off; i++)
        code = sqlite3_db_config(database, off[i], 0, (int *)0);
    return code;
}

// What SQLite calls instead of open(2), which would wait for the other end of a pipe.
static inline int vitals_sqlite_open(const char *path, int flags, int mode) {
    int file = open(path, flags | O_NONBLOCK | O_NOCTTY, mode);
    struct stat status;
    if (file >= 0 && fstat(file, &status) == 0 && S_ISFIFO(status.st_mode)) {
        close(file);
        errno = ENXIO;
        return -1;
    }
    return file;
}

// For the whole process, before databases are opened.
static inline int vitals_sqlite_without_waiting(void) {
    sqlite3_vfs *system = sqlite3_vfs_find((const char *)0);
    if (!system || system->iVersion < 3) return SQLITE_ERROR;
    return system->xSetSystemCall(system, "open", (sqlite3_syscall_ptr)vitals_sqlite_open);
}
