import Daemon
import Fitness
import Telemetry

/// `vitals read steps` and `vitals read temperature`.
struct Read {
    private let question: Question
    private let call: Call
    private let sensor: Wanted

    /// Which sensor; nil for any.
    private enum Wanted {
        /// A sensor of a gateway; we ask the gateway itself.
        case household(String?)
        /// The asker's own, wherever it is: the consumer asks its gateway.
        case own(OwnSensor?)
    }

    init(_ question: Question, _ call: Call, _ arguments: Arguments) throws {
        self.question = question
        guard try !arguments.flag("mine") else {
            self.call = call
            sensor = .own(try arguments.optionalString("SENSOR") == nil ? nil : try OwnSensor(arguments))
            return
        }
        let named = try NamedSensor.given(arguments)
        self.call = try call.about(named, arguments)
        sensor = .household(named?.sensor)
    }

    func run() throws -> ExitCode {
        switch sensor {
        case .own(let sensor):
            let request = "\(question.rawValue)/read"
            let (data, units) = try Office.visit(call) { office in
                guard let sensor else { return (try office.ask(request), self.units(office)) }
                let data = try office.about(.gateway, sensor.gateway) { (gateway) throws(Failure) in
                    try office.ask(request, [("sensor", .string("\(gateway)/\(sensor.sensor)"))])
                }
                return (data, self.units(office))
            }
            try Output.write(try text(of: data, in: units) + "\n")
            return .ok
        case .household(let sensor): return try run(sensor)
        }
    }

    private func run(_ wanted: String?) throws -> ExitCode {
        let broker = Broker(call)
        try broker.connect()
        defer { broker.stop() }
        let household = Household(
            try broker.gather(Household.filters(call, gateway: [.status], sensor: [.availability, .info])), call.topics)
        let gateway = try household.theGateway(call)
        let sensor =
            try wanted.map { try household.sensor($0) } ?? gateway.theOnlySensor(call, "read \(question.rawValue)")
        let data = try broker.data(Inquiry(question, of: sensor), of: gateway.id)
        try Output.write(try text(of: data, in: units(Office(at: broker))) + "\n")
        return .ok
    }

    /// Steps are the same in all units.
    private func units(_ office: Office?) -> Units { question == .steps ? .metric : office?.units() ?? .metric }

    private func text(of data: JSON, in units: Units) throws(Failure) -> String {
        if call.isJSON { return String(data.line.dropLast()) }
        var time = ""
        if case .integer(let milliseconds) = data["time"] { time = " at \(LocalTime.brief(milliseconds))" }
        switch (question, data["steps"], data["celsius"]) {
        case (.steps, .integer(let steps), _): return counted(steps, "step") + remarks(data) + time
        case (.temperature, _, .number(let celsius)):
            // As exactly as the sensor says it, in its own unit.
            return (units == .metric ? "\(celsius) °C" : units.temperature(celsius).text) + remarks(data) + time
        case (.temperature, _, .integer(let celsius)):
            return units.temperature(Double(celsius)).text + remarks(data) + time
        default:
            throw Failure(
                .protocolError, "the gateway's reply has no \(question.rawValue)", hint: "--json shows what it has")
        }
    }

    /// Other things to know about a reading.
    private func remarks(_ data: JSON) -> String {
        var remarks: [String] = []
        if case .own(nil) = sensor, let sensor = data.text("sensor") { remarks.append(sensor) }
        if case .string(let site) = data["site"] { remarks.append(escaped(site)) }
        if data["intermediate"] == true { remarks.append("intermediate") }
        if data["derived"] == true { remarks.append("derived from cadence") }
        return remarks.isEmpty ? "" : " (\(remarks.joined(separator: ", ")))"
    }
}
