import Daemon
import Fitness
import Telemetry

// `vitals today`, `day`, `week`, `month`, `year`, `years` and `summary`: what the consumer has counted, as tables and bars. Days are the
// person's own, in the time zone of the profile; nothing is counted here.

/// Shows days.
struct Reports {
    private let call: Call
    private let arguments: Arguments
    private let paper = Paper()

    init(_ call: Call, _ arguments: Arguments) {
        (self.call, self.arguments) = (call, arguments)
    }

    // MARK: One day

    func today() throws -> ExitCode {
        let (data, units) = try Office.visit(call) { (try $0.ask("statistics/today"), $0.units()) }
        return try print(data, in: units, orElse: "nothing yet\n")
    }

    func day() throws -> ExitCode {
        let text = try arguments.string("DATE")
        guard let day = CalendarDay(typed: text) else {
            throw arguments.refusal(
                of: "DATE", "expected a day such as 2026-11-21, or yesterday, found \(escaped(text))")
        }
        let (data, units) = try Office.visit(call) { office in
            (try office.ask("statistics/day", [("day", .string("\(day)"))]), office.units())
        }
        return try print(data, in: units, orElse: Self.nothing)
    }

    private func print(_ day: JSON, in units: Units, orElse nothing: String) throws -> ExitCode {
        guard !call.isJSON else { return try print(day.line) }
        let title = (day.text("day").flatMap { CalendarDay($0) }).map(\.longName)
        let amounts = Attribute.goals.compactMap { attribute in
            attribute.amount(ofDay: day).map { attribute.text($0.value, in: units).count }
        }
        // So that the meters line up even on the longest of days.
        let width = max(9, amounts.max() ?? 0)
        var rows = Attribute.allCases.flatMap { attribute in
            let ways = attribute == .distance ? Self.ways(day).map { ("  " + $0.name, units.distance($0.metres).text) } : []
            return [(attribute.title, described(attribute, day, width, units))] + ways
        }
        if let heart = day["heart_rate"] {
            rows.append(("Resting", Self.resting(heart)))
            rows.append(("In zones 1-5", Self.zones(heart)))
            rows.append(("Zones", Self.zones(heart).flatMap { _ in ZonesText.words(heart["zones"]) }))
            rows.append(("Recorded", heart.whole("recorded_s").map(spell)))
        }
        let body = lines(rows)
        return try print((title.map { paper.style.bold($0) + "\n" } ?? "") + (body.isEmpty ? nothing : body))
    }

    /// The heart rate at rest, and how it compares with the days before.
    private static func resting(_ heart: JSON) -> String? {
        guard let resting = heart.double("resting") else { return nil }
        let when = heart.text("resting_of") == "day" ? ", by day" : ""
        let usual: String =
            switch heart.whole("resting_difference") {
            case nil: ""
            case 0?: ", as usual"
            case let above? where above > 0: ", \(above) above your \(RestingBaseline.days) days"
            case let below?: ", \(-below) below your \(RestingBaseline.days) days"
            }
        return Attribute.beats(resting) + when + usual
    }

    /// A line of today's values, with the goal.
    private func described(_ attribute: Attribute, _ day: JSON, _ width: Int, _ units: Units) -> String? {
        func text(_ value: Double) -> String { attribute.text(value, in: units) }
        guard let amount = attribute.amount(ofDay: day) else {
            return day.goal(attribute)?.double("target").map { "-, goal \(text($0))" }
        }
        if let range = amount.range {
            let last = day[attribute.member]?.double("last").map { ", last \(text($0))" } ?? ""
            return "\(text(amount.value)), \(text(range.lowerBound)) to \(text(range.upperBound))" + last
        }
        guard let goal = day.goal(attribute), let target = goal.double("target"), let percent = goal.percent
        else { return text(amount.value) }
        let meter = Meter(share: percent / 100, isReached: goal.isReached).drawn(on: paper)
        return "\(text(amount.value).padded(to: width))  \(meter) of \(text(target))"
    }

