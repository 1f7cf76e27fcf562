import Daemon
import Files
import Telemetry

/// `backup.json` in the state folder, which says when the latest good backup was made: for the doctor, and for metrics.
/// It has no secrets, and nothing about people.
enum BackupRecord {
    static let file = "backup.json"

    /// Says that a backup was made, restored and checked.
    /// - Parameters:
    ///   - time: Unix milliseconds.
    ///   - count: how many backups are kept.
    ///   - milliseconds: how long it took.
    static func write(
        _ name: String, at time: Int64, count: Int, took milliseconds: UInt64, in state: String
    ) throws(Failure) {
        let text = #"{"time":\#(time),"name":"\#(name)","kept":\#(count),"milliseconds":\#(milliseconds)}"# + "\n"
        let path = "\(state)/\(file)"
        try Failure.explaining { () throws(VaultError) in
            let rights = try FileRights.take(ofFolderOf: path)
            defer { rights.giveBack() }
            try SmallFile.replace(path, with: Array(text.utf8))
        }
    }

    /// When the latest good backup was made, Unix milliseconds; nil if the state folder says nothing of one.
    static func latest(in state: String) throws -> Int64? {
        let path = "\(state)/\(file)"
        guard let bytes = try SmallFile.read(path, atMost: 4096, isOwn: true) else { return nil }
        guard case .integer(let time) = try JSON(payload: bytes)["time"] else {
            throw Failure(.data, "\(path) has no time")
        }
        return time
    }
}
