/// Columns under headings, two spaces apart. If they are wider than the terminal, the last one is wrapped between
/// words; if that is not enough, each row becomes a paragraph with a line for each cell. No word is ever broken: ids
/// are there to be copied.
/// - Parameter width: the terminal's; nil if there is none.
func table(_ headings: [String], _ rows: [[String]], within width: Int? = Paper.columns) -> String {
    let all = [headings] + rows
    let widths = headings.indices.map { column in all.map { $0[column].count }.max() ?? 0 }
    let left = widths.dropLast().reduce(0) { $0 + $1 + 2 }
    var room = widths.last ?? 0
    if let width, left + room > width {
        let longest = all.compactMap { $0.last?.split(separator: " ").map(\.count).max() }.max() ?? 0
        guard width - left >= max(20, longest) else { return paragraphs(headings, rows, within: width) }
        room = width - left
    }
    return all.map { line in
        let cells = zip(line.dropLast(), widths).map { $0.padded(to: $1 + 2) }.joined()
        let texts = wrapped(line.last ?? "", to: room)
        return texts.enumerated().map { index, text in
            ((index == 0 ? cells : String(repeating: " ", count: left)) + text).trimmed + "\n"
        }.joined()
    }.joined()
}

/// A table's rows one below the other.
private func paragraphs(_ headings: [String], _ rows: [[String]], within width: Int) -> String {
    let column = (headings.map(\.count).max() ?? 0) + 2
    let paragraphs = rows.map { row in
        var mark = ""
        var text = ""
        for (heading, cell) in zip(headings, row) where !cell.isEmpty {
            // A star in a column without a heading belongs to what follows it.
            guard !heading.isEmpty else {
                mark = " \(cell)"
                continue
            }
            let pieces = wrapped(cell + mark, to: max(width - column, 1))
            text += heading.padded(to: column) + pieces.joined(separator: "\n" + String(repeating: " ", count: column))
            text += "\n"
            mark = ""
        }
        return text
    }
    return paragraphs.joined(separator: "\n")
}

/// A text in lines of at most `width` columns, except for longer words.
private func wrapped(_ text: String, to width: Int) -> [String] {
    guard text.count > width else { return [text] }
    var lines: [String] = []
    for word in text.split(separator: " ") {
        if let last = lines.last, last.count + 1 + word.count <= width {
            lines[lines.count - 1] = "\(last) \(word)"
        } else {
            lines.append(String(word))
        }
    }
    return lines
}

/// Headings and what belongs to them, one a line; rows without a text are left out.
func lines(_ rows: [(heading: String, text: String?)]) -> String {
    let there = rows.compactMap { row in row.text.map { (row.heading, $0) } }
    let width = (there.map { $0.0.count }.max() ?? 0) + 2
    return there.map { $0 + String(repeating: " ", count: width - $0.count) + $1 + "\n" }.joined()
}
