// vitals.db: what the consumer has received.
//
//     streams   whose stream each sensor was and is; a row is never deleted, its grant is published for as long as it is
//               the sensor's newest
//     sessions  the key of each session, from its key block, once that is verified; under the person's row key and bound
//               to stream, session and boot, so that no one who can write to this file can put in a session of their own
//     ledger    which blocks were accepted: session, number and a digest of all the bytes that came
//     blocks    the blocks as they came, without the header, which their row spells
//     records   which loose block a journal record was first seen in
//     counts    how many readings of each kind each stream's blocks have, and how many blocks it has (kind 0), counted as
//               they are stored: `check` counts again
//
// Ledger and blocks are apart, so that the blocks of closed hours can be packed anew while the ledger goes on knowing
// them. In the clear are random ids, kinds, hours and sizes.
//
// A block is stored with the hour of its first reading and how many hours further its last one lies: to read a span of
// time in order needs the blocks in the order of their first hours, and no more than an hour of them at once.

extension Store {
    /// "Vidb".
    static let applicationID: Int32 = 0x5669_6462
    static let migrations = [
        """
        CREATE TABLE store (id BLOB NOT NULL CHECK (length(id) = 16)) STRICT;
        INSERT INTO store (id) VALUES (randomblob(16));

        CREATE TABLE streams (
            number INTEGER PRIMARY KEY,
            id BLOB NOT NULL UNIQUE CHECK (length(id) = 16),
            gateway TEXT NOT NULL,
            sensor TEXT NOT NULL,
            user TEXT NOT NULL,
            secret_version INTEGER NOT NULL,
            kinds INTEGER NOT NULL,
            from_ms INTEGER NOT NULL,
            until_ms INTEGER,
            serial INTEGER NOT NULL UNIQUE
        ) STRICT;
        CREATE UNIQUE INDEX open_streams ON streams (gateway, sensor) WHERE until_ms IS NULL;
        CREATE INDEX streams_by_user ON streams (user);

        CREATE TABLE sessions (
            number INTEGER PRIMARY KEY,
            stream INTEGER NOT NULL REFERENCES streams,
            session BLOB NOT NULL CHECK (length(session) = 8),
            boot BLOB NOT NULL CHECK (length(boot) = 16),
            sealed_key BLOB NOT NULL,
            UNIQUE (stream, session)
        ) STRICT;

        CREATE TABLE ledger (
            session INTEGER NOT NULL REFERENCES sessions,
            seq INTEGER NOT NULL,
            digest BLOB NOT NULL CHECK (length(digest) = 32),
            PRIMARY KEY (session, seq)
        ) STRICT, WITHOUT ROWID;

        CREATE TABLE blocks (
            number INTEGER PRIMARY KEY,
            stream INTEGER NOT NULL REFERENCES streams,
            session INTEGER NOT NULL REFERENCES sessions,
            seq INTEGER NOT NULL,
            type INTEGER NOT NULL,
            kinds INTEGER NOT NULL,
            first_hour INTEGER NOT NULL,
            hours_more INTEGER NOT NULL,
            sealed BLOB NOT NULL
        ) STRICT;
        CREATE INDEX blocks_by_hour ON blocks (stream, first_hour);
        CREATE INDEX long_blocks ON blocks (stream, hours_more) WHERE hours_more > 0;
        CREATE INDEX clock_blocks ON blocks (stream) WHERE type = 4;

        CREATE TABLE records (
            session INTEGER NOT NULL REFERENCES sessions,
            record INTEGER NOT NULL,
            block INTEGER NOT NULL REFERENCES blocks,
            PRIMARY KEY (session, record)
        ) STRICT, WITHOUT ROWID;
        """,
        // What lies in the blocks of before cannot be counted here, for they are sealed: `Recount` does it at the next start.
        """
        CREATE TABLE counts (
            stream INTEGER NOT NULL REFERENCES streams,
            kind INTEGER NOT NULL,
            number INTEGER NOT NULL,
            PRIMARY KEY (stream, kind)
        ) STRICT, WITHOUT ROWID;
        ALTER TABLE streams ADD COLUMN counted INTEGER NOT NULL DEFAULT 1;
        UPDATE streams SET counted = 0;
        CREATE INDEX records_by_block ON records (block);
        """,
    ]
}
