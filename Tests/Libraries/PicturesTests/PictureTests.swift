import Pictures
import TestSupport
import Testing

@Suite("Pictures", .timeLimit(.minutes(60)))
struct PictureTests {
    private static let (white, red, blue) = (Colour(0xFFFFFF), Colour(0xFF0000), Colour(0x0000FF))

    private func picture(_ title: String = "A test", side: Int = 100) throws -> Picture {
        try Picture(width: side, height: side, title: title, ground: Self.white)
    }

    @Test("what is drawn is where it should be, in the SVG and in the PNG")
    func drawn() throws {
        var picture = try picture()
        try picture.add(.rectangle(x: 10, y: 10, width: 20, height: 20, fill: Self.red))
        try picture.add(.line([Point(0, 50), Point(100, 50)], Stroke(Self.blue, width: 4)))
        try picture.add(.disc(Point(70, 80), radius: 10, Self.red))
        try picture.add(.arc(Point(70, 20), radius: 10, from: 0, to: .pi / 2, Stroke(Self.blue, width: 4)))
        try picture.add(.rectangle(x: 0, y: 90, width: 10, height: 10, fill: Colour(0xFF0000, opacity: 0.5)))
        let look = try Look(picture)
        let pixels = try look.pixels(
            (20, 20), (35, 20), (50, 50), (50, 54), (70, 80), (70, 92), (77, 27), (63, 13), (5, 95))
        #expect(pixels.head == "IHDR bKGD IDAT IEND 100 100")
        #expect(
            pixels.colours == [
                "ff0000", "ffffff", "0000ff", "ffffff", "ff0000", "ffffff", "0000ff", "ffffff", "ff7f7f",
            ])
        let elements = try look.elements()
        #expect(elements.map(\.name) == ["svg", "title", "rect", "path", "path", "path", "path", "path"])
        #expect(elements[0].attributes["viewBox"] == "0 0 100 100" && elements[1].text == "A test")
        #expect(elements[3].attributes == ["d": "M10 10L30 10L30 30L10 30Z", "fill": "#ff0000"])
        #expect(
            elements[4].attributes == [
                "d": "M0 50L100 50", "fill": "none", "stroke": "#0000ff", "stroke-width": "4",
            ])
        #expect(elements[5].attributes["d"] == "M80 80A10 10 0 0 1 60 80A10 10 0 0 1 80 80Z")
        #expect(elements[6].attributes["d"] == "M80 20A10 10 0 0 1 77.07 27.07A10 10 0 0 1 70 30")
        #expect(elements[7].attributes["fill-opacity"] == "0.5")
    }

    @Test(
        "a text begins, ends or has its middle where it should, and its parts follow each other",
        arguments: Text.Anchor.allCases)
    func anchored(_ anchor: Text.Anchor) throws {
        var picture = try picture(side: 200)
        let runs = [Text.Run("HH", size: 30, isBold: true, Self.red), Text.Run("HH", size: 30, Self.blue)]
        try picture.add(Text(runs, at: Point(100, 100), anchor: anchor))
        let look = try Look(picture)
        let (red, blue) = (try look.count("ff0000"), try look.count("0000ff"))
        try #require(red.count > 100 && blue.count > 50, "no text is drawn: is fonts-dejavu-core installed?")
        #expect((35...60).contains(red.box[2] - red.box[0]), "\(red.box)")
        #expect(red.box[2] < blue.box[0], "the second part is not behind the first")
        #expect(red.box[3] == 99 && blue.box[3] == 99, "the letters do not stand on their line")
        let range =
            switch anchor {
            case .start: 98...106
            case .middle: 48...58
            case .end: 0...10
            }
        #expect(range.contains(red.box[0]), "\(red.box)")
        let element = try #require(try look.elements().first { $0.name == "text" })
        #expect(element.attributes["text-anchor"] == [.start: nil, .middle: "middle", .end: "end"][anchor])
        #expect(element.text == "HHHH")
    }

    /// What is written, and what is shown of it.
    private static let texts: [(String, String)] = {
        let accents = [1, 9, 100].map { "e" + String(repeating: "\u{301}", count: $0) }
        let nothings = String(String.UnicodeScalarView([0xFFFE, 0x1FFFF, 0xFDD0].compactMap { Unicode.Scalar($0) }))
        var texts: [(String, String)] = [
            ("a\u{0}b\u{1B}[2Jc\r\n\u{85}", "a�b�[2Jc���"), ("\u{202E}evil\u{2066}", "�evil�"),
            ("\u{200F}\u{061C}\u{2028}x\u{2029}", "���x�"), (nothings, "���"), (accents[2], accents[1]),
        ]
        for text in [
            "</text><script>alert(1)</script>", "a & b &amp; \"c\" 'd'", "<!--", "]]>", "<\u{301}script>",
            "&\u{301}lt;", "Grüße, 世界 🏃", "👨‍👩‍👧‍👦", accents[0],
        ] { texts.append((text, text)) }
        return texts
    }()

    @Test("nothing in a text is more than a text", arguments: texts)
    func harmless(_ words: String, _ shown: String) throws {
        var picture = try picture(words)
        try picture.add(Text([.init(words, size: 20, Self.red)], at: Point(10, 50)))
        let elements = try Look(picture).elements()
        #expect(elements.map(\.name) == ["svg", "title", "rect", "text", "tspan"])
        #expect(Array(elements[3].text.unicodeScalars) == Array(shown.unicodeScalars))
        #expect(elements[1].text == elements[3].text)
    }

    @Test("a picture has limits, and what is beyond them is refused and not drawn")
    func limits() throws {
        for side in [0, -1, 4097, Int.max] { #expect(reason { try self.picture(side: side) } == .tooLarge) }
        #expect(reason { try self.picture(side: 4096) } == nil)
        var picture = try picture()
        let stroke = Stroke(Self.red, width: 1)
        for wrong in [Double.nan, .infinity, -.infinity, 100_001, -1e300] {
            let point = Point(wrong, 0)
            for step in [
                Shape.Step.move(point), .line(Point(0, wrong)), .arc(centre: point, radius: 1, from: 0, to: 1),
                .arc(centre: Point(0, 0), radius: wrong, from: 0, to: 1),
                .arc(centre: Point(0, 0), radius: 1, from: 0, to: wrong),
                .arc(centre: Point(0, 0), radius: 1, from: wrong, to: wrong),
            ] {
                #expect(reason { try picture.add(Shape([step])) } == .outOfRange, "\(step)")
            }
            #expect(reason { try picture.add(.line([Point(0, 0)], Stroke(Self.red, width: wrong))) } == .outOfRange)
            let text = Text([.init("x", size: 20, Self.red)], at: point)
            #expect(reason { try picture.add(text) } == .outOfRange)
            #expect(
                reason { try picture.add(Text([.init("x", size: wrong, Self.red)], at: Point(0, 0))) } == .outOfRange)
        }
        #expect(reason { try picture.add(.arc(Point(0, 0), radius: 1, from: 0, to: 7, stroke)) } == .outOfRange)
        #expect(reason { try picture.add(.arc(Point(0, 0), radius: 1, from: 1, to: 0, stroke)) } == .outOfRange)
        let long = Text([.init(String(repeating: "x", count: 1001), size: 20, Self.red)], at: Point(0, 0))
        #expect(reason { try picture.add(long) } == .tooLarge)
        let runs = [Text.Run](repeating: .init("x", size: 20, Self.red), count: 9)
        #expect(reason { try picture.add(Text(runs, at: Point(0, 0))) } == .tooLarge)
        #expect(picture.elements.isEmpty)
        try picture.add(Shape([Shape.Step](repeating: .line(Point(1, 1)), count: 99_999), fill: Self.red))
        #expect(reason { try picture.add(Shape([.move(Point(0, 0)), .close])) } == .tooLarge)
        for _ in 1..<10_000 { try picture.add(Shape([])) }
        #expect(reason { try picture.add(Shape([])) } == .tooLarge)
        #expect(reason { try picture.add(Text([], at: Point(0, 0))) } == .tooLarge)
        #expect(picture.elements.count == 10_000)
        #expect(try Look(picture).pixels().head.hasSuffix("IEND 100 100"))
    }

    @Test("an error says what was attempted, and none of the words")
    func errors() throws {
        var picture = try picture()
        do throws(PictureError) {
            try picture.add(
                Text([.init(String(repeating: "secret", count: 1000), size: 20, Self.red)], at: Point(0, 0)))
            Issue.record("it was not refused")
        } catch {
            #expect("\(error)" == "could not draw a text: more than 8 parts, or more than 1000 bytes in one")
        }
    }

    @Test("many threads draw at once, and the same picture has the same bytes")
    func threads() async throws {
        var picture = try picture()
        try picture.add(Text([.init("Run, 9.01 km", size: 14, Self.red)], at: Point(5, 50)))
        let (drawn, expected) = (picture, try picture.png())
        let made = try await withThrowingTaskGroup(of: [UInt8].self) { group in
            for _ in 0..<32 { group.addTask { try drawn.png() } }
            return try await group.reduce(into: []) { $0.append($1) }
        }
        #expect(made.count == 32 && made.allSatisfy { $0 == expected })
    }

    private func reason<Value>(_ body: () throws -> Value) -> PictureError.Reason? {
        do {
            _ = try body()
            return nil
        } catch { return (error as? PictureError)?.reason }
    }
}
