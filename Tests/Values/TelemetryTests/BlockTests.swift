import Testing

@testable import Telemetry

/// Streams and so on with bytes that are easy to recognise.
enum Sample {
    static let stream = StreamID(high: 0x1011_1213_1415_1617, low: 0x1819_1A1B_1C1D_1E1F)
    static let session = SessionID(0xA0A1_A2A3_A4A5_A6A7)
    static let store = StoreID(high: 0x4041_4243_4445_4647, low: 0x4849_4A4B_4C4D_4E4F)
    static let boot = BootID(high: 0x0001_0203_0405_0607, low: 0x0809_0A0B_0C0D_0E0F)
    static let identity = BlockIdentity(stream: stream, session: session, sequence: 7)
    static let streamHex = "10 11 12 13 14 15 16 17 18 19 1A 1B 1C 1D 1E 1F"
    static let sessionHex = "A0 A1 A2 A3 A4 A5 A6 A7"
    static let storeHex = "40 41 42 43 44 45 46 47 48 49 4A 4B 4C 4D 4E 4F"
    static let identityHex = "\(streamHex) \(sessionHex) 00 00 00 00 00 00 00 07"
}

@Suite struct BlockTests {
    @Test("lays a header out as documented")
    func header() throws {
        let header = BlockHeader(.readings, Sample.identity)
        #expect(try header.bytes == hex("01 01 02 00 \(Sample.identityHex)"))
        #expect(header.bytes.count == BlockHeader.length)
        #expect(try BlockHeader(startOf: header.bytes) == header)
        #expect(try header.nonce == hex("00 00 00 00 00 00 00 00 00 00 00 07"))
        #expect(try Sample.identity.bytes == hex(Sample.identityHex))
        #expect(Sample.identity.sessionContext == Array(Sample.identity.bytes.prefix(24)))
    }

    @Test(
        "refuses headers of another version, suite, type or flags, and sequence numbers that do not fit the type",
        arguments: [
            "02 01 02 00": .unsupported("version 2"), "01 02 02 00": .unsupported("suite 2"),
            "01 01 00 00": .unsupported("type 0"), "01 01 07 00": .unsupported("type 7"),
            "01 01 02 01": .unsupported("flags 1"),
            "01 01 01 00": .outOfRange("sequence number, 0 for key blocks alone"),
        ] as [String: MalformedValue.Fault])
    func refusesHeader(start: String, expected: MalformedValue.Fault) throws {
        let bytes = try hex("\(start) \(Sample.identityHex)")
        #expect(fault { try BlockHeader(startOf: bytes) } == expected)
        #expect(fault { try BlockHeader(startOf: Array(bytes.prefix(35))) } != nil)
    }

    @Test("lays the small bodies out as documented")
    func bodies() throws {
        let loose = try LooseBody(
            session: Sample.session, records: [.init(number: 5, sealed: [1, 2, 3]), .init(number: 6, sealed: [])])
        #expect(
            try loose.bytes
                == hex("\(Sample.sessionHex) 02 00 00 00 00 00 00 00 05 03 01 02 03 00 00 00 00 00 00 00 06 00"))
        #expect(try LooseBody(bytes: loose.bytes) == loose)
        #expect(fault { try LooseBody(session: Sample.session, records: []) } == .outOfRange("count, 1 to 256"))

        let clock = try ClockBody(boot: Sample.boot, correction: -3_600_000, until: 90_000)
        #expect(
            try clock.bytes == hex("00 01 02 03 04 05 06 07 08 09 0A 0B 0C 0D 0E 0F FF B9 B7 03 90 BF 05"))
        #expect(try ClockBody(bytes: clock.bytes) == clock)
        #expect(fault { try ClockBody(boot: Sample.boot, correction: .max, until: 0) } == .outOfRange("time"))

        let wall: Int64 = 1_767_225_600_000
        let gap = try GapBody(count: 300, first: wall, last: wall + 4999, reason: .outboxFull)
        #expect(try gap.bytes == hex("AC 02 80 A0 D5 ED EE 66 8E EE D5 ED EE 66 01"))
        #expect(try GapBody(bytes: gap.bytes) == gap)
        #expect(fault { try GapBody(bytes: hex("01 00 00 03")) } == .unsupported("reason 3"))

        // What is not refused is a body like others: it is spelt, and read, as it was understood.
        for damaged in damaged(loose.bytes) {
            if let body = try? LooseBody(bytes: damaged) { #expect(try LooseBody(bytes: body.bytes) == body) }
        }
        for damaged in damaged(clock.bytes) {
            if let body = try? ClockBody(bytes: damaged) { #expect(try ClockBody(bytes: body.bytes) == body) }
        }
        for damaged in damaged(gap.bytes) {
            if let body = try? GapBody(bytes: damaged) { #expect(try GapBody(bytes: body.bytes) == body) }
        }
        for length in loose.bytes.indices {
            #expect(fault { try LooseBody(bytes: Array(loose.bytes.prefix(length))) } != nil)
        }
        #expect(fault { try LooseBody(bytes: loose.bytes + [0]) } == .trailingBytes(1))
        #expect(fault { try ClockBody(bytes: clock.bytes + [0]) } == .trailingBytes(1))
        #expect(fault { try GapBody(bytes: gap.bytes + [0]) } == .trailingBytes(1))
    }

    @Test("spells ids in hexadecimal, and reads them back, a UUID's dashes included")
    func ids() throws {
        #expect(Sample.stream.description == "101112131415161718191a1b1c1d1e1f")
        #expect(StreamID(Sample.stream.description) == Sample.stream)
        #expect(BootID("00010203-0405-0607-0809-0a0b0c0d0e0f") == Sample.boot)
        #expect(StreamID("10") == nil && StreamID("zz") == nil)
        #expect(try StreamID(bytes: Sample.stream.bytes) == Sample.stream)
        #expect(fault { try StreamID(bytes: [1]) } == .truncated)
        #expect(fault { try StreamID(bytes: Sample.stream.bytes + [1]) } == .trailingBytes(1))
        #expect(try SessionID(bytes: Sample.session.bytes) == Sample.session)
        #expect(Sample.identity.description == "101112131415161718191a1b1c1d1e1f/a0a1a2a3a4a5a6a7/7")
    }
}
