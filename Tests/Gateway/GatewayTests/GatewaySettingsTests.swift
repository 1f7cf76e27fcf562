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

    @Test(
        "takes loopback addresses for metrics",
        arguments: [("127.0.0.1:9187", "127.0.0.1"), ("127.9.9.9:1", "127.9.9.9"), ("[::1]:65535", "::1")])
    func metrics(listen: String, host: String) throws {
        let settings = try read("{ gateway: \"home\", metrics: { listen: \"\(listen)\" } }")
        #expect(settings.metrics?.listen?.host == host)
        #expect(settings.metrics?.file == nil)
    }

    @Test("takes other addresses for metrics only if that is said, and has no metrics unless they are asked for")
    func openMetrics() throws {
        #expect(try read(#"{ gateway: "home" }"#).metrics == nil)
        let open = try read(#"{ gateway: "home", metrics: { listen: "0.0.0.0:9187", beyond_loopback: true } }"#)
        #expect(open.metrics?.listen?.host == "0.0.0.0")
        let file = try read(#"{ gateway: "home", metrics: { file: "m/x.prom" } }"#)
        #expect(file.metrics?.listen?.host == nil && file.metrics?.file?.hasSuffix("/m/x.prom") == true)
    }

    @Test(
        "refuses what it cannot publish metrics with, and says what to write",
        arguments: [
            (#"{ listen: "192.168.0.7:9187" }"#, "beyond_loopback"), (#"{ listen: "[::]:9187" }"#, "beyond_loopback"),
            (#"{ listen: "[::ffff:127.0.0.1]:9187" }"#, "beyond_loopback"),
            (#"{ listen: "localhost:9187" }"#, "127.0.0.1:9187"), (#"{ listen: "127.0.0.1" }"#, "127.0.0.1:9187"),
            (#"{ listen: "127.1:9187" }"#, "127.0.0.1:9187"), (#"{ listen: "127.0.0.1:0" }"#, "127.0.0.1:9187"),
            (#"{ listen: "127.0.0.1:99999" }"#, "127.0.0.1:9187"), (#"{ file: "x.txt" }"#, ".prom"),
            (#"{}"#, "leave out metrics"), (#"{ listn: "127.0.0.1:9187" }"#, "is \"listen\" meant"),
        ])
    func wrongMetrics(section: String, said: String) {
        let refusal = refusal(of: "{ gateway: \"home\", metrics: \(section) }")
        #expect(refusal.map { "\($0)" }?.contains(said) == true, "\(String(describing: refusal))")
    }

    @Test(
        "reaches a bus through a socket, and refuses addresses that start programs",
        arguments: [
            "unixexec:path=/bin/sh,argv1=-c,argv2=id", "unix:path=/run/bus;unixexec:path=/bin/sh", "autolaunch:",
        ])
    func bus(address: String) throws {
        let refusal = refusal(of: "{ gateway: \"home\", bluetooth: { bus: \"\(address)\" } }")
        #expect(refusal.map { "\($0)" }?.contains("addresses of sockets") == true)
        let sockets = "unix:path=/run/bus;tcp:host=127.0.0.1,port=9"
        #expect(try read("{ gateway: \"home\", bluetooth: { bus: \"\(sockets)\" } }").bus == .address(sockets))
    }

    @Test("tells Home Assistant nothing unless it is asked to, and never below its own topics")
    func homeAssistant() throws {
        func prefix(_ section: String) throws -> String? {
            try read("{ gateway: \"home\", \(section) }").homeAssistant?.prefix
        }
        #expect(try prefix("") == nil)
        #expect(try prefix("home_assistant: {}") == "homeassistant")
        #expect(try prefix(#"home_assistant: { discovery_prefix: "a/b" }"#) == "a/b")
        for bad in ["a/+", "vitals/v1/gateways", "vitals", ""] {
            #expect(refusal(of: "{ gateway: \"home\", home_assistant: { discovery_prefix: \"\(bad)\" } }") != nil)
        }
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
