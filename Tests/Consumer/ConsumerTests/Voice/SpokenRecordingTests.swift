import Foundation
import HouseholdSupport
import Telemetry
import TestSupport
import Testing

/// How a person listens to a workout.
struct Ear: Sendable, CustomTestStringConvertible {
    let locale: String
    let units: String
    /// As `voice/set` takes it.
    let every: Int64
    let unit: String

    static let all = [
        Ear(locale: "en-GB", units: "metric", every: 1, unit: "kilometres"),
        Ear(locale: "en-US", units: "imperial", every: 5, unit: "minutes"),
        Ear(locale: "de-DE", units: "metric", every: 5, unit: "minutes"),
        Ear(locale: "de-AT", units: "imperial", every: 1, unit: "miles"),
    ]

    var language: String { String(locale.prefix(2)) }
    var testDescription: String { "\(language) \(units) \(every) \(unit)" }
}

/// Something that is said, and how many seconds after the beginning.
private struct Said: Decodable, Equatable {
    let second: Int64
    let kind: String
    let text: String
}

/// A recording of the project, as a strap and a phone would send it, at a running service and a broker.
@Suite("A spoken recording", .timeLimit(.minutes(60)))
struct SpokenRecordingTests {
    private static let name = "run-9km"

    /// What Python writes down from the file of the recording alone.
    private func expected(_ ear: Ear) throws -> [Said] {
        let script = "\(projectFolder)/Tests/Values/WorkoutsTests/speaking.py"
        let file = "\(projectFolder)/deploy/activities/\(Self.name).csv"
        let text = try RunningProgram.runPython([script, file, "running", "35", "5000"])
        let all = try JSONDecoder().decode([String: [Said]].self, from: Data(text.utf8))
        return try #require(all[ear.testDescription])
    }

    @Test("says what Python writes down from its file alone, in each language and units", arguments: Ear.all)
    func whole(_ ear: Ear) throws {
        let expected = try expected(ear)
        #expect(expected.count >= 8)
        try WorkoutHouse.with { house in
            let listener = try VoiceListener(house)
            try house.saveProfile(ear.locale, ear.units)
            try house.done(
                "voice/set",
                [
                    ear.unit: .integer(ear.every),
                    "say": ["duration", "distance", "pace", "speed", "heart-rate", "zone", "goal"],
                ])
            house.set(0)
            try house.done("workouts/start", ["activity": "running", "goal": ["distance_m": 5000]])
            try house.waitForFigures()
            var left = try recorded(Self.name)[...]
            // Whatever is said before or after its time is not what comes next.
            for said in expected {
                try replay(&left, until: said.second, house, isByTime: ear.unit == "minutes")
                if said.kind == "end" { try house.done("workouts/stop") }
                let spoken = try listener.next()
                #expect(spoken == Spoken(said.kind, said.text, ear.language))
            }
            // Nothing else is said before what comes next.
            try house.done("workouts/start", ["activity": "walking"])
            let next = try listener.next()
            #expect(next.kind == "start" && left.isEmpty, "\(next)")
        }
    }

    /// Has the clock go on to a second after the beginning, and hands in all that was measured until then: at once, and in blocks.
    /// - Parameter isByTime: whether what is due then is due by the clock, so that all that was measured has to be there before.
    private func replay(
        _ left: inout ArraySlice<Reading>, until second: Int64, _ house: WorkoutHouse, isByTime: Bool
    ) throws {
        while let first = left.first, first.moment.wall < start + second * 1000 {
            // The service believes no clock that is a minute ahead of its own.
            let end = min((first.moment.wall - start) / 1000 + 30, second - 1)
            let part = left.prefix { $0.moment.wall <= start + end * 1000 }
            left = left.dropFirst(part.count)
            house.set(end)
            try house.measure(Array(part))
            try house.publish(Array(part))
        }
        let last = Array(left.prefix { $0.moment.wall <= start + second * 1000 })
        left = left.dropFirst(last.count)
        if !isByTime { house.set(second) }
        try house.measure(last)
        house.set(second)
        try house.publish(last)
    }
}
