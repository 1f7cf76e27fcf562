import Daemon

/// One of the commands, as opposed to the service.
protocol Subcommand {
    static var declaration: Command { get }

    init(_ arguments: Arguments) throws

    /// Runs the command; its output goes to `output`, a file descriptor.
    func run(_ settings: ConsumerSettings, output: CInt) throws -> ExitCode
}
