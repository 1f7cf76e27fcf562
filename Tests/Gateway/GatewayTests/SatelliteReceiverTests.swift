import Daemon
import Fitness
import MQTT
import Positioning
import Reactor
import Telemetry
import TestSupport
import Testing

@testable import vitals_gateway

@Suite("A satellite receiver beside the gateway", .timeLimit(.minutes(60)))
struct SatelliteReceiverTests {
    /// What a receiver keeps of some events, each at a moment.
    private func kept(_ events: [(event: ReceiverEvent, now: Moment)]) throws -> [Reading] {
        let loop = EventLoop(name: "receiver")
        loop.start()
        defer { loop.stop() }
        let session = Session(Options(host: "127.0.0.1", port: 1, clientID: ""))
        let announcer = Announcer(try ID("home"), try Topics(), on: session, publishingLive: true, telling: nil)
        var readings: [Reading] = []
        let receiver = SatelliteReceiver(
            try receiverSettings("{}"), on: loop, telling: announcer, logging: LimitedLog()
        ) { readings.append($0) }
        for (event, now) in events { receiver.take(event, at: now) }
        return readings
    }

    private func receiverSettings(_ text: String) throws -> ReceiverSettings {
        let folder = try TemporaryFolder()
        let file = try folder.write("{ gateway: \"home\", receiver: \(text) }", to: "gateway.json5")
        return try #require(try Settings.read(file, GatewaySettings.init).receiver)
    }

    private func fix(_ time: Int64, latitude: Double = 48.137154) -> ReceiverFix {
        var fix = ReceiverFix(
            time: time, place: Place(latitude: latitude, longitude: 11.576124), hasAltitude: true)
        (fix.altitudeMetres, fix.accuracyMetres) = (519.2, 3.5)
        return fix
    }

    private static let start: Int64 = 1_795_252_800_000

    @Test("has the fix's own time, by both clocks, where it agrees with the gateway's")
    func time() throws {
        let now = Moment(wall: Self.start + 1200, monotonic: 90_000)
        let readings = try kept([(.connected("3.25"), now), (.fix(fix(Self.start)), now)])
        let position = try #require(
            Position(
                latitude: 48.137154, longitude: 11.576124, altitudeMetres: 519.2, accuracyMetres: 3.5,
                source: .receiver))
        #expect(readings == [Reading(at: Moment(wall: Self.start, monotonic: 88_800), .position(position))])
        // The clock was not set.
        var clock = BootClock(offset: now.wall - Int64(now.monotonic))
        let wasSet = clock.observe(readings[0].moment)
        #expect(!wasSet)
    }

    @Test("has the gateway's time where one of the clocks is wrong", arguments: [-1001, 4001, 1024 * 7 * 86_400_000])
    func wrongClock(age: Int64) throws {
        let now = Moment(wall: Self.start + age, monotonic: 9_000_000)
        #expect(try kept([(.fix(fix(Self.start)), now)]).map(\.moment) == [now])
        let early = Moment(wall: Self.start + 500, monotonic: 400)
        #expect(try kept([(.fix(fix(Self.start)), early)]).map(\.moment) == [early])
    }

    @Test("is kept once in a second, however often it tells its place")
    func oncePerSecond() throws {
        let events = (0..<30).map { tenth in
            let time = Self.start + Int64(tenth) * 100
            return (event: ReceiverEvent.fix(fix(time)), now: Moment(wall: time, monotonic: UInt64(1000 + tenth)))
        }
        #expect(try kept(events).map(\.moment.wall) == [0, 1000, 2000].map { Self.start + $0 })
    }

    @Test("is where the settings say, and gpsd's usual place otherwise; its id is nobody else's")
    func settings() throws {
        let usual = try receiverSettings("{}")
        #expect(usual.id.text == "receiver" && usual.address == .usual)
        let other = try receiverSettings("{ id: \"gps\", host: \"::1\", port: 2948 }")
        #expect(other.id.text == "gps" && other.address.description == "[::1]:2948")
        for wrong in ["{ host: \"gps.example\" }", "{ port: 0 }", "{ id: \"A\" }", "[]"] {
            #expect(throws: SettingsError.self) { try receiverSettings(wrong) }
        }
        #expect(throws: SettingsError.self) {
            try receiverSettings("{ id: \"strap\" }, sensors: { strap: { name: \"H10\" } }")
        }
    }

    @Test("through the real gpsd: its positions are recorded, and the household hears only that it is there")
    func real() throws {
        let gpsd = try GPSDaemon()
        let bus = try PrivateBus()
        let home = try RecordingHome(bus: bus, #"receiver: { id: "strap", port: \#(gpsd.port) },"#)
        var (second, epochs) = (0, 0)
        // Sixteen epochs are four seconds.
        let isEnough = {
            if home.everything.text.contains("sensors/strap/availability online") { epochs += 1 }
            return epochs > 16
        }
        let next = {
            second += 1
            return NMEA.fix(at: unixMilliseconds() / 1000 - 1, north: 31.2 + Double(second) / 10_000)
        }
        let isFound = try gpsd.feed(until: isEnough, next)
        #expect(isFound, "\(home.gateway.text)\n\(home.everything.text)")
        #expect(try home.payloads("info", count: 1)[0]["capabilities"] == ["location"])
        let readings = try home.recorded()
        #expect(readings.count >= 3)
        for reading in readings {
            guard case .position(let position) = reading.value else { throw TestFailure("\(reading)") }
            #expect(position.source == .receiver && position.latitude / 1_000_000 == 52)
            // The satellites' time is whole seconds.
            #expect(reading.moment.wall % 1000 == 0)
        }
        #expect(Set(readings.map(\.moment.wall)).count == readings.count)
        #expect(!home.everything.text.contains("52.5"))
    }
}
