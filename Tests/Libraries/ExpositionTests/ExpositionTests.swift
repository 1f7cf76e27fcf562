import Foundation
import Reactor
import Synchronization
import TestSupport
import Testing

@testable import Exposition

@Suite("Metrics by HTTP and as a file")
struct ExpositionTests {
    private typealias Make = @Sendable (_ done: @escaping @Sendable (Page) -> Void) -> Void

    private let port: UInt16
    private let folder: TemporaryFolder

    init() throws {
        port = try freePort()
        folder = try TemporaryFolder()
    }

    /// Runs it, with pages that count how many were made.
    private func exposing<Result>(
        file: String? = nil, every interval: Duration = .seconds(3600), limit: Duration = .seconds(2),
        problem: @escaping @Sendable (String) -> Void = { Issue.record("\($0)") },
        made: @escaping Make = ExpositionTests.page,
        _ body: () throws -> Result
    ) throws -> Result {
        let begun = Record<Bool>()
        let exposition = Exposition(
            at: ListeningAddress(host: "127.0.0.1", port: port), file: file ?? folder.path("first.prom"),
            every: interval, limit: limit, problem: problem
        ) { done in
            begun.append(true)
            made(done)
        }
        exposition.start()
        defer { exposition.stop() }
        // It listens before it has the first page made, for the file.
        try begun.wait(for: 1)
        return try body()
    }

    private static let page: Make = { done in
        var page = Page()
        page.add(Metric("x_total", .counter, "Tries."), 1)
        done(page)
    }

    @Test("are there for GET /metrics")
    func get() throws {
        let answer = try exposing { try HTTPClient.get(port) }
        #expect(answer.hasPrefix("HTTP/1.1 200 "))
        #expect(answer.contains("Content-Type: text/plain; version=0.0.4; charset=utf-8\r\n"))
        #expect(answer.hasSuffix("# TYPE x_total counter\nx_total 1\n"))
    }

