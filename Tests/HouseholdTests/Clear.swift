import Foundation
import TestSupport
import Testing

extension Household {
    /// Everything that is published on `blocks` and `control` from now on, as the consumer's rights let it be seen.
    func captureBlocks() throws -> RunningProgram {
        return try subscribe(
            "vitals/v1/gateways/+/blocks",
            try credentials("consumer") + ["-t", "vitals/v1/gateways/+/control", "-F", "%t %x"])
    }

    /// Looks for readings in all files of the household and in captured blocks: as their JSON, and as the columns that
    /// blocks hold, unsealed.
    func expectNothingInTheClear(_ capture: RunningProgram) throws {
        let blocks = capture.lines.filter { $0.hasPrefix("vitals/") }
        #expect(blocks.count > 40)
        var haystacks: [(String, Data)] = blocks.map {
            ("a block", Data(hexadecimal: $0.split(separator: " ").last ?? ""))
        }
        for folder in [folder, broker.folder] {
            let files = FileManager.default.enumerator(atPath: folder.path)?.compactMap { $0 as? String } ?? []
            for file in files {
                if let data = FileManager.default.contents(atPath: folder.path(file)) { haystacks.append((file, data)) }
            }
        }
        // The control: what is searched is there, database or log.
        for database in ["gateway/outbox.db", "consumer/vitals.db"] {
            let size = haystacks.filter { $0.0.hasPrefix(database) }.map(\.1.count).reduce(0, +)
            #expect(size > 20_000, "\(database)")
        }
        for needle in try needles() {
            for (name, haystack) in haystacks where haystack.range(of: needle) != nil {
                Issue.record("\(name) holds a reading in the clear")
            }
        }
    }

    /// What a heart rate of the recording looks like, unsealed: in JSON, and as 24 successive differences in a block's
    /// columns, at two places of the recording.
    private func needles() throws -> [Data] {
        let stored = try stored("heart-rate")
        let bpm = stored.compactMap { $0["bpm"] as? Int }
        var needles = [Data(#""bpm""#.utf8), Data(#"{"time""#.utf8)]
        for start in stride(from: 500, to: 2500, by: 500) {
            let differences = zip(bpm[(start + 1)...], bpm[start...]).prefix(8).map { $0 - $1 }
            // Zigzag; each of these is one byte. Eight zeros would be found anywhere.
            guard Set(differences).count > 2 else { continue }
            needles.append(Data(differences.map { UInt8(truncatingIfNeeded: ($0 << 1) ^ ($0 >> 63)) }))
        }
        #expect(needles.count > 3)
        return needles
    }
}

extension Data {
    init(hexadecimal text: some StringProtocol) {
        let digits = text.utf8.compactMap { Character(UnicodeScalar($0)).hexDigitValue }
        self.init(stride(from: 0, to: digits.count - 1, by: 2).map { UInt8(digits[$0] << 4 | digits[$0 + 1]) })
    }
}
