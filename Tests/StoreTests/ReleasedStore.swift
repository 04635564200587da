/// Stores as released versions of the daemon left them, as SQL. They never change: that they open is what is tested.
///
/// Made with `sqlite3 wajubd.sqlite3 .dump`, and the two pragmas that a dump leaves out.
enum ReleasedStore: CaseIterable {
    case v1

    var script: String {
        switch self {
        case .v1: Self.scriptV1
        }
    }

    private static let scriptV1 = #"""
        BEGIN TRANSACTION;
        CREATE TABLE meta (
          key TEXT NOT NULL PRIMARY KEY,
          value ANY NOT NULL
        ) STRICT, WITHOUT ROWID;
        INSERT INTO meta VALUES('install_id','910a2dec89025cc1beeb8da1658eec67');
        INSERT INTO meta VALUES('pruned_seq',0);
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
        INSERT INTO payments VALUES(1,'pay_1','till-1','tx_1',NULL,
        X'f998d65ff08560f567409a121a037b759de75a6bb265683eeddfa78ccfc72325',0,1,42,'boot-1',2,1800000000000,
        1800000000000,NULL,X'7b7d');
        INSERT INTO payments VALUES(2,'pay_2',NULL,'tx_2',NULL,
        X'1ef8cd4b40211db430fbdbd23dc19e0c10cb356fd0e54361a6c8d2b2ac7c87ae',1,0,42,'boot-1',3,1800000000000,
        1800000000000,1800000000000,X'7b7d');
        CREATE TABLE tokens (
          payment INTEGER PRIMARY KEY REFERENCES payments (number) ON DELETE CASCADE,
          padding BLOB NOT NULL,
          token TEXT NOT NULL
        ) STRICT;
        INSERT INTO tokens VALUES(1,zeroblob(4096),
        'SECRET1;SECRET1;SECRET1;SECRET1;SECRET1;SECRET1;SECRET1;SECRET1;SECRET1;SECRET1;SECRET1;SECRET1;');
        CREATE TABLE events (
          seq INTEGER PRIMARY KEY,
          payment INTEGER NOT NULL REFERENCES payments (number) ON DELETE CASCADE,
          at INTEGER NOT NULL,
          kind TEXT NOT NULL,
          data TEXT NOT NULL
        ) STRICT;
        INSERT INTO events VALUES(1,1,1800000000000,'accepted','{"kind":"accepted"}');
        INSERT INTO events VALUES(2,1,1800000000000,'ready','{"kind":"ready"}');
        INSERT INTO events VALUES(3,2,1800000000000,'accepted','{"kind":"accepted"}');
        CREATE TABLE notes (
          payment INTEGER NOT NULL REFERENCES payments (number) ON DELETE CASCADE,
          number INTEGER NOT NULL,
          at INTEGER NOT NULL,
          seq INTEGER NOT NULL,
          what TEXT NOT NULL,
          detail TEXT NOT NULL,
          PRIMARY KEY (payment, number)
        ) STRICT, WITHOUT ROWID;
        INSERT INTO notes VALUES(1,1,1800000000000,2,'hand-off','{}');
        CREATE TABLE idempotency_keys (
          key TEXT NOT NULL PRIMARY KEY,
          payment INTEGER NOT NULL REFERENCES payments (number) ON DELETE CASCADE,
          created_at INTEGER NOT NULL
        ) STRICT, WITHOUT ROWID;
        INSERT INTO idempotency_keys VALUES('key-1',1,1800000000000);
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
        INSERT INTO attempts VALUES(1,1,'key-1','mobile_money','mtn_cm','sent',X'010203',1,1800000000000,1);
        CREATE INDEX payments_by_wajub_id ON payments (wajub_id) WHERE wajub_id IS NOT NULL;
        CREATE INDEX payments_by_wajub_reference ON payments (wajub_reference) WHERE wajub_reference IS NOT NULL;
        CREATE INDEX payments_open ON payments (number) WHERE settled = 0 OR live = 1;
        CREATE INDEX payments_by_settling ON payments (settled_at) WHERE settled = 1;
        CREATE INDEX events_by_payment ON events (payment);
        CREATE INDEX idempotency_keys_by_payment ON idempotency_keys (payment);
        CREATE INDEX attempts_by_key ON attempts (idempotency_key);
        COMMIT;
        PRAGMA application_id = 2002872949;
        PRAGMA user_version = 1;
        """#
}
