import Foundation
import Glibc
import TestSupport
import Testing

/// Libraries that only some homes need cost the others no time at the start, and no memory.
@Suite("Libraries that only some homes need", .timeLimit(.minutes(60)))
struct LoadedLibrariesTests {
    private static let libraries = ["libmicrohttpd.so.12", "libmpdclient.so.2"]

    private let folder: TemporaryFolder
    private let bus: PrivateBus

    init() throws {
        folder = try TemporaryFolder()
        bus = try PrivateBus()
    }

    /// Starts a gateway without a broker.
    private func start(_ more: String, environment: [String: String] = [:]) throws -> RunningProgram {
        try folder.write(
            """
            {
              gateway: "home", state: "gateway", broker: { port: 1 }, bluetooth: { bus: "\(bus.addressText)" },
              \(more)
            }
            """, to: "gateway.json5")
        return try RunningProgram(
            "vitals-gateway", ["--settings", folder.path("gateway.json5")], environment: environment)
    }

    @Test("are not loaded at a program's start", arguments: ["vitals-gateway", "vitals-consumer"])
    func start(program: String) throws {
        let needed = try RunningProgram.run("ldd", [RunningProgram.path(of: program)])
        #expect(needed.contains("libmosquitto.so.1"), "\(needed)")
        for library in Self.libraries { #expect(!needed.contains(library), "\(needed)") }
    }

    @Test(
        "are loaded when the settings ask for them",
        .enabled(if: geteuid() == 0, "the files of a service's process are for root only"))
    func asked() throws {
        let (port, mpd) = (try freePort(), try MusicDaemon([:]))
        let without = try start("metrics: { file: \"\(folder.path("page.prom"))\" }")
        #expect(without.waits { FileManager.default.fileExists(atPath: folder.path("page.prom")) }, "\(without.text)")
        let few = try maps(without)
        #expect(few.contains("libmosquitto.so"), "\(few)")
        for library in Self.libraries { #expect(!few.contains(library), "\(few)") }
        without.end()
        let with = try start("metrics: { listen: \"127.0.0.1:\(port)\" }, music: { player: \"\(mpd.socket)\" }")
        for library in Self.libraries {
            #expect(with.waits { (try? maps(with).contains(library)) == true }, "\(library): \(with.text)")
        }
    }

    @Test("are missed with words that say how to get them, and the rest goes on")
    func missing() throws {
        for library in Self.libraries { try folder.write("", to: library) }
        let (player, page) = (try Listener(), folder.path("page.prom"))
        let paths = [folder.path] + [ProcessInfo.processInfo.environment["LD_LIBRARY_PATH"]].compactMap { $0 }
        let gateway = try start(
            """
            metrics: { listen: "127.0.0.1:\(try freePort())", file: "\(page)" },
            music: { player: "127.0.0.1:\(player.port)" },
            """, environment: ["LD_LIBRARY_PATH": paths.joined(separator: ":")])
        for (library, package) in zip(Self.libraries, ["libmicrohttpd12", "libmpdclient2"]) {
            let isSaid = gateway.wait { lines in
                lines.contains { $0.contains(library) && $0.contains("apt install \(package) ") }
            }
            #expect(isSaid, "\(gateway.text)")
        }
        #expect(gateway.waits { FileManager.default.fileExists(atPath: page) }, "\(gateway.text)")
        gateway.end()
        #expect(gateway.exitStatus() == 0, "\(gateway.text)")
    }

    /// The files in a program's memory.
    private func maps(_ program: RunningProgram) throws -> String {
        try RunningProgram.run("cat", ["/proc/\(program.pid)/maps"])
    }
}
