import Daemon
import Foundation
import Testing

@testable import vitals_gateway

@Suite("GatewaySettings")
struct GatewaySettingsTests {
    private func read(_ text: String) throws -> GatewaySettings {
        let bench = try Bench()
        let file = "\(bench.folder)/gateway.json5"
        try text.write(toFile: file, atomically: true, encoding: .utf8)
        return try Settings.read(file, GatewaySettings.init)
    }

    private func refusal(of text: String) -> SettingsError? {
        do {
            _ = try read(text)
            return nil
        } catch {
            return error as? SettingsError
        }
    }

    @Test("accepts the example that it shows to people whose file is not a settings file")
    func example() throws {
        #expect(try read(GatewaySettings.example).sensors.map(\.id.text) == ["strap"])
    }

    @Test("needs no sensor: they can be added by request")
    func withoutSensors() throws {
        #expect(try read(#"{ gateway: "home" }"#).sensors.isEmpty)
        #expect(try read(#"{ gateway: "home", sensors: {} }"#).mostSensors == 8)
    }

    @Test("needs a gateway, and has a default for everything else")
    func defaults() throws {
        let settings = try read(#"{ gateway: "home", sensors: { strap: { name: "H10" } } }"#)
        #expect(settings.topics[settings.gateway, .status] == "vitals/v1/gateways/home/status")
        #expect(settings.broker.host == "127.0.0.1")
        #expect(settings.broker.port == 1883)
        #expect(settings.bus == .system)
        #expect(settings.consumer == nil)
        #expect(settings.publishesLive)
        #expect(settings.outbox.flushInterval == .seconds(5))
        #expect(settings.outbox.blockInterval == .seconds(10))
        #expect(settings.outbox.retention == .seconds(14 * 86400))
        #expect(settings.state.hasSuffix("/gateway"))
        #expect(settings.sensors[0].silence == .seconds(30))
        #expect(settings.sensors[0].bond == .whenNeeded)
        #expect(settings.sensors[0].wheelMillimetres == 2096)
        #expect(settings.sensors[0].steps.uuid == "00002b40-0000-1000-8000-00805f9b34fb")
        #expect(settings.sensors[0].temperature.uuid == "00002a1c-0000-1000-8000-00805f9b34fb")
    }

    @Test("takes the circumference of a bicycle's wheel, and refuses one that no bicycle has", arguments: [500, 3500])
    func wheel(millimetres: Int) throws {
        func wheel(_ millimetres: Int) throws -> Int {
            try read("{ gateway: \"home\", sensors: { bike: { name: \"B\", wheel_mm: \(millimetres) } } }").sensors[0]
                .wheelMillimetres
        }
        #expect(try wheel(millimetres) == millimetres)
        #expect(throws: SettingsError.self) { try wheel(millimetres == 500 ? 499 : 3501) }
    }

    @Test(
        "refuses an unknown key, and names the one that is nearest",
        arguments: [
            (#"{ gatway: "home", sensors: { strap: { name: "H10" } } }"#, "gateway"),
            (#"{ gateway: "home", sensor: { strap: { name: "H10" } } }"#, "sensors"),
            (#"{ gateway: "home", brokers: {}, sensors: { strap: { name: "H10" } } }"#, "broker"),
            (#"{ gateway: "home", broker: { prot: 1 }, sensors: { strap: { name: "H10" } } }"#, "port"),
            (
                #"{ gateway: "home", outbox: { flush_intervall: "1 s" }, sensors: { strap: { name: "H10" } } }"#,
                "flush_interval"
            ),
            (#"{ gateway: "home", sensors: { strap: { name: "H10", notfy: "socket" } } }"#, "notify"),
            (#"{ gateway: "home", sensors: { strap: { name: "H10", steps: { uid: "2a53" } } } }"#, "uuid"),
            (#"{ gateway: "home", consumer: { identiy: "" }, sensors: { strap: { name: "H10" } } }"#, "identity"),
        ])
    func unknownKey(text: String, near: String) throws {
        let refusal = try #require(self.refusal(of: text))
        #expect("\(refusal)".contains("\"\(near)\""), "\(refusal)")
        #expect(refusal.exitCode == .configuration)
    }

    @Test(
        "refuses a value that cannot be, and names its key",
        arguments: [
            (#"{ gateway: "Home!", sensors: { strap: { name: "H10" } } }"#, "gateway"),
            (
                #"{ gateway: "home", bluetooth: { sensors: 1 }, sensors: { a: { name: "A" }, b: { name: "B" } } }"#,
                "sensors"
            ),
            (#"{ gateway: "home", bluetooth: { quiet_limit: "0 s" } }"#, "bluetooth.quiet_limit"),
            (#"{ gateway: "home", sensors: { strap: { name: "H10", bond: "maybe" } } }"#, "sensors.strap.bond"),
            (#"{ gateway: "home", sensors: { "A strap": { name: "H10" } } }"#, "sensors"),
            (#"{ gateway: "home", sensors: { strap: {} } }"#, "sensors.strap"),
            (
                #"{ gateway: "home", sensors: { strap: { name: "H10", address: "C0:FF:EE:00:00:01" } } }"#,
                "sensors.strap"
            ),
            (#"{ gateway: "home", sensors: { strap: { name: "H10", notify: "pigeon" } } }"#, "sensors.strap.notify"),
            (
                #"{ gateway: "home", sensors: { strap: { name: "H10", steps: { uuid: "xyz" } } } }"#,
                "sensors.strap.steps.uuid"
            ),
            (
                #"{ gateway: "home", consumer: { identity: "AAAA" }, sensors: { strap: { name: "H10" } } }"#,
                "consumer.identity"
            ),
            (
                #"{ gateway: "home", outbox: { retention: "1 s" }, sensors: { strap: { name: "H10" } } }"#,
                "outbox.retention"
            ),
            (#"{ gateway: "home", broker: { port: 0 }, sensors: { strap: { name: "H10" } } }"#, "broker.port"),
        ])
    func value(text: String, key: String) throws {
        let refusal = try #require(self.refusal(of: text))
        #expect(refusal.key.hasPrefix(key), "\(refusal)")
    }

    @Test("knows a sensor by its address, whatever the case")
    func address() throws {
        let settings = try read(#"{ gateway: "home", sensors: { strap: { address: "c0:ff:ee:00:00:01" } } }"#)
        #expect(settings.sensors[0].address == "C0:FF:EE:00:00:01")
    }
}
