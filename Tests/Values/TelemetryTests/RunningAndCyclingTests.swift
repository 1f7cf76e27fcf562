import Testing

@testable import Telemetry

@Suite struct RunningAndCyclingTests {
    static func text(_ payload: some Payload) -> String { String(decoding: payload.bytes, as: UTF8.self) }

    // MARK: Running

    @Test("writes live running as documented, absent fields left out, and reads it back")
    func running() throws {
        let full = RunningPayload(
            try RunningSpeedAndCadence(gatt: hex("07 80 02 A6 4F 00 10 27 00 00")),
            steps: StepCount(1234, isDerived: true), at: 1_767_225_600_000)
        #expect(
            Self.text(full)
                == #"{"time":1767225600000,"speed_mps":2.5,"cadence":166,"stride_m":0.79,"distance_m":1000.0,"running":true,"#
                + #""steps":1234,"derived":true}"#)
        #expect(try RunningPayload(payload: full.bytes) == full)
        let walking = RunningPayload(try RunningSpeedAndCadence(gatt: hex("00 80 02 50")), at: 0)
        #expect(Self.text(walking) == #"{"time":0,"speed_mps":2.5,"cadence":80,"running":false}"#)
        #expect(try RunningPayload(payload: walking.bytes) == walking)
    }

    static func cadence(_ perMinute: UInt8) -> RunningSpeedAndCadence {
        RunningSpeedAndCadence(speed256ths: 640, cadencePerMinute: perMinute, isRunning: true)
    }

    @Test(
        "counts a minute of 166 in a minute as 166 steps, however often the foot pod tells",
        arguments: [(250, 166), (990, 164), (1000, 166), (3000, 166)] as [(Int, UInt32)])
    func oneMinute(interval: Int, expected: UInt32) {
        var steps = CadenceSteps()
        #expect(steps.steps == nil)
        // The last of those every 990 ms comes 59.4 s after the first.
        for moment in stride(from: 5000, through: 65_000 as UInt64, by: interval) {
            steps.add(Self.cadence(166), at: moment)
        }
        #expect(steps.steps == StepCount(expected, isDerived: true))
    }

    @Test("counts nothing while standing, nor over a gap of more than three seconds, nor if the clock goes back")
    func nothingKnown() {
        var steps = CadenceSteps()
        steps.add(Self.cadence(180), at: 10_000)
        #expect(steps.steps == StepCount(0, isDerived: true))
        steps.add(Self.cadence(180), at: 13_001)
        #expect(steps.steps?.counter == 0)
        steps.add(Self.cadence(180), at: 16_001)
        #expect(steps.steps?.counter == 9)
        steps.add(Self.cadence(0), at: 18_000)
        steps.add(Self.cadence(0), at: 19_000)
        #expect(steps.steps?.counter == 9)
        steps.add(Self.cadence(180), at: 1000)
        #expect(steps.steps?.counter == 9)
        steps.add(Self.cadence(180), at: 2000)
        #expect(steps.steps?.counter == 12)
    }

    @Test("wraps around as a counter of 32 bits")
    func wrapping() {
        var steps = CadenceSteps(from: .max)
        steps.add(Self.cadence(60), at: 0)
        steps.add(Self.cadence(60), at: 2000)
        #expect(steps.steps == StepCount(1, isDerived: true))
    }

    // MARK: Cycling

    @Test("writes live cycling as documented, absent fields left out, and reads it back")
    func cycling() throws {
        var rates = CyclingRates()
        let first = try CyclingSpeedAndCadence(gatt: hex("03 36 30 00 00 00 04 90 01 00 04"))
        let second = try CyclingSpeedAndCadence(gatt: hex("03 39 30 00 00 34 08 92 01 80 09"))
        #expect(
            Self.text(CyclingPayload(first, rates.add(first, at: 1000), at: 5))
                == #"{"time":5,"wheel_revolutions":12342,"crank_revolutions":400}"#)
        let payload = CyclingPayload(second, rates.add(second, at: 2000), at: 6)
        // 3 in 1076/1024 s, 2 in 1408/1024 s.
        #expect(
            Self.text(payload)
                == #"{"time":6,"wheel_revolutions":12345,"wheel_rpm":171.3,"crank_revolutions":402,"crank_rpm":87.3}"#)
        #expect(try CyclingPayload(payload: payload.bytes) == payload)
        #expect(Self.text(CyclingPayload(CyclingSpeedAndCadence(), at: 0)) == #"{"time":0}"#)
    }

    static func crank(_ count: UInt16, _ time: UInt16) -> CyclingSpeedAndCadence {
        CyclingSpeedAndCadence(crank: .init(count: count, time: time))
    }

    @Test("tells the rate of the vector, over a wrap of count and time, and none if no revolution ended")
    func rates() throws {
        var rates = CyclingRates()
        #expect(rates.add(Self.crank(0, 0), at: 0).crank == nil)
        #expect(rates.add(try CyclingSpeedAndCadence(gatt: hex("02 02 00 00 04")), at: 1000) == .init(crank: 120))
        #expect(rates.add(Self.crank(2, 1024), at: 2000).crank == nil)
        #expect(rates.add(Self.crank(3, 3072), at: 3000).crank == 30)

        var wrapping = CyclingRates()
        _ = wrapping.add(Self.crank(65_535, 65_500), at: 0)
        let crank = try #require(wrapping.add(Self.crank(0, 100), at: 1000).crank)
        #expect(abs(crank - 60 / (136.0 / 1024)) < 1e-9)
    }

    @Test("tells no rate across a pause that the sensor's clock of 64 s cannot measure, although it went on telling")
    func longPause() {
        var rates = CyclingRates()
        _ = rates.add(Self.crank(10, 0), at: 0)
        for second in 1...70 as ClosedRange<UInt64> {
            #expect(rates.add(Self.crank(10, 0), at: second * 1000).crank == nil)
        }
        #expect(rates.add(Self.crank(11, 7168), at: 71_000).crank == nil)
        #expect(rates.add(Self.crank(12, 8192), at: 72_000).crank == 60)
    }
}