    @Test("need a library, and say how to get it where it is missing")
    func missingLibrary() throws {
        let address = ListeningAddress(host: "127.0.0.1", port: port)
        let error = try #require(throws: ListeningError.self) {
            try MetricsServer(on: EventLoop(name: "metrics"), at: address, with: "libabsent.so.1") { "" }
        }
        #expect(error.said.hasPrefix("libabsent.so.1: cannot open"), "\(error.said)")
        #expect(error.said.contains("apt install libmicrohttpd12 "), "\(error.said)")
        #expect(error.said.contains(#""listen" out of "metrics""#), "\(error.said)")
        // One that is there, and is another one.
        let other = try #require(throws: ListeningError.self) {
            try MetricsServer(on: EventLoop(name: "metrics"), at: address, with: "libm.so.6") { "" }
        }
        #expect(other.said.contains("MHD_start_daemon"), "\(other.said)")
    }

    @Test(
        "are there for nothing else",
        arguments: [
            ("GET / HTTP/1.1\r\nHost: localhost\r\n\r\n", 404),
            ("GET /metrics/../etc/passwd HTTP/1.1\r\nHost: localhost\r\n\r\n", 404),
            ("POST /metrics HTTP/1.1\r\nHost: localhost\r\nContent-Length: 3\r\n\r\nabc", 405),
            ("DELETE /metrics HTTP/1.1\r\nHost: localhost\r\n\r\n", 405),
            ("GET /metrics HTTP/1.1\r\nHost: localhost\r\nContent-Length: 100000000\r\n\r\n", 413),
            ("GET /metrics HTTP/1.1\r\nHost: localhost\r\nTransfer-Encoding: chunked\r\n\r\n5\r\nabcde\r\n", 413),
            ("GET /metrics HTTP/1.1\r\nHost: evil.example:9187\r\n\r\n", 421),
            ("GET /metrics HTTP/1.1\r\nHost: 127.0.0.1.evil.example\r\n\r\n", 421),
            ("GET /metrics HTTP/1.1\r\nHost: [::1]evil\r\n\r\n", 421),
        ])
    func refused(request: String, status: Int) throws {
        let answer = try exposing { try HTTPClient.get(port, request) }
        #expect(answer.hasPrefix("HTTP/1.1 \(status) "), "\(answer)")
    }

    @Test(
        "take addresses in numbers as a Host",
        arguments: ["127.0.0.1", "localhost:9187", "[::1]:9187", "192.168.0.7:1"])
    func hosts(host: String) throws {
        let answer = try exposing { try HTTPClient.get(port, "GET /metrics HTTP/1.1\r\nHost: \(host)\r\n\r\n") }
        #expect(answer.hasPrefix("HTTP/1.1 200 "))
    }

    @Test("are not there for a request with a huge header, or with very many")
    func hugeHeaders() throws {
        try exposing {
            let filler = String(repeating: "a", count: 1 << 20)
            for request in [
                "GET /metrics HTTP/1.1\r\nX: \(filler)\r\n\r\n", "GET /\(filler) HTTP/1.1\r\n\r\n",
                "GET /metrics HTTP/1.1\r\n" + String(repeating: "X: y\r\n", count: 100_000) + "\r\n", filler,
            ] {
                let client = try HTTPClient(port: port)
                client.say(request)
                let answer = client.answer()
                #expect(answer != nil && answer?.contains(" 200 ") == false, "\(answer ?? "none")")
            }
            #expect(try HTTPClient.get(port).contains(" 200 "))
        }
    }

    @Test("do not wait for somebody who sends a byte now and then")
    func slowRequest() throws {
        try exposing {
            let slow = try HTTPClient(port: port)
            slow.say("GET /metrics HTTP/1.1\r\nX: ")
            #expect(try HTTPClient.get(port).contains(" 200 "))
            let began = ContinuousClock.now
            // Each byte begins libmicrohttpd's own limit again.
            while slow.say("a"), ContinuousClock.now - began < .seconds(30) { usleep(200_000) }
            #expect(ContinuousClock.now - began < .seconds(15))
        }
    }

    @Test("are there for others while somebody holds as many connections as the kernel lets them")
    func manyConnections() throws {
        try exposing {
            var held: [HTTPClient] = []
            for _ in 1...200 {
                let client = try HTTPClient(port: port)
                client.say("GET /metrics HTTP/1.1\r\n")
                held.append(client)
            }
            let began = ContinuousClock.now
            #expect(try HTTPClient.get(port).contains(" 200 "))
            // They are held for ten seconds. A connection that the kernel's queue has no room for is tried again.
            #expect(ContinuousClock.now - began < .seconds(8))
            #expect(held.count == 200)
        }
    }

    @Test("are made once a second at most, however many ask")
    func pages() throws {
        let made = Counter()
        let began = ContinuousClock.now
        let make: Make = { done in
            made.count.wrappingAdd(1, ordering: .relaxed)
            Self.page(done)
        }
        try exposing(made: make) { () throws in
            for _ in 1...100 { #expect(try HTTPClient.get(port).contains(" 200 ")) }
        }
        let seconds = Int((ContinuousClock.now - began).components.seconds)
        #expect(made.count.load(ordering: .relaxed) <= seconds + 1)
    }

    @Test("are not waited for if their thread is held up, and there again when it goes on")
    func heldUp() throws {
        let (made, done, owner) = (Counter(), Record<Bool>(), EventLoop(name: "owner"))
        let goOn = Answer<Bool>()
        owner.start()
        defer {
            goOn.set(true)
            owner.stop()
        }
        owner.perform { _ = goOn.wait() }
        let make: Make = { take in
            made.count.wrappingAdd(1, ordering: .relaxed)
            owner.perform {
                Self.page(take)
                done.append(true)
            }
        }
        let late = Record<String>()
        try exposing(limit: .milliseconds(200), problem: late.append, made: make) {
            for _ in 1...3 { #expect(try HTTPClient.get(port).hasPrefix("HTTP/1.1 503 ")) }
            // Nothing piles up for the thread.
            #expect(made.count.load(ordering: .relaxed) == 1)
            goOn.set(true)
            // On a busy machine a page may be a second old before it is asked for: then the next one is made.
            var isThere = false
            for count in 1...30 where !isThere {
                try done.wait(for: count)
                isThere = try HTTPClient.get(port).contains(" 200 ")
            }
            #expect(isThere)
        }
        #expect(late.all.count == 1 && late.all.first?.contains("in time") == true, "\(late.all)")
    }

    @Test("are written into a file that everybody may read, as a whole, and removed at the end")
    func file() throws {
        let path = folder.path("x.prom")
        // What a run that was killed left, and a trap: a link to something else.
        _ = try folder.write("keep", to: "other")
        try FileManager.default.createSymbolicLink(atPath: path + ".new", withDestinationPath: folder.path("other"))
        let made = Record<Bool>()
        let make: Make = { done in
            made.append(true)
            Self.page(done)
        }
        try exposing(file: path, every: .milliseconds(10), made: make) {
            // The first is in the file by the time that the second is made.
            try made.wait(for: 2)
            let mode = try FileManager.default.attributesOfItem(atPath: path)[.posixPermissions] as? Int
            #expect(mode == 0o644)
            for _ in 1...100 { #expect(try String(contentsOfFile: path, encoding: .utf8).hasSuffix("x_total 1\n")) }
        }
        #expect(!FileManager.default.fileExists(atPath: path))
        #expect(try String(contentsOfFile: folder.path("other"), encoding: .utf8) == "keep")
    }

    @Test("say what is wrong with their file and their port, and go on")
    func problems() throws {
        let problems = Record<String>()
        let taken = try Listener()
        let exposition = Exposition(
            at: ListeningAddress(host: "127.0.0.1", port: taken.port), file: folder.path("none/x.prom"),
            every: .seconds(3600), problem: problems.append, Self.page)
        exposition.start()
        defer { exposition.stop() }
        let said = try problems.wait(for: 2)
        #expect(said[0].contains("Address already in use") && said[1].contains("No such file or directory"), "\(said)")
    }
}

private final class Counter: Sendable {
    let count = Atomic<Int>(0)
}
