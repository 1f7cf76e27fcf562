import Daemon
import Foundation
import Glibc
import Telemetry
import TestSupport
import Testing

@Suite("vitals doctor, of a home that runs", .timeLimit(.minutes(60)))
struct DoctorTests {
    @Test("finds nothing wrong with a home where all is well, and shows no secret and no person")
    func well() throws {
        let household = try Household()
        try household.start()
        try household.startSensor(["--activity", Household.recording("run-9km.csv"), "--speed", "60", "--loop"])
        try household.waitForHealth { $0.contains(#""connected":1"#) && $0.contains(#""bluetooth":"ready""#) }
        let backups = household.folder.path("backups")
        mkdir(backups, 0o700)
        try RunningProgram.run(
            "vitals-consumer", ["backup", "\(backups)/first", "--settings", household.folder.path("consumer.json5")])

        let visit = try DoctorVisit(household.folder, ["--backups", backups])
        // What keeps the clock of the machine that tests right is not ours.
        #expect(visit.names("problem") == [] && visit.names("unknown") == [], "\(visit.text)")
        #expect(
            visit.names("warning").isSubset(of: ["machine clock", "gateway disk", "consumer disk"]), "\(visit.text)")
        #expect(visit.status == 0)
        let every = [
            "gateway settings", "gateway version", "gateway process", "gateway folder", "gateway password",
            "gateway enrolment", "gateway bus", "consumer settings", "consumer version", "consumer process",
            "consumer folder", "consumer password", "consumer root key", "gateway broker",
            "gateway status", "gateway health", "gateway bluetooth", "gateway sensors", "gateway outbox",
            "gateway outbox disk", "gateway acknowledgements", "gateway losses", "gateway consumer", "consumer broker",
            "consumer presence",
            "consumer backups",
        ]
        #expect(visit.names("ok").isSuperset(of: every), "\(Set(every).subtracting(visit.names("ok")))")
        let key = try String(contentsOfFile: household.folder.path("root.key"), encoding: .utf8)
        let password = try String(contentsOfFile: household.broker.folder.path("home.password"), encoding: .utf8)
        for secret in [key, password] { #expect(!visit.text.contains(secret.dropLast())) }
        #expect(!visit.text.contains("demo") && !visit.text.contains("bpm"))

        household.consumer?.end(SIGKILL)
        let presence = try household.subscribe("vitals/v1/stores/#", household.consumersName())
        #expect(presence.line(containing: "offline") != nil)
        let ill = try DoctorVisit(household.folder, ["--backups", backups])
        #expect(ill.status == 69)
        #expect(
            ill.names("problem") == ["consumer process", "consumer presence", "gateway consumer"], "\(ill.text)")
    }

    @Test("says what the gateway's own health, status and version mean")
    func retained() throws {
        let broker = try Broker.home()
        try broker.start()
        defer { broker.stop() }
        let machine = try Machine(port: broker.port)
        for name in ["home", "consumer"] {
            try FileManager.default.removeItem(atPath: machine.folder.path("\(name).password"))
            try FileManager.default.copyItem(
                atPath: broker.folder.path("\(name).password"), toPath: machine.folder.path("\(name).password"))
        }
        #expect(try machine.finding("gateway status").text == "no gateway has said anything at this broker")

        var health = HealthPayload(time: 1)
        health.bluetooth = "ready"
        health.sensors = .init(configured: 2, connected: 1)
        try broker.tell(health, version: "0.0.9")
        var visit = try machine.doctor()
        #expect(visit["gateway status"]?.severity == "warning")
        #expect(visit["gateway status"]?.text.contains("version 0.0.9") == true)
        let judged = ["health", "bluetooth", "sensors", "outbox", "outbox disk", "acknowledgements", "losses"]
        for name in judged { #expect(visit["gateway \(name)"]?.severity == "ok", "\(name)") }
        #expect(visit["consumer presence"]?.severity == "problem")
        #expect(visit["gateway consumer"]?.text.hasPrefix("no consumer is online at") == true)

        health.bluetooth = "waiting for a Bluetooth adapter"
        health.sensors = .init()
        health.outbox = .init(blocks: 9, fullPercent: 85, oldestSeconds: 7200)
        health.disk = .full
        health.dead = 2
        try broker.tell(health, version: Daemon.version)
        visit = try machine.doctor()
        #expect(visit["gateway status"]?.severity == "ok")
        for name in ["bluetooth", "outbox", "outbox disk", "acknowledgements", "losses"] {
            #expect(visit["gateway \(name)"]?.severity == "problem", "\(name): \(visit.text)")
        }
        #expect(visit["gateway sensors"]?.severity == "warning")
        #expect(
            visit["gateway acknowledgements"]?.text
                == "9 blocks without one, the oldest for 120 min; no consumer is online")

        health.outbox = .init(blocks: 9, fullPercent: 60, oldestSeconds: 10)
        health.sensors = .init(configured: 1)
        (health.dead, health.dropped) = (0, 4)
        try broker.tell(health, version: Daemon.version, state: "offline")
        visit = try machine.doctor()
        #expect(visit["gateway status"]?.text == "gateway home is offline" && visit["gateway health"] == nil)
        for name in ["sensors", "outbox", "losses"] {
            #expect(visit["gateway \(name)"]?.severity == "warning", "\(name)")
        }
        #expect(visit["gateway acknowledgements"]?.severity == "ok")

        try broker.tell("{}", at: "health")
        try broker.tell(#"{"state":"online"}"#, at: "status")
        #expect(try machine.finding("gateway health").severity == "unknown")
        try broker.tell("", at: "health")
        #expect(try machine.finding("gateway health").text == "gateway home has said nothing for 90 s")
    }

    @Test("a broker that turns the gateway away, that is not there, or that says nothing is a problem")
    func broker() throws {
        let broker = try Broker.home()
        try broker.start()
        defer { broker.stop() }
        let refused = try Machine(port: broker.port).doctor(["--timeout", "5"])
        #expect(refused["gateway broker"]?.severity == "problem" && refused["gateway status"] == nil, "\(refused.text)")

        let absent = try Machine().finding("gateway broker")
        #expect(absent.severity == "problem" && absent.text.contains("connection refused"), "\(absent)")

        let silent = try Listener()
        let start = ContinuousClock.now
        let hung = try Machine(port: silent.port).doctor(["--timeout", "1"])
        #expect(hung["gateway broker"]?.severity == "problem", "\(hung.text)")
        #expect(hung["consumer broker"]?.severity == "problem" && hung.status == 69)
        #expect(ContinuousClock.now - start < .seconds(20))
    }

    @Test("the bus and its adapters: absent, silent, without bluetoothd, another adapter, and well")
    func bus() throws {
        #expect(try Machine().finding("gateway bus").text.contains("cannot be reached"))

        let path = try TemporaryFolder()
        let silent = try RunningProgram(
            "python3",
            [
                "-c",
                "import socket,sys,time; s=socket.socket(socket.AF_UNIX); s.bind(sys.argv[1]); s.listen(); print('up',flush=True); time.sleep(600)",
                path.path("bus"),
            ])
        #expect(silent.line(containing: "up") != nil)
        let hung = try Machine(bus: "unix:path=\(path.path("bus"))").finding("gateway bus", ["--timeout", "1"])
        #expect(hung.severity == "problem" && hung.text.hasSuffix("does not answer"), "\(hung)")

        let bus = try PrivateBus()
        let lonely = try Machine(bus: bus.addressText).finding("gateway bus")
        #expect(lonely.severity == "problem" && lonely.text.contains("bluetoothd is not running"))

        let sensor = try RunningProgram("vitals-sensor", ["stand-in", "--bus", bus.addressText])
        #expect(sensor.line(containing: "ready") != nil)
        #expect(try Machine(bus: bus.addressText).finding("gateway bus").text == "adapter hci0 is on")
        let other = try Machine(bus: bus.addressText, adapter: "hci7").finding("gateway bus")
        #expect(other.severity == "problem" && other.text == "there is no adapter hci7, only hci0")
        try RunningProgram.run(
            "dbus-send",
            ["--bus=\(bus.addressText)", "--print-reply", "--dest=org.bluez", "/org/bluez/hci0"]
                + ["org.freedesktop.DBus.Properties.Set", "string:org.bluez.Adapter1", "string:Powered"]
                + ["variant:boolean:false"])
        let off = try Machine(bus: bus.addressText).finding("gateway bus")
        #expect(off.severity == "problem" && off.command == "bluetoothctl power on", "\(off)")
    }
}

extension Household {
    /// What lets `mosquitto_sub` see what only the consumer may.
    fileprivate func consumersName() throws -> [String] {
        let password = try String(contentsOfFile: broker.folder.path("consumer.password"), encoding: .utf8)
        return ["-u", "consumer", "-P", String(password.prefix { $0 != "\n" })]
    }
}

extension Broker {
    /// Retains what a gateway `home` would say of itself.
    fileprivate func tell(_ health: HealthPayload, version: String, state: String = "online") throws {
        try tell(#"{"state":"\#(state)"}"#, at: "status")
        try tell(String(decoding: health.bytes, as: UTF8.self), at: "health")
        let info = GatewayInfoPayload(version: version, adapters: ["hci0"])
        try tell(String(decoding: info.bytes, as: UTF8.self), at: "info")
    }

    fileprivate func tell(_ payload: String, at topic: String) throws {
        let password = try String(contentsOfFile: folder.path("home.password"), encoding: .utf8)
        try RunningProgram.run(
            "mosquitto_pub",
            ["-p", "\(port)", "-u", "home", "-P", String(password.prefix { $0 != "\n" }), "-r", "-q", "1"]
                + ["-t", "vitals/v1/gateways/home/\(topic)"] + (payload.isEmpty ? ["-n"] : ["-m", payload]))
    }
}
