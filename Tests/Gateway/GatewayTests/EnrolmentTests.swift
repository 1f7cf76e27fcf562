import Foundation
import Glibc
import MQTT
import Storage
import Synchronization
import Telemetry
import TestSupport
import Testing
import Vault

@testable import vitals_gateway

/// A gateway's machine without an enrolment, and somebody who answers at `accounts/enrol` as a consumer does.
private final class Unenrolled {
    let broker: Broker
    let bus: PrivateBus
    let code: EnrolmentCode
    let consumer: Ed25519.SigningKey
    let settings: String
    private let session: Session
    private let answers: Record<Message>
    var folder: TemporaryFolder { broker.folder }
    static let sensors = #"strap: { name: "H10" }"#

    /// - Parameter answering: makes of the right data of a reply what is replied.
    init(
        gateway: String = "", sensors: String = Unenrolled.sensors,
        answering: @escaping @Sendable (inout [String: String]) -> ReplyError? = { _ in nil }
    ) throws {
        broker = try Broker()
        try broker.start()
        bus = try PrivateBus()
        code = try EnrolmentCode.random()
        consumer = try Ed25519.SigningKey(seed: .random())
        settings = try broker.folder.write("", to: "gateway.json5")
        answers = Record<Message>()
        session = Session(Options(host: "127.0.0.1", port: broker.port, clientID: "consumer"))
        let granted = Record<Bool>()
        session.subscribe([Subscription("vitals/v1/accounts/enrol")]) { _, error in granted.append(error == nil) }
        let (session, code, consumer, answers) = (session, code, consumer.publicKey, answers)
        session.start(
            Handlers(received: { message in
                answers.append(message)
                guard let reply = try? Self.reply(to: message, code, consumer, answering) else { return }
                session.publish(
                    reply.bytes, to: message.properties?.responseTopic ?? "", qos: .atLeastOnce,
                    properties: Message.Properties(correlationData: message.properties?.correlationData))
            }))
        try granted.wait(for: 1)
        try write(gateway, sensors: sensors)
    }

    deinit { session.stop() }

    func write(_ gateway: String, sensors: String = Unenrolled.sensors) throws {
        try broker.folder.write(
            """
            { \(gateway) state: "state", broker: { port: \(broker.port) }, bluetooth: { bus: "\(bus.addressText)" },
              sensors: { \(sensors) } }
            """, to: "gateway.json5")
    }

    private static func reply(
        to message: Message, _ code: EnrolmentCode, _ consumer: [UInt8],
        _ answering: (inout [String: String]) -> ReplyError?
    ) throws -> Reply {
        let request = try Request(payload: message.payload).fields
        guard case .string(let id) = request["code_id"], case .string(let key) = request["gateway_key"],
            case .string(let proof) = request["proof"]
        else { throw TestFailure("no request") }
        let gatewayKey = try KeyFile.bytes(of: key)
        guard id == code.id, try KeyFile.bytes(of: proof) == code.requestProof(gatewayKey: gatewayKey) else {
            return Reply(.error(ReplyError(.wrongCredentials, "this code is not known")))
        }
        let right = try code.replyProof(gateway: "attic", consumerKey: consumer, gatewayKey: gatewayKey)
        var data = [
            "gateway": "attic", "password": "word", "consumer": KeyFile.text(of: consumer),
            "proof": KeyFile.text(of: right),
        ]
        if let error = answering(&data) { return Reply(.error(error)) }
        return Reply(.ok(.object(data.map { JSON.Member($0.key, .string($0.value)) })))
    }

    func gateway(_ words: String...) throws -> RunningProgram {
        try RunningProgram("vitals-gateway", words + ["--settings", settings])
    }

    /// Runs `vitals-gateway enrol`, and says how it ended.
    func enrol(_ words: [String] = [], code: String? = nil) throws -> (status: Int32?, text: String) {
        let program = try RunningProgram("vitals-gateway", ["enrol", "--settings", settings] + words)
        program.send(code ?? self.code.text.lowercased())
        let status = program.exitStatus()
        return (status, program.text)
    }

