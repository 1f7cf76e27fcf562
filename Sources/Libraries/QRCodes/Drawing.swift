extension QRCode {
    /// What colours a terminal has.
    public enum Style: Hashable, Sendable, CaseIterable {
        /// Black on white is asked for, whatever the terminal's own colours are.
        case coloured
        /// The terminal's own letters are light, on a dark ground.
        case lightOnDark
        /// The terminal's own letters are dark, on a light ground; so is paper.
        case darkOnLight
    }

    /// How many characters each line of `lines` shows, and how many modules `svg` is wide: the quiet zone counts.
    public var width: Int { side + 2 * Self.quietZone }

    /// The code for a terminal, with its quiet zone: two rows of modules in each line, by half blocks. Each line shows
    /// `width` characters, so a terminal that is narrower would break it.
    public func lines(_ style: Style) -> [String] {
        let (start, end) = style == .coloured ? ("\u{1B}[30;107m", "\u{1B}[0m") : ("", "")
        return stride(from: -Self.quietZone, to: side + Self.quietZone, by: 2).map { row in
            let blocks = (-Self.quietZone..<side + Self.quietZone).map { column in
                // The side is odd, so that the last line has a row of light modules too many.
                let (upper, lower) = (self[row, column], self[row + 1, column])
                return style == .lightOnDark ? Self.block(!upper, !lower) : Self.block(upper, lower)
            }
            return start + String(blocks) + end
        }
    }

    private static func block(_ upper: Bool, _ lower: Bool) -> Character {
        switch (upper, lower) {
        case (true, true): "█"
        case (true, false): "▀"
        case (false, true): "▄"
        case (false, false): " "
        }
    }

    /// The code as a picture of its own (SVG 1.1), with its quiet zone: one unit for each module, black on white.
    /// Whoever shows it chooses the size.
    public var svg: String {
        var path = ""
        for row in 0..<side {
            var column = 0
            while column < side {
                let start = column
                while self[row, column] { column += 1 }
                if column > start {
                    path += "M\(start + Self.quietZone) \(row + Self.quietZone)h\(column - start)v1h\(start - column)z"
                } else {
                    column += 1
                }
            }
        }
        return """
            <svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 \(width) \(width)" shape-rendering="crispEdges">\
            <path fill="#fff" d="M0 0h\(width)v\(width)h-\(width)z"/><path d="\(path)"/></svg>
            """
    }
}
