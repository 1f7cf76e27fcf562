import Fitness

/// The axis below a graph over something that is counted from zero: a line, marks at round numbers, and their names.
struct NumberAxis {
    /// In any unit.
    let from: Int64
    let to: Int64
    /// How many characters there are between the two.
    let columns: Int
    /// How many characters there are at the left of them.
    let margin: Int
    /// How far one mark may be from the next, from near to far.
    let steps: [Int64]
    /// The name of a mark.
    let name: (Int64) -> String

    /// An axis of milliseconds that have passed: `10:00`, `1:20:00`.
    static func elapsed(from: Int64, to: Int64, columns: Int, margin: Int) -> NumberAxis {
        let steps: [Int64] = [10, 30, 60, 120, 300, 600, 900, 1800, 3600, 7200, 14_400, 28_800]
        return NumberAxis(from: from, to: to, columns: columns, margin: margin, steps: steps.map { $0 * 1000 }) {
            clock(seconds: Int($0 / 1000))
        }
    }

    /// An axis of millionths of a kilometre or a mile: `2 km`, `0.5 mi`.
    static func way(_ units: Units, from: Int64, to: Int64, columns: Int, margin: Int) -> NumberAxis {
        let steps: [Int64] = [100, 200, 500, 1000, 2000, 5000, 10_000, 20_000, 50_000, 100_000]
        return NumberAxis(from: from, to: to, columns: columns, margin: margin, steps: steps.map { $0 * 1000 }) {
            decimal(Double($0) / 1e6, $0 % 1_000_000 == 0 ? 0 : 1) + " \(units.wayUnit.rawValue)"
        }
    }

    /// The line, and the names below it.
    func drawn(on paper: Paper) -> String {
        let span = Double(max(to - from, 1))
        func column(_ value: Int64) -> Int { Int(Double(value - from) / span * Double(columns)) }
        let widest = name(to).count + 3
        let step = steps.first { Double($0) / span * Double(columns) >= Double(widest) } ?? max(to - from, 1)
        var line = [Character](repeating: paper.glyph("─", or: "-"), count: columns)
        var names = ""
        var value = (from + step - 1) / step * step
        while value <= to, column(value) < columns {
            let text = name(value)
            line[column(value)] = paper.glyph("┬", or: "+")
            if column(value) + text.count <= columns { names = names.padded(to: column(value)) + text }
            value += step
        }
        return drawnAxis(line, names, margin, paper)
    }
}

/// Time that has passed, as a stopwatch shows it: `5:19`, `1:02:03`.
func clock(seconds: Int) -> String {
    func two(_ number: Int) -> String { number < 10 ? "0\(number)" : "\(number)" }
    let (hours, minutes, rest) = (seconds / 3600, seconds / 60 % 60, seconds % 60)
    return hours > 0 ? "\(hours):\(two(minutes)):\(two(rest))" : "\(minutes):\(two(rest))"
}
