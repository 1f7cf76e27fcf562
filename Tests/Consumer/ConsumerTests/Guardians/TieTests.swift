import Accounts
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

    @Test("leave no name of a dependent of whom everything is deleted on the topic of whom a guardian looks at")
    func forgottenDependent() throws {
        try Circle.with { circle in
            let family = try Family(circle)
            let (grace, otto) = (family.grace, family.otto)
            try circle.done(grace, "dependents/choose", ["dependent": .string(otto.text)])
            #expect(try circle.next(grace, "chosen-dependent")?["name"] == "Otto")
            try circle.forget(otto)
            #expect(try circle.next(grace, "chosen-dependent") == nil)
        }
    }

    @Test("can be ended by either side, and blocked by the dependent; the other is told")
    func ended() throws {
        try Circle.with { circle in
            let family = try Family(circle)
            let (grace, otto) = (family.grace, family.otto)
            try circle.done(grace, "dependents/choose", ["dependent": .string(otto.text)])
            let told = try circle.next(grace, "chosen-dependent")
            #expect(told == ["dependent": .string(otto.text), "name": "Otto"])
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
        "Twenty strangers who go on trying codes have 230 tries and six an hour, and a newcomer is heard at each moment"
    )
    func tries() throws {
        var tries = CodeTries()
        let (otto, grace) = (try ID("otto"), try ID("grace"))
        var (clock, now, told, done, refused): (UInt64, Int64, Int, Int, Int) = (0, 0, 0, 0, 0)
        let lookup: [UInt8] = [1]
        let strangers = try (0..<20).map { try ID("stranger-\($0)") }
        // Each stranger in turn tries as soon as they may, for three days.
        for turn in 0... where clock < 3 * 86_400_000 {
            let stranger = strangers[turn % strangers.count]
            do throws(ReplyError) {
                try tries.begin(stranger, lookup, clock: clock)
                if tries.failed(stranger, lookup, for: otto, clock: clock, now: now) != nil { told += 1 }
                done += 1
            } catch {
                let seconds = try #require(error.retryAfterSeconds)
                if error.message.contains("with this person") { refused += 1 }
                var others = tries
                try others.begin(grace, lookup, clock: clock)
                clock += UInt64(seconds) * 1000
                now += Int64(seconds) * 1000
            }
            if clock >= 3 * 86_400_000 { break }
        }
        #expect(refused > 100 && (60...230 + 6 * 72).contains(done), "\(refused) \(done)")
        // Once a day, and not each time.
        #expect((3...4).contains(told))
    }

    @Test(
        "However many accounts try codes, their tries are few, and the guardian for whom alone the code is set is heard"
    )
    func manyAccounts() throws {
        var tries = CodeTries()
        let (otto, eva, grace, lookup) = (try ID("otto"), try ID("eva"), try ID("grace"), [1] as [UInt8])
        var (clock, done): (UInt64, Int) = (0, 0)
        // Each try is another account's, and there are so many that one more is always there.
        for number in 0..<2000 {
            let account = try ID("account-\(number)")
            do throws(ReplyError) {
                try tries.begin(account, lookup, clock: clock)
                _ = tries.failed(account, lookup, for: otto, clock: clock, now: Int64(clock))
                done += 1
            } catch {
                clock += 60_000
            }
        }
        let hours = Int(clock / 3_600_000)
        #expect(hours > 24 && (200...201 + 3 * (hours + 1)).contains(done), "\(hours) \(done)")
        let refusal = thrown(ReplyError.self) { try tries.begin(grace, lookup, clock: clock) }
        #expect(refusal?.code == .rateLimited && refusal?.message.contains("for you alone") == true)
        try tries.begin(grace, lookup, isExpected: true, clock: clock)
        // After a wrong code, this guardian has to wait, too.
        #expect(tries.failed(grace, lookup, for: nil, clock: clock, now: 0) == nil)
        #expect(thrown(ReplyError.self) { try tries.begin(grace, lookup, isExpected: true, clock: clock) } != nil)
        // An account that is deleted and made again, with the address of the one who is expected, has no more tries for that.
        clock += 86_400_000
        var expected = 0
        for number in 0..<100 {
            let account = try ID("again-\(number)")
            do throws(ReplyError) {
                try tries.begin(account, lookup, isExpected: true, clock: clock)
                _ = tries.failed(account, lookup, for: otto, clock: clock, now: Int64(clock))
                expected += 1
            } catch {
                #expect(error.code == .rateLimited)
            }
        }
        #expect(expected == 30)
        // Somebody else is connected meanwhile.
        try tries.begin(try ID("hugo"), [2], clock: clock)
        #expect(tries.failed(try ID("hugo"), [2], for: eva, clock: clock, now: 0) == nil)
    }

    @Test(
        "A code for one guardian connects nobody else, in the same words, and its guardian while others use up all tries"
    )
    func codeForOne() throws {
        try Circle.with { circle in
            let family = try Family(circle, allowing: nil)
            let (grace, otto, eve) = (family.grace, family.otto, try circle.person("eve@example.org", name: "Eve"))
            let fields: JSON = ["code": .string(Family.code), "email": "Grace@example.org"]
            let set = try circle.done(otto, "guardians/code", fields)
            #expect(set["code_for"] == "Grace@example.org")
            #expect(try circle.done(otto, "guardians/list")["code_for"] == "Grace@example.org")
            let right: JSON = ["email": "otto@example.org", "code": .string(Family.code)]
            let wrong: JSON = ["email": "otto@example.org", "code": "blue-horse 8"]
            let refusal = try circle.refused(eve, "dependents/connect", right)
            #expect(refusal.code == .wrongCredentials)
            try wait(circle)
            #expect(try circle.refused(eve, "dependents/connect", wrong) == refusal)
            try wait(circle, everybodyTried: "otto@example.org")
            #expect(try circle.refused(eve, "dependents/connect", right).code == .rateLimited)
            #expect(try circle.done(grace, "dependents/connect", right)["dependent"] == .string(otto.text))
            // A code that is set without an address is for everybody again.
            try circle.done(otto, "guardians/code", ["code": .string(Family.code)])
            #expect(try circle.done(otto, "guardians/list")["code_for"] == nil)
            try wait(circle)
            try circle.done(eve, "dependents/connect", right)
            #expect(
                try circle.refused(otto, "guardians/code", ["code": .string(Family.code), "phone": "12"]).field
                    == "phone")
        }
    }

    /// A guardian's failures have to be waited out.
    /// - Parameter address: where strangers have used up all tries meanwhile.
    private func wait(_ circle: Circle, everybodyTried address: String? = nil) throws {
        let guardians = try #require(circle.consumer.features.only(Guardians.self))
        try circle.consumer.session.loop.sync {
            Result {
                guardians.tries = CodeTries()
                guard let address else { return }
                let lookup = try AccountName(["email": .string(address)]).lookup(guardians.context.keys)
                for number in 0..<200 {
                    let (account, clock) = (try ID("account-\(number)"), guardians.clock())
                    try guardians.tries.begin(account, lookup, clock: clock)
                    _ = guardians.tries.failed(account, lookup, for: nil, clock: clock, now: 0)
                }
            }
        }.get()
    }
}
