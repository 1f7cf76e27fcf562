/// What was in force when: each value holds from a day on, until the next. Days before the first entry take the first
/// value, because nothing better is known of them.
public struct DayHistory<Value: Sendable>: Sendable {
    /// A value, and the day from which it holds.
    public typealias Entry = (day: CalendarDay, value: Value)

    /// At least one, in the order of their days, no two of the same day.
    public private(set) var entries: [Entry]

    /// A value that holds on all days.
    public init(_ value: Value, from day: CalendarDay) {
        entries = [(day, value)]
    }

    /// Entries in any order; of several for one day the last counts. Nil if there is none.
    public init?(_ entries: [Entry]) {
        guard let first = entries.first else { return nil }
        self.init(first.value, from: first.day)
        for entry in entries.dropFirst() { set(entry.value, from: entry.day) }
    }

    /// What was in force on a day.
    public func value(on day: CalendarDay) -> Value {
        entries[max(0, end(of: day) - 1)].value
    }

    /// Makes a value hold from a day on, until the next entry.
    public mutating func set(_ value: Value, from day: CalendarDay) {
        let end = end(of: day)
        if end > 0, entries[end - 1].day == day {
            entries[end - 1].value = value
        } else {
            entries.insert((day, value), at: end)
        }
    }

    /// Makes a value hold on some days, and on no others.
    public mutating func set(_ value: Value, on days: ClosedRange<CalendarDay>) {
        let next = days.upperBound.advanced(by: 1)
        let (first, after) = (entries[0], self.value(on: next))
        entries.removeAll { days.contains($0.day) }
        // Days before the first entry take its value, and would take this one.
        if days.lowerBound <= first.day { set(first.value, from: days.lowerBound.advanced(by: -1)) }
        set(value, from: days.lowerBound)
        if !entries.contains(where: { $0.day == next }) { set(after, from: next) }
    }

    /// How many entries begin on a day or before it.
    private func end(of day: CalendarDay) -> Int {
        entries.firstIndex { $0.day > day } ?? entries.count
    }
}

extension DayHistory where Value: Equatable {
    /// Makes a value hold from a day on, whatever was to hold later.
    public mutating func set(_ value: Value, fromNowOn day: CalendarDay) {
        entries.removeAll { $0.day > day }
        if entries.isEmpty || self.value(on: day) != value { set(value, from: day) }
    }
}

extension DayHistory: Equatable where Value: Equatable {
    /// Whether the same held on all days, with the same entries.
    public static func == (one: DayHistory, other: DayHistory) -> Bool {
        one.entries.elementsEqual(other.entries) { $0.day == $1.day && $0.value == $1.value }
    }
}
