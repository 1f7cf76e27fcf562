package import Desk
package import Fitness
package import Telemetry

extension PeopleRequest {
    /// A day that must be there.
    package func day(_ field: String) throws(ReplyError) -> CalendarDay {
        guard let day = try optionalDay(field) else {
            throw ReplyError(.badRequest, "\"\(field)\" is missing", field: field)
        }
        return day
    }

    /// A day; nil if the field is absent or null.
    package func optionalDay(_ field: String) throws(ReplyError) -> CalendarDay? {
        guard let text = try optionalText(field, atMost: 32) else { return nil }
        guard let day = CalendarDay(text) else {
            throw ReplyError(.badRequest, "\"\(field)\" has to be a day such as 2026-11-21", field: field)
        }
        return day
    }
}
