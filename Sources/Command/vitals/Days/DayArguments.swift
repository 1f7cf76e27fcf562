import Daemon
import Fitness
import Telemetry

extension Arguments {
    /// The day that an option names, such as `2026-11-21` or `yesterday`.
    func day(_ option: String) throws -> CalendarDay { try day(option, string(option)) }

    /// The same; nil if the option is not given.
    func optionalDay(_ option: String) throws -> CalendarDay? {
        try optionalString(option).map { (text) throws(UsageError) in try day(option, text) }
    }

    private func day(_ option: String, _ text: String) throws(UsageError) -> CalendarDay {
        guard let day = CalendarDay(typed: text) else {
            throw refusal(of: option, "expected a day such as 2026-11-21, or yesterday, found \(escaped(text))")
        }
        return day
    }
}

extension Office {
    /// The person's today: days are those of the profile's zone, which may be ahead of this machine.
    func today() throws(Failure) -> CalendarDay {
        guard let day = try ask("statistics/today").text("day").flatMap({ CalendarDay($0) }) else {
            throw Failure(.protocolError, "the consumer's reply has no day", hint: "--json shows what it has")
        }
        return day
    }
}
