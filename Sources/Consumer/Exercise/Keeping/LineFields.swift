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

    /// A field that is wanted, and those of its own fields that are; none if it is wanted whole.
    private struct Wanted {
        /// UTF-8.
        let name: [UInt8]
        var own: [Wanted] = []

        init(_ name: String, _ own: [Wanted] = []) { (self.name, self.own) = (Array(name.utf8), own) }
    }

    private var wanted: [Wanted] = []

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
            want(path)
        }
    }

    private mutating func want(_ path: [String]) {
        let field = Wanted(path[0], path.dropFirst().map { Wanted($0) })
        guard let index = wanted.firstIndex(where: { $0.name == field.name }) else {
            wanted.append(field)
            return
        }
        // A field that is wanted whole stays so.
        let isWhole = field.own.isEmpty || wanted[index].own.isEmpty
        wanted[index].own = isWhole ? [] : wanted[index].own + field.own
    }

    /// Writes what is wanted of a line, which is as it was written.
    func append(_ line: ArraySlice<UInt8>, to bytes: inout [UInt8]) throws(StrictJSON.Fault) {
        try Self.append(line, wanted, to: &bytes)
    }

    private static func append(
        _ object: ArraySlice<UInt8>, _ wanted: [Wanted], to bytes: inout [UInt8]
    ) throws(StrictJSON.Fault) {
        bytes.append(UInt8(ascii: "{"))
        var (isFirst, members) = (true, WrittenMembers(of: object))
        while let member = try members.next() {
            guard let field = wanted.first(where: { member.isNamed($0.name) }) else { continue }
            if !isFirst { bytes.append(UInt8(ascii: ",")) }
            isFirst = false
            guard !field.own.isEmpty else {
                bytes += member.written
                continue
            }
            bytes += member.writtenName
            try append(member.value, field.own, to: &bytes)
        }
        bytes.append(UInt8(ascii: "}"))
    }
}
