import Daemon
import Fitness

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
