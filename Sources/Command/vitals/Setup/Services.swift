import Daemon

/// The broker and the services of this machine, as systemd runs them. Where it does not, nothing is started: the
/// findings say what to run.
struct Services {
    private let places: Places
    private let hasSystemd: Bool

    /// How long systemd itself waits for a service.
    private static let limit: Duration = .seconds(120)

    init(_ places: Places, hasSystemd: Bool) { (self.places, self.hasSystemd) = (places, hasSystemd) }

    /// What starts or restarts the broker.
    var brokerCommand: String {
        hasSystemd
            ? "sudo systemctl restart mosquitto"
            : "mosquitto -c \(shellQuoted(places.broker + "/mosquitto.conf"))"
    }

    /// What starts one of ours.
    func command(_ program: String) -> String {
        let file = program == "vitals-gateway" ? places.gatewaySettings : places.consumerSettings
        return hasSystemd ? "sudo systemctl start \(program)" : "\(program) --settings \(shellQuoted(file))"
    }

    /// - Parameter isChanged: whether one of its files has been written.
    func startBroker(isChanged: Bool) -> Finding {
        guard hasSystemd else {
            guard isChanged else { return .ok("the broker's files have not changed") }
            return .problem(
                "the broker has new settings, and systemd does not run here", "restart it, and run vitals setup again",
                run: brokerCommand)
        }
        return systemctl(isChanged ? "restart" : "start", "mosquitto")
    }

    /// Starts one of ours.
    /// - Parameter isChanged: whether one of its files has been written.
    func start(_ program: String, isChanged: Bool) -> Finding {
        guard hasSystemd else {
            guard isChanged else { return .ok("the files of \(program) have not changed") }
            return .warning(
                "\(program) has new settings, and systemd does not run here", "restart it if it runs",
                run: command(program))
        }
        return systemctl(isChanged ? "restart" : "start", program)
    }

    private func systemctl(_ verb: String, _ unit: String) -> Finding {
        let hint = "see its log"
        let log = "sudo journalctl --unit \(unit) --lines 20"
        do throws(Failure) {
            let capture = try Capture("systemctl", [verb, unit], within: Self.limit)
            guard capture.status == 0 else {
                let reason = capture.complaints.first ?? "it did not end in time"
                return .problem("systemctl \(verb) \(unit): \(reason)", hint, run: log)
            }
            return .ok("\(unit) runs")
        } catch {
            return .problem(error.message, hint, run: log)
        }
    }
}
