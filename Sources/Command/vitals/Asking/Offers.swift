import Daemon
import Telemetry

/// What completion offers in addition to words that are known beforehand: names that the broker and the consumer know.
enum Offers: String, CaseIterable {
    /// Ids of the household's sensors.
    case sensors
    /// Sensors that can be claimed: a gateway's id and a sensor's.
    case claimable
    /// The sensors that the asker has claimed.
    case claims
    /// Gateways that the asker sees, in any way.
    case gateways
    /// Those that the asker has enrolled.
    case ownGateways = "own-gateways"
    case devices, phones
    /// The asker's addresses for notifications.
    case pushes = "addresses"
    /// The asker's services to share to.
    case services
    /// Workouts that are over, and the word for the latest of them.
    case workouts
    /// Names of the asker's shoes and bicycles.
    case gear
    /// Names of what a workout can be started from.
    case plans
    /// The asker's own of these.
    case ownPlans = "own-plans"
    /// Titles of the plans that the asker has chosen for this week.
    case choices
    case reminders
    /// Ids of posts that the asker sees, and of the asker's own.
    case posts
    case ownPosts = "own-posts"
    /// For whom a post may be: `friends`, and the names of the asker's groups.
    case audiences
    /// Quotes that the asker likes.
    case quotes
    /// What the asker has eaten today, and eats again and again.
    case meals, foods
    case friends
    /// People who ask to be the asker's friends.
    case invitations
    /// Friends, and people who ask to be, or were asked.
    case acquaintances
    /// Friends, and people who ask to be.
    case suitors
    case blocked
    /// The people who watch over the asker, and the people whom the asker watches over.
    case guardians, dependents
    /// Names of the asker's groups, and of the asker's training partners.
    case groups, partners
    /// Ids of the asker's offers to train together, of questions that others have asked, and of the asker's own.
    case partnerOffers = "partner-offers"
    case partnerAsks = "partner-asks"
    case partnerOwnAsks = "partner-own-asks"
    case partnersAndAsks = "partners-and-asks"

    /// Names, one on each line. Somebody is waiting for the completion, so names that do not come in time are left out,
    /// without an error.
    func list(_ call: Call) throws -> ExitCode {
        let call = call.hurried(to: .seconds(1))
        let names =
            switch self {
            case .sensors: household(call) { $0.sensors.map(\.id.text) }
            case .claimable: household(call) { gateway in gateway.sensors.map { "\(gateway.id)/\($0.id)" } }
            case .claims:
                own(call, "sensors") { sensor in
                    "\(sensor.text("gateway") ?? "")/\(sensor.text("sensor") ?? "")"
                }
            case .gateways: household(call) { [$0.id.text] } + own(call, "gateways") { $0.text("gateway") }
            case .ownGateways: own(call, "gateways") { $0.text("gateway") }
            case .devices: own(call, "devices") { $0.text("device") }
            case .phones: own(call, "phones") { $0.text("phone") }
            case .pushes: own(call, "push", "addresses") { $0.text("label") ?? $0.text("push") }
            case .services:
                own(call, "share", "services", verb: "services") { $0.text("label") ?? $0.text("service") }
            case .workouts: ["latest"] + own(call, "workouts") { $0.text("id") }
            case .gear: own(call, "gear") { $0.text("name") }
            case .plans: own(call, "plans") { $0.text("name") }
            case .ownPlans: own(call, "plans") { $0["predefined"] == true ? nil : $0.text("name") }
            case .choices: own(call, "training", "chosen", verb: "week") { $0.text("title") }
            case .reminders: own(call, "reminders") { $0.text("label") }
            case .posts: own(call, "posts") { $0["own"] == true ? nil : $0.text("post") }
            case .ownPosts: own(call, "posts") { $0["own"] == true ? $0.text("post") : nil }
            case .audiences: ["friends"] + own(call, "groups") { $0.text("name") ?? $0.text("group") }
            case .quotes: own(call, "quotes", verb: "liked") { $0.text("quote") }
            case .meals: own(call, "meals", verb: "day") { $0.text("meal") }
            case .foods: own(call, "meals", "foods", verb: "foods") { $0.text("name") }
            case .friends: people(call, ["friend"])
            case .invitations: people(call, ["asked"])
            case .acquaintances: people(call, ["friend", "asked", "invited"])
            case .suitors: people(call, ["friend", "asked"])
            case .blocked: people(call, ["blocked"])
            case .guardians: own(call, "guardians") { $0.text("name") ?? $0.text("guardian") }
            case .dependents: own(call, "dependents") { $0.text("name") ?? $0.text("dependent") }
            case .groups: own(call, "groups") { $0.text("name") }
            case .partners: own(call, "partners") { $0.text("name") ?? $0.text("partner") }
            case .partnerOffers: own(call, "partners", "offers") { $0.text("offer") }
            case .partnerAsks: own(call, "partners", "asked") { $0.text("ask") }
            case .partnerOwnAsks: own(call, "partners", "asks") { $0.text("ask") }
            case .partnersAndAsks:
                own(call, "partners") { $0.text("name") ?? $0.text("partner") }
                    + own(call, "partners", "asked") { $0.text("ask") }
            }
        // Names that other people gave themselves must not look like an option, nor span more than a line.
        let harmless = Set(names).filter { !$0.isEmpty && !$0.hasPrefix("-") && $0 == escaped($0) }
        try Output.write(harmless.sorted().map { $0 + "\n" }.joined())
        return .ok
    }

    /// What gateways have told the broker to retain.
    private func household(_ call: Call, _ names: (Household.Gateway) -> [String]) -> [String] {
        let broker = Broker(call)
        guard (try? broker.connect()) != nil else { return [] }
        defer { broker.stop() }
        let filters = Household.filters(call, gateway: [.status], sensor: [.availability])
        let household = (try? broker.gather(filters)).map { Household($0, call.topics) }
        return household?.gateways.flatMap(names) ?? []
    }

    /// What the consumer lists.
    /// - Parameters:
    ///   - list: what the reply calls it, unless it is what the request is about.
    ///   - verb: what asks for it.
    private func own(
        _ call: Call, _ resource: String, _ list: String? = nil, verb: String = "list", _ name: (JSON) -> String?
    ) -> [String] {
        guard call.credential != nil else { return [] }
        let data = try? Office.visit(call) { try $0.ask("\(resource)/\(verb)") }
        return data?.list(list ?? resource).compactMap(name) ?? []
    }

    /// The names of people, or their ids if a name could not be typed.
    private func people(_ call: Call, _ states: Set<String>) -> [String] {
        own(call, "friends") { entry in
            guard case .string(let state) = entry["state"], states.contains(state) else { return nil }
            guard let name = entry.text("name") ?? entry.text("to"), !name.hasPrefix("-"), !name.contains("\\")
            else { return entry.text("friend") }
            return name
        }
    }
}
