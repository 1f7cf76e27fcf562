import Testing

@testable import Storage

@Suite("What people are told of a disk")
struct DiskStateTests {
    private static let minute: UInt64 = 60_000

    @Test("another reason is news once a minute, and the same one once an hour")
    func reasons() {
        var disk = DiskState()
        func isNews(_ reason: VaultError.Reason, _ now: UInt64) -> Bool { disk.refused(reason, now: now, wall: 7) }
        #expect(isNews(.locked, 0))
        #expect(!isNews(.locked, Self.minute))
        #expect(isNews(.corrupt, Self.minute + 1))
        #expect(!isNews(.readOnly, Self.minute + 2), "within a minute")
        #expect(isNews(.readOnly, 2 * Self.minute + 1))
        #expect(!isNews(.readOnly, 60 * Self.minute))
        #expect(isNews(.readOnly, 62 * Self.minute + 1), "an hour later")
        #expect(!isNews(.readOnly, 62 * Self.minute + 2))
        #expect(disk.since == 7)
    }

    @Test("a database that another program has locked is not a disk that fails")
    func locked() {
        var disk = DiskState()
        _ = disk.refused(.locked, now: 0, wall: 0)
        #expect(disk.condition == .locked)
        _ = disk.refused(.diskFull, now: 1, wall: 0)
        #expect(disk.condition == .full)
        #expect(disk.took(now: 20_000, wall: 20_000) == 20)
        #expect(disk.condition == .ok && disk.since == nil)
    }
}
