import Glibc

/// Lines on their way to a descriptor, many to a `write`.
public struct Lines {
    private let descriptor: CInt
    private var buffer: [UInt8] = []

    public init(_ descriptor: CInt) { self.descriptor = descriptor }

    /// Writes one line.
    public static func write(_ line: String, to descriptor: CInt) {
        var lines = Lines(descriptor)
        lines.write(Array(line.utf8))
        lines.flush()
    }

    public mutating func write(_ line: [UInt8]) {
        buffer += line
        buffer.append(UInt8(ascii: "\n"))
        if buffer.count >= 1 << 16 { flush() }
    }

    /// If this fails, the reader has gone: there is nobody left to tell.
    public mutating func flush() {
        var rest = buffer[...]
        while !rest.isEmpty {
            let count = rest.withUnsafeBytes { Glibc.write(descriptor, $0.baseAddress, $0.count) }
            if count > 0 { rest = rest.dropFirst(count) } else if count == 0 || errno != EINTR { break }
        }
        buffer.removeAll(keepingCapacity: true)
    }
}
