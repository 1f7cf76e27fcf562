/// Measures of how the time between heartbeats varies (Task Force of the ESC and NASPE 1996). Intervals in milliseconds.
public enum HeartRateVariability {
    /// Root mean square of the differences between neighbours. A nil stands for a beat that is not valid: differences across it do not count.
    /// Nil where there is no difference.
    public static func rmssd(_ intervals: [Double?]) -> Double? {
        var sum = 0.0
        var count = 0
        for case (let first?, let second?) in zip(intervals, intervals.dropFirst()) {
            sum += (second - first) * (second - first)
            count += 1
        }
        return count == 0 ? nil : (sum / Double(count)).squareRoot()
    }

    /// Sample standard deviation of the valid intervals; nil where there are fewer than two.
    public static func sdnn(_ intervals: [Double?]) -> Double? {
        let valid = intervals.compactMap { $0 }
        guard valid.count >= 2 else { return nil }
        let mean = valid.reduce(0, +) / Double(valid.count)
        let squares = valid.reduce(0) { $0 + ($1 - mean) * ($1 - mean) }
        return (squares / Double(valid.count - 1)).squareRoot()
    }
}
