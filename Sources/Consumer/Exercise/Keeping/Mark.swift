/// Tells made files apart, so that parts of two of them are not put together.
enum Mark {
    /// Which file the bytes are: two that differ have the same mark as good as never (FNV-1a, 64 bits).
    static func of(_ bytes: [UInt8]) -> UInt64 {
        bytes.reduce(0xCBF2_9CE4_8422_2325) { ($0 ^ UInt64($1)) &* 0x100_0000_01B3 }
    }
}
