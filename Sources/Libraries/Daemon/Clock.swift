import Fitness
import Glibc

/// The wall clock (`CLOCK_REALTIME`) in Unix milliseconds, UTC.
public func unixMilliseconds() -> Int64 {
    milliseconds(CLOCK_REALTIME)
}

/// Milliseconds since the machine started, time asleep included (`CLOCK_BOOTTIME`). Never steps, never runs backwards.
public func millisecondsSinceBoot() -> UInt64 {
    UInt64(milliseconds(CLOCK_BOOTTIME))
}

/// A moment for logs and supervisors: `2026-11-22T07:31:02Z`.
/// - Parameter wall: Unix milliseconds.
public func utcTime(_ wall: Int64) -> String { iso8601(unixSeconds: wall.floorDivided(by: 1000)) }

/// What keeps the wall clock right.
public enum ClockSource: String, Sendable {
    /// The kernel's clock is disciplined: an NTP client set it, or a hypervisor does.
    case ntp
    /// Nobody has set the clock since the machine started, or not for a long time: a Raspberry Pi without a network.
    case unsynchronised
}

/// Whether the wall clock is synchronised, as the kernel knows it (adjtimex(2)) from the program that disciplines it.
public func clockSource() -> ClockSource {
    // sys/timex.h is not part of Swift's Glibc module, so the function is looked up by name. Only its result is used,
    // TIME_ERROR (5) for a clock with STA_UNSYNC; the structure is at most 208 bytes, and all zeroes ask to change
    // nothing.
    typealias Adjtimex = @convention(c) (UnsafeMutableRawPointer) -> CInt
    guard let symbol = dlsym(nil, "adjtimex") else { return .unsynchronised }
    let adjtimex = unsafeBitCast(symbol, to: Adjtimex.self)
    let state = withUnsafeTemporaryAllocation(byteCount: 512, alignment: 16) { timex -> CInt in
        guard let start = timex.baseAddress else { return -1 }
        start.initializeMemory(as: UInt8.self, repeating: 0, count: timex.count)
        return adjtimex(start)
    }
    return (0...4).contains(state) ? .ntp : .unsynchronised
}

private func milliseconds(_ clock: clockid_t) -> Int64 {
    var time = timespec()
    clock_gettime(clock, &time)
    return Int64(time.tv_sec) * 1000 + Int64(time.tv_nsec) / 1_000_000
}
