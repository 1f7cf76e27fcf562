import Daemon
import Fitness
import Glibc
import MQTT
import Telemetry

// `vitals watch`: heart rates, running and cycling, a line each. All lines of a batch go out in one write, as soon as
// the batch is there: prompt when they are few, cheap when they are many.

/// `vitals watch`.
struct Watch {
    private let call: Call
    private let wanted: String?
    private var sensor: ID?
    /// How many measurements are still to be shown; nil without an end.
    private var left: Int?
    private let style = Style()

    /// The last known states of gateways and sensors, by topic: only a change is worth a line.
    private var lastStates: [Topic: Availability] = [:]
    private var gateways: Set<ID> = []
    /// Topics with measurements that cannot be read, and that were reported.
    private var malformed: Set<Topic> = []
    private var isCutOff = false
    private var board: WorkoutBoard
    /// Those of the person who watches.
    private var units = Units.metric

    init(_ call: Call, _ arguments: Arguments) throws {
        self.call = call
        wanted = try NamedSensor.given(arguments)?.sensor
        left = try arguments.optionalInteger("count", in: 1...Int.max)
        board = WorkoutBoard(of: wanted == nil && left == nil && !call.isJSON ? call.credential?.user : nil, call)
    }

    mutating func run() throws -> ExitCode {
        // People end it with Ctrl-C; nothing needs cleaning up that the end of the process does not clean up.
        signal(SIGINT) { _ in _exit(ExitCode.ok.rawValue) }
        let broker = Broker(call, isPatient: true)
        try broker.connect()
        defer { broker.stop() }
        units = Office(at: broker)?.units() ?? .metric
        let first = try broker.gather(
            Household.filters(
                call, gateway: [.status, .events], sensor: [.availability, .info, .heartRate, .running, .cycling]))
        let household = Household(first, call.topics)
        sensor = try wanted.map { try household.sensor($0) }
        noteAbsence(household)
        if let topic = board.topic { broker.listen(to: [topic]) }
        var events = first.map(Event.message)
        while true {
            var lines = ""
            for event in events where left != 0 { show(event, in: &lines) }
            guard try Output.write(board.painted(below: lines, units)), left != 0 else { return .ok }
            repeat {
                guard !Output.readerHasGone else { return .ok }
                events = broker.next(within: .seconds(1))
            } while events.isEmpty && !board.isShown
        }
    }

    /// People who wait for something that cannot come should know.
    private func noteAbsence(_ household: Household) {
        if !household.gateways.contains(where: \.isOnline) {
            Output.note(
                "no gateway\(call.gateway.map { " \($0)" } ?? "") is online at \(call.broker.address) yet; waiting")
        } else if let sensor, !household.gateways.contains(where: { $0.sensors.contains { $0.id == sensor } }) {
            Output.note("no gateway has a sensor \(sensor) yet; waiting")
        }
    }

    private mutating func show(_ event: Event, in lines: inout String) {
        switch event {
        case .message(let message): show(message, in: &lines)
        case .state(.waiting(let reason, _)):
            if !isCutOff { Output.note("\(reason.sentence); waiting for the broker") }
            isCutOff = true
        case .state(.connected):
            if isCutOff { Output.note("connected to \(call.broker.address) again") }
            isCutOff = false
        case .problem(let error): Output.note("\(error)")
        case .missed(let count):
            Output.note(
                "\(counted(count, "message")) \(count == 1 ? "was" : "were") not shown: the output is read too slowly")
        case .state, .answered, .replied: break
        }
    }

    private mutating func show(_ message: Message, in lines: inout String) {
        guard message.topic != board.topic else { return board.take(message.payload, units, in: &lines) }
        guard let topic = call.topics.parse(message.topic), case .gateway(let gateway, let rest) = topic else { return }
        gateways.insert(gateway)
        switch rest {
        case .sensor(let id, .heartRate) where isWanted(id):
            show(HeartRatePayload.self, message, topic, gateway, id, in: &lines)
        case .sensor(let id, .running) where isWanted(id):
            show(RunningPayload.self, message, topic, gateway, id, in: &lines)
        case .sensor(let id, .cycling) where isWanted(id):
            show(CyclingPayload.self, message, topic, gateway, id, in: &lines)
        case .sensor(let id, .availability) where isWanted(id):
            guard let state = try? Availability(payload: message.payload) else { return }
            showState(state, topic, label(gateway, id), in: &lines)
        case .status:
            guard let state = try? StatusPayload(payload: message.payload).state else { return }
            showState(state, topic, "gateway \(gateway)", in: &lines)
        case .events: showEvent(message.payload, gateway, in: &lines)
        default: break
        }
    }

    private mutating func show<Measured: Measurement>(
        _ kind: Measured.Type, _ message: Message, _ topic: Topic, _ gateway: ID, _ sensor: ID, in lines: inout String
    ) {
        let payload: Measured
        do throws(MalformedValue) { payload = try Measured(payload: message.payload) } catch {
            if malformed.insert(topic).inserted {
                Output.note("\(gateway)/\(sensor): \(kind.article) that cannot be read: \(error)")
            }
            return
        }
        // The workout has it, too.
        guard !board.isShown else { return }
        lines += call.isJSON ? json(payload, gateway, sensor) : text(payload, label(gateway, sensor))
        lines += "\n"
        if let count = left { left = count - 1 }
    }

