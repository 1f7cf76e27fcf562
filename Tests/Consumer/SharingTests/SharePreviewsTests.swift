import Push
import Telemetry
import Testing

@testable import Sharing

@Suite("Previews of what people may share")
struct SharePreviewsTests {
    private func preview(_ id: String, _ user: String = "ada", bytes: Int = 0, at time: Int64 = 0) throws
        -> SharePreview
    {
        SharePreview(
            id: try ID(id), user: try ID(user), subject: "workout", text: "t", link: nil,
            picture: bytes > 0 ? AppriseMessage.Picture([UInt8](repeating: 0, count: bytes)) : nil,
            expires: time + SharePreview.lifetime)
    }

    @Test("are their person's alone, and end after ten minutes, also when the clock is put back")
    func ends() throws {
        var previews = SharePreviews()
        let (ada, grace) = (try ID("ada"), try ID("grace"))
        #expect(previews.add(try preview("a", at: 1000), now: 1000))
        #expect(previews.preview(try ID("a"), of: ada, now: 1000) != nil)
        #expect(previews.preview(try ID("a"), of: grace, now: 1000) == nil)
        #expect(previews.preview(try ID("a"), of: ada, now: 600_999) != nil)
        #expect(previews.preview(try ID("a"), of: ada, now: 601_000) == nil)
        #expect(previews.preview(try ID("a"), of: ada, now: 0) == nil)
        previews.removeAll(of: ada)
        #expect(previews.preview(try ID("a"), of: ada, now: 1000) == nil)
    }

    @Test("take each other's places of one person, and of others only what these have more of")
    func places() throws {
        var previews = SharePreviews()
        #expect(previews.add(try preview("of-grace", "grace", bytes: 1 << 20), now: 0))
        for number in 1...9 { #expect(previews.add(try preview("a-\(number)", bytes: 1 << 20), now: 0)) }
        let left = try (1...9).filter { previews.preview(try ID("a-\($0)"), of: try ID("ada"), now: 0) != nil }
        #expect(left == [7, 8, 9])
        for number in 1...4 { #expect(previews.add(try preview("b-\(number)", "p-\(number)", bytes: 1 << 20), now: 0)) }
        // There are eight of them now. Three are one person's, who makes room for two others; then nobody has more than somebody new would.
        for name in ["eve", "fay"] { #expect(previews.add(try preview("of-\(name)", name, bytes: 1 << 20), now: 0)) }
        #expect(try (7...9).map { previews.preview(try ID("a-\($0)"), of: try ID("ada"), now: 0) != nil } == [false, false, true])
        for name in ["eve", "gil"] { #expect(!previews.add(try preview("more", name, bytes: 1 << 20), now: 0)) }
        #expect(previews.add(try preview("text", "eve"), now: 0))
        #expect(previews.preview(try ID("of-grace"), of: try ID("grace"), now: 0) != nil)
        #expect(previews.add(try preview("later", "eve", bytes: 1 << 20, at: 600_000), now: 600_000))
    }

    @Test("are not taken from anybody for one that there is no room for even so")
    func inVain() throws {
        var previews = SharePreviews()
        for number in 1...3 { #expect(previews.add(try preview("a-\(number)", bytes: 400_000), now: 0)) }
        for number in 1...6 { #expect(previews.add(try preview("b-\(number)", "p-\(number)", bytes: 1 << 20), now: 0)) }
        #expect(previews.add(try preview("c", "carl", bytes: 600_000), now: 0))
        #expect(!previews.add(try preview("d", "dan", bytes: 1 << 20), now: 0))
        #expect(try (1...3).allSatisfy { previews.preview(try ID("a-\($0)"), of: try ID("ada"), now: 0) != nil })
    }
}

@Suite("What became of what was shared")
struct ShareRecordTests {
    private func record(_ id: String, at time: Int64, _ states: ShareRecord.State...) throws -> ShareRecord {
        ShareRecord(
            id: try ID(id), time: time, subject: "workout",
            entries: try states.enumerated().map { index, state in
                ShareRecord.Entry(service: try ID("s-\(index)"), label: "S", state: state)
            })
    }

    @Test("is not known of what went out when the consumer was stopped; what had not begun was not sent")
    func killed() throws {
        let record = try record("a", at: 0, .waiting, .going, .sent, .failed)
        func states(_ isUnderWay: Bool) -> [JSON?] {
            guard case .array(let results) = record.results(isUnderWay: isUnderWay) else { return [] }
            return results.map { $0["state"] }
        }
        #expect(states(true) == ["waiting", "going", "sent", "failed"])
        #expect(states(false) == ["failed", "unknown", "sent", "failed"])
        guard case .array(let results) = record.results(isUnderWay: false) else { return }
        #expect(results.map { $0["sent"] } == [false, false, true, false])
        #expect(results[1]["problem"]?.text?.contains("look there") == true)
    }
}

extension JSON {
    fileprivate var text: String? { if case .string(let text) = self { text } else { nil } }
}
