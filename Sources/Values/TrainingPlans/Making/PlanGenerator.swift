import Telemetry

/// Draws that follow from a seed, and are the same on every machine and with every version of the standard library, whose
/// own ways to shuffle and to choose are nowhere promised.
struct PlanGenerator {
    private var numbers: SplitMix64

    init(_ seed: UInt64) { numbers = SplitMix64(seed: seed) }

    /// A number from 0 to below `limit`, which is at least 1. Multiplied instead of divided (Lemire, ACM Transactions on
    /// Modeling and Computer Simulation 29(1), 2019); its bias, less than one in 2^58 for lists as short as ours, does
    /// not matter here.
    mutating func below(_ limit: Int) -> Int {
        Int(numbers.next().multipliedFullWidth(by: UInt64(limit)).high)
    }

    /// A number within a range.
    mutating func number(in range: ClosedRange<Int>) -> Int { range.lowerBound + below(range.count) }

    /// One of them; nil if there is none.
    mutating func one<Element>(of elements: [Element]) -> Element? {
        elements.isEmpty ? nil : elements[below(elements.count)]
    }

    /// All of them in another order (Fisher and Yates).
    mutating func shuffled<Element>(_ elements: [Element]) -> [Element] {
        var shuffled = elements
        for last in shuffled.indices.dropFirst().reversed() { shuffled.swapAt(last, below(last + 1)) }
        return shuffled
    }
}
