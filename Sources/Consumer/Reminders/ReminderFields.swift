import Desk
import Fitness
import Schedules
import Telemetry

// What a request says of a reminder. The words for people are the ones that they know from the application that this follows:
//
//     the label is missing or empty           "Enter Title"
//     no weekday is chosen                    "Select Repeat"
//     the alert is none of those there are    "Select Alert"

extension Reminder {
    /// No label is longer, in characters and in bytes.
    package static let longestLabel = (characters: 64, bytes: 256)
    /// How many minutes before the time an alarm may be: up to a week.
    package static let alarms: ClosedRange<Int64> = 0...10_080
    /// A first day may be in these years. Before them there was nothing to be reminded of, and calendars end some time later.
    package static let years = 1970...2199

    /// Whether a text may be a label.
    package static func isLabel(_ text: String) -> Bool {
        !text.allSatisfy(\.isWhitespace) && text.utf8.count <= longestLabel.bytes && text.count <= longestLabel.characters
            && ProfileRules.isName(text) && PlainText.isHarmless(text)
    }
}

extension PeopleRequest {
    /// A label; nil if the field is absent.
    func label() throws(ReplyError) -> String? {
        guard let text = try optionalText("label", atMost: Reminder.longestLabel.bytes) else { return nil }
        guard text.unicodeScalars.contains(where: \.isVisible) else { throw Self.noTitle }
        guard Reminder.isLabel(text) else {
            let words = "a label has at most \(Reminder.longestLabel.characters) characters on one line, \(PlainText.refused)"
            throw ReplyError(.invalid, words, field: "label")
        }
        return text
    }

    static var noTitle: ReplyError { ReplyError(.invalid, "Enter Title", field: "label") }

    /// A first day; nil if the field is absent.
    func firstDay() throws(ReplyError) -> CalendarDay? {
        guard let text = try optionalText("first_day", atMost: 10) else { return nil }
        guard let day = CalendarDay(text), Reminder.years.contains(day.year) else {
            let (first, last) = (Reminder.years.lowerBound, Reminder.years.upperBound)
            let words = "\"first_day\" has to look like 2026-11-30, from \(first) to \(last)"
            throw ReplyError(.invalid, words, field: "first_day")
        }
        return day
    }

    /// A minute of the day; nil if the field is absent.
    func minute() throws(ReplyError) -> Int? {
        guard let text = try optionalText("time", atMost: 5) else { return nil }
        guard let minute = WeeklySchedule.minute(text) else { throw Self.noTime }
        return minute
    }

    static var noTime: ReplyError { ReplyError(.invalid, "\"time\" has to look like 07:30", field: "time") }

    /// Weekdays, 1 for Monday; nil if the field is absent.
    func weekdays() throws(ReplyError) -> Set<Int>? {
        let names = CalendarDay.weekdayNames
        guard let words = try optionalTexts("weekdays", atMost: names.count) else { return nil }
        guard !words.isEmpty else { throw Self.noRepeat }
        var days: Set<Int> = []
        for word in words {
            guard let index = names.firstIndex(of: word) else {
                throw ReplyError(
                    .invalid, "\"weekdays\" has to be a list of \(names.joined(separator: ", "))", field: "weekdays")
            }
            days.insert(index + 1)
        }
        return days
    }

    static var noRepeat: ReplyError { ReplyError(.invalid, "Select Repeat", field: "weekdays") }

    /// How many minutes before the time an alarm is told, or nil for none; nil if the field is absent. The sources
    /// contradict each other: one has an alert chosen ("Select Alert"), another begins with one at the time. So leaving it out
    /// is at the time, and what is none of the alerts is refused.
    func alarmMinutes() throws(ReplyError) -> Int?? {
        switch fields["alert_min"] {
        case nil: return nil
        case .null?: return .some(nil)
        case .integer(let minutes)? where Reminder.alarms.contains(minutes): return Int(minutes)
        default: throw ReplyError(.invalid, "Select Alert", field: "alert_min")
        }
    }
}
