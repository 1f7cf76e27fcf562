import Records
package import Telemetry

/// By how much the clocks of a stream's gateway were wrong.
package struct Corrections {
    private var byBoot: [BootID: Clocks] = [:]

    /// No clock was ever wrong.
    package init() {}

    /// The clock blocks of a boot.
    private struct Clocks {
        var all: Set<ClockBody> = []
        /// When the clock was corrected, the latest first; and the sum of all corrections so far, which moves a reading
        /// from before that.
        var steps: [(until: UInt64, sum: Sum)] = []
        /// The corrections in the order of the steps.
        var corrections: [Int64] = []

        /// The sum of the corrections that apply to a reading of this time.
        func sum(at monotonic: UInt64) -> Sum {
            // Finds how many steps come after the reading.
            var (low, high) = (0, steps.count)
            while low < high {
                let middle = (low + high) / 2
                if steps[middle].until > monotonic { low = middle + 1 } else { high = middle }
            }
            return low == 0 ? Sum() : steps[low - 1].sum
        }

        mutating func add(_ clock: ClockBody) {
            guard all.insert(clock).inserted else { return }
            let index = steps.firstIndex { $0.until < clock.until } ?? steps.count
            steps.insert((clock.until, Sum()), at: index)
            corrections.insert(clock.correction, at: index)
            for later in index..<steps.count {
                var sum = later > 0 ? steps[later - 1].sum : Sum()
                sum.add(corrections[later])
                steps[later].sum = sum
            }
        }
    }

    /// Sums of what moves ahead and of what moves back. Each stops at 2^62, whatever a gateway in foreign hands sends:
    /// nothing overflows, and the order of the parts does not matter.
    private struct Sum {
        static let limit: Int64 = 1 << 62
        var ahead: Int64 = 0
        var back: Int64 = 0

        mutating func add(_ correction: Int64) {
            if correction > 0 { ahead += min(correction, Self.limit - ahead) }
            if correction < 0 { back += max(correction, -Self.limit - back) }
        }
    }

    /// The same correction sent twice counts once.
    package mutating func add(_ clock: ClockBody) { byBoot[clock.boot, default: Clocks()].add(clock) }

    /// Whether no clock was ever wrong.
    package var isEmpty: Bool { byBoot.isEmpty }

    /// A reading of this boot with its wall time as it should have been.
    package func corrected(_ reading: Reading, of boot: BootID) -> Reading {
        var reading = reading
        reading.moment.wall = corrected(reading.moment, of: boot)
        return reading
    }

    /// The same for a reading that is not known whole.
    package func corrected(_ reading: BareReading, of boot: BootID) -> BareReading {
        var reading = reading
        reading.wall = corrected(reading.moment, of: boot)
        return reading
    }

    /// The wall time of a reading of this boot as it should have been; no further from 0 than any time on the wire.
    package func corrected(_ moment: Moment, of boot: BootID) -> Int64 {
        guard let clocks = byBoot[boot] else { return moment.wall }
        let sum = clocks.sum(at: moment.monotonic)
        return min(max(moment.wall + (sum.ahead + sum.back), -Moment.limit), Moment.limit)
    }

    /// By how much readings of a boot are moved: not at all, or by the sum of all clock blocks from one of them on. The
    /// sums without the block that came last are among the results, wherever that block lies. If there are many, or
    /// several came at once, one range covers all possible sums.
    package func shifts(of boot: BootID, withLast new: Int = 1) -> Set<ClosedRange<Int64>> {
        let clocks = (byBoot[boot]?.all ?? []).sorted { $0.until > $1.until }
        guard clocks.count <= 8, new <= 1 else {
            let sum = byBoot[boot]?.steps.last?.sum ?? Sum()
            return [sum.back...sum.ahead]
        }
        var shifts: Set<ClosedRange<Int64>> = [0...0]
        for left in clocks.indices.map(Int?.some) + [nil] {
            var sum = Sum()
            for (index, clock) in clocks.enumerated() where index != left {
                sum.add(clock.correction)
                shifts.insert(sum.ahead + sum.back...sum.ahead + sum.back)
            }
        }
        return shifts
    }

    /// The sums that apply to some readings, each within one boot, in milliseconds. With sums over all boots, each question
    /// would walk years, if a gateway does not know the time when it starts.
    var sums: some Sequence<Int64> {
        byBoot.values.lazy.flatMap { $0.steps.lazy.map { $0.sum.ahead + $0.sum.back } }
    }
}
