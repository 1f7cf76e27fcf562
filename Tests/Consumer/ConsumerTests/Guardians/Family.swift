import Daemon
import Files
import HouseholdSupport
import MQTT
import Records
import Telemetry
import TestSupport
import Testing

@testable import Features
@testable import Guardians
@testable import Phones
@testable import Readings
@testable import vitals_consumer

/// A guardian and a dependent of a circle: Grace watches over Otto, who has a phone.
struct Family {
    let circle: Circle
    let grace: ID
    let otto: ID
    let phone: ID

    static let code = "blue-horse 7"
    /// Where Otto lives.
    static let home = (lat: 52.5, lon: 13.4)

    /// - Parameter sights: what Otto lets Grace see; not connected if it is nil.
    init(_ circle: Circle, allowing sights: [String]? = ["location", "motion", "heart_rate"]) throws {
        self.circle = circle
        grace = try circle.person("grace@example.org", name: "Grace")
        otto = try circle.person("otto@example.org", name: "Otto")
        phone = try Self.phone(of: otto, circle)
        guard let sights else { return }
        try connect(grace)
        if !sights.isEmpty { try allow(grace, sights, true) }
    }

    /// The people alone, for another circle after a restart: this one keeps its consumer alive.
    struct People {
        let grace: ID
        let otto: ID
        let phone: ID
    }

    var people: People { People(grace: grace, otto: otto, phone: phone) }

    /// The same people after a restart.
    init(_ circle: Circle, _ people: People) {
        (self.circle, grace, otto, phone) = (circle, people.grace, people.otto, people.phone)
    }

    /// Gives a person another phone, which says everything in the clear.
    static func phone(of user: ID, _ circle: Circle) throws -> ID {
        try circle.done(user, "consent/set", ["record_location": true])
        return try circle.onSession { context in
            let phone = try drawnID()
            let name = SensorName(gateway: try ID(OwnGateway.name), sensor: phone)
            try context.store.change(user) { () throws(VaultError) in
                let list = PhoneList(documents: context.documents)
                let known = try list.phones(of: user)
                try list.keep(known + [Phone(id: phone, password: "", secret: nil, created: start)], of: user)
                let kinds = try RecordedKinds(context.documents).kindsOfPhones(of: user)
                try Claims(store: context.store).write(name, user, kinds, now: context.now())
            }
            context.doors.bringStreamsInLine(of: [name])
            return phone
        }
    }

    /// Somebody becomes a guardian of Otto's.
    func connect(_ guardian: ID) throws {
        try circle.done(otto, "guardians/code", ["code": .string(Self.code)])
        try circle.done(guardian, "dependents/connect", ["email": "otto@example.org", "code": .string(Self.code)])
    }

    func allow(_ guardian: ID, _ sights: [String], _ isAllowed: Bool) throws {
        let said = sights.map { JSON.Member($0, .bool(isAllowed)) }
        try circle.done(otto, "guardians/allow", .object([JSON.Member("guardian", .string(guardian.text))] + said))
    }

    /// The phone says that it is so many metres north of Otto's home, now.
    func walk(_ metres: Double, accuracy: Double = 8, battery: Int? = nil, phone: ID? = nil, at time: Int64? = nil) {
        let latitude = Self.home.lat + metres / 111_195
        let battery = battery.map { ",\"batt\":\($0)" } ?? ""
        say(
            "{\"_type\":\"location\",\"lat\":\(latitude),\"lon\":\(Self.home.lon),\"acc\":\(accuracy),"
                + "\"tst\":\((time ?? circle.now) / 1000)\(battery)}", phone: phone)
    }

    func say(_ text: String, _ part: String = "", phone other: ID? = nil) {
        circle.client.publish(Array(text.utf8), to: "vitals/v1/users/\(otto)/phone/\(other ?? phone)\(part)")
    }

    /// What Grace sees next of Otto; nil where it is taken back.
    func seen(_ topic: String) throws -> JSON? { try circle.next(grace, "dependents/\(otto)/\(topic)") }

    /// The kinds of what somebody was told, the first first.
    func told(_ user: ID) throws -> [String] {
        try circle.notifications(user, all: true).reversed().map { try $0.text("kind") }
    }

    /// The alerts that somebody was told, the first first, once the days have been read that are to be.
    func alerts(_ user: ID) throws -> [String] {
        try wait { guardians in
            guardians.loadNext()
            return guardians.watched.allSatisfy { dependent, one in
                one.isLoaded || !guardians.toLoad.contains(dependent) && guardians.loading != dependent
            }
        }
        return try told(user).filter { Self.kinds.contains($0) }
    }

    private static let kinds: Set<String> = [
        "left-area", "entered-area", "no-position", "battery-low", "heart-rate-range", "no-movement", "help-wanted",
    ]

    /// A minute later, the phone says where it is.
    func step(_ metres: Double) throws {
        circle.advance(61_000)
        walk(metres)
        try settle()
    }

    /// Waits until everything has been done that follows from what the phone has said.
    func settle() throws {
        // Messages come in the order in which the broker took them, and readings are stored with their batch.
        for _ in 0..<2 { try circle.done(otto, "guardians/list") }
    }

    /// Waits until the day of all has been read, and has the rules looked at.
    func look() throws {
        try wait { guardians in
            guardians.loadNext()
            return guardians.watched.values.allSatisfy(\.isLoaded)
        }
        try onSession { guardians in
            guardians.looked = 0
            guardians.lookAtRules()
        }
    }

    /// Waits until the service knows that it is another day.
    func waitForToday() throws {
        let now = circle.now
        try wait { guardians in guardians.watched.values.allSatisfy { $0.dayEnds > now } }
    }

    /// What `body` makes of what guardians see, on the session's thread.
    func onSession<Value: Sendable>(_ body: @escaping @Sendable (Guardians) -> Value) throws -> Value {
        let guardians = try guardians
        return circle.consumer.session.loop.sync { body(guardians) }
    }

    private var guardians: Guardians {
        get throws {
            guard let found = circle.consumer.features.only(Guardians.self) else { throw TestFailure("no guardians") }
            return found
        }
    }

    /// Waits until it has come to this.
    func wait(_ isReached: @escaping @Sendable (Guardians) -> Bool) throws {
        let guardians = try guardians
        _ = try circle.found("what is waited for") { isReached(guardians) ? true : nil }
    }

    /// Sets up an area of 200 m around Otto's home.
    @discardableResult
    func area(_ more: JSON = [:]) throws -> JSON {
        var fields: JSON = [
            "dependent": .string(otto.text), "name": "Home",
            "circle": ["lat": .number(Self.home.lat), "lon": .number(Self.home.lon), "radius_m": 200],
        ]
        if case .object(let members) = more, case .object(let own) = fields { fields = .object(own + members) }
        return try circle.done(grace, "areas/set", fields)
    }
}
