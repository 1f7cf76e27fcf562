import Bluetooth
import DBus
import Reactor
import TestSupport
import Testing

@Suite("Connecting")
struct ConnectingTests {
    private static let device1 = "org.bluez.Device1"

    /// A Connect that BlueZ has been asked for, and has not answered; its outcome is awaited.
    private func begin(_ bench: BlueZBench) throws -> Answer<BluetoothError?> {
        let device = try bench.device()
        try bench.peer().hold("Connect")
        let outcome = Answer<BluetoothError?>()
        bench.central.loop.perform { [central = bench.central] in
            central.connect(device) { result in
                if case .failure(let error) = result { outcome.set(error) } else { outcome.set(nil) }
            }
        }
        try #require(bench.peer().calls.first { $0 == "Connect \(BlueZ.strap)" } != nil)
        return outcome
    }

    /// BlueZ answers, and the central has its answer.
    private func answer(_ bench: BlueZBench) throws {
        try bench.peer().release(with: nil)
        try bench.peer().change(BlueZ.strap, Self.device1, ["RSSI": .int16(-42)])
        #expect(bench.events.device { $0.rssi == -42 } != nil)
    }

    @Test("is done when the link is there, whichever BlueZ tells first", arguments: [true, false])
    func done(isLinkFirst: Bool) throws {
        let bench = try BlueZBench()
        let outcome = try begin(bench)
        if isLinkFirst { try bench.peer().change(BlueZ.strap, Self.device1, ["Connected": .bool(true)]) }
        try answer(bench)
        if !isLinkFirst {
            #expect(outcome.wait(atMost: .zero) == nil)
            try bench.peer().change(BlueZ.strap, Self.device1, ["Connected": .bool(true)])
        }
        #expect(outcome.wait(atMost: limit) == .some(nil))
    }

    @Test("is done when the link is there, even if BlueZ never reports it")
    func untold() throws {
        let bench = try BlueZBench()
        let outcome = try begin(bench)
        try bench.peer().changeSilently(BlueZ.strap, Self.device1, ["Connected": .bool(true)])
        try answer(bench)
        #expect(outcome.wait(atMost: limit) == .some(nil))
        #expect(bench.events.device { $0.isConnected } != nil)
    }

    @Test("fails if the link has ended before BlueZ said that it is done")
    func endedAgain() throws {
        let bench = try BlueZBench()
        let outcome = try begin(bench)
        try bench.peer().change(BlueZ.strap, Self.device1, ["Connected": .bool(true)])
        try bench.peer().change(BlueZ.strap, Self.device1, ["Connected": .bool(false)])
        try answer(bench)
        let error = outcome.wait(atMost: limit).flatMap { $0 }
        #expect(error?.isOffline == true && error?.message == "the link has ended again")
    }

    @Test("fails if BlueZ says that it is done, and removes the device")
    func removed() throws {
        let bench = try BlueZBench()
        let outcome = try begin(bench)
        try answer(bench)
        try bench.peer().remove(BlueZ.strap, [Self.device1])
        #expect(outcome.wait(atMost: limit).flatMap { $0 }?.isOffline == true)
    }

    @Test("fails if BlueZ says that it is done, and goes")
    func restarted() throws {
        let bench = try BlueZBench()
        let outcome = try begin(bench)
        try answer(bench)
        try bench.restartBlueZ()
        #expect(outcome.wait(atMost: limit).flatMap { $0 }?.isOffline == true)
    }

    @Test("is not affected by an earlier Connect, whose answer may come later")
    func again() throws {
        let bench = try BlueZBench()
        let earlier = try begin(bench)
        let device = try bench.device()
        let outcome = Answer<BluetoothError?>()
        bench.central.loop.perform { [central = bench.central] in
            central.connect(device) { result in
                if case .failure(let error) = result { outcome.set(error) } else { outcome.set(nil) }
            }
        }
        // It is answered at once, before there is a link.
        try bench.peer().calls.wait { $0.count { $0 == "Connect \(BlueZ.strap)" } == 2 }
        try bench.peer().change(BlueZ.strap, Self.device1, ["RSSI": .int16(-42)])
        #expect(bench.events.device { $0.rssi == -42 } != nil)
        let canceled = DBusError(name: "org.bluez.Error.Failed", message: "br-connection-canceled")
        try bench.peer().release(with: canceled)
        #expect(earlier.wait(atMost: limit).flatMap { $0 }?.isOffline == true)
        #expect(outcome.wait(atMost: .zero) == nil)
        try bench.peer().change(BlueZ.strap, Self.device1, ["Connected": .bool(true)])
        #expect(outcome.wait(atMost: limit) == .some(nil))
    }
}
