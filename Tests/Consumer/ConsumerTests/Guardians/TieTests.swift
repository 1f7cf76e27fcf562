import HouseholdSupport
import Records
import Telemetry
import TestSupport
import Testing

@testable import Guardians
@testable import vitals_consumer

@Suite("Guardians and dependents", .timeLimit(.minutes(60)))
struct TieTests {
    @Test(
        "are connected by an address and the dependent's code; the dependent is told, and nothing is shown before they say so"
    )
    func connected() throws {
        try Circle.with { circle in
            let family = try Family(circle, allowing: nil)
            let (grace, otto) = (family.grace, family.otto)
            let right: JSON = ["email": "otto@example.org", "code": .string(Family.code)]
            // No code, no such address, and a wrong code are refused in the same words.
            let wrong = try circle.refused(grace, "dependents/connect", right)
            #expect(wrong.code == .wrongCredentials && wrong.field == "code")
            let list = try circle.done(otto, "guardians/code", ["code": .string(Family.code)])
            #expect(list["code_set"] == .integer(circle.now))
            try wait(circle)
            let other: JSON = ["email": "nobody@example.org", "code": .string(Family.code)]
            #expect(try circle.refused(grace, "dependents/connect", other) == wrong)
            try wait(circle)
            let guess: JSON = ["email": "otto@example.org", "code": "blue-horse 8"]
            #expect(try circle.refused(grace, "dependents/connect", guess) == wrong)
            try wait(circle)
            let made = try circle.done(grace, "dependents/connect", right)
            #expect(made["dependent"] == .string(otto.text) && made["name"] == "Otto")
            #expect(made["location"] == false && made["motion"] == false && made["heart_rate"] == false)
            #expect(try family.told(otto) == ["guardian-connected"])
            // Again is no other connection.
            #expect(try circle.done(grace, "dependents/connect", right)["since"] == made["since"])
            #expect(try family.told(otto) == ["guardian-connected"])
            let guardians = try elements(circle.done(otto, "guardians/list"), "guardians")
            #expect(guardians.count == 1 && guardians[0]["guardian"] == .string(grace.text))
            #expect(guardians[0]["name"] == "Grace" && guardians[0]["location"] == false)
            #expect(
                try circle.refused(grace, "dependents/locate", ["dependent": .string(otto.text)]).code == .notAllowed)
            #expect(try circle.refused(grace, "dependents/day", ["dependent": .string(otto.text)]).code == .notAllowed)
        }
    }

    @Test("can be ended by either side, and blocked by the dependent; the other is told")
    func ended() throws {
        try Circle.with { circle in
            let family = try Family(circle)
            let (grace, otto) = (family.grace, family.otto)
            try circle.done(grace, "dependents/choose", ["dependent": .string(otto.text)])
            #expect(try circle.next(grace, "chosen-dependent")?["dependent"] == .string(otto.text))
            try family.area()
            try circle.done(otto, "guardians/remove", ["guardian": .string(grace.text)])
            #expect(try circle.next(grace, "chosen-dependent") == nil)
            #expect(try elements(circle.done(grace, "dependents/list"), "dependents") == [])
            #expect(try elements(circle.done(grace, "areas/list"), "areas") == [])
            #expect(try family.told(grace) == ["dependent-consent", "dependent-ended"])
            try family.connect(grace)
            try circle.done(grace, "dependents/remove", ["dependent": .string(otto.text)])
            #expect(try family.told(otto) == ["guardian-connected", "guardian-connected", "guardian-left"])
            try family.connect(grace)
            try circle.done(otto, "guardians/block", ["guardian": .string(grace.text)])
            let right: JSON = ["email": "otto@example.org", "code": .string(Family.code)]
            #expect(try circle.refused(grace, "dependents/connect", right).code == .wrongCredentials)
            let blocked = try elements(circle.done(otto, "guardians/list"), "guardians")
            #expect(
                blocked.count == 1 && blocked[0]["guardian"] == .string(grace.text) && blocked[0]["blocked"] == true)
            try circle.done(otto, "guardians/unblock", ["guardian": .string(grace.text)])
            try wait(circle)
            try circle.done(grace, "dependents/connect", right)
            // Strangers are nobody's guardian, and nobody's dependent.
            let eve = try circle.person(name: "Eve")
            for verb in ["remove", "block", "unblock", "allow"] {
                let fields: JSON = ["guardian": .string(eve.text), "location": true]
                #expect(try circle.refused(otto, "guardians/\(verb)", fields).code == .notFound, "\(verb)")
            }
            for verb in ["choose", "remove", "locate", "day"] {
                let fields: JSON = ["dependent": .string(otto.text)]
                #expect(try circle.refused(eve, "dependents/\(verb)", fields).code == .notFound, "\(verb)")
            }
            #expect(try circle.refused(eve, "areas/list", ["dependent": .string(otto.text)]).code == .notFound)
        }
    }

    @Test(
        "Codes that are tried first, too short or too long are refused, with what to do",
        arguments: [
            "12345", "123456", "987654", "aaaaaa", "121212", "abcabcabc", "ab\u{7}cdefg",
            String(repeating: "ab3", count: 30),
        ])
    func codes(code: String) throws {
        #expect(thrown(ReplyError.self) { _ = try VerificationCode.new(code) }?.field == "code")
        _ = try VerificationCode.new("482915")
    }

    @Test(
        "Many guardians together try codes 30 times at once and then six times an hour, and lock nobody else out"
    )
    func tries() throws {
        var tries = CodeTries()
        let (otto, eva) = (try ID("otto"), try ID("eva"))
        var (clock, now, told): (UInt64, Int64, Int) = (0, 0, 0)
        let lookup: [UInt8] = [1]
        // Each guardian in turn tries as soon as they may.
        let guardians = try (0..<50).map { try ID("guardian-\($0)") }
        var done = 0
        while done < 500 {
            let guardian = guardians[done % guardians.count]
            do throws(ReplyError) {
                try tries.begin(guardian, lookup, clock: clock)
                if tries.failed(guardian, for: otto, clock: clock, now: now) != nil { told += 1 }
                done += 1
            } catch {
                let seconds = try #require(error.retryAfterSeconds)
                clock += UInt64(seconds) * 1000
                now += Int64(seconds) * 1000
            }
        }
        // 30 at once and 6 an hour.
        #expect(clock > UInt64(470 / 6) * 3_600_000 * 95 / 100)
        // Once a day, and not each time.
        #expect((2...5).contains(told))
        // Somebody else is connected meanwhile.
        try tries.begin(try ID("grace"), [2], clock: clock)
        #expect(tries.failed(try ID("grace"), for: eva, clock: clock, now: now) == nil)
    }

    /// A guardian's failures have to be waited out.
    private func wait(_ circle: Circle) throws {
        let guardians = try #require(circle.consumer.features.only(Guardians.self))
        circle.consumer.session.loop.sync { guardians.tries = CodeTries() }
    }
}
