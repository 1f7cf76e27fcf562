import Telemetry
import Testing
import Vault

@testable import vitals_gateway

@Suite("Grants")
struct GrantsTests {
    private let bench: Bench
    private var grants: Grants

    init() throws {
        bench = try Bench()
        grants = Grants(gateway: bench.home, consumer: try Ed25519.VerifyingKey(bench.consumer.publicKey))
    }

    @Test("accepts what the consumer has signed for this gateway and sensor")
    mutating func taken() throws {
        let grant = try bench.grant()
        #expect(grants.take(try bench.signed(.grant(grant)), for: "strap")?.grant == grant)
        #expect(grants.inForce(for: bench.strap) == grant)
        #expect(grants.grant(of: bench.stream) == grant)
    }

    @Test("refuses a stranger's signature, another gateway's grant, and one on another sensor's topic")
    mutating func refused() throws {
        let body = ControlMessage.Body.grant(try bench.grant())
        #expect(grants.take(try bench.signed(body, by: .init(seed: .random())), for: "strap") == nil)
        #expect(grants.take(try bench.signed(body, for: ID("other")), for: "strap") == nil)
        #expect(grants.take(try bench.signed(body), for: "belt") == nil)
        #expect(grants.take(Array(try bench.signed(body).dropLast()), for: "strap") == nil)
        #expect(grants.take([], for: "strap") == nil)
        #expect(grants.inForce(for: bench.strap) == nil)
    }

    @Test("refuses a key to which nothing can be sealed")
    mutating func uselessKey() throws {
        let grant = try bench.grant(key: [UInt8](repeating: 0, count: 32))
        #expect(grants.take(try bench.signed(.grant(grant)), for: "strap") == nil)
    }

    @Test("keeps the latest, in whichever order they come")
    mutating func serials() throws {
        let newer = try bench.grant(serial: 5)
        let older = try bench.grant(serial: 4, stream: StreamID(high: 9, low: 9))
        #expect(grants.take(try bench.signed(.grant(newer)), for: "strap") != nil)
        #expect(grants.take(try bench.signed(.grant(older)), for: "strap") == nil)
        #expect(grants.take(try bench.signed(.grant(newer)), for: "strap") == nil)
        #expect(grants.inForce(for: bench.strap) == newer)
        // What was sealed under an older grant can still be sent.
        #expect(grants.grant(of: older.stream) == older)
    }

    @Test("believes the store of the latest grant, in whichever order those of several sensors come")
    mutating func stores() throws {
        let new = try bench.grant(serial: 100)
        let old = try Grant(
            serial: 50, sensor: ID("belt"), stream: StreamID(high: 9, low: 9), from: 0, until: nil,
            personPublicKey: bench.person.publicKey, kinds: .all)
        grants.consumerChanged(StoreID(high: 0, low: 2), try ID("main"), isOnline: true)
        #expect(grants.take(try bench.signed(.grant(new), store: 2), for: "strap") != nil)
        #expect(grants.take(try bench.signed(.grant(old), store: 1), for: "belt")?.isNewStore == false)
        #expect(grants.hasConsumer)
        #expect(grants.verified(try bench.signed(.keyRequest(bench.stream, SessionID(1)), store: 2)) != nil)
    }

    @Test("stores and instances that somebody makes up do not keep out the genuine one")
    mutating func madeUp() throws {
        let store = StoreID(high: 0, low: 1)
        _ = grants.take(try bench.signed(.grant(bench.grant())), for: "strap")
        for number in 0..<200 {
            grants.consumerChanged(StoreID(high: 7, low: UInt64(number)), try ID("main"), isOnline: true)
            grants.consumerChanged(store, try ID("x\(number)"), isOnline: true)
        }
        grants.consumerChanged(store, try ID("main"), isOnline: true)
        for number in 0..<200 { grants.consumerChanged(store, try ID("x\(number)"), isOnline: false) }
        #expect(grants.hasConsumer)
    }

    @Test("knows that the consumer that is there has an older store, in whichever order it hears that")
    mutating func older() throws {
        let (ours, other, main) = (StoreID(high: 0, low: 1), StoreID(high: 0, low: 2), try ID("main"))
        let newest = try bench.grant(serial: 9)
        let old = try bench.signed(.grant(bench.grant(serial: 8, stream: StreamID(high: 9, low: 9))), store: 2)
        _ = grants.take(try bench.signed(.grant(newest)), for: "strap")
        #expect(grants.presence == .offline)
        // Not all consumers of other stores are old: another household's is nobody's business here.
        grants.consumerChanged(other, main, isOnline: true)
        #expect(grants.presence == .offline && grants.olderStore == nil)
        // Nobody but the consumer can say so.
        let forged = try bench.signed(.grant(bench.grant(serial: 8)), by: .init(seed: .random()), store: 2)
        #expect(grants.take(forged, for: "strap") == nil && grants.olderStore == nil)
        #expect(grants.take(old, for: "strap") == nil)
        let seen = try #require(grants.olderStore)
        #expect(seen.other == other && seen.its == 8 && seen.ours == ours && seen.newest == newest)
        #expect(grants.presence == .older && grants.inForce(for: bench.strap) == newest && !grants.hasConsumer)
        // It has ended; that it was the wrong one is still to be said.
        grants.consumerChanged(other, main, isOnline: false)
        #expect(grants.olderStore == nil && grants.presence == .older)
        // The right one is there: what an old copy at its side says does not count.
        grants.consumerChanged(ours, main, isOnline: true)
        grants.consumerChanged(other, main, isOnline: true)
        #expect(grants.olderStore == nil && grants.presence == .online)
        grants.consumerChanged(ours, main, isOnline: false)
        #expect(grants.olderStore != nil && grants.presence == .older)
        let mended = try bench.signed(.grant(bench.grant(serial: 10)), store: 2)
        #expect(grants.take(mended, for: "strap")?.isNewStore == true)
        #expect(grants.olderStore == nil && grants.presence == .online)
    }

    @Test("accepts nothing before it is enrolled")
    func notEnrolled() throws {
        var grants = Grants(gateway: bench.home, consumer: nil)
        #expect(grants.take(try bench.signed(.grant(bench.grant())), for: "strap") == nil)
    }

    @Test("knows whether a consumer of the grants' store is there")
    mutating func consumers() throws {
        let (store, other) = (StoreID(high: 0, low: 1), StoreID(high: 0, low: 2))
        let (one, two) = (try ID("one"), try ID("two"))
        grants.consumerChanged(store, one, isOnline: true)
        #expect(!grants.hasConsumer, "without a grant no store is ours")
        _ = grants.take(try bench.signed(.grant(bench.grant())), for: "strap")
        #expect(grants.hasConsumer)
        grants.consumerChanged(store, two, isOnline: true)
        grants.consumerChanged(store, one, isOnline: false)
        #expect(grants.hasConsumer)
        grants.consumerChanged(store, two, isOnline: false)
        grants.consumerChanged(other, one, isOnline: true)
        #expect(!grants.hasConsumer)
        grants.consumerChanged(store, one, isOnline: true)
        grants.forgetConsumers()
        #expect(!grants.hasConsumer)
    }
}
