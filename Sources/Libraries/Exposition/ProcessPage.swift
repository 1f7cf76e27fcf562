import Glibc

/// What every program says of its process, under the names that Prometheus' own libraries use.
public struct ProcessPage: Sendable {
    private static let cpu = Metric(
        "process_cpu_seconds_total", .counter, "Time on a processor, in user mode and in the kernel.")
    private static let resident = Metric("process_resident_memory_bytes", .gauge, "Resident memory.")
    private static let start = Metric("process_start_time_seconds", .gauge, "When this began, in Unix seconds.")

    private let started: Double

    /// - Parameter started: Unix milliseconds.
    public init(started: Int64) { self.started = Double(started) / 1000 }

    /// - Parameter residentKilobytes: of memory; nil if that is not known.
    public func add(to page: inout Page, residentKilobytes: Int?) {
        var usage = rusage()
        if getrusage(__rusage_who_t(RUSAGE_SELF.rawValue), &usage) == 0 {
            page.add(Self.cpu, Self.seconds(usage.ru_utime, usage.ru_stime))
        }
        if let residentKilobytes { page.add(Self.resident, residentKilobytes * 1024) }
        page.add(Self.start, started)
    }

    private static func seconds(_ times: timeval...) -> Double {
        times.reduce(0) { $0 + Double($1.tv_sec) + Double($1.tv_usec) / 1_000_000 }
    }
}
