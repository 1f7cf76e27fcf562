import Admission
import Daemon
import Files
import Glibc
import Records

/// `vitals-consumer broker-rules FILE`: writes the file of the broker's dynamic-security plugin if it is missing or
/// damaged, or differs from the database. It must run before the broker starts, because the broker reads the file then
/// and never again.
struct BrokerRulesCommand {
    static let declaration = Command(
        name: "broker-rules",
        summary: "Writes the file of the broker's dynamic-security plugin.",
        discussion: """
            Run it before the broker starts. It uses the settings and the database, and writes FILE if that is missing or \
            damaged, or says something different; only its owner can read FILE. An operator's own clients, groups and roles \
            in it are kept. A running broker does not see the file: it writes its own copy at the next change.
            """,
        arguments: [.required("FILE", "the plugin's config_file")],
        examples: [Example("vitals-consumer broker-rules /var/lib/mosquitto/vitals.json")])

    let path: String

    /// Says what was done on `output`, a file descriptor.
    func run(_ settings: ConsumerSettings, output: CInt) throws -> ExitCode {
        guard settings.brokerRules != nil else {
            throw Failure(
                .configuration, "the settings have no broker_rules", hint: "add broker_rules: { household: \"owners\" }"
            )
        }
        let access = try access(of: settings)
        let bytes = try read()
        let existing = bytes.flatMap(PluginFile.init(bytes:))
        let wanted = try Failure.explaining { () throws(VaultError) in try PluginFile(access, keeping: existing) }
        var lines = Lines(output)
        defer { lines.flush() }
        for gateway in access.gatewaysWithoutPassword {
            log.warning("gateway \(gateway) has no password_file in the settings: it cannot sign in at the broker")
        }
        if let existing, existing.means(wanted) {
            try restrict()
            lines.write(Array("\(path) is as the database says: \(counted(access.clients.count, "client"))".utf8))
            return .ok
        }
        if let bytes, existing == nil, !bytes.isEmpty { try keep(bytes) }
        let contents = try wanted.bytes
        try Failure.explaining { () throws(VaultError) in
            try replace(path, with: contents)
        }
        let why =
            bytes == nil ? "was missing" : existing == nil ? "was damaged" : "differed from the database"
        lines.write(Array("wrote \(path), which \(why): \(counted(access.clients.count, "client"))".utf8))
        return .ok
    }

    /// A damaged file may have had clients of the operator's own.
    private func keep(_ damaged: [UInt8]) throws(Failure) {
        let copy = path + ".damaged"
        try Failure.explaining { () throws(VaultError) in
            try replace(copy, with: damaged)
        }
        log.warning("what it said is in \(copy): add your own clients and roles again")
    }

    private func access(of settings: ConsumerSettings) throws -> BrokerAccess {
        // Even if the service has never run, the broker must start first: it lets nobody in without this file.
        let isNew = Glibc.access(settings.state + "/vitals.db", F_OK) != 0
        let store = try isNew ? nil : Store(settings, readOnly: true)
        // The password files may be readable by the broker alone.
        let rights = FileRights.takeCallers()
        defer { rights.giveBack() }
        return try BrokerAccess(settings.admission, store)
    }

    /// The file is the broker's, in a folder of the broker's: root reads it only if it is a file, and not a link to
    /// something that the broker must not see.
    private func read() throws(Failure) -> [UInt8]? {
        let rights = FileRights.takeCallers()
        defer { rights.giveBack() }
        return try Failure.explaining { () throws(VaultError) in
            try SmallFile.read(path, atMost: 256 << 20, isOwn: FileRights.areRoots)
        }
    }

    private func replace(_ path: String, with bytes: [UInt8]) throws(VaultError) {
        let callers = FileRights.takeCallers()
        defer { callers.giveBack() }
        let owner = try SmallFile.owner(of: path)
        let rights = try FileRights.take(ofFolderOf: path)
        defer { rights.giveBack() }
        try SmallFile.replace(path, with: bytes, owner: FileRights.areRoots ? owner : nil)
    }

    /// An older broker may have left the file readable for everyone.
    private func restrict() throws(Failure) {
        let rights = FileRights.takeCallers()
        defer { rights.giveBack() }
        try Failure.explaining { () throws(VaultError) in try SmallFile.restrict(path) }
    }
}

extension BrokerRulesCommand: Subcommand {
    init(_ arguments: Arguments) throws { self.init(path: try arguments.string("FILE")) }
}
