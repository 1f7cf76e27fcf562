import Foundation
import HouseholdSupport
import Telemetry
import TestSupport
import Testing

@testable import Push

/// What Debian's Apprise does with a message, at a real server.
@Suite("The program that hands messages to Apprise", .timeLimit(.minutes(60)))
struct PushProgramTests {
    private let receiver: PushReceiver
    /// Both ends of the loopback network that tests use are private: one is allowed here, and the other is not.
    private let settings: PushSettings

    init() throws {
        receiver = try PushReceiver()
        settings = try pushSettings(#"{ schemes: ["ntfy", "json", "mailto"], private_hosts: ["127.0.0.1"] }"#)
    }

    private func send(
        _ address: String, _ text: String = "Grüße, 72 bpm 😀", isAlert: Bool = false, to settings: PushSettings? = nil
    ) throws -> PushOutcome {
        let all = try pushSettings(
            #"{ schemes: ["ntfy", "json", "mailto", "matrix", "gotify"], private_hosts: ["0.0.0.0/0", "::/0"] }"#)
        let message = PushMessage(address: try PushAddress(address, all.apprise), id: "the-id", text: text, isAlert: isAlert)
        return AppriseProgram((settings ?? self.settings).apprise).send(AppriseMessage(message)).outcome
    }

    @Test("brings a message to ntfy, with its text as it is")
    func ntfy() throws {
        #expect(try send("ntfy://\(receiver.place)/topic") == .sent)
        #expect(try send("ntfy://\(receiver.place)/topic", "-b --config=/etc/passwd\n$(id) {}\u{2028}") == .sent)
        let requests = receiver.requests
        let first = try JSON(payload: Array(requests[0].body.utf8))
        #expect(requests.count == 2 && requests[0].method == "POST" && first["topic"] == "topic")
        #expect(first["title"] == "Vitals" && first["message"] == "Grüße, 72 bpm 😀")
        let second = try JSON(payload: Array(requests[1].body.utf8))
        #expect(try second.text("message").hasPrefix("-b --config=/etc/passwd\n$(id) {}"))
    }

    @Test("brings a message to any web server, with its id in a header")
    func json() throws {
        #expect(try send("json://ada:secret@\(receiver.place)/path?+X-Key=k", isAlert: true) == .sent)
        let request = try #require(receiver.requests.first)
        #expect(request.path == "/path" && request.headers["vitals-notification"] == "the-id")
        #expect(request.headers["x-key"] == "k" && request.headers["authorization"]?.hasPrefix("Basic ") == true)
        #expect(try JSON(payload: Array(request.body.utf8))["type"] == "warning")
    }

    @Test("cuts a text that is too long")
    func long() throws {
        #expect(try send("json://\(receiver.place)/", String(repeating: "ä", count: 100_000)) == .sent)
        let body = try JSON(payload: Array(try #require(receiver.requests.first).body.utf8))
        #expect(try body.text("message").count == PushMessage.longestText)
    }

    @Test("says that it was not taken", arguments: [400, 401, 404, 500, 503])
    func refused(status: Int) throws {
        try receiver.answers("status \(status)")
        #expect(try send("ntfy://\(receiver.place)/topic") == .notTaken)
        #expect(receiver.requests.count == 1)
    }

    @Test(
        "connects to nothing that is private, whatever leads there: the check of an address is not what it depends on",
        arguments: [
            "ntfy://HOST:PORT/topic", "json://HOST:PORT/", "gotify://HOST:PORT/token", "matrix://u:p@HOST:PORT/%23room",
            "mailto://u:p@HOST:PORT?to=a@example.org&from=a@example.org",
            "mailto://u:p@example.org:PORT?smtp=HOST&to=a@example.org&from=a@example.org",
        ])
    func guarded(pattern: String) throws {
        let port = try #require(receiver.place.split(separator: ":").last)
        let none = try pushSettings("{}")
        for host in ["127.0.0.1", "localhost", "2130706433", "127.1", "[::ffff:127.0.0.1]"] {
            let address = pattern.replacingOccurrences(of: "HOST", with: host)
                .replacingOccurrences(of: "PORT", with: port)
            let outcome = try send(address, to: none)
            // Apprise itself makes nothing of some of these, or something else.
            #expect(outcome != .sent, "\(address)")
            guard ["127.0.0.1", "localhost"].contains(host), !pattern.hasPrefix("mailto://u:p@HOST") else { continue }
            #expect(outcome == .isPrivate, "\(address)")
        }
        #expect(receiver.requests.isEmpty)
    }

    @Test("does not follow a server that leads elsewhere, where only this machine can go")
    func redirected() throws {
        let inner = try PushReceiver(at: "127.0.0.2")
        try receiver.answers("redirect http://\(inner.place)/inner")
        #expect(try send("json://\(receiver.place)/") == .isPrivate)
        #expect(receiver.requests.count == 1 && inner.requests.isEmpty)
        // With the operator's leave it does.
        let both = try pushSettings(#"{ private_hosts: ["127.0.0.0/8"] }"#)
        #expect(try send("json://\(receiver.place)/", to: both) == .sent)
        #expect(inner.requests.map(\.path) == ["/inner"])
    }

    @Test("is ended when it is no longer wanted, and then nothing of it goes on")
    func ends() throws {
        try receiver.answers("hang")
        let all = try pushSettings(#"{ schemes: ["json"], private_hosts: ["127.0.0.1"] }"#)
        let message = PushMessage(
            address: try PushAddress("json://\(receiver.place)/", all.apprise), id: "i", text: "t", isAlert: false)
        let outcome = AppriseProgram(settings.apprise).send(AppriseMessage(message)) {
            receiver.requests.count == 1
        }.outcome
        #expect(outcome == .cancelled)
        try receiver.waitForGone()
    }

    @Test("says what is missing, and what went wrong, whatever a program prints")
    func programs() throws {
        let folder = try TemporaryFolder()
        func outcome(_ script: String) throws -> PushOutcome {
            let path = try folder.writeProgram("#!/bin/sh\n\(script)\n", to: "python")
            return try send("json://127.0.0.1/", to: pushSettings("{ python: \"\(path)\", time_limit: \"2 s\" }"))
        }
        #expect(try send("json://127.0.0.1/", to: pushSettings(#"{ python: "/nowhere/python3" }"#)) == .noApprise)
        #expect(try outcome("read line; exit 13") == .noApprise)
        #expect(try outcome("read line; exec sleep 600") == .tookTooLong)
        #expect(try outcome("read line; exit 7") == .failed("it ended with status 7"))
        #expect(try outcome("read line; head -c 100000000 /dev/zero; head -c 100000000 /dev/zero >&2; exit 0") == .sent)
        // A Python without Apprise, as on a machine where nobody has installed it.
        #expect(try outcome("exec /usr/bin/python3 -S \"$@\"") == .noApprise)
    }

    @Test("shows nothing of an address or a text to others: neither its arguments nor its variables have it")
    func secrets() throws {
        let folder = try TemporaryFolder()
        let script = """
            #!/bin/sh
            tr '\\0' '\\n' < /proc/$$/environ > \(folder.path("environment"))
            printf '%s\\n' "$@" > \(folder.path("arguments"))
            exec /usr/bin/python3 "$@"
            """
        let python = try folder.writeProgram(script, to: "python")
        let own = try pushSettings("{ python: \"\(python)\", private_hosts: [\"127.0.0.1\"] }")
        #expect(try send("json://ada:the-secret@\(receiver.place)/the-path", "the-text", to: own) == .sent)
        let environment = try String(contentsOfFile: folder.path("environment"), encoding: .utf8)
        #expect(environment == "PATH=/usr/bin:/bin\nHOME=/nonexistent\nLC_ALL=C.UTF-8\n")
        let arguments = try String(contentsOfFile: folder.path("arguments"), encoding: .utf8)
        #expect(arguments.contains("import apprise"))
        for secret in ["the-secret", "the-path", "the-text", "127.0.0.1"] { #expect(!arguments.contains(secret)) }
    }

    @Test("reaches public addresses, but none in a network of the machine's own, whatever wraps it, unless the operator has named it")
    func neighbours() throws {
        // Nothing is connected to: Python only asks.
        let program = AppriseProgram.source.replacingOccurrences(
            of: "receiver = apprise",
            with: "print(*[place for place in job[\"text\"].split() if may_reach((place, 25))], flush=True)\nos._exit(7)\nreceiver = apprise")
        let reached = ["9.9.9.9", "2620:fe::fe", "::ffff:9.9.9.9", "64:ff9b::909:909", "8.8.4.4"]
        let others = [
            "8.8.8.8", "2001:4860:4860::8888", "::ffff:8.8.8.8", "64:ff9b::808:808", "fec0::1", "192.88.99.1", "3fff::1", "10.0.0.1",
            "127.0.0.1", "::1", "fe80::1",
        ]
        let job: JSON = [
            "address": "json://127.0.0.1/", "private_hosts": ["8.8.4.0/24"],
            "neighbours": ["8.8.8.17/24", "8.8.4.1/24", "2001:4860:4860::1/64"], "text": .string((reached + others).joined(separator: " ")),
        ]
        let python = try RunningProgram("/usr/bin/python3", ["-I", "-B", "-c", program])
        python.send(String(decoding: job.bytes, as: UTF8.self))
        #expect(python.exitStatus() == 7)
        #expect(python.text.split(whereSeparator: \.isWhitespace).map(String.init) == reached, "\(python.text)")
    }

    @Test("is told which networks the machine is in")
    func ownNetworks() throws {
        let folder = try TemporaryFolder()
        let python = try folder.writeProgram("#!/bin/sh\nIFS= read -r job\nprintf %s \"$job\" > \(folder.path("job"))\nexit 13\n", to: "python")
        #expect(try send("json://\(receiver.place)/", to: pushSettings("{ python: \"\(python)\" }")) == .noApprise)
        let job = try JSON(payload: Array(String(contentsOfFile: folder.path("job"), encoding: .utf8).utf8))
        guard case .array(let networks)? = job["neighbours"] else { throw TestFailure("\(job)") }
        #expect(networks.contains("127.0.0.1/8"), "\(networks)")
    }

    @Test("reads no file of this machine's, and writes none")
    func files() throws {
        let folder = try TemporaryFolder()
        let secret = try folder.write("secret", to: "secret")
        // What Apprise does with such an address, if its parameters were not checked, is up to its version: so this asks Python.
        let source = AppriseProgram.source
        let read = source.replacingOccurrences(
            of: "receiver = apprise", with: "open(\"\(secret)\")\nreceiver = apprise")
        let write = source.replacingOccurrences(
            of: "receiver = apprise",
            with: "os.open(\"\(folder.path("new"))\", os.O_CREAT | os.O_WRONLY)\nreceiver = apprise")
        let start = source.replacingOccurrences(
            of: "receiver = apprise", with: "import subprocess\nsubprocess.run([\"/bin/true\"])\nreceiver = apprise")
        for program in [read, write, start] {
            #expect(program != source)
            let job =
                #"{"address":"json://\#(receiver.place)/","id":"i","title":"t","text":"t","is_alert":false,"has_headers":true,"private_hosts":["127.0.0.1"],"neighbours":[]}"#
            let python = try RunningProgram("/usr/bin/python3", ["-I", "-B", "-c", program])
            python.send(job)
            #expect(python.exitStatus() == 1 && python.text.contains("PermissionError"), "\(python.text)")
        }
        #expect(receiver.requests.isEmpty && !FileManager.default.fileExists(atPath: folder.path("new")))
    }
}
