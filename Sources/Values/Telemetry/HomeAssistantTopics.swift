/// Where Home Assistant looks for devices. These topics are outside the root of all others.
///
/// ```
/// {prefix}/status
/// {prefix}/device/{gateway}/config
/// {prefix}/device/{gateway}/{sensor}/config
/// {prefix}/device/vitals_people/{user}/config
/// ```
public struct HomeAssistantTopics: Hashable, Sendable {
    /// What all of them begin with, without a slash at its end.
    public let prefix: String

    /// The prefix unless a setting of Home Assistant's says otherwise.
    public static let defaultPrefix = "homeassistant"

    /// Topics under a prefix of one or more levels; the error says what is allowed.
    public init(prefix: String = HomeAssistantTopics.defaultPrefix) throws(MalformedValue) {
        guard prefix.utf8.count <= 64, Topics.isPrefix(prefix),
            !prefix.split(separator: "/", omittingEmptySubsequences: false).contains("")
        else {
            let allowed = "at most 64 bytes, levels between slashes, no level empty, no $ in front, without + and #"
            throw MalformedValue("discovery prefix", .notAllowed(allowed))
        }
        self.prefix = prefix
    }

    /// Where Home Assistant says that it is there, when it has started.
    public var status: String { "\(prefix)/status" }

    /// Where a gateway describes itself, or one of its sensors.
    public func device(_ gateway: ID, _ sensor: ID? = nil) -> String {
        "\(prefix)/device/\(gateway)\(sensor.map { "/\($0)" } ?? "")/config"
    }

    /// A filter for everything that a gateway describes.
    public func everything(of gateway: ID) -> String { "\(prefix)/device/\(gateway)/#" }

    /// Where a consumer describes a person. No gateway has this name: ids have no underscore.
    public func device(person user: ID) -> String { "\(people)/\(user)/config" }

    /// A filter for every person's description.
    public var everyPerson: String { "\(people)/+/config" }

    /// A filter for everything that consumers describe.
    public var everythingOfPeople: String { "\(people)/#" }

    /// The person who is described at a topic; nil if nobody is.
    public func person(at topic: String) -> ID? {
        guard topic.utf8.starts(with: people.utf8) else { return nil }
        let levels = topic.dropFirst(people.count).split(separator: "/", omittingEmptySubsequences: false)
        guard levels.count == 3, levels[0].isEmpty, levels[2] == "config" else { return nil }
        do throws(MalformedValue) { return try ID(String(levels[1])) } catch { return nil }
    }

    private var people: String { "\(prefix)/device/vitals_people" }

    /// A filter for everything.
    public var everything: String { "\(prefix)/#" }

    /// Whether they and the topics under a root would mix.
    public func overlaps(_ topics: Topics) -> Bool {
        "\(prefix)/".hasPrefix("\(topics.root)/") || "\(topics.root)/".hasPrefix("\(prefix)/")
    }
}
