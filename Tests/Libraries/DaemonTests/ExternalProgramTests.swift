import Daemon
import Foundation
import Synchronization
import TestSupport
import Testing

@Suite("A program of somebody else's")
struct ExternalProgramTests {
    private let folder: TemporaryFolder

    init() throws { folder = try TemporaryFolder() }

    private func shell(_ script: String, _ arguments: String...) -> [String] {
        ["/bin/sh", "-c", script, "sh"] + arguments
    }

    @Test("gets its arguments, its variables and its input, and nothing else of ours")
    func gets() throws {
        let script = #"exec > "$1"; cat; tr '\0' '\n' < /proc/$$/environ; (cd /proc/$$/fd; echo *)"#
        let file = folder.path("written")
        let program = ExternalProgram(shell(script, file), environment: ["PATH=/usr/bin:/bin", "A=b c"])
        #expect(program.run(Array("input\n".utf8), within: .seconds(60)) == .status(0))
        let written = try String(contentsOfFile: file, encoding: .utf8)
        #expect(written == "input\nPATH=/usr/bin:/bin\nA=b c\n0 1 2\n")
    }

    @Test("gets nothing of what another thread opens meanwhile, although that is not marked as not to be inherited")
    func inheritsNothing() {
        let isOver = Mutex(false)
        let thread = Thread {
            while !isOver.withLock({ $0 }) { close(open("/dev/null", O_RDONLY)) }
        }
        thread.start()
        defer { isOver.withLock { $0 = true } }
        let program = ExternalProgram(shell("(cd /proc/$$/fd; set -- *; exit $#); exit $?"))
        for _ in 0..<100 { #expect(program.run([], within: .seconds(60)) == .status(3)) }
    }

    @Test("says how it went", arguments: [("exit 7", ExternalProgram.Ending.status(7)), ("kill -9 $$", .signal(9))])
    func ends(script: String, ending: ExternalProgram.Ending) {
        #expect(ExternalProgram(shell(script)).run([], within: .seconds(60)) == ending)
    }

    @Test("is killed with all that it has started, when it takes too long or is no longer wanted")
    func killed() throws {
        let (pipe, file) = (try NamedPipe(in: folder), folder.path("started"))
        // What both of them have open can be read to its end when both have gone.
        let program = ExternalProgram(shell("exec > \(pipe.path); echo started; sleep 600 & touch \(file); wait"))
        let hasStarted = { FileManager.default.fileExists(atPath: file) }
        #expect(program.run([], within: .seconds(600), isCancelled: hasStarted) == .cancelled)
        #expect(try pipe.read() == "started\n")
        #expect(program.run([], within: .seconds(2)) == .tookTooLong)
        #expect(try pipe.read() == "started\n")
    }

    @Test("can be told by its input when this process has gone, or reads to the end of it", arguments: [true, false])
    func input(staysOpen: Bool) {
        let program = ExternalProgram(shell("read line; read more || exit 3"), staysOpen: staysOpen)
        let ending = program.run(Array("line\n".utf8), within: staysOpen ? .seconds(1) : .seconds(60))
        #expect(ending == (staysOpen ? .tookTooLong : .status(3)))
    }

    @Test("answers on its input, of which so much is read as somebody wants", arguments: [0, 3, 100])
    func answers(most: Int) {
        var answer: [UInt8] = [1]
        let program = ExternalProgram(shell("read line; printf answer >&0; exit 4"), staysOpen: true)
        let ending = program.run(Array("line\n".utf8), within: .seconds(60), answer: &answer, atMost: most)
        #expect(ending == .status(4) && answer == Array("answer".utf8.prefix(most)))
    }

    @Test("is not started where it is not there, and is not waited for by what it does not read")
    func none() {
        #expect(ExternalProgram(["/nowhere/program"]).run([], within: .seconds(60)) == .notStarted(ENOENT))
        let much = [UInt8](repeating: 0x41, count: 4 << 20)
        #expect(ExternalProgram(["/bin/true"]).run(much, within: .seconds(60)) == .unread)
    }

    @Test("prints nothing on our standard error if it is to be silent", arguments: [true, false])
    func silent(isSilent: Bool) throws {
        // Where its standard error leads is seen from inside.
        let file = folder.path("errors")
        let program = ExternalProgram(shell("readlink /proc/$$/fd/2 > \(file)"), isSilent: isSilent)
        #expect(program.run([], within: .seconds(60)) == .status(0))
        let place = try String(contentsOfFile: file, encoding: .utf8)
        #expect((place == "/dev/null\n") == isSilent)
    }
}
