import Foundation
import Telemetry
import TestSupport
import Testing

@Suite("vitals sensors")
struct SensorsTests {
    private func describe(_ gateway: ScriptedGateway) throws {
        try gateway.appear(sensors: ["strap", "band"])
        let info = SensorInfoPayload(
            name: "Vitals HRM", manufacturer: "Emulated", model: "V1", battery: 87,
            capabilities: ["heart-rate", "steps", "temperature"], bodyLocation: "chest", bonded: false)
        try gateway.keep(info.bytes, .sensor(ID("strap"), .info))
        try gateway.keep(Availability.offline.bytes, .sensor(ID("band"), .availability))
    }

    @Test("lists what is known of each", arguments: ["mqtt5", "mqtt3.1.1"])
    func table(protocolName: String) throws {
        try withHousehold { _, gateway, vitals in
            try describe(gateway)
            let outcome = try vitals("sensors", "--protocol", protocolName)
            #expect(
                outcome.output == """
                    GATEWAY  SENSOR  STATE    NAME        MODEL        BATTERY  WORN AT  CAPABILITIES
                    home     band    offline  -           -            -        -        -
                    home     strap   online   Vitals HRM  Emulated V1  87 %     chest    heart-rate, steps, temperature

                    """)
            #expect(outcome.status == 0)
        }
    }

    @Test("lists them as JSON")
    func json() throws {
        try withHousehold { _, gateway, vitals in
            try describe(gateway)
            #expect(
                try vitals("sensors", "--json").output == """
                    {"gateway":"home","sensor":"band","state":"offline"}
                    {"gateway":"home","sensor":"strap","state":"online","name":"Vitals HRM","manufacturer":"Emulated",\
                    "model":"V1","battery":87,"capabilities":["heart-rate","steps","temperature"],"body_location":"chest",\
                    "bonded":false}

                    """)
        }
    }

    @Test("distinguishes a sensor that was disconnected by request from one that is out of reach")
    func paused() throws {
        try withHousehold { _, gateway, vitals in
            try gateway.appear()
            try gateway.keep(Availability.offline.bytes, .sensor(ID("strap"), .availability))
            try gateway.keep(SensorInfoPayload(name: "Strap", paused: true).bytes, .sensor(ID("strap"), .info))
            #expect(
                try vitals("sensors").lines.last == "home     strap   disconnected  Strap  -      -        -        -")
            #expect(
                try vitals("sensors", "--json").output == """
                    {"gateway":"home","sensor":"strap","state":"disconnected","name":"Strap","capabilities":[],\
                    "paused":true}

                    """)
        }
    }

    @Test("does not believe what an offline gateway said of its sensors")
    func offlineGateway() throws {
        try withHousehold { _, gateway, vitals in
            try gateway.appear()
            try gateway.keep(StatusPayload.will.bytes, .status)
            #expect(try vitals("sensors").lines.last == "home     strap   offline  -     -      -        -        -")
        }
    }

    @Test("makes a name from the air harmless to the terminal")
    func harmful() throws {
        try withHousehold { _, gateway, vitals in
            try gateway.appear()
            try gateway.keep(SensorInfoPayload(name: "\u{1B}[2Jgone\n").bytes, .sensor(ID("strap"), .info))
            let output = try vitals("sensors").output
            #expect(!output.contains("\u{1B}"))
            #expect(output.contains("\\u{1b}[2Jgone\\n"))
        }
    }

    @Test("gathers more than a broker sends without acknowledgements", arguments: ["mqtt5", "mqtt3.1.1"])
    func many(protocolName: String) throws {
        try withHousehold { _, gateway, vitals in
            let sensors = (1...150).map { "sensor-\($0)" }
            try gateway.appear(sensors: sensors)
            let outcome = try vitals("sensors", "--json", "--protocol", protocolName)
            #expect(outcome.lines.count == sensors.count)
        }
    }

    @Test("keeps to the gateway that was named")
    func oneGateway() throws {
        try withHousehold { _, gateway, vitals in
            try gateway.appear()
            try gateway.appear("cabin", sensors: ["band"])
            #expect(try vitals("sensors", "--json").lines.count == 2)
            #expect(
                try vitals("sensors", "--json", "--gateway", "cabin").output
                    == "{\"gateway\":\"cabin\",\"sensor\":\"band\",\"state\":\"online\"}\n")
        }
    }

    @Test("says that there are none yet")
    func none() throws {
        try withHousehold { _, gateway, vitals in
            try gateway.appear(sensors: [])
            let outcome = try vitals("sensors")
            #expect(outcome.output == "")
            #expect(outcome.errors == "vitals: no sensors yet\n")
            #expect(outcome.status == 0)
        }
    }
}

