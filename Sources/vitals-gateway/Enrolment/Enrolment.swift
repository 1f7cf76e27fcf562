import Daemon
import Glibc
import Telemetry
import Vault

/// What enrolling by a code has left in the state folder: who this gateway is, and whose acknowledgements it believes.
///
///     enrolment.json     gateway, its user at the broker, the consumer's public key, the key of claim codes
///     broker.password    what the broker checks that user by
///
/// Both are their owner's alone. The password is written first, so that whoever finds the one finds the other.
struct Enrolment {
    let gateway: ID
    /// The consumer's Ed25519 public key.
    let consumer: [UInt8]
    /// The broker's name for this gateway.
    let username: String
    /// Makes claim codes; the consumer has it, too.
    let claimKey: SymmetricKey

    static func passwordFile(in state: String) -> String { "\(state)/broker.password" }
    private static func path(in state: String) -> String { "\(state)/enrolment.json" }

    /// The enrolment in a state folder; nil where there is none.
    static func read(in state: String) throws(Failure) -> Enrolment? {
        let path = path(in: state)
        do {
            guard let bytes = try SmallFile.read(path, atMost: 4096) else { return nil }
            return try Enrolment(JSON(payload: bytes))
        } catch let error as VaultError where error.code == EACCES {
            let user = owner(of: state) ?? "USER"
            throw Failure(
                .configuration, "\(path) is for \(user) alone",
                hint:
                    "run this as that user: sudo -u \(user) …; such as: vitals enrol --show | sudo -u \(user) vitals-gateway enrol"
            )
        } catch {
            throw Failure(
                .configuration, "\(path) cannot be used: \(error)",
                hint: "enrol the gateway again: vitals-gateway enrol --again")
        }
    }

    /// Whose a file is; nil where that cannot be told.
    static func owner(of path: String) -> String? {
        var status = stat()
        guard stat(path, &status) == 0 else { return nil }
        return getpwuid(status.st_uid).map { String(cString: $0.pointee.pw_name) } ?? "#\(status.st_uid)"
    }

    init(gateway: ID, consumer: [UInt8], username: String, claimKey: SymmetricKey) {
        self.gateway = gateway
        self.consumer = consumer
        self.username = username
        self.claimKey = claimKey
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
            username: try text("username"), claimKey: try SymmetricKey(KeyFile.bytes(of: text("claim_key"))))
    }

    /// Makes it the enrolment of a state folder. When this returns it is on the disk.
    func write(in state: String, password: String) throws(VaultError) {
        try SmallFile.replace(Self.passwordFile(in: state), with: Array(password.utf8) + [UInt8(ascii: "\n")])
        let json: JSON = [
            "gateway": .string(gateway.text), "consumer": .string(KeyFile.text(of: consumer)),
            "username": .string(username), "claim_key": .string(KeyFile.text(of: claimKey.bytes)),
        ]
        try SmallFile.replace(Self.path(in: state), with: json.bytes + [UInt8(ascii: "\n")])
    }
}
