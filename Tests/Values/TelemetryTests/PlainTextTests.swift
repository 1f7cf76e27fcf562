import Telemetry
import Testing

@Suite("A text that one person writes and another sees")
struct PlainTextTests {
    @Test(
        "refuses controls, marks of direction, hidden characters and noncharacters",
        arguments: [
            "\u{0}", "\n", "\t", "\u{7F}", "\u{85}", "\u{61C}", "\u{200E}", "\u{200F}", "\u{202A}", "\u{202E}", "\u{2066}", "\u{2069}", "\u{2028}", "\u{2029}",
            "\u{200B}", "\u{2060}", "\u{FEFF}", "\u{AD}", "\u{34F}", "\u{3164}", "\u{115F}", "\u{180E}", "\u{206A}", "\u{FFF9}",
            "\u{E000}", "\u{F0000}", "\u{E0041}", "\u{E0001}", "\u{200D}", "\u{200C}",
        ])
    func refused(scalar: String) {
        #expect(!PlainText.isHarmless("a\(scalar)b"), "\(scalar.debugDescription)")
        #expect(!PlainText.isLine("a\(scalar)b", atMost: (64, 256)), "\(scalar.debugDescription)")
        // Texts of several lines may also say where a line may be broken.
        let isFit = ["\n", "\u{200B}", "\u{AD}"].contains(scalar)
        #expect(PlainText.isText("a\(scalar)b", atMost: (64, 256)) == isFit, "\(scalar.debugDescription)")
        #expect(PlainText.isText("\(scalar)b", atMost: (64, 256)) == (scalar == "\n"), "\(scalar.debugDescription)")
    }

    /// No literal may have them.
    @Test("refuses noncharacters", arguments: [0xFDD0, 0xFFFF, 0x1FFFE, 0x10FFFF] as [UInt32])
    func noCharacter(value: UInt32) throws {
        let scalar = try #require(Unicode.Scalar(value))
        #expect(!PlainText.isLine("a\(scalar)b", atMost: (64, 256)))
    }

    @Test(
        "takes what people write in all scripts, and emoji",
        arguments: [
            "Ann's old bike (2024)", "می‌دویم", "שלום", "क्‍ष और क्‌ष", "ශ්‍රී ලංකා", "北区", "👨‍👩‍👧", "❤️‍🔥", "🏃🏽‍♀️", "5️⃣ km", "🏴\u{E0067}\u{E0062}\u{E0073}\u{E0063}\u{E0074}\u{E007F}",
            "葛\u{E0100}城", "e\u{301}", "a  b",
        ])
    func taken(text: String) {
        #expect(PlainText.isLine(text, atMost: (64, 256)), "\(text.debugDescription)")
        #expect(PlainText.shown(text) == text)
    }

    @Test("refuses a line in which nothing can be seen", arguments: ["", " ", "\u{3000}", "\u{2800}\u{2800}"])
    func invisible(text: String) { #expect(!PlainText.isLine(text, atMost: (64, 256))) }

    @Test("is shown without harm, if it was kept before")
    func shown() {
        #expect(PlainText.shown("Ann\u{202E}nnA\u{2028}x\u{200B}y\nz\u{E0041}") == "Ann nnA xy\nz")
        #expect(PlainText.shown("\u{1B}[2J") == " [2J")
    }
}
