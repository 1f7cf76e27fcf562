import Daemon
import Readings
import Records
import Telemetry
import Vault

extension Consumer {
    /// A reading that was sent at once. Whatever is wrong with it, nobody is asked for anything: its block will come.
    func receivedLive(_ payload: [UInt8], _ gateway: ID) {
        do throws(VaultError) {
            guard let (stream, readings) = try ingest.live(payload, from: gateway, now: millisecondsSinceBoot()),
                let user = stream.owner, !features.context.doors.isBeingForgotten(user),
                let sensor = SensorName("\(stream.gateway)/\(stream.sensor)")
            else { return }
            features.measured(readings, of: user, by: sensor)
        } catch {
            if isDue("live") { log.warning("a reading that was sent at once was not read: \(error)") }
        }
    }
}
