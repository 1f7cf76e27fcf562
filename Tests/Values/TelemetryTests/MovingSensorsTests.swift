import Testing

@testable import Telemetry

@Suite struct MovingSensorsTests {
    // MARK: Power

    @Test("reads power, and the wheel and the crank behind what is not read")
    func power() throws {
        let plain = try CyclingPower(gatt: hex("00 00 D4 00"))
        #expect(plain == CyclingPower(watts: 212))
        #expect(try CyclingPower(gatt: hex("00 00 FF FF")).watts == -1)
        // Balance and torque, then the crank; then energy, which is not read.
        let crank = try CyclingPower(gatt: hex("25 08 D4 00 64 10 20 93 01 00 04 07 00"))
        #expect(crank == CyclingPower(watts: 212, crank: .init(count: 403, time: 1024)))
        let all = try CyclingPower(gatt: hex("30 00 D4 00 39 30 00 00 00 08 93 01 00 04"))
        #expect(all.wheel == .init(count: 12_345, time: 2048) && all.crank == .init(count: 403, time: 1024))
        #expect(try all.gatt == hex("30 00 D4 00 39 30 00 00 00 08 93 01 00 04"))
        let whole = try hex("35 00 D4 00 64 10 20 39 30 00 00 00 08 93 01 00 04")
        _ = try CyclingPower(gatt: whole)
        for length in 0..<whole.count {
            #expect(fault { try CyclingPower(gatt: Array(whole.prefix(length))) } == .truncated, "\(length)")
        }
    }

    @Test("tells the wheel's rate in a power meter's ticks, and none after a pause that they cannot measure")
    func powerRates() throws {
        func meter(_ count: UInt32, _ time: UInt16) -> CyclingPower {
            CyclingPower(watts: 1, wheel: .init(count: count, time: time), crank: .init(count: 5, time: time))
        }
        var rates = CyclingRates()
        #expect(rates.add(meter(10, 0), at: 0).wheel == nil)
        // Two turns in a second: 2048 ticks of the wheel.
        #expect(rates.add(meter(12, 2048), at: 1000).wheel == 120)
        // Over a wrap of the ticks: 30,000 ms lie in between, which is too much of 32 s.
        #expect(rates.add(meter(13, 2049), at: 31_000).wheel == nil)
        #expect(rates.add(meter(14, 2049 &+ 61_439), at: 60_999).wheel != nil)
    }

    @Test("publishes power with the crank, and reads it back")
    func powerPayload() throws {
        let payload = CyclingPayload(
            CyclingPower(watts: -3, crank: .init(count: 403, time: 0)), .init(crank: 86.94), at: 7)
        let text = #"{"time":7,"crank_revolutions":403,"crank_rpm":86.9,"power_w":-3}"#
        #expect(String(decoding: payload.bytes, as: UTF8.self) == text)
        #expect(try CyclingPayload(payload: payload.bytes) == payload)
    }

    // MARK: Location

    @Test("reads a location with its height, whatever stands before and behind it")
    func location() throws {
        // Speed, distance, location, elevation, position ok; heading behind it.
        let value = "9F 00 2C 01 40 E2 01 E2 38 B1 1C 18 62 E6 06 D0 CA 00 10 27"
        let all = try LocationAndSpeed(gatt: hex(value))
        #expect(all.speedHundredths == 300 && all.distanceDecimetres == 123_456)
        #expect(all.location == .init(latitude: 481_376_482, longitude: 115_761_688))
        #expect(all.elevationHundredths == 51_920 && all.status == .ok)
        let south = try LocationAndSpeed(gatt: hex("0C 01 FF FF FF FF 00 00 00 80 9C FF FF"))
        #expect(south.location == .init(latitude: -1, longitude: .min) && south.status == .estimated)
        #expect(south.elevationHundredths == -100 && south.speedHundredths == nil && south.distanceDecimetres == nil)
        let whole = try hex(value).prefix(18)
        for length in 0..<whole.count {
            #expect(fault { try LocationAndSpeed(gatt: Array(whole.prefix(length))) } == .truncated, "\(length)")
        }
    }

    @Test("is a position only where the sensor knows it, and it is on the Earth")
    func position() throws {
        func position(_ flags: String, _ place: String) throws -> Position? {
            Position(try LocationAndSpeed(gatt: hex("\(flags) \(place) D0 CA 00")))
        }
        let munich = "E2 38 B1 1C 18 62 E6 06"
        let found = try #require(try position("8C 00", munich))
        #expect(found.latitude == 48_137_648 && found.longitude == 11_576_169 && found.altitude == 5192)
        #expect(found.source == .sensor && found.accuracy == nil)
        #expect(try position("0C 01", munich) == found)
        #expect(try position("0C 00", munich) == nil)
        #expect(try position("8C 01", munich) == nil)
        #expect(try position("8C 00", "00 00 00 7F 00 00 00 00") == nil)
        #expect(try Position(LocationAndSpeed(gatt: hex("81 00 2C 01"))) == nil)
    }

    // MARK: Motions

    @Test("a foot pod's measurement is a motion, with the distance if it has one")
    func foot() throws {
        let whole = Motion(try RunningSpeedAndCadence(gatt: hex("07 80 02 A6 4F 00 10 27 00 00")))
        #expect(whole.speed == 2500 && whole.distance == 10_000 && whole.cadence == 1660)
        #expect(whole.power == nil && whole.source == .foot)
        #expect(Motion(try RunningSpeedAndCadence(gatt: hex("00 80 02 50"))).distance == nil)
    }

    @Test("a bicycle's speed and distance follow from the wheel, and a crank at rest says nothing")
    func bicycle() throws {
        let both = CyclingSpeedAndCadence(wheel: .init(count: 1000, time: 0), crank: .init(count: 7, time: 0))
        let motion = Motion(both, .init(wheel: 171.3, crank: 87.3), wheel: 2096)
        #expect(motion.speed == 5984 && motion.distance == 20_960 && motion.cadence == 873)
        #expect(motion.power == nil && motion.source == .bicycle)
        let resting = Motion(CyclingSpeedAndCadence(crank: .init(count: 7, time: 0)), .init(), wheel: 2096)
        #expect(resting.isEmpty)
        // A counter at its end is further than any bicycle.
        let far = CyclingSpeedAndCadence(wheel: .init(count: .max, time: 0))
        #expect(Motion(far, .init(), wheel: 3500).distance == nil)
        let meter = Motion(CyclingPower(watts: 212), .init(crank: 90), wheel: 2096)
        #expect(meter.power == 212 && meter.cadence == 900 && meter.distance == nil && meter.speed == nil)
        #expect(Motion(CyclingPower(watts: -5), .init(), wheel: 2096).power == 0)
    }
}