    /// Runs `vitals-gateway claim-code`: the code, and what else it prints.
    func claimCode() throws -> (code: ClaimCode, errors: String) {
        let program = try RunningProgram("vitals-gateway", ["claim-code", "--settings", settings], output: .apart)
        guard program.exitStatus() == 0, let word = program.lines.first?.split(separator: " ").last,
            let code = ClaimCode(String(word))
        else { throw TestFailure(program.errors) }
        return (code, program.errors)
    }

    var enrolment: Enrolment? { get throws { try Enrolment.read(in: folder.path("state")) } }

    /// Requests that came.
    var requests: [Message] { answers.all }
}

@Suite("Enrolling a gateway", .timeLimit(.minutes(60)))
struct EnrolmentTests {
    @Test("one that is not enrolled waits and says what to do; once it is, it restarts in the same process")
    func enrols() throws {
        let home = try Unenrolled()
        let gateway = try home.gateway()
        #expect(gateway.line(containing: "not enrolled: waiting for `vitals enrol`") != nil)
        let outcome = try home.enrol()
        #expect(outcome.status == 0 && outcome.text.contains("enrolled as attic"), "\(outcome)")
        #expect(outcome.text.contains("(process \(gateway.pid)) restarts"))
        #expect(gateway.line(containing: "gateway attic, 1 sensor in the settings") != nil, "\(gateway.text)")
        #expect(gateway.line(containing: "connected to the broker") != nil)
        #expect(!gateway.text.contains("live only"))
        try home.broker.waitForLog("u'attic'")

        let enrolment = try #require(try home.enrolment)
        #expect(enrolment.consumer == home.consumer.publicKey)
        #expect(try enrolment.codeKey.bytes == home.code.codeKey().bytes && !enrolment.isAgreed)
        for name in ["enrolment.json", "broker.password", "identity.key"] {
            let mode = try FileManager.default.attributesOfItem(atPath: home.folder.path("state/\(name)"))[
                .posixPermissions]
            #expect(mode as? Int == 0o600)
        }
        // The secret half of the code was on the broker nowhere.
        let secret = home.code.text.dropFirst(10)
        #expect(home.requests.count == 1)
        #expect(!home.requests.contains { String(decoding: $0.payload, as: UTF8.self).contains(secret) })
        gateway.end()
        #expect(gateway.exitStatus() == 0)
    }

    @Test("an enrolled one refuses another code unless it is told to use it; it is no failure if no gateway is running")
    func again() throws {
        let home = try Unenrolled()
        let first = try home.enrol()
        #expect(first.status == 0 && first.text.contains("no gateway is running here"), "\(first)")
        let second = try home.enrol()
        #expect(second.status == 64 && second.text.contains("already enrolled, as attic"), "\(second)")
        #expect(try home.enrol(["--again"]).status == 0)
        #expect(home.requests.count == 2)
    }

