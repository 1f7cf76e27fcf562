/// The half-hours of a span of time, counted from its first moment, and what the heart did in each.
struct HalfHours {
    /// How long one is, in milliseconds.
    static let milliseconds: Int64 = 30 * 60_000
    /// How much of one must be recorded to count, in slots.
    private static let sufficient: Int64 = 15 * HeldHeartRates.slotsInMinute

    private let first: Int64
    private var held: [HeldTime]
    /// The one that the latest slots were of.
    private var latest = (number: 0, slots: 0..<0 as Range<Int64>)

    /// Half-hours without heart rates.
    /// - Parameter times: Unix milliseconds.
    init(_ times: Range<Int64>) {
        first = times.lowerBound
        held = [HeldTime](repeating: HeldTime(), count: Int((times.upperBound - first) / Self.milliseconds) + 1)
    }

    /// Adds slots of one mean, which begin within the span.
    mutating func add(_ slots: Range<Int64>, _ mean: Double) {
        var slots = slots
        while !slots.isEmpty {
            if !latest.slots.contains(slots.lowerBound) { latest = half(of: slots.lowerBound) }
            let part = slots.clamped(to: latest.slots)
            held[latest.number].add(Int64(part.count), mean)
            slots = part.upperBound..<slots.upperBound
        }
    }

    /// Which one a slot begins in.
    private func half(of slot: Int64) -> (number: Int, slots: Range<Int64>) {
        let number = (slot * HeldHeartRates.slotMilliseconds - first).floorDivided(by: Self.milliseconds)
        let begin = first + number * Self.milliseconds
        return (Int(number), HeldHeartRates.slots(in: begin..<begin + Self.milliseconds))
    }

    /// Those that are recorded for at least half of their time, and without a workout, in their order.
    /// - Parameter workouts: Unix milliseconds.
    func counted(_ workouts: [Range<Int64>]) -> [(mean: Double, from: Int64)] {
        held.enumerated().compactMap { number, held in
            let begin = first + Int64(number) * Self.milliseconds
            guard held.slots >= Self.sufficient, let mean = held.mean,
                !workouts.contains(where: { $0.overlaps(begin..<begin + Self.milliseconds) })
            else { return nil }
            return (mean, begin)
        }
    }
}
