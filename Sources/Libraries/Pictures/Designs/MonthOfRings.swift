public import Fitness

/// A month of daily achievements: a ring for each day, with a part for each goal.
///
/// The parts are thirds, clockwise from the top: steps, distance, energy; where only some of these are goals, halves or
/// one whole ring. Each part fills clockwise. A day on which every goal was reached is a full disc. A day that is not
/// named has a number and no ring.
public struct MonthOfRings: Hashable, Sendable {
    /// What a day came to.
    public struct Day: Hashable, Sendable {
        /// How much of each goal was reached: 1 for all of it, and more for more; nil where there was no such goal.
        public var steps: Double?
        public var distance: Double?
        public var energy: Double?

        public init(steps: Double? = nil, distance: Double? = nil, energy: Double? = nil) {
            (self.steps, self.distance, self.energy) = (steps, distance, energy)
        }

        /// What counts, from 0 to 1. What is no number counts as nothing.
        fileprivate var shares: [Double] {
            [steps, distance, energy].compactMap { $0 }.map { $0 > 0 ? min($0, 1) : 0 }
        }

        /// Whether there were goals, and all of them were reached.
        public var isComplete: Bool { !shares.isEmpty && shares.allSatisfy { $0 >= 1 } }
    }

    public let month: CalendarMonth
    /// What is known; days of other months do not count.
    public let days: [CalendarDay: Day]
    /// The day to mark, such as today; nil for none.
    public let marked: CalendarDay?

    public init(_ month: CalendarMonth, _ days: [CalendarDay: Day], marked: CalendarDay? = nil) {
        self.month = month
        self.days = days.filter { $0.key.calendarMonth == month }
        self.marked = marked
    }

    /// A month by the rings of its days.
    public init(_ rings: GoalRings, marked: CalendarDay? = nil) {
        let days = rings.days.mapValues { day in
            Day(steps: day[.steps]?.share, distance: day[.distance]?.share, energy: day[.energy]?.share)
        }
        self.init(rings.month, days, marked: marked)
    }

    /// The picture's width, in pixels.
    public static let width = 1200
    /// A day's width and height.
    private static let cell = (width: 150.0, height: 142.0)
    private static let (radius, stroke) = (48.0, 13.0)

    /// The picture: Monday first, as high as the month has weeks.
    public func picture(_ theme: Theme) throws(PictureError) -> Picture {
        let monday = month.days.lowerBound.week.monday
        let weeks = monday.distance(to: month.days.upperBound) / 7 + 1
        let (top, legend) = (166.0, 88.0)
        let card = Sheet.Frame(
            x: Sheet.margin, y: top, width: Double(Self.width) - 2 * Sheet.margin,
            height: 84 + Double(weeks) * Self.cell.height + legend)
        var sheet = try Sheet(
            width: Self.width, height: Int(card.bottom + Sheet.margin), title: description, theme)
        try sheet.head(month.longName, "Goals by day")
        try sheet.card(card, sheet.colours.surface)
        let left = card.x + (card.width - 7 * Self.cell.width) / 2
        for (column, name) in CalendarDay.weekdays.enumerated() {
            let x = left + (Double(column) + 0.5) * Self.cell.width
            try sheet.write(
                String(name.prefix(3)), x: x, y: card.y + 58, size: 26, sheet.colours.ink3, anchor: .middle)
        }
        for day in month.days {
            let (row, column) = monday.distance(to: day).quotientAndRemainder(dividingBy: 7)
            let centre = Point(
                left + (Double(column) + 0.5) * Self.cell.width,
                card.y + 84 + (Double(row) + 0.5) * Self.cell.height)
            try draw(day, at: centre, on: &sheet)
        }
        try drawLegend(Sheet.Frame(x: left, y: card.bottom - legend, width: card.width, height: legend), on: &sheet)
        return sheet.picture
    }

    private func draw(_ day: CalendarDay, at centre: Point, on sheet: inout Sheet) throws(PictureError) {
        let colours = sheet.colours
        if day == marked {
            try sheet.draw(
                .rectangle(
                    x: centre.x - 66, y: centre.y - 66, width: 132, height: 132, radius: 20, fill: colours.accentSoft))
        }
        let entry = days[day] ?? Day()
        if entry.isComplete {
            try sheet.draw(.disc(centre, radius: Self.radius + Self.stroke / 2, colours.accent))
        } else {
            try drawRing(entry.shares, at: centre, on: &sheet)
        }
        let ink = entry.isComplete ? colours.onAccent : entry.shares.isEmpty ? colours.ink3 : colours.ink
        try sheet.write(
            "\(day.day)", x: centre.x, y: centre.y + 11, size: 32, isBold: !entry.shares.isEmpty, ink, anchor: .middle)
    }

    private func drawRing(_ shares: [Double], at centre: Point, on sheet: inout Sheet) throws(PictureError) {
        for (index, share) in shares.enumerated() {
            func part(_ share: Double, _ colour: Colour) -> Shape {
                sheet.ringPart(
                    index, of: shares.count, share: share, centre, radius: Self.radius, width: Self.stroke, colour)
            }
            let (ground, done) = (part(1, sheet.colours.well), part(share, sheet.colours.accent))
            try sheet.draw(ground)
            if share > 0 { try sheet.draw(done) }
        }
    }

    /// What the parts of the fullest ring are, and what a disc is.
    private func drawLegend(_ frame: Sheet.Frame, on sheet: inout Sheet) throws(PictureError) {
        var goals: [String] = []
        if days.values.contains(where: { $0.steps != nil }) { goals.append("steps") }
        if days.values.contains(where: { $0.distance != nil }) { goals.append("distance") }
        if days.values.contains(where: { $0.energy != nil }) { goals.append("energy") }
        let complete = days.values.count(where: \.isComplete)
        var words =
            goals.isEmpty ? "No goals in this month." : "Clockwise from the top: \(goals.joined(separator: ", "))."
        if complete > 0 { words += " Disc: all reached, on \(complete) day\(complete == 1 ? "" : "s")." }
        try sheet.write(words, x: frame.x + 20, y: frame.y + 46, size: 26, sheet.colours.ink2)
    }

    /// In words, for people who cannot see it.
    private var description: String {
        let complete = days.values.count(where: \.isComplete)
        return "\(month.longName): every goal was reached on \(complete) of \(days.count) days"
    }
}
