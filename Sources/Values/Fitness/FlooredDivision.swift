extension Int64 {
    /// The quotient by a positive divisor, rounded down: a time before 1970 lies in the hour, or day, that began before
    /// it. Does not overflow.
    @inlinable
    public func floorDivided(by divisor: Int64) -> Int64 {
        self >= 0 ? self / divisor : (self + 1) / divisor - 1
    }

    /// What is left of that quotient, from 0 to below the divisor.
    @inlinable
    public func floorRemainder(by divisor: Int64) -> Int64 {
        let remainder = self % divisor
        return remainder < 0 ? remainder + divisor : remainder
    }
}
