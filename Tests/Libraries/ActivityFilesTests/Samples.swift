import ActivityFiles
import Fitness
import Foundation
import TestSupport
import Testing

/// The recordings of deploy/activities, whose origin and licence are told there.
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

/// An activity that nobody did. Its pauses lie between samples, its laps begin at samples, and its totals are the sums
/// of its laps'.
func madeUp(_ generator: inout SeededGenerator, everywhere: Bool) -> Recording {
    func chance(_ part: Int) -> Bool { Int.random(in: 0..<part, using: &generator) == 0 }
    let sports: [Sport] = [.running, .walking, .cycling, .other("hiking"), .other("Bouldering hall 3")]
    let sport = sports[Int.random(in: 0..<sports.count, using: &generator)]
    let step: Int64 = chance(2) ? 1000 : 1
    let start = Int64.random(in: 946_684_800...1_900_000_000, using: &generator) * 1000 + (step == 1 ? 123 : 0)
    let count = Int.random(in: (everywhere ? 1 : 0)...120, using: &generator)
    let has = (0..<9).map { _ in chance(3) ? false : true }
    let laps = count > 20 && chance(2) ? [0, count / 3, count / 2] : []
    var samples: [Sample] = []
    var pauses: [Pause] = []
    var time = start
    var (distance, steps) = (0.0, UInt32(0))
    for index in 0..<count {
        if index > 0 {
            let before = time
            time += step == 1 ? Int64.random(in: 1...5000, using: &generator) : 1000
            if chance(15), !laps.contains(index) {
                time += 60_000
                pauses.append(Pause(start: before, end: time))
            }
        }
        distance += Double(Int.random(in: 0...500, using: &generator)) / 100
        steps += UInt32.random(in: 0...3, using: &generator)
        var sample = Sample(time: time)
        if everywhere || has[0] && !chance(10) {
            sample.place = Place(
                latitude: Double(Int.random(in: -900_000_000...900_000_000, using: &generator)) / 1e7,
                longitude: Double(Int.random(in: -1_799_999_999...1_799_999_999, using: &generator)) / 1e7)
        }
        if has[1], !chance(10) { sample.altitude = Double(Int.random(in: -2000...40_000, using: &generator)) / 5 }
        if has[2], !chance(10) { sample.distance = (distance * 100).rounded() / 100 }
        if has[3], !chance(10) { sample.speed = Double(Int.random(in: 0...20_000, using: &generator)) / 1000 }
        if has[4], !chance(10) { sample.cadence = Double(Int.random(in: 0...254, using: &generator)) }
        if has[5], !chance(10) { sample.temperature = Double(Int.random(in: -40...60, using: &generator)) }
        if has[6], !chance(10) { sample.steps = steps }
        if has[7], !chance(10) { sample.heartRate = UInt16.random(in: 30...250, using: &generator) }
        if has[8], !chance(10) { sample.power = UInt16.random(in: 0...2000, using: &generator) }
        samples.append(sample)
    }
    let end = count == 0 ? start + 600_000 : time
    func totals(_ from: Int64, _ to: Int64) -> Totals {
        let paused = pauses.filter { $0.start >= from && $0.end <= to }.reduce(0) { $0 + $1.end - $1.start }
        return Totals(
            distanceMetres: Double(Int.random(in: 1...1_000_000, using: &generator)) / 100,
            durationMilliseconds: to - from - paused,
            energyKilocalories: Double(Int.random(in: 1...900, using: &generator)),
            ascentMetres: Double(Int.random(in: 0...90_000, using: &generator)) / 100,
            steps: Int.random(in: 0...90_000, using: &generator))
    }
    var parts: [Lap] = []
    for (place, index) in laps.enumerated() {
        let to = place + 1 < laps.count ? samples[laps[place + 1]].time : end
        parts.append(Lap(start: samples[index].time, end: to, totals: totals(samples[index].time, to)))
    }
    var whole = totals(start, end)
    if !parts.isEmpty {
        whole = Totals(
            distanceMetres: parts.reduce(0) { $0 + ($1.totals.distanceMetres ?? 0) },
            durationMilliseconds: parts.reduce(0) { $0 + ($1.totals.durationMilliseconds ?? 0) },
            energyKilocalories: parts.reduce(0) { $0 + ($1.totals.energyKilocalories ?? 0) },
            ascentMetres: parts.reduce(0) { $0 + ($1.totals.ascentMetres ?? 0) },
            steps: parts.reduce(0) { $0 + ($1.totals.steps ?? 0) })
    }
    let devices: [Device?] = [
        nil, Device(manufacturer: "garmin", product: "Forerunner 245", serial: "3868201"),
        Device(manufacturer: "garmin", product: "1345"),
    ]
    let names = [nil, "Ronde à l'île <2> & \"co\"", "晨跑 🏃"]
    return Recording(
        sport: sport, name: names[Int.random(in: 0..<names.count, using: &generator)], start: start, end: end,
        pauses: pauses, laps: parts, samples: samples, totals: whole,
        device: devices[Int.random(in: 0..<devices.count, using: &generator)])
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
