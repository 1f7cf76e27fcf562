package import Daemon
import ProgramSettings
package import Records
package import Telemetry

/// One of `people`, or a person who has claimed a sensor.
package struct PersonSettings {
    package let user: ID
    package let sensors: [SensorName]
    /// The kinds of readings that are recorded of them.
    package let kinds: Grant.Kinds

    package init(user: ID, sensors: [SensorName], kinds: Grant.Kinds) {
        self.user = user
        self.sensors = sensors
        self.kinds = kinds
    }

    package init(_ user: String, _ section: Section) throws(SettingsError) {
        self.user = try section.validID(user)
        var sensors: [SensorName] = []
        for text in try section.strings("sensors", default: []) {
            guard let sensor = SensorName(text) else {
                throw section.refusal(
                    of: "sensors", "\"\(text)\" names no sensor", hint: "such as sensors: [\"home/strap\"]")
            }
            sensors.append(sensor)
        }
        self.sensors = sensors
        var kinds: Grant.Kinds = []
        // Where somebody was is kept only if the settings say so.
        let usual = ReadingKind.allCases.filter { $0 != .position }
        for name in try section.strings("kinds", default: usual.map(\.rawValue)) {
            guard let kind = ReadingKind(rawValue: name) else {
                let known = ReadingKind.allCases.map(\.rawValue).joined(separator: ", ")
                throw section.refusal(of: "kinds", "\"\(name)\" is not one of \(known)")
            }
            kinds.formUnion(kind.bit)
        }
        self.kinds = kinds
    }
}
