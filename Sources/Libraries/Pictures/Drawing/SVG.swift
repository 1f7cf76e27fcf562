extension Picture {
    /// The picture as SVG 1.1: an element on each line, sizes and coordinates in pixels with at most two decimals.
    /// Nothing in it leads anywhere or runs.
    public var svg: String {
        let frame = "width=\"\(width)\" height=\"\(height)\""
        var lines = [
            """
            <svg xmlns="http://www.w3.org/2000/svg" \(frame) viewBox="0 0 \(width) \(height)" role="img" \
            font-family="system-ui, 'DejaVu Sans', sans-serif">
            """,
            "<title>\(escaped(title))</title>", "<rect \(frame) \(ground.paint("fill"))/>",
        ]
        for element in elements {
            switch element {
            case .shape(let shape): lines.append(shape.svg)
            case .text(let text): lines.append(text.svg)
            }
        }
        return lines.joined(separator: "\n") + "\n</svg>\n"
    }
}

extension Shape {
    fileprivate var svg: String {
        var attributes = "d=\"\(data)\" \(fill?.paint("fill") ?? "fill=\"none\"")"
        if let stroke {
            attributes += " \(stroke.colour.paint("stroke")) stroke-width=\"\(spelled(stroke.width))\""
            if stroke.isRound { attributes += " stroke-linecap=\"round\" stroke-linejoin=\"round\"" }
        }
        return "<path \(attributes)/>"
    }

    private var data: String {
        var (data, isDown) = ("", false)
        for step in steps {
            switch step {
            case .move(let point): data += "M\(spelled(point))"
            case .line(let point): data += (isDown ? "L" : "M") + spelled(point)
            case .arc(let centre, let radius, let from, let to):
                func point(_ angle: Double) -> Point { centre.moved(radius, angle) }
                data += (isDown ? "L" : "M") + spelled(point(from))
                // A whole circle has no direction, so an arc is written in two halves.
                for angle in [(from + to) / 2, to] {
                    data += "A\(spelled(radius)) \(spelled(radius)) 0 0 1 \(spelled(point(angle)))"
                }
            case .close: data += isDown ? "Z" : ""
            }
            isDown = isDown || step != .close
        }
        return data
    }
}

extension Text {
    fileprivate var svg: String {
        let anchor =
            switch anchor {
            case .start: ""
            case .middle: " text-anchor=\"middle\""
            case .end: " text-anchor=\"end\""
            }
        let parts = runs.map { run in
            let weight = run.isBold ? " font-weight=\"700\"" : ""
            return """
                <tspan font-size="\(spelled(run.size))"\(weight) \(run.colour.paint("fill"))>\(escaped(run.words))</tspan>
                """
        }
        return "<text x=\"\(spelled(at.x))\" y=\"\(spelled(at.y))\"\(anchor)>\(parts.joined())</text>"
    }
}

extension Colour {
    /// `fill="#0a6a6f"`
    fileprivate func paint(_ name: String) -> String {
        let digits = [red, green, blue].map { ($0 < 16 ? "0" : "") + String($0, radix: 16) }.joined()
        return "\(name)=\"#\(digits)\"" + (opacity < 1 ? " \(name)-opacity=\"\(spelled(opacity))\"" : "")
    }
}

private func escaped(_ text: String) -> String {
    // Scalar by scalar: with an accent on it, "<" is another character for Swift, and still markup.
    text.unicodeScalars.reduce(into: "") { result, scalar in
        switch scalar {
        case "&": result += "&amp;"
        case "<": result += "&lt;"
        case ">": result += "&gt;"
        default: result.unicodeScalars.append(scalar)
        }
    }
}

private func spelled(_ point: Point) -> String { "\(spelled(point.x)) \(spelled(point.y))" }

/// A number with at most two decimals: `12`, `0.5`, `-3.25`.
private func spelled(_ value: Double) -> String {
    let hundredths = Int((value * 100).rounded())
    let (whole, rest) = abs(hundredths).quotientAndRemainder(dividingBy: 100)
    let sign = hundredths < 0 ? "-" : ""
    guard rest > 0 else { return "\(sign)\(whole)" }
    let digits = rest % 10 == 0 ? "\(rest / 10)" : (rest < 10 ? "0" : "") + "\(rest)"
    return "\(sign)\(whole).\(digits)"
}
