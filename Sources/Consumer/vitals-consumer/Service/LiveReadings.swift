import Daemon
import Readings
import Records
import Telemetry
import Vault

extension Consumer {
    /// A reading that was sent at once. Whatever is wrong with it, nobody is asked for anything: its block will come.
    func receivedLive(_ payload: [UInt8], _ gateway: ID) {
        do throws(VaultError) {
            switch try ingest.live(payload, from: gateway, now: millisecondsSinceBoot()) {
            case .ignored: return
            case .tooMany:
                guard let count = told.count("live \(gateway)", now: millisecondsSinceBoot()) else { return }
                log.warning(
                    """
                    gateway \(gateway) sends more at once than any gateway does: \(counted(count, "live block")) not looked \
                    at; what is recorded comes in other blocks. The gateway is broken, or somebody else controls it
                    """)
            case .taken(let stream, let readings):
                guard let user = stream.owner, !features.context.doors.isBeingForgotten(user),
                    let sensor = SensorName("\(stream.gateway)/\(stream.sensor)")
                else { return }
                features.measured(readings, of: user, by: sensor)
            }
        } catch {
            if isDue("live") { log.warning("a reading that was sent at once was not read: \(error)") }
        }
    }
}
