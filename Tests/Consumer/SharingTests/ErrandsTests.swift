import Telemetry
import Testing

@testable import Sharing

@Suite("Turns of people who share")
struct ErrandsTests {
    private static func id(_ text: String) throws -> ID { try ID(text) }

    private static func errand(_ user: String, _ service: String) throws -> Errand {
        Errand(
            user: try id(user), share: try id("share-\(user)"), service: try id(service),
            address: .failure(ReplyError(.notFound, "nowhere")), text: "A run", picture: nil)
    }

    private static func next(of errands: inout Errands) throws -> Errand {
        let begun = errands.begin()
        return try #require(begun)
    }

    @Test("one errand of a person is under way at a time, and then it is the turn of everybody else")
    func turns() throws {
        var errands = Errands()
        errands.add([try Self.errand("ada", "a"), try Self.errand("ada", "b")])
        let first = try Self.next(of: &errands)
        let none = errands.begin()
        #expect(first.service.text == "a" && none?.service == nil)
        errands.add([try Self.errand("bob", "c"), try Self.errand("bob", "d")])
        errands.add([try Self.errand("eve", "e")])
        let second = try Self.next(of: &errands)
        #expect(second.service.text == "c")
        errands.end(first)
        let third = try Self.next(of: &errands)
        #expect(third.service.text == "e")
        errands.end(second)
        errands.end(third)
        let rest = [errands.begin(), errands.begin(), errands.begin()].map { $0?.service.text }
        #expect(rest == ["b", "d", nil])
    }

    @Test("nothing that waits goes to a service that was removed")
    func removed() throws {
        var errands = Errands()
        errands.add([try Self.errand("ada", "a"), try Self.errand("ada", "b"), try Self.errand("ada", "c")])
        let first = try Self.next(of: &errands)
        // What is under way cannot be called back.
        for (service, count) in [("a", 0), ("b", 1), ("b", 0)] {
            let removed = errands.removeWaiting(for: try Self.id(service))
            #expect(removed.count == count, "\(service)")
        }
        errands.end(first)
        let rest = [errands.begin(), errands.begin()].map { $0?.service.text }
        #expect(rest == ["c", nil])
    }

    @Test("somebody who is forgotten has nothing under way, and nothing waits")
    func forgotten() throws {
        var errands = Errands()
        errands.add([try Self.errand("ada", "a"), try Self.errand("ada", "b"), try Self.errand("bob", "c")])
        let first = try Self.next(of: &errands)
        let (ada, share) = (first.user, first.share)
        #expect(errands.isUnderWay(first) && errands.isBusy(with: ada) && errands.has(share))
        errands.removeAll(of: ada)
        #expect(!errands.isUnderWay(first) && !errands.isBusy(with: ada) && !errands.has(share))
        let rest = [errands.begin(), errands.begin()].map { $0?.service.text }
        #expect(rest == ["c", nil])
    }

    @Test("there is room for 32 people who wait")
    func room() throws {
        var errands = Errands()
        for number in 1...32 {
            #expect(errands.hasRoom)
            errands.add([try Self.errand("person-\(number)", "a"), try Self.errand("person-\(number)", "b")])
        }
        #expect(!errands.hasRoom)
    }
}
