import Foundation
import QRCodes
import TestSupport
import Testing

@Suite("QR codes", .timeLimit(.minutes(60)))
struct QRCodeTests {
    private static let script = "\(projectFolder)/Tests/Libraries/QRCodesTests/decode.py"
    private static let texts = [
        "a", "https://example.org/?q=1", "Grüße, 世界 🏃\n\t\"<&>\"", String(repeating: "owntracks%2B/", count: 60),
        String(repeating: "0123456789", count: 129),
    ]

    /// What a decoder that is not ours reads.
    private func decoded(_ drawing: String, as kind: String) throws -> String {
        let folder = try TemporaryFolder()
        let path = folder.path + "/drawing"
        try drawing.write(toFile: path, atomically: true, encoding: .utf8)
        return try RunningProgram.runPython([Self.script, kind, path])
    }

    @Test("A decoder reads what is drawn for a terminal and as SVG", arguments: QRCode.Correction.allCases)
    func decodes(correction: QRCode.Correction) throws {
        for text in Self.texts where correction != .high || text.utf8.count < 1200 {
            let code = try QRCode(text, correction)
            for style in QRCode.Style.allCases {
                let lines = code.lines(style)
                let kind = style == .lightOnDark ? "light-on-dark" : "dark-on-light"
                #expect(try decoded(lines.joined(separator: "\n"), as: kind) == text)
            }
            #expect(try decoded(code.svg, as: "svg") == text)
        }
    }

    @Test("A code has its quiet zone on each side, and each line its width")
    func quietZone() throws {
        let code = try QRCode("quiet", .low)
        #expect(code.side == 21)
        #expect(code.width == 29)
        let lines = code.lines(.darkOnLight)
        #expect(lines.count == 15)
        for line in lines {
            #expect(line.count == 29)
            #expect(line.hasPrefix("    ") && line.hasSuffix("    "))
        }
        for index in [0, 1, 13, 14] { #expect(lines[index].allSatisfy { $0 == " " }) }
        #expect(lines[2].hasPrefix("    █▀▀▀▀▀█"))
        let inverted = code.lines(.lightOnDark)
        #expect(inverted[0].allSatisfy { $0 == "█" })
        #expect(inverted[2].hasPrefix("████ ▄▄▄▄▄ "))
        let coloured = code.lines(.coloured)
        #expect(coloured == lines.map { "\u{1B}[30;107m\($0)\u{1B}[0m" })
        #expect(!code[-1, 0] && !code[0, 21] && code[0, 0] && code[0, 6] && !code[0, 7])
        #expect(code.svg.contains("viewBox=\"0 0 29 29\""))
    }

    @Test("The same text makes the same code, and more correction a larger one")
    func sizes() throws {
        let text = String(repeating: "x", count: 300)
        #expect(try QRCode(text) == QRCode(text, .medium))
        var sides: [Int] = []
        for correction in QRCode.Correction.allCases { sides.append(try QRCode(text, correction).side) }
        #expect(sides == sides.sorted() && Set(sides).count == 4)
    }

    @Test("A text without bytes and one that no code holds are refused, and the largest is not")
    func limits() throws {
        #expect(reason("", .low) == .empty)
        #expect(reason(String(repeating: "x", count: QRCode.maximumLength), .low) == nil)
        #expect(reason(String(repeating: "x", count: QRCode.maximumLength + 1), .low) == .tooLong)
        #expect(reason(String(repeating: "x", count: 1_000_000), .low) == .tooLong)
        #expect(reason(String(repeating: "x", count: 1273), .high) == nil)
        #expect(reason(String(repeating: "x", count: 1274), .high) == .tooLong)
    }

    @Test("An error does not repeat the text")
    func discreet() {
        do throws(QRCodeError) {
            _ = try QRCode(String(repeating: "secret", count: 1000))
            Issue.record("it was not refused")
        } catch {
            #expect("\(error)" == "could not make a QR code: more than 2953 bytes")
        }
    }

    @Test("Many threads make codes at once")
    func threads() async throws {
        let expected = try (0..<32).map { try QRCode("thread \($0)").svg }
        let made = try await withThrowingTaskGroup(of: (Int, String).self) { group in
            for index in 0..<32 { group.addTask { (index, try QRCode("thread \(index)").svg) } }
            var made: [Int: String] = [:]
            for try await (index, svg) in group { made[index] = svg }
            return made
        }
        for index in 0..<32 { #expect(made[index] == expected[index]) }
    }

    private func reason(_ text: String, _ correction: QRCode.Correction) -> QRCodeError.Reason? {
        do throws(QRCodeError) {
            _ = try QRCode(text, correction)
            return nil
        } catch { return error.reason }
    }
}