@Suite("vitals status")
struct StatusTests {
    private func describe(_ gateway: ScriptedGateway, change: (inout HealthPayload) -> Void = { _ in }) throws {
        try gateway.appear()
        try gateway.keep(GatewayInfoPayload(version: "0.1.0", adapters: ["hci0"]).bytes, .info)
        var health = HealthPayload(time: 1_760_000_000_000)
        health.outbox = HealthPayload.Outbox(
            journal: 12, blocks: 1, bytes: 4096, fullPercent: 47, oldestSeconds: 4)
        health.disk = .ok
        health.sensors = HealthPayload.Sensors(configured: 2, connected: 1)
        health.bluetooth = "ready"
        health.clock = "ntp"
        change(&health)
        try gateway.keep(health.bytes, .health)
    }

    @Test("shows the state of a gateway")
    func text() throws {
        try withHousehold { broker, gateway, vitals in
            try describe(gateway)
            let outcome = try vitals("status")
            #expect(
                outcome.output == """
                    Gateway       home
                    State         online since 2025-10-09 08:53:20
                    Broker        127.0.0.1:\(broker.port) (MQTT 5)
                    Version       0.1.0
                    Bluetooth     ready
                    Sensors       1 of 2 connected
                    Outbox        12 readings and 1 block waiting, 4096 bytes, the oldest for 4 s; 47 % full
                    Clock         ntp

                    """)
            #expect(outcome.status == 0)
        }
    }

    @Test("shows what should not have happened")
    func losses() throws {
        try withHousehold { _, gateway, vitals in
            try describe(gateway) { health in
                health.outbox = HealthPayload.Outbox()
                health.disk = .full
                health.diskSince = 1_760_000_000_000
                health.dropped = 3
                health.dead = 1
                health.notRecorded = 7
                health.malformed = 1
            }
            #expect(
                try vitals("status").lines.suffix(7) == [
                    "Outbox        empty", "Clock         ntp",
                    "Disk          full since 2025-10-09 08:53:20: readings wait in the gateway's memory; its log says more",
                    "Dropped       3 readings, because the outbox was full", "Refused       1 block, by the consumer",
                    "Not recorded  7 readings of sensors that belong to nobody",
                    "Malformed     1 value from sensors",
                ])
            // Once every sensor is claimed, there is nothing left to do about it.
            try describe(gateway) { health in
                health.notRecorded = 7
                health.sensors.configured = 1
                health.recordedSensors = ["strap"]
            }
            #expect(try !vitals("status").lines.contains { $0.hasPrefix("Not recorded") })
        }
    }

    @Test("says whether the consumer is there, and of when the rest is if the gateway is not")
    func consumerAndGone() throws {
        try withHousehold { _, gateway, vitals in
            try describe(gateway) { $0.consumer = .offline }
            #expect(try vitals("status").lines.last == "Consumer      offline: readings wait at the gateway")
            try describe(gateway) { $0.consumer = .older }
            #expect(try vitals("status").lines.last?.contains("its store is older than the gateway's grants") == true)
            try describe(gateway) { $0.consumer = .online }
            #expect(try vitals("status").lines.last == "Consumer      online")
            #expect(try !vitals("status").lines.contains { $0.hasPrefix("As of") })
            try gateway.keep(StatusPayload(.offline, time: 1_760_000_060_000).bytes, .status)
            let lines = try vitals("status").lines
            #expect(lines.contains("State         offline since 2025-10-09 08:54:20"))
            #expect(lines.contains("As of         2025-10-09 08:53:20: the lines below are no longer up to date"))
        }
    }

    @Test("shows what it can of a gateway that has gone, or that speaks another version's language")
    func partial() throws {
        try withHousehold { _, gateway, vitals in
            try gateway.keep(StatusPayload.will.bytes, .status)
            #expect(
                try vitals("status").lines.filter { !$0.hasPrefix("Broker") } == [
                    "Gateway       home", "State         offline", "Version       unknown",
                    "Health        nothing was heard lately",
                ])
            try gateway.keep(Array("{}".utf8), .health)
            let health = try vitals("status").lines.last
            #expect(health?.hasPrefix("Health        cannot be read: ") == true)
        }
    }

    @Test("shows all of it as JSON, several gateways on a line each")
    func json() throws {
        try withHousehold { broker, gateway, vitals in
            try describe(gateway)
            try gateway.appear("cabin", sensors: [])
            let lines = try vitals("status", "--json").lines
            #expect(lines.count == 2)
            #expect(
                lines.first
                    == "{\"gateway\":\"cabin\",\"state\":\"online\",\"since\":1760000000000,"
                    + "\"broker\":\"127.0.0.1:\(broker.port)\"}")
            let home = try JSON(payload: Array(try #require(lines.last).utf8))
            #expect(home["gateway"] == "home")
            #expect(home["info"]?["version"] == "0.1.0")
            #expect(home["health"]?["outbox"]?["journal"] == 12)
        }
    }

    @Test("says that there is no gateway", arguments: ["status", "sensors"])
    func nobody(command: String) throws {
        try withHousehold { broker, _, vitals in
            let outcome = try vitals(command)
            #expect(outcome.status == 69)
            #expect(
                outcome.errors == """
                    vitals: there is no gateway at 127.0.0.1:\(broker.port), below vitals/v1
                    is it running, with this broker? systemctl status vitals-gateway

                    """)
        }
    }
}
