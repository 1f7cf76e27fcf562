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
            "01 01 00 00": .unsupported("type 0"), "01 01 06 00": .unsupported("type 6"),
            "01 01 02 01": .unsupported("flags 1"),
            "01 01 01 00": .outOfRange("sequence number, 0 for key blocks alone"),
        ] as [String: MalformedValue.Fault])
    func refusesHeader(start: String, expected: MalformedValue.Fault) throws {
        let bytes = try hex("\(start) \(Sample.identityHex)")
        #expect(fault { try BlockHeader(startOf: bytes) } == expected)
        #expect(fault { try BlockHeader(startOf: Array(bytes.prefix(35))) } != nil)
    }

    @Test("takes a block apart and puts it together")
    func sealedBlock() throws {
        let header = BlockHeader(.gap, Sample.identity)
        let block = SealedBlock(header: header, ciphertext: [1, 2, 3], tag: Array(20..<36))
        #expect(try SealedBlock(bytes: block.bytes) == block)
        #expect(block.bytes.count == 36 + 3 + 16)
        for length in 0...52 {
            #expect(fault { try SealedBlock(bytes: Array(block.bytes.prefix(length))) } == .truncated)
        }
        let zero = BlockIdentity(stream: Sample.stream, session: Sample.session, sequence: 0)
        let keyHeader = BlockHeader(.key, zero)
        #expect(fault { try SealedBlock(bytes: keyHeader.bytes + Array(0..<40)) } == .unsupported("key block here"))
    }

    @Test("lays a key block out as documented")
    func keyBlock() throws {
        let zero = BlockIdentity(stream: Sample.stream, session: Sample.session, sequence: 0)
        let header = BlockHeader(.key, zero)
        let body = (0..<160).map { UInt8($0) }
        let bytes = header.bytes + body
        #expect(bytes.count == KeyBlock.length)
        let block = try KeyBlock(bytes: bytes)
        #expect(block.bytes == bytes)
        #expect(block.ephemeral == Array(body[0..<32]) && block.ciphertext == Array(body[32..<80]))
        #expect(block.tag == Array(body[80..<96]) && block.signature == Array(body[96..<160]))
        let recipient = [UInt8](repeating: 9, count: 32)
        let covered: [UInt8] = Array("vitals/1 key block".utf8) + Array(bytes[..<132]) + recipient
        #expect(block.signedMessage(to: recipient) == covered)
        let assembled = try KeyBlock(
            header: header, ephemeral: block.ephemeral, ciphertext: block.ciphertext, tag: block.tag,
            signature: block.signature)
        #expect(assembled == block)
        #expect(fault { try KeyBlock(bytes: Array(bytes.dropLast())) } == .truncated)
        #expect(fault { try KeyBlock(bytes: bytes + [0]) } == .trailingBytes(1))
        #expect(fault { try KeyBlock(bytes: BlockHeader(.gap, Sample.identity).bytes + body) } != nil)

        let plaintext = try KeyBlock.Plaintext(sessionKey: Array(0..<32), boot: Sample.boot)
        let expected: [UInt8] = Array(0..<32) + Array(0..<16)
        #expect(plaintext.bytes == expected)
        #expect(try KeyBlock.Plaintext(bytes: plaintext.bytes) == plaintext)
        #expect(fault { try KeyBlock.Plaintext(sessionKey: [1], boot: Sample.boot) } != nil)
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
        let gap = try GapBody(count: 300, first: wall, last: wall + 5000, reason: .outboxFull)
        #expect(try gap.bytes == hex("AC 02 80 A0 D5 ED EE 66 90 EE D5 ED EE 66 01"))
        #expect(try GapBody(bytes: gap.bytes) == gap)
        #expect(fault { try GapBody(bytes: hex("01 00 00 03")) } == .unsupported("reason 3"))

        for damaged in damaged(loose.bytes) { _ = fault { try LooseBody(bytes: damaged) } }
        for damaged in damaged(clock.bytes) { _ = fault { try ClockBody(bytes: damaged) } }
        for damaged in damaged(gap.bytes) { _ = fault { try GapBody(bytes: damaged) } }
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
