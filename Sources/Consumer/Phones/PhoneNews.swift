import Fitness
package import OwnTracks
package import Telemetry

/// What a phone says besides what is stored of it: how its battery is, what its person does, which of its own regions it has
/// entered or left, and which regions it has. Nobody keeps it here; other features hear of it.
package struct PhoneNews: Sendable {
    package let phone: ID
    /// When it was so, in Unix milliseconds.
    package let time: Int64
    /// Percent of the battery's charge that is left; nil if the phone does not say.
    package var batteryPercent: Double?
    /// Whether it is on mains; nil if the phone does not say.
    package var isCharging: Bool?
    /// What the person does, as the phone's motion sensors see it (iOS).
    package var motions: Set<PhoneLocation.Motion> = []
    /// A region of the phone's own that was entered or left.
    package var transition: PhoneTransition?
    /// Regions of the phone's own: all, or one that was made or changed.
    package var regions: (all: Bool, [PhoneRegion])?
}

extension PhoneNews {
    /// What a message says besides what is stored; nil if it says nothing of it.
    /// - Parameters:
    ///   - begin: since when the person agrees that their position is recorded, in Unix milliseconds: what was before is
    ///     nobody's business.
    ///   - now: Unix milliseconds.
    init?(_ report: PhoneReport, phone: ID, since begin: Int64, now: Int64) {
        switch report {
        case .location(let location):
            self.init(phone: phone, time: location.written ?? location.time)
            batteryPercent = location.batteryPercent
            isCharging = location.batteryState.map { $0 != .unplugged }
            motions = location.motions
        case .transition(let transition):
            self.init(phone: phone, time: transition.time, transition: transition)
        case .regions(let regions, let areAll): self.init(phone: phone, time: now, regions: (areAll, regions))
        case .steps, .sealed, .other, .unknown, .nothing: return nil
        }
        let earliest = max(begin.floorDivided(by: 1000) * 1000, now - PhoneReadings.longestKept)
        guard (earliest...now + PhoneReadings.tolerance).contains(time) else { return nil }
    }
}

/// Hears what phones say besides what is stored. On the session's thread.
package protocol PhoneListener: AnyObject {
    /// A phone of a person has said something. Messages that were late, or came twice, are told, too: the time says when it
    /// was so.
    func heard(_ news: PhoneNews, of user: ID)
}
