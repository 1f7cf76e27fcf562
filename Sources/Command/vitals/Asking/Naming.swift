import Daemon
import Telemetry

// What is printed is also accepted: a gateway, a sensor or a device can be given by its id, or by its name as lists
// show it, and a sensor also as "gateway/sensor".

/// The id of the one that a person means; nil if none of them has that id or name. Names are compared without regard to
/// case.
func idMeant(by wanted: String, among known: [(id: String, name: String?)], _ kind: String) throws(Failure) -> String? {
    if known.contains(where: { $0.id == wanted }) { return wanted }
    let word = escaped(wanted).lowercased()
    let found = known.filter { $0.name.map { escaped($0).lowercased() } == word }
    guard found.count < 2 else {
        throw Failure(
            .usage, "which \(kind)? Several are called \(escaped(wanted)): \(found.map(\.id).joined(separator: ", "))",
            hint: "name it by its id")
    }
    return found.first?.id
}

/// A sensor as a command line names it.
struct NamedSensor {
    /// Its gateway's id or name, if it is given.
    let gateway: String?
    /// Its id or its name.
    let sensor: String

    init(_ text: String) {
        let parts = text.split(separator: "/", maxSplits: 1, omittingEmptySubsequences: false).map(String.init)
        (gateway, sensor) = parts.count == 2 ? (parts[0], parts[1]) : (nil, text)
    }

    /// The one that the argument `SENSOR` names; nil if it names none.
    static func given(_ arguments: Arguments) throws -> NamedSensor? {
        try arguments.optionalString("SENSOR").map { NamedSensor($0) }
    }

    /// What the argument `DEVICE` of `vitals connect` names, if it is written as a sensor's name is: a device's own
    /// name may have a slash, too.
    static func known(_ arguments: Arguments) throws -> NamedSensor? {
        let named = NamedSensor(try arguments.string("DEVICE"))
        guard let gateway = named.gateway, (try? ID(gateway)) != nil, (try? ID(named.sensor)) != nil else { return nil }
        return named
    }
}

extension Call {
    /// The same about one gateway: the one before the sensor's slash, or --gateway. Somebody who is signed in may use
    /// its name.
    func about(_ sensor: NamedSensor?, _ arguments: Arguments) throws -> Call {
        if let named = sensor?.gateway, let wanted = wantedGateway, named != wanted {
            throw arguments.refusal(
                of: "gateway", "\(escaped(wanted)) is not \(escaped(named)), which the sensor's name begins with")
        }
        guard let wanted = sensor?.gateway ?? wantedGateway else { return self }
        var call = self
        call.gateway = try gatewayMeant(by: wanted, arguments)
        return call
    }

    private func gatewayMeant(by wanted: String, _ arguments: Arguments) throws -> ID {
        let id = try? ID(wanted)
        guard person != nil else {
            guard let id else {
                throw arguments.refusal(
                    of: "gateway",
                    "expected an id, found \(escaped(wanted)); only people who are signed in can use names")
            }
            return id
        }
        do {
            // A gateway of the household may be asked if the consumer does not answer.
            let found = try Office.visit(self) { try $0.id(ofGateway: wanted, within: .atMost(.seconds(2))) }
            if let found { return try ID(found) }
        } catch let error as Failure where id != nil || error.code == ReplyError.Code.notSupported.rawValue {
            // A home without accounts has gateways, but nobody who could have named one.
        }
        guard let id else { throw Office.Owned.gateway.missing(wanted) }
        return id
    }
}

extension Household {
    /// The sensor that a person means, of any gateway; one that is not known here must be given by its id.
    func sensor(_ wanted: String) throws(Failure) -> ID {
        let known = gateways.flatMap(\.sensors).map { (id: $0.id.text, name: $0.info?.name) }
        if let found = try idMeant(by: wanted, among: known, "sensor"), let id = try? ID(found) { return id }
        guard let id = try? ID(wanted) else {
            let there =
                known.isEmpty ? "there is none" : "there are \(Set(known.map(\.id)).sorted().joined(separator: ", "))"
            throw Failure(
                .notFound, "no sensor is called \(escaped(wanted)): \(there)",
                hint: "`vitals sensors` lists all of them")
        }
        return id
    }
}

extension Office {
    /// What a person has several of.
    enum Owned: String {
        case gateway, device, phone, reminder, food
        /// An address for notifications.
        case push
        /// What a person shares to.
        case service

        /// There is none of that id or name.
        func missing(_ wanted: String) -> Failure {
            let (word, command) =
                switch self {
                case .gateway, .device, .reminder: (rawValue, "\(rawValue)s")
                case .phone: (rawValue, "phone list")
                case .push: ("address", "push list")
                case .service: (rawValue, "share services")
                case .food: (rawValue, "meals foods")
                }
            return Failure(
                .notFound, "you have no \(word) \(escaped(wanted))", hint: "vitals \(command) lists yours")
        }

        /// The request that lists them, and what its reply calls them.
        fileprivate var list: (verb: String, name: String) {
            switch self {
            case .push: ("push/list", "addresses")
            case .service: ("share/services", "services")
            case .food: ("meals/foods", "foods")
            case .gateway, .device, .phone, .reminder: ("\(rawValue)s/list", "\(rawValue)s")
            }
        }
    }

    /// Asks for something about a gateway or a device that a person names: by its id, or if there is none of that
    /// id, by its name.
    /// - Parameter body: asks, given an id.
    func about(
        _ kind: Owned, _ wanted: String, _ body: (String) throws(Failure) -> JSON
    ) throws(Failure) -> JSON {
        guard (try? ID(wanted)) != nil else {
            guard let id = try id(of: kind, wanted) else { throw kind.missing(wanted) }
            return try body(id)
        }
        do throws(Failure) { return try body(wanted) } catch {
            guard error.exitCode == .notFound, let id = try id(of: kind, wanted), id != wanted else { throw error }
            return try body(id)
        }
    }

    func id(ofGateway wanted: String, within limit: Limit) throws(Failure) -> String? {
        try id(of: .gateway, wanted, within: limit)
    }

    private func id(
        of kind: Owned, _ wanted: String, within limit: Limit = .asTyped
    ) throws(Failure) -> String? {
        let list = try pages(kind.list.verb, kind.list.name, within: limit)
        let known = list.compactMap { entry -> (id: String, name: String?)? in
            guard case .string(let id) = entry[kind.rawValue] else { return nil }
            return (id, entry.text([.push, .reminder, .service].contains(kind) ? "label" : "name"))
        }
        return try idMeant(by: wanted, among: known, kind.rawValue)
    }
}
