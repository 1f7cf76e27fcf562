extension [Recording] {
    /// The parts of one activity with several sports, in their order: each says which part it is, and all have a common name, which is
    /// the one of the file, or their sports.
    func asSessions() -> [Recording] {
        guard count > 1, let begun = map(\.start).min() else { return self }
        var sports: [String] = []
        for recording in self where sports.last != recording.sport.name { sports.append(recording.sport.name) }
        let name = (2...Self.mostSports).contains(sports.count) ? sports.joined(separator: ", ") : nil
        return enumerated().map { index, recording in
            var session = recording
            session.name = recording.name ?? name
            session.session = Session(number: index + 1, of: count, begun: begun)
            return session
        }
    }

    /// More make no name.
    private static var mostSports: Int { 6 }
}
