import Testing

@testable import Fitness

@Suite("Times in UTC", .timeLimit(.minutes(60)))
struct UTCTimeTests {
    @Test(
        "are spelt as ISO 8601 has them",
        arguments: [
            (0, "1970-01-01T00:00:00.000Z"), (951_782_399_999, "2000-02-28T23:59:59.999Z"),
            (951_782_400_000, "2000-02-29T00:00:00.000Z"), (-1, "1969-12-31T23:59:59.999Z"),
            (1_795_252_800_001, "2026-11-21T09:20:00.001Z"), (4_107_542_400_000, "2100-03-01T00:00:00.000Z"),
        ] as [(Int64, String)])
    func spelt(milliseconds: Int64, text: String) {
        #expect(iso8601(unixMilliseconds: milliseconds) == text)
        #expect(unixMilliseconds(iso8601: text) == milliseconds)
    }

    @Test(
        "are spelt in whole seconds, too",
        arguments: [
            (0, "1970-01-01T00:00:00Z"), (951_782_400, "2000-02-29T00:00:00Z"), (-1, "1969-12-31T23:59:59Z"),
            (1_795_252_800, "2026-11-21T09:20:00Z"),
        ] as [(Int64, String)])
    func seconds(seconds: Int64, text: String) {
        #expect(iso8601(unixSeconds: seconds) == text)
        #expect(unixMilliseconds(iso8601: text) == seconds * 1000)
    }

    @Test(
        "are read",
        arguments: [
            ("1970-01-01T00:00:00Z", 0), ("2026-11-21T10:00:00Z", 1_795_255_200_000),
            ("2024-02-29T23:59:59.5Z", 1_709_251_199_500), ("1969-12-31T23:59:59.999Z", -1),
            ("0000-03-01T00:00:00Z", -62_162_035_200_000),
        ])
    func read(text: String, milliseconds: Int64) {
        #expect(unixMilliseconds(iso8601: text) == milliseconds)
    }

    @Test(
        "are not read from a text that is anything else",
        arguments: [
            "", "now", "2026-11-21", "2026-11-21T10:00:00", "2026-11-21T10:00:00+01:00", "2026-02-29T00:00:00Z",
            "2026-13-01T00:00:00Z", "2026-11-21T24:00:00Z", "2026-11-21T10:00:00.Z", "2026-11-21T10:00:00.1234Z",
            "2026-11-21T10:0x:00Z", "+026-11-21T10:00:00Z",
        ])
    func refused(text: String) {
        #expect(unixMilliseconds(iso8601: text) == nil)
    }
}
