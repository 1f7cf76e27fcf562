#include <sqlite3.h>

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
