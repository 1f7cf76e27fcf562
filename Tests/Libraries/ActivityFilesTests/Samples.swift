import ActivityFiles
import Fitness
import Foundation
import TestSupport
import Testing

/// The recordings of deploy/activities, whose origin and licence are described there.
func recorded(_ name: String) throws -> Recording {
    let text = try String(contentsOfFile: "\(projectFolder)/deploy/activities/\(name).csv", encoding: .utf8)
    var samples: [Sample] = []
    for line in text.split(separator: "\n").dropFirst() {
        let columns = line.split(separator: ",", omittingEmptySubsequences: false).map(String.init)
        guard columns.count == 11, let time = unixMilliseconds(iso8601: columns[0]) else {
            throw TestFailure("\(name): \(line)")
        }
        let numbers = columns.map { Double($0) }
        var sample = Sample(time: time)
        if let north = numbers[6], let east = numbers[7] { sample.place = Place(latitude: north, longitude: east) }
        sample.heartRate = numbers[2].map { UInt16($0) }
        sample.cadence = numbers[3]
        sample.steps = numbers[4].map { UInt32($0) }
        sample.temperature = numbers[5]
        sample.altitude = numbers[8]
        sample.speed = numbers[9]
        sample.distance = numbers[10]
        samples.append(sample)
    }
    guard let first = samples.first, let last = samples.last else { throw TestFailure("\(name) is empty") }
    return Recording(
        sport: name.hasPrefix("run") ? .running : .cycling, name: name, start: first.time, end: last.time,
        samples: samples,
        totals: Totals(
            distanceMetres: last.distance, durationMilliseconds: last.time - first.time, energyKilocalories: 650,
            ascentMetres: 120.5, steps: last.steps.map { Int($0) }),
        device: Device(manufacturer: "garmin", product: "1551", serial: "3868201"))
}

/// How two activities differ beyond what the rounding of a format makes of them; nil where they do not.
func difference(_ one: Recording, _ other: Recording) -> String? {
    func isNear(_ one: Double?, _ other: Double?, _ distance: Double) -> Bool {
        guard let one, let other else { return one == nil && other == nil }
        return abs(one - other) <= distance
    }
    func areNear(_ one: Totals, _ other: Totals) -> Bool {
        isNear(one.distanceMetres, other.distanceMetres, 0.006)
            && one.durationMilliseconds == other.durationMilliseconds
            && isNear(one.energyKilocalories, other.energyKilocalories, 0.5)
            && isNear(one.ascentMetres, other.ascentMetres, 0.006) && one.steps == other.steps
    }
    guard one.sport == other.sport, one.name == other.name, one.device == other.device else {
        return
            "\(one.sport) \(one.name ?? "") \(String(describing: one.device)) became \(other.sport) \(other.name ?? "") \(String(describing: other.device))"
    }
    guard one.start == other.start, one.end == other.end else {
        return "\(one.start)-\(one.end) became \(other.start)-\(other.end)"
    }
    guard one.pauses == other.pauses else { return "\(one.pauses) became \(other.pauses)" }
    guard areNear(one.totals, other.totals) else { return "\(one.totals) became \(other.totals)" }
    guard one.laps.count == other.laps.count else { return "\(one.laps) became \(other.laps)" }
    for (lap, again) in zip(one.laps, other.laps) {
        guard lap.start == again.start, lap.end == again.end, areNear(lap.totals, again.totals) else {
            return "\(lap) became \(again)"
        }
    }
    guard one.samples.count == other.samples.count else {
        return "\(one.samples.count) samples became \(other.samples.count)"
    }
    for (sample, again) in zip(one.samples, other.samples) {
        let isSame =
            sample.time == again.time && isNear(sample.place?.latitude, again.place?.latitude, 5e-8)
            && isNear(sample.place?.longitude, again.place?.longitude, 5e-8)
            && isNear(sample.altitude, again.altitude, 0.11) && isNear(sample.distance, again.distance, 0.006)
        let isSameToo =
            isNear(sample.speed, again.speed, 0.0006) && isNear(sample.cadence, again.cadence, 0.5)
            && isNear(sample.temperature, again.temperature, 0.5) && sample.steps == again.steps
            && sample.heartRate == again.heartRate && sample.power == again.power
        guard isSame, isSameToo else { return "\(sample) became \(again)" }
    }
    return nil
}

/// What is wrong with a document of GPX; nil where nothing is.
func faultOfGPX(_ bytes: [UInt8], _ limits: Limits = Limits()) -> ActivityFileError? {
    do throws(ActivityFileError) { return try GPXFile.read(bytes, limits: limits).damage } catch { return error }
}

/// What a format can hold of an activity.
enum Format: String, CaseIterable, CustomTestStringConvertible {
    case fit, gpx, tcx

    var testDescription: String { rawValue }

    func write(_ activity: Recording) throws -> [UInt8] {
        switch self {
        case .fit: try FITFile.write(activity)
        case .gpx: try GPXFile.write(activity)
        case .tcx: try TCXFile.write(activity)
        }
    }

    func read(_ bytes: [UInt8], _ limits: Limits = Limits()) throws -> Recordings {
        switch self {
        case .fit: try FITFile.read(bytes, limits: limits)
        case .gpx: try GPXFile.read(bytes, limits: limits)
        case .tcx: try TCXFile.read(bytes, limits: limits)
        }
    }

    func holds(of activity: Recording) -> Recording {
        var activity = activity
        switch self {
        case .fit: break
        case .gpx:
            activity.laps = []
            activity.totals = Totals()
            activity.samples = activity.samples.filter { $0.place != nil }
            activity.device = activity.device.map { Device(product: $0.product) }
            for index in activity.samples.indices {
                activity.samples[index].distance = nil
                activity.samples[index].steps = nil
            }
        case .tcx:
            activity.totals.ascentMetres = nil
            for index in activity.laps.indices { activity.laps[index].totals.ascentMetres = nil }
            for index in activity.samples.indices {
                activity.samples[index].temperature = nil
                activity.samples[index].steps = nil
            }
        }
        return activity
    }
}
