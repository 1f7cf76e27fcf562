import Glibc

/// The attributes of an element. They are valid only while the reader is told of it.
public struct XMLAttributes {
    let count: Int
    let pointers: UnsafeMutablePointer<UnsafePointer<UInt8>?>?

    /// The value of an attribute, as bytes; nil where there is none of this name. Its namespace does not matter.
    public subscript(_ name: StaticString) -> UnsafeBufferPointer<UInt8>? {
        guard let pointers else { return nil }
        for index in 0..<count {
            // Five pointers each: name, prefix, address of the namespace, begin and end of the value.
            guard let local = pointers[index * 5], isEqual(local, name) else { continue }
            guard let begin = pointers[index * 5 + 3], let end = pointers[index * 5 + 4] else {
                return nil
            }
            return UnsafeBufferPointer(start: begin, count: end - begin)
        }
        return nil
    }

    private func isEqual(_ text: UnsafePointer<UInt8>, _ name: StaticString) -> Bool {
        strcmp(
            UnsafeRawPointer(text).assumingMemoryBound(to: CChar.self),
            UnsafeRawPointer(name.utf8Start).assumingMemoryBound(to: CChar.self)) == 0
    }
}
