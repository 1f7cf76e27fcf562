@testable import ActivityFiles

/// Files of sports watches. Most of what libFuzzer makes up has a wrong checksum, which is told at the end: everything
/// is read before that.
func fuzzFIT(_ bytes: [UInt8]) {
    guard let recordings = accepted({ () throws(ActivityFileError) in try FITFile.read(bytes, limits: few) }) else {
        return
    }
    holdActivities(recordings)
}

func fuzzGPX(_ bytes: [UInt8]) {
    guard let recordings = accepted({ () throws(ActivityFileError) in try GPXFile.read(bytes, limits: few) }) else {
        return
    }
    holdActivities(recordings)
}

func fuzzTCX(_ bytes: [UInt8]) {
    guard let recordings = accepted({ () throws(ActivityFileError) in try TCXFile.read(bytes, limits: few) }) else {
        return
    }
    holdActivities(recordings)
}

/// A file of any kind: an archive, gzip, Apple Health, or one of the above.
func fuzzArchives(_ bytes: [UInt8]) {
    _ = Takeout.read(bytes: bytes, name: "it", limits: few) { item in
        switch item.result {
        case .success(let recordings): holdActivities(recordings)
        case .failure(let error): hold(error.description.count < 500, "an error is a line: \(error)")
        }
        return true
    }
}

/// So that a short input cannot be a long activity.
private let few: Limits = {
    var limits = Limits()
    limits.samples = 10_000
    return limits
}()

/// What is read is in order, and can be written as whatever can hold it, and read again.
private func holdActivities(_ recordings: Recordings) {
    for activity in recordings.activities {
        hold(activity.end >= activity.start, "an activity ends after it starts")
        var last = Int64.min
        for sample in activity.samples {
            hold(sample.time >= last, "samples are in the order of time")
            last = sample.time
        }
        for pause in activity.pauses { hold(pause.end > pause.start, "a pause takes time") }
        if let bytes = accepted({ () throws(ActivityFileError) in try FITFile.write(activity) }) {
            let again = accepted { () throws(ActivityFileError) in try FITFile.read(bytes) }
            hold(again?.damage == nil && again?.activities.count == 1, "FIT that was written is sound")
            hold(again?.activities.first?.samples.count == activity.samples.count, "FIT has all samples")
        }
        if let bytes = accepted({ () throws(ActivityFileError) in try GPXFile.write(activity) }) {
            let again = accepted { () throws(ActivityFileError) in try GPXFile.read(bytes) }
            hold(again?.damage == nil && again?.activities.count == 1, "GPX that was written is sound")
        }
        if let bytes = accepted({ () throws(ActivityFileError) in try TCXFile.write(activity) }) {
            let again = accepted { () throws(ActivityFileError) in try TCXFile.read(bytes) }
            hold(again?.damage == nil && again?.activities.count == 1, "TCX that was written is sound")
        }
    }
}
