import Foundation
import HouseholdSupport
import Telemetry
import TestSupport

@testable import OpenID

/// Tokens and key sets that Python has made: see tokens.py.
struct Tokens {
    let keys, all, rotated: JSON
    let good, algorithms, forged: [String: String]
    let after: String

    /// The moment at which they are shown.
    static let now = start

    /// Has them made, with nonces of `ours`.
    init(_ ours: Nonces) throws {
        func nonce(_ provider: String, _ nonces: Nonces = ours, later milliseconds: Int64 = 0) throws -> String {
            try nonces.issue(for: provider, now: Self.now + milliseconds).nonce
        }
        let given: [String: Any] = [
            "now": Self.now / 1000, "nonce": try nonce("mine"),
            "nonces": [
                "all": try nonce("all"), "elsewhere": try nonce("mine", Nonces(pepper: .random())),
                "old": try nonce("mine", later: -Nonces.lifetime), "future": try nonce("mine", later: 60_001),
                "used": try nonce("mine", later: -1),
            ],
        ]
        let folder = try TemporaryFolder()
        let input = folder.path("given.json")
        try JSONSerialization.data(withJSONObject: given).write(to: URL(fileURLWithPath: input))
        let script = URL(fileURLWithPath: #filePath).deletingLastPathComponent().appending(path: "tokens.py").path
        let made = try RunningProgram.runPython([script, input])
        let all = try withExtendedLifetime(folder) { try StrictJSON.value(Array(made.utf8)) }
        (keys, self.all, rotated) = (all["keys"] ?? .null, all["all"] ?? .null, all["rotated"] ?? .null)
        (good, algorithms, forged) = (try all.texts("good"), try all.texts("algorithms"), try all.texts("forged"))
        after = try all.text("after")
    }
}

extension JSON {
    /// An object of texts that has to be there.
    fileprivate func texts(_ name: String) throws -> [String: String] {
        guard case .object(let members)? = self[name] else { throw TestFailure("no \(name)") }
        return try members.reduce(into: [:]) { $0[$1.name] = try self[name]?.text($1.name) }
    }
}
