public import Reactor

/// What a player tells its owner.
public enum PlayerEvent: Hashable, Sendable {
    /// mpd has greeted; with the version of its protocol.
    case connected(String)
    /// What it plays now. Told after each change, and every few seconds without one: somebody may have set the clock.
    case state(PlayerState)
    /// The connection was lost, or there was none, with the reason. It is tried again, and told each time.
    case disconnected(String)
}

extension Player {
    /// How patient a player is.
    public struct Patience: Sendable {
        /// How long to connect may take, the greeting included.
        public var connecting: Duration = .seconds(5)
        /// How long an answer may take.
        public var answering: Duration = .seconds(5)
        /// mpd has to show that it is there after such a silence.
        public var silence: Duration = .seconds(3)
        /// For that it has so long. One that hangs is given up after both, and not told as playing for longer.
        public var waking: Duration = .seconds(2)
        /// After a change, whatever else changes within this time is looked at together.
        public var gathering: Duration = .milliseconds(50)
        /// The shortest time between two looks that changes cause: mpd may say that something has changed all the time.
        public var pace: Duration = .milliseconds(250)
        /// What is played is looked at after such a time even while others ask so much that mpd is never left to itself.
        public var busy: Duration = .milliseconds(500)
        /// The pauses between tries while nobody is there; nil for half a second on this machine, and growing ones
        /// elsewhere.
        public var absences: Backoff?
        /// The pauses if what is there is not mpd, or does not let us in: that does not change by itself.
        public var refusals = Backoff(first: .seconds(1), limit: .seconds(30))

        public init() {}
    }
}
