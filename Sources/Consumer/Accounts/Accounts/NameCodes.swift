package import Records
package import Storage
import Telemetry
import Vault

// Codes that go to the address of an account: rows of `codes`. With one, people reset their password, or show that the
// address is theirs.
//
// A code is ten characters that are hard to confuse, fifty random bits, valid once and for a limited time. Each
// name has one at a time: asking again gives the same, so that nobody can spoil another person's code by asking. It
// belongs to the keyed hash of the name and not to the account, and so a name that does not exist has one, too, which
// nobody ever gets.
//
// Tries with a code to reset a password are not counted: if some wrong tries ended a code, any stranger could end it as soon as it is sent. The
// requests that the desk lets through from all guests in that time, some eighteen thousand, guess one code in sixty
// thousand million.

/// The codes of a store for one purpose. Belongs to the thread of its store and keys.
package struct NameCodes {
    /// What a code is good for.
    package enum Purpose: String, CaseIterable {
        /// Setting a new password.
        case reset
        /// Showing that the address is the account's holder's.
        case verify

        /// How long a code is good, milliseconds.
        package var lifetime: Int64 {
            switch self {
            case .reset: 15 * 60_000
            case .verify: 24 * 3_600_000
            }
        }
    }

    package let purpose: Purpose
    package let store: Store
    package let keys: Keys

    package init(_ purpose: Purpose, store: Store, keys: Keys) {
        self.purpose = purpose
        self.store = store
        self.keys = keys
    }

    /// As somebody may write a code, in bytes.
    static let longest = 64
    /// How many codes may be valid at once; beyond that, the oldest end early.
    private static let limit = 10_000
    private static let length = 10
    /// Crockford's base 32: without I, L, O and U.
    private static let alphabet = Array("0123456789ABCDEFGHJKMNPQRSTVWXYZ".utf8)

    /// The code for a name, either the one that is out or a new one, as people read it: `0123A-BCDEF`.
    /// - Parameter now: Unix milliseconds.
    package func issue(_ lookup: [UInt8], now: Int64) throws(VaultError) -> String {
        try store.database.transaction { () throws(VaultError) in
            if let row = try row(lookup, now) {
                // The work is the same whether or not there was one.
                try remove(lookup)
                try insert(row.code, lookup, expires: row.expires)
                return Self.grouped(row.code)
            }
            try remove(lookup)
            try rows.removeExpired(at: now)
            try rows.removeAhead(of: now + purpose.lifetime)
            try rows.keep(Self.limit - 1)
            let code = try RandomBytes.draw(Self.length).map { Self.alphabet[Int($0 & 31)] }
            try insert(code, lookup, expires: now + purpose.lifetime)
            return Self.grouped(code)
        }
    }

    /// Whether this is the code that is out for a name; asking does not use it up.
    func isRight(_ given: String, _ lookup: [UInt8], now: Int64) throws(VaultError) -> Bool {
        guard let row = try row(lookup, now) else { return false }
        return isEqualInConstantTime(Self.read(given), row.code)
    }

    /// Uses a name's code up.
    /// - Returns: whether there was one.
    @discardableResult
    package func remove(_ lookup: [UInt8]) throws(VaultError) -> Bool {
        try store.database.execute(
            "DELETE FROM codes WHERE purpose = ? AND subject = ?",
            [.text(purpose.rawValue), .text(subject(lookup))]) > 0
    }

    private func row(
        _ lookup: [UInt8], _ now: Int64
    ) throws(VaultError) -> (code: [UInt8], expires: Int64)? {
        let found = try store.database.first(
            "SELECT id, secret, expires_ms FROM codes WHERE purpose = ? AND subject = ?",
            [.text(purpose.rawValue), .text(subject(lookup))]
        ) { row throws(VaultError) in
            (id: try row.text("id"), sealed: try row.blob("secret"), expires: try row.int("expires_ms"))
        }
        // A code that would live longer than any may: the clock was set back.
        guard let found, now < found.expires, found.expires <= now + purpose.lifetime else { return nil }
        return (try keys.service.open(found.sealed, context(found.id)), found.expires)
    }

    private func insert(_ code: [UInt8], _ lookup: [UInt8], expires: Int64) throws(VaultError) {
        let id = try drawnID().text
        let secret = try keys.service.seal(code, context(id))
        try rows.insert(id, of: subject(lookup), secret: secret, expires: expires)
    }

    private var rows: CodeRows { CodeRows(store.database, purpose: purpose.rawValue) }

    private func subject(_ lookup: [UInt8]) -> String { KeyFile.text(of: lookup) }

    private func context(_ id: String) -> RowContext { RowContext(purpose.rawValue, id) }

    private static func grouped(_ code: [UInt8]) -> String {
        String(decoding: code.prefix(length / 2) + [UInt8(ascii: "-")] + code.suffix(length / 2), as: UTF8.self)
    }

    /// The code as it is kept, however it was typed: in small letters, with an O for a zero, with or without the
    /// hyphen.
    private static func read(_ given: String) -> [UInt8] {
        given.utf8.compactMap { character in
            switch character {
            case UInt8(ascii: "-"), UInt8(ascii: " "): nil
            case UInt8(ascii: "o"), UInt8(ascii: "O"): UInt8(ascii: "0")
            case UInt8(ascii: "i"), UInt8(ascii: "I"), UInt8(ascii: "l"), UInt8(ascii: "L"): UInt8(ascii: "1")
            case UInt8(ascii: "a")...UInt8(ascii: "z"): character - 0x20
            default: character
            }
        }
    }
}
