import Foundation
import TestSupport
import Testing

@testable import Fetch

/// The bytes of an address as it is written.
private func bytes(_ text: String) throws -> (bytes: [UInt8], family: Int32) {
    let family = text.contains(":") ? AF_INET6 : AF_INET
    var bytes = [UInt8](repeating: 0, count: family == AF_INET ? 4 : 16)
    guard inet_pton(family, text, &bytes) == 1 else { throw TestFailure("no address: \(text)") }
    return (bytes, family)
}

@Suite("Public addresses", .timeLimit(.minutes(60)))
struct PublicAddressTests {
    @Test(
        "addresses of a machine, a network or a purpose of their own are not public",
        arguments: [
            "0.0.0.0", "0.1.2.3", "10.0.0.1", "100.64.0.1", "100.127.255.255", "127.0.0.1", "127.255.0.1",
            "169.254.169.254",
            "172.16.0.1", "172.31.255.255", "192.0.0.1", "192.0.2.1", "192.88.99.1", "192.168.1.1", "198.18.0.1",
            "198.51.100.1", "203.0.113.1", "224.0.0.1", "240.0.0.1", "255.255.255.255", "::", "::1", "::ffff:127.0.0.1",
            "::ffff:10.0.0.1", "64:ff9b::10.0.0.1", "::10.0.0.1", "fe80::1", "fc00::1", "fd12::1", "ff02::1", "2001::1",
            "2001:db8::1", "2002:0a00:0001::1", "3fff::1", "100::1", "64:ff9b:1::1",
        ])
    func reserved(_ text: String) throws {
        let address = try bytes(text)
        #expect(!PublicAddress.isPublic(address.bytes, family: address.family))
    }

    @Test(
        "all others are",
        arguments: [
            "1.1.1.1", "9.255.255.255", "11.0.0.0", "100.63.255.255", "100.128.0.0", "172.15.0.1", "172.32.0.1",
            "192.167.1.1", "198.17.0.1", "223.255.255.255", "2606:4700::1111", "2a01:4f8::1", "2001:4860::8888",
            "2001:db7::1", "::ffff:1.1.1.1", "64:ff9b::1.1.1.1",
        ])
    func open(_ text: String) throws {
        let address = try bytes(text)
        #expect(PublicAddress.isPublic(address.bytes, family: address.family))
    }

    @Test("an address of no known family is not public")
    func others() {
        #expect(!PublicAddress.isPublic([1, 1, 1, 1], family: AF_UNIX))
        #expect(!PublicAddress.isPublic([], family: AF_INET))
        #expect(!PublicAddress.isPublic([1, 1, 1, 1], family: AF_INET6))
    }

    @Test("nothing that is not public is connected to, if only that is allowed")
    func connecting() throws {
        let server = try WebServer()
        try server.folder.write("x", to: "document")
        let strict = Fetcher(Fetcher.Limits(reach: Reach()))
        #expect(thrown(FetchError.self) { try strict.get("\(server.address)/document") }?.reason == .notPublic)
        // What a name server says does not matter.
        let named = "https://localhost:\(try freePort())/document"
        #expect(thrown(FetchError.self) { try strict.get(named) }?.reason == .notPublic)
        #expect(try Fetcher().get("\(server.address)/document") == [0x78])
        try server.waitForRequest("/document")
        #expect(server.requests == ["/document"])
    }

    @Test(
        "what is next door is not reached, nor what is this link's or a group's, unless the operator has named the former",
        arguments: [
            ("1.1.1.1", true, true), ("93.184.216.34", false, true), ("93.184.217.1", true, true),
            ("2606:4700:10::1", false, false), ("2606:4700:11::1", true, true), ("10.1.2.3", false, true),
            ("10.2.2.3", false, false), ("127.0.0.1", false, false), ("169.254.169.254", false, false),
            ("fe80::1", false, false), ("224.0.0.1", false, false), ("ff02::1", false, false),
            ("::ffff:10.1.2.3", false, true), ("::ffff:169.254.169.254", false, false),
        ])
    func reach(_ text: String, _ usual: Bool, _ named: Bool) throws {
        let address = try #require(NetworkAddress(text))
        let neighbours = try [("93.184.216.7", "255.255.255.0"), ("2606:4700:10::7", "ffff:ffff:ffff::")].map {
            NetworkRange(around: try #require(NetworkAddress($0)), mask: try #require(NetworkAddress($1)))
        }
        #expect(Reach().includes(address, neighbours: neighbours) == usual)
        let own = ["10.1.0.0/16", "93.184.216.0/24", "169.254.0.0/16", "fe80::/10", "ff02::/16"].compactMap(
            NetworkRange.init)
        #expect(Reach(privateHosts: own).includes(address, neighbours: neighbours) == named)
    }

    @Test("this machine's networks are known, and a mask without a bit makes no network of the whole internet")
    func neighbours() throws {
        let own = try #require(NetworkAddress("127.0.0.1"))
        #expect(Reach.neighbours().contains { $0.contains(own) })
        let (address, other) = (try #require(NetworkAddress("1.2.3.4")), try #require(NetworkAddress("1.2.3.5")))
        let alone = NetworkRange(around: address, mask: try #require(NetworkAddress("0.0.0.0")))
        #expect(alone.contains(address) && !alone.contains(other))
    }

    @Test(
        "a reference leads where a browser would go",
        arguments: [
            ("https://example.com/a/b", "/c", "https://example.com/c"),
            ("https://example.com/a/b", "c", "https://example.com/a/c"),
            ("https://example.com/a/", "./c", "https://example.com/a/c"),
            ("https://example.com", "/c", "https://example.com/c"),
            ("https://example.com/a/", "https://other.example.com:8443/", "https://other.example.com:8443/"),
            ("https://example.com/a/b/", "../c", "https://example.com/a/c"),
        ])
    func following(_ begin: String, _ reference: String, _ end: String) throws {
        #expect(try WebAddress(begin).following(reference).text == end)
    }

    @Test(
        "a reference to what is not fetched from is refused",
        arguments: [
            "http://example.com/", "file:///etc/passwd", "https://user@example.com/", "/a b", "/\n", "https://",
            "/" + String(repeating: "x", count: 2048),
        ])
    func refused(_ reference: String) throws {
        let address = try WebAddress("https://example.com/")
        #expect(thrown(FetchError.self) { try address.following(reference) }?.reason == .address)
    }

    @Test("an address tells its host, its port and its path")
    func parts() throws {
        let address = try WebAddress("https://Example.COM/a%2Fb?x")
        #expect(address.host == "example.com" && address.port == 443 && address.path == "/a%2Fb")
        #expect(try WebAddress("http://127.0.0.1:81").path == "/")
        #expect(try address.isSameOrigin(as: WebAddress("https://example.com:443/")))
        #expect(try !address.isSameOrigin(as: WebAddress("https://example.com:444/")))
        #expect(try WebAddress("https://Example.com:443/x").origin == "https://example.com")
        #expect(try WebAddress("https://[2001:db8::1]:444/x").origin == "https://[2001:db8::1]:444")
        #expect(try WebAddress("http://127.0.0.1:80/").origin == "http://127.0.0.1")
    }
}
