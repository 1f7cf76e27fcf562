/// A dbus-daemon of the test's own, in a folder of its own, for as long as the value lives.
public final class PrivateBus {
    /// Where it listens, as D-Bus writes addresses.
    public let addressText: String
    /// The folder of its own, for whatever else the test needs.
    public let folder: TemporaryFolder
    private let daemon: RunningProgram

    /// Starts it, and waits until it listens.
    public init() throws {
        folder = try TemporaryFolder()
        addressText = "unix:path=\(folder.path("bus"))"
        daemon = try RunningProgram(
            "dbus-daemon",
            ["--session", "--nofork", "--nopidfile", "--address=\(addressText)", "--print-address=1"])
        // It prints its address once it listens.
        guard daemon.line(containing: "unix:") != nil else { throw TestFailure("dbus-daemon: \(daemon.text)") }
    }

    /// Ends the daemon, as a restart of the machine's bus would.
    public func kill() { daemon.end(9) }

    deinit { kill() }
}
