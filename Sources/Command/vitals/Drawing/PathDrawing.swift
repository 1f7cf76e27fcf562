import Glibc

/// A way as a map shows it, north at the top: as large as the terminal allows, and as long and broad as it is. Where
/// nobody knows the way, there is a gap. A mark shows where it begins.
struct PathDrawing {
    /// Degrees.
    struct Point {
        let latitude: Double
        let longitude: Double
    }

    /// In order.
    let pieces: [[Point]]

    private static let mostRows = 24

    /// The drawing; nothing if there is no way.
    func drawn(on paper: Paper) -> String {
        let pieces = flat.filter { !$0.isEmpty }
        guard let first = pieces.first?.first else { return "" }
        let all = pieces.joined()
        let west = all.reduce(first.x) { min($0, $1.x) }
        let south = all.reduce(first.y) { min($0, $1.y) }
        let (width, height) = (all.reduce(0) { max($0, $1.x - west) }, all.reduce(0) { max($0, $1.y - south) })
        // A character is about twice as high as it is wide.
        let unit = max(width / Double(paper.width), height / Double(2 * Self.mostRows), 1e-9)
        let (columns, rows) = (Int((width / unit).rounded(.up)), Int((height / unit / 2).rounded(.up)))
        let dots = paper.isUnicode ? (across: 2, down: 4) : (across: 1, down: 1)
        var raster = Raster(columns: min(max(columns, 1), paper.width), rows: max(rows, 1), dots: dots)
        func dot(_ point: (x: Double, y: Double)) -> (x: Int, share: Double) {
            let x = Int((point.x - west) / unit * Double(dots.across))
            return (min(x, raster.width - 1), height > 0 ? (point.y - south) / height : 0)
        }
        for piece in pieces {
            let places = piece.map(dot)
            for place in places { raster.mark(place.x, place.share) }
            for (one, next) in zip(places, places.dropFirst()) {
                if one.x <= next.x { raster.join(from: one, to: next) } else { raster.join(from: next, to: one) }
            }
        }
        let start = dot(first)
        return lines(raster, start: raster.cell(start.x, start.share), paper)
    }

    /// East and north, in degrees of latitude.
    private var flat: [[(x: Double, y: Double)]] {
        guard let first = pieces.first(where: { !$0.isEmpty })?.first else { return [] }
        let narrowing = max(cos(first.latitude * .pi / 180), 0.01)
        return pieces.map { piece in
            piece.map { point in
                let east = (point.longitude - first.longitude).remainder(dividingBy: 360)
                return (x: east * narrowing, y: point.latitude)
            }
        }
    }

    private func lines(_ raster: Raster, start: (row: Int, column: Int), _ paper: Paper) -> String {
        (0..<raster.rows).map { row in
            let cells = (0..<raster.columns).map { raster.character(row: row, column: $0, on: paper) }
            guard row == start.row else { return colour(String(cells).trimmed, paper) + "\n" }
            let (before, after) = (String(cells[..<start.column]), String(cells[(start.column + 1)...]).trimmed)
            let mark = paper.style.green(String(paper.glyph("●", or: "o")))
            return colour(before, paper) + mark + colour(after, paper) + "\n"
        }.joined()
    }

    private func colour(_ text: String, _ paper: Paper) -> String {
        text.allSatisfy { $0 == " " } ? text : paper.style.red(text)
    }
}