    @Test("one whose enrolment is damaged, or contradicts the settings, can be enrolled again, as it says")
    func againWhereItIsBroken() throws {
        let home = try Unenrolled()
        #expect(try home.enrol().status == 0)
        try home.folder.write("{", to: "state/enrolment.json")
        let start = try home.gateway()
        #expect(start.exitStatus() == 78 && start.text.contains("vitals-gateway enrol --again"), "\(start.text)")
        #expect(try home.enrol().status == 78)
        #expect(try home.enrol(["--again"]).status == 0)
        #expect(try home.enrolment?.gateway.text == "attic")

        let pinned = KeyFile.text(of: [UInt8](repeating: 9, count: 32))
        try home.folder.write(
            """
            {"gateway":"cellar","consumer":"\(pinned)","username":"cellar","claim_key":"\(pinned)"}
            """, to: "state/enrolment.json")
        try home.write(#"gateway: "attic","#)
        let other = try home.gateway()
        #expect(other.exitStatus() == 78 && other.text.contains("vitals-gateway enrol --again"), "\(other.text)")
        let again = try home.enrol(["--again"])
        #expect(again.status == 0, "\(again)")
        #expect(try home.enrolment?.gateway.text == "attic")
    }

    @Test("an answer from somebody who does not know the code is not believed, and changes nothing")
    func forged() throws {
        for field in ["gateway", "consumer", "proof"] {
            let home = try Unenrolled { data in
                data[field] = field == "gateway" ? "cellar" : KeyFile.text(of: [UInt8](repeating: 7, count: 32))
                return nil
            }
            let outcome = try home.enrol()
            #expect(outcome.status == 77 && outcome.text.contains("does not know the code"), "\(outcome)")
            #expect(try home.enrolment == nil)
        }
        let home = try Unenrolled { data in
            data["proof"] = nil
            return nil
        }
        #expect(try home.enrol().status == 76)
        #expect(try home.enrolment == nil)
    }

    @Test("an invalid code, an unknown code and a refusal are reported, each with what to do")
    func refusals() throws {
        let home = try Unenrolled { _ in ReplyError(.rateLimited, "too many codes were tried", retryAfterSeconds: 9) }
        let none = try home.enrol(code: "7QKM-2DZX")
        #expect(none.status == 65 && none.text.contains("it has 8 of 24 characters"), "\(none)")
        #expect(home.requests.isEmpty)
        let unknown = try home.enrol(code: EnrolmentCode.random().text)
        #expect(unknown.status == 77 && unknown.text.contains("a code works once"), "\(unknown)")
        #expect(try home.enrol().status == 75)
        #expect(try home.enrolment == nil)
    }

    @Test("settings that name another gateway, or pin another consumer, keep it from being enrolled with these")
    func disagreement() throws {
        let home = try Unenrolled(gateway: #"gateway: "home","#)
        let named = try home.enrol()
        #expect(named.status == 78 && named.text.contains("enrol-code --gateway home"), "\(named)")
        #expect(try home.enrolment == nil)
        let other = KeyFile.text(of: [UInt8](repeating: 9, count: 32))
        try home.write(#"gateway: "attic", consumer: { identity: "\#(other)" },"#)
        let pinned = try home.enrol()
        #expect(pinned.status == 78 && pinned.text.contains("consumer.identity"), "\(pinned)")
        try home.write(#"gateway: "attic","#)
        #expect(try home.enrol().status == 0)
        // Afterwards, too.
        try home.write(#"gateway: "home","#)
        let start = try home.gateway()
        #expect(start.exitStatus() == 78 && start.text.contains("enrolled as attic, not as home"), "\(start.text)")
    }

    @Test("an enrolled gateway makes claim codes for the sensors that it has")
    func claimCodes() throws {
        let home = try Unenrolled()
        let before = try home.gateway("claim-code")
        #expect(before.exitStatus() == 78 && before.text.contains("run vitals enrol"), "\(before.text)")
        try #require(try home.enrol().status == 0)
        let identity = try Identity(in: home.folder.path("state"))
        let key = try ClaimKey.atConsumer(
            home.consumer, gateway: identity.key.publicKey, codeKey: home.code.codeKey())
        for words in [["claim-code"], ["claim-code", "strap"]] {
            let program = try RunningProgram("vitals-gateway", words + ["--settings", home.settings], output: .apart)
            try #require(program.exitStatus() == 0, "\(program.errors)")
            let parts = try #require(program.lines.first).split(separator: " ").map(String.init)
            #expect(parts[..<3] == ["vitals", "claim", "attic/strap"])
            let now = Int64(Date.now.timeIntervalSince1970 * 1000)
            #expect(try #require(ClaimCode(parts[3])).window(for: "strap", around: now, key: key) != nil)
        }
        let unknown = try home.gateway("claim-code", "watch")
        #expect(unknown.exitStatus() == 67 && unknown.text.contains("it has strap"), "\(unknown.text)")
        try home.write("", sensors: #"strap: { name: "H10" }, watch: { name: "W" }"#)
        let which = try home.gateway("claim-code")
        #expect(which.exitStatus() == 64 && which.text.contains("it has strap, watch"), "\(which.text)")
    }

    @Test("enrolling tells the process that has the state folder, whichever one the lock file names")
    func holder() throws {
        let home = try Unenrolled()
        let bystander = try RunningProgram("sleep", ["600"])
        defer { bystander.end(SIGKILL) }
        let gateway = try home.gateway()
        #expect(gateway.line(containing: "not enrolled: waiting for `vitals enrol`") != nil)
        try home.folder.write("\(bystander.pid)\n", to: "state/lock")
        let outcome = try home.enrol()
        #expect(outcome.status == 0 && outcome.text.contains("(process \(gateway.pid)) restarts"), "\(outcome)")
        #expect(gateway.line(containing: "gateway attic, 1 sensor in the settings") != nil, "\(gateway.text)")
        #expect(bystander.isRunning)
        gateway.end()

        // The lock alone, as an earlier version or a stranger has it: then nobody is told, and the command says so.
        try home.folder.write("\(bystander.pid)\n", to: "state/lock")
        let stranger = try RunningProgram(
            "flock", ["--no-fork", "--exclusive", home.folder.path("state/lock"), "sh", "-c", "echo locked; read x"])
        defer { stranger.end(SIGKILL) }
        #expect(stranger.line(containing: "locked") != nil)
        let again = try home.enrol(["--again"])
        #expect(again.status == 69 && again.text.contains("enrolled as attic"), "\(again)")
        #expect(again.text.contains("does not say which one") && again.text.contains("restart it"), "\(again)")
        #expect(bystander.isRunning && stranger.isRunning)
        // A second name may be that of another program's lock.
        #expect(link(home.folder.path("state/lock"), home.folder.path("state/other")) == 0)
        let named = try home.enrol(["--again"])
        #expect(named.status == 65 && named.text.contains("is not a lock of ours"), "\(named)")
    }

    @Test(
        "what root does in the gateway's folder is the gateway's", .enabled(if: geteuid() == 0, "only root has others"))
    func rootsEnrolment() throws {
        let home = try Unenrolled()
        let state = home.folder.path("state")
        try FileManager.default.createDirectory(atPath: state, withIntermediateDirectories: false)
        #expect(chmod(home.folder.path, 0o711) == 0)
        #expect(chown(state, 1234, 1234) == 0 && chmod(state, 0o750) == 0)
        let identity = try home.gateway("identity")
        #expect(identity.exitStatus() == 0, "\(identity.text)")
        #expect(try home.enrol().status == 0)
        let names = try FileManager.default.contentsOfDirectory(atPath: state)
        #expect(Set(names).isSuperset(of: ["identity.key", "enrolment.json", "broker.password"]))
        #expect(Set(names).isSubset(of: GatewaySettings.stateFiles), "\(names)")
        for name in names {
            var status = stat()
            #expect(lstat("\(state)/\(name)", &status) == 0)
            #expect(status.st_uid == 1234 && status.st_gid == 1234 && status.st_mode & 0o777 == 0o600, "\(name)")
        }
        var status = stat()
        #expect(stat(state, &status) == 0 && status.st_uid == 1234 && status.st_mode & 0o777 == 0o750)
        // Another user is told as which user to run it.
        let program = try RunningProgram.copy("vitals-gateway", into: home.folder)
        #expect(chmod(home.settings, 0o644) == 0)
        let other = try RunningProgram(
            "setpriv", RunningProgram.asUser(4321) + [program, "claim-code", "--settings", home.settings])
        let line = "run it as that user: sudo -u '#1234' vitals-gateway claim-code --settings \(home.settings)"
        #expect(other.exitStatus() == 78 && other.text.contains(line), "\(other.text)")
        // Even if the folder lets everybody in, and the files do not.
        #expect(chmod(state, 0o755) == 0)
        let within = try RunningProgram(
            "setpriv", RunningProgram.asUser(4321) + [program, "claim-code", "--settings", home.settings])
        #expect(within.exitStatus() == 78 && within.text.contains(line), "\(within.text)")
        #expect(within.text.contains("is for #1234 alone"), "\(within.text)")
        // What root keeps there and no gateway opens is in nobody's way; what root has left there by mistake is.
        try home.folder.write("root's own", to: "state/before.db")
        #expect(chmod("\(state)/before.db", 0o600) == 0)
        func identityOfTheirs() throws -> RunningProgram {
            try RunningProgram(
                "setpriv", RunningProgram.asUser(1234) + [program, "identity", "--settings", home.settings])
        }
        let own = try identityOfTheirs()
        #expect(own.exitStatus() == 0, "\(own.text)")
        #expect(chown("\(state)/enrolment.json", 0, 0) == 0)
        let left = try identityOfTheirs()
        #expect(left.exitStatus() == 78 && left.text.contains("sudo chown -R 1234 \(state)"), "\(left.text)")
    }

    @Test("a state folder of an earlier version makes codes of the new key, and says what to update")
    func enrolledBefore() throws {
        let home = try Unenrolled { data in
            data["claim_codes"] = "agreed"
            return nil
        }
        try #require(try home.enrol().status == 0)
        #expect(try home.enrolment?.isAgreed == true)
        let now = try home.claimCode()
        #expect(!now.errors.contains("earlier version"), "\(now.errors)")
        // The file as earlier versions wrote it.
        let consumer = KeyFile.text(of: home.consumer.publicKey)
        let code = KeyFile.text(of: try home.code.codeKey().bytes)
        try home.folder.write(
            """
            {"gateway":"attic","consumer":"\(consumer)","username":"attic","claim_key":"\(code)"}
            """, to: "state/enrolment.json")
        let before = try home.claimCode()
        #expect(before.errors.contains("update the consumer"), "\(before.errors)")
        let identity = try Identity(in: home.folder.path("state"))
        let key = try ClaimKey.atConsumer(
            home.consumer, gateway: identity.key.publicKey, codeKey: home.code.codeKey())
        for made in [now.code, before.code] {
            let time = Int64(Date.now.timeIntervalSince1970 * 1000)
            #expect(try made.window(for: "strap", around: time, key: key) != nil)
            #expect(try made.window(for: "strap", around: time, key: home.code.codeKey()) == nil)
        }
    }

    @Test("SIGHUP takes new settings, repeatedly, and leaves nothing behind; bad ones change nothing")
    func hangUp() throws {
        let home = try Unenrolled(gateway: #"gateway: "home","#)
        let gateway = try home.gateway()
        #expect(gateway.line(containing: "gateway home") != nil)
        func count(_ what: String) throws -> Int {
            try FileManager.default.contentsOfDirectory(atPath: "/proc/\(gateway.pid)/\(what)").count
        }
        func restart(_ times: Int) throws {
            for _ in 1...times {
                // Broker and message bus: what is open is counted when both have been reached.
                let signs = ["connected to the broker", "Bluetooth: "]
                let starts = signs.map { sign in gateway.lines.count { $0.contains(sign) } }
                gateway.signal(SIGHUP)
                let hasStarted = gateway.wait { lines in
                    zip(signs, starts).allSatisfy { sign, start in lines.count { $0.contains(sign) } > start }
                }
                try #require(hasStarted, "\(gateway.text)")
            }
        }
        try restart(2)
        let (threads, descriptors) = (try count("task"), try count("fd"))
        try restart(10)
        // Not all of a gateway is there yet when it has its broker; but one that was left behind ten times would show.
        #expect(try count("task") < threads + 5 && count("fd") < descriptors + 5)
        try home.broker.folder.write("{ gatway: 1 }", to: "gateway.json5")
        gateway.signal(SIGHUP)
        #expect(gateway.line(containing: "the settings were not read again") != nil)
        try home.write(#"gateway: "cabin","#)
        gateway.signal(SIGHUP)
        #expect(gateway.line(containing: "gateway cabin") != nil)
        gateway.end()
        #expect(gateway.exitStatus() == 0)
    }
}
