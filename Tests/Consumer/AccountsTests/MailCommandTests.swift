import Daemon
import Foundation
import TestSupport
import Testing

@testable import Accounts

@Suite("Mail")
struct MailCommandTests {
    let folder: TemporaryFolder
    let problems = Record<String>()

    init() throws { folder = try TemporaryFolder() }

    func mail() throws -> [UInt8] {
        let address = try #require(EmailAddress("ada@example.org"))
        return Mail(to: address, subject: "A code", body: "The code: 7\n").bytes(time: 1_795_288_320_000)
    }

    @Test("is a whole message")
    func message() throws {
        let text = String(decoding: try mail(), as: UTF8.self)
        #expect(
            text == """
                To: ada@example.org
                Subject: A code
                Date: Sat, 21 Nov 2026 19:12:00 +0000
                Auto-Submitted: auto-generated
                MIME-Version: 1.0
                Content-Type: text/plain; charset=us-ascii
                Content-Transfer-Encoding: 7bit

                The code: 7

                """)
    }

    @Test("goes to a program's standard input, with the arguments as they are, and nothing else of ours open")
    func sends() throws {
        let script = #"exec > "$1"; cat; printf '%s|' "$@"; (cd /proc/$$/fd; echo *)"#
        let pipe = Pipe()
        let written = try NamedPipe(in: folder)
        let command = MailCommand(["/bin/sh", "-c", script, "sh", written.path, "$(id); a b"])
        command.send(try mail()) { problems.append($0) }
        #expect(
            try written.read() == String(decoding: try mail(), as: UTF8.self)
                + "\(written.path)|$(id); a b|0 1 2\n")
        #expect(problems.all.isEmpty)
        withExtendedLifetime(pipe) {}
    }

    @Test(
        "tells what went wrong, and goes on",
        arguments: [
            (["/bin/false"], "/bin/false: it ended with status 1"),
            (["/nowhere/sendmail"], "/nowhere/sendmail: No such file or directory"),
            (["/bin/sh", "-c", "cat > /dev/null; kill -9 $$"], "/bin/sh: it was ended by signal 9"),
            (["/bin/sh", "-c", "sleep 600 & wait"], "/bin/sh: it took too long, and was ended"),
        ])
    func problem(words: [String], message: String) throws {
        let command = MailCommand(words, limit: .milliseconds(300))
        for count in 1...2 {
            command.send(try mail()) { problems.append($0) }
            #expect(try problems.wait(for: count).last == message)
        }
    }

    @Test("needs the program's whole path, which the settings are refused without")
    func path() throws {
        let written = #"{ mail_command: ["sendmail", "-t"] }"#
        let error = try #require(thrown(SettingsError.self) { try AccountSettings(written, in: TemporaryFolder()) })
        #expect(
            "\(error)".contains("mail_command") && "\(error)".contains("\"sendmail\" is not an absolute path"),
            "\(error)")
    }

    @Test("is not held up by a program that reads nothing, or that has gone")
    func notRead() throws {
        let much = [UInt8](repeating: 0x41, count: 4 << 20)
        let deaf = MailCommand(["/bin/sleep", "600"], limit: .milliseconds(300))
        deaf.send(much) { problems.append($0) }
        #expect(try problems.wait(for: 1) == ["/bin/sleep: it took too long, and was ended"])
        let gone = MailCommand(["/bin/true"])
        gone.send(much) { problems.append($0) }
        #expect(try problems.wait(for: 2).last == "/bin/true: it did not read all that it was given")
    }
}
