/// A picture: a list of shapes and texts on a ground, each above those before it. It can be written as SVG (`svg`) and
/// as PNG (`png`), and looks the same as far as fonts allow.
///
/// Lengths are in pixels of the PNG, x to the right and y down. What is added meets the limits below, so that nobody
/// who chooses what is drawn can choose how long that takes.
public struct Picture: Hashable, Sendable {
    /// What is drawn at once.
    public enum Element: Hashable, Sendable {
        /// Lines and areas.
        case shape(Shape)
        /// A line of text.
        case text(Text)
    }

    /// How long a side may be.
    public static let sides = 1...4096
    /// How many elements a picture has at most.
    public static let mostElements = 10_000
    /// How many steps all its shapes have together at most.
    public static let mostSteps = 100_000
    /// How far from the upper left corner a coordinate may be.
    public static let reach = 100_000.0

    /// In pixels.
    public let width: Int
    /// In pixels.
    public let height: Int
    /// What the picture shows, for people who cannot see it.
    public let title: String
    /// What everything is drawn on.
    public let ground: Colour
    /// From the lowest to the topmost.
    public private(set) var elements: [Element] = []
    private var steps = 0

    /// An empty picture.
    /// - Throws: `.tooLarge` where a side is.
    public init(width: Int, height: Int, title: String, ground: Colour) throws(PictureError) {
        guard Self.sides.contains(width), Self.sides.contains(height) else {
            throw PictureError(
                "begin a picture", .tooLarge, "a side has \(Self.sides.lowerBound) to \(Self.sides.upperBound) pixels")
        }
        (self.width, self.height, self.ground) = (width, height, ground)
        self.title = harmless(title)
    }

    /// Draws a shape above everything else.
    public mutating func add(_ shape: Shape) throws(PictureError) {
        let attempted = "draw a shape"
        try makeRoom(attempted)
        guard steps + shape.steps.count <= Self.mostSteps else {
            throw PictureError(attempted, .tooLarge, "the shapes have more than \(Self.mostSteps) steps")
        }
        guard shape.steps.allSatisfy(\.isInReach), shape.stroke.map({ Stroke.widths.contains($0.width) }) ?? true
        else { throw PictureError(attempted, .outOfRange, "a number is none, or too large") }
        steps += shape.steps.count
        elements.append(.shape(shape))
    }

    /// Draws a text above everything else.
    public mutating func add(_ text: Text) throws(PictureError) {
        let attempted = "draw a text"
        try makeRoom(attempted)
        guard text.runs.count <= Text.mostRuns, text.runs.allSatisfy({ $0.words.utf8.count <= Text.longestBytes })
        else {
            let words = "more than \(Text.mostRuns) parts, or more than \(Text.longestBytes) bytes in one"
            throw PictureError(attempted, .tooLarge, words)
        }
        guard text.at.isInReach, text.runs.allSatisfy({ Text.sizes.contains($0.size) }) else {
            throw PictureError(attempted, .outOfRange, "a number is none, or too large")
        }
        elements.append(.text(text))
    }

    private func makeRoom(_ attempted: String) throws(PictureError) {
        guard elements.count < Self.mostElements else {
            throw PictureError(attempted, .tooLarge, "a picture has at most \(Self.mostElements) elements")
        }
    }
}

/// A place in a picture, in pixels from its upper left corner.
public struct Point: Hashable, Sendable {
    /// To the right.
    public var x: Double
    /// Down.
    public var y: Double

    /// A place.
    public init(_ x: Double, _ y: Double) { (self.x, self.y) = (x, y) }

    var isInReach: Bool { abs(x) <= Picture.reach && abs(y) <= Picture.reach }
}

/// A colour of sRGB.
public struct Colour: Hashable, Sendable {
    /// 0 to 255 each.
    public let red, green, blue: UInt8
    /// 0 for what cannot be seen, 1 for what hides everything below it.
    public let opacity: Double

    /// A colour as style sheets write it: `0x0A6A6F`; what is above 24 bits does not count.
    public init(_ rgb: UInt32, opacity: Double = 1) {
        red = UInt8(rgb >> 16 & 0xFF)
        green = UInt8(rgb >> 8 & 0xFF)
        blue = UInt8(rgb & 0xFF)
        self.opacity = opacity >= 0 ? min(opacity, 1) : 0
    }
}
