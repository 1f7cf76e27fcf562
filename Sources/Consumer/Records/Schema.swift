// vitals.db: what the consumer has received, and about whom.
//
//     streams   whose stream each sensor was and is; a row is never deleted, its grant is published for as long as it is
//               the sensor's latest
//     sessions  the key of each session, from its key block, once that is verified; under the person's row key and bound
//               to stream, session and boot, so that no one who can write to this file can put in a session of their own
//     ledger    which blocks were accepted: session, number and a digest of all the bytes that came; for packed ones the
//               beginnings of the digests, in ledger_runs
//     blocks    the blocks as they came, without the header, which their row spells
//     records   which loose block a journal record was first seen in
//     counts    how many readings of each kind each stream's blocks have, and how many blocks it has (kind 0), counted as
//               they are stored: `check` counts again
//
// and who they are about:
//
//     accounts   who signed up: keyed hashes of e-mail address and phone number, the password's hash, failures
//     subjects   keyed hashes of (issuer, subject) of those who sign in with an OpenID provider
//     devices    a person's clients at the broker, with what the broker checks them by
//     documents  profile, contact and so on, under the person's row key
//     codes      one-time codes that are out: resets, enrolments, confirmations
//     gateways   enrolled by code; those of the settings are not here
//     ended_gateways   gateways that were removed, and that the broker has still to forget
//     claims     who has claimed which sensor; those of the settings are not here
//     nonces, used_claim_codes   things that are good once, and were used
//     people     everybody of whom anything is kept: what a change of it holds (see PeopleLock.swift)
//     forgotten, forgotten_streams   whose secrets are gone for good, and what was sealed to them
//
// and what the readings mean to them, all of it sealed under the person's row key:
//
//     days                what a day's totals are made of: see the target Days
//     heart_rate_hours    minutes of heart rate, as they come in; heart_rate_days and heart_rate_months hold those of
//                         closed hours: see the target Days
//     stale               hours of which all of that must be computed again, because it does not simply add up
//     notifications       what people were told, confirmed or not: the latest 500 of each person, and their latest 500
//                         alerts; about whom, as a keyed hash, so that a forgotten person's name is found
//     answered            requests that must not be done twice, with what was answered
//
// The column `person` says whose a row is, and `slot` which five minutes a claim code was for. They are not called
// `user` and `window`, because both are words of SQL in other databases.
//
// These are the steps by which an older file comes to the tables that `Tables.swift` describes, and that a new file is
// made with. A change is made in both, and a test compares them. Each step has a name; steps that also have numbers are
// older than the names. The next one is `store/14`, whatever it is about, as long as the tables of all features are here;
// it goes to the end.
//
// Ledger and blocks are apart, so that the blocks of closed hours can be packed while the ledger still knows them.
// Random ids, kinds, hours, sizes, and which notifications are alerts are not encrypted.
//
// A block is stored with the hour of its first reading and how many hours later its last one is: to read a span of
// time in order needs the blocks in the order of their first hours, and at most an hour of them at once.

package import Storage

