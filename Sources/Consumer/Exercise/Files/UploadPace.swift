/// How quickly a file comes: it must not keep the room of others by coming a byte at a time.
struct UploadPace {
    /// A file is dropped if less than a thousandth of it comes within so many milliseconds.
    static let patience: UInt64 = 60_000
    /// Bytes a second that a whole file has to come with: a slow mobile link has more.
    static let leastSpeed: UInt64 = 2048
    /// Milliseconds that each file has in addition.
    static let start: UInt64 = 300_000
    /// A file may be dropped to make room if its latest bytes took so many milliseconds.
    static let grace: UInt64 = 10_000
    /// How many bytes those are.
    static let latest = 64 << 10

    /// When the whole file must be there.
    let deadline: UInt64
    /// Bytes that have to come within the patience.
    private let least: Int
    /// When enough had come for the last time, and how much.
    private var progress: (time: UInt64, count: Int)
    /// When the latest bytes came, and how many had come before.
    private var arrivals: [(time: UInt64, before: Int)] = []
    private var count = 0

    /// - Parameter now: milliseconds of a clock that never runs backwards.
    init(size: Int, now: UInt64) {
        least = max(1, size / 1000)
        deadline = now + Self.start + UInt64(size) * 1000 / Self.leastSpeed
        progress = (now, 0)
    }

    /// So many bytes have come in all.
    mutating func came(_ count: Int, now: UInt64) {
        arrivals.append((now, self.count))
        self.count = count
        if count - progress.count >= least { progress = (now, count) }
        // Arrivals before the latest bytes are not needed any longer.
        let old = arrivals.lastIndex { $0.before <= count - Self.latest } ?? 0
        arrivals.removeFirst(old)
    }

    /// A part came that could not be taken yet, because of others: that is not slowness.
    mutating func waited(_ now: UInt64) {
        progress.time = now
        arrivals = [(now, count)]
    }

    /// Whether the file is not waited for any longer.
    func isOver(_ now: UInt64) -> Bool { now >= progress.time + Self.patience || now >= deadline }

    /// For how long its latest bytes have been coming, if it may make room for others; nil if it comes quickly enough.
    func slowness(_ now: UInt64) -> UInt64? {
        guard let first = arrivals.first, now >= first.time + Self.grace else { return nil }
        return now - first.time
    }
}
