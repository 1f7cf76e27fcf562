/// The earliest time since which the bytes read from a socket can have waited there.
///
/// The kernel does not say when bytes came. But bytes that a socket does not have at one moment came later: so it is
/// looked at often, and once everything that was there at a look has been read, the rest came after that look. While
/// nobody looks, because the program was stopped (SIGSTOP, a suspended machine, a frozen container) or something took
/// long, the bound grows by the same amount.
struct Arrivals {
    private typealias Instant = ContinuousClock.Instant

    /// What is read next came after this.
    private var since = Instant.now
    /// The look whose bytes are not all read yet, and about how many are left.
    private var look: (at: Instant, left: Int)?

    /// Looks come every half second to one and a half; a delay that is not much longer does not count.
    private static let unnoticed = Duration.seconds(2)

    /// The longest time that the bytes read now can have waited; zero if that does not count as a delay.
    var heldAtMost: Duration {
        let held = since.duration(to: .now)
        return held > Self.unnoticed ? held : .zero
    }

    /// This many bytes wait in the socket now.
    mutating func looked(_ waiting: Int) {
        if waiting <= 0 {
            (since, look) = (.now, nil)
        } else if look == nil {
            look = (.now, waiting)
        }
    }

    /// A message of at least this many bytes was read.
    mutating func took(_ count: Int, waiting: () -> Int) {
        guard let (at, left) = look else { return }
        look?.left = left - count
        guard left <= count else { return }
        (since, look) = (at, nil)
        looked(waiting())
    }
}
