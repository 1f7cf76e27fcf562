import Daemon

extension Hints {
    /// Keeps the flags that a command line gives and the next one needs, too: those for the broker, the user and the
    /// gateway.
    /// - Parameter call: what the flags resulted in, as soon as it is known. A password file that is not for the broker
    ///   is the account's, and is for one command alone.
    static func use(_ arguments: Arguments, _ call: Call? = nil) throws(UsageError) {
        var words = ""
        for option in Commands.repeatedOptions where arguments.isGiven(option.name) {
            if option.name == Call.passwordFileOption {
                let file = try arguments.string(option.name)
                guard call.map({ $0.broker.passwordFile == file }) ?? arguments.isGiven("username") else { continue }
            }
            words += " --\(option.name)"
            if !option.isFlag { words += " " + shellQuoted(try arguments.string(option.name)) }
        }
        use(words, in: Commands.names)
    }
}
