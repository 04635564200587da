// SQLite, whole. What Swift cannot import is a macro that casts.
#pragma once
#include <sqlite3.h>

/// `SQLITE_TRANSIENT`, a cast of -1 to a function pointer: tells SQLite to copy the bytes before the call returns.
static inline sqlite3_destructor_type CSQLite_transient(void) { return SQLITE_TRANSIENT; }

/// Keeps the closing of `db` from copying the log into the database and removing it. A variadic call.
static inline int CSQLite_keep_log(sqlite3 *db) {
    return sqlite3_db_config(db, SQLITE_DBCONFIG_NO_CKPT_ON_CLOSE, 1, (int *)0);
}
