import Daemon
import Files
import Telemetry
import Vault

/// What enrolling with a code has left in the state folder: this gateway's name, and the consumer whose
/// acknowledgements it trusts.
///
///     enrolment.json     gateway, its user at the broker, the consumer's public key, the code's half of the claim key
///     broker.password    the password with which that user signs in to the broker
///
/// Only their owner may read them. The password is written first, so if there is an enrolment, there is also a
/// password.
struct Enrolment {
    let gateway: ID
    /// The consumer's Ed25519 public key.
    let consumer: [UInt8]
    /// The broker's name for this gateway.
    let username: String
    /// What came from the enrolment code; the claim key is derived from it and from the identities.
    let codeKey: SymmetricKey
    /// Whether the consumer said that it derives the claim key from the identities, too. Earlier versions did not, and
    /// said nothing.
    let isAgreed: Bool

    /// Their names in the state folder.
    static let (file, password) = ("enrolment.json", "broker.password")

    static func passwordFile(in state: String) -> String { "\(state)/\(password)" }
    private static func path(in state: String) -> String { "\(state)/\(file)" }

    /// The enrolment in a state folder; nil if there is none.
    static func read(in state: String) throws(Failure) -> Enrolment? {
        let path = path(in: state)
        do {
            guard let bytes = try SmallFile.read(path, atMost: 4096) else { return nil }
            return try Enrolment(JSON(payload: bytes))
        } catch {
            throw Failure(
                .configuration, "\(path) cannot be used: \(error)",
                hint: "enrol the gateway again: vitals-gateway enrol --again")
        }
    }

    init(gateway: ID, consumer: [UInt8], username: String, codeKey: SymmetricKey, isAgreed: Bool) {
        self.gateway = gateway
        self.consumer = consumer
        self.username = username
        self.codeKey = codeKey
        self.isAgreed = isAgreed
    }

    /// The key that makes claim codes; the consumer has it, too.
    func claimKey(_ identity: Identity) throws(VaultError) -> SymmetricKey {
        try ClaimKey.atGateway(identity.key, consumer: consumer, codeKey: codeKey)
    }

    private init(_ json: JSON) throws {
        func text(_ name: String) throws(MalformedValue) -> String {
            guard case .string(let text) = json[name] else {
                throw MalformedValue("enrolment", .notAllowed("\"\(name)\" is missing"))
            }
            return text
        }
        self.init(
            gateway: try ID(text("gateway")), consumer: try KeyFile.bytes(of: text("consumer")),
            username: try text("username"), codeKey: try SymmetricKey(KeyFile.bytes(of: text("claim_key"))),
            isAgreed: json["agreed"] == true)
    }

    /// Makes it the enrolment of a state folder. When this returns, it is on the disk.
    func write(in state: String, password: String) throws(VaultError) {
        try SmallFile.replace(Self.passwordFile(in: state), with: Array(password.utf8) + [UInt8(ascii: "\n")])
        let json: JSON = [
            "gateway": .string(gateway.text), "consumer": .string(KeyFile.text(of: consumer)),
            "username": .string(username), "claim_key": .string(KeyFile.text(of: codeKey.bytes)),
            "agreed": .bool(isAgreed),
        ]
        try SmallFile.replace(Self.path(in: state), with: json.bytes + [UInt8(ascii: "\n")])
    }
}
