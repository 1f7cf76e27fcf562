/// Characters that are made of dots, and a shade behind them.
struct Raster {
    let columns: Int
    let rows: Int
    private let dots: (across: Int, down: Int)
    /// Braille's bits, by character; any bit is the whole character if it is one dot.
    private var marks: [UInt8]
    private var shades: [Bool]

    init(columns: Int, rows: Int, dots: (across: Int, down: Int)) {
        (self.columns, self.rows, self.dots) = (columns, rows, dots)
        marks = Array(repeating: 0, count: columns * rows)
        shades = Array(repeating: false, count: columns * rows)
    }

    /// In dots.
    var width: Int { columns * dots.across }
    var height: Int { rows * dots.down }

    /// How many dots from the top: 0 for a share of 1.
    private func y(_ share: Double) -> Int { Int(((1 - share) * Double(height - 1)).rounded()) }

    /// The row of characters where a share lies.
    func row(of share: Double) -> Int { y(share) / dots.down }

    mutating func mark(_ x: Int, _ share: Double) { mark(x, y: y(share)) }

    private mutating func mark(_ x: Int, y: Int) {
        // Dots 1, 2, 3 and 7 are the left ones from the top, 4, 5, 6 and 8 the right ones (Unicode, block 2800).
        let bits: [[UInt8]] = [[0x01, 0x02, 0x04, 0x40], [0x08, 0x10, 0x20, 0x80]]
        marks[y / dots.down * columns + x / dots.across] |= bits[x % dots.across][y % dots.down]
    }

    /// Draws a straight line from left to right or up and down, without a step between its dots.
    mutating func join(from first: (x: Int, share: Double), to last: (x: Int, share: Double)) {
        var before = y(first.share)
        guard last.x > first.x else {
            for y in min(before, y(last.share))...max(before, y(last.share)) { mark(last.x, y: y) }
            return
        }
        for x in (first.x + 1)...last.x {
            let part = Double(x - first.x) / Double(last.x - first.x)
            let now = y(first.share + (last.share - first.share) * part)
            // The dots between two neighbours belong to the one that comes later.
            for y in (now > before ? before + 1...now : min(now, max(before - 1, now))...max(before - 1, now)) {
                mark(x, y: y)
            }
            before = now
        }
    }

    mutating func shade(_ x: Int, _ shares: ClosedRange<Double>) {
        for row in row(of: shares.upperBound)...row(of: shares.lowerBound) {
            shades[row * columns + x / dots.across] = true
        }
    }

    func line(_ row: Int, on paper: Paper) -> String {
        var text = ""
        var (run, isShade) = ("", false)
        func flush() {
            text += run.allSatisfy { $0 == " " } ? run : isShade ? paper.style.dim(run) : paper.style.cyan(run)
            run = ""
        }
        for index in (row * columns)..<((row + 1) * columns) {
            let bits = marks[index]
            let isEmpty = bits == 0
            if isEmpty != isShade {
                flush()
                isShade = isEmpty
            }
            run.append(isEmpty && shades[index] ? paper.glyph("░", or: ":") : character(index, paper))
        }
        flush()
        return text
    }

    /// The dots of a row and a column, from the top left.
    func character(row: Int, column: Int, on paper: Paper) -> Character { character(row * columns + column, paper) }

    /// Which character holds a dot and a share.
    func cell(_ x: Int, _ share: Double) -> (row: Int, column: Int) { (row(of: share), x / dots.across) }

    private func character(_ index: Int, _ paper: Paper) -> Character {
        guard marks[index] != 0 else { return " " }
        return paper.isUnicode ? Character(Self.braille(marks[index])) : "*"
    }

    private static func braille(_ bits: UInt8) -> Unicode.Scalar { Unicode.Scalar(0x2800 + UInt32(bits)) ?? "*" }
}
