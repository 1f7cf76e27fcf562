/// A clock that ticks at a sensor's period: see `PackedReadings`.
struct SensorClock: Equatable {
    /// The clock is moved by 1/2^shift of its error.
    let shift: UInt8
    /// 1/1024 milliseconds.
    let period: Int64

    /// Bits of a fraction of a millisecond.
    private static let fraction: Int64 = 10

    init(shift: UInt8, period: Int64) {
        self.shift = shift
        self.period = period
    }

    /// The clock whose deviations from these times take the fewest bits.
    init(fitting walls: [Int64]) {
        let period = Self.period(of: walls)
        var best: (shift: UInt8, bits: Int) = (0, .max)
        for shift in UInt8(0)...5 {
            let bits = SensorClock(shift: shift, period: period).deviations(of: walls).reduce(0) {
                $0 + 64 - $1.magnitude.leadingZeroBitCount
            }
            if bits < best.bits { best = (shift, bits) }
        }
        self.init(shift: best.shift, period: period)
    }

    /// The usual time between two readings: the mean of the differences that are not far from their median.
    private static func period(of walls: [Int64]) -> Int64 {
        let differences = zip(walls.dropFirst(), walls).map { $0 &- $1 }.sorted()
        guard !differences.isEmpty else { return 0 }
        let median = differences[differences.count / 2]
        let usual = differences.filter { ($0 &- median).magnitude <= median.magnitude / 4 }
        let mean = usual.reduce(0.0) { $0 + Double($1 &- median) } / Double(max(1, usual.count))
        // No sensor has a period beyond this, and any number would do.
        let limit = 1_000_000_000.0
        return Int64((min(max(Double(median) + mean, -limit), limit) * Double(1 << fraction)).rounded())
    }

    /// The clock's error at each time but the first.
    func deviations(of walls: [Int64]) -> [Int64] {
        guard let first = walls.first else { return [] }
        var expected = period
        return walls.dropFirst().map { wall in
            let time = wall &- first
            let deviation = time &- (expected >> Self.fraction)
            move(&expected, to: time, deviation)
            return deviation
        }
    }

    /// The times that have these deviations.
    func walls(from first: Int64, _ deviations: [Int64]) -> [Int64] {
        var expected = period
        return [first]
            + deviations.map { deviation in
                let time = (expected >> Self.fraction) &+ deviation
                move(&expected, to: time, deviation)
                return first &+ time
            }
    }

    private func move(_ expected: inout Int64, to time: Int64, _ deviation: Int64) {
        let exact = time << Self.fraction
        // After a pause the clock begins again.
        let isPause = deviation.magnitude > (period >> (Self.fraction + 1)).magnitude
        expected = (isPause ? exact : expected &+ ((exact &- expected) >> Int64(shift & 63))) &+ period
    }
}
