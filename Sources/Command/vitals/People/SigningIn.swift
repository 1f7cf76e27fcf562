import Daemon
import Glibc
import Telemetry

// `vitals sign-up`, `sign-in`, `sign-out`. Signing in leaves a credential of this device on this machine,
// which the other commands use with the same broker.

/// Signs up, signs in and signs out.
struct SigningIn {
    private let call: Call
    private let arguments: Arguments

    init(_ call: Call, _ arguments: Arguments) {
        (self.call, self.arguments) = (call, arguments)
    }

    func signUp() throws -> ExitCode {
        try refuseIfSignedIn()
        let name = try AccountName(arguments.string("NAME"))
        warnOfOpenConnection()
        let password = try Secret.password("Password: ", file: passwordFile, isNew: true)
        return try enter("sign-up", [name.field, ("password", .string(password)), device])
    }

    func signIn() throws -> ExitCode {
        try refuseIfSignedIn()
        warnOfOpenConnection()
        let provider = try arguments.optionalString("provider")
        guard let provider else {
            let name = try AccountName(arguments.string("NAME"))
            let password = try Secret.password("Password: ", file: passwordFile)
            return try enter("sign-in", [name.field, ("password", .string(password)), device])
        }
        guard try arguments.optionalString("NAME") == nil else {
            throw arguments.refusal(of: "provider", "takes no NAME: the provider says who you are")
        }
        guard let file = try arguments.optionalString("token-file") else { return try drawNonce(provider) }
        let token = JSON.string(try Secret.line(of: file))
        return try enter("sign-in-with", [("provider", .string(provider)), ("id_token", token), device])
    }

    /// What the provider has to put into the token, so that it is good for one sign-in here.
    /// - Parameter command: the command that takes the token afterwards.
    func drawNonce(_ provider: String, for command: String = "sign-in") throws -> ExitCode {
        let data = try Office.visit(call, isGuest: true) { try $0.ask("nonce", [("provider", .string(provider))]) }
        guard let nonce = data.text("nonce") else { throw Failure(.protocolError, "the consumer's reply has no nonce") }
        try Output.write(call.isJSON ? data.line : nonce + "\n")
        Output.note(
            "ask \(provider) for an ID token with this nonce, then: vitals \(command) --provider \(shellQuoted(provider)) "
                + "--token-file FILE")
        return .ok
    }

    private func enter(_ request: String, _ fields: [(String, JSON?)]) throws -> ExitCode {
        guard let place = call.place else {
            throw Failure(.configuration, "there is no place to store a sign-in", hint: "set HOME, or XDG_CONFIG_HOME")
        }
        let data = try Office.visit(call, isGuest: true) { try $0.ask(request, fields, within: .usually(.seconds(30))) }
        guard case .string(let user) = data["user"], case .string(let device) = data["device"],
            case .string(let password) = data["password"]
        else { throw Failure(.protocolError, "the consumer's reply has no credential") }
        try Credential(user: try ID(user), device: try ID(device)).write(place, password: password)
        guard !call.isJSON else {
            // The password is for the file alone.
            try Output.write(data.without("password").line)
            return .ok
        }
        try Output.write((data.text("message") ?? "Signed in") + "\n")
        return .ok
    }

    /// Shows that the account's address is one's own, or has another code sent there.
    func verify() throws -> ExitCode {
        let code = try arguments.optionalString("CODE")
        let data = try Office.visit(call) { office in
            guard let code else { return try office.ask("account/send-code") }
            return try office.ask("account/verify", [("code", .string(code))])
        }
        guard !call.isJSON else {
            try Output.write(data.line)
            return .ok
        }
        try Output.write((data.text("message") ?? "Done") + "\n")
        return .ok
    }

    func signOut() throws -> ExitCode {
        guard let place = call.place, let credential = call.credential else {
            throw Office.notSignedIn(call)
        }
        // Done whatever the consumer says: the person wants this machine to forget the sign-in.
        defer { Credential.remove(place) }
        do {
            _ = try Office.visit(call) { try $0.ask("account/sign-out", [("device", .string(credential.device.text))]) }
        } catch let error as Failure where error.exitCode == .refused {
            // The device was signed out before, and what is stored here was useless.
        } catch let error as Failure
            where error.code == ReplyError.Code.notSupported.rawValue && error.field == "accounts"
        {
            // In a home without accounts, what is stored here is all that there is of a sign-in.
        } catch let error as Failure {
            // A person of the settings does not have a device's name, and nothing that could be revoked.
            let isDevice = credential.device != credential.user
            throw Failure(
                error.exitCode, "signed out here, but the consumer was not told: \(error.message)",
                hint: isDevice ? "from another device: vitals devices revoke \(credential.device)" : error.hint)
        }
        try Output.write(call.isJSON ? "{}\n" : "Signed out\n")
        return .ok
    }

    // MARK: What both need

    private var passwordFile: String? { get throws { try arguments.optionalString("password-file") } }

    /// How this device appears in the list of devices.
    private var device: (String, JSON?) {
        get throws {
            var name = [CChar](repeating: 0, count: 65)
            let host =
                gethostname(&name, 64) == 0
                ? String(decoding: name.prefix { $0 != 0 }.map(UInt8.init), as: UTF8.self) : ""
            let given = try arguments.optionalString("device")
            return ("device", (given ?? (host.isEmpty ? nil : host)).map(JSON.string))
        }
    }

    /// If the broker does not accept what an earlier sign-in left, as after a password reset, that does not count as
    /// a sign-in: it is replaced.
    private func refuseIfSignedIn() throws(Failure) {
        guard let credential = call.credential else { return }
        let broker = Broker(call)
        defer { broker.stop() }
        do { try broker.connect() } catch {
            guard error.exitCode == .refused else { throw error }
            return
        }
        throw Failure(
            .usage, "already signed in at \(call.broker.address), as \(credential.user)",
            hint: "vitals account shows who that is; vitals sign-out ends it")
    }

    private func warnOfOpenConnection() {
        guard call.isOpen else { return }
        Output.note("\(call.broker.address) is not reached over TLS: anybody on the way can read the password (--tls)")
    }
}

/// The name by which an account is known.
struct AccountName {
    let field: (String, JSON?)

    /// An e-mail address, or a phone number.
    init(_ text: String) {
        field = (text.contains("@") ? "email" : "phone", .string(text))
    }
}
