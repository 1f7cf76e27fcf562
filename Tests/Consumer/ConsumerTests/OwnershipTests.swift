import Daemon
import Files
import Foundation
import HouseholdSupport
import Storage
import Telemetry
import TestSupport
import Testing
import Vault

@testable import Custody
@testable import Records
@testable import vitals_consumer

/// What root does in folders that belong to other users. Such a user puts links in the place of names as often as they
/// can; and what root makes there must be that user's.
@Suite("Root in other users' folders", .enabled(if: geteuid() == 0, "only root has others"), .timeLimit(.minutes(60)))
struct OwnershipTests {
    private let folder: TemporaryFolder
    private static let owner: UInt32 = 1234

    init() throws {
        folder = try TemporaryFolder()
        #expect(chmod(folder.path, 0o711) == 0)
    }

    /// Makes a folder of the other user's.
    private func makeTheirs(_ name: String, mode: mode_t = 0o700) throws {
        try FileManager.default.createDirectory(atPath: folder.path(name), withIntermediateDirectories: false)
        #expect(chown(folder.path(name), Self.owner, Self.owner) == 0 && chmod(folder.path(name), mode) == 0)
    }

    private func give(_ name: String) { #expect(lchown(folder.path(name), Self.owner, Self.owner) == 0) }

    private func status(_ name: String) throws -> stat {
        var status = stat()
        guard lstat(folder.path(name), &status) == 0 else { throw TestFailure("there is no \(name)") }
        return status
    }

    /// Runs a program of the other user's, in Perl, which every Debian has where every user may run it.
    private func race(_ script: String, _ words: [String]) throws -> RunningProgram {
        let racer = try RunningProgram(
            "setpriv",
            RunningProgram.asUser(Self.owner) + ["perl", "-e", #"$| = 1; print "racing\n"; "# + script] + words)
        guard racer.line(containing: "racing") != nil else { throw TestFailure(racer.text) }
        return racer
    }

    @Test("give nothing away when the root key is changed, however fast its folder's owner puts links there")
    func racedRootKey() throws {
        try makeTheirs("stick")
        let victim = try folder.write("root's own", to: "victim")
        let key = try KeyFile.createIfMissing(folder.path("stick/root.key"))
        give("stick/root.key")
        // As soon as there is a file of that name, it is a link, for a moment.
        let racer = try race(
            """
            ($victim, $name) = @ARGV;
            for (;;) { next unless unlink $name; symlink $victim, $name; select undef, undef, undef, 0.001; unlink $name }
            """,
            [victim, folder.path("stick/root.key.new")])
        defer { racer.end(SIGKILL) }
        // On a disk that is busy, a round takes a while, and there have to be many.
        let end = ContinuousClock.now + .seconds(15)
        var rounds = 0
        while ContinuousClock.now < end || rounds <= 100, try status("victim").st_uid == 0 {
            // What the racer removes too soon is an error, and no harm.
            try? RootKey(path: folder.path("stick/root.key")).prepare(key)
            rounds += 1
        }
        let found = try status("victim")
        #expect(found.st_uid == 0 && found.st_gid == 0 && found.st_mode & 0o777 == 0o600, "after \(rounds) rounds")
        #expect(try String(contentsOfFile: victim, encoding: .utf8) == "root's own")
        #expect(rounds > 100 && racer.isRunning)
    }

    @Test("change no mode of a file that a link leads to, and show nobody what is in it")
    func brokersFile() throws {
        let household = try Household()
        let settings = try household.ruledSettings()
        try makeTheirs("broker")
        let victim = try folder.write("root:secret\n", to: "victim")
        #expect(chmod(victim, 0o640) == 0)
        let path = folder.path("broker/vitals.json")
        #expect(symlink(victim, path) == 0)
        give("broker/vitals.json")
        let error = thrown(Failure.self) {
            try output { _ = try BrokerRulesCommand(path: path).run(settings, output: $0) }
        }
        #expect(error?.message.contains("it is a link") == true)
        #expect(try FileManager.default.contentsOfDirectory(atPath: folder.path("broker")) == ["vitals.json"])
        // The file itself becomes the broker's, also a damaged one, and its mode is set by its descriptor.
        unlink(path)
        for text in [nil, "no JSON"] {
            if let text { try folder.write(text, to: "broker/vitals.json") }
            _ = try output { _ = try BrokerRulesCommand(path: path).run(settings, output: $0) }
            let file = try status("broker/vitals.json")
            #expect(file.st_uid == Self.owner && file.st_gid == Self.owner && file.st_mode & 0o777 == 0o600)
        }
        #expect(try status("broker/vitals.json.damaged").st_uid == Self.owner)
        #expect(chmod(path, 0o644) == 0)
        _ = try output { _ = try BrokerRulesCommand(path: path).run(settings, output: $0) }
        #expect(try status("broker/vitals.json").st_mode & 0o777 == 0o600)
        #expect(throws: VaultError.self) { try SmallFile.restrict(folder.path("broker/link")) }
        #expect(try status("victim").st_mode & 0o777 == 0o640)
    }

    @Test("change no mode while the broker's user puts links in the place of its file")
    func racedBrokersFile() throws {
        let household = try Household()
        let settings = try household.ruledSettings()
        try makeTheirs("broker")
        let victim = try folder.write("root:secret\n", to: "victim")
        #expect(chmod(victim, 0o644) == 0)
        let path = folder.path("broker/vitals.json")
        _ = try output { _ = try BrokerRulesCommand(path: path).run(settings, output: $0) }
        let right = try #require(FileManager.default.contents(atPath: path))
        // The right file and a link to the victim take turns.
        try right.write(to: URL(fileURLWithPath: folder.path("broker/right")))
        give("broker/right")
        let racer = try race(
            """
            ($victim, $right, $path) = @ARGV; $next = "$path.next";
            for (;;) { link $right, $next; rename $next, $path; symlink $victim, $next; rename $next, $path }
            """, [victim, folder.path("broker/right"), path])
        defer { racer.end(SIGKILL) }
        let end = ContinuousClock.now + .seconds(10)
        var rounds = 0
        while ContinuousClock.now < end || rounds <= 20, try status("victim").st_mode & 0o777 == 0o644 {
            _ = try? output { _ = try BrokerRulesCommand(path: path).run(settings, output: $0) }
            rounds += 1
        }
        #expect(try status("victim").st_mode & 0o777 == 0o644, "after \(rounds) rounds")
        #expect(try status("victim").st_uid == 0 && rounds > 20 && racer.isRunning)
    }

    @Test("follow no link with certificates")
    func certificates() throws {
        try makeTheirs("authority")
        let victim = try folder.write("root's own", to: "victim")
        let names = ["authority.key", "authority.crt", "server.key", "server.crt", "server.names"]
        for name in names { #expect(symlink(victim, folder.path("authority/\(name).new")) == 0) }
        #expect(symlink(victim, folder.path("authority/server.names")) == 0)
        for words in [["authority"], ["server", "localhost"]] {
            try RunningProgram.run("\(projectFolder)/deploy/certificates", [folder.path("authority")] + words)
        }
        #expect(try String(contentsOfFile: victim, encoding: .utf8) == "root's own")
        #expect(try status("victim").st_mode & 0o777 == 0o600)
        for name in names { #expect(try status("authority/\(name)").st_mode & S_IFMT == S_IFREG, "\(name)") }
        #expect(try status("authority/server.key").st_mode & 0o777 == 0o600)
        #expect(try FileManager.default.contentsOfDirectory(atPath: folder.path("authority")).count == names.count)
    }

    @Test("read no link and wait for no pipe with certificates")
    func certificatesRead() throws {
        try makeTheirs("authority")
        let program = "\(projectFolder)/deploy/certificates"
        for words in [["authority"], ["server", "localhost"]] {
            try RunningProgram.run(program, [folder.path("authority")] + words)
        }
        func refusal(_ words: [String]) throws -> Int32? {
            try RunningProgram(program, [folder.path("authority")] + words).exitStatus(within: .seconds(60))
        }
        // A key of root's elsewhere would sign what its owner never sees.
        let (key, kept) = (folder.path("authority/authority.key"), folder.path("kept.key"))
        try FileManager.default.moveItem(atPath: key, toPath: kept)
        #expect(symlink(kept, key) == 0)
        #expect(try refusal(["server", "localhost"]) == 66)
        for name in ["authority.key", "server.names", "server.crt"] {
            try? FileManager.default.removeItem(atPath: folder.path("authority/\(name)"))
            #expect(mkfifo(folder.path("authority/\(name)"), 0o666) == 0)
        }
        #expect(try refusal(["server", "localhost"]) == 66)
        #expect(try refusal(["renew"]) == 66)
    }

    @Test("put no certificate or key into a folder that a link leads to, and take no syntax for a name")
    func certificatesElsewhere() throws {
        try makeTheirs("authority")
        let secret = folder.path("secret")
        try FileManager.default.createDirectory(atPath: secret, withIntermediateDirectories: false)
        let program = "\(projectFolder)/deploy/certificates"
        try RunningProgram.run(program, [folder.path("authority"), "authority"])
        for name in ["server.key.new", "server.crt.new", "server.names.new"] {
            #expect(symlink(secret, folder.path("authority/\(name)")) == 0)
        }
        try RunningProgram.run(program, [folder.path("authority"), "server", "localhost", "::1"])
        #expect(try FileManager.default.contentsOfDirectory(atPath: secret).isEmpty)
        #expect(try status("authority/server.key").st_mode & S_IFMT == S_IFREG)
        for name in ["::1,DNS:evil", "a:$ENV::HOME"] {
            let refused = try RunningProgram(program, [folder.path("authority"), "server", name])
            #expect(refused.exitStatus() == 64 && refused.text.contains("neither a host name nor an address"))
        }
    }

    @Test("take the rights of the user whose link leads to the folder, not those of the folder's owner")
    func linkedFolder() throws {
        try makeTheirs("theirs")
        try FileManager.default.createDirectory(atPath: folder.path("roots"), withIntermediateDirectories: false)
        #expect(symlink(folder.path("roots"), folder.path("theirs/link")) == 0)
        #expect(lchown(folder.path("theirs/link"), Self.owner, Self.owner) == 0)
        let rights = try FileRights.take(ofOwnerOf: folder.path("theirs/link/backup"))
        defer { rights.giveBack() }
        #expect(!FileRights.areRoots)
    }

    @Test("take that user's rights for what they do there, and give them back")
    func rights() throws {
        try makeTheirs("theirs")
        let victim = try folder.write("root's own", to: "victim")
        #expect(symlink(victim, folder.path("theirs/link")) == 0)
        do {
            let rights = try FileRights.take(ofOwnerOf: folder.path("theirs/not/there/yet"))
            defer { rights.giveBack() }
            #expect(!FileRights.areRoots)
            let through = open(folder.path("theirs/link"), O_RDONLY)
            #expect(through < 0 && errno == EACCES)
            try SmallFile.replace(folder.path("theirs/file"), with: [1])
            do {
                let callers = FileRights.takeCallers()
                defer { callers.giveBack() }
                #expect(FileRights.areRoots)
                #expect(try SmallFile.read(victim, atMost: 99) != nil)
            }
            #expect(throws: VaultError.self) { try SmallFile.read(victim, atMost: 99) }
        }
        #expect(FileRights.areRoots)
        #expect(try status("theirs/file").st_uid == Self.owner && status("theirs/file").st_gid == Self.owner)
        #expect(try SmallFile.read(victim, atMost: 99) != nil)
    }

    // MARK: The whole way

    private var settings: String { folder.path("consumer.json5") }

    private func consumer(_ words: [String], as user: UInt32? = nil) throws -> RunningProgram {
        let program = try RunningProgram.copy("vitals-consumer", into: folder)
        let words = words + ["--settings", settings]
        guard let user else { return try RunningProgram(program, words) }
        return try RunningProgram("setpriv", RunningProgram.asUser(user) + [program] + words)
    }

    /// A consumer of the other user's as it is after its first start, with the state folder in that user's home.
    private func makeConsumer() throws {
        try makeTheirs("home", mode: 0o755)
        try folder.write(
            """
            { state: "home/consumer", root_key_file: "home/root.key", broker: { port: 1 },
              people: { demo: {} } }
            """, to: "consumer.json5")
        #expect(chmod(settings, 0o644) == 0)
        let identity = try consumer(["identity"], as: Self.owner)
        #expect(identity.exitStatus() == 0, "\(identity.text)")
        let service = try consumer([], as: Self.owner)
        #expect(service.waits { FileManager.default.fileExists(atPath: folder.path("home/consumer/vitals.db-wal")) })
        // Whatever it opens there, its commands look at before they go on.
        let names = try FileManager.default.contentsOfDirectory(atPath: folder.path("home/consumer"))
        #expect(Set(names).subtracting(StateFolder.files).isEmpty, "\(names)")
        service.end()
        #expect(service.exitStatus() == 0, "\(service.text)")
    }

    /// What is not the other user's, or may be read by more than them, below their home.
    private func strange() throws -> [String] {
        try FileManager.default.subpathsOfDirectory(atPath: folder.path("home")).filter { name in
            let found = try status("home/\(name)")
            return found.st_uid != Self.owner || found.st_gid != Self.owner || found.st_mode & 0o077 != 0
        }
    }

    /// The lines of deploy/README.md between two others, as one pastes them, with this test's folders for those of the
    /// example.
    private func documented(_ first: String) throws -> String {
        let text = try String(contentsOfFile: projectFolder + "/deploy/README.md", encoding: .utf8)
        let blocks = text.components(separatedBy: "```\n").filter { $0.hasPrefix(first) }
        return try #require(blocks.first).replacingOccurrences(of: "/media/backup", with: folder.path)
            .replacingOccurrences(of: "/var/lib/vitals", with: folder.path("home"))
    }

    private func paste(_ lines: String) throws -> (status: Int32?, text: String) {
        let program = try RunningProgram.copy("vitals-consumer", into: folder)
        let functions = """
            systemctl() { echo "systemctl $*"; }
            vitals-consumer() { '\(program)' "$@" --settings '\(settings)'; }
            """
        let shell = try RunningProgram("bash", ["-e", "-c", functions + "\n" + lines])
        return (shell.exitStatus(), shell.text)
    }

    @Test(
        "leave the service what it can open: the documented backup and restore, with a list of the forgotten and without"
    )
    func documentedRestore() throws {
        try makeConsumer()
        let backup = try paste(documented("vitals-consumer backup"))
        try #require(backup.status == 0, "\(backup.text)")
        #expect(try status("2026-11-21").st_uid == 0)
        let lines = try documented("systemctl stop vitals-consumer")
        #expect(lines.contains("--forgotten"))
        // Nobody was ever forgotten: there is no list.
        #expect(!FileManager.default.fileExists(atPath: folder.path("home/consumer/forgotten")))
        let without = try paste(lines)
        #expect(without.status == 0 && without.text.contains("restored store"), "\(without.text)")
        #expect(without.text.contains("there is no list"))
        #expect(try strange() == [])
        #expect(try status("home/consumer").st_mode & 0o777 == 0o700)
        let check = try consumer(["check"], as: Self.owner)
        #expect(check.exitStatus() == 0, "\(check.text)")

        // Somebody is forgotten after the backup.
        let forget = try consumer(["forget", "--user", "demo", "--yes"])
        #expect(forget.exitStatus() == 0, "\(forget.text)")
        #expect(try strange() == [])
        let names = try FileManager.default.contentsOfDirectory(atPath: folder.path("home/consumer"))
        #expect(names.contains(ForgottenPlaces.file) && Set(names).isSubset(of: StateFolder.files), "\(names)")
        try FileManager.default.removeItem(atPath: folder.path("home/consumer.old"))
        let with = try paste(lines)
        #expect(with.status == 0 && with.text.contains("1 person forgotten since the backup"), "\(with.text)")
        #expect(try strange() == [])
        let again = try consumer(["check"], as: Self.owner)
        #expect(again.exitStatus() == 0, "\(again.text)")
    }

    @Test("forget again who was forgotten, although the list's file is lost, by the keys beside it")
    func lostList() throws {
        try makeConsumer()
        try #require(try paste(documented("vitals-consumer backup")).status == 0)
        try #require(try consumer(["forget", "--user", "demo", "--yes"], as: Self.owner).exitStatus() == 0)
        #expect(unlink(folder.path("home/consumer/forgotten")) == 0)
        let lines = try documented("systemctl stop vitals-consumer")
        let restored = try paste(lines)
        #expect(
            restored.status == 0 && restored.text.contains("1 person forgotten since the backup"), "\(restored.text)")
        // A list that is nowhere is no reason to go on.
        let state = folder.path("home/consumer")
        try FileManager.default.removeItem(atPath: state)
        let nowhere = try consumer([
            "restore", folder.path("2026-11-21"), "--forgotten", folder.path("nowhere/forgotten"),
        ])
        #expect(nowhere.exitStatus() == 78 && nowhere.text.contains("no keys.db next to it"), "\(nowhere.text)")
    }

    @Test("change the root key so that the service goes on, and keep a folder's owner and mode")
    func rootsCommands() throws {
        try makeConsumer()
        #expect(chmod(folder.path("home/consumer"), 0o750) == 0)
        for words in [["rotate-root"], ["rotate", "--user", "demo"], ["identity"], ["recount"], ["check"]] {
            let command = try consumer(words)
            #expect(command.exitStatus() == 0, "\(words) \(command.text)")
        }
        let moved = folder.path("moved")
        try FileManager.default.createDirectory(atPath: moved, withIntermediateDirectories: false)
        let backup = try consumer(["backup", moved + "/all"])
        #expect(backup.exitStatus() == 0, "\(backup.text)")
        for name in try FileManager.default.contentsOfDirectory(atPath: folder.path("home/consumer")) {
            unlink(folder.path("home/consumer/\(name)"))
        }
        let restored = try consumer(["restore", moved + "/all"])
        #expect(restored.exitStatus() == 0, "\(restored.text)")
        let state = try status("home/consumer")
        #expect(state.st_uid == Self.owner && state.st_mode & 0o777 == 0o750)
        #expect(try strange() == ["consumer"], "for its mode, which is as it was")
        let service = try consumer([], as: Self.owner)
        #expect(service.waits { FileManager.default.fileExists(atPath: folder.path("home/consumer/vitals.db-wal")) })
        service.end()
        #expect(service.exitStatus() == 0, "\(service.text)")
    }

    @Test("are told as whom to run a command by one who is neither root nor the owner")
    func anotherUser() throws {
        try makeConsumer()
        for words in [["check"], ["backup", "/tmp/nowhere"], ["rotate-root"], []] {
            let command = try consumer(words, as: 4321)
            #expect(command.exitStatus() == 78, "\(words) \(command.text)")
            let line = (["vitals-consumer"] + words).joined(separator: " ")
            #expect(command.text.contains("is for #1234 alone"), "\(command.text)")
            #expect(command.text.contains("run it as that user: sudo -u '#1234' \(line)"), "\(command.text)")
        }
        // What the service does not open is nobody's business: an operator's own copy.
        try folder.write("root's own", to: "home/consumer/before.db")
        #expect(chmod(folder.path("home/consumer/before.db"), 0o600) == 0)
        for user in [Self.owner, nil] {
            let command = try consumer(["check"], as: user)
            #expect(command.exitStatus() == 0, "\(command.text)")
        }
        // A file that an earlier version's root has left there.
        #expect(chown(folder.path("home/consumer/lock"), 0, 0) == 0)
        for (words, user) in [([], Self.owner), (["rotate-root"], nil)] as [([String], UInt32?)] {
            let command = try consumer(words, as: user)
            #expect(command.exitStatus() == 78, "\(command.text)")
            #expect(command.text.contains("lock is for root alone, and its folder is for #1234"), "\(command.text)")
            #expect(command.text.contains("sudo chown -R 1234 \(folder.path("home/consumer"))"), "\(command.text)")
        }
    }

    @Test("wait for no pipe in the place of a file, and say which it is", arguments: ["vitals.db", "vitals.db-wal"])
    func pipes(name: String) throws {
        try makeConsumer()
        let path = folder.path("home/consumer/\(name)")
        unlink(path)
        #expect(mkfifo(path, 0o600) == 0)
        give("home/consumer/\(name)")
        let command = try consumer(["check"])
        #expect(command.exitStatus(within: .seconds(60)).map { $0 != 0 } == true, "\(command.text)")
        #expect(command.text.contains("\(name) is a pipe"), "\(command.text)")
    }

    @Test("read no key through a link that its folder's owner can change, and wait for no pipe")
    func keys() throws {
        try makeTheirs("stick")
        try makeTheirs("elsewhere")
        let key = try KeyFile.createIfMissing(folder.path("root.key"))
        let theirs = folder.path("stick/root.key")
        #expect(symlink(folder.path("root.key"), theirs) == 0)
        // Root's link in their folder is theirs to replace, too.
        for isTheirs in [false, true] {
            if isTheirs { give("stick/root.key") }
            let error = thrown(VaultError.self) { try KeyFile.load(theirs) }
            #expect(error?.said.contains("root does not follow it") == true, "\(String(describing: error))")
            #expect(thrown(VaultError.self) { try SmallFile.read(theirs, atMost: 99) } != nil)
            #expect(thrown(VaultError.self) { try RootKey(path: theirs).candidates() } != nil)
        }
        // The other user has made a link to a folder on the way.
        #expect(symlink(folder.path, folder.path("elsewhere/way")) == 0)
        give("elsewhere/way")
        #expect(thrown(VaultError.self) { try KeyFile.load(folder.path("elsewhere/way/root.key")) } != nil)
        // Root's own link in root's own folder leads to the key, relative or not.
        #expect(symlink("root.key", folder.path("relative")) == 0)
        #expect(symlink(folder.path("relative"), folder.path("link")) == 0)
        #expect(try KeyFile.load(folder.path("link")).bytes == key.bytes)
        #expect(RootKey(path: folder.path("link")).path?.hasSuffix("/root.key") == true)
        unlink(theirs)
        #expect(mkfifo(theirs, 0o600) == 0)
        give("stick/root.key")
        #expect(thrown(VaultError.self) { try KeyFile.load(theirs) }?.said.contains("a pipe") == true)
        #expect(thrown(VaultError.self) { try SmallFile.read(theirs, atMost: 99) }?.said.contains("a pipe") == true)
    }

    @Test("write an export into another user's folder as that user")
    func export() throws {
        try makeConsumer()
        try makeTheirs("people")
        let export = try consumer(["export", "--user", "demo", folder.path("people/demo")])
        #expect(export.exitStatus() == 0, "\(export.text)")
        let names = try FileManager.default.subpathsOfDirectory(atPath: folder.path("people"))
        #expect(names.count > 3)
        for name in names { #expect(try status("people/\(name)").st_uid == Self.owner, "\(name)") }
    }
}
