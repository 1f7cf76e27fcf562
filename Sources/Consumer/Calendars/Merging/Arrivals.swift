// What was sent may have arrived without anybody's hearing of it. What follows when it is known that it has not.

extension CalendarLink {
    /// What was not taken has not arrived. An event that cannot be deleted is none of ours: it would be kept for ever.
    mutating func refuse(_ step: CalendarStep) {
        guard let index = entries.firstIndex(where: { $0.name == step.name }) else { return }
        guard step.isDeletion else {
            if entries[index].etag != nil { entries[index].sending = nil }
            return
        }
        let entry = entries.remove(at: index)
        if let etag = entry.etag { others[entry.name] = Other(etag: etag, reason: .undeletable) }
    }

    /// What was to take the place of an event that somebody has changed has not arrived, unless the event says just that.
    mutating func forget(_ step: CalendarStep, unless finding: Finding) {
        guard case .put(let name, _, let appointment, _?, _, _) = step,
            let index = entries.firstIndex(where: { $0.name == name })
        else { return }
        if case .event(_, appointment, _) = finding.content { return }
        entries[index].sending = nil
    }

    /// Nothing has arrived at an event whose ETag is the same as before.
    mutating func forgetUnarrived(_ sight: CalendarSight) {
        for index in entries.indices {
            guard let etag = entries[index].etag else { continue }
            let name = entries[index].name
            let isUnchanged =
                sight.listed[name].map { $0 == etag } ?? (!sight.isComplete && !sight.removed.contains(name))
            if isUnchanged { entries[index].sending = nil }
        }
    }
}
