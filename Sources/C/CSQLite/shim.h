#include <sqlite3.h>

// Variadic, which Swift does not import. Good only before the library's first use.
static inline int vitals_sqlite_without_memory_statistics(void) { return sqlite3_config(SQLITE_CONFIG_MEMSTATUS, 0); }
