import Foundation
import TestSupport
import Testing

/// A disk that can be full for one program, with what `Tests/Rigs/faults.c` does to its calls.
private struct FillableDisk {
    /// What the program has to find in its environment.
    let environment: [String: String]
    private let hasRoom: String

    /// - Parameter state: the program's state folder in the household's.
    init(_ household: Household, _ state: String) throws {
        let library = household.folder.path("faults.so")
        try RunningProgram.run(
            "cc", ["-O1", "-shared", "-fPIC", "-o", library, "\(projectFolder)/Tests/Rigs/faults.c"])
        hasRoom = household.folder.path("has-room")
        environment = [
            "LD_PRELOAD": library, "FAULT_FOLDER": "\(household.folder.path(state))/",
            "FAULT_CALLS": "write,pwrite64,ftruncate", "FAULT_FIRST": "0", "FAULT_ERROR": "\(ENOSPC)",
            "FAULT_OVER": hasRoom,
        ]
        try makeRoom()
    }

    func fill() throws { try FileManager.default.removeItem(atPath: hasRoom) }

    func makeRoom() throws { try Data().write(to: URL(fileURLWithPath: hasRoom)) }
}

extension RunningProgram {
    /// How many lines of its log have these words.
    fileprivate func count(of words: String) -> Int { lines.count { $0.contains(words) } }
}

/// What the operator of the programs is told.
@Suite("What operators are told", .timeLimit(.minutes(60)))
struct OperatorTests {
    private static let quick = #"outbox: { flush_interval: "200 ms", block_interval: "200 ms" },"#

    @Test("a gateway's full disk is stated in health, status and readiness, and said once in the log, as is its end")
    func fullDiskOfGateway() throws {
        let household = try Household(gatewaySettings: Self.quick)
        let disk = try FillableDisk(household, "gateway")
        let supervisor = try Supervisor()
        try household.start(gateway: disk.environment.merging(supervisor.environment) { _, new in new })
        try household.startSensor(["--synthesise", "--rate", "10"])
        try household.waitForHealth { $0.contains(#""connected":1"#) && $0.contains(#""disk":"ok","dropped""#) }
        let gateway = try #require(household.gateway)

        try disk.fill()
        #expect(supervisor.message(containing: "STATUS=disk: full since 20") != nil)
        try household.waitForHealth { $0.contains(#""disk":"full","disk_since":1"#) }
        let status = try RunningProgram.run("vitals", ["--port", "\(household.broker.port)", "status"])
        #expect(status.contains("Disk          full since 20"))
        // It is tried each second.
        let health = try household.subscribe("vitals/v1/gateways/home/health")
        #expect(health.wait { $0.count { $0.contains(#""disk":"full""#) } >= 2 })

        try disk.makeRoom()
        #expect(gateway.line(containing: "the disk takes what is written again", within: .seconds(60)) != nil)
        #expect(supervisor.message(containing: "STATUS=disk: ok") != nil)
        try household.waitForHealth { $0.contains(#""disk":"ok","dropped":0"#) }
        #expect(gateway.count(of: "the disk is full") == 1)
        #expect(gateway.count(of: "the disk takes what is written again") == 1)
        #expect(gateway.count(of: " error: ") == 1, "\(gateway.text)")
    }

    @Test("a consumer's full disk is stated in readiness, and said once in its log, as is its end; nothing is lost")
    func fullDiskOfConsumer() throws {
        let household = try Household(gatewaySettings: Self.quick)
        let disk = try FillableDisk(household, "consumer")
        let supervisor = try Supervisor()
        try household.start(consumer: disk.environment.merging(supervisor.environment) { _, new in new })
        let password = try String(contentsOfFile: household.broker.folder.path("consumer.password"), encoding: .utf8)
        let presence = try household.subscribe(
            "vitals/v1/stores/#", ["-u", "consumer", "-P", password.trimmingCharacters(in: .whitespacesAndNewlines)])
        try household.startSensor([
            "--activity", Household.recording("run-9km.csv"), "--speed", "100", "--once", "--name", "Vitals HRM",
        ])
        try household.waitForHealth { $0.contains(#""connected":1"#) }
        let consumer = try #require(household.consumer)

        try disk.fill()
        #expect(supervisor.message(containing: "STATUS=disk: full since 20") != nil)
        #expect(presence.wait { $0.count { $0.contains("offline") } >= 3 }, "\(presence.text)\n\(consumer.text)")

        try disk.makeRoom()
        #expect(consumer.line(containing: "the disk takes what is written again", within: .seconds(90)) != nil)
        #expect(consumer.count(of: "the disk is full") == 1)
        #expect(consumer.count(of: "the disk takes what is written again") == 1)
        #expect(consumer.count(of: "next try in") == 0)
        #expect(supervisor.endsWith("STATUS=connected to the broker"))
        #expect(household.sensor?.line(containing: "replayed 2808 heart rates", within: .seconds(60)) != nil)
        try household.waitUntilStored()
        #expect(try household.stored("heart-rate").count == 2808)
    }

    @Test("systemd hears at once that both services are ready, though the broker is away, and gets signs of life")
    func supervised() throws {
        let household = try Household()
        let supervisors = [try Supervisor(), try Supervisor()]
        let environments = supervisors.map { $0.environment.merging(["WATCHDOG_USEC": "400000"]) { _, new in new } }
        try household.startConsumer(environments[0])
        try household.startGateway(environments[1])
        for supervisor in supervisors {
            #expect(supervisor.message(containing: "READY=1") != nil)
            #expect(supervisor.message(containing: "WATCHDOG=1") != nil)
        }
    }

    @Test(
        "a gateway gives no signs of life while a thread of a heartbeat's path hangs", .enabled(if: getuid() == 0))
    func hangingThread() throws {
        let household = try Household()
        let said = try RunningProgram.runPython([
            projectFolder + "/Tests/Rigs/hang.py", RunningProgram.path(of: "vitals-gateway"),
            household.folder.path("gateway.json5"),
        ])
        // The disk may be slow: a gateway that waits for it is alive.
        let expected = ["flush alive", "gateway silent", "outbox silent"]
        #expect(said.split(separator: "\n").map(String.init).sorted() == expected)
    }

    @Test(
        "a broker that is away is a warning in both programs, said once a minute and at each new outage, with its time")
    func brokerAway() throws {
        let household = try Household()
        let debugging = try String(contentsOfFile: household.folder.path("gateway.json5"), encoding: .utf8)
            .replacing("state: \"gateway\",", with: "state: \"gateway\", log: \"debug\",")
        try household.folder.write(debugging, to: "gateway.json5")
        try household.startConsumer()
        try household.startGateway()
        let gateway = try #require(household.gateway)
        let consumer = try #require(household.consumer)
        #expect(gateway.wait { $0.count { $0.contains(" debug: broker: connecting") } >= 4 })
        for program in [consumer, gateway] {
            let line = try #require(program.line(containing: "next try in"))
            #expect(line.contains(#/^20[0-9-]{8}T[0-9:]{8}Z warning: /#), "\(line)")
            #expect(program.lines.count { $0.contains(" warning: ") && $0.contains("next try in") } == 1)
        }
        try household.broker.start()
        for program in [consumer, gateway] {
            #expect(program.line(containing: "connected to the broker", within: .seconds(60)) != nil)
        }
        household.broker.stop()
        for program in [consumer, gateway] {
            let isTold = program.wait { $0.count { $0.contains(" warning: ") && $0.contains("next try in") } >= 2 }
            #expect(isTold, "\(program.text)")
        }
    }
}
