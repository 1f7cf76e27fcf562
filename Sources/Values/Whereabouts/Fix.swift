public import Fitness
import Telemetry

/// Where somebody was found to be.
public struct Fix: Hashable, Sendable {
    /// When, by the clock of whatever found it, in Unix milliseconds.
    public var time: Int64
    /// Where.
    public var place: Place
    /// The radius around the place in which the person is likely to be, in metres; nil if it is not known.
    public var accuracyMetres: Double?

    /// A place at a time, in Unix milliseconds.
    public init(time: Int64, place: Place, accuracyMetres: Double? = nil) {
        (self.time, self.place, self.accuracyMetres) = (time, place, accuracyMetres)
    }

    /// A fix that is less precise says no more than in which part of a town somebody is. In metres.
    static let roughMetres = 100.0
    /// What is taken for an accuracy that is not known, in metres: that of a phone in a street.
    static let unknownMetres = 30.0

    /// The accuracy in metres, or what is taken for it.
    var likelyMetres: Double { accuracyMetres.flatMap { $0 >= 0 ? $0 : nil } ?? Self.unknownMetres }
    /// Whether it says only roughly where the person is.
    var isRough: Bool { likelyMetres > Self.roughMetres }
    /// Whether there is such a place and such a time. Nothing else is ever judged.
    var isPossible: Bool { place.isOnEarth && KeptState.times.contains(time) }
}
