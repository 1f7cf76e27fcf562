import Daemon
import Features
import HouseholdSupport
import Records
import Telemetry

@testable import vitals_consumer

extension Household {
    /// The settings, through a file as ever.
    func settings(
        people: String = Household.usualPeople, port: UInt16 = 1, broker: String = "", more: String = "",
        features: [Feature] = Feature.all
    ) throws -> ConsumerSettings {
        try writeSettings(people: people, port: port, broker: broker, more: more)
        return try written(for: features)
    }

    /// The settings that were written last, by `settings` or by `open`.
    func written(for features: [Feature] = Feature.all) throws -> ConsumerSettings {
        try Settings.read(settingsFile) { section throws(SettingsError) in try ConsumerSettings(section, features) }
    }

    /// What the `readings` command prints.
    func readings(
        _ kind: ReadingKind = .heartRate, user: String = "demo", from: Int64 = -Moment.limit, to: Int64 = Moment.limit
    ) throws -> [String] {
        let command = ReadingsCommand(user: try ID(user), kind: kind, from: from, to: to)
        let settings = try written()
        return try output { descriptor in _ = try command.run(settings, output: descriptor) }
    }
}
