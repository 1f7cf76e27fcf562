package import Telemetry

/// A sensor of a gateway: `home/strap`.
package struct SensorName: Hashable, CustomStringConvertible {
    package let gateway: ID
    package let sensor: ID

    package init(gateway: ID, sensor: ID) {
        self.gateway = gateway
        self.sensor = sensor
    }

    /// The name that `text` spells; nil if it is none.
    package init?(_ text: String) {
        let parts = text.split(separator: "/", omittingEmptySubsequences: false).map(String.init)
        guard parts.count == 2 else { return nil }
        do throws(MalformedValue) {
            self.init(gateway: try ID(parts[0]), sensor: try ID(parts[1]))
        } catch {
            return nil
        }
    }

    package var description: String { "\(gateway)/\(sensor)" }
}
