import OwnTracks
import Testing

@Suite("Links for OwnTracks, read back")
struct ConfigurationLinkTests {
    private static let least: [String] = [
        #""_type":"configuration""#, #""host":"h""#, #""port":1883"#, #""username":"u""#, #""password":"p""#,
        #""deviceId":"d""#, #""clientId":"c""#, #""pubTopicBase":"t""#,
    ]

    private static func bytes(_ members: [String]) -> [UInt8] { Array("{\(members.joined(separator: ","))}".utf8) }

    @Test("What was written is read again, whatever bytes are in it", arguments: ["~~~", "o?o?o?", ">>>", "ûûû ü+/="])
    func back(password: String) throws {
        var written = try PhoneConfiguration(
            host: "broker.example.org", port: 8883, username: "phone-1", password: password, deviceID: "phone-1",
            clientID: "ada-1", topic: "vitals/v1/users/ada/phone/phone-1")
        (written.usesTLS, written.usesWebSocket, written.trackerID) = (false, true, "AL")
        written.secret = try PhoneSecret("mysecreTpass01")
        (written.monitoring, written.intervalSeconds, written.displacementMetres) = (.move, 10, 5)
        (written.ignoredAccuracyMetres, written.obeysCommands, written.tellsMore) = (200, false, false)
        written.subscriptions = ["a/+/b", "c"]
        let read = try PhoneConfiguration(link: " \(try written.link())\n")
        #expect(try read.bytes() == written.bytes())
        #expect(read.password == password && read.secret?.text == "mysecreTpass01")
        #expect(read.subscriptions == ["a/+/b", "c"] && read.trackerID == "AL")
    }

    @Test("What a configuration does not say is as in a new one")
    func least() throws {
        let read = try PhoneConfiguration(bytes: Self.bytes(Self.least))
        let new = try PhoneConfiguration(
            host: "h", port: 1883, username: "u", password: "p", deviceID: "d", clientID: "c", topic: "t")
        #expect(try read.bytes() == new.bytes())
        let empty = try PhoneConfiguration(bytes: Self.bytes(Self.least + [#""encryptionKey":"""#]))
        #expect(empty.secret == nil)
    }

    @Test("Nothing that is missing or wrong is taken", arguments: 0..<8)
    func missing(index: Int) throws {
        var members = Self.least
        members.remove(at: index)
        #expect(refusal { _ = try PhoneConfiguration(bytes: Self.bytes(members)) } != nil)
    }

    @Test(
        "A field that cannot be is refused by its name",
        arguments: [
            (#""mode":3"#, "mode"), (#""tls":1"#, "tls"), (#""monitoring":7"#, "monitoring"), (#""tid":"ABC""#, "tid"),
            (#""encryptionKey":"123456789012345678901234567890123""#, "encryptionKey"),
            (#""locatorInterval":0"#, "locatorInterval"),
        ])
    func wrong(member: String, field: String) throws {
        #expect(refusal { _ = try PhoneConfiguration(bytes: Self.bytes(Self.least + [member])) }?.field == field)
    }

    @Test(
        "What is no link is refused",
        arguments: [
            "", "owntracks:///config?url=e30=", "https://example.org", "owntracks:///config?inline=",
            "owntracks:///config?inline=e30", "owntracks:///config?inline=%", "owntracks:///config?inline=%zz",
            "owntracks:///config?inline=e30%3D", "owntracks:///config?inline=////",
            String(repeating: "a", count: 70_000),
        ])
    func notALink(text: String) throws {
        #expect(refusal { _ = try PhoneConfiguration(link: text) } != nil)
    }
}
