extension ZoneRules {
    /// The moment at which a clock on the wall shows a time, as RFC 5545 has it (3.3.5): of a time that is shown twice,
    /// because clocks are put back, the first; of a time that is never shown, because clocks are put forward, the moment
    /// that it would be if they were not.
    /// - Parameter local: seconds since 1970-01-01T00:00:00, as the clock on the wall shows them.
    /// - Returns: Unix seconds.
    public func time(ofLocalSeconds local: Int64) -> Int64 {
        // No clock is farther from UTC than 26 hours.
        let near = local - 27 * 3600..<local + 27 * 3600
        var inForce = offset(at: near.lowerBound)
        for change in changes(within: near) {
            let next = offset(at: change)
            // The old offset counts until both clocks, the old and the new one, have shown the change.
            guard change + max(inForce, next) <= local else { break }
            inForce = next
        }
        return local - inForce
    }
}
