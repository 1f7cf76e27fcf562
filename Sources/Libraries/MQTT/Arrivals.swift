/// Since when, at the earliest, what is read from a socket has lain there.
///
/// The kernel does not tell when bytes came. But what a socket has not got at one moment came later: so it is looked at often,
/// and once all that was there at a look has been read, the rest came after that look. While nobody looks, because the
/// program was stopped (SIGSTOP, a suspended machine, a container that is frozen) or something took long, the bound grows by
/// just as much.
struct Arrivals {
    private typealias Instant = ContinuousClock.Instant

    /// What is read next came after this.
    private var since = Instant.now
    /// The look whose bytes are not all read yet, and about how many are left.
    private var look: (at: Instant, left: Int)?

    /// Looks come once a second; what is not much later than that is no delay.
    private static let unnoticed = Duration.seconds(2)

    /// For so long at most what is read now has waited; zero where that is nothing to speak of.
    var heldAtMost: Duration {
        let held = since.duration(to: .now)
        return held > Self.unnoticed ? held : .zero
    }

    /// So many bytes wait in the socket now.
    mutating func looked(_ waiting: Int) {
        if waiting <= 0 {
            (since, look) = (.now, nil)
        } else if look == nil {
            look = (.now, waiting)
        }
    }

    /// A message of at least so many bytes was read.
    mutating func took(_ count: Int, waiting: () -> Int) {
        guard let (at, left) = look else { return }
        look?.left = left - count
        guard left <= count else { return }
        (since, look) = (at, nil)
        looked(waiting())
    }
}
