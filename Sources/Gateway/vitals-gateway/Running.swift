import Daemon
import Reactor

// When a gateway runs: from the start, or from SIGHUP, to the next signal. On SIGHUP, settings and enrolment are read
// again, and the gateway restarts with them in the same process; if they have an error, it continues as before. A
// gateway that nobody has enrolled waits until somebody does: `vitals-gateway enrol` sends the signal.
//
// The state folder stays locked throughout.

/// The service.
struct Running {
    private let settingsFile: String
    private let readiness = Readiness()
    private var lock: (folder: String, lock: StateLock)?

    init(settingsFile: String) { self.settingsFile = settingsFile }

    /// Runs until SIGTERM or SIGINT.
    mutating func run() throws -> ExitCode {
        Signals.block()
        var next: GatewaySettings? = try read()
        while let settings = next {
            log.level = settings.logLevel
            try take(settings.state)
            next = try settings.isNamed ? serve(settings) : wait()
        }
        return .ok
    }

    private func read() throws -> GatewaySettings {
        try Settings.read(settingsFile, example: GatewaySettings.example, GatewaySettings.init)
    }

    private mutating func take(_ folder: String) throws {
        guard lock?.folder != folder else { return }
        try FileRights.check(folder, files: GatewaySettings.stateFiles, isService: true)
        try Identity.makeFolder(folder)
        lock = (folder, try StateLock(folder: folder))
    }

    /// Runs a gateway until a signal that ends it.
    /// - Returns: what to continue with; nil at the end.
    private func serve(_ settings: GatewaySettings) throws -> GatewaySettings? {
        let gateway = try Gateway(settings, inMemory: RuntimeFile.folder)
        try gateway.start()
        defer { gateway.stop() }
        return try nextSettings()
    }

    /// Waits until somebody has enrolled this gateway.
    private func wait() throws -> GatewaySettings? {
        log.warning(
            "not enrolled: waiting for `vitals enrol` on this machine, or `vitals-gateway enrol` with a code",
            event: .notEnrolled)
        readiness.ready(status: "not enrolled: run vitals enrol")
        guard let interval = readiness.watchdogInterval else { return try nextSettings() }
        let loop = EventLoop(name: "watchdog")
        giveSignsOfLife(every: interval, on: loop)
        loop.start()
        defer { loop.stop() }
        return try nextSettings()
    }

    private func giveSignsOfLife(every interval: Duration, on loop: EventLoop) {
        readiness.alive()
        loop.after(interval) { [unowned loop] in giveSignsOfLife(every: interval, on: loop) }
    }

    /// What to continue with after a signal: settings that were read again, or nothing.
    private func nextSettings() throws -> GatewaySettings? {
        while try Signals.wait() == .hangUp {
            do {
                let settings = try read()
                log.notice("SIGHUP: restarting with the settings as they are now", event: .settingsRead)
                return settings
            } catch {
                log.error("SIGHUP: the settings were not read again: \(inOneLine(error))", event: .settingsRefused)
            }
        }
        readiness.stopping()
        return nil
    }
}
