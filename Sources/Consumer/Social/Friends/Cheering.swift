import Desk
package import Features
import Fitness
import Telemetry

extension Friends {
    /// How many thumbs a person may give one friend on a day (the giver's day).
    static let mostThumbs: Int64 = 20

    /// A thumb up or down for a friend. It is counted in the giver's document "thumbs"; a friend who has muted the
    /// giver hears nothing, and the giver does not learn of that.
    func cheer(_ request: PeopleRequest) throws -> JSON {
        let id = try request.id("friend")
        let isUp: Bool
        switch try request.text("thumb", atMost: 8) {
        case "up": isUp = true
        case "down": isUp = false
        default: throw ReplyError(.badRequest, "\"thumb\" has to be up or down", field: "thumb")
        }
        return try once(request, with: try person(of: request.user, by: id, .friend)) { user, now in
            guard let tie = try lists.list(of: user).tie(id, .friend), let friend = tie.user,
                let reverse = try lists.list(of: friend).tie(user, .friend), !context.doors.isBeingForgotten(friend)
            else { throw Self.unknown }
            let left = try countThumb(for: friend, by: user, now: now)
            if !reverse.isMuted {
                let progress = try today(of: friend).goals[.steps]?.percent
                try tell(
                    friend, isUp ? .thumbsUp : .thumbsDown, Self.phrase(isUp, progress), from: user, called: user,
                    now: now)
            }
            return ["left": .integer(left)]
        }
    }

    /// Takes one of the day's thumbs.
    /// - Returns: how many are left.
    private func countThumb(for friend: ID, by user: ID, now: Int64) throws -> Int64 {
        let days = try days.histories.history(of: user).localDays
        var day = days.day(of: now)
        let kept = try context.documents.read("thumbs", of: user)
        var members: [JSON.Member] = []
        // A person who moves back to a zone where it is still yesterday gets no new thumbs by that. No calendar is two
        // days ahead of another.
        if case .string(let text)? = kept?["day"], let last = CalendarDay(text),
            (0...2).contains(day.distance(to: last)),
            case .object(let given)? = kept?["given"]
        {
            (day, members) = (last, given)
        }
        var given: Int64 = 0
        if case .integer(let number)? = members.first(where: { $0.name == friend.text })?.value { given = number }
        guard given < Self.mostThumbs else {
            let seconds = days.end(of: day).map { max(1, Int(($0 - now) / 1000)) }
            throw ReplyError(
                .rateLimited, "\(Self.mostThumbs) thumbs for a friend are enough for today",
                retryAfterSeconds: seconds)
        }
        members.removeAll { $0.name == friend.text }
        members.append(JSON.Member(friend.text, .integer(given + 1)))
        try context.documents.write(["day": .string("\(day)"), "given": .object(members)], "thumbs", of: user)
        return Self.mostThumbs - given - 1
    }

    /// - Parameter progress: percent of the friend's goal; nil if it is not known.
    package static func phrase(_ isUp: Bool, _ progress: Double?) -> Phrase {
        switch progress {
        case nil: isUp ? .upUnknown : .downUnknown
        case (..<25)?: isUp ? .upStart : .downStart
        case (..<50)?: isUp ? .upQuarter : .downQuarter
        case (..<75)?: isUp ? .upHalf : .downHalf
        case (..<100)?: isUp ? .upNear : .downNear
        default: isUp ? .upReached : .downReached
        }
    }
}
