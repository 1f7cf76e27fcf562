@testable import Daemon
@testable import vitals_consumer
@testable import vitals_gateway

/// Settings files, as the programs read theirs.
func fuzzSettings(_ bytes: [UInt8]) {
    read(bytes, GatewaySettings.init)
    read(bytes, ConsumerSettings.init)
    // It is asked only about what the decoder refuses; but it must come to an end with anything.
    _ = JSON5Fault.find(in: bytes)
}

private func read<Value>(_ bytes: [UInt8], _ make: (Section) throws(SettingsError) -> Value) {
    do throws(SettingsError) {
        _ = try Settings.parse(bytes, path: "settings.json5", make)
    } catch {
        // One line and a hint, harmless to a terminal.
        let lines = error.description.split(separator: "\n", omittingEmptySubsequences: false)
        hold(lines.count <= 2, "an error is a line and a hint: \(lines)")
        for line in lines { hold(escaped(String(line)) == String(line), "an error can be shown: \(lines)") }
    }
}
