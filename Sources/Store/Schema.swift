/// The database's schema: migrations that are only ever appended to, `PRAGMA user_version` counting those applied.
enum Schema {
    /// Marks a database as wajubd's ("waju"), so that a stranger's is not written to.
    static let applicationID: Int64 = 0x7761_6A75

    static var version: Int { migrations.count }

    /// Released migrations never change: stores in the field have run them.
    static let migrations = [v1]

    /// Each page that a commit touches is written to the log before it is answered, so there are few indexes, and the
    /// last `seq` is not stored beside the events but found as the highest of theirs and of `pruned_seq`.
    ///
    /// Why tokens have a table of their own, and padding: when SQLite balances a page it moves cells and leaves copies
    /// behind in free space, which `secure_delete` does not see. Overflow pages never move and are zeroed when freed,
    /// and more than 4,061 bytes (the most a 4,096-byte leaf keeps of a row) before the token put it on overflow pages.
    private static let v1 = """
        CREATE TABLE meta (
          key TEXT NOT NULL PRIMARY KEY,
          value ANY NOT NULL
        ) STRICT, WITHOUT ROWID;
        INSERT INTO meta (key, value) VALUES ('pruned_seq', 0);

        CREATE TABLE payments (
          number INTEGER PRIMARY KEY,
          id TEXT NOT NULL UNIQUE,
          reference TEXT UNIQUE,
          wajub_id TEXT,
          wajub_reference TEXT,
          token_digest BLOB NOT NULL UNIQUE,
          settled INTEGER NOT NULL,
          live INTEGER NOT NULL,
          checkpoint INTEGER NOT NULL,
          boot_id TEXT NOT NULL,
          last_seq INTEGER NOT NULL,
          created_at INTEGER NOT NULL,
          updated_at INTEGER NOT NULL,
          settled_at INTEGER,
          machine BLOB NOT NULL
        ) STRICT;
        CREATE INDEX payments_by_wajub_id ON payments (wajub_id) WHERE wajub_id IS NOT NULL;
        CREATE INDEX payments_by_wajub_reference ON payments (wajub_reference) WHERE wajub_reference IS NOT NULL;
        CREATE INDEX payments_open ON payments (number) WHERE settled = 0 OR live = 1;
        CREATE INDEX payments_by_settling ON payments (settled_at) WHERE settled = 1;

        CREATE TABLE tokens (
          payment INTEGER PRIMARY KEY REFERENCES payments (number) ON DELETE CASCADE,
          padding BLOB NOT NULL,
          token TEXT NOT NULL
        ) STRICT;

        CREATE TABLE events (
          seq INTEGER PRIMARY KEY,
          payment INTEGER NOT NULL REFERENCES payments (number) ON DELETE CASCADE,
          at INTEGER NOT NULL,
          kind TEXT NOT NULL,
          data TEXT NOT NULL
        ) STRICT;
        CREATE INDEX events_by_payment ON events (payment);

        CREATE TABLE notes (
          payment INTEGER NOT NULL REFERENCES payments (number) ON DELETE CASCADE,
          number INTEGER NOT NULL,
          at INTEGER NOT NULL,
          seq INTEGER NOT NULL,
          what TEXT NOT NULL,
          detail TEXT NOT NULL,
          PRIMARY KEY (payment, number)
        ) STRICT, WITHOUT ROWID;

        CREATE TABLE idempotency_keys (
          key TEXT NOT NULL PRIMARY KEY,
          payment INTEGER NOT NULL REFERENCES payments (number) ON DELETE CASCADE,
          created_at INTEGER NOT NULL
        ) STRICT, WITHOUT ROWID;
        CREATE INDEX idempotency_keys_by_payment ON idempotency_keys (payment);

        CREATE TABLE attempts (
          payment INTEGER NOT NULL REFERENCES payments (number) ON DELETE CASCADE,
          number INTEGER NOT NULL,
          idempotency_key TEXT NOT NULL REFERENCES idempotency_keys (key),
          method TEXT NOT NULL,
          channel TEXT NOT NULL,
          phase TEXT NOT NULL,
          body_digest BLOB NOT NULL,
          tries INTEGER NOT NULL,
          started_at INTEGER NOT NULL,
          undecided INTEGER NOT NULL,
          PRIMARY KEY (payment, number)
        ) STRICT, WITHOUT ROWID;
        CREATE INDEX attempts_by_key ON attempts (idempotency_key);
        """
}
