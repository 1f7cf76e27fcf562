import Bluetooth
import Reactor
import Telemetry

/// A scan that somebody asked for: some seconds, each device reported as it is found, all of them at the end.
///
/// BlueZ is asked for every device, and the filter is applied here: when nothing fits, whatever else was heard shows
/// whether the adapter works. Belongs to the central's loop.
final class Scan {
    static let allowedSeconds = 1...254
    static let usualSeconds = 10

    /// What Vitals can use, if a request does not say.
    static let usualServices: Set<String> = [
        GATT.heartRateService, GATT.healthThermometerService, GATT.runningSpeedAndCadenceService,
        GATT.cyclingSpeedAndCadenceService, GATT.cyclingPowerService, GATT.locationAndNavigationService,
        GATT.physicalActivityMonitorService,
    ]

    let seconds: Int
    let began = ContinuousClock.now
    private let services: Set<String>
    private let register: SensorRegister
    private let completion: (Reply.Outcome) -> Void
    private let onEnd: (Scan) -> Void
    private var token: Discovery.Token?
    private var timer: EventLoop.Timer?
    /// By their paths.
    private var found: [String: DevicePayload] = [:]
    private var told: Set<String> = []
    private var heard: Set<String> = []
    /// Devices that fit, but were too many to report.
    private var more: Set<String> = []

    /// How many are reported: not everybody could read a reply with more, and somebody may advertise with thousands of
    /// addresses.
    private static let most = 64
    private static let mostCounted = 1000

    /// - Parameters:
    ///   - services: devices that have one of them; every device if empty.
    ///   - completion: is told what to answer.
    ///   - onEnd: is told after that.
    init(
        seconds: Int, services: Set<String>, _ register: SensorRegister,
        completion: @escaping (Reply.Outcome) -> Void, onEnd: @escaping (Scan) -> Void
    ) {
        (self.seconds, self.services, self.register) = (seconds, services, register)
        (self.completion, self.onEnd) = (completion, onEnd)
    }

    var secondsLeft: Int { max(1, seconds - Int((ContinuousClock.now - began).components.seconds)) }

    func begin() {
        register.announcer.tell(.scanStarted, "Scanning Started", seconds: seconds)
        // A device that is connected does not advertise; and if somebody is looking for devices already, BlueZ
        // reports a device that it hears again only if something about it changes.
        for device in register.central.devices { hear(device) }
        token = register.central.discover()
        timer = register.central.loop.after(.seconds(seconds)) { [weak self] in self?.end() }
    }

    /// A device was heard, or something about it has changed.
    func hear(_ device: Device) {
        guard device.rssi != nil || device.isConnected else { return }
        if heard.count < Self.mostCounted { heard.insert(device.path) }
        guard services.isEmpty || !services.isDisjoint(with: device.services) else { return }
        guard found.count < Self.most || found[device.path] != nil else {
            if more.count < Self.mostCounted { more.insert(device.path) }
            return
        }
        let payload = register.payload(of: device)
        // The latest signal strength; BlueZ withdraws it once the discovery ends.
        found[device.path] = payload
        // The name may come a moment after the address.
        if !device.name.isEmpty { tell(payload, device.path) }
    }

    /// Bluetooth went away, or the gateway stops.
    func cancel(because reason: String) {
        guard stop() else { return }
        register.announcer.tell(.scanEnded, reason, seconds: seconds)
        completion(.error(ReplyError(.notReady, reason, retryAfterSeconds: 30)))
        onEnd(self)
    }

    private func tell(_ payload: DevicePayload, _ path: String) {
        guard told.insert(path).inserted else { return }
        register.announcer.tell(.found, "Device Found", device: payload)
    }

    private func stop() -> Bool {
        guard let token else { return false }
        timer?.cancel()
        token.end()
        self.token = nil
        return true
    }

    private func end() {
        guard stop() else { return }
        for (path, payload) in found { tell(payload, path) }
        let devices = found.values.sorted {
            ($0.rssi ?? -128, $1.address) > ($1.rssi ?? -128, $0.address)
        }
        let count = devices.count == 1 ? "1 device" : "\(devices.count)\(more.isEmpty ? "" : " and more") devices"
        register.announcer.tell(.scanEnded, "\(count) found", seconds: seconds)
        let help =
            devices.isEmpty ? SearchHelp.nothingFound(heard: heard.count, seconds: seconds, services: services) : []
        completion(
            .ok(
                .object(present: [
                    "seconds": .integer(Int64(seconds)), "devices": .array(devices.map(\.json)),
                    "more": more.isEmpty ? nil : .integer(Int64(more.count)),
                    "help": help.isEmpty ? nil : .array(help.map(JSON.string)),
                ])))
        onEnd(self)
    }
}

/// What to tell people who find no sensor (requirement C8).
enum SearchHelp {
    /// The adapter works, but nothing fitted.
    static func nothingFound(heard: Int, seconds: Int, services: Set<String>) -> [String] {
        let first =
            heard == 0
            ? "Nothing at all was heard in \(seconds) s: no device near advertises, or the adapter hears nothing."
            : "\(heard == 1 ? "One device was" : "\(heard) devices were") heard in \(seconds) s, none with such a service."
        return [
            first,
            "Wear it: a strap advertises only on (wet) skin, and a watch while it broadcasts its heart rate.",
            "Most sensors have one link: close the app, and switch Bluetooth off on the telephone or watch that holds it.",
            "Restart it: take the strap off its transmitter for a minute, or reset it as its maker says.",
            "Check its battery; a weak one ends the radio first.",
            heard == 0
                ? "Switch Bluetooth off and on: bluetoothctl power off, then on. If that does not help, restart the gateway's machine."
                : services.isEmpty
                    ? "Come nearer with it."
                    : "A sensor that does not advertise its services is found with an empty list of them (vitals scan --all).",
        ]
    }
}
