import Desk
import Features
import Files
import Fitness
import Records
import Telemetry

// Challenges: an owner begins them, and can end them without a result. A challenge ends by itself: see Deadlines.swift.

extension Groups {
    func challenge(_ request: PeopleRequest) throws -> JSON {
        let measure: Challenge.Measure = try request.word("measure")
        let period: Challenge.Period = try request.word("period")
        let target = try request.optionalInteger("target", in: Challenge.targets)
        return try change(request, onlyAsOwner: true) { group, user, now in
            let today = try histories.history(of: user).localDays.day(of: now)
            if let last = group.challenges.last, today <= last.days.upperBound {
                let words = "a challenge is on until \(last.days.upperBound): end it first"
                throw ReplyError(.notAllowed, words, field: "group")
            }
            try take(&challenges, user, "challenges")
            let challenge = Challenge(measure, period, from: today, target: target)
            group.add(challenge)
            try book.write(group)
            try tell(group, .challengeBegun, now: now, except: user) { language, present in
                language(
                    present.membership.isCompeting ? .challengeBegun : .challengeBegunUnseen,
                    [
                        "group": group.name, "measure": language(measure.phrase),
                        "day": language.date(challenge.days.upperBound),
                    ])
            }
            return try json(group, user, now: now)
        }
    }

    func endChallenge(_ request: PeopleRequest) throws -> JSON {
        try change(request, onlyAsOwner: true) { group, user, now in
            guard let last = group.challenges.last, last.state(at: now) == .isOn else {
                throw ReplyError(.notFound, "no challenge is on in this group", field: "group")
            }
            group.challenges.removeLast()
            try book.write(group)
            return try json(group, user, now: now)
        }
    }
}

extension PeopleRequest {
    /// One of some words.
    func word<Word: RawRepresentable<String> & CaseIterable>(_ field: String) throws(ReplyError) -> Word {
        guard let word = Word(rawValue: try text(field, atMost: 16)) else {
            let words = Word.allCases.map(\.rawValue).joined(separator: ", ")
            throw ReplyError(.badRequest, "\"\(field)\" has to be one of \(words)", field: field)
        }
        return word
    }
}
