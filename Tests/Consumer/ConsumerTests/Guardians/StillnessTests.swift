import HouseholdSupport
import Telemetry
import TestSupport
import Testing

@testable import Guardians
@testable import vitals_consumer

@Suite("Alerts about no movement", .timeLimit(.minutes(60)))
struct StillnessTests {
    @Test(
        "come once a day, at the hour, unless somebody has moved by then: by their way, their phone's sensors or its steps"
    )
    func stillness() throws {
        try Circle.with { circle in
            // It is nine.
            let family = try Family(circle)
            let grace = family.grace
            let rule: JSON = ["dependent": .string(family.otto.text), "kind": "stillness", "at": "10:00"]
            try circle.done(grace, "alerts/set", rule)
            try family.step(0)
            circle.advance(58 * 60_000)
            try family.look()
            #expect(try family.alerts(grace) == [])
            circle.advance(60_000)
            for _ in 0..<2 { try family.look() }
            #expect(try family.alerts(grace) == ["no-movement"])
            #expect(try circle.notifications(grace)[0]["text"] == "Otto had not moved today by 10:00.")

            let movements: [(String, () throws -> Void)] = [
                ("a way", { for step in 0..<6 { try family.step(Double(step) * 80) } }),
                (
                    "the phone's sensors",
                    {
                        let time = circle.now / 1000
                        family.say(
                            "{\"_type\":\"location\",\"lat\":52.5,\"lon\":13.4,\"acc\":8,\"tst\":\(time),"
                                + "\"motionactivities\":[\"walking\"]}")
                        try family.settle()
                    }
                ),
                ("steps", { try family.count(steps: 12) }),
            ]
            for (what, move) in movements {
                try nextMorning(family)
                try move()
                circle.advance(70 * 60_000)
                try family.look()
                #expect(try family.alerts(grace) == ["no-movement"], "\(what)")
            }
            try nextMorning(family)
            circle.advance(70 * 60_000)
            try family.look()
            #expect(try family.alerts(grace) == ["no-movement", "no-movement"])
            // Nothing is told to those who may no longer see how they move.
            try family.allow(grace, ["motion"], false)
            try nextMorning(family)
            circle.advance(70 * 60_000)
            try family.look()
            #expect(try family.alerts(grace).count == 2)
        }
    }

    @Test("do not come after a restart if somebody had moved before it")
    func restarted() throws {
        var people: Family.People?
        try Circle.with { circle in
            let family = try Family(circle)
            people = family.people
            let rule: JSON = ["dependent": .string(family.otto.text), "kind": "stillness", "at": "10:00"]
            try circle.done(family.grace, "alerts/set", rule)
            circle.advance(15 * 60_000)
            try family.count(steps: 12)
        } then: { circle in
            let family = Family(circle, try #require(people))
            circle.advance(70 * 60_000)
            try family.look()
            #expect(try family.alerts(family.grace) == [])
        }
    }

    @Test("do not come when the dependent goes to another time zone after they have moved, before the new day was read")
    func moved() throws {
        try Circle.with { circle in
            let family = try Family(circle)
            let (grace, otto) = (family.grace, family.otto)
            let rule: JSON = ["dependent": .string(otto.text), "kind": "stillness", "at": "10:00"]
            try circle.done(grace, "alerts/set", rule)
            circle.advance(15 * 60_000)
            try family.count(steps: 12)
            try family.look()
            // The day is not read again before the test says so.
            try family.onSession { guardians in guardians.loaded[otto] = guardians.clock() + 3_600_000 }
            // A quarter past ten in Berlin, on the same day.
            try circle.done(
                otto, "profile/set",
                [
                    "name": "Otto", "date_of_birth": "1950-12-10", "gender": "male", "height_cm": 170, "weight_kg": 65,
                    "time_zone": "Europe/Berlin",
                ])
            let isLoaded = try family.onSession { guardians in
                guardians.looked = 0
                guardians.lookAtRules()
                return guardians.watched[otto]?.isLoaded
            }
            #expect(isLoaded == false)
            #expect(try family.told(grace).filter { $0 == "no-movement" } == [])
            try family.onSession { guardians in guardians.loaded = [:] }
            try family.look()
            #expect(try family.alerts(grace) == [])
        }
    }

    /// It is nine on the next day.
    private func nextMorning(_ family: Family) throws {
        let day: Int64 = 86_400_000
        family.circle.advance(day - (family.circle.now - start) % day)
        try family.waitForToday()
        try family.look()
    }
}

extension Family {
    /// The phone has counted some steps in the last ten minutes.
    fileprivate func count(steps: Int) throws {
        let time = circle.now / 1000
        say("{\"_type\":\"steps\",\"tst\":\(time),\"steps\":\(steps),\"from\":\(time - 600),\"to\":\(time)}", "/step")
        try settle()
    }
}
