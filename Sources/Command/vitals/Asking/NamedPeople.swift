import Daemon

/// The person who is meant: by id, by the whole name, or by its beginning; in upper or lower case.
/// - Parameters:
///   - entries: who can be meant.
///   - verb: what the command does, for the error if nobody was named.
///   - list: the command that lists them.
func person(
    _ wanted: String, among entries: [(id: String, name: String)], to verb: String, list: String
) throws(Failure) -> (id: String, name: String) {
    if let entry = entries.first(where: { $0.id == wanted }) { return entry }
    let word = escaped(wanted).lowercased()
    let same = entries.filter { $0.name.lowercased() == word }
    let found = same.isEmpty && !word.isEmpty ? entries.filter { $0.name.lowercased().hasPrefix(word) } : same
    guard let entry = found.first else {
        let there = entries.map(\.name).joined(separator: ", ")
        throw Failure(
            .notFound, "there is nobody called \(escaped(wanted)) to \(verb)",
            hint: entries.isEmpty ? "see \(list)" : "you can name \(there); see \(list)")
    }
    guard found.count == 1 else {
        let there = found.map { "\($0.name) (\($0.id))" }.joined(separator: ", ")
        throw Failure(.usage, "which \(escaped(wanted))? There are \(there)", hint: "name that person by the id")
    }
    return entry
}
