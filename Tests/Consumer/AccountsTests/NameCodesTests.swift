import DaysSupport
import HouseholdSupport
import Records
import Storage
import Testing

@testable import Accounts

@Suite("Codes that reset a password")
struct NameCodesTests {
    let parts: Parts
    let codes: NameCodes
    let name = [UInt8](repeating: 7, count: 32)

    init() throws {
        parts = try Household().open()
        codes = NameCodes(.reset, store: parts.store, keys: parts.keys)
    }

    @Test("are ten characters that nobody confuses, good for one name, read however they are typed")
    func reading() throws {
        let code = try codes.issue(name, now: start)
        #expect(code.wholeMatch(of: /[0-9A-HJKMNP-TV-Z]{5}-[0-9A-HJKMNP-TV-Z]{5}/) != nil)
        for typed in [code, code.lowercased(), code.replacing("-", with: ""), " \(code.replacing("-", with: " - ")) "] {
            #expect(try codes.isRight(typed, name, now: start), "\(typed)")
        }
        let other = [UInt8](repeating: 8, count: 32)
        #expect(try !codes.isRight(code, other, now: start))
        _ = try codes.issue(other, now: start)
        #expect(try !codes.isRight(code, other, now: start))
    }

    @Test("are given again to who asks again, and a stranger's guesses spoil none")
    func tries() throws {
        let code = try codes.issue(name, now: start)
        for _ in 1...50 { #expect(try !codes.isRight("00000-00000", name, now: start + 1)) }
        #expect(try codes.issue(name, now: start + 1) == code)
        #expect(try codes.isRight(code, name, now: start + 1))
    }

    @Test("are good for a quarter of an hour, wherever the clock goes")
    func time() throws {
        let code = try codes.issue(name, now: start)
        #expect(try codes.isRight(code, name, now: start + NameCodes.Purpose.reset.lifetime - 1))
        #expect(try !codes.isRight(code, name, now: start + NameCodes.Purpose.reset.lifetime))
        #expect(try !codes.isRight(code, name, now: start - 1), "the clock was set back")
        let next = try codes.issue(name, now: start - 86_400_000)
        #expect(next != code)
        #expect(try codes.isRight(next, name, now: start - 86_400_000))
        #expect(try parts.count("codes") == 1)
    }

    @Test("are used up once, do not lie in the clear, and go when they are old")
    func removal() throws {
        let code = try codes.issue(name, now: start)
        let secret = try #require(try parts.store.database.first("SELECT secret FROM codes", row: Row.blob))
        #expect(!String(decoding: secret, as: UTF8.self).contains(code.replacing("-", with: "")))
        #expect(try codes.remove(name) && !codes.remove(name))
        #expect(try !codes.isRight(code, name, now: start))
        for number in 0..<20 as Range<UInt8> { _ = try codes.issue([UInt8](repeating: number, count: 32), now: start) }
        #expect(try parts.count("codes") == 20)
        _ = try codes.issue(name, now: start + NameCodes.Purpose.reset.lifetime + 1)
        #expect(try parts.count("codes") == 1)
    }
}
