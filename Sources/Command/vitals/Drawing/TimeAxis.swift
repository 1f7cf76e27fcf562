import Glibc

/// The axis below a graph: a line, marks at round times of the clock and the calendar, and their names.
struct TimeAxis {
    /// Unix milliseconds.
    let from: Int64
    let to: Int64
    /// How many characters there are between the two.
    let columns: Int
    /// How many characters there are at the left of them.
    var margin = Graph.margin

    /// How far one mark is from the next.
    private enum Step: Equatable {
        case seconds(Int)
        case days(Int)
        case months(Int)
        case years(Int)

        var seconds: Int {
            switch self {
            case .seconds(let count): count
            case .days(let count): count * 86_400
            case .months(let count): count * 30 * 86_400
            case .years(let count): count * 365 * 86_400
            }
        }

        /// How wide the name of a mark is.
        var width: Int {
            switch self {
            case .seconds(let count): count < 60 ? 8 : 5
            case .days: 5
            case .months: 7
            case .years: 4
            }
        }

        static let all: [Step] =
            [1, 2, 5, 10, 15, 30, 60, 120, 300, 600, 900, 1800, 3600, 7200, 10_800, 21_600, 43_200].map(Step.seconds)
            + [1, 2, 7, 14].map(Step.days) + [1, 2, 3, 6].map(Step.months) + [1, 2, 5, 10, 20, 50].map(Step.years)
    }

    /// The line, and the names below it.
    func drawn(on paper: Paper) -> String {
        let seconds = Double(to - from) / 1000
        let step =
            Step.all.first { Double($0.seconds) / seconds * Double(columns) >= Double($0.width + 3) } ?? .years(100)
        var line = [Character](repeating: paper.glyph("─", or: "-"), count: columns)
        var names = ""
        for time in times(step) {
            let column = Int(Double(time - from) / Double(to - from) * Double(columns))
            guard column >= 0, column < columns else { continue }
            line[column] = paper.glyph("┬", or: "+")
            guard names.isEmpty || names.count < column, column + step.width <= columns else { continue }
            names = names.padded(to: column) + name(time, step)
        }
        return drawnAxis(line, names, margin, paper)
    }

    private func name(_ time: Int64, _ step: Step) -> String {
        let fields = LocalTime.fields(time)
        let (month, year) = (LocalTime.two(fields.tm_mon + 1), Int(fields.tm_year) + 1900)
        switch step {
        case .seconds(let count):
            // Midnight is named after its day.
            let isMidnight = fields.tm_hour == 0 && fields.tm_min == 0 && fields.tm_sec == 0
            if isMidnight, count >= 60 { return "\(month)-\(LocalTime.two(fields.tm_mday))" }
            return String(LocalTime.timeOfDay(time).prefix(count < 60 ? 8 : 5))
        case .days: return "\(month)-\(LocalTime.two(fields.tm_mday))"
        case .months: return "\(year)-\(month)"
        case .years: return "\(year)"
        }
    }

    /// The marks, counted on from the beginning of the day, the month or the year, as the clocks and calendars go.
    private func times(_ step: Step) -> [Int64] {
        var fields = LocalTime.fields(from)
        switch step {
        case .seconds(let count):
            let second = Int(fields.tm_hour) * 3600 + Int(fields.tm_min) * 60 + Int(fields.tm_sec)
            (fields.tm_hour, fields.tm_min, fields.tm_sec) = (0, 0, CInt(second / count * count))
        case .days: (fields.tm_hour, fields.tm_min, fields.tm_sec) = (0, 0, 0)
        case .months(let count):
            (fields.tm_hour, fields.tm_min, fields.tm_sec, fields.tm_mday) = (0, 0, 0, 1)
            fields.tm_mon = fields.tm_mon / CInt(count) * CInt(count)
        case .years(let count):
            (fields.tm_hour, fields.tm_min, fields.tm_sec, fields.tm_mday, fields.tm_mon) = (0, 0, 0, 1, 0)
            fields.tm_year = (fields.tm_year + 1900) / CInt(count) * CInt(count) - 1900
        }
        var times: [Int64] = []
        // There are never more marks than columns: a step is several columns wide.
        for _ in 0...(columns + 1) {
            var now = fields
            now.tm_isdst = -1
            let time = Int64(mktime(&now)) * 1000
            guard time < to else { break }
            if time >= from, times.last.map({ $0 < time }) ?? true { times.append(time) }
            switch step {
            case .seconds(let count): fields.tm_sec += CInt(count)
            case .days(let count): fields.tm_mday += CInt(count)
            case .months(let count): fields.tm_mon += CInt(count)
            case .years(let count): fields.tm_year += CInt(count)
            }
        }
        return times
    }
}

/// The two lines of an axis below a drawing.
func drawnAxis(_ line: [Character], _ names: String, _ margin: Int, _ paper: Paper) -> String {
    let left = String(repeating: " ", count: margin - 1)
    return left + String(paper.glyph("└", or: "+")) + String(line) + "\n" + (left + " " + names).trimmed + "\n"
}