extension Store {
    /// "Vidb".
    package static let applicationID: Int32 = 0x5669_6462
    package static let migrations: [Migration] = [
        Migration(
            "store/1", number: 1,
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
            """),
        // The readings in older blocks cannot be counted here, because they are sealed: `Recount` does it at the next
        // start.
        Migration(
            "store/2", number: 2,
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
            """),
        Migration(
            "store/3", number: 3,
            """
            CREATE INDEX streams_by_sensor ON streams (gateway, sensor, serial);

            CREATE TABLE accounts (
                user TEXT PRIMARY KEY,
                email BLOB UNIQUE CHECK (length(email) = 32),
                phone BLOB UNIQUE CHECK (length(phone) = 32),
                password BLOB,
                failures INTEGER NOT NULL DEFAULT 0,
                created_ms INTEGER NOT NULL
            ) STRICT, WITHOUT ROWID;
            CREATE TABLE subjects (
                subject BLOB PRIMARY KEY CHECK (length(subject) = 32), user TEXT NOT NULL, provider TEXT NOT NULL
            ) STRICT, WITHOUT ROWID;
            CREATE INDEX subjects_by_user ON subjects (user);
            CREATE TABLE devices (
                device TEXT PRIMARY KEY,
                user TEXT NOT NULL,
                credential BLOB NOT NULL,
                created_ms INTEGER NOT NULL,
                secret_version INTEGER NOT NULL,
                name BLOB NOT NULL
            ) STRICT, WITHOUT ROWID;
            CREATE INDEX devices_by_user ON devices (user);
            CREATE TABLE documents (
                user TEXT NOT NULL, name TEXT NOT NULL, secret_version INTEGER NOT NULL, sealed BLOB NOT NULL,
                PRIMARY KEY (user, name)
            ) STRICT, WITHOUT ROWID;
            CREATE TABLE codes (
                id TEXT PRIMARY KEY,
                purpose TEXT NOT NULL,
                subject TEXT NOT NULL,
                secret BLOB NOT NULL,
                expires_ms INTEGER NOT NULL,
                tries INTEGER NOT NULL DEFAULT 0
            ) STRICT, WITHOUT ROWID;
            CREATE INDEX codes_by_subject ON codes (purpose, subject);

            CREATE TABLE gateways (
                gateway TEXT PRIMARY KEY,
                owner TEXT,
                identity BLOB NOT NULL CHECK (length(identity) = 32),
                credential BLOB NOT NULL,
                claim_key BLOB NOT NULL,
                household INTEGER NOT NULL DEFAULT 0,
                enrolled_ms INTEGER NOT NULL
            ) STRICT, WITHOUT ROWID;
            CREATE INDEX gateways_by_owner ON gateways (owner);
            CREATE TABLE claims (
                gateway TEXT NOT NULL,
                sensor TEXT NOT NULL,
                user TEXT NOT NULL,
                kinds INTEGER NOT NULL,
                claimed_ms INTEGER NOT NULL,
                PRIMARY KEY (gateway, sensor)
            ) STRICT, WITHOUT ROWID;
            CREATE INDEX claims_by_user ON claims (user);
            CREATE TABLE used_claim_codes (
                gateway TEXT NOT NULL, sensor TEXT NOT NULL, window INTEGER NOT NULL, nonce INTEGER NOT NULL,
                PRIMARY KEY (gateway, sensor, window, nonce)
            ) STRICT, WITHOUT ROWID;
            CREATE TABLE nonces (nonce BLOB PRIMARY KEY, expires_ms INTEGER NOT NULL) STRICT, WITHOUT ROWID;

            CREATE TABLE forgotten (
                user TEXT PRIMARY KEY, version INTEGER NOT NULL, time_ms INTEGER NOT NULL, account INTEGER NOT NULL
            ) STRICT, WITHOUT ROWID;
            CREATE TABLE forgotten_streams (
                id BLOB PRIMARY KEY CHECK (length(id) = 16), public_key BLOB
            ) STRICT, WITHOUT ROWID;
            """),
        Migration(
            "store/4", number: 4,
            """
            ALTER TABLE sessions ADD COLUMN after_block INTEGER NOT NULL DEFAULT 0;
            CREATE INDEX unpacked_blocks ON blocks (first_hour) WHERE type = 2;
            CREATE INDEX loose_blocks ON blocks (stream) WHERE type = 3;
            CREATE TABLE ledger_runs (
                session INTEGER NOT NULL REFERENCES sessions,
                first_seq INTEGER NOT NULL,
                digests BLOB NOT NULL,
                PRIMARY KEY (session, first_seq)
            ) STRICT, WITHOUT ROWID;

            CREATE TABLE days (
                user TEXT NOT NULL, day INTEGER NOT NULL, secret_version INTEGER NOT NULL, sealed BLOB NOT NULL,
                PRIMARY KEY (user, day)
            ) STRICT, WITHOUT ROWID;
            CREATE TABLE heart_rate_hours (
                user TEXT NOT NULL, hour INTEGER NOT NULL, secret_version INTEGER NOT NULL, sealed BLOB NOT NULL,
                PRIMARY KEY (user, hour)
            ) STRICT, WITHOUT ROWID;
            CREATE INDEX open_heart_rate_hours ON heart_rate_hours (hour);
            CREATE TABLE heart_rate_days (
                number INTEGER PRIMARY KEY,
                user TEXT NOT NULL, day INTEGER NOT NULL, secret_version INTEGER NOT NULL, sealed BLOB NOT NULL,
                UNIQUE (user, day)
            ) STRICT;
            CREATE TABLE heart_rate_months (
                number INTEGER PRIMARY KEY,
                user TEXT NOT NULL, month INTEGER NOT NULL, secret_version INTEGER NOT NULL, sealed BLOB NOT NULL,
                UNIQUE (user, month)
            ) STRICT;
            CREATE TABLE stale (
                number INTEGER PRIMARY KEY, user TEXT NOT NULL, first_hour INTEGER NOT NULL, last_hour INTEGER NOT NULL
            ) STRICT;
            CREATE INDEX stale_by_user ON stale (user);
            CREATE TABLE notifications (
                number INTEGER PRIMARY KEY,
                id TEXT NOT NULL UNIQUE,
                user TEXT NOT NULL,
                secret_version INTEGER NOT NULL,
                sealed BLOB NOT NULL,
                published INTEGER NOT NULL DEFAULT 0,
                confirmed INTEGER NOT NULL DEFAULT 0
            ) STRICT;
            CREATE INDEX notifications_by_user ON notifications (user, number);
            CREATE INDEX unpublished_notifications ON notifications (number) WHERE published = 0;
            CREATE TABLE answered (
                digest BLOB PRIMARY KEY CHECK (length(digest) = 32),
                user TEXT NOT NULL,
                secret_version INTEGER NOT NULL,
                sealed BLOB NOT NULL,
                expires_ms INTEGER NOT NULL
            ) STRICT, WITHOUT ROWID;
            CREATE INDEX answered_by_user ON answered (user);

            INSERT INTO stale (user, first_hour, last_hour)
                SELECT DISTINCT user, -2501999793, 2501999792 FROM streams WHERE user <> '';
            """),
        // Until now steps that nobody walks, and heart rates that no heart makes, were counted, too.
        Migration(
            "store/5", number: 5,
            """
            INSERT INTO stale (user, first_hour, last_hour)
                SELECT DISTINCT user, -2501999793, 2501999792 FROM streams WHERE user <> '';
            """),
        // Nobody has shown yet that the address belongs to them: `Resets` asks at the first reset.
        Migration(
            "store/6", number: 6,
            """
            ALTER TABLE accounts ADD COLUMN verified_ms INTEGER;
            ALTER TABLE accounts ADD COLUMN codes_ended_ms INTEGER NOT NULL DEFAULT 0;
            CREATE TABLE ended_gateways (gateway TEXT PRIMARY KEY) STRICT, WITHOUT ROWID;
            """),
        // `user` and `window` are words of SQL elsewhere, and `SELECT user` would quietly give the name of a role.
        Migration(
            "store/7",
            """
            ALTER TABLE streams RENAME COLUMN user TO person;
            ALTER TABLE accounts RENAME COLUMN user TO person;
            ALTER TABLE subjects RENAME COLUMN user TO person;
            ALTER TABLE devices RENAME COLUMN user TO person;
            ALTER TABLE documents RENAME COLUMN user TO person;
            ALTER TABLE claims RENAME COLUMN user TO person;
            ALTER TABLE forgotten RENAME COLUMN user TO person;
            ALTER TABLE days RENAME COLUMN user TO person;
            ALTER TABLE heart_rate_hours RENAME COLUMN user TO person;
            ALTER TABLE heart_rate_days RENAME COLUMN user TO person;
            ALTER TABLE heart_rate_months RENAME COLUMN user TO person;
            ALTER TABLE stale RENAME COLUMN user TO person;
            ALTER TABLE notifications RENAME COLUMN user TO person;
            ALTER TABLE answered RENAME COLUMN user TO person;
            ALTER TABLE used_claim_codes RENAME COLUMN window TO slot;
            """),
        // The first change of a person makes their row.
        Migration(
            "store/8", "CREATE TABLE people (person TEXT PRIMARY KEY, epoch INTEGER NOT NULL) STRICT, WITHOUT ROWID;"),
        // What older notifications are is sealed: they all count as ordinary ones.
        Migration("store/9", "ALTER TABLE notifications ADD COLUMN alert INTEGER NOT NULL DEFAULT 0;"),
        // Until now days did not keep what their steps came to.
        Migration(
            "store/10",
            """
            INSERT INTO stale (person, first_hour, last_hour)
                SELECT person, min(day) * 24 - 26, max(day) * 24 + 50 FROM days GROUP BY person;
            """),
        // Of whom older notifications are is sealed: they are found only as long as two people know each other.
        Migration(
            "store/11",
            """
            ALTER TABLE notifications ADD COLUMN about BLOB CHECK (length(about) = 32);
            CREATE INDEX notifications_about ON notifications (about) WHERE about IS NOT NULL;
            """),
        // Until now heart rates from 1 to 24 and from 241 to 250 were counted, too.
        Migration(
            "store/12",
            """
            INSERT INTO stale (person, first_hour, last_hour)
                SELECT DISTINCT person, -2501999793, 2501999792 FROM streams WHERE person <> '';
            """),
        // Until now heart rates of several sensors were summed up by minutes.
        Migration(
            "store/13",
            """
            INSERT INTO stale (person, first_hour, last_hour)
                SELECT DISTINCT person, -2501999793, 2501999792 FROM streams WHERE person <> '';
            """),
        // Until now the mean of an hour was that of its samples, and not that over its time. Where hours are still waiting, graphs of
        // years weigh them by their samples.
        Migration(
            "store/14",
            """
            DELETE FROM stale WHERE first_hour = -2501999793 AND last_hour = 2501999792;
            INSERT INTO stale (person, first_hour, last_hour)
                SELECT DISTINCT person, -2501999793, 2501999792 FROM streams WHERE person <> '';
            """),
    ]
}
