import Daemon
import Telemetry
import Vault

/// The journal in the machine's memory: sealed readings that survive a killed process, which needs no disk. What must
/// survive a power cut is in `outbox.db`.
///
/// The file has two halves, each with frames from its beginning:
///
/// ```
/// length u32 | id u64 | stream 16 | session 8 | number u64 | second i64 | sealed bytes | checksum u64
/// ```
///
/// Numbers are little-endian. The length is that of the whole frame; the checksum (FNV-1a) covers everything before it. Ids rise by one from
/// frame to frame, and none is used twice while `outbox.db` and the file live; a power cut takes the file. `outbox.db` knows the highest id that it has taken, and
/// learns it in the same transaction as the readings. So nothing is ever deleted here: once the database has all records of a
/// half, that half is written again from its beginning. Older frames behind the new ones have lower ids.
///
/// The checksum finds a frame that a kill has cut short. It does not keep anybody from writing frames of their own, so everything
/// that is read is checked against limits first.
struct RAMJournal {
    /// A sealed reading.
    struct Record: Equatable {
        let id: UInt64
        let stream: StreamID
        let session: SessionID
        let number: UInt64
        /// As in the table `journal`.
        let second: Int64
        let sealed: [UInt8]
    }

    private struct Half {
        /// Its bytes with frames, and the last of their ids.
        var used = 0
        var last: UInt64 = 0
    }

    static let name = "vitals-outbox.journal"
    static let halfSize = 128 * 1024
    /// The bytes of a frame without the sealed ones.
    static let overhead = 60
    /// No reading is longer once it is sealed.
    static let longestRecord = 4096
    /// So that no sum overflows, and SQLite can hold it.
    static let lastID: UInt64 = 1 << 62

    private let file: RuntimeFile
    private var halves = [Half(), Half()]
    private var active = 0
    private var nextID: UInt64
    /// Records up to this one are in the database.
    private var done: UInt64

    /// A journal that writes its file from the beginning.
    /// - Parameter id: the last id that was ever used.
    init(_ file: RuntimeFile, after id: UInt64) {
        self.file = file
        (nextID, done) = (id + 1, id)
    }

    /// Locks the file, and makes it if it is missing.
    static func file(in folder: String) throws(Failure) -> RuntimeFile {
        try RuntimeFile(name, in: folder, size: 2 * halfSize)
    }

    /// Whether the outbox's thread should write down what is here before the half is full.
    var isNearlyFull: Bool { halves[active].used > Self.halfSize / 4 * 3 }

    /// Whether there is room for any record.
    var hasRoom: Bool { halves[active].used + Self.overhead + Self.longestRecord <= Self.halfSize }

    /// Whether the database has all records.
    var isDone: Bool { done + 1 == nextID }

    /// Forgets what is in the file.
    func clear() { _ = file.write([UInt8](repeating: 0, count: file.size), at: 0) }

    /// Writes a record.
    /// - Parameter context: the 24 bytes of stream and session.
    /// - Returns: its id; nil if there is no room, or if the write fails.
    mutating func append(
        _ sealed: [UInt8], number: UInt64, second: Int64, context: [UInt8]
    ) -> UInt64? {
        let length = Self.overhead + sealed.count
        let half = halves[active]
        guard sealed.count <= Self.longestRecord, half.used + length <= Self.halfSize, nextID <= Self.lastID else {
            return nil
        }
        var frame: [UInt8] = []
        frame.reserveCapacity(length)
        frame.append(UInt32(length))
        frame.append(nextID)
        frame += context
        frame.append(number)
        frame.append(UInt64(bitPattern: second))
        frame += sealed
        frame.append(Self.checksum(frame[...]))
        guard file.write(frame, at: active * Self.halfSize + half.used) else { return nil }
        halves[active] = Half(used: half.used + length, last: nextID)
        defer { nextID += 1 }
        return nextID
    }

    /// The database has taken all records up to this one.
    mutating func finish(through id: UInt64) { done = max(done, id) }

    /// Continues in the other half if nothing there is needed.
    mutating func switchHalves() {
        let other = 1 - active
        guard halves[active].used > 0, halves[other].last <= done else { return }
        halves[other] = Half()
        active = other
    }

    // MARK: Reading

    /// All records in a file, by their ids.
    static func records(of file: RuntimeFile) -> [Record] {
        let halves = [0, 1].flatMap { records(in: file.read($0 * halfSize..<($0 + 1) * halfSize)) }
        return halves.sorted { $0.id < $1.id }
    }

    /// The records of a half, up to the first frame that is not whole, or is from before.
    static func records(in half: [UInt8]) -> [Record] {
        var records: [Record] = []
        var rest = half[...]
        while let record = first(of: rest), records.last.map({ $0.id + 1 == record.id }) ?? true {
            records.append(record)
            rest = rest.dropFirst(overhead + record.sealed.count)
        }
        return records
    }

    /// The record of the frame that begins here.
    private static func first(of bytes: ArraySlice<UInt8>) -> Record? {
        guard bytes.count >= overhead else { return nil }
        let start = bytes.startIndex
        let length = Int(bytes.number(at: 0, of: 4))
        guard length >= overhead + BlockCipher.tagLength, length <= overhead + longestRecord, length <= bytes.count,
            bytes.number(at: length - 8) == checksum(bytes.prefix(length - 8))
        else { return nil }
        let id = bytes.number(at: 4)
        let second = Int64(bitPattern: bytes.number(at: 44))
        // The range of `Extent.second`.
        let limit = Moment.limit / 2000 + 1
        guard (1...lastID).contains(id), (-limit...limit).contains(second),
            let stream = try? StreamID(bytes: bytes[start + 12..<start + 28]),
            let session = try? SessionID(bytes: bytes[start + 28..<start + 36])
        else { return nil }
        return Record(
            id: id, stream: stream, session: session, number: bytes.number(at: 36), second: second,
            sealed: Array(bytes[start + 52..<start + length - 8]))
    }

    /// FNV-1a of 64 bits.
    static func checksum(_ bytes: ArraySlice<UInt8>) -> UInt64 {
        bytes.reduce(0xCBF2_9CE4_8422_2325) { ($0 ^ UInt64($1)) &* 0x0000_0100_0000_01B3 }
    }
}

extension [UInt8] {
    fileprivate mutating func append(_ number: some FixedWidthInteger) {
        Swift.withUnsafeBytes(of: number.littleEndian) { append(contentsOf: $0) }
    }
}

extension ArraySlice<UInt8> {
    /// A number, from an offset that the caller has checked.
    fileprivate func number(at offset: Int, of count: Int = 8) -> UInt64 {
        self[startIndex + offset..<startIndex + offset + count].reversed().reduce(0) { $0 << 8 | UInt64($1) }
    }
}
