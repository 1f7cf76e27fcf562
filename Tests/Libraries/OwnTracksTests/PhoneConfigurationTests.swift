import Foundation
import OwnTracks
import TestSupport
import Testing

@Suite("Configurations for OwnTracks", .timeLimit(.minutes(60)))
struct PhoneConfigurationTests {
    private static let script = "\(projectFolder)/Tests/Libraries/OwnTracksTests/config_link.py"

    private static func configuration(_ password: String = "pass word+/=?&%ü") throws -> PhoneConfiguration {
        try PhoneConfiguration(
            host: "broker.example.org", port: 8883, username: "ada/phone", password: password, deviceID: "phone-1",
            clientID: "ada-phone-1", topic: "vitals/v1/users/ada/phone/%d")
    }

    @Test("The link says all that it should, as both apps read it")
    func link() throws {
        var configuration = try Self.configuration()
        configuration.trackerID = "AL"
        configuration.secret = try PhoneSecret("mysecreTpass01")
        configuration.monitoring = .move
        configuration.intervalSeconds = 10
        configuration.displacementMetres = 5
        configuration.ignoredAccuracyMetres = 200
        configuration.subscriptions = ["a/+/b", "c"]
        let expected: [String: any Sendable & Equatable] = [
            "_type": "configuration", "mode": 0, "host": "broker.example.org", "port": 8883, "tls": true, "ws": false,
            "mqttProtocolLevel": 4, "auth": true, "username": "ada/phone", "password": "pass word+/=?&%ü",
            "deviceId": "phone-1", "clientId": "ada-phone-1", "tid": "AL", "encryptionKey": "mysecreTpass01",
            "cleanSession": false, "pubTopicBase": "vitals/v1/users/ada/phone/%d", "pubQos": 1, "pubRetain": false,
            "sub": true, "subTopic": "a/+/b c", "monitoring": 2, "locatorInterval": 10, "locatorDisplacement": 5,
            "ignoreInaccurateLocations": 200, "extendedData": true, "cmd": true, "allowRemoteLocation": true,
            "remoteConfiguration": false, "autostartOnBoot": true,
        ]
        for app in ["android", "ios"] {
            let text = try RunningProgram.runPython([Self.script, app, try configuration.link()])
            let read = try JSONSerialization.jsonObject(with: Data(text.utf8)) as? NSDictionary
            #expect(read == expected as NSDictionary, "\(app): \(text)")
        }
    }

    @Test("What is not set is left as it is in the app; the secret, the subscriptions and what others may ask are not")
    func least() throws {
        var configuration = try Self.configuration()
        configuration.obeysCommands = false
        configuration.tellsMore = false
        configuration.usesTLS = false
        configuration.usesWebSocket = true
        let bytes = Data(try configuration.bytes())
        let read = try #require(try JSONSerialization.jsonObject(with: bytes) as? [String: Any])
        for absent in ["tid", "locatorInterval", "locatorDisplacement", "subTopic", "waypoints"] {
            #expect(read[absent] == nil)
        }
        #expect(read["encryptionKey"] as? String == "")
        for off in ["tls", "sub", "cmd", "allowRemoteLocation", "extendedData", "remoteConfiguration", "pubRetain"] {
            #expect(read[off] as? Bool == false)
        }
        #expect(read["ws"] as? Bool == true)
        #expect(read["ignoreInaccurateLocations"] as? Int == 0)
    }

    @Test("Both apps read the link whatever bytes are in it")
    func everyByte() throws {
        // Three times the same letter after each other lie on each place of Base64's groups of three.
        for password in ["~~~", "o?o?o?", ">>>", "ûûûûû", "\u{FFFD}ÿ~þ"] {
            let link = try Self.configuration(password).link()
            #expect(!link.contains("+") && !link.contains(" "))
            for app in ["android", "ios"] {
                let text = try RunningProgram.runPython([Self.script, app, link])
                let read = try JSONSerialization.jsonObject(with: Data(text.utf8)) as? [String: Any]
                #expect(read?["password"] as? String == password)
            }
        }
    }

    @Test("Settings that an app would not take are refused by the app's name for them")
    func refused() throws {
        let changes: [(String, (inout PhoneConfiguration) -> Void)] = [
            ("host", { $0.host = "" }), ("host", { $0.host = "a b" }), ("port", { $0.port = 0 }),
            ("port", { $0.port = 65_536 }), ("username", { $0.username = "" }), ("username", { $0.username = "a\nb" }),
            ("password", { $0.password = String(repeating: "x", count: 257) }), ("deviceId", { $0.deviceID = "a/b" }),
            ("deviceId", { $0.deviceID = "" }), ("clientId", { $0.clientID = "\u{7F}" }),
            ("pubTopicBase", { $0.topic = "a/+" }),
            ("pubTopicBase", { $0.topic = "a/#" }), ("pubTopicBase", { $0.topic = "" }),
            ("tid", { $0.trackerID = "ABC" }),
            ("tid", { $0.trackerID = "" }), ("tid", { $0.trackerID = "A-" }),
            ("locatorInterval", { $0.intervalSeconds = 0 }), ("locatorDisplacement", { $0.displacementMetres = -1 }),
            ("ignoreInaccurateLocations", { $0.ignoredAccuracyMetres = -1 }),
            ("subTopic", { $0.subscriptions = ["a b"] }),
            ("subTopic", { $0.subscriptions = Array(repeating: "a", count: 17) }),
        ]
        for (field, change) in changes {
            var configuration = try Self.configuration()
            change(&configuration)
            let changed = configuration
            #expect(refusal { _ = try changed.link() } == Refusal(.outOfRange, field))
            #expect(refusal { _ = try changed.bytes() } == Refusal(.outOfRange, field))
        }
        let made = refusal {
            _ = try PhoneConfiguration(
                host: "x", port: -1, username: "x", password: "x", deviceID: "x", clientID: "x", topic: "x")
        }
        #expect(made == Refusal(.outOfRange, "port"))
    }

    @Test("Nothing prints the password and the secret")
    func discreet() throws {
        var configuration = try Self.configuration("hidden-password")
        configuration.secret = try PhoneSecret("hidden-secret")
        var dumped = ""
        dump(configuration, to: &dumped)
        let printed = "\(configuration) \(String(reflecting: configuration)) \(dumped)"
        #expect(printed.contains("broker.example.org"))
        #expect(!printed.contains("hidden"))
    }
}
