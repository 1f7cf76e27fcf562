import Telemetry

@testable import vitals_sensor

/// Recorded activities.
func fuzzRecordings(_ bytes: [UInt8]) {
    guard
        var activity = accepted({ () throws(RecordingError) in
            try RecordedActivity(csv: bytes, name: "run.csv", isRepeated: true)
        })
    else { return }
    var last = -1.0
    for _ in 0..<(2 * activity.records.count + 1) {
        guard let record = activity.next() else { return hold(false, "a repeated recording has no end") }
        hold(record.elapsed >= last, "time never goes back, in the second round too")
        last = record.elapsed
        // What is replayed can be sent: six digits fit in a FLOAT.
        if let temperature = record.temperature {
            hold(MedicalFloat(float: temperature.float) == temperature, "\(temperature) can be sent")
        }
    }
}

/// Commands to the emulated sensor.
func fuzzCommands(_ bytes: [UInt8]) {
    let line = String(decoding: bytes, as: UTF8.self)
    guard let instruction = accepted({ () throws(InstructionError) in try Instruction(line) }) else { return }
    switch instruction {
    case .drop(let seconds): hold((0...86_400).contains(seconds), "seconds within a day: \(seconds)")
    case .malformed(let value): hold(value.count <= GATT.maximumValueLength, "no longer than a value can be")
    case .temperature(let value?): hold(MedicalFloat(float: value.float) == value, "\(value) can be sent")
    default: break
    }
}