    /// The parts of a distance by how they were done, if some were not on foot.
    private static func ways(_ totals: JSON) -> [(name: String, metres: Double)] {
        let kinds = [
            ("foot", "on foot"), ("bicycle", "by bicycle"), ("swimming", "swimming"), ("other", "in other ways"),
        ]
        return kinds.compactMap { kind, name in totals["distances_m"]?.double(kind).map { (name, $0) } }
    }

    private static func zones(_ heart: JSON) -> String? {
        let seconds = heart.list("zones_s").compactMap { zone -> Int? in
            guard case .integer(let seconds) = zone else { return nil }
            return Int(seconds)
        }
        return seconds.contains { $0 > 0 } ? seconds.map(spell).joined(separator: ", ") : nil
    }

    // MARK: Weeks, months, years

    func week() throws -> ExitCode {
        let attribute = try arguments.choice("of", of: Attribute.self)
        let day = try arguments.optionalString("DAY").map { (text) throws(UsageError) -> String in
            if text == "last", let today = CalendarDay.today { return "\(today.advanced(by: -7))" }
            guard let day = CalendarDay(typed: text) else {
                throw arguments.refusal(of: "DAY", "expected a day such as 2026-11-21, or last, found \(escaped(text))")
            }
            return "\(day)"
        }
        let (data, units) = try Office.visit(call) { office in
            (try office.ask("statistics/week", [("day", day.map(JSON.string))]), office.units())
        }
        guard !call.isJSON else { return try print(data.line) }
        let days = try Self.days(data)
        let rows = days.map { day, numbers in
            row(day.shortName, attribute.amount(ofDay: numbers), numbers.goal(attribute), attribute, units)
        }
        var title = attribute.title
        if let from = days.first?.day, let to = days.last?.day { title += ", \(from.through(to))" }
        return try print(
            heading(title, days.last { $0.numbers.goal(attribute) != nil }?.numbers, attribute, units)
                + drawing(rows, data["summary"], attribute, units))
    }

    /// Bars and their summary, or a sentence that says that there is nothing to draw.
    private func drawing(
        _ rows: [Bars.Row], _ period: JSON?, _ attribute: Attribute, _ units: Units
    ) -> String {
        guard rows.contains(where: { $0.amount != nil }) else { return Self.nothing }
        return Bars(rows: rows).drawn(on: paper) + summary(period, attribute, units)
    }

    private static let nothing = "nothing recorded\n"

    /// The month that the command line names, as requests spell it; nil for this one.
    static func month(_ arguments: Arguments) throws -> String? {
        try arguments.optionalString("MONTH").map { (text) throws(UsageError) -> String in
            if text == "last", let today = CalendarDay.today {
                return "\(today.calendarMonth.days.lowerBound.advanced(by: -1).calendarMonth)"
            }
            guard CalendarMonth(text) != nil else {
                throw arguments.refusal(
                    of: "MONTH", "expected a month such as 2026-11, or last, found \(escaped(text))")
            }
            return text
        }
    }

    func month() throws -> ExitCode {
        let attribute = try arguments.choice("of", of: Attribute.self)
        let month = try Self.month(arguments)
        let (data, units) = try Office.visit(call) { office in
            (try office.ask("statistics/month", [("month", month.map(JSON.string))]), office.units())
        }
        guard !call.isJSON else { return try print(data.line) }
        let days = try Self.days(data)
        guard let first = days.first?.day else { throw Self.isEmpty }
        let columns = days.map {
            Columns.Column(
                amount: attribute.amount(ofDay: $0.numbers), goal: $0.numbers.goal(attribute)?.double("target"))
        }
        let latest = days.last { $0.numbers.goal(attribute) != nil }?.numbers
        let entries = Attribute.goals.map { goal in
            let percent = days.compactMap { day, numbers in
                numbers.goal(goal)?.percent.map { (day, $0) }
            }
            // If nothing is known of a month, it must not show 0 %.
            let isKnown = days.contains { goal.amount(ofDay: $0.numbers) != nil }
            return MonthCalendar.Entry(name: goal.title, percent: isKnown ? Dictionary(percent) { $1 } : [:])
        }.filter { !$0.percent.isEmpty }
        var text = heading("\(attribute.title), \(first.monthName)", latest, attribute, units)
        if columns.contains(where: { $0.amount != nil }) {
            text += Columns(columns: columns, label: { attribute.text($0, in: units) }).drawn(on: paper)
            text += summary(data["summary"], attribute, units)
        } else {
            text += Self.nothing
        }
        if !entries.isEmpty {
            text += "\n" + paper.style.bold("Percent of each goal") + "\n"
            text += MonthCalendar(month: first.calendarMonth, entries: entries).drawn(on: paper)
        }
        return try print(text)
    }

