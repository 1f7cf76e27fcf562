import HouseholdSupport
import Telemetry
import Testing

@testable import Exercise

@Suite("Which heart rates count while a workout is under way")
struct SampleSelectionTests {
    private func strap(_ time: Int64) -> Reading {
        Reading(at: beat(time, 0).moment, .heartRate(HeartRateMeasurement(beatsPerMinute: 140, rrIntervals: [440])))
    }

    @Test("are those of the first sensor, of a chest strap before others, and of another one where that is silent")
    func hearts() {
        var selection = SampleSelection()
        func counts(_ reading: Reading, _ sensor: String) -> Bool { selection.sample(reading, sensor) != nil }
        #expect(counts(beat(0, 70), "wrist") && !counts(beat(500, 71), "other") && counts(beat(1000, 72), "wrist"))
        #expect(counts(strap(2000), "strap") && !counts(beat(2500, 200), "wrist"))
        // It tells no intervals with each value.
        #expect(counts(beat(3000, 141), "strap") && !counts(beat(18_000, 200), "wrist"))
        #expect(counts(beat(18_001, 90), "wrist") && counts(strap(19_000), "strap"))
        #expect(!counts(beat(20_000, 90), "wrist"))
        selection.beginPart()
        #expect(counts(beat(20_001, 90), "wrist"))
    }
}
