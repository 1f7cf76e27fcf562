import HouseholdSupport
import Records
import Telemetry
import TestSupport
import Testing

@testable import Features
@testable import Guardians
@testable import vitals_consumer

@Suite("Alerts about heart rates", .timeLimit(.minutes(60)))
struct HeartAlertTests {
    @Test(
        "come once each time a heart rate is out of its range for some minutes, and warn that this is no medical device"
    )
    func range() throws {
        try Circle.with { circle in
            let family = try Family(circle)
            let (grace, otto) = (family.grace, family.otto)
            let hugo = try circle.person(name: "Hugo", locale: "de-AT")
            try family.connect(hugo)
            try family.allow(hugo, ["heart_rate"], true)
            let strap = try Strap(of: otto, circle)
            defer { strap.stop() }
            for guardian in [grace, hugo] { try watch(family, guardian) }
            try strap.wear(100, seconds: 60, circle)
            // It slips.
            try strap.wear(180, seconds: 5, circle)
            try strap.wear(100, seconds: 55, circle)
            try strap.wear(150, seconds: 120, circle)
            #expect(try family.alerts(grace) == [])
            try strap.wear(150, seconds: 1, circle)
            for guardian in [grace, hugo] { #expect(try family.alerts(guardian) == ["heart-rate-range"]) }
            let told = try circle.notifications(grace)[0]
            #expect(
                told["text"]
                    == "The heart rate of Otto left your range at 09:02. This is no medical device: in doubt, get help."
            )
            #expect(told["from"] == .string(otto.text) && told["alert"] != nil)
            #expect(
                try circle.notifications(hugo)[0]["text"]
                    == "Der Puls von Otto verließ um 09:02 deinen Bereich. Kein Medizinprodukt: Im Zweifel hole Hilfe.")
            // However long it lasts, it is one occasion.
            try strap.wear(150, seconds: 600, circle)
            #expect(try family.alerts(grace) == ["heart-rate-range"])
            // After a minute within the range, it is another one: below it this time.
            try strap.wear(100, seconds: 70, circle)
            try strap.wear(39, seconds: 121, circle)
            #expect(try family.alerts(grace) == ["heart-rate-range", "heart-rate-range"])
            // Nothing is told to those who may not see it any more.
            try family.allow(grace, ["heart_rate"], false)
            try strap.wear(100, seconds: 70, circle)
            try strap.wear(150, seconds: 121, circle)
            #expect(try family.alerts(grace).count == 2)
            #expect(try family.alerts(hugo).count == 3)
        }
    }

    @Test("come once although the consumer is killed after a heart rate is stored, and before anybody is told")
    func killed() throws {
        var kept: (people: Family.People, strap: Strap)?
        defer { kept?.strap.stop() }
        try Circle.with { circle in
            let family = try Family(circle)
            let strap = try Strap(of: family.otto, circle)
            kept = (family.people, strap)
            try watch(family, family.grace)
            try strap.wear(100, seconds: 60, circle)
            try strap.wear(150, seconds: 100, circle)
            // From here on, what is stored is judged by nobody, as if it were the last thing before a kill.
            let (guardians, otto) = (try #require(circle.consumer.features.only(Guardians.self)), family.otto)
            circle.consumer.session.loop.sync { guardians.watched[otto] = nil }
            try strap.wear(150, seconds: 30, circle)
            #expect(try family.alerts(family.grace) == [])
        } then: { circle in
            let (people, strap) = try #require(kept)
            let family = Family(circle, people)
            try family.look()
            #expect(try family.alerts(family.grace) == ["heart-rate-range"])
            #expect(try circle.notifications(family.grace)[0].text("text").contains("at 09:01"))
            try strap.wear(150, seconds: 300, circle)
            #expect(try family.alerts(family.grace) == ["heart-rate-range"])
        }
    }

    @Test("count on over a restart, wherever it comes, and what was told is not told again")
    func restarted() throws {
        var kept: (people: Family.People, strap: Strap)?
        defer { kept?.strap.stop() }
        try Circle.with { circle in
            let family = try Family(circle)
            let strap = try Strap(of: family.otto, circle)
            kept = (family.people, strap)
            try watch(family, family.grace)
            try watch(family, family.grace, minutes: 5)
            try strap.wear(100, seconds: 60, circle)
            try strap.wear(150, seconds: 180, circle)
            #expect(try family.alerts(family.grace) == ["heart-rate-range"])
            // What the rules know is kept.
            try family.look()
        } then: { circle in
            let (people, strap) = try #require(kept)
            let family = Family(circle, people)
            // It goes on while nobody has read yet what was before, or afterwards.
            try strap.wear(150, seconds: 100, circle)
            try family.look()
            #expect(try family.alerts(family.grace) == ["heart-rate-range"])
            try strap.wear(150, seconds: 30, circle)
            #expect(try family.alerts(family.grace) == ["heart-rate-range", "heart-rate-range"])
            try strap.wear(100, seconds: 70, circle)
            try strap.wear(150, seconds: 121, circle)
            #expect(try family.alerts(family.grace).count == 3)
        }
    }

    /// A guardian watches whether the heart rate of Otto is below 45 or above 120.
    private func watch(_ family: Family, _ guardian: ID, minutes: Int64 = 2) throws {
        try family.circle.done(
            guardian, "alerts/set",
            [
                "dependent": .string(family.otto.text), "kind": "heart-rate", "below": 45, "above": 120,
                "minutes": .integer(minutes),
            ])
    }
}
