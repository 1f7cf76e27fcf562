import Daemon
import MQTT

/// Runs the emulated phone until a signal or the end of its recording.
func runPhone(_ arguments: Arguments) throws -> ExitCode {
    let settings = try PhoneSettings(arguments)
    Signals.block()
    let session = Session(settings.broker)
    let phone = EmulatedPhone(settings, session, print: printLine, onDone: { Signals.fail($0) })
    session.start(Handlers(stateChanged: { phone.changed($0) }))
    defer { withExtendedLifetime(phone) { session.stop() } }
    do { _ = try Signals.wait() } catch is EmulatedPhone.Done {}
    return .ok
}