    func year() throws -> ExitCode {
        let attribute = try arguments.choice("of", of: Attribute.self)
        let isOfTotals = try isOfTotals(attribute)
        let isLast = try arguments.optionalString("YEAR") == "last"
        let year =
            isLast ? CalendarDay.today.map { $0.year - 1 } : try arguments.optionalInteger("YEAR", in: 1970...9999)
        let (data, units) = try Office.visit(call) { office in
            (try office.ask("statistics/year", [("year", year.map { .integer(Int64($0)) })]), office.units())
        }
        guard !call.isJSON else { return try print(data.line) }
        let months = data.list("months")
        guard !months.isEmpty else { throw Self.isEmpty }
        let rows = months.enumerated().map { index, month in
            row(String(CalendarDay.months[index % 12].prefix(3)), ofPeriod: month, attribute, units, isOfTotals)
        }
        let title = Self.title(attribute, by: "month", isOfTotals) + (data.whole("year").map { ", \($0)" } ?? "")
        // The goal is a day's.
        let latest = isOfTotals ? nil : data["summary"]
        return try print(
            heading(title, latest, attribute, units) + drawing(rows, data["summary"], attribute, units))
    }

    func years() throws -> ExitCode {
        let attribute = try arguments.choice("of", of: Attribute.self)
        let isOfTotals = try isOfTotals(attribute)
        let (data, units) = try Office.visit(call) { (try $0.ask("statistics/years"), $0.units()) }
        guard !call.isJSON else { return try print(data.line) }
        let rows = data.list("years").compactMap { year in
            year.whole("year").map { row("\($0)", ofPeriod: year, attribute, units, isOfTotals) }
        }
        return try print(
            heading(Self.title(attribute, by: "year", isOfTotals), nil, attribute, units)
                + drawing(rows, nil, attribute, units))
    }

    func summary() throws -> ExitCode {
        let (from, to) = (try arguments.day("from"), try arguments.day("to"))
        guard from <= to else {
            throw arguments.refusal(of: "from", "it begins at \(from), after its end at \(to); swap --from and --to")
        }
        let (data, units) = try Office.visit(call) { office in
            (
                try office.ask("statistics/summary", [("from", .string("\(from)")), ("to", .string("\(to)"))]),
                office.units()
            )
        }
        guard !call.isJSON else { return try print(data.line) }
        let body = lines(Attribute.allCases.map { attribute in
            let parts = parts(of: data, attribute, units)
            return (attribute.title, parts.isEmpty ? nil : parts.joined(separator: ", "))
        })
        return try print(paper.style.bold("\(from.through(to))") + "\n" + (body.isEmpty ? Self.nothing : body))
    }

    /// Whether a period's total is drawn: unless its average day is wanted, or its sum means nothing.
    private func isOfTotals(_ attribute: Attribute) throws -> Bool {
        let isOfAverages = try arguments.flag("average")
        return attribute.isSum && !isOfAverages
    }

    private static func title(_ attribute: Attribute, by period: String, _ isOfTotals: Bool) -> String {
        guard attribute.isSum else { return attribute.title }
        return isOfTotals ? "\(attribute.title) a \(period)" : "\(attribute.title) a day"
    }

    /// A month's line, or a year's.
    private func row(
        _ label: String, ofPeriod period: JSON, _ attribute: Attribute, _ units: Units, _ isOfTotals: Bool
    ) -> Bars.Row {
        let (amount, goal) = (attribute.amount(ofPeriod: period), period.goal(attribute))
        guard attribute.isSum else {
            let notes = amount.map { [Self.spread($0, attribute, units)] } ?? []
            return Bars.Row(label: label, amount: amount, goal: goal?.double("target"), notes: notes)
        }
        let total = period[attribute.member]?.double("total")
        let notes = [
            amount.map { attribute.text($0.value, in: units) } ?? "", total.map { attribute.text($0, in: units) } ?? "",
            amount == nil ? "" : goal?.whole("reached").map { "\($0) \(paper.star)" } ?? "",
        ]
        guard isOfTotals else {
            return Bars.Row(label: label, amount: amount, goal: goal?.double("target"), notes: notes)
        }
        return Bars.Row(label: label, amount: total.map { Amount(value: $0) }, goal: nil, notes: notes)
    }