    private func json(_ payload: some Payload, _ gateway: ID, _ sensor: ID) -> String {
        var members = [JSON.Member("gateway", .string(gateway.text)), JSON.Member("sensor", .string(sensor.text))]
        if case .object(let rest) = payload.json { members += rest }
        return String(decoding: JSON.object(members).bytes, as: UTF8.self)
    }

    private func text(_ payload: some Measurement, _ label: String) -> String {
        let cells = [style.dim(LocalTime.timeOfDay(payload.time)), style.cyan(label)] + payload.cells(style, units)
        return cells.joined(separator: "  ")
    }

    private mutating func showState(_ state: Availability, _ topic: Topic, _ label: String, in lines: inout String) {
        guard lastStates.updateValue(state, forKey: topic) != state, !call.isJSON else { return }
        lines += aside("\(label) is \(state.rawValue)", unixMilliseconds())
    }

    /// Connections are left out: availability says the same. So is what somebody's scan finds.
    private func showEvent(_ bytes: [UInt8], _ gateway: ID, in lines: inout String) {
        guard !call.isJSON, let event = try? EventPayload(payload: bytes) else { return }
        let id = event.sensor.flatMap { try? ID($0) }
        guard sensor == nil || sensor == id else { return }
        let what: String? =
            switch event.kind {
            case .found: id == nil ? nil : "found"
            case .readFailed: "read failed" + (event.message.map { ": \($0)" } ?? "")
            case .silent, .bondLost, .otherDevice, .bluetooth: event.message
            default: nil
            }
        guard let what else { return }
        let who = id.map { label(gateway, $0) } ?? "gateway \(gateway)"
        lines += aside("\(who): \(what)", event.time)
    }

    private func aside(_ text: String, _ time: Int64) -> String {
        style.dim("\(LocalTime.timeOfDay(time))  \(escaped(text))") + "\n"
    }

    private func isWanted(_ id: ID) -> Bool { sensor == nil || sensor == id }

    /// The sensor's id, after its gateway's if there are several.
    private func label(_ gateway: ID, _ sensor: ID) -> String {
        gateways.count > 1 ? "\(gateway)/\(sensor)" : sensor.text
    }
}

/// What a sensor publishes as it comes, for people.
private protocol Measurement: Payload {
    /// What it is, with its article.
    static var article: String { get }
    var time: Int64 { get }
    /// What it says, piece by piece.
    func cells(_ style: Style, _ units: Units) -> [String]
}

extension HeartRatePayload: Measurement {
    fileprivate static var article: String { "a heart rate" }

    fileprivate func cells(_ style: Style, _ units: Units) -> [String] {
        var cells = [style.bold("\(bpm) bpm")]
        if let contact { cells.append(contact ? "contact" : style.yellow("no contact")) }
        if let rrMilliseconds {
            cells.append("RR " + rrMilliseconds.map(String.init).joined(separator: " ") + " ms")
        }
        if let energyKilojoules { cells.append("\(energyKilojoules) kJ") }
        return cells
    }
}

extension RunningPayload: Measurement {
    fileprivate static var article: String { "a running measurement" }

    fileprivate func cells(_ style: Style, _ units: Units) -> [String] {
        var cells = [
            running ? "running" : "walking", style.bold(speed(units)),
            "cadence \(cadence)",
        ]
        if let strideMetres { cells.append("stride \(length(strideMetres, units))") }
        if let distanceMetres { cells.append(length(distanceMetres, units)) }
        if let steps { cells.append(counted(steps, "step") + (derived == true ? " (derived)" : "")) }
        return cells
    }
}

extension RunningPayload {
    /// As the sensor says it, or in the person's units.
    private func speed(_ units: Units) -> String {
        units == .metric ? "\((metresPerSecond * 100).rounded() / 100) m/s" : units.speed(metresPerSecond).text
    }

    private func length(_ metres: Double, _ units: Units) -> String {
        guard units == .imperial else { return "\(metres) m" }
        let feet = metres / Units.metresPerFoot
        return feet < 10 ? "\(decimal(feet, 1)) ft" : units.distance(metres).text
    }
}

extension CyclingPayload: Measurement {
    fileprivate static var article: String { "a cycling measurement" }

    fileprivate func cells(_ style: Style, _ units: Units) -> [String] {
        let power = watts.map { [style.bold("\($0) W")] } ?? []
        let turns = [("wheel", wheelRevolutions, wheelPerMinute), ("crank", crankRevolutions, crankPerMinute)]
        return power
            + turns.compactMap { name, revolutions, perMinute in
                revolutions.map { "\(name) \($0)" + (perMinute.map { " at " + style.bold("\($0) rpm") } ?? "") }
            }
    }
}
