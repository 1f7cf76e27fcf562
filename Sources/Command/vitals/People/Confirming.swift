import Daemon
import Telemetry

/// Proof that the person themselves asks, before something is done that cannot be undone: the account's password, or an
/// ID token of the provider that they sign in with.
struct Confirming {
    private let call: Call
    private let arguments: Arguments

    static let options: [Option] = [
        .value("provider", "NAME", "the provider that you sign in with, if the account has no password"),
        .value("token-file", "FILE", "a file whose first line is a new ID token of that provider"),
    ]

    /// The text about it in the help of a command that has these options.
    static let explanation = """
        It takes the account's password: typed at the terminal, where it is not shown, or the first line of --password-file, or \
        from standard input. If you sign in with a provider, it takes a new ID token from the provider in a file; with \
        --provider alone, it prints the nonce that the token has to have.
        """

    init(_ call: Call, _ arguments: Arguments) {
        (self.call, self.arguments) = (call, arguments)
    }

    /// Prints a nonce, if only that was asked for.
    /// - Returns: nil if it was not.
    func drawNonce() throws -> ExitCode? {
        guard let provider = try arguments.optionalString("provider"), try arguments.optionalString("token-file") == nil
        else { return nil }
        let command = arguments.command.joined(separator: " ")
        return try SigningIn(call, arguments).drawNonce(provider, for: command)
    }

    /// The fields of the request.
    /// - Parameter account: what the consumer says about the account: `has_password` and `providers`.
    func fields(_ account: JSON) throws -> [(String, JSON?)] {
        guard account["has_password"] != true else {
            let file = try arguments.optionalString("password-file")
            return [("password", .string(try Secret.password("Password: ", file: file)))]
        }
        let providers = account.list("providers").map(\.words)
        guard let only = providers.first else { return [] }
        guard let file = try arguments.optionalString("token-file") else {
            let command = arguments.command.joined(separator: " ")
            throw Failure(
                .usage,
                "you sign in with \(providers.joined(separator: " and ")): this takes a new ID token from there",
                hint: "vitals \(command) --provider \(shellQuoted(only)) prints the nonce that it has to have")
        }
        let provider = try arguments.optionalString("provider") ?? only
        return [("provider", .string(provider)), ("id_token", .string(try Secret.line(of: file)))]
    }
}