    /// A line of a week.
    private func row(
        _ label: String, _ amount: Amount?, _ goal: JSON?, _ attribute: Attribute, _ units: Units
    ) -> Bars.Row {
        guard let amount else { return Bars.Row(label: label, amount: nil, goal: goal?.double("target"), notes: []) }
        guard amount.range == nil else {
            return Bars.Row(label: label, amount: amount, goal: nil, notes: [Self.spread(amount, attribute, units)])
        }
        var notes = [attribute.text(amount.value, in: units)]
        if let percent = goal?.percent {
            notes.append("\(decimal(percent, 0)) %")
            notes.append(goal?.isReached == true ? String(paper.star) : "")
        }
        return Bars.Row(label: label, amount: amount, goal: goal?.double("target"), notes: notes)
    }

    private static func spread(_ amount: Amount, _ attribute: Attribute, _ units: Units) -> String {
        let mean = attribute.text(amount.value, in: units)
        guard let range = amount.range else { return mean }
        let (low, high) = (attribute.number(range.lowerBound, in: units), attribute.number(range.upperBound, in: units))
        return "\(mean) (\(low) to \(high))"
    }

    /// What is drawn, and the latest goal.
    private func heading(_ title: String, _ latest: JSON?, _ attribute: Attribute, _ units: Units) -> String {
        let target = latest?.goal(attribute)?.double("target")
        let goal = target.map { ", goal \(attribute.text($0, in: units))" } ?? ""
        return paper.style.bold(title + goal) + "\n"
    }

    /// The totals of a period.
    private func summary(_ period: JSON?, _ attribute: Attribute, _ units: Units) -> String {
        guard let period, period[attribute.member] != nil else { return "" }
        return paper.wrapped(parts(of: period, attribute, units))
    }

    private func parts(of period: JSON, _ attribute: Attribute, _ units: Units) -> [String] {
        guard let numbers = period[attribute.member] else { return [] }
        let named = [("total", "total"), ("mean", "mean"), ("min", "least"), ("max", "most"), ("resting", "resting")]
        var parts = named.compactMap { member, name in
            numbers.double(member).map { "\(name) \(attribute.text($0, in: units))" }
        }
        if attribute == .distance {
            parts += Self.ways(period).map { "\(units.distance($0.metres).text) \($0.name)" }
        }
        if let days = period.goal(attribute)?.whole("reached") {
            parts.append("goal reached on \(counted(days, "day"))")
        }
        return parts
    }

    private static func days(_ data: JSON) throws(Failure) -> [(day: CalendarDay, numbers: JSON)] {
        let days = data.list("days").compactMap { numbers in
            numbers.text("day").flatMap { CalendarDay($0) }.map { (day: $0, numbers: numbers) }
        }
        guard !days.isEmpty else { throw isEmpty }
        return days
    }

    private static var isEmpty: Failure {
        Failure(.protocolError, "the consumer's reply has no days", hint: "--json shows what it has")
    }

    private func print(_ text: String) throws -> ExitCode {
        try Output.write(text)
        return .ok
    }
}

/// The progress of something, in a line: `████████░░  80 %`.
struct Meter {
    let share: Double
    let isReached: Bool

    func drawn(on paper: Paper) -> String {
        let width = 20
        let full = Int(min(max(share, 0), 1) * Double(width))
        let bar = String(repeating: paper.glyph("█", or: "#"), count: full)
        let rest = String(repeating: paper.glyph("░", or: "."), count: width - full)
        let percent = decimal((share * 100).rounded(.down), 0).leftPadded(to: 3)
        return paper.style.cyan(bar) + paper.style.dim(rest) + " \(percent) %" + " \(isReached ? paper.star : " ")"
    }
}
