import Telemetry
import Vault

/// What people agree to be shown to others: the document "consent". Nothing, unless they say so.
struct Consents {
    /// What can be agreed to.
    static let names = ["location", "motion", "steps"]
    private static let document = "consent"

    let documents: Documents

    init(_ documents: Documents) { self.documents = documents }

    /// What a person has said of each; nil where they have not.
    func said(by user: ID) throws(VaultError) -> [String: Bool] {
        let kept = try documents.read(Self.document, of: user)
        var said: [String: Bool] = [:]
        for name in Self.names { if case .bool(let value)? = kept?[name] { said[name] = value } }
        return said
    }

    /// Whether friends see a person's steps.
    func showsSteps(_ user: ID) throws(VaultError) -> Bool { try said(by: user)["steps"] ?? false }

    /// Keeps what a person says, within a transaction.
    func keep(_ said: [String: Bool], of user: ID) throws(VaultError) {
        let members = Self.names.compactMap { name in said[name].map { JSON.Member(name, .bool($0)) } }
        try documents.write(.object(members), Self.document, of: user)
    }

    /// Somebody makes a friend, and friends see each other's steps: who has never said anything of it agrees by that. Who has said no has
    /// said no.
    func makeFriend(_ user: ID) throws(VaultError) {
        var said = try said(by: user)
        guard said["steps"] == nil else { return }
        said["steps"] = true
        try keep(said, of: user)
    }
}
