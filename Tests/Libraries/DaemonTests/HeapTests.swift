import Glibc
import Testing

@testable import Daemon

/// What is given back of memory that was freed.
@Suite("Memory that was freed")
struct HeapTests {
    @Test("what was freed below something that is still used goes back to the system at rest")
    func givenBack() throws {
        // Smaller than what the C library takes from the kernel for itself.
        let (size, count) = (64 << 10, 2048)
        let pieces = try (0..<count).map { _ in
            let piece = try #require(malloc(size))
            memset(piece, 1, size)
            return piece
        }
        // The last one stays: what is above nothing would go back at once.
        for piece in pieces.dropLast() { free(piece) }
        let before = try #require(residentMemoryKilobytes())
        #expect(giveBackMemory())
        let after = try #require(residentMemoryKilobytes())
        #expect(before - after > 64 << 10, "\(before) kB and \(after) kB")
        free(pieces[count - 1])
    }
}
