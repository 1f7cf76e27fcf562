import Daemon
import Telemetry
import Vault

/// `vitals-gateway claim-code`: shows a code that proves that its reader is at this gateway.
struct ClaimCodeCommand {
    private let settings: GatewaySettings
    private let enrolment: Enrolment

    init(_ settings: GatewaySettings) throws {
        self.settings = settings
        guard let enrolment = settings.enrolment else {
            throw Failure(
                .configuration, "this gateway was not enrolled with a code, so it cannot make claim codes",
                hint: "run vitals enrol, or give the sensor to a person in the consumer's settings")
        }
        self.enrolment = enrolment
    }

    func run(_ arguments: Arguments) throws -> ExitCode {
        let sensor = try sensor(arguments.optionalID("SENSOR"), arguments)
        if clockSource() == .unsynchronised {
            log.warning("this machine's clock is not synchronised: a code that is made with a wrong time is refused")
        }
        if !enrolment.isAgreed {
            log.notice(
                "this gateway was enrolled by an earlier version: if the code is refused as wrong, update the consumer")
        }
        let key = try enrolment.claimKey(Identity(in: settings.state))
        let code = try ClaimCode(sensor: sensor, at: unixMilliseconds(), key: key)
        print("vitals claim \(enrolment.gateway)/\(sensor) \(code.text)")
        return .ok
    }

    private func sensor(_ wanted: String?, _ arguments: Arguments) throws -> String {
        let added = try SensorMemory.read(SensorMemory.path(in: settings.state)).sensors.filter(\.isAdded).map(\.id)
        let receiver = settings.receiver.map { [$0.id.text] } ?? []
        let known = Set(settings.sensors.map(\.id.text) + added + receiver).sorted()
        let hint = known.isEmpty ? "`vitals scan` shows those nearby, `vitals connect` adds one" : nil
        let list = known.isEmpty ? "it has none" : "it has \(known.joined(separator: ", "))"
        if let wanted {
            guard known.contains(wanted) else {
                throw Failure(.notFound, "this gateway has no sensor \(wanted): \(list)", hint: hint)
            }
            return wanted
        }
        guard known.count == 1, let only = known.first else {
            throw Failure(
                .usage, "which sensor of this gateway? \(list)",
                hint: hint ?? "such as: vitals-gateway claim-code \(known[0])")
        }
        return only
    }
}
