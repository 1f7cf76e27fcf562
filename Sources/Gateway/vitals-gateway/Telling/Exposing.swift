import Daemon
import Exposition
import ProgramSettings

extension Exposition {
    /// What the settings ask for.
    convenience init(
        _ settings: MetricsSettings, logging limitedLog: LimitedLog,
        _ make: @escaping @Sendable (_ done: @escaping @Sendable (Page) -> Void) -> Void
    ) {
        self.init(
            at: settings.listen.map { ListeningAddress(host: $0.host, port: $0.port) }, file: settings.file,
            every: settings.interval,
            problem: { problem in limitedLog.warning("metrics") { problem + $0 } }, make)
    }
}
