import Bluetooth
import Reactor
import TestSupport
import Testing

/// A central on a private bus, with an emulated sensor that stands in for BlueZ there.
final class Bench {
    let bus: PrivateBus
    let central: Central
    let events = Record<Central.Event>()
    private(set) var sensor: RunningProgram?

    private let options: [String]

    /// - Parameter options: the emulated sensor's.
    init(
        startsSensor: Bool = true, _ options: [String] = [], limits: Central.Limits = .init(),
        mayPair: @escaping @Sendable (Device) -> Bool = { _ in false }
    ) throws {
        self.options = options
        bus = try PrivateBus()
        let events = events
        central = Central(bus: bus.centralAddress, limits: limits, mayPair: mayPair) { events.append($0) }
        central.start()
        if startsSensor { try startSensor() }
    }

    deinit {
        central.stop()
        sensor?.end()
    }

    func startSensor() throws {
        let started = try RunningProgram(
            "vitals-sensor", ["stand-in", "--bus", bus.addressText, "--synthesise", "--speed", "20"] + options)
        sensor = started
        guard started.line(containing: "ready") != nil else { throw TestFailure("the sensor: \(started.text)") }
    }

    /// Tells the emulated sensor what to do, and waits until it has.
    func command(_ line: String) {
        #expect(sensor?.obeys(line) == true)
    }

    /// Runs on the central's loop and waits for an answer.
    func ask<Answered: Sendable>(_ body: @escaping @Sendable (@escaping @Sendable (Answered) -> Void) -> Void)
        -> Answered?
    {
        let answer = Answer<Answered>()
        central.loop.perform { body { answer.set($0) } }
        return answer.wait(atMost: limit)
    }

    /// Runs a call of the central; nil if it succeeded.
    func outcome(_ call: @escaping @Sendable (Central, @escaping Central.Completion<Void>) -> Void) -> BluetoothError? {
        central.outcome(call)
    }

    /// The emulated sensor, found, connected and resolved.
    func connected() throws -> Device {
        let token = Holder<Discovery.Token>()
        central.loop.perform { [central] in token.value = central.discover() }
        let found = try #require(device { $0.name == "Vitals HRM" })
        central.loop.perform { token.value = nil }
        #expect(outcome { $0.connect(found, completion: $1) } == nil)
        return try #require(device { $0.isConnected && $0.isResolved })
    }

    /// A device that is as wanted, now or later.
    func device(where isWanted: @escaping @Sendable (Device) -> Bool) -> Device? {
        central.loop.sync { [central] in central.devices.first(where: isWanted) } ?? events.device(where: isWanted)
    }

    func characteristic(_ uuid: String, of device: Device) throws -> Characteristic {
        let all = central.loop.sync { [central] in central.characteristics(of: device) }
        return try #require(all.first { $0.uuid == uuid })
    }

    func read(_ characteristic: Characteristic) -> Result<[UInt8], BluetoothError>? {
        ask { [central] done in central.read(characteristic) { done($0) } }
    }
}

// Proof of @unchecked: touched on the central's loop only.
final class Holder<Value>: @unchecked Sendable { var value: Value? }

extension Record<Central.Event> {
    func device(where isWanted: (Device) -> Bool) -> Device? {
        let event = first { if case .device(let device) = $0 { isWanted(device) } else { false } }
        guard case .device(let device) = event else { return nil }
        return device
    }

    func state(_ wanted: (Central.State) -> Bool) -> Bool {
        first { if case .state(let state) = $0 { wanted(state) } else { false } } != nil
    }
}

extension PrivateBus {
    var centralAddress: Central.Bus { .address(addressText) }
}

extension Central {
    /// Makes a call on the loop, and waits for its end; nil if it succeeded.
    func outcome(_ call: @escaping @Sendable (Central, @escaping Completion<Void>) -> Void) -> BluetoothError? {
        let answer = Answer<BluetoothError?>()
        loop.perform { [self] in
            call(self) { result in
                if case .failure(let error) = result { answer.set(error) } else { answer.set(nil) }
            }
        }
        return answer.wait(atMost: limit) ?? BluetoothError(attempt: "wait", name: "no answer", message: "")
    }
}
