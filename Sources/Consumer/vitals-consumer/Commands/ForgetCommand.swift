import Custody
import Daemon
import Features
import Glibc
import Readings
import Records
import Storage
import Telemetry

/// `vitals-consumer forget`: the operator's way to have somebody forgotten.
///
/// The databases belong to the process that holds the state folder. If none does, everything is done here. A running
/// service does it itself, when it reads the list of the forgotten again: two processes that change the streams at once
/// would get in each other's way.
struct ForgetCommand: Subcommand {
    static let declaration = Command(
        name: "forget",
        summary: "Forgets a person: deletes everything that is stored about them, and the keys to it.",
        discussion: """
            Nobody can bring it back. The account stays, with its devices and claims, unless you add --account. If the service \
            is running, the person is put on the list of the forgotten, and the service does the rest at SIGHUP (systemctl \
            reload) or at its next start. If an earlier backup is restored, the person is forgotten there, too.
            """,
        options: [
            .value("user", "ID", "the person"),
            .flag("account", "also deletes their account"),
            .flag("yes", "does not ask"),
        ],
        examples: [Example("vitals-consumer forget --user demo")])

    let user: ID
    let isWithAccount: Bool
    let isAsked: Bool

    init(_ arguments: Arguments) throws {
        user = try ID(arguments.id("user"))
        isWithAccount = try arguments.flag("account")
        isAsked = try !arguments.flag("yes")
    }

    init(user: ID, isWithAccount: Bool) {
        self.user = user
        self.isWithAccount = isWithAccount
        isAsked = false
    }

    /// Writes what was done to `output`, a file descriptor.
    func run(_ settings: ConsumerSettings, output: CInt) throws -> ExitCode {
        guard !isWithAccount || !settings.people.contains(where: { $0.user == user }) else {
            throw Failure(
                .usage, "\(user) is a person of the settings, and has no account to forget",
                hint: "take them out of \"people\", and leave out --account")
        }
        var lines = Lines(output)
        defer { lines.flush() }
        var folder: StateFolder?
        do throws(Failure) { folder = try StateFolder(settings.state) } catch {
            // The service holds the folder.
            guard error.exitCode == .temporary else { throw error }
            folder = nil
        }
        defer { withExtendedLifetime(folder) {} }
        let keys = try Keys(settings, .write)
        let store = try Store(settings)
        let version = try Failure.explaining { () throws(VaultError) in try latestVersion(store, keys) }
        guard let version else { throw Failure(.notFound, "there is no person \(user)") }
        guard isAsked ? isConfirmed() : true else { throw Failure(.declined, "nothing was done") }

        let person = Forgotten(user: user, version: version, time: unixMilliseconds(), isWithAccount: isWithAccount)
        try Failure.explaining { () throws(VaultError) in
            try ForgottenPlaces(settings, store: store, keys: keys).note(person)
        }
        guard folder != nil else {
            lines.write(Array("\(user) is on the list of the forgotten; the service does the rest at SIGHUP".utf8))
            return .ok
        }
        let proof = try Failure.explaining { () throws(VaultError) in try erase(person, settings, store, keys) }
        let finding = "\(proof.tried) sealed rows tried with every key there is, \(proof.opened) opened"
        lines.write(Array("\(user) is forgotten: \(finding)".utf8))
        return .ok
    }

    private func erase(
        _ person: Forgotten, _ settings: ConsumerSettings, _ store: Store, _ keys: Keys
    ) throws(VaultError) -> Erasure.Proof {
        let grants = Grants(store: store, keys: keys)
        let given = settings.givenSensors
        var erasure = Erasure(person, store, keys, Feature.all, given: given) { sensors throws(VaultError) in
            let people = try Claims(store: store).people(settings, only: sensors)
            try grants.settle(people, only: sensors, now: unixMilliseconds())
        }
        try erasure.finish()
        return erasure.proof
    }

    /// The latest version that there is, or was; nil if nobody of this name is known.
    private func latestVersion(_ store: Store, _ keys: Keys) throws(VaultError) -> Int64? {
        if let version = try keys.version(of: user) { return version }
        let user = Value.text(user.text)
        let isKnown = try store.database.first("SELECT 1 FROM accounts WHERE person = ?", [user], row: Row.int) != nil
        return isKnown ? try keys.forgottenVersion(of: self.user) : nil
    }

    private func isConfirmed() -> Bool {
        let account = isWithAccount ? ", with the account" : ""
        print("Everything of \(user) will be deleted\(account), for good. To continue, type the person's id:")
        return readLine() == user.text
    }
}
