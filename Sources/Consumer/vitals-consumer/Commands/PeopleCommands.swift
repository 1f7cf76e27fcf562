import Accounts
import Daemon
import Records
import Storage
import Telemetry

// What operators do about accounts while the service is running: each is one transaction, for which the service waits.

/// `vitals-consumer people`: lists accounts.
struct PeopleCommand: Subcommand {
    static let declaration = Command(
        name: "people",
        summary: "Lists the people who have an account, one JSON object on each line, the oldest first.",
        discussion: "It works while the service is running. Without --show, it does not say who they are.",
        options: [.flag("show", "also the e-mail address or phone number")],
        examples: [Example("vitals-consumer people --show")])

    private let showsContact: Bool

    init(_ arguments: Arguments) throws { showsContact = try arguments.flag("show") }

    /// Writes to `output`, a file descriptor.
    func run(_ settings: ConsumerSettings, output: CInt) throws(Failure) -> ExitCode {
        let keys = try Keys(settings, .read)
        let store = try Store(settings, readOnly: true)
        var lines = Lines(output)
        try Failure.explaining { () throws(VaultError) in
            let documents = Documents(store: store, keys: keys)
            for account in try AccountRows(store: store, keys: keys).all() {
                let devices =
                    try store.database.first(
                        "SELECT count(*) FROM devices WHERE person = ?", [.text(account.user.text)], row: Row.int) ?? 0
                let contact = showsContact ? try documents.read("contact", of: account.user) : nil
                let line = JSON.object(present: [
                    "user": .string(account.user.text), "created": .integer(account.created),
                    "devices": .integer(devices), "locked": .bool(account.failures >= Attempts.lock),
                    "email": contact?["email"], "phone": contact?["phone"],
                ])
                lines.write(line.bytes)
            }
        }
        lines.flush()
        return .ok
    }
}

/// Whose account is meant: one of --user, --email and --phone.
struct AccountChoice {
    static let options: [Option] = [
        .value("user", "ID", "the account's id, as `people` lists it"),
        .value("email", "ADDRESS", "or its e-mail address"),
        .value("phone", "NUMBER", "or its phone number, with the country code"),
    ]

    private enum Choice {
        case user(ID)
        case name(AccountName)
    }

    private let choice: Choice

    init(_ arguments: Arguments) throws {
        let given = try ["user", "email", "phone"].filter { try arguments.optionalString($0) != nil }
        guard given.count == 1, let option = given.first, let text = try arguments.optionalString(option) else {
            throw arguments.refusal(of: given.last ?? "user", "give one of --user, --email and --phone")
        }
        if option == "user" {
            choice = .user(try ID(arguments.id("user")))
            return
        }
        do throws(ReplyError) { choice = .name(try AccountName([option: .string(text)])) } catch {
            throw arguments.refusal(of: option, error.message)
        }
    }

    /// The account, which has to be there.
    func account(_ rows: AccountRows) throws(Failure) -> StoredAccount {
        let found = try Failure.explaining { () throws(VaultError) in
            switch choice {
            case .user(let user): try rows.account(of: user)
            case .name(let name): try rows.account(name.lookup(rows.keys))
            }
        }
        guard let found else {
            throw Failure(.notFound, "there is no such account", hint: "`vitals-consumer people --show` lists them")
        }
        return found
    }
}

/// `vitals-consumer reset-password`: prints a code.
struct ResetPasswordCommand: Subcommand {
    static let declaration = Command(
        name: "reset-password",
        summary: "Prints a code with which a person sets a new password.",
        discussion: """
            Give it to nobody but the person: for 15 minutes, anybody who has it can take the account over. The person enters it with \
            `reset-password`, which signs out all of their devices and unlocks a locked account. It works while the service is running.
            """,
        options: AccountChoice.options,
        examples: [
            Example("vitals-consumer reset-password --email ada@example.org"),
            Example("vitals-consumer reset-password --phone '+49 151 23456789'"),
        ])

    private let choice: AccountChoice

    init(_ arguments: Arguments) throws { choice = try AccountChoice(arguments) }

    func run(_ settings: ConsumerSettings, output: CInt) throws(Failure) -> ExitCode {
        try run(settings, now: unixMilliseconds(), output: output)
    }

    func run(_ settings: ConsumerSettings, now: Int64, output: CInt) throws(Failure) -> ExitCode {
        let keys = try Keys(settings, .write)
        let store = try Store(settings)
        let account = try choice.account(AccountRows(store: store, keys: keys))
        guard let lookup = account.lookup else {
            throw Failure(.usage, "\(account.user) signs in with a provider, and has no password to reset")
        }
        let code = try Failure.explaining { () throws(VaultError) in
            try NameCodes(.reset, store: store, keys: keys).issue(lookup, now: now)
        }
        var lines = Lines(output)
        lines.write(Array(code.utf8))
        lines.flush()
        return .ok
    }
}

/// `vitals-consumer unlock`: opens an account that too many failures have locked.
struct UnlockCommand: Subcommand {
    static let declaration = Command(
        name: "unlock",
        summary: "Unlocks an account that too many wrong passwords have locked; the password stays.",
        discussion:
            "It works while the service runs. After the last failure there is still up to a quarter of an hour to wait.",
        options: AccountChoice.options,
        examples: [Example("vitals-consumer unlock --user abcdefghijklmnop")])

    private let choice: AccountChoice

    init(_ arguments: Arguments) throws { choice = try AccountChoice(arguments) }

    /// Says so on `output`, a file descriptor.
    func run(_ settings: ConsumerSettings, output: CInt) throws(Failure) -> ExitCode {
        let keys = try Keys(settings, .write)
        let store = try Store(settings)
        let rows = AccountRows(store: store, keys: keys)
        let account = try choice.account(rows)
        try Failure.explaining { () throws(VaultError) in
            try store.change(account.user) { () throws(VaultError) in try rows.clearFailures(of: account.user) }
        }
        Lines.write("\(account.user) can sign in again", to: output)
        return .ok
    }
}
