import Testing

@testable import Telemetry

/// Random numbers that are the same in every run (SplitMix64).
struct SeededGenerator: RandomNumberGenerator {
    private var state: UInt64

    init(seed: UInt64) { state = seed }

    mutating func next() -> UInt64 {
        state &+= 0x9E37_79B9_7F4A_7C15
        var z = state
        z = (z ^ (z >> 30)) &* 0xBF58_476D_1CE4_E5B9
        z = (z ^ (z >> 27)) &* 0x94D0_49BB_1331_11EB
        return z ^ (z >> 31)
    }
}

/// The bytes of a vector, spaces ignored.
func hex(_ text: String) throws -> [UInt8] {
    try #require(bytes(hexadecimal: text.filter { !$0.isWhitespace }))
}

/// What a call throws, as the fault; nil if it returns.
func fault<Value>(_ body: () throws -> Value) -> MalformedValue.Fault? {
    do {
        _ = try body()
        return nil
    } catch {
        return (error as? MalformedValue)?.fault
    }
}

/// Every shortening of some bytes, and every flip of a single bit.
func damaged(_ bytes: [UInt8]) -> [[UInt8]] {
    let truncated = bytes.indices.map { Array(bytes.prefix($0)) }
    let flipped = (0..<bytes.count * 8).map { bit in
        var copy = bytes
        copy[bit / 8] ^= 1 << UInt8(bit % 8)
        return copy
    }
    return truncated + flipped
}
