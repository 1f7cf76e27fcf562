/// Files of FIT, as sports watches and bicycle computers write them: Garmin's "Flexible and Interoperable Data
/// Transfer (FIT) Protocol" and its profile.
///
/// Read are activities, also several of one file (multisport, chained files), and files of all-day monitoring. Written
/// are activities. FIT keeps 180/2^31 of a degree (9 mm), 0.2 m of altitude, 1 cm of distance, 1 mm/s, 1/128 of a turn
/// or stride a minute, whole degrees Celsius, kilocalories and centimetres of ascent. It has whole seconds; a
/// developer's field of ours has the milliseconds.
public enum FITFile {
    /// What a file holds.
    /// - Throws: where nothing at all could be read. What breaks off later is in the result's `damage`.
    public static func read(_ bytes: [UInt8], limits: Limits = Limits()) throws(ActivityFileError) -> Recordings {
        let reader = FITRecordings(limits)
        let damage = bytes.withUnsafeBytes { bytes in
            fault { () throws(ActivityFileError) in try FITDecoder.read(bytes, limits, reader) }
        }
        let nothing = "there is neither an activity nor a record of the day in it"
        return try reader.finished().checked("FIT", damage, nothing: nothing)
    }
}
