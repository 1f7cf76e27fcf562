internal import Files
import Glibc

/// A variable of the process's environment; nil if it is empty, too.
public func variable(_ name: String) -> String? {
    guard let value = getenv(name).map({ String(cString: $0) }), !value.isEmpty else { return nil }
    return value
}

/// The memory of this process that is in RAM, in kB of 1024 bytes, from `/proc/self/statm` (proc_pid_statm(5));
/// nil if there is no `/proc`.
public func residentMemoryKilobytes() -> Int? {
    // It is asked often, and the way to a file of the kernel's needs no care.
    let file = open("/proc/self/statm", O_RDONLY | O_CLOEXEC)
    guard file >= 0 else { return nil }
    defer { close(file) }
    var bytes = [UInt8](repeating: 0, count: 256)
    let count = read(file, &bytes, bytes.count)
    guard count > 0 else { return nil }
    let fields = String(decoding: bytes.prefix(count), as: UTF8.self).split(separator: " ")
    guard fields.count > 1, let pages = Int(fields[1]) else { return nil }
    return pages * (sysconf(CInt(_SC_PAGESIZE)) / 1024)
}

/// The 16 random bytes that the kernel chose at this boot (`/proc/sys/kernel/random/boot_id`); nil if there is no
/// `/proc`. Milliseconds since boot can be compared if the boot id is the same.
public func bootID() -> [UInt8]? {
    guard case .success(let text) = readFile("/proc/sys/kernel/random/boot_id", atMost: 4096) else { return nil }
    return uuidBytes(text)
}

/// The 16 bytes of a UUID's text, `01234567-89ab-cdef-0123-456789abcdef`, with nothing but a newline after it.
func uuidBytes(_ text: [UInt8]) -> [UInt8]? {
    let line = text.last == UInt8(ascii: "\n") ? text.dropLast() : text[...]
    guard line.count == 36, [8, 13, 18, 23].allSatisfy({ line[$0] == UInt8(ascii: "-") }) else { return nil }
    let digits = line.filter { $0 != UInt8(ascii: "-") }.compactMap { Character(Unicode.Scalar($0)).hexDigitValue }
    guard digits.count == 32 else { return nil }
    return stride(from: 0, to: 32, by: 2).map { UInt8(digits[$0] << 4 | digits[$0 + 1]) }
}

/// Why a file could not be read.
enum ReadFailure: Error, Equatable {
    /// The system said no, with this `errno`.
    case system(CInt)
    /// It has more bytes than the reader takes.
    case tooLong
    /// Root must not read it, because of this.
    case refused(String)
}

/// The bytes of a file, at most `limit`. Root waits for no pipe, and follows no link that somebody else can change.
func readFile(_ path: String, atMost limit: Int) -> Result<[UInt8], ReadFailure> {
    let descriptor: CInt
    do throws(VaultError) { descriptor = try ReadableFile.open(path, "read \(path)", mayBePipe: true) } catch {
        return .failure(error.code == 0 ? .refused(error.said) : .system(error.code))
    }
    defer { close(descriptor) }
    var bytes: [UInt8] = []
    var buffer = [UInt8](repeating: 0, count: 16384)
    while true {
        let count = read(descriptor, &buffer, buffer.count)
        if count == 0 { return .success(bytes) }
        if count < 0, errno == EINTR { continue }
        if count < 0 { return .failure(.system(errno)) }
        bytes += buffer[..<count]
        if bytes.count > limit { return .failure(.tooLong) }
    }
}

/// What the C library says about an error number, in the C locale.
func systemMessage(_ number: CInt) -> String {
    strerror(number).map { String(cString: $0) } ?? "error \(number)"
}
