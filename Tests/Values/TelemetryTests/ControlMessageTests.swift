import Testing

@testable import Telemetry

@Suite struct ControlMessageTests {
    static func vectors() throws -> [(String, ControlMessage)] {
        let gateway = try ID("home")
        let grant = try Grant(
            serial: 9, sensor: ID("strap"), stream: Sample.stream, from: 1_767_225_600_000, until: nil,
            personPublicKey: Array(0x80..<0xA0), kinds: [.heartRate, .temperature])
        let bodies: [(String, ControlMessage.Body)] = [
            ("01 01 \(Sample.storeHex) 04 68 6F 6D 65 01 \(Sample.identityHex)", .acknowledgement([Sample.identity])),
            (
                "01 02 \(Sample.storeHex) 04 68 6F 6D 65 \(Sample.identityHex) D0 D1 D2 D3 D4 D5 D6 D7 D8 D9 DA DB DC DD DE DF 02",
                .refusal(Sample.identity, digest: Array(0xD0...0xDF), .conflict)
            ),
            (
                "01 03 \(Sample.storeHex) 04 68 6F 6D 65 \(Sample.streamHex) \(Sample.sessionHex)",
                .keyRequest(Sample.stream, Sample.session)
            ),
            (
                """
                01 04 \(Sample.storeHex) 04 68 6F 6D 65 00 00 00 00 00 00 00 09 05 73 74 72 61 70 \(Sample.streamHex)
                00 00 01 9B 76 DA A8 00 00 00 00 00 00 00 00 00
                80 81 82 83 84 85 86 87 88 89 8A 8B 8C 8D 8E 8F 90 91 92 93 94 95 96 97 98 99 9A 9B 9C 9D 9E 9F 05
                """, .grant(grant)
            ),
        ]
        return bodies.map { ($0, ControlMessage(store: Sample.store, gateway: gateway, $1)) }
    }

    @Test("lays messages out as documented, and reads them back with what must have been signed")
    func layout() throws {
        let signature = [UInt8](repeating: 0xEE, count: 64)
        for (expected, message) in try Self.vectors() {
            let bytes = try hex(expected)
            #expect(hexadecimal(message.unsigned) == hexadecimal(bytes))
            let signed = try SignedControlMessage(bytes: message.bytes(signature: signature))
            #expect(signed.message == message && signed.signature == signature)
            #expect(signed.signedBytes == message.signedBytes)
            let covered = Array("vitals/1 control".utf8) + message.unsigned
            #expect(signed.signedBytes == covered)
        }
    }

    @Test("refuses every truncation and anything that follows, and survives every flipped bit")
    func damage() throws {
        for (_, message) in try Self.vectors() {
            for length in message.unsigned.indices {
                #expect(fault { try ControlMessage(unsigned: Array(message.unsigned.prefix(length))) } != nil)
            }
            #expect(fault { try ControlMessage(unsigned: message.unsigned + [0]) } != nil)
            for bytes in damaged(message.unsigned) {
                if let other = try? ControlMessage(unsigned: bytes) {
                    #expect(other.unsigned == bytes && other != message)
                }
            }
        }
        #expect(fault { try SignedControlMessage(bytes: [UInt8](repeating: 1, count: 64)) } == .truncated)
        #expect(fault { try SignedControlMessage(bytes: []) } == .truncated)
    }

    @Test("acknowledges 256 blocks at most")
    func manyAcknowledged() throws {
        let most = ControlMessage(
            store: Sample.store, gateway: try ID("home"),
            .acknowledgement(Array(repeating: Sample.identity, count: 256)))
        #expect(try ControlMessage(unsigned: most.unsigned) == most)
        let tooMany = ControlMessage(
            store: Sample.store, gateway: try ID("home"),
            .acknowledgement(Array(repeating: Sample.identity, count: 257)))
        #expect(fault { try ControlMessage(unsigned: tooMany.unsigned) } == .outOfRange("count, 1 to 256"))
    }

    @Test("a grant may ask for its kinds live, too, which is no kind; others than these are refused")
    func live() throws {
        let sensor = try ID("strap")
        func sent(_ kinds: Grant.Kinds) throws -> ControlMessage.Body {
            let grant = try Grant(
                serial: 1, sensor: sensor, stream: Sample.stream, from: 0, until: nil,
                personPublicKey: Array(0..<32), kinds: kinds)
            return try ControlMessage(
                unsigned: ControlMessage(store: Sample.store, gateway: ID("home"), .grant(grant)).unsigned
            ).body
        }
        guard case .grant(let grant) = try sent([.steps, .live]) else {
            Issue.record("no grant")
            return
        }
        #expect(grant.kinds.rawValue == 0x82 && grant.kinds.contains(.live))
        #expect(grant.covers(.steps, at: 0))
        for kind in Reading.Kind.allCases where kind != .steps { #expect(!grant.covers(kind, at: 0)) }
        #expect(!Grant.Kinds.all.contains(.live) && Reading.Kind.allCases.allSatisfy { Grant.Kinds($0) != .live })
        #expect(fault { try sent(Grant.Kinds(rawValue: 0x40)) } == .unsupported("kinds 64"))
    }

    @Test("covers the kinds that a grant names, until its end")
    func grantCovers() throws {
        var grant = try Grant(
            serial: 1, sensor: ID("strap"), stream: Sample.stream, from: 100, until: 200,
            personPublicKey: Array(0..<32), kinds: [.heartRate])
        // A clock that is behind the beginning is wrong: a gateway that holds the grant is past it.
        #expect(
            grant.covers(.heartRate, at: 99) && grant.covers(.heartRate, at: 199) && !grant.covers(.heartRate, at: 200))
        #expect(grant.covers(.heartRate, at: 150))
        #expect(!grant.covers(.steps, at: 150) && !grant.covers(.temperature, at: 150))
        // An end that was past when the grant was made, whatever the gateway's clock says.
        grant.serial = 200
        #expect(!grant.covers(.heartRate, at: 150))
        grant.until = nil
        #expect(grant.covers(.heartRate, at: .max))
        #expect(
            fault {
                try Grant(
                    serial: 1, sensor: ID("s"), stream: Sample.stream, from: 0, until: nil, personPublicKey: [1],
                    kinds: .all)
            } == .outOfRange("public key, 32 bytes"))
    }
}
