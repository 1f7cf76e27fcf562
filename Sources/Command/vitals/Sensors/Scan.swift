import Daemon
import MQTT
import Telemetry

/// `vitals scan`: lets the gateway look for devices, and shows each as it is found.
struct Scan {
    private let call: Call
    private let seconds: Int
    /// As the gateway accepts them; nil leaves the choice to it.
    private let services: [String]?
    private let style = Style()

    init(_ call: Call, _ arguments: Arguments) throws {
        self.call = call
        seconds = try arguments.integer("seconds", in: 1...254)
        let named = try arguments.strings("service")
        for name in named where GATT.service(named: name) == nil {
            throw arguments.refusal(of: "service", "expected a name such as heart-rate, or a UUID, found \(name)")
        }
        let isAll = try arguments.flag("all")
        guard named.isEmpty || !isAll else { throw arguments.refusal(of: "all", "cannot be combined with --service") }
        services = isAll ? [] : named.isEmpty ? nil : named
    }

    func run() throws -> ExitCode {
        let broker = Broker(call)
        try broker.connect()
        defer { broker.stop() }
        // What is found from now on comes as events; nothing reports what was found last week.
        let kept = try broker.gather(Household.filters(call, gateway: [.status, .events], sensor: []))
        let gateway = try Household(kept, call.topics).theGateway(call)
        let services = services.map { JSON.array($0.map(JSON.string)) }
        let inquiry = try Inquiry("scan", [("seconds", .integer(Int64(seconds))), ("services", services)])
        var told: Set<String> = []
        let data = try broker.data(inquiry, of: gateway.id, within: .seconds(seconds) + call.timeout) {
            (event) throws(Failure) in try show(event, of: gateway.id, &told)
        }
        let devices = try Self.devices(of: data)
        if call.isJSON {
            try Output.write(devices.map { json($0, gateway.id) }.joined())
        } else {
            try Output.write(devices.filter { !told.contains($0.address) }.map(line).joined())
        }
        guard !devices.isEmpty else {
            throw Failure(
                .unavailable, "gateway \(gateway.id) found no device in \(seconds) s", hint: Self.help(in: data))
        }
        if !call.isJSON { try Output.write(summary(of: devices)) }
        return .ok
    }

    private func show(_ event: Event, of gateway: ID, _ told: inout Set<String>) throws(Failure) {
        guard !call.isJSON, case .message(let message) = event,
            call.topics.parse(message.topic) == .gateway(gateway, .events),
            let event = try? EventPayload(payload: message.payload)
        else { return }
        switch event.kind {
        case .scanStarted: try Output.write("Scanning Started\n")
        case .found:
            guard let device = event.device, told.insert(device.address).inserted else { return }
            try Output.write(line(device))
        default: break
        }
    }

    // MARK: Text

    /// `Device Found  * Polar H10             C0:FF:EE:00:00:01  -61 dBm   95 %  heart-rate, battery  (strap)`, the
    /// star if it is connected. The columns are as wide as usual values, since nobody knows yet what will come.
    private func line(_ device: DevicePayload) -> String {
        let name = device.name.map(escaped) ?? "(no name)"
        var cells = [
            "Device Found", (device.connected ? "* " : "  ") + style.bold(padded(name, 20)), escaped(device.address),
            strength(device.rssi), device.battery.map { padded("\($0) %", 5, isNumber: true) } ?? "     ",
            services(of: device),
        ]
        if let sensor = device.sensor { cells.append(style.cyan("(\(escaped(sensor)))")) }
        var line = cells.joined(separator: "  ")
        while line.last == " " { line.removeLast() }
        return line + "\n"
    }

    /// Those that have a name, and how many others there are: a connected device lists all its services. What every
    /// device has (Generic Access and Generic Attribute) is not worth mentioning.
    private func services(of device: DevicePayload) -> String {
        let others = device.services.filter { GATT.uuid($0) == $0 && ![0x1800, 0x1801].map(GATT.uuid).contains($0) }
        let named = device.services.filter { GATT.uuid($0) != $0 }.map(escaped)
        return (named + (others.isEmpty ? [] : ["\(others.count) more"])).joined(separator: ", ")
    }

    private func strength(_ rssi: Int?) -> String {
        guard let rssi else { return padded("-", style.bars(0) == nil ? 8 : 13) }
        let text = padded("\(rssi) dBm", 8)
        // What a strap's radio needs, from "just about" to "right next to it".
        let count = [-90, -80, -67, -55].count { rssi >= $0 }
        return style.bars(count).map { "\($0) \(text)" } ?? text
    }

    private func padded(_ text: String, _ width: Int, isNumber: Bool = false) -> String {
        let blank = String(repeating: " ", count: max(0, width - text.count))
        return isNumber ? blank + text : text + blank
    }

    private func summary(of devices: [DevicePayload]) -> String {
        var text = counted(devices.count, "device") + " found"
        if devices.contains(where: \.connected) { text += "; * is connected" }
        // The text to paste must be an address and nothing else, whatever the gateway says.
        if let new = devices.first(where: { $0.sensor == nil && Self.isAddress($0.address) }) {
            text += "\n" + Hints.completed("to connect one: vitals connect \(new.address)")
        }
        return text + "\n"
    }

    /// Whether a text is the address of a device: six bytes in hexadecimal digits, with colons between them.
    private static func isAddress(_ text: String) -> Bool {
        let bytes = text.utf8.split(separator: UInt8(ascii: ":"), omittingEmptySubsequences: false)
        return bytes.count == 6
            && bytes.allSatisfy { byte in byte.count == 2 && byte.allSatisfy { Character(UnicodeScalar($0)).isHexDigit }
            }
    }

    private func json(_ device: DevicePayload, _ gateway: ID) -> String {
        var members = [JSON.Member("gateway", .string(gateway.text))]
        if case .object(let rest) = device.json { members += rest }
        return JSON.object(members).line
    }

    // MARK: The reply

    private static func devices(of data: JSON) throws(Failure) -> [DevicePayload] {
        guard case .array(let list) = data["devices"] else {
            throw Failure(
                .protocolError, "the gateway's reply has no devices",
                hint: "are the gateway and vitals of the same version?")
        }
        do throws(MalformedValue) {
            return try list.map { (json) throws(MalformedValue) in try DevicePayload(payload: json.bytes) }
        } catch {
            throw Failure(.protocolError, "the gateway's reply cannot be read: \(error)")
        }
    }

    private static func help(in data: JSON) -> String? {
        guard case .array(let lines) = data["help"] else { return nil }
        let texts = lines.compactMap { if case .string(let text) = $0 { escaped(text) } else { nil } }
        return texts.isEmpty ? nil : texts.joined(separator: "\n")
    }
}
