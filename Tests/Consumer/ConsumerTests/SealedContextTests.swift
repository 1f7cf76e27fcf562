import Custody
import Days
import Readings
import Records
import Telemetry
import Testing

@Suite("What stored rows are sealed to", .timeLimit(.minutes(60)))
struct SealedContextTests {
    @Test("has the bytes that earlier versions gave it")
    func layouts() throws {
        let ada = try ID("ada")
        #expect(DayRows.context(ada, 20_778, 3).bytes == Array("days\0ada\020778\03".utf8))
        #expect(DayRows.context(ada, -1, 3).bytes == Array("days\0ada\0-1\03".utf8))
        let names: [HeartRateTable: String] = [
            .hours: "heart_rate_hours", .days: "heart_rate_days", .months: "heart_rate_months",
        ]
        for (table, name) in names {
            #expect(HeartRateRows.context(table, 5, ada, 3).bytes == Array("\(name)\0ada\05\03".utf8))
        }
        let stream = try StreamID(bytes: (1...16).map { UInt8($0) })
        let (hour, group): ([UInt8], [UInt8]) = ([255, 255, 255, 255, 255, 255, 255, 254], [0, 0, 0, 0, 0, 0, 1, 2])
        let packed = PackedGroup.context(stream, hour: -2, group: 258)
        #expect(packed.bytes == Array("packed".utf8) + stream.bytes + hour + group)
        let (session, boot) = (try SessionID(bytes: stream.bytes.prefix(8)), try BootID(bytes: stream.bytes))
        #expect(Export.context(of: ada).bytes == Array("export\0ada".utf8))
        #expect(EnrolledGateways.claimKeyContext(ada).bytes == Array("claim key\0ada".utf8))
        let key = SessionKeys.context(stream, session, boot)
        #expect(key.bytes == Array("session".utf8) + stream.bytes + session.bytes + boot.bytes)
    }
}
