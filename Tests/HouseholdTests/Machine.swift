import Foundation
import Glibc
import TestSupport

/// A machine on which a home without accounts was set up, as files: settings of gateway and consumer, their folders,
/// passwords and the root key. Nothing runs.
final class Machine {
    let folder: TemporaryFolder
    /// Where the settings say that the broker is.
    let port: UInt16

    /// - Parameters:
    ///   - port: of the broker; nil for one where nobody listens.
    ///   - bus: the bus's address; nil for one that is not there.
    ///   - broker: more of the section `broker` of both files.
    init(
        port: UInt16? = nil, bus: String? = nil, adapter: String? = nil, broker: String = "", gateway: String = ""
    ) throws {
        folder = try TemporaryFolder()
        self.port = try port ?? freePort()
        let bus = bus ?? "unix:path=\(folder.path("no-bus"))"
        let adapter = adapter.map { "adapter: \"\($0)\"," } ?? ""
        let key = Data(repeating: 7, count: 32).base64EncodedString()
        try folder.write(
            """
            {
              gateway: "home", state: "gateway", consumer: { identity: "\(key)" },
              bluetooth: { bus: "\(bus)", \(adapter) },
              broker: { port: \(self.port), username: "home", password_file: "home.password", \(broker) },
              \(gateway)
            }
            """, to: "gateway.json5")
        try folder.write(
            """
            {
              state: "consumer", root_key_file: "root.key", time_zone: "UTC",
              broker: { port: \(self.port), username: "consumer", password_file: "consumer.password", \(broker) },
            }
            """, to: "consumer.json5")
        for name in ["home.password", "consumer.password"] { try folder.write("not a real password\n", to: name) }
        try folder.write(key + "\n", to: "root.key")
        for name in ["gateway", "consumer"] {
            guard mkdir(folder.path(name), 0o700) == 0 else { throw TestFailure("no folder \(name)") }
        }
    }

    /// What `vitals doctor` says of both.
    func doctor(_ arguments: [String] = []) throws -> DoctorVisit { try DoctorVisit(folder, arguments) }

    /// What it says of one thing, such as `gateway bus`.
    func finding(_ name: String, _ arguments: [String] = []) throws -> DoctorVisit.Finding {
        let visit = try doctor(arguments)
        guard let finding = visit[name] else { throw TestFailure("nothing about \(name): \(visit.text)") }
        return finding
    }
}

/// What a run of `vitals doctor --json` said.
struct DoctorVisit {
    struct Finding: Equatable {
        let severity: String
        let text: String
        let hint: String
        let command: String
    }

    let status: Int32
    let text: String
    private let findings: [String: Finding]

    /// - Parameters:
    ///   - folder: with `gateway.json5` and `consumer.json5`.
    ///   - program: another `vitals` than the one that was built.
    init(_ folder: TemporaryFolder, _ arguments: [String] = [], program: [String] = ["vitals"]) throws {
        let words =
            ["doctor", "--json", "--gateway-settings", folder.path("gateway.json5")]
            + ["--consumer-settings", folder.path("consumer.json5")] + arguments
        let doctor = try RunningProgram(
            program[0], Array(program.dropFirst()) + words, environment: ["HOME": folder.path], output: .apart)
        guard let status = doctor.exitStatus(within: .seconds(60)), [0, 69, 75].contains(status) else {
            throw TestFailure("vitals doctor: \(doctor.text) \(doctor.errors)")
        }
        self.status = status
        text = doctor.text
        var findings: [String: Finding] = [:]
        for line in doctor.lines {
            guard let said = try JSONSerialization.jsonObject(with: Data(line.utf8)) as? [String: String] else {
                throw TestFailure("not an object of texts: \(line)")
            }
            findings["\(said["subject"] ?? "") \(said["check"] ?? "")"] = Finding(
                severity: said["severity"] ?? "", text: said["text"] ?? "", hint: said["hint"] ?? "",
                command: said["command"] ?? "")
        }
        self.findings = findings
    }

    /// What it says of one thing, such as `gateway bus`.
    subscript(name: String) -> Finding? { findings[name] }

    /// The names of everything that has one severity.
    func names(_ severity: String) -> Set<String> { Set(findings.filter { $0.value.severity == severity }.keys) }
}
