/// A number that looks drawn by lot, and is the same for the same text at all times and on all machines: the FNV-1a hash of
/// 64 bits, and the last step of SplitMix64, without which texts that are nearly alike have numbers that are.
package func constantLot(_ text: String) -> UInt64 {
    var lot: UInt64 = 0xCBF2_9CE4_8422_2325
    for byte in text.utf8 { lot = (lot ^ UInt64(byte)) &* 0x100_0000_01B3 }
    lot = (lot ^ lot >> 30) &* 0xBF58_476D_1CE4_E5B9
    lot = (lot ^ lot >> 27) &* 0x94D0_49BB_1331_11EB
    return lot ^ lot >> 31
}
