// A plan is not kept: it is made again from what it was made of. Its token names that, and a checksum of what came out,
// so that a token never leads to another plan after the catalogue was replaced.

/// The name of a plan: lower-case letters, digits and hyphens, up to 64 of them, in exactly one spelling.
public struct PlanToken: Hashable, Sendable {
    /// No token is longer, in bytes.
    public static let longest = 64

    /// What the plan was made of.
    public let request: PlanRequest
    /// What came out.
    let checksum: UInt32

    init(_ request: PlanRequest, checksum: UInt32) { (self.request, self.checksum) = (request, checksum) }

    /// The token that a text spells; nil if it spells none.
    public init?(_ text: String) {
        guard text.utf8.count <= Self.longest else { return nil }
        let parts = text.split(separator: "-", omittingEmptySubsequences: false)
        guard parts.count == 10, parts[0] == Self.version, let minutes = Int(parts[2]),
            let seed = UInt32(parts[3], radix: 16), let number = Int(parts[4]),
            let equipment = Equipment.allCases.lettered(parts[6]), let favoured = Muscle.allCases.lettered(parts[7]),
            let checksum = UInt32(parts[9], radix: 16),
            let kind = TrainingKind.allCases.first(where: { Self.letter($0) == parts[1] }),
            let level = TrainingLevel.allCases.first(where: { Self.letter($0) == parts[5] }),
            let request = PlanRequest(
                kind, minutes: minutes, seed: seed, number: number, level: level, equipment: Set(equipment),
                favoured: favoured,
                limits: PlanLimits(isOlder: parts[8].contains("o"), isCareful: parts[8].contains("c")))
        else { return nil }
        self.init(request, checksum: checksum)
        // Whatever else the parts could be spelt like is refused.
        guard self.text == text else { return nil }
    }

    /// The text that spells it.
    public var text: String {
        let equipment = Equipment.allCases.filter { request.equipment.contains($0) && $0 != .bodyOnly }
        let limits = (request.limits.isOlder ? "o" : "") + (request.limits.isCareful ? "c" : "")
        let checksum = String(self.checksum, radix: 16)
        let parts = [
            Self.version, Self.letter(request.kind), "\(request.minutes)", String(request.seed, radix: 16),
            "\(request.number)", Self.letter(request.level), Equipment.allCases.letters(of: equipment),
            Muscle.allCases.letters(of: request.favoured), limits.isEmpty ? "0" : limits,
            String(repeating: "0", count: 8 - checksum.count) + checksum,
        ]
        return parts.joined(separator: "-")
    }

    /// What plans follow from a request changes with this.
    private static let version = "1"

    private static func letter(_ kind: TrainingKind) -> String { kind == .weights ? "w" : "i" }
    private static func letter(_ level: TrainingLevel) -> String { level == .beginner ? "b" : "m" }

    /// A checksum of 32 bits (FNV-1a), which tells by chance that another catalogue led to the same plan once in four
    /// billion times.
    static func checksum(of exercises: [PlannedExercise]) -> UInt32 {
        exercises.flatMap { $0.json.bytes }.reduce(2_166_136_261) { ($0 ^ UInt32($1)) &* 16_777_619 }
    }
}

extension Array where Element: Equatable {
    /// Elements of a list of at most 26, a letter each: `a` for its first one. `0` stands for none.
    fileprivate func letters(of elements: [Element]) -> String {
        let letters = elements.compactMap(firstIndex).map { String(UnicodeScalar(UInt8(ascii: "a") + UInt8($0))) }
        return letters.isEmpty ? "0" : letters.joined()
    }

    /// What letters stand for; nil if one of them stands for nothing.
    fileprivate func lettered(_ text: Substring) -> [Element]? {
        guard text != "0" else { return [] }
        var elements: [Element] = []
        for byte in text.utf8 {
            let index = Int(byte) - Int(UInt8(ascii: "a"))
            guard indices.contains(index) else { return nil }
            elements.append(self[index])
        }
        return elements
    }
}
