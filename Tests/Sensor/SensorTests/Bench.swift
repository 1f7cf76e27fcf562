import DBus
import Foundation
import Reactor
import Synchronization
import TestSupport
import Testing

@testable import vitals_sensor

/// A stand-in on a bus of its own, and a client that watches it.
final class Bench {
    let bus: PrivateBus
    let loop = EventLoop(name: "test")
    let client: BusClient
    private let parts: Parts
    let printed = Lines()

    /// What the loop's thread owns.
    // Proof of @unchecked: filled and read on the loop's thread only, and emptied after its end.
    final class Parts: @unchecked Sendable {
        var sensor: Sensor?
        var standIn: StandIn?
        var peripheral: Peripheral?
    }

    /// Lines that were printed.
    final class Lines: Sendable {
        private let lines = Mutex<[String]>([])
        func append(_ line: String) { lines.withLock { $0.append(line) } }
        var all: [String] { lines.withLock { $0 } }
    }

    /// - Parameters:
    ///   - rows: lines of a recording with the columns of `header`.
    ///   - change: makes the world different from the quick one that tests have.
    init(
        rows: [String] = ["0,70,10,36.6", "1,80,12,36.7", "2,90,15,36.8"], speed: Double = 1,
        header: String = "elapsed_s,heart_rate_bpm,steps,temperature_c", profile: Profile = .strap,
        isPrivate: Bool = false, rate: Double? = nil,
        change: (inout StandInSettings) -> Void = { _ in }
    ) throws {
        let csv = Array(([header] + rows).joined(separator: "\n").utf8)
        let activity = try RecordedActivity(csv: csv, name: "test.csv", isRepeated: false)
        bus = try PrivateBus()
        loop.start()
        var settings = StandInSettings()
        settings.radioDelay = .milliseconds(5)
        settings.disconnectDelay = .milliseconds(20)
        settings.connectTimeout = .milliseconds(200)
        settings.lingering = .milliseconds(50)
        settings.bus = bus.address
        change(&settings)
        client = try BusClient(bus.address, on: loop)
        parts = Parts()
        let ready = Answer<String>()
        let (loop, bus, parts, printed) = (loop, bus, parts, printed)
        loop.perform { [settings, address = bus.address] in
            let connection = Connection(on: loop)
            try? connection.open(address)
            let peripheral = Peripheral(
                name: profile.name, address: "C0:FF:EE:00:00:01", isPrivate: isPrivate, profile: profile,
                activity: activity, speed: speed, rate: rate, on: loop)
            let standIn = StandIn(on: connection, [peripheral], settings)
            parts.peripheral = peripheral
            parts.standIn = standIn
            parts.sensor = Sensor(
                [peripheral], as: standIn, on: connection, endsWithActivities: true,
                print: { line in
                    printed.append(line)
                    ready.set(line)
                }, onDone: { ready.set("\($0)") })
            parts.sensor?.begin()
        }
        guard ready.wait(atMost: limit) == "ready" else { throw TestFailure("not ready: \(printed.all)") }
        _ = client.call("/", "org.freedesktop.DBus.ObjectManager", "GetManagedObjects")
        client.clear()
    }

    deinit {
        let (parts, client) = (parts, client)
        loop.sync { parts.standIn?.connection.close() }
        client.close()
        // What the callbacks lead to goes after the thread.
        loop.stop()
        (parts.sensor, parts.standIn, parts.peripheral) = (nil, nil, nil)
    }

    /// Gives a command; answers what was printed for it.
    @discardableResult
    func command(_ line: String) -> [String] {
        loop.sync { [parts, printed] in
            let before = printed.all.count
            parts.sensor?.follow(line: line)
            return Array(printed.all[before...])
        }
    }

    /// Looks at the peripheral on its own thread.
    func peripheral<Result: Sendable>(_ look: @escaping @Sendable (Peripheral) -> Result) -> Result? {
        loop.sync { [parts] in parts.peripheral.map(look) }
    }

    /// Finds the device.
    func discover() throws {
        _ = try client.adapter("StartDiscovery").get()
        client.wait(for: "added dev Device1")
        _ = try client.adapter("StopDiscovery").get()
    }

    /// Finds it, connects, and waits for its services. What is heard is not forgotten in the meantime.
    func connect() throws {
        _ = try client.adapter("StartDiscovery").get()
        client.wait(for: "added dev Device1")
        try reconnect()
        let noted = client.events
        _ = try client.adapter("StopDiscovery").get()
        client.wait(for: "hci0 Discovering=false")
        client.clear(to: noted)
    }

    func reconnect() throws {
        client.clear()
        _ = try client.device("Connect").get()
        client.wait("ServicesResolved=true") { events in events.contains { $0.contains("ServicesResolved=true") } }
        client.wait(for: "added dev Battery1")
    }
}

/// Where the attributes are.
enum Path {
    static let heartRate = "service000e/char000f"
    static let location = "service000e/char0012"
    static let controlPoint = "service000e/char0014"
    static let battery = "service0016/char0017"
    static let temperatureIndication = "service0025/char0026"
    static let steps = "service002c/char002d"
    static let temperature = "service002c/char002f"
}
