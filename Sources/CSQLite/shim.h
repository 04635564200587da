// SQLite, whole. What Swift cannot import is a macro that casts.
#pragma once
#include <sqlite3.h>

/// `SQLITE_TRANSIENT`, a cast of -1 to a function pointer: tells SQLite to copy the bytes before the call returns.
static inline sqlite3_destructor_type CSQLite_transient(void) { return SQLITE_TRANSIENT; }
