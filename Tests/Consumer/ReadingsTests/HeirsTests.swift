import Files
import Foundation
import HouseholdSupport
import Records
import Storage
import Telemetry
import Testing
import Vault

@testable import Readings

@Suite("Gateways and sensors whose owner has gone")
struct HeirsTests {
    @Test(
        "become those of the person with the oldest claim, or the operator's, or end; no one sees more live readings by that"
    )
    func heirs() throws {
        let household = try Household()
        let parts = try household.open(people: "demo: {}, ada: {}, bob: {}, eve: {}")
        let (gateways, claims) = (
            EnrolledGateways(store: parts.store, keys: parts.keys), Claims(store: parts.store)
        )
        let (ada, bob, eve) = (try ID("ada"), try ID("bob"), try ID("eve"))
        func sensor(_ name: String) throws -> SensorName { try #require(SensorName(name)) }
        let names = ["attic", "cellar", "hall", "porch"]
        let keys = try names.map { _ in try Ed25519.SigningKey(seed: .random()).publicKey }
        let ids = try names.map { try ID($0) }
        let claimed = [
            (try sensor("attic/strap"), ada, Int64(1)), (try sensor("hall/strap"), ada, 1),
            (try sensor("hall/watch"), eve, 3), (try sensor("hall/belt"), bob, 2),
        ]
        let given: Set<SensorName> = [try sensor("porch/strap")]
        let (ended, passedOn) = try parts.store.change([ada, bob, eve]) { () throws(VaultError) in
            for (id, key) in zip(ids, keys) {
                try gateways.write(
                    EnrolledGateway(id: id, owner: ada, identity: key, isHousehold: true, enrolled: 1),
                    credential: [0], codeKey: .random())
                try gateways.setName("Ada's \(id)", of: id, by: ada)
            }
            for (sensor, user, time) in claimed { try claims.write(sensor, user, .all, now: time) }
            return (try gateways.endAll(of: ada, given: given), try gateways.all())
        }
        #expect(try ended == [sensor("attic/strap"), sensor("hall/strap")])
        #expect(passedOn.map(\.id.text) == ["hall", "porch"] && passedOn.map(\.owner) == [bob, nil])
        #expect(passedOn.allSatisfy { !$0.isHousehold })
        #expect(try gateways.ended().map(\.text) == ["attic", "cellar"] && gateways.names(by: ada).isEmpty)
        #expect(try claims.sensors(of: ada).isEmpty && claims.sensors(of: bob) == [sensor("hall/belt")])
        // One that is enrolled again under its old id is not to be cleared away.
        try gateways.write(
            EnrolledGateway(id: ids[0], owner: eve, identity: keys[0], isHousehold: false, enrolled: 2),
            credential: [0], codeKey: .random())
        #expect(try gateways.ended().map(\.text) == ["cellar"])
        // Who has one because somebody else left does not see its live readings before they enrol it.
        func set(_ isHousehold: Bool) throws -> Bool {
            try parts.store.change(bob) { () throws(VaultError) in try gateways.setHousehold(isHousehold, of: ids[2]) }
        }
        #expect(try !set(true) && set(false) && !set(true))
        #expect(try gateways.gateway(ids[2])?.isHousehold == false)
        try gateways.write(
            EnrolledGateway(id: ids[2], owner: bob, identity: keys[2], isHousehold: false, enrolled: 2),
            credential: [0], codeKey: .random())
        #expect(try set(true))
        #expect(try gateways.gateway(ids[2])?.isHousehold == true)
    }
}
