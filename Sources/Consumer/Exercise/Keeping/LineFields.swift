import Desk
import Telemetry
import Workouts

// A list of years shows a few fields of each workout. These are half of the bytes that whole lines are.

/// The fields of a workout's line that somebody wants.
struct LineFields: Sendable {
    /// How many may be named.
    static let most = 32
    /// What is in every line, because nobody could ask for more, or for the next part, without it.
    static let always = ["id", "started"]

    /// The names of fields, each with the names of those of its own fields that are wanted; none if all of these are.
    private var wanted: [String: Set<String>] = [:]

    /// - Parameter names: `distance_m`, or `heart_rate.mean` for a field of a field.
    /// - Throws: if a line never has one of these.
    init(_ names: [String]) throws(ReplyError) {
        for name in Self.always + names {
            let path = name.split(separator: ".", maxSplits: 1, omittingEmptySubsequences: false).map(String.init)
            var field: JSON? = WorkoutFigures.lineSchema.json
            for step in path { field = field?["properties"]?[step] }
            guard field != nil else {
                throw ReplyError(
                    .invalid, "\"fields\": a workout's line has no \"\(name)\"; it has such as \"heart_rate.mean\"",
                    field: "fields")
            }
            let isWhole = path.count == 1 || wanted[path[0]]?.isEmpty == true
            if isWhole { wanted[path[0]] = [] } else { wanted[path[0], default: []].insert(path[1]) }
        }
    }

    /// What is wanted of a line, which may be as it is written, as this is.
    func of(_ line: JSON) -> JSON {
        var fields: [JSON.Member] = []
        for member in Self.members(of: line) {
            guard let own = wanted[member.name] else { continue }
            let value =
                own.isEmpty ? member.value : .object(Self.members(of: member.value).filter { own.contains($0.name) })
            fields.append(JSON.Member(member.name, value))
        }
        return .written(JSON.object(fields).bytes)
    }

    /// None, if it is no object.
    private static func members(of json: JSON) -> [JSON.Member] {
        var json = json
        if case .written(let bytes) = json { json = (try? JSON(payload: bytes, leaving: .members)) ?? .null }
        guard case .object(let members) = json else { return [] }
        return members
    }
}
