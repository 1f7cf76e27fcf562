package import Accounts
import Desk
package import Files
package import Records
package import Telemetry

/// What a dependent tells those who may become their guardians: a code that the dependent sets. It is stored as a password
/// is, sealed in the document "verification-code".
package struct VerificationCode: Equatable {
    package static let document = "verification-code"
    /// Characters.
    static let lengths = 6...64
    /// No text of so many characters has more bytes that anybody types.
    static let maximumLength = 256

    let stored: StoredPassword
    /// When it was set, in Unix milliseconds.
    package let set: Int64
    /// The only one who is connected with it; nil if it is for everybody who knows it.
    package let guardian: AccountName?
}

extension VerificationCode {
    /// A code that is to be set: it has to be long enough, and not one of those that are tried first.
    static func new(_ text: String) throws(ReplyError) -> Password {
        let characters = Array(text)
        guard lengths.contains(characters.count) else {
            throw ReplyError(
                .invalid, "the code needs \(lengths.lowerBound) to \(lengths.upperBound) characters", field: "code")
        }
        guard text.unicodeScalars.allSatisfy({ $0.properties.generalCategory != .control }) else {
            throw ReplyError(.invalid, "the code must not contain control characters", field: "code")
        }
        guard !isGuessed(characters) else {
            throw ReplyError(.invalid, "this code is one of those that are tried first: choose another", field: "code")
        }
        return Password(text)
    }

    /// Whether a code repeats itself (`121212`, `aaaaaa`), or counts up or down (`345678`).
    private static func isGuessed(_ characters: [Character]) -> Bool {
        let isRepeated = (1...3).contains { period in
            characters.indices.dropFirst(period).allSatisfy { characters[$0] == characters[$0 - period] }
        }
        let values = characters.compactMap { $0.unicodeScalars.count == 1 ? $0.unicodeScalars.first?.value : nil }
        guard values.count == characters.count else { return isRepeated }
        let isCounting = [1, -1].contains { (step: Int64) in
            zip(values, values.dropFirst()).allSatisfy { Int64($1) - Int64($0) == step }
        }
        return isRepeated || isCounting
    }
}

extension VerificationCode {
    /// Whether somebody with this address or number, as the keyed hash of it, may be connected with it.
    func isMeant(for lookup: [UInt8]?, _ keys: Keys) throws(VaultError) -> Bool {
        guard let guardian else { return true }
        return try guardian.lookup(keys) == lookup
    }

    /// What its owner sees of it.
    var shown: KeyValuePairs<String, JSON?> {
        ["code_set": .integer(set), "code_for": guardian.map { .string($0.text) }]
    }
}

// MARK: The document

extension VerificationCode {
    init?(kept json: JSON?) {
        guard case .string(let text)? = json?["hash"], case .integer(let set)? = json?["set"],
            let bytes = Telemetry.bytes(hexadecimal: text), let stored = try? StoredPassword(bytes: bytes)
        else { return nil }
        var guardian: AccountName?
        if ["email", "phone"].contains(where: { present($0, json ?? .null) != nil }) {
            // A code for one is never one for everybody.
            guard let name = json.flatMap({ try? AccountName($0) }) else { return nil }
            guardian = name
        }
        self.init(stored: stored, set: set, guardian: guardian)
    }

    var json: JSON {
        let kept: JSON = ["hash": .string(hexadecimal(stored.bytes)), "set": .integer(set)]
        return guardian.map { kept.with($0.field, .string($0.text)) } ?? kept
    }

    /// The code that a person has set; nil if they have set none.
    package static func read(_ documents: Documents, of user: ID) throws(VaultError) -> VerificationCode? {
        VerificationCode(kept: try documents.read(Self.document, of: user))
    }
}
