import Foundation
import Pictures
import TestSupport

/// A picture as programs that are not ours see it: Python's parser of XML, and its zlib.
struct Look {
    /// An element of an SVG.
    struct Element: Decodable {
        let name, text: String
        let attributes: [String: String]
    }

    private let folder: TemporaryFolder
    let picture: Picture

    init(_ picture: Picture) throws {
        folder = try TemporaryFolder()
        self.picture = picture
        try Data(picture.svg.utf8).write(to: URL(fileURLWithPath: folder.path + "/picture.svg"))
        try Data(picture.png()).write(to: URL(fileURLWithPath: folder.path + "/picture.png"))
    }

    private func look(_ kind: String, _ words: [String] = []) throws -> [Substring] {
        let script = "\(projectFolder)/Tests/Libraries/PicturesTests/look.py"
        let file = "\(folder.path)/picture.\(kind == "svg" ? "svg" : "png")"
        return try RunningProgram.runPython([script, kind, file] + words).split(separator: "\n")
    }

    /// Every element of the SVG.
    func elements() throws -> [Element] {
        try look("svg").map { try JSONDecoder().decode(Element.self, from: Data($0.utf8)) }
    }

    /// Every text of the SVG, without the title.
    func texts() throws -> [String] { try elements().filter { $0.name == "text" }.map(\.text) }

    /// The PNG's chunks and size, and the colours of some pixels.
    func pixels(_ places: (Int, Int)...) throws -> (head: String, colours: [String]) {
        let lines = try look("png", places.map { "\($0.0),\($0.1)" }).map(String.init)
        return (lines[0], Array(lines.dropFirst()))
    }

    /// How many pixels of the PNG have a colour, and where they are: left, top, right, bottom.
    func count(_ colour: String) throws -> (count: Int, box: [Int]) {
        let numbers = try look("count", [colour]).joined().split(separator: " ").compactMap { Int($0) }
        return (numbers[0], Array(numbers.dropFirst()))
    }
}

/// The numbers in the data of an SVG's path.
func coordinates(_ data: String?) -> [Double] {
    (data ?? "").split { !"-.0123456789".contains($0) }.compactMap { Double($0) }
}
