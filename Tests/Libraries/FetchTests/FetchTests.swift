import Foundation
import TestSupport
import Testing

@testable import Fetch

@Suite("Fetching small documents", .timeLimit(.minutes(60)))
struct FetchTests {
    @Test("fetches a document, byte by byte")
    func fetches() throws {
        let server = try WebServer()
        try server.folder.write("{\"keys\":[]}\n", to: "document")
        #expect(try Fetcher().get("\(server.address)/document") == Array("{\"keys\":[]}\n".utf8))
        try server.waitForRequest("/document")
        #expect(server.requests == ["/document"])
        try server.folder.write("", to: "document")
        #expect(try Fetcher().get("\(server.address)/document") == [])
    }

    @Test("takes what is as long as allowed, and nothing that is longer, announced or not")
    func length() throws {
        let server = try WebServer()
        try server.folder.write(String(repeating: "x", count: 1000), to: "document")
        #expect(try Fetcher(Fetcher.Limits(length: 1000)).get("\(server.address)/document").count == 1000)
        let fetcher = Fetcher(Fetcher.Limits(length: 999))
        for path in ["document", "announced", "endless"] {
            #expect(reason { try fetcher.get("\(server.address)/\(path)") } == .tooLarge, "\(path)")
        }
        #expect(reason { try Fetcher().get("\(server.address)/headers") } == .tooLarge)
    }

    @Test("follows no redirection, and takes no other status than 200", arguments: [204, 301, 400, 404, 500, 503])
    func status(_ status: Int) throws {
        let server = try WebServer()
        try server.folder.write("what is not to be read", to: "document")
        #expect(reason { try Fetcher().get("\(server.address)/status/\(status)") } == .status(status))
        let error = thrown(FetchError.self) { try Fetcher().get("\(server.address)/redirect") }
        #expect(error?.reason == .status(302))
        #expect("\(try #require(error))".contains("redirections are not followed"))
        try server.folder.write("", to: "last")
        _ = try Fetcher().get("\(server.address)/last")
        try server.waitForRequest("/last")
        #expect(server.requests == ["/status/\(status)", "/redirect", "/last"])
    }

    @Test("takes nothing for an answer that is none, or half of one")
    func broken() throws {
        let server = try WebServer()
        #expect(reason { try Fetcher().get("\(server.address)/garbage") } != nil)
        #expect(reason { try Fetcher().get("\(server.address)/half") } == .unreachable)
        let port = try freePort()
        #expect(reason { try Fetcher().get("http://127.0.0.1:\(port)/") } == .unreachable)
        #expect(reason { try Fetcher().get("https://127.0.0.1:\(port)/") } == .unreachable)
        let name = thrown(FetchError.self) { try Fetcher().get("https://nothing.invalid/keys") }
        #expect(name?.reason == .unreachable)
    }

    @Test("waits for no answer longer than allowed")
    func slow() throws {
        let server = try WebServer()
        let fetcher = Fetcher(Fetcher.Limits(duration: .milliseconds(200)))
        #expect(reason { try fetcher.get("\(server.address)/slow") } == .timeout)
    }

    @Test("keeps its connection for the next document, if it is to", arguments: [true, false])
    func keeping(_ keeps: Bool) throws {
        let server = try WebServer()
        let reach = Reach(privateHosts: [try #require(NetworkRange("127.0.0.1"))])
        let fetcher = Fetcher(Fetcher.Limits(reach: reach, keepsConnections: keeps))
        let ports = try (1...3).map { _ in try fetcher.get("\(server.address)/port") }
        #expect(Set(ports).count == (keeps ? 1 : 3))
        // The server ends one that was kept, and nobody notices.
        try server.folder.write("closed", to: "document")
        #expect(try (1...2).map { _ in try fetcher.get("\(server.address)/document") }.count == 2)
    }

    @Test("ends when it is told to, and fetches nothing after that")
    func cancelled() throws {
        let server = try WebServer()
        let fetcher = Fetcher(Fetcher.Limits(duration: .seconds(60)))
        let ended = Record<FetchError.Reason?>()
        let address = server.address
        Thread.detachNewThread { ended.append(reason { try fetcher.get("\(address)/slow") }) }
        try server.waitForRequest("/slow")
        fetcher.cancel()
        #expect(try ended.wait(for: 1) == [.cancelled])
        try server.folder.write("", to: "document")
        #expect(reason { try fetcher.get("\(address)/document") } == .cancelled)
    }

    @Test("believes a server whose certificate its authority has signed, and nobody else's")
    func certificates() throws {
        let server = try WebServer(tls: .good)
        try server.folder.write("secure", to: "document")
        let authority = server.folder.path("ca.pem")
        #expect(try Fetcher(authorities: authority).get("\(server.address)/document") == Array("secure".utf8))
        // The machine's authorities do not know it, and neither does another test's.
        #expect(reason { try Fetcher().get("\(server.address)/document") } == .untrusted)
        let other = try WebServer(tls: .good)
        let foreign = Fetcher(authorities: other.folder.path("ca.pem"))
        #expect(reason { try foreign.get("\(server.address)/document") } == .untrusted)
        let missing = Fetcher(authorities: server.folder.path("nothing"))
        #expect(reason { try missing.get("\(server.address)/document") } == .untrusted)
        try server.waitForRequest("/document")
        #expect(server.requests == ["/document"])
    }

    @Test(
        "does not believe a certificate that is over, or another host's",
        arguments: [WebServer.Certificate.expired, .otherName])
    func badCertificates(_ certificate: WebServer.Certificate) throws {
        let server = try WebServer(tls: certificate)
        let fetcher = Fetcher(authorities: server.folder.path("ca.pem"))
        #expect(reason { try fetcher.get("\(server.address)/document") } == .untrusted)
        #expect(server.requests.isEmpty)
    }

    @Test(
        "refuses addresses that it does not fetch from",
        arguments: [
            "", "keys", "/keys", "file:///etc/passwd", "ftp://example.com/", "gopher://example.com/", "data:,x",
            "http://example.com/keys", "http://localhost/keys", "http://127.0.0.1.example.com/", "http://128.0.0.1/",
            "http://10.0.0.1/", "http://0.0.0.0/", "http://[::]/", "http://127.0.0.1@example.com/",
            "https://user:word@example.com/", "https://user@example.com/", "https://example.com/#part",
            "https://exa mple.com/", "https://example.com/\n", "https://exämple.com/", "https://",
            "HTTP://example.com/", "http://[::ffff:10.0.0.1]/",
            "https://example.com/" + String(repeating: "x", count: 2048),
        ])
    func addresses(_ address: String) {
        #expect(reason { try WebAddress(address) } == .address, "\(address)")
        #expect(reason { try Fetcher().get(address) } == .address)
    }

    @Test(
        "takes https anywhere, and http on loopback addresses",
        arguments: [
            ("https://example.com/keys", true), ("HTTPS://example.com", true), ("https://127.0.0.1:8443/", true),
            ("http://127.0.0.1/", false), ("http://127.1.2.3:80/keys?x=y", false), ("http://[::1]:8080/", false),
        ])
    func goodAddresses(_ address: String, _ isSecure: Bool) throws {
        #expect(try WebAddress(address).isSecure == isSecure)
    }
}

/// Why `body` did not fetch.
private func reason(_ body: () throws -> some Any) -> FetchError.Reason? { thrown(FetchError.self, body)?.reason }
