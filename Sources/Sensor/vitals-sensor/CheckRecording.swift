import Daemon

/// `vitals-sensor check FILE`: checks that a recording can be replayed, before anything else is started for it.
func checkRecording(_ arguments: Arguments) throws -> ExitCode {
    let file = try arguments.string("FILE")
    let recording = try RecordedActivity(file: file, isRepeated: false)
    let records = recording.records
    let heartRates = records.count { $0.beatsPerMinute != nil }
    let seconds = Int((records.last?.elapsed ?? 0).rounded(.up))
    print("\(file): \(records.count) rows, \(heartRates) heart rates, \(seconds / 60) min \(seconds % 60) s")
    if recording.moved > 0 {
        print("\(recording.moved) of the rows have the time of the row before: they are spread until the next one")
    }
    return .ok
}
